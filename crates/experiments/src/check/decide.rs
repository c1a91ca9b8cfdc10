//! Goes on with the loads of claims that the usual steps leave open, until they are decided or the time is up.

use analysis::OpenRate;
use record::StepRecord;
use workload::{Nanos, StepKind};

use super::draft::{Draft, Length, Rank};
use super::known::{CheckState, moves};
use super::references::{self, Moment, count};

/// Factor by which the time that a claim seems to need may exceed what is left (method 10.1): the interval may narrow faster
/// than the square root of time, because more moments also disprove a slow part of the noise, and the mean may move away
/// from the tolerance.
const HOPE: f64 = 4.0;

/// The next looks at the loads whose claims are open, the one with the fewest so far first.
pub(super) fn wanted(known: &CheckState<'_>) -> Vec<Draft> {
    let ask = known.ask;
    let left = (ask.effort.total + ask.effort.decide).since(known.elapsed());
    let open = analysis::open_rates(known.done, ask.limits.as_ref(), &ask.expectation);
    let in_reach = |one: &OpenRate| {
        let seconds = seconds(known, moment(known, one));
        seconds * (one.times - 1.0) <= HOPE * left.as_secs_f64()
    };
    let mut moments: Vec<Moment> =
        open.iter().filter(|one| in_reach(one)).map(|one| moment(known, one)).collect();
    moments.sort_by_key(|moment| count(known, StepKind::Reference, *moment));
    moments.into_iter().map(|moment| longer(known, moment)).collect()
}

fn moment(known: &CheckState<'_>, open: &OpenRate) -> Moment {
    let block = if open.of_bytes { known.large(open.direction) } else { known.small() };
    Moment { direction: open.direction, block }
}

/// Seconds for which the load of `moment` was counted.
fn seconds(known: &CheckState<'_>, moment: Moment) -> f64 {
    let same = |record: &&StepRecord| moves(&record.plan) == Some((moment.direction, moment.block));
    known.done.iter().filter(same).map(StepRecord::seconds).sum()
}

/// A reference that lasts as long as a repeated load.
fn longer(known: &CheckState<'_>, moment: Moment) -> Draft {
    let number = count(known, StepKind::Reference, moment) + 1;
    let span = known.ask.effort.again;
    let length = Length::Known(super::Span { least: Nanos(span.most.0 / 2), ..span });
    Draft { length, rank: Rank::Decides, ..references::draft(known, moment, number) }
}
