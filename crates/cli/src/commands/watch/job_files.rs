//! The runner of a fio job on its own files: opened, guarded and laid out as fio's dialect does it.

use std::path::Path;
use std::time::Duration;

use engine::{plan, run_real};
use experiments::{Step, WatchLoad};
use fio::{FioError, FioStep};
use kernel::Clock;
use kernel::guard::{AllowDestroy, permit_block_device};
use record::{Observer, StepRecord, TargetFacts, TargetKind};
use sampler::{Root, Sampler};
use session::{Runner, RunnerError, Setup, Use, between};
use workload::{Bytes, Nanos, StepPlan, Workload};

use crate::commands::fio::{files::Files, trouble};
use session::failure::Failure;
use session::named::Announcement;
use session::output;
use session::run;
use session::signals::StopFlag;
use session::watch::size_of_device;

/// How long the idle gate looks at a time.
const IDLE_LOOK: Duration = Duration::from_secs(1);

/// Files of a fio job.
struct JobRunner {
    clock: Clock,
    files: Files,
    step: FioStep,
    devices: Vec<String>,
}

/// A setup of `step` of a job, whose load is `load`, on its own files; a device is written only where `allowed` names it.
///
/// # Errors
/// A device that may not be written, or a place that cannot be looked at.
pub fn setup(
    (step, load): (&FioStep, &WatchLoad),
    allowed: Option<&Path>,
    stop: &StopFlag,
) -> Result<Setup, Failure> {
    let paths = load.files();
    for device in paths.iter().filter(|path| is_device(path) && writes_to(step, path)) {
        released(device, allowed)?;
    }
    if let Some(allowed) = allowed.filter(|_| !paths.iter().any(|path| is_device(path))) {
        let text = "no file of the job is a block device, so there is nothing to allow; leave it out";
        return Err(Failure::refused(format!("--allow-destroy {}: {text}", allowed.display())));
    }
    let facts = facts(&paths)?;
    let clock = Clock::start();
    let devices = facts.devices.iter().map(|device| device.name.clone()).collect();
    let files = Files::new(clock, stop.clone(), Announcement::Done);
    let runner = JobRunner { clock, files, step: step.clone(), devices };
    Ok(Setup::of_runner(Box::new(runner), facts))
}

fn is_device(path: &Path) -> bool {
    size_of_device(path).is_some()
}

fn writes_to(step: &FioStep, path: &Path) -> bool {
    let on = |job: &&workload::Job| job.files.iter().any(|file| file == path);
    step.workload.jobs.iter().filter(on).any(|job| !job.access.mix.reads_only())
}

/// Says what will be lost on `device`, or refuses.
fn released(device: &Path, allowed: Option<&Path>) -> Result<(), Failure> {
    let allow = AllowDestroy::devices(allowed.map(Path::to_path_buf));
    let (_, destruction) = permit_block_device(device, &allow).map_err(Failure::refused)?;
    output::people(&run::destruction_words(&destruction));
    Ok(())
}

/// Facts about the first file, or about the folder in which it will be made.
fn facts(paths: &[&Path]) -> Result<TargetFacts, Failure> {
    let Some(first) = paths.first() else {
        return Ok(TargetFacts::made_up("no file", TargetKind::Null, Bytes(0)));
    };
    let whole = std::path::absolute(first).unwrap_or_else(|_| first.to_path_buf());
    let there = whole.ancestors().find(|path| path.exists()).unwrap_or(&whole);
    let words = whole.display().to_string();
    sampler::target_facts(&Root::real(), there, &words).map_err(Failure::refused)
}

impl JobRunner {
    fn step_of(&self, workload: &Workload) -> FioStep {
        FioStep { workload: workload.clone(), ..self.step.clone() }
    }
}

fn refused(error: &FioError) -> RunnerError {
    let text = error.to_string();
    RunnerError::Refused(text.trim_start_matches("fio: ").trim().to_owned())
}

impl Runner for JobRunner {
    fn now(&self) -> Nanos {
        self.clock.now()
    }

    fn plan(&self, step: &Step) -> Result<StepPlan, RunnerError> {
        let fio_step = self.step_of(&step.workload);
        plan(&step.workload, &step.name, step.kind, &self.files.ground(&fio_step))
            .map_err(|error| refused(&trouble::plan(&error, &fio_step)))
    }

    fn run(&mut self, plan: &StepPlan, observer: &mut dyn Observer) -> Result<StepRecord, RunnerError> {
        let opened = plan.workers.iter().map(|worker| self.files.open(worker)).collect::<Result<Vec<_>, _>>();
        let opened = opened.map_err(|error| refused(&error))?;
        run_real(plan, &opened, self.clock, observer)
            .map_err(|error| RunnerError::Failed(format!("step '{}': {error}", plan.name)))
    }

    fn backend(&self) -> &str {
        "with the engine of its job"
    }

    fn clock(&self) -> Option<Clock> {
        Some(self.clock)
    }

    fn prepare(&mut self) -> Result<(), RunnerError> {
        for layout in &self.step.layouts {
            output::people(&format!("  {}", layout.announcement().trim_end()));
            self.files.lay_out(layout).map_err(|error| refused(&error))?;
        }
        Ok(())
    }

    fn watch_idle(&mut self, interrupted: &dyn Fn() -> bool) -> Option<Use> {
        let mut sampler =
            Sampler::new(&Root::real(), self.devices.iter().map(String::as_str).collect()).ok()?;
        let before = sampler.read(self.clock.now());
        let until = self.clock.now() + Nanos(IDLE_LOOK.as_nanos() as u64);
        while !interrupted() && self.clock.now() < until {
            std::thread::sleep(IDLE_LOOK / 10);
        }
        between(&before, &sampler.read(self.clock.now()))
    }
}
