//! Whether enough I/Os of a step were late to end it.

use record::Interval;
use workload::{Nanos, StepPlan, StopRule};

/// Applies [`StopRule::Late`] to final intervals.
#[derive(Clone, Debug)]
pub(crate) struct Lateness {
    /// Per rule: the bound, how many I/Os may exceed it, and how many have; empty if the plan has no such rule.
    rules: Vec<(Nanos, u64, f64)>,
}

impl Lateness {
    pub(crate) fn new(plan: &StepPlan) -> Lateness {
        let late = |rule: &StopRule| match *rule {
            StopRule::Late { than, ios } => Some((than, ios, 0.0)),
            _ => None,
        };
        Lateness { rules: plan.stop.iter().filter_map(late).collect() }
    }

    /// Takes in the next interval, one entry per job; true once more I/Os were late than allowed.
    pub(crate) fn is_passed(&mut self, row: &[Interval]) -> bool {
        let counted = || row.iter().filter(|interval| interval.counted);
        let late = |than: Nanos| -> f64 {
            let parts = counted().flat_map(|interval| &interval.directions);
            let beyond = |latency: &record::Distribution| {
                latency.share_within(than.0).map_or(0.0, |share| (1.0 - share) * latency.count() as f64)
            };
            parts.map(|part| beyond(&part.latency)).sum()
        };
        self.rules.iter_mut().fold(false, |passed, (than, most, seen)| {
            *seen += late(*than);
            passed || *seen > *most as f64
        })
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use record::Distribution;
    use workload::Direction;

    use super::*;
    use crate::planner::idle_plan;

    #[test]
    fn a_step_is_over_once_more_were_late_than_may_be_and_its_ramp_does_not_count() {
        let late = StopRule::Late { than: Nanos::from_millis(1), ios: 5 };
        let plan = StepPlan { stop: vec![late], ..idle_plan("open", Nanos::SECOND, Nanos::SECOND) };
        let mut lateness = Lateness::new(&plan);
        let mut interval = Interval::empty(0, Nanos::ZERO, Nanos::SECOND);
        let three_late = Distribution::counted(&[(500_000, 90), (2_000_000, 3)], 500_000, 2_000_000);
        interval.directions[Direction::Read.index()].latency = three_late;
        let ramp = Interval { counted: false, ..interval.clone() };
        assert!(!lateness.is_passed(&[ramp]));
        assert!(!lateness.is_passed(from_ref(&interval)));
        assert!(lateness.is_passed(from_ref(&interval)));
    }
}
