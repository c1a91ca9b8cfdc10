//! Runs a fio job on its own files: opened, checked by the guard and laid out as in `plimsoll fio`.

use experiments::Step;
use fio::{FioError, FioStep, announcement};
use kernel::Clock;
use record::{Observer, StepRecord};
use session::named::Announcement;
use session::output;
use session::signals::StopFlag;
use session::{NamedRunner, Runner, RunnerError, Use};
use workload::{Job, Layout, Nanos, StepPlan};

use crate::commands::fio::{jobs, trouble};

/// Runner of a fio job on the job's own files; its errors are in fio's words.
struct JobRunner {
    named: NamedRunner,
    layouts: Vec<Layout>,
}

/// Returns a runner for `step` of a job on its own files, which lie on `devices`.
pub fn runner(step: &FioStep, devices: Vec<String>, stop: &StopFlag) -> Box<dyn Runner> {
    let treatment = jobs::treatment(stop, Announcement::Done);
    let mut named = NamedRunner::new(treatment, None).on_devices(devices);
    named.record_every(step.interval);
    Box::new(JobRunner { named, layouts: step.layouts.clone() })
}

/// Returns an error in fio's words, without the name of the tool.
fn refused(error: &FioError) -> RunnerError {
    let text = error.to_string();
    RunnerError::Refused(text.trim_start_matches("fio: ").trim().to_owned())
}

/// Puts an error that keeps a step of `jobs` from running into fio's words; errors of the engine stay as they are.
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
