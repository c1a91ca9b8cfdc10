//! Procedures, which decide the steps of a run from the records of earlier ones, and the one loop that runs the steps.

use experiments::Step;
use record::{Observer, StepRecord};
use workload::StepPlan;

use crate::runner::{Runner, RunnerError, play};
use crate::start_at;

/// Decides the steps of a run, and receives their records.
pub trait Procedure<R: Runner + ?Sized> {
    /// Why a step could not be run, in the caller's terms.
    type Error: From<RunnerError>;

    /// Lays out the data for the next step and returns the step; `None` ends the run.
    ///
    /// # Errors
    /// Whatever ends the run.
    fn next(&mut self, runner: &mut R) -> Result<Option<Step>, Self::Error>;

    /// Returns a smaller step to run in place of `step`, which could not be run, or none.
    ///
    /// # Errors
    /// Whatever ends the run: by default, the same error.
    fn instead(
        &mut self,
        _step: Step,
        error: Self::Error,
        _runner: &mut R,
    ) -> Result<Option<Step>, Self::Error> {
        Err(error)
    }

    /// Called when the files for `plan` are open, before any load.
    ///
    /// # Errors
    /// Whatever keeps the step from running.
    fn ready(&mut self, _plan: &StepPlan, _runner: &mut R) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Returns the observer of running steps.
    fn observer(&mut self) -> &mut dyn Observer;

    /// Called when a step has ended, with its files still open.
    ///
    /// # Errors
    /// Whatever ends the run.
    fn ended(&mut self, record: StepRecord, runner: &mut R) -> Result<(), Self::Error>;
}

/// Runs the steps of `procedure`, one after the other.
///
/// # Errors
/// The error for which the procedure gives up.
pub fn run_steps<R, P>(procedure: &mut P, runner: &mut R) -> Result<(), P::Error>
where
    R: Runner + ?Sized,
    P: Procedure<R>,
{
    while let Some(step) = procedure.next(runner)? {
        let mut rest = Some(step);
        while let Some(step) = rest {
            rest = match run_step(&step, procedure, runner) {
                Ok(record) => procedure.ended(record, runner).map(|()| None)?,
                Err(error) => procedure.instead(step, error, runner)?,
            };
        }
        runner.close();
    }
    Ok(())
}

fn run_step<R, P>(step: &Step, procedure: &mut P, runner: &mut R) -> Result<StepRecord, P::Error>
where
    R: Runner + ?Sized,
    P: Procedure<R>,
{
    let plan = runner.plan(step)?;
    runner.open(&plan)?;
    procedure.ready(&plan, runner)?;
    start_at::wait_for(&plan, runner.now(), procedure.observer());
    Ok(play(&plan, runner, procedure.observer())?)
}

/// Steps that follow from the records of earlier ones.
pub(crate) struct DecidedSteps<'a> {
    /// Rule that decides the next step.
    pub next: &'a dyn Fn(&[StepRecord]) -> Option<Step>,
    /// Records of the steps that ran.
    pub done: Vec<StepRecord>,
    /// Observer of running steps.
    pub observer: &'a mut dyn Observer,
}

impl<R: Runner + ?Sized> Procedure<R> for DecidedSteps<'_> {
    type Error = RunnerError;

    fn next(&mut self, _runner: &mut R) -> Result<Option<Step>, RunnerError> {
        Ok((self.next)(&self.done))
    }

    fn observer(&mut self) -> &mut dyn Observer {
        self.observer
    }

    fn ended(&mut self, record: StepRecord, _runner: &mut R) -> Result<(), RunnerError> {
        self.done.push(record);
        Ok(())
    }
}
