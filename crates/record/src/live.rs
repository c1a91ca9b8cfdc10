//! How news leaves a running step: whoever stores, shows or decides is told at interval edges, and of single I/Os in
//! batches, only where a job asks for that.

use std::fmt;

use serde::{Deserialize, Serialize};
use workload::{Direction, Nanos, StepPlan, TracedIo};

use crate::{Event, Interval, Phase, Sample, StepRecord};

/// One I/O that is over, of a worker that is traced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoTrace {
    /// When it was due; in a closed loop when it was picked.
    pub due: Nanos,
    /// When it was handed over.
    pub issued: Nanos,
    /// When it was done.
    pub done: Nanos,
    /// Byte offset in its file.
    pub offset: u64,
    /// Bytes moved; of one that failed the bytes that were asked for.
    pub bytes: u32,
    /// Index into the worker's files.
    pub file: u32,
    /// Positive errno of one that failed, 0 of one that ended well.
    pub errno: i32,
    /// Which way.
    pub direction: Direction,
    /// Whether the totals count it: false in the ramp.
    pub counted: bool,
}

/// How long I/O may stay unanswered before a step is given up, unless somebody says otherwise. The kernel's own drivers
/// give a disk 30 s before they reset it, and try again.
pub const PATIENCE: Nanos = Nanos::from_secs(60);

/// Nothing of what a worker has in flight has come back for long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Silence {
    /// What is to be said of it.
    pub stage: SilenceStage,
    /// When that was so.
    pub at: Nanos,
    /// How long nothing had come back by then.
    pub lasted: Nanos,
    /// Where the I/O goes that has been in flight longest.
    pub path: String,
    /// Which way it goes.
    pub direction: Direction,
    /// Its byte offset.
    pub offset: u64,
    /// Its length in bytes.
    pub bytes: u32,
    /// How many more are in flight.
    pub others: usize,
    /// After how long the step is given up.
    pub patience: Nanos,
}

/// What is to be said of a [`Silence`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SilenceStage {
    /// It goes on.
    Noticed,
    /// Something has come back.
    Over,
    /// It has lasted so long that the step ends.
    GivenUp,
    /// It went on when somebody asked to stop.
    Left,
}

impl Silence {
    /// `a read of 4096 bytes at byte 0 and 3 more`.
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

/// Whoever stores, shows or decides while a run goes on: is told of everything that has become final.
pub trait Observer {
    /// An interval of one job is final: every worker has passed its end.
    fn interval(&mut self, interval: &Interval);

    /// I/Os of worker `worker` (its place in the plan) are over, in the order in which they came back. Told several times
    /// a second, and at the latest when the step ends; only of workers that are traced.
    fn traced(&mut self, _worker: usize, _ios: &[IoTrace]) {}

    /// I/Os of worker `worker` (its place in the plan) were issued, in that order and at these times of the run's clock. Told
    /// as often; only of workers of which that is asked.
    fn issued(&mut self, _worker: usize, _ios: &[TracedIo]) {}

    /// Nothing counts that job `job` (its place in the record) has done before `at`: what it looked for is found. Told before
    /// the first interval from there on.
    fn restarted(&mut self, _job: u16, _at: Nanos) {}

    /// The machine's counters were read.
    fn sample(&mut self, _sample: &Sample) {}

    /// A device does not answer, answers again, or is given up, which ends the step as a wish to stop does.
    fn silence(&mut self, _silence: &Silence) {}

    /// How long nothing may come back before the step is given up.
    fn patience(&self) -> Nanos {
        PATIENCE
    }

    /// Asked several times a second; true ends the step at once.
    fn interrupted(&self) -> bool {
        false
    }

    /// A step begins.
    fn step_started(&mut self, _plan: &StepPlan, _at: Nanos) {}

    /// A step has ended.
    fn step_ended(&mut self, _record: &StepRecord) {}

    /// A phase of a watch begins; it is planned to last until its end.
    fn phase_started(&mut self, _phase: &Phase) {}

    /// A phase of a watch has ended.
    fn phase_ended(&mut self, _phase: &Phase) {}

    /// Something happened beside the load.
    fn event(&mut self, _event: &Event) {}
}
