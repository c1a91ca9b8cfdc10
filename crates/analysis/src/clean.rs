//! Intervals of a step without any effect of plimsoll's own lack of CPU, by which the step can be judged.

use record::{Interval, StepRecord};
use workload::Nanos;

/// Share of an interval without a CPU above which the interval is affected: the worker noticed that share of its
/// completions late, and may have moved them into the next interval. A third of the 3 % by which a claim may be missed.
const TOUCHED: f64 = 0.01;
/// Fewest intervals from which a figure is taken, as for every figure of a step.
pub(crate) const FEWEST: usize = 5;

/// Whether waiting for a CPU has moved hardly any completions into `interval` of `step` or out of it: not in this
/// interval, nor in the one before, whose late completions count here.
pub(crate) fn clean(interval: &Interval, step: &StepRecord) -> bool {
    // Intervals are in the order of time, with those of several jobs next to each other.
    let until = step.intervals.partition_point(|other| other.start < interval.start);
    let before = step.intervals[..until].iter().rev().take_while(|other| other.end >= interval.start);
    touched(interval) <= TOUCHED && before.into_iter().all(|before| touched(before) <= TOUCHED)
}

/// Returns the counted intervals of `step` that are clean, jobs merged, in the order of time.
pub(crate) fn clean_intervals(step: &StepRecord) -> Vec<Interval> {
    step.counted().into_iter().filter(|interval| clean(interval, step)).collect()
}

/// Returns the counted intervals to judge a level by: the clean ones if they are enough and at least half of all;
/// otherwise all, and [`crate::shortage`] estimates the loss.
pub(crate) fn judged_intervals(step: &StepRecord) -> Vec<Interval> {
    let (all, clean) = (step.counted(), clean_intervals(step));
    if clean.len() >= FEWEST && 2 * clean.len() >= all.len() { clean } else { all }
}

/// Returns the share of `interval` in which one of its workers had no CPU.
pub(crate) fn touched(interval: &Interval) -> f64 {
    let length = interval.end.since(interval.start);
    if length == Nanos::ZERO { 0.0 } else { interval.waited.0 as f64 / length.0 as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::{Ending, StepKind, StepPlan, StopRule};

    /// A step of one-second intervals, the first in the ramp, with these waits for a CPU in milliseconds.
    fn step(waited_ms: &[u64]) -> StepRecord {
        let second = |(at, waited): (usize, &u64)| {
            let start = Nanos::from_secs(at as u64);
            let empty = Interval::empty(0, start, start + Nanos::SECOND);
            Interval { counted: at > 0, waited: Nanos::from_millis(*waited), ..empty }
        };
        let ended = Nanos::from_secs(waited_ms.len() as u64);
        StepRecord {
            plan: StepPlan {
                name: "d8".into(),
                kind: StepKind::DepthLadder,
                workers: vec![],
                stop: vec![StopRule::Time(ended)],
                ramp: Nanos::SECOND,
                interval: Nanos::SECOND,
                choices: vec![],
            },
            started: Nanos::ZERO,
            counted_from: Nanos::SECOND,
            ended,
            ending: Ending::Time,
            jobs: vec!["j".into()],
            intervals: waited_ms.iter().enumerate().map(second).collect(),
            workers: vec![],
            failures: vec![],
            notes: vec![],
        }
    }

    fn starts(intervals: &[Interval]) -> Vec<u64> {
        intervals.iter().map(|interval| interval.start.as_secs_f64() as u64).collect()
    }

    #[test]
    fn a_wait_touches_its_interval_and_the_next() {
        let step = step(&[300, 0, 0, 11, 0, 0, 10]);
        assert_eq!(starts(&clean_intervals(&step)), [2, 5, 6]);
    }

    #[test]
    fn few_clean_intervals_are_not_taken_for_all() {
        let judged = |waited: &[u64]| judged_intervals(&step(waited)).len();
        assert_eq!(judged(&[0, 0, 0, 0, 0, 0, 0, 500]), 6);
        assert_eq!(judged(&[0, 0, 0, 0, 0, 500]), 5, "four are not enough");
        assert_eq!(judged(&[0, 0, 0, 0, 0, 0, 90, 90, 90, 90, 90, 90]), 11, "less than half is not");
    }
}
