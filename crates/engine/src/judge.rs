//! Whether the rate of a step is known well enough to end it.

use record::Interval;
use statistics::sequential::{Monitor, Rule};
use workload::{Ending, Nanos, StepPlan, StopRule};

use crate::rules::Rules;

/// Applies [`StopRule::Certain`] to final intervals.
#[derive(Clone, Debug)]
pub(crate) struct Judge {
    /// With the least time past the ramp; `None` where the plan does not ask for certainty.
    monitor: Option<(Monitor, Nanos)>,
}

impl Judge {
    pub(crate) fn new(plan: &StepPlan) -> Judge {
        let seconds = Rules::of(plan).interval.as_secs_f64();
        let monitor = plan.stop.iter().find_map(|rule| match *rule {
            // A rate is a count divided by the interval, so it moves in steps of one by the interval.
            StopRule::Certain { half_width, least, .. } => {
                Some((Monitor::new(Rule { resolution: 1.0 / seconds, ..Rule::within(half_width) }), least))
            }
            _ => None,
        });
        Judge { monitor }
    }

    /// Takes in the next interval, one entry a job; true once the rate is known well enough and steady.
    pub(crate) fn is_certain(&mut self, row: &[Interval], counted_from: Nanos) -> bool {
        let (Some((monitor, least)), Some(first)) = (&mut self.monitor, row.first()) else { return false };
        if !first.counted {
            return false;
        }
        let look = monitor.push(row.iter().map(Interval::iops).sum());
        look.decided && first.end.since(counted_from) >= *least
    }
}

/// What a step whose time is over ended by: the time that was asked for, or the limit of a search for certainty.
pub(crate) fn ending_by_time(plan: &StepPlan) -> Ending {
    let limit = Rules::of(plan).time;
    let asked = plan.stop.iter().any(|rule| matches!(rule, StopRule::Time(time) if Some(*time) == limit));
    if asked { Ending::Time } else { Ending::Uncertain }
}
