//! Runs the steps of a procedure on a stage and feeds the results back, until the procedure is done.

use record::{Event, StepRecord, Watcher};
use workload::{Nanos, StepPlan};

use crate::check::Step;
use crate::idle::Use;

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

    /// Watches the target for a second without any load of ours: who else uses it? `None` where that cannot be seen.
    fn watch_idle(&mut self, _interrupted: &dyn Fn() -> bool) -> Option<Use> {
        None
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

fn run_one(
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
