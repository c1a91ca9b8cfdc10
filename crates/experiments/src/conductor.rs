//! Runs the steps of a procedure on a stage and feeds the results back, until the procedure is done.

use std::time::Duration;

use kernel::Clock;
use record::{Event, Phase, StepRecord, Watcher};
use workload::{Nanos, StepPlan};

use crate::check::Step;
use crate::idle::Use;

/// How often a rest asks its audience whether to go on.
const REST_SLICE: Duration = Duration::from_millis(50);

/// Where steps run: this machine's devices, or virtual time.
pub trait Stage {
    /// Time on the run's clock.
    fn now(&self) -> Nanos;

    /// Resolves what `step` left open; opens nothing.
    ///
    /// # Errors
    /// [`StageError`] where parts of the step contradict each other or the target.
    fn plan(&self, step: &Step) -> Result<StepPlan, StageError>;

    /// Runs a planned step to its end.
    ///
    /// # Errors
    /// [`StageError`] where it could not be run; an I/O that failed is no error but the record's
    /// [`Ending::Failed`](workload::Ending::Failed).
    fn run(&mut self, plan: &StepPlan, audience: &mut dyn Audience) -> Result<StepRecord, StageError>;

    /// By which means I/O is done, and why, in words.
    fn backend(&self) -> &str;

    /// Makes ready what the stage's own files need before they are loaded; where that is a step of its own, nothing.
    ///
    /// # Errors
    /// [`StageError`] where a file cannot be made as long as it must be.
    fn prepare(&mut self) -> Result<(), StageError> {
        Ok(())
    }

    /// Watches the target for a second without any load of ours: who else uses it? `None` where that cannot be seen.
    fn watch_idle(&mut self, _interrupted: &dyn Fn() -> bool) -> Option<Use> {
        None
    }

    /// The clock of the run, for whoever looks at it from another thread; `None` in virtual time.
    fn clock(&self) -> Option<Clock> {
        None
    }

    /// Lets time pass until `until` without any load of ours; returns early where `audience` wants to stop.
    fn rest(&mut self, until: Nanos, audience: &mut dyn Audience) {
        while !audience.interrupted() && self.now() < until {
            std::thread::sleep(REST_SLICE.min(Duration::from_nanos(until.since(self.now()).0)));
        }
    }

    /// What the file system and the page cache say of the region now.
    fn shares(&self) -> Shares {
        Shares::default()
    }
}

/// Shares (0 to 1) of the measured region; `None` where nobody can say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shares {
    /// Holds no data: holes and unwritten extents.
    pub unwritten: Option<f64>,
    /// Lies in the page cache although it was read past it.
    pub cached: Option<f64>,
}

/// Whoever stores, shows or decides while a run goes on.
pub trait Audience: Watcher {
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

/// Why a step could not be run.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// Wrong usage: what was asked does not fit the target.
    #[error("{0}")]
    Refused(String),
    /// The machine did not do what it should.
    #[error("{0}")]
    Failed(String),
}

/// Runs the steps that `next` gives, each knowing all before it. Returns the records of what ran, and why it could not go
/// on where it could not.
pub fn conduct(
    next: &dyn Fn(&[StepRecord]) -> Option<Step>,
    stage: &mut dyn Stage,
    audience: &mut dyn Audience,
) -> (Vec<StepRecord>, Option<StageError>) {
    let mut done = Vec::new();
    while let Some(step) = next(&done) {
        match run_one(&step, stage, audience) {
            Ok(record) => done.push(record),
            Err(error) => return (done, Some(error)),
        }
    }
    (done, None)
}

/// Plans `step`, runs it and tells of its start and its end.
pub(crate) fn run_one(
    step: &Step,
    stage: &mut dyn Stage,
    audience: &mut dyn Audience,
) -> Result<StepRecord, StageError> {
    let plan = stage.plan(step)?;
    audience.step_started(&plan, stage.now());
    let record = stage.run(&plan, audience)?;
    audience.step_ended(&record);
    Ok(record)
}
