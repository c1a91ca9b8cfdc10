//! How many looks at several volumes there will be, and what is left of them.

use record::StepRecord;
use workload::{StepKind, TogetherAsked};

use super::{AGAIN, MORE, PAIRS_MOST, TogetherAsk};

/// The most looks that volumes like these get, where they share something under every load.
pub fn together_looks_most(asked: &TogetherAsked) -> usize {
    let volumes = asked.volumes.len();
    let pairs = if volumes > 2 && volumes <= PAIRS_MOST { volumes * (volumes - 1) / 2 } else { 0 };
    let each = AGAIN * (volumes + 1) + MORE / 2 + 1;
    asked.loads.len() * each + 1 + 2 * volumes + pairs
}

/// Looks that they get in any case.
fn looks_least(asked: &TogetherAsked) -> usize {
    asked.loads.len() * 2 * (asked.volumes.len() + 1)
}

/// Seconds that it takes, the layout left out: at least, where the volumes share nothing, and at most.
pub fn together_seconds(ask: &TogetherAsk) -> (f64, f64) {
    let most = ask.asked.time.as_secs_f64();
    (most * looks_least(&ask.asked) as f64 / together_looks_most(&ask.asked) as f64, most)
}

/// Seconds that are left behind these steps, at most.
pub fn together_seconds_left(ask: &TogetherAsk, done: &[StepRecord]) -> f64 {
    (together_seconds(ask).1 - elapsed(done)).max(0.0)
}

/// Seconds since the first look.
pub(super) fn elapsed(done: &[StepRecord]) -> f64 {
    let mut looks = done.iter().filter(|step| step.plan.kind == StepKind::Together);
    let begun = looks.next().map(|first| first.started);
    begun.zip(done.last()).map_or(0.0, |(begun, last)| last.ended.since(begun).as_secs_f64())
}
