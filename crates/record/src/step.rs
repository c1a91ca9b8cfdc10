//! The record of a step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Direction, Ending, Nanos, StepPlan};

use crate::{Distribution, Interval, IoTrace, Note, Tally};

/// The record of a step: its plan, its intervals and its totals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Plan of the step.
    pub plan: StepPlan,
    /// Start on the run's clock.
    pub started: Nanos,
    /// Time at which the first worker began to count: `started` plus the ramp, unless a worker has a start of its
    /// own.
    pub counted_from: Nanos,
    /// Time at which the last I/O completed.
    pub ended: Nanos,
    /// Reason for the end.
    pub ending: Ending,
    /// Names of the jobs; [`Interval::job`] and [`WorkerTotals::job`] are indices into this list.
    pub jobs: Vec<String>,
    /// Intervals in time order, one per job and interval from the job's start to its end, ramp included; an
    /// interval in which counting begins or ends is split into parts.
    pub intervals: Vec<Interval>,
    /// Totals per worker, without the ramp.
    pub workers: Vec<WorkerTotals>,
    /// The first failures, at most 16.
    pub failures: Vec<IoFailure>,
    /// Notes of the engine: features used, I/O left with the kernel, wrong data.
    pub notes: Vec<Note>,
}

/// Totals of one worker after the ramp, or of the ramp alone if the worker finished within it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerTotals {
    /// Index into the step's jobs.
    pub job: u16,
    /// Time at which the worker began to count, on the run's clock.
    pub started: Nanos,
    /// End of counting: the completion of the worker's last I/O, or the end of its time if it continued after that.
    pub ended: Nanos,
    /// One entry per direction, indexed by [`Direction::index`].
    pub directions: [DirectionTotals; 4],
    /// User CPU time of the worker's thread in nanoseconds; zero if unknown (simulated).
    pub user_cpu_ns: u64,
    /// System CPU time of the worker's thread in nanoseconds.
    pub system_cpu_ns: u64,
    /// Time in nanoseconds for which the worker's thread was ready to run but had no CPU (second figure of its
    /// `schedstat`).
    pub run_delay_ns: u64,
    /// Context switches, voluntary and involuntary.
    pub context_switches: u64,
    /// Major page faults.
    pub major_faults: u64,
    /// Minor page faults.
    pub minor_faults: u64,
    /// I/Os issued, by the number in flight once their batch was submitted (themselves included): 1, 2-3, 4-7, 8-15,
    /// 16-31, 32-63, 64 and more.
    pub depth_counts: [u64; 7],
    /// Submission calls, by the number of I/Os submitted in one: 0, 1-4, 5-8, 9-16, 17-32, 33-64, more.
    pub submit_counts: [u64; 7],
    /// Reaps, by the number of I/Os completed in one, in the same classes as `submit_counts`.
    pub complete_counts: [u64; 7],
    /// Number of submissions more than 1 ms after they were due.
    pub late: u64,
    /// Greatest delay of a submission after its due time, in nanoseconds.
    pub late_ns_max: u64,
    /// Reason for the worker's end; `None` if unknown.
    #[serde(default)]
    pub ending: Option<Ending>,
    /// I/Os of a pace that were due before the end but not issued because the queue was full.
    #[serde(default)]
    pub unissued: u64,
    /// I/Os of a traced worker that the observer did not receive because it was too slow.
    #[serde(default)]
    pub untraced: u64,
    /// The first error as a positive errno, including ignored errors.
    #[serde(default)]
    pub first_errno: Option<i32>,
    /// Totals of reading back after all writes; `None` if the worker did not read back. Not stored in a run file.
    #[serde(default)]
    pub read_back: Option<ReadBackTotals>,
    /// Totals by index of the worker's files, then by [`Direction::index`]; empty unless the plan asks for them.
    #[serde(default)]
    pub files: Vec<[DirectionTotals; 4]>,
    /// Every I/O in the order of completion, ramp included; empty unless the plan asks for them.
    #[serde(default)]
    pub ios: Vec<IoTrace>,
}

/// Totals of a worker's reads after all writes, which are in none of its other totals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBackTotals {
    /// Time from the end of the last write to the end of the last read.
    pub lasted: Nanos,
    /// The reads.
    pub reads: DirectionTotals,
}

/// Totals of one direction of a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectionTotals {
    /// Sums; latency is from due to done.
    pub tally: Tally,
    /// Latency from due to done.
    pub latency: Distribution,
    /// Latency from issue to done.
    pub service: Distribution,
    /// Time from due (or picked) to issued, if submission is a separate phase; otherwise empty.
    pub submission: Distribution,
}

/// An I/O that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IoFailure {
    /// Time of the failure, on the run's clock.
    pub at: Nanos,
    /// Read, write, trim or flush.
    pub direction: Direction,
    /// Path of the file.
    pub path: String,
    /// Byte offset.
    pub offset: u64,
    /// Length in bytes.
    pub bytes: u32,
    /// The errno.
    pub errno: i32,
}

impl StepRecord {
    /// Returns the intervals after the ramp, merged over jobs, in time order.
    pub fn counted(&self) -> Vec<Interval> {
        let mut merged: Vec<Interval> = Vec::new();
        for interval in self.intervals.iter().filter(|interval| interval.counted) {
            match merged.last_mut() {
                // Intervals of jobs that begin or end at different times may overlap only in part.
                Some(last) if interval.start < last.end || interval.start == last.start => {
                    last.start = last.start.min(interval.start);
                    last.end = last.end.max(interval.end);
                    last.merge(interval);
                }
                _ => merged.push(Interval { job: 0, ..interval.clone() }),
            }
        }
        merged
    }

    /// Returns the intervals in which the queue was kept as planned, ramp included: all except a short last one in
    /// which the queue drains. If a step has only that one, it is returned.
    pub fn full(&self) -> impl Iterator<Item = &Interval> {
        let last = self.intervals.last().map(|interval| interval.start);
        let first = self.intervals.first().map(|interval| interval.start);
        let least = self.plan.interval / 2;
        self.intervals.iter().filter(move |interval| {
            let short = interval.end.since(interval.start) < least;
            !(short && Some(interval.start) == last && last != first)
        })
    }

    /// Returns the counted time in seconds.
    pub fn seconds(&self) -> f64 {
        self.ended.since(self.counted_from).as_secs_f64()
    }

    /// Returns the sums of `direction` over all workers.
    pub fn tally(&self, direction: Direction) -> Tally {
        let mut sum = Tally::default();
        self.workers.iter().for_each(|worker| sum.merge(&worker.directions[direction.index()].tally));
        sum
    }

    /// Returns the latency from due to done in `direction`, over all workers.
    pub fn latency(&self, direction: Direction) -> Distribution {
        let mut merged = Distribution::default();
        self.workers.iter().for_each(|worker| merged.merge(&worker.directions[direction.index()].latency));
        merged
    }
}
