//! Reports from a running step: an observer is called at interval edges, and with batches of single I/Os if a job
//! asks for them.

use std::fmt;

use serde::{Deserialize, Serialize};
use workload::{Direction, Nanos, StepPlan, TracedIo};

use crate::{Event, Interval, Phase, Sample, StepRecord, WorkerTotals};

/// One completed or failed I/O of a traced worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoTrace {
    /// Due time; in a closed loop, the time at which the I/O was picked.
    pub due: Nanos,
    /// Time of submission.
    pub issued: Nanos,
    /// Time of completion.
    pub done: Nanos,
    /// Byte offset in the I/O's file.
    pub offset: u64,
    /// Bytes moved; for a failed I/O, the bytes requested.
    pub bytes: u32,
    /// Index into the worker's files.
    pub file: u32,
    /// Positive errno if the I/O failed, 0 if it succeeded.
    pub errno: i32,
    /// Read, write, trim or flush.
    pub direction: Direction,
    /// Whether the totals include the I/O: false in the ramp.
    pub counted: bool,
}

/// Longest time for which I/O may stay unanswered before a step is given up, unless the user sets another. The
/// kernel's own drivers give a disk 30 s before they reset it and retry.
pub const PATIENCE: Nanos = Nanos::from_secs(60);

/// I/O in flight of a worker for which no completion has arrived for a long time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Silence {
    /// Stage of the silence.
    pub stage: SilenceStage,
    /// Time of the report, on the run's clock.
    pub at: Nanos,
    /// Length of the silence at that time.
    pub lasted: Nanos,
    /// Target of the I/O that has been in flight longest.
    pub path: String,
    /// Direction of that I/O.
    pub direction: Direction,
    /// Byte offset of that I/O.
    pub offset: u64,
    /// Length of that I/O in bytes.
    pub bytes: u32,
    /// Number of other I/Os in flight.
    pub others: usize,
    /// Length of a silence after which the step is given up.
    pub patience: Nanos,
}

/// Stage of a [`Silence`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SilenceStage {
    /// The silence has been noticed and continues.
    Noticed,
    /// The silence is over: a completion has arrived.
    Over,
    /// The silence has lasted so long that the step was given up.
    GivenUp,
    /// The silence continued when the run was asked to stop.
    Left,
}

impl Silence {
    /// Describes the I/O in flight: `a read of 4096 bytes at byte 0 and 3 more`.
    fn held(&self) -> String {
        let one = format!("a {} of {} bytes at byte {}", self.direction.name(), self.bytes, self.offset);
        if self.others > 0 { format!("{one} and {} more", self.others) } else { one }
    }
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Silence { path, lasted, patience, .. } = self;
        let (since, held) = (Nanos(self.at.since(*lasted).0), self.held());
        match self.stage {
            SilenceStage::Noticed => write!(
                f,
                "{path} does not answer: {held} in flight, and nothing has come back for {lasted}, since {since} of the run; \
                 it is waited for until {patience} are over (--give-up)"
            ),
            SilenceStage::Over => write!(
                f,
                "{path} answers again: with {held} in flight nothing had come back for {lasted}, since {since} of the run"
            ),
            SilenceStage::Left => {
                write!(
                    f,
                    "stopped with {held} of {path} in flight, of which nothing has come back for {lasted}"
                )
            }
            SilenceStage::GivenUp => write!(
                f,
                "{path} is given up: with {held} in flight nothing has come back for {lasted}, since {since} of the run; look \
                 at the kernel's log (dmesg) for the device below it, or wait longer with --give-up"
            ),
        }
    }
}

/// Receives all records that become final while a run is in progress, to store them, show them or decide by them.
pub trait Observer {
    /// Receives a final interval of one job: every worker has passed its end.
    fn interval(&mut self, interval: &Interval);

    /// Receives finished I/Os of worker `worker` (its index in the plan), in the order of completion. Called
    /// several times a second, and at the latest when the step ends; only for traced workers.
    fn traced(&mut self, _worker: usize, _ios: &[IoTrace]) {}

    /// Receives I/Os of worker `worker` (its index in the plan) with their issue times on the run's clock, in the
    /// order of issue. Called as often as `traced`; only for workers whose plan asks for a trace of issues.
    fn issued(&mut self, _worker: usize, _ios: &[TracedIo]) {}

    /// Offers the totals so far of all workers, after the intervals that have just become final.
    fn so_far(&mut self, _totals: &dyn Fn() -> Vec<WorkerTotals>) {}

    /// Drops all records of job `job` (its index in the record) from before `at`, because its search has ended.
    /// Called before the first interval after `at`.
    fn restarted(&mut self, _job: u16, _at: Nanos) {}

    /// Receives a reading of the machine's counters.
    fn sample(&mut self, _sample: &Sample) {}

    /// Receives a report on a device that does not answer, answers again, or is given up; giving up ends the step
    /// like a request to stop.
    fn silence(&mut self, _silence: &Silence) {}

    /// Returns the longest silence before the step is given up.
    fn patience(&self) -> Nanos {
        PATIENCE
    }

    /// Whether to end the step at once; called several times a second.
    fn interrupted(&self) -> bool {
        false
    }

    /// Called when a step begins.
    fn step_started(&mut self, _plan: &StepPlan, _at: Nanos) {}

    /// Called when a step has ended.
    fn step_ended(&mut self, _record: &StepRecord) {}

    /// Called when a phase of a watch begins; `Phase::to` is its planned end.
    fn phase_started(&mut self, _phase: &Phase) {}

    /// Called when a phase of a watch has ended.
    fn phase_ended(&mut self, _phase: &Phase) {}

    /// Called when an event has happened beside the load.
    fn event(&mut self, _event: &Event) {}
}
