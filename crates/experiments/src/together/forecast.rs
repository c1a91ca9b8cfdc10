//! Number of looks at several volumes, and remaining time.

use record::StepRecord;
use workload::{StepKind, TogetherRequest};

use super::{AGAIN, MORE, PAIRS_MOST, TogetherAsk};

/// Most looks for these volumes, if they share something under every load.
pub fn together_looks_most(asked: &TogetherRequest) -> usize {
    let volumes = asked.volumes.len();
    let pairs = if volumes > 2 && volumes <= PAIRS_MOST { volumes * (volumes - 1) / 2 } else { 0 };
    let each = AGAIN * (volumes + 1) + MORE / 2 + 1;
    asked.loads.len() * each + 1 + 2 * volumes + pairs
}

/// Looks that run in any case.
fn looks_least(asked: &TogetherRequest) -> usize {
    asked.loads.len() * 2 * (asked.volumes.len() + 1)
}

/// Seconds without the layout: the least, if the volumes share nothing, and the most.
pub fn together_seconds(ask: &TogetherAsk) -> (f64, f64) {
    let most = ask.asked.time.as_secs_f64();
    (most * looks_least(&ask.asked) as f64 / together_looks_most(&ask.asked) as f64, most)
}

/// Most seconds that remain after the steps in `done`.
pub fn together_seconds_left(ask: &TogetherAsk, done: &[StepRecord]) -> f64 {
    (together_seconds(ask).1 - elapsed(done)).max(0.0)
}

/// Seconds since the first look.
pub(super) fn elapsed(done: &[StepRecord]) -> f64 {
    let mut looks = done.iter().filter(|step| step.plan.kind == StepKind::Together);
    let begun = looks.next().map(|first| first.started);
    begun.zip(done.last()).map_or(0.0, |(begun, last)| last.ended.since(begun).as_secs_f64())
}
