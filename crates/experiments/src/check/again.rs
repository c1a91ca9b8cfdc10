//! Looks again at a small and a large block in each direction, after a change and at the end.

use record::StepRecord;
use workload::StepKind;

use super::draft::{Draft, Length, Rank};
use super::known::CheckState;
use super::ladders::{filling, share};
use super::references::{Moment, count, moments};

/// Most rounds after changes: more of them do not describe a volume better that keeps changing.
const ROUNDS_AFTER_CHANGES: usize = 3;

fn draft(known: &CheckState<'_>, moment: Moment, round: usize) -> Draft {
    let Moment { direction, block } = moment;
    Draft {
        name: format!("again {round} {} {block}", direction.name()),
        kind: StepKind::Again,
        job: filling(known, direction, block),
        length: Length::Known(known.ask.effort.again),
        rank: Rank::Must,
        share: share(direction, if block > known.small() { 3.0 } else { 0.8 }),
    }
}

/// A whole round.
pub(super) fn round(known: &CheckState<'_>, number: usize) -> Vec<Draft> {
    moments(known).into_iter().map(|moment| draft(known, moment, number)).collect()
}

/// Number of rounds that have begun.
pub(super) fn rounds(known: &CheckState<'_>) -> usize {
    moments(known).into_iter().map(|moment| count(known, StepKind::Again, moment)).max().unwrap_or(0)
}

/// The steps missing from the round that began last.
pub(super) fn rest_of_round(known: &CheckState<'_>) -> Vec<Draft> {
    let number = rounds(known);
    let open = moments(known).into_iter().filter(|&moment| count(known, StepKind::Again, moment) < number);
    open.map(|moment| draft(known, moment, number)).collect()
}

/// The round due to a change after the last look, or to one that has not settled since.
pub(super) fn after_change(known: &CheckState<'_>) -> Vec<Draft> {
    let number = rounds(known);
    let looked = known.of_kind(StepKind::Again).last().map(|record: &StepRecord| record.started);
    let changed = known.regimes.changes.iter().any(|change| looked.is_none_or(|looked| change.at.0 > looked));
    if changed && number < ROUNDS_AFTER_CHANGES { round(known, number + 1) } else { Vec::new() }
}

/// The round that ends the run, unless the last step already belonged to a round.
pub(super) fn at_the_end(known: &CheckState<'_>) -> Vec<Draft> {
    let just_looked = known.done.last().is_some_and(|record| record.plan.kind == StepKind::Again);
    if just_looked { Vec::new() } else { round(known, rounds(known) + 1) }
}
