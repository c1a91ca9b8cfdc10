//! What decides the steps of a run and hears how each went, and the one loop that runs them.

use experiments::Step;
use record::{Observer, StepRecord};
use workload::StepPlan;

use crate::runner::{Runner, RunnerError, play};

/// Decides what runs on a runner, and is told how it went.
pub trait Procedure<R: Runner + ?Sized> {
    /// Why a step could not be run, in the words of whoever asked.
    type Error: From<RunnerError>;

    /// The next step, for which everything is laid out; `None` ends the run.
    ///
    /// # Errors
    /// What ends the run.
    fn next(&mut self, runner: &mut R) -> Result<Option<Step>, Self::Error>;

    /// What runs in the place of `step`, which could not be run: a smaller one, or nothing.
    ///
    /// # Errors
    /// What ends the run: by default, the same error.
    fn instead(
        &mut self,
        _step: Step,
        error: Self::Error,
        _runner: &mut R,
    ) -> Result<Option<Step>, Self::Error> {
        Err(error)
    }

    /// Everything is open for `plan`, and nothing has run yet.
    ///
    /// # Errors
    /// What keeps the step from running.
    fn ready(&mut self, _plan: &StepPlan, _runner: &mut R) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Whoever is told while a step goes on.
    fn observer(&mut self) -> &mut dyn Observer;

    /// A step has ended, with its files still open.
    ///
    /// # Errors
    /// What ends the run.
    fn ended(&mut self, record: StepRecord, runner: &mut R) -> Result<(), Self::Error>;
}

/// Runs the steps of `procedure`, one after the other.
///
/// # Errors
/// What the procedure gives up for.
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
    Ok(play(&plan, runner, procedure.observer())?)
}

/// Steps that follow from the records of those before.
pub(crate) struct Decided<'a> {
    /// The rule.
    pub next: &'a dyn Fn(&[StepRecord]) -> Option<Step>,
    /// What ran.
    pub done: Vec<StepRecord>,
    /// Whoever is told.
    pub observer: &'a mut dyn Observer,
}

impl<R: Runner + ?Sized> Procedure<R> for Decided<'_> {
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
