//! Runs the steps of a procedure on a stage and feeds the results back, until the procedure is done.

use record::{Event, StepRecord, Watcher};
use workload::{Ending, Nanos, StepPlan};

use crate::check::Step;

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
    /// [`Ending::Failed`].
    fn run(&mut self, plan: &StepPlan, audience: &mut dyn Audience) -> Result<StepRecord, StageError>;
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

/// Runs the steps that `next` gives, each knowing all before it, and returns their records.
///
/// # Errors
/// The first [`StageError`]; what ran before it has been told to `audience`.
pub fn conduct(
    next: &dyn Fn(&[StepRecord]) -> Option<Step>,
    stage: &mut dyn Stage,
    audience: &mut dyn Audience,
) -> Result<Vec<StepRecord>, StageError> {
    let mut done = Vec::new();
    while let Some(step) = next(&done) {
        let plan = stage.plan(&step)?;
        audience.step_started(&plan, stage.now());
        let record = stage.run(&plan, audience)?;
        audience.step_ended(&record);
        let stopped = record.ending == Ending::Interrupted;
        done.push(record);
        if stopped {
            break;
        }
    }
    Ok(done)
}
