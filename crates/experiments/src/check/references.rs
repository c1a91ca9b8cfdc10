//! References: the same four short loads repeated between the others, so that differences between moments show.

use workload::{Bytes, Direction, StepKind};

use super::draft::{Draft, Length, Rank};
use super::known::{CheckState, moves};
use super::ladders::{filling, share};

/// One of the repeated loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub direction: Direction,
    pub block: Bytes,
}

/// The repeated loads, in their turn.
pub(super) fn moments(known: &CheckState<'_>) -> Vec<Moment> {
    let of = |block: fn(&CheckState<'_>, Direction) -> Bytes| {
        known.directions().iter().map(move |&direction| Moment { direction, block: block(known, direction) })
    };
    of(|known, _| known.small()).chain(of(|known, direction| known.large(direction))).collect()
}

/// Number of completed steps of `kind` with the load of `moment`.
pub(super) fn count(known: &CheckState<'_>, kind: StepKind, moment: Moment) -> usize {
    let same = |plan| moves(plan) == Some((moment.direction, moment.block));
    known.of_kind(kind).filter(|record| same(&record.plan)).count()
}

pub(super) fn draft(known: &CheckState<'_>, moment: Moment, number: usize) -> Draft {
    let Moment { direction, block } = moment;
    Draft {
        name: format!("reference {number} {} {block}", direction.name()),
        kind: StepKind::Reference,
        job: filling(known, direction, block),
        length: Length::Look(known.ask.effort.look),
        rank: Rank::May,
        share: share(direction, if block > known.small() { 2.0 } else { 0.6 }),
    }
}

/// References still wanted, the next of each kind, the least frequent first. Those of large blocks wait until it is known
/// how large these may be.
pub(super) fn wanted(known: &CheckState<'_>) -> Vec<Draft> {
    let now =
        moments(known).into_iter().filter(|moment| moment.block == known.small() || known.knows_large());
    let counted = now.map(|moment| (count(known, StepKind::Reference, moment), moment));
    let mut wanted: Vec<(usize, Moment)> =
        counted.filter(|(count, _)| *count < known.ask.effort.references).collect();
    wanted.sort_by_key(|(count, _)| *count);
    wanted.into_iter().map(|(count, moment)| draft(known, moment, count + 1)).collect()
}

/// All references still to come, one draft each, so that their time and bytes are reserved.
pub(super) fn ahead(known: &CheckState<'_>) -> Vec<Draft> {
    let of_moment = |moment| {
        let ran = count(known, StepKind::Reference, moment);
        (ran..known.ask.effort.references).map(move |number| draft(known, moment, number + 1))
    };
    moments(known).into_iter().flat_map(of_moment).collect()
}
