//! Where steps run, as values of one trait, and the loop that runs the steps of a procedure and feeds the results back.

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
use crate::procedure::{Decided, run_steps};

/// How long the idle gate looks at a time, in slices in which it notices a wish to stop.
const IDLE_LOOK: [Duration; 10] = [Duration::from_millis(100); 10];

/// How often a rest asks its observer whether to go on.
const REST_SLICE: Duration = Duration::from_millis(50);

/// Where steps run: this machine's devices, or virtual time.
pub trait Runner {
    /// Time on the run's clock.
    fn now(&self) -> Nanos;

    /// Lets the run's clock show `at` now, where a run goes on; false where that cannot be.
    fn go_on_from(&mut self, _at: Nanos) -> bool {
        false
    }

    /// Resolves what `step` left open; opens nothing.
    ///
    /// # Errors
    /// [`RunnerError`] where parts of the step contradict each other or the target.
    fn plan(&self, step: &Step) -> Result<StepPlan, RunnerError>;

    /// Opens what `plan` names, where files are opened for each step.
    ///
    /// # Errors
    /// [`RunnerError`] where a file cannot be opened.
    fn open(&mut self, _plan: &StepPlan) -> Result<(), RunnerError> {
        Ok(())
    }

    /// Closes what was opened for the step.
    fn close(&mut self) {}

    /// Runs a planned step, for which everything is open, to its end.
    ///
    /// # Errors
    /// [`RunnerError`] where it could not be run; an I/O that failed is no error but the record's
    /// [`Ending::Failed`](workload::Ending::Failed).
    fn run(&mut self, plan: &StepPlan, observer: &mut dyn Observer) -> Result<StepRecord, RunnerError>;

    /// By which means I/O is done, and why, in words.
    fn backend(&self) -> &str;

    /// Makes ready what the runner's own files need before they are loaded; where that is a step of its own, nothing.
    ///
    /// # Errors
    /// [`RunnerError`] where a file cannot be made as long as it must be.
    fn prepare(&mut self) -> Result<(), RunnerError> {
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

    /// Lets time pass until `until` without any load of ours; returns early where `observer` wants to stop.
    fn rest(&mut self, until: Nanos, observer: &mut dyn Observer) {
        while !observer.interrupted() && self.now() < until {
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

/// Why a step could not be run.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// Wrong usage: what was asked does not fit the target.
    #[error("{0}")]
    Refused(String),
    /// Wrong usage: the workload contradicts itself or the target.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A file that a job names is not open.
    #[error("{error}")]
    File {
        /// The job.
        job: String,
        /// Why.
        #[source]
        error: FileError,
    },
    /// The machine did not do what it should.
    #[error("step '{step}': {error}")]
    Engine {
        /// The step.
        step: String,
        /// Why.
        #[source]
        error: EngineError,
    },
}

/// What the planner must know of `files` behind `kind`, with intervals of a second.
fn ground(kind: PlanTargetKind, files: Vec<FileFacts>) -> PlanTarget {
    PlanTarget { files, kind, cpus: kernel::available_cpus(), interval: Nanos::SECOND, clones: Clones::Apart }
}

/// The plan of `step`, with `workload` in the place of its own; without a job it rests for its time.
fn planned(step: &Step, workload: &Workload, ground: &PlanTarget) -> Result<StepPlan, RunnerError> {
    let interval = step.interval.unwrap_or(ground.interval);
    if let (true, [StopRule::Time(time)]) = (workload.jobs.is_empty(), workload.stop.as_slice()) {
        return Ok(engine::idle_plan(&step.name, *time, interval));
    }
    Ok(engine::plan(workload, &step.name, step.kind, &PlanTarget { interval, ..ground.clone() })?)
}

/// Why the engine could not run `plan`.
fn failed(plan: &StepPlan) -> impl Fn(EngineError) -> RunnerError {
    |error| RunnerError::Engine { step: plan.name.clone(), error }
}

/// Looks for a second who else uses the devices of `sampler`.
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

/// Runs the steps that `next` gives, each knowing all before it. Returns the records of what ran, and why it could not go
/// on where it could not.
pub fn conduct(
    next: &dyn Fn(&[StepRecord]) -> Option<Step>,
    runner: &mut dyn Runner,
    observer: &mut dyn Observer,
) -> (Vec<StepRecord>, Option<RunnerError>) {
    let mut decided = Decided { next, done: Vec::new(), observer };
    let failed = run_steps(&mut decided, runner).err();
    (decided.done, failed)
}

/// Plans `step`, runs it and tells of its start and its end.
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

/// Runs a planned step, for which everything is open, and tells of its start and its end.
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
