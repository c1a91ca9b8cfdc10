//! One step as it happened.

use serde::{Deserialize, Serialize};
use workload::{Direction, Ending, Nanos, StepPlan};

use crate::{Distribution, Interval, IoTrace, Note, Tally};

/// One step as it happened: its plan, its intervals and its totals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// What was planned.
    pub plan: StepPlan,
    /// Start on the run's clock.
    pub started: Nanos,
    /// When counting began, for the first of its workers: `started` plus the ramp, where none has a start of its own.
    pub counted_from: Nanos,
    /// When the last I/O was done.
    pub ended: Nanos,
    /// Why it ended.
    pub ending: Ending,
    /// Names of its jobs; [`Interval::job`] and [`WorkerTotals::job`] point here.
    pub jobs: Vec<String>,
    /// In time order, one a job and interval from the job's start to its end, ramp included; an interval in which
    /// counting begins or ends stands there in parts.
    pub intervals: Vec<Interval>,
    /// One a worker, ramp left out.
    pub workers: Vec<WorkerTotals>,
    /// The first failures, at most 16.
    pub failures: Vec<IoFailure>,
    /// What the engine has to say: features used, I/O that it left behind, data that was wrong.
    pub notes: Vec<Note>,
}

/// Totals of one worker past the ramp.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerTotals {
    /// Index into the step's jobs.
    pub job: u16,
    /// Start of its counting on the run's clock.
    pub started: Nanos,
    /// End of its counting: when its last I/O was done, or its time was over where it went on after that.
    pub ended: Nanos,
    /// By [`Direction::index`].
    pub directions: [DirectionTotals; 4],
    /// User CPU of the worker's thread in nanoseconds, zero where unknown (simulated).
    pub user_cpu_ns: u64,
    /// System CPU of the worker's thread in nanoseconds.
    pub system_cpu_ns: u64,
    /// Time the worker's thread was ready to run but had no CPU (second figure of its `schedstat`), nanoseconds.
    pub run_delay_ns: u64,
    /// Context switches, voluntary and not.
    pub context_switches: u64,
    /// Major page faults.
    pub major_faults: u64,
    /// Minor page faults.
    pub minor_faults: u64,
    /// I/Os issued, by the number in flight once their batch was handed over (itself included): 1, 2-3, 4-7, 8-15, 16-31, 32-63, 64 and more.
    pub depth_counts: [u64; 7],
    /// Submission calls, by I/Os handed over in one: 0, 1-4, 5-8, 9-16, 17-32, 33-64, more.
    pub submit_counts: [u64; 7],
    /// Reaps, by I/Os that came back in one: as `submit_counts`.
    pub complete_counts: [u64; 7],
    /// Submissions later than due by more than 1 ms.
    pub late: u64,
    /// The longest that an issue came after its due time, nanoseconds.
    pub late_ns_max: u64,
    /// Why it ended; `None` where that is not known.
    #[serde(default)]
    pub ending: Option<Ending>,
    /// I/Os of a pace that were due before the end but not issued, because the queue was full.
    #[serde(default)]
    pub unissued: u64,
    /// I/Os that the watcher was not told of although the worker is traced, because it took too long.
    #[serde(default)]
    pub untraced: u64,
    /// The first error, positive errno, also of those that were passed over.
    #[serde(default)]
    pub first_errno: Option<i32>,
    /// What it read back when all was written; `None` where it did not. A run file does not keep it.
    #[serde(default)]
    pub read_back: Option<ReadBackTotals>,
    /// By index of the worker's files, then by [`Direction::index`]; empty where the plan does not ask for it.
    #[serde(default)]
    pub files: Vec<[DirectionTotals; 4]>,
    /// Each I/O, in the order in which they came back, ramp included; empty where the plan does not ask for it.
    #[serde(default)]
    pub ios: Vec<IoTrace>,
}

/// What a worker read back when all was written, which is in no other of its totals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBackTotals {
    /// From the end of the last write to that of the last read.
    pub lasted: Nanos,
    /// The reads.
    pub reads: DirectionTotals,
}

/// Totals of one direction of a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectionTotals {
    /// Sums; latency is due→done.
    pub tally: Tally,
    /// Due→done.
    pub latency: Distribution,
    /// Issued→done.
    pub service: Distribution,
    /// Due or picked→issued, where submission is a step of its own; empty elsewhere.
    pub submission: Distribution,
}

/// An I/O that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoFailure {
    /// When on the run's clock.
    pub at: Nanos,
    /// Which way.
    pub direction: Direction,
    /// The file.
    pub path: String,
    /// Byte offset.
    pub offset: u64,
    /// Length in bytes.
    pub bytes: u32,
    /// The errno.
    pub errno: i32,
}

impl StepRecord {
    /// Intervals past the ramp, merged over jobs, in time order.
    pub fn counted(&self) -> Vec<Interval> {
        let mut merged: Vec<Interval> = Vec::new();
        for interval in self.intervals.iter().filter(|interval| interval.counted) {
            match merged.last_mut() {
                // Jobs that do not begin or end together share an interval only in part.
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

    /// Intervals in which the queue was kept as it should be, ramp included: all but a last, short one in which it runs
    /// empty. Of a step that has nothing else, that one.
    pub fn full(&self) -> impl Iterator<Item = &Interval> {
        let last = self.intervals.last().map(|interval| interval.start);
        let first = self.intervals.first().map(|interval| interval.start);
        let least = self.plan.interval / 2;
        self.intervals.iter().filter(move |interval| {
            let short = interval.end.since(interval.start) < least;
            !(short && Some(interval.start) == last && last != first)
        })
    }

    /// Seconds that were counted.
    pub fn seconds(&self) -> f64 {
        self.ended.since(self.counted_from).as_secs_f64()
    }

    /// Sums of `direction` over all workers.
    pub fn tally(&self, direction: Direction) -> Tally {
        let mut sum = Tally::default();
        self.workers.iter().for_each(|worker| sum.merge(&worker.directions[direction.index()].tally));
        sum
    }

    /// Due→done of `direction` over all workers.
    pub fn latency(&self, direction: Direction) -> Distribution {
        let mut merged = Distribution::default();
        self.workers.iter().for_each(|worker| merged.merge(&worker.directions[direction.index()].latency));
        merged
    }
}
