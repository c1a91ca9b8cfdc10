//! The runner of a fio job on its own files: opened, guarded and laid out as fio's dialect does it.

use std::path::{Path, PathBuf};

use experiments::Step;
use fio::announcement;
use kernel::{Clock, PathKind};
use record::{Observer, StepRecord, TargetFacts, TargetKind};
use sampler::Root;
use session::{NamedRunner, Runner, RunnerError, Setup, Use, Written, leave_to_write};
use workload::{Bytes, Job, Layout, Nanos, StepPlan};

use super::load::Loaded;
use crate::commands::fio::{jobs, trouble};
use session::failure::Failure;
use session::named::Announcement;
use session::output;
use session::run;
use session::signals::StopFlag;

/// Files of a fio job, with what is wrong with them in fio's words.
struct JobRunner {
    named: NamedRunner,
    layouts: Vec<Layout>,
}

/// A setup of the job that `loaded` holds, on its own files; `None` where it holds none. A device is written only where
/// `allowed` names it.
///
/// # Errors
/// A device that may not be written, or a place that cannot be looked at.
pub fn setup(loaded: &Loaded, allowed: Option<&Path>, stop: &StopFlag) -> Result<Option<Setup>, Failure> {
    let Some(step) = &loaded.step else { return Ok(None) };
    let paths = super::load::files(&loaded.load);
    for device in paths.iter().filter(|path| is_device(path) && writes_to(step, path)) {
        released(device, allowed)?;
    }
    if let Some(allowed) = allowed.filter(|_| !paths.iter().any(|path| is_device(path))) {
        let text = "no file of the job is a block device, so there is nothing to allow; leave it out";
        return Err(Failure::refused(format!("--allow-destroy {}: {text}", allowed.display())));
    }
    let facts = facts(&paths)?;
    let devices = facts.devices.iter().map(|device| device.name.clone()).collect();
    let mut named =
        NamedRunner::new(jobs::treatment(stop, Announcement::Done), jobs::OPENING).on_devices(devices);
    named.record_every(step.interval);
    let runner = JobRunner { named, layouts: step.layouts.clone() };
    Ok(Some(Setup::of_runner(Box::new(runner), facts)))
}

/// What the block device at `path` holds; `None` where there is none.
pub fn size_of_device(path: &Path) -> Option<Bytes> {
    let facts = kernel::target_facts(path).ok()?;
    (facts.kind == PathKind::BlockDevice).then_some(facts.size)
}

fn is_device(path: &Path) -> bool {
    size_of_device(path).is_some()
}

fn writes_to(step: &fio::FioStep, path: &Path) -> bool {
    let on = |job: &&workload::Job| job.files.iter().any(|file| file == path);
    step.workload.jobs.iter().filter(on).any(|job| !job.access.mix.reads_only())
}

/// Says what will be lost on `device`, or refuses.
fn released(device: &Path, allowed: Option<&Path>) -> Result<(), Failure> {
    let permit = leave_to_write(Written::Device { path: device, allowed }).map_err(Failure::refused)?;
    permit.destruction().iter().for_each(|lost| output::people(&run::destruction_words(lost)));
    Ok(())
}

/// Facts about the first file, or about the folder in which it will be made.
fn facts(paths: &[PathBuf]) -> Result<TargetFacts, Failure> {
    let Some(first) = paths.first() else {
        return Ok(TargetFacts::made_up("no file", TargetKind::Null, Bytes(0)));
    };
    let whole = std::path::absolute(first).unwrap_or_else(|_| first.clone());
    let there = whole.ancestors().find(|path| path.exists()).unwrap_or(&whole);
    let words = whole.display().to_string();
    sampler::target_facts(&Root::real(), there, &words).map_err(Failure::refused)
}

/// An error in fio's words, without the name of the tool.
fn refused(error: &fio::FioError) -> RunnerError {
    let text = error.to_string();
    RunnerError::Refused(text.trim_start_matches("fio: ").trim().to_owned())
}

/// What keeps a step of `jobs` from running. What the engine says stays as it is.
fn in_words(error: RunnerError, jobs: &[Job]) -> RunnerError {
    match error {
        RunnerError::Engine { .. } => error,
        other => refused(&trouble::step(&other, jobs)),
    }
}

impl Runner for JobRunner {
    fn now(&self) -> Nanos {
        self.named.now()
    }

    fn plan(&self, step: &Step) -> Result<StepPlan, RunnerError> {
        self.named.plan(step).map_err(|error| in_words(error, &step.workload.jobs))
    }

    fn open(&mut self, plan: &StepPlan) -> Result<(), RunnerError> {
        self.named.open(plan).map_err(|error| in_words(error, &[]))
    }

    fn close(&mut self) {
        self.named.close();
    }

    fn run(&mut self, plan: &StepPlan, observer: &mut dyn Observer) -> Result<StepRecord, RunnerError> {
        self.named.run(plan, observer)
    }

    fn backend(&self) -> &str {
        self.named.backend()
    }

    fn clock(&self) -> Option<Clock> {
        self.named.clock()
    }

    fn prepare(&mut self) -> Result<(), RunnerError> {
        for layout in &self.layouts {
            output::people(&format!("  {}", announcement(layout).trim_end()));
            jobs::lay_out(layout, self.named.files()).map_err(|error| refused(&error))?;
        }
        Ok(())
    }

    fn watch_idle(&mut self, interrupted: &dyn Fn() -> bool) -> Option<Use> {
        self.named.watch_idle(interrupted)
    }
}
