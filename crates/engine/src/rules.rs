//! A step's ramp, interval and end as a worker and its recorder need them.

use workload::{Nanos, StepPlan, StopRule};

/// What a step's plan says of time and amount.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Time at the start that is run but not counted.
    pub ramp: Nanos,
    /// Length of an interval.
    pub interval: Nanos,
    /// Time past the ramp after which nothing more is issued; `None` where only an amount ends the step.
    pub time: Option<Nanos>,
    /// I/Os each worker issues past the ramp.
    pub ops_each: Option<u64>,
    /// Bytes each worker issues past the ramp.
    pub bytes_each: Option<u64>,
}

impl Rules {
    /// The rules of `plan`.
    pub fn of(plan: &StepPlan) -> Rules {
        let time = |rule: &StopRule| match *rule {
            StopRule::Time(time) => Some(time),
            StopRule::Certain { most, .. } => Some(most),
            StopRule::BytesEach(_) | StopRule::OpsEach(_) => None,
        };
        let ops = |rule: &StopRule| if let StopRule::OpsEach(ops) = *rule { Some(ops) } else { None };
        let bytes =
            |rule: &StopRule| if let StopRule::BytesEach(bytes) = *rule { Some(bytes.0) } else { None };
        Rules {
            ramp: plan.ramp,
            // An interval of zero would never end.
            interval: plan.interval.max(Nanos(1)),
            time: plan.stop.iter().filter_map(time).min(),
            ops_each: plan.stop.iter().filter_map(ops).min(),
            bytes_each: plan.stop.iter().filter_map(bytes).min(),
        }
    }

    /// The step's times when it starts at `start`.
    pub fn timetable(&self, start: Nanos) -> Timetable {
        let ramp_intervals = self.ramp.0.div_ceil(self.interval.0);
        Timetable { start, counted_from: start + self.ramp, interval: self.interval, ramp_intervals }
    }

    /// When issuing ends at the latest for a step that starts at `start`.
    pub fn deadline(&self, start: Nanos) -> Nanos {
        self.time.map_or(Nanos::MAX, |time| start + self.ramp + time)
    }
}

/// The intervals of a step: numbered from 0, equally long, but the last one of the ramp is cut where counting begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timetable {
    /// Start of the step.
    pub start: Nanos,
    /// Where counting begins; an interval begins there.
    pub counted_from: Nanos,
    interval: Nanos,
    ramp_intervals: u64,
}

impl Timetable {
    /// Number of the interval that holds `at`.
    pub fn index_at(&self, at: Nanos) -> u64 {
        if at < self.counted_from {
            at.since(self.start).0 / self.interval.0
        } else {
            self.ramp_intervals + at.since(self.counted_from).0 / self.interval.0
        }
    }

    /// Start of interval `index`.
    pub fn start_of(&self, index: u64) -> Nanos {
        if index < self.ramp_intervals {
            self.start + self.interval * index
        } else {
            self.counted_from + self.interval * (index - self.ramp_intervals)
        }
    }

    /// End of interval `index`, which is the start of the next.
    pub fn end_of(&self, index: u64) -> Nanos {
        self.start_of(index + 1)
    }

    /// Whether interval `index` lies past the ramp.
    pub fn is_counted(&self, index: u64) -> bool {
        index >= self.ramp_intervals
    }

    /// Length of a whole interval.
    pub fn interval(&self) -> Nanos {
        self.interval
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_time_lies_in_its_interval_and_the_ramp_ends_at_an_edge(
            start in 0u64..1 << 40, ramp in 0u64..5_000, interval in 1u64..700, after in 0u64..20_000,
        ) {
            let rules = Rules {
                ramp: Nanos(ramp), interval: Nanos(interval), time: None, ops_each: None, bytes_each: None,
            };
            let table = rules.timetable(Nanos(start));
            let at = Nanos(start + after);
            let index = table.index_at(at);
            prop_assert!(table.start_of(index) <= at && at < table.end_of(index));
            prop_assert_eq!(table.is_counted(index), after >= ramp);
            prop_assert!(table.end_of(index).since(table.start_of(index)) <= Nanos(interval));
        }
    }
}
