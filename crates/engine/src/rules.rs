//! Times and amounts of a step and of each of its workers, as a worker and its recorder need them.

use workload::{Nanos, StepPlan, StopRule, WorkerPlan};

/// A plan's times and amounts for one worker.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rules {
    /// Time from the event that starts the worker to its first I/O.
    pub delay: Nanos,
    /// Time after the worker's start that is run but not counted; `None`: until the step begins to count.
    pub ramp: Option<Nanos>,
    /// Time limit of the worker, from the end of its ramp; `None` if only an amount or the step ends it.
    pub time: Option<Nanos>,
    /// Time after the step's start at which everything is over; `None` if the step itself has no such end.
    pub latest: Option<Nanos>,
    /// Time after the worker's deadline that is run but not counted.
    pub cool: Nanos,
    /// I/Os that the worker issues after the ramp.
    pub ops_each: Option<u64>,
    /// Bytes that the worker issues after the ramp.
    pub bytes_each: Option<u64>,
    /// Bytes that the worker issues, ramp included.
    pub bytes_in_all: Option<u64>,
    /// Greatest number of bytes that the worker writes, ramp included.
    pub written_each: Option<u64>,
}

impl Rules {
    /// The rules of `worker` in `plan`.
    pub fn of(plan: &StepPlan, worker: &WorkerPlan) -> Rules {
        let terms = &worker.terms;
        let all = || plan.stop.iter().chain(&terms.stop);
        let ops = |rule: &StopRule| if let StopRule::OpsEach(ops) = *rule { Some(ops) } else { None };
        let bytes =
            |rule: &StopRule| if let StopRule::BytesEach(bytes) = *rule { Some(bytes.0) } else { None };
        let in_all =
            |rule: &StopRule| if let StopRule::BytesInAll(bytes) = *rule { Some(bytes.0) } else { None };
        let written =
            |rule: &StopRule| if let StopRule::WrittenEach(bytes) = *rule { Some(bytes.0) } else { None };
        Rules {
            delay: terms.delay,
            ramp: terms.ramp,
            time: terms.stop.iter().filter_map(time_of).min(),
            latest: latest(plan),
            cool: terms.cool,
            ops_each: all().filter_map(ops).min(),
            bytes_each: all().filter_map(bytes).min(),
            bytes_in_all: all().filter_map(in_all).min(),
            written_each: all().filter_map(written).min(),
        }
    }

    /// The latest time at which issuing ends, if the step of `timetable` has an end by time.
    fn latest(&self, timetable: &Timetable) -> Nanos {
        self.latest.map_or(Nanos::MAX, |time| timetable.start + time)
    }

    /// The schedule of a worker that may begin at `from`.
    pub fn schedule(&self, timetable: &Timetable, from: Nanos) -> Schedule {
        // fio counts a delay from the start of all jobs (3.33): one that is over when the awaited jobs end adds nothing.
        let start = from.max(timetable.start + self.delay);
        let counted_from = self.ramp.map_or(start.max(timetable.counted_from), |ramp| start + ramp);
        let own = self.time.map_or(Nanos::MAX, |time| counted_from + time);
        let deadline = own.min(self.latest(timetable));
        let over = if deadline == Nanos::MAX { deadline } else { deadline + self.cool };
        assert!(start <= counted_from && deadline <= over, "the times of a worker are out of order");
        Schedule { start, counted_from, deadline, over }
    }

    /// The schedule of a worker that has not been told to begin yet.
    pub fn unscheduled(&self, timetable: &Timetable) -> Schedule {
        let deadline = self.latest(timetable);
        Schedule { start: Nanos::MAX, counted_from: Nanos::MAX, deadline, over: deadline }
    }
}

fn time_of(rule: &StopRule) -> Option<Nanos> {
    match *rule {
        StopRule::Time(time) => Some(time),
        StopRule::Certain { most, .. } | StopRule::Fallen { most, .. } => Some(most),
        StopRule::BytesEach(_)
        | StopRule::BytesInAll(_)
        | StopRule::OpsEach(_)
        | StopRule::WrittenEach(_)
        | StopRule::Late { .. } => None,
    }
}

/// Time after the start of `plan` at which everything is over by the step's own rules.
pub(crate) fn latest(plan: &StepPlan) -> Option<Nanos> {
    plan.stop.iter().filter_map(time_of).min().map(|time| plan.ramp + time)
}

/// The times that bound a worker's issuing and counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Start of the worker's issuing; [`Nanos::MAX`] until it is known.
    pub start: Nanos,
    /// Time from which completions count; not before `start`.
    pub counted_from: Nanos,
    /// Time until which completions count if `over` is later; [`Nanos::MAX`] if only an amount ends the worker.
    pub deadline: Nanos,
    /// End of the worker's issuing.
    pub over: Nanos,
}

/// The intervals of a step: numbered from 0 and equally long, except that the last one of the ramp is cut where
/// counting begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timetable {
    /// Start of the step.
    pub start: Nanos,
    /// Start of counting for all workers without a separate ramp; an interval begins at this time.
    pub counted_from: Nanos,
    interval: Nanos,
    ramp_intervals: u64,
}

impl Timetable {
    /// The times of `plan` when it starts at `start`.
    pub fn of(plan: &StepPlan, start: Nanos) -> Timetable {
        // An interval of zero would never end.
        let interval = plan.interval.max(Nanos(1));
        let ramp_intervals = plan.ramp.0.div_ceil(interval.0);
        let timetable = Timetable { start, counted_from: start + plan.ramp, interval, ramp_intervals };
        assert!(
            timetable.start_of(ramp_intervals) == timetable.counted_from,
            "no interval begins where counting does"
        );
        timetable
    }

    /// Number of the interval that contains `at`.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn timetable(start: u64, ramp: u64, interval: u64) -> Timetable {
        let plan = crate::idle_plan("idle", Nanos(1), Nanos(interval));
        Timetable::of(&StepPlan { ramp: Nanos(ramp), ..plan }, Nanos(start))
    }

    proptest! {
        #[test]
        fn every_time_lies_in_its_interval_and_the_ramp_ends_at_an_edge(
            start in 0u64..1 << 40, ramp in 0u64..5_000, interval in 1u64..700, after in 0u64..20_000,
        ) {
            let table = timetable(start, ramp, interval);
            let at = Nanos(start + after);
            let index = table.index_at(at);
            prop_assert!(table.start_of(index) <= at && at < table.end_of(index));
            prop_assert_eq!(table.start_of(index) >= table.counted_from, after >= ramp);
            prop_assert!(table.end_of(index).since(table.start_of(index)) <= Nanos(interval));
        }
    }

    const OWN: Rules = Rules {
        delay: Nanos(30),
        ramp: Some(Nanos(7)),
        time: Some(Nanos(100)),
        latest: None,
        cool: Nanos(5),
        ops_each: None,
        bytes_each: None,
        bytes_in_all: None,
        written_each: None,
    };

    #[test]
    fn a_workers_time_counts_from_its_own_start_past_its_own_ramp() {
        let table = timetable(1_000, 50, 10);
        let schedule = OWN.schedule(&table, table.start);
        assert_eq!((schedule.start, schedule.counted_from), (Nanos(1_030), Nanos(1_037)));
        assert_eq!((schedule.deadline, schedule.over), (Nanos(1_137), Nanos(1_142)));
        let with_step = Rules { ramp: None, ..OWN }.schedule(&table, table.start);
        assert_eq!(with_step.counted_from, Nanos(1_050), "the step's ramp goes on");
        let late = Rules { ramp: None, delay: Nanos(60), ..OWN }.schedule(&table, table.start);
        assert_eq!(late.counted_from, Nanos(1_060), "the step's ramp is over");
    }

    #[test]
    fn the_step_may_end_it_earlier() {
        let table = timetable(1_000, 50, 10);
        let schedule = Rules { latest: Some(Nanos(120)), ..OWN }.schedule(&table, table.start);
        assert_eq!((schedule.deadline, schedule.over), (Nanos(1_120), Nanos(1_125)));
        let unscheduled = Rules { latest: Some(Nanos(120)), ..OWN }.unscheduled(&table);
        assert_eq!((unscheduled.start, unscheduled.over), (Nanos::MAX, Nanos(1_120)));
        let endless = Rules { time: None, ..OWN }.schedule(&table, table.start);
        assert_eq!(endless.over, Nanos::MAX);
    }
}
