//! Runners, which execute steps on different kinds of targets, and the loop that runs the steps of a procedure and
//! feeds the results back.

mod counted;
pub(crate) mod drive;
mod named;
mod real;
mod virtual_time;

use std::time::Duration;

use engine::{Clones, EngineError, FileFacts, PlanError, PlanTarget, PlanTargetKind};
use experiments::Step;
use kernel::Clock;
use record::{Observer, StepRecord};
use sampler::Sampler;
use workload::{Nanos, StepPlan, StopRule, Workload};

pub use named::NamedRunner;
pub use real::{NullRunner, RealRunner, RealVolume};
pub use virtual_time::VirtualRunner;

use crate::idle::{Use, between};
use crate::opening::named::FileError;
use crate::procedure::{DecidedSteps, run_steps};

/// Length of one look of the idle gate, in slices between which it checks for a stop request.
const IDLE_LOOK: [Duration; 10] = [Duration::from_millis(100); 10];

/// Time between two checks during a rest whether the observer wants to stop.
const REST_SLICE: Duration = Duration::from_millis(50);

/// Executes steps on this machine's devices or in virtual time.
pub trait Runner {
    /// Time on the run's clock.
    fn now(&self) -> Nanos;

    /// Sets the run's clock to `at`, for a run that is continued; returns false if that is not possible.
    fn go_on_from(&mut self, _at: Nanos) -> bool {
        false
    }

    /// Resolves everything that `step` left unspecified; opens nothing.
    ///
    /// # Errors
    /// [`RunnerError`] if parts of the step contradict each other or the target.
    fn plan(&self, step: &Step) -> Result<StepPlan, RunnerError>;

    /// Opens the files that `plan` names, if they are opened for each step.
    ///
    /// # Errors
    /// [`RunnerError`] if a file cannot be opened.
    fn open(&mut self, _plan: &StepPlan) -> Result<(), RunnerError> {
        Ok(())
    }

    /// Closes the files that were opened for the step.
    fn close(&mut self) {}

    /// Runs a planned step, for which everything is open, to its end.
    ///
    /// # Errors
    /// [`RunnerError`] if it could not be run. An I/O that failed is no error; the record then has
    /// [`Ending::Failed`](workload::Ending::Failed).
    fn run(&mut self, plan: &StepPlan, observer: &mut dyn Observer) -> Result<StepRecord, RunnerError>;

    /// The backend used, and why, in words.
    fn backend(&self) -> &str;

    /// Prepares the runner's own files for a load; does nothing if a separate step prepares them.
    ///
    /// # Errors
    /// [`RunnerError`] if a file cannot be made as long as it must be.
    fn prepare(&mut self) -> Result<(), RunnerError> {
        Ok(())
    }

    /// Watches the target for a second without load, and returns its use by other programs; `None` if that cannot be
    /// measured.
    fn watch_idle(&mut self, _interrupted: &dyn Fn() -> bool) -> Option<Use> {
        None
    }

    /// The clock of the run, for use from another thread; `None` in virtual time.
    fn clock(&self) -> Option<Clock> {
        None
    }

    /// Waits until `until` without load; returns early if `observer` wants to stop.
    fn rest(&mut self, until: Nanos, observer: &mut dyn Observer) {
        while !observer.interrupted() && self.now() < until {
            std::thread::sleep(REST_SLICE.min(Duration::from_nanos(until.since(self.now()).0)));
        }
    }

    /// Shares of the region that are unwritten or cached now.
    fn shares(&self) -> Shares {
        Shares::default()
    }
}

/// Shares (0 to 1) of the measured region; `None` if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shares {
    /// Share without data: holes and unwritten extents.
    pub unwritten: Option<f64>,
    /// Share in the page cache, although reads bypass it.
    pub cached: Option<f64>,
}

/// Why a step could not be run.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// Wrong usage: the request does not fit the target.
    #[error("{0}")]
    Refused(String),
    /// Wrong usage: the workload contradicts itself or the target.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A file that a job names was not opened.
    #[error("{error}")]
    File {
        /// The job.
        job: String,
        /// Cause.
        #[source]
        error: FileError,
    },
    /// The engine failed during a step.
    #[error("step '{step}': {error}")]
    Engine {
        /// The step.
        step: String,
        /// Cause.
        #[source]
        error: EngineError,
    },
}

/// Returns the planner's facts about `files` of a target of this `kind`, with intervals of a second.
fn ground(kind: PlanTargetKind, files: Vec<FileFacts>) -> PlanTarget {
    PlanTarget { files, kind, cpus: kernel::available_cpus(), interval: Nanos::SECOND, clones: Clones::Apart }
}

/// Returns the plan of `step`, with `workload` in place of the step's own; a step without a job only waits.
fn planned(step: &Step, workload: &Workload, ground: &PlanTarget) -> Result<StepPlan, RunnerError> {
    let interval = step.interval.unwrap_or(ground.interval);
    if let (true, [StopRule::Time(time)]) = (workload.jobs.is_empty(), workload.stop.as_slice()) {
        return Ok(engine::idle_plan(&step.name, *time, interval));
    }
    Ok(engine::plan(workload, &step.name, step.kind, &PlanTarget { interval, ..ground.clone() })?)
}

/// Returns a conversion of the engine's error while running `plan`.
fn failed(plan: &StepPlan) -> impl Fn(EngineError) -> RunnerError {
    |error| RunnerError::Engine { step: plan.name.clone(), error }
}

/// Measures for a second how other programs use the devices of `sampler`.
fn look_for_others(sampler: &mut Sampler, clock: Clock, interrupted: &dyn Fn() -> bool) -> Option<Use> {
    let before = sampler.read(clock.now());
    for slice in IDLE_LOOK {
        if interrupted() {
            break;
        }
        std::thread::sleep(slice);
    }
    between(&before, &sampler.read(clock.now()))
}

/// Runs the steps that `next` returns, each decided from all earlier ones. Returns the records of the steps that
/// ran, and the error if a step could not be run.
pub fn conduct(
    next: &dyn Fn(&[StepRecord]) -> Option<Step>,
    runner: &mut dyn Runner,
    observer: &mut dyn Observer,
) -> (Vec<StepRecord>, Option<RunnerError>) {
    let mut decided = DecidedSteps { next, done: Vec::new(), observer };
    let failed = run_steps(&mut decided, runner).err();
    (decided.done, failed)
}

/// Plans `step`, opens its files, runs it and reports its start and its end.
pub(crate) fn run_one(
    step: &Step,
    runner: &mut dyn Runner,
    observer: &mut dyn Observer,
) -> Result<StepRecord, RunnerError> {
    let plan = runner.plan(step)?;
    runner.open(&plan)?;
    let record = play(&plan, runner, observer);
    runner.close();
    record
}

/// Runs a planned step, for which everything is open, and reports its start and its end.
pub(crate) fn play<R: Runner + ?Sized>(
    plan: &StepPlan,
    runner: &mut R,
    observer: &mut dyn Observer,
) -> Result<StepRecord, RunnerError> {
    observer.step_started(plan, runner.now());
    let record = runner.run(plan, observer)?;
    observer.step_ended(&record);
    Ok(record)
}
