//! The files that jobs name, opened for each step.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use engine::idle_plan;
use experiments::Step;
use kernel::{Clock, OpenFile, Walk};
use record::{Observer, StepRecord};
use sampler::{Root, Sampler};
use workload::{FlushBy, Nanos, StepPlan};

use super::drive::drive;
use super::{Runner, RunnerError, failed, look_for_others};
use crate::idle::Use;
use crate::opening::named::{NamedFiles, Treatment};
use crate::signals::StopFlag;
use crate::watchdog;

/// Runner on files and devices that jobs name.
pub struct NamedRunner {
    clock: Clock,
    stop: StopFlag,
    files: NamedFiles,
    /// Words for the wait, such as `opening the files`: if a file does not answer, the user is warned, and the wait
    /// ends when patience is over. `None` waits without end, because leaving would lose the recording.
    opening: Option<&'static str>,
    /// Watched by the idle gate.
    devices: Vec<String>,
    interval: Nanos,
    /// Open files of the step, by worker.
    opened: Vec<Vec<OpenFile>>,
}

impl NamedRunner {
    /// Returns a runner that treats its files as `treatment` says. If a file does not answer, `opening` says what
    /// is waited for, until the wait is given up; `None` waits without end.
    pub fn new(treatment: Treatment, opening: Option<&'static str>) -> NamedRunner {
        let (clock, stop) = (Clock::start(), treatment.stop.clone());
        NamedRunner {
            clock,
            stop,
            files: NamedFiles::new(clock, treatment),
            opening,
            devices: Vec::new(),
            interval: Nanos::SECOND,
            opened: Vec::new(),
        }
    }

    /// Sets the devices below the files.
    pub fn on_devices(self, devices: Vec<String>) -> NamedRunner {
        NamedRunner { devices, ..self }
    }

    /// Sets the length of the intervals in which steps are recorded from now on.
    pub fn record_every(&mut self, interval: Nanos) {
        self.interval = interval;
    }

    /// The clock of the run.
    pub fn run_clock(&self) -> Clock {
        self.clock
    }

    /// The files that the jobs name.
    pub fn files(&mut self) -> &mut NamedFiles {
        &mut self.files
    }

    fn waited_for<T>(&self, work: impl FnOnce() -> T) -> T {
        waited_for(self.opening, &self.stop, work)
    }

    /// Returns the files of the step that are among `paths`, once for each worker that has them open.
    fn opened_of<'r>(&'r self, paths: &'r [PathBuf]) -> impl Iterator<Item = &'r OpenFile> {
        self.opened.iter().flatten().filter(|file| paths.iter().any(|path| path == file.path()))
    }

    /// Reads all of `path` into the page cache.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_through(&self, path: &Path) -> std::io::Result<()> {
        let read = || std::io::copy(&mut std::fs::File::open(path)?, &mut std::io::sink()).map(drop);
        self.waited_for(read)
    }

    /// Drops those of `paths` that the step has open from the page cache; a refusal by the kernel is ignored. A
    /// file that is not cached is skipped: a needless flush would be I/O just before the load, and a throttled volume
    /// would start to count it.
    pub fn forget_cache(&self, paths: &[PathBuf]) {
        let cached = |file: &&OpenFile| kernel::cached_share(file.as_fd(), 0, file.size()) != Some(0.0);
        for file in self.opened_of(paths).filter(cached) {
            let _ = kernel::flush_buffers(file.as_fd()).or_else(|_| kernel::drop_cache(file, 0, file.size()));
        }
    }

    /// Advises the page cache how the step will read those of its files for which `walk` returns a pattern. Advice
    /// that the kernel does not take changes nothing.
    pub fn advise(&self, walk: impl Fn(&Path) -> Option<Walk>) {
        for file in self.opened.iter().flatten() {
            let _ = walk(file.path()).map(|walk| kernel::advise(file, walk));
        }
    }

    /// Flushes those of `paths` that the step has open, with all metadata, as `fsync` does. The result of a flush is
    /// `None` if the wait for it was abandoned.
    pub fn flush(&self, paths: &[PathBuf]) -> Vec<(PathBuf, Option<std::io::Result<()>>)> {
        let flush =
            |file: &OpenFile| (file.path().to_owned(), watchdog::flush(file, FlushBy::File, &self.stop));
        self.opened_of(paths).map(flush).collect()
    }
}

/// Does `work`; given `opening`, the wait ends if the device does not answer.
fn waited_for<T>(opening: Option<&'static str>, stop: &StopFlag, work: impl FnOnce() -> T) -> T {
    match opening {
        Some(opening) => watchdog::over(opening, stop, work),
        None => work(),
    }
}

impl Runner for NamedRunner {
    fn now(&self) -> Nanos {
        self.clock.now()
    }

    fn plan(&self, step: &Step) -> Result<StepPlan, RunnerError> {
        if step.workload.jobs.is_empty() {
            return Ok(idle_plan(&step.name, Nanos::ZERO, self.interval));
        }
        let plan = || {
            let target = self.files.plan_target(&step.workload, self.interval);
            engine::plan(&step.workload, &step.name, step.kind, &target)
        };
        Ok(self.waited_for(plan)?)
    }

    fn open(&mut self, plan: &StepPlan) -> Result<(), RunnerError> {
        let (opening, stop, files) = (self.opening, &self.stop, &mut self.files);
        let mut open = |worker: &workload::WorkerPlan| {
            files.open(worker).map_err(|error| RunnerError::File { job: worker.job.clone(), error })
        };
        let all = || plan.workers.iter().map(&mut open).collect::<Result<_, _>>();
        self.opened = waited_for(opening, stop, all)?;
        Ok(())
    }

    fn run(&mut self, plan: &StepPlan, observer: &mut dyn Observer) -> Result<StepRecord, RunnerError> {
        drive(plan, &self.opened, self.clock, observer).map_err(failed(plan))
    }

    fn close(&mut self) {
        self.opened.clear();
    }

    fn backend(&self) -> &str {
        "with the engine of its job"
    }

    fn clock(&self) -> Option<Clock> {
        Some(self.clock)
    }

    fn watch_idle(&mut self, interrupted: &dyn Fn() -> bool) -> Option<Use> {
        let devices = self.devices.iter().map(String::as_str).collect();
        let mut sampler = Sampler::new(&Root::real(), devices).ok()?;
        look_for_others(&mut sampler, self.clock, interrupted)
    }
}
