//! Detects when the rate of a step is known well enough to end the step, or has fallen.

use record::Interval;
use statistics::fall::{Falling, Rule as Fall};
use statistics::sequential::{Monitor, Rule};
use workload::{Ending, Nanos, StepPlan, StopRule};

/// Applies [`StopRule::Certain`] and [`StopRule::Fallen`] to final intervals.
#[derive(Clone, Debug)]
pub(crate) struct Certainty {
    /// The monitor, and the least time after the ramp; `None` if the plan does not ask for certainty.
    monitor: Option<(Monitor, Nanos)>,
    /// `None` if the plan does not wait for a fall.
    falling: Option<Falling>,
}

impl Certainty {
    pub(crate) fn new(plan: &StepPlan) -> Certainty {
        let seconds = plan.interval.max(Nanos(1)).as_secs_f64();
        let monitor = plan.stop.iter().find_map(|rule| match *rule {
            // A rate is a count divided by the interval, so it moves in steps of one per interval.
            StopRule::Certain { half_width, least, .. } => {
                Some((Monitor::new(Rule { resolution: 1.0 / seconds, ..Rule::within(half_width) }), least))
            }
            _ => None,
        });
        let falling = plan.stop.iter().find_map(|rule| match *rule {
            StopRule::Fallen { share, half_width, settled, .. } => {
                let settled = (settled.as_secs_f64() / seconds).ceil() as usize;
                Some(Falling::new(Fall { share, half_width, settled, resolution: 1.0 / seconds }))
            }
            _ => None,
        });
        Certainty { monitor, falling }
    }

    /// Takes in the next interval, one entry per job; true once the rate is well known and steady, or has fallen.
    pub(crate) fn is_certain(&mut self, row: &[Interval], counted_from: Nanos) -> bool {
        let Some(first) = row.first() else { return false };
        // An interval in which a job does not count shows less than the rate of all jobs together.
        if !row.iter().all(|interval| interval.counted) {
            return false;
        }
        let is_ordered = row.is_sorted_by_key(|interval| interval.job);
        assert!(is_ordered, "the jobs of a row are not in their order");
        let rate = row.iter().map(Interval::iops).sum();
        let fallen = self.falling.as_mut().is_some_and(|falling| falling.push(rate));
        let known = self.monitor.as_mut().is_some_and(|(monitor, least)| {
            monitor.push(rate).decided && first.end.since(counted_from) >= *least
        });
        fallen || known
    }
}

/// Returns how a step whose time is over ends: by the time requested, or by the limit of a search for certainty.
pub(crate) fn ending_by_time(plan: &StepPlan) -> Ending {
    let limits = plan.stop.iter().filter_map(|rule| match *rule {
        StopRule::Time(time) => Some((time, Ending::Time)),
        StopRule::Certain { most, .. } | StopRule::Fallen { most, .. } => Some((most, Ending::Uncertain)),
        StopRule::BytesEach(_)
        | StopRule::BytesInAll(_)
        | StopRule::OpsEach(_)
        | StopRule::WrittenEach(_)
        | StopRule::Late { .. } => None,
    });
    // Workers have separate times if the step has none. Of equal limits, the requested time wins.
    limits
        .min_by_key(|(time, ending)| (*time, *ending != Ending::Time))
        .map_or(Ending::Time, |(_, ending)| ending)
}
