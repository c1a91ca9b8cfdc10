//! Counts of steps, as the test for a meter takes them.

use record::{Interval, StepRecord};
use statistics::metered::{Count, Window};
use workload::Direction;

/// Share of the planned length below which an interval was cut off by the beginning or the end of its step.
const WHOLE: f64 = 0.9;

/// Returns the counts of a step's reads and writes by interval. A count is clean unless it is smeared, or plimsoll
/// waited for a CPU for more than half the mean latency, in which half of the I/Os in flight completed.
pub(crate) fn window(step: &StepRecord) -> Window {
    let seconds = step.plan.interval.as_secs_f64();
    let counted = step.counted();
    let (reads, writes) = (step.tally(Direction::Read), step.tally(Direction::Write));
    let waited_ns = reads.latency_ns_sum.saturating_add(writes.latency_ns_sum) as f64;
    let latency_ns = waited_ns / reads.ops.saturating_add(writes.ops).max(1) as f64;
    let whole = counted.iter().filter(|interval| interval.seconds() >= WHOLE * seconds);
    let count = |interval: &Interval| Count {
        number: (interval.iops() * interval.seconds()).round(),
        clean: !interval.smeared && interval.waited.0 as f64 <= latency_ns / 2.0,
    };
    let depth = step.plan.workers.iter().map(|worker| f64::from(worker.depth)).sum();
    Window { seconds, depth, unit: 1.0, counts: whole.map(count).collect() }
}

/// Returns the window with each count multiplied by `share`.
pub(crate) fn scaled(mut window: Window, share: f64) -> Window {
    window.counts.iter_mut().for_each(|count| count.number *= share);
    Window { unit: window.unit * share, ..window }
}
