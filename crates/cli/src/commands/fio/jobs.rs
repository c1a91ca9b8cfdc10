//! The jobs of a fio run as steps, one after the other. A job that fails is reported and left out; the others run.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use engine::{EngineError, PlanError};
use experiments::Step;
use fio::{
    Below, Disk, Eta, FioError, FioRequest, FioStep, Idleness, LiveLine, Logs, Presentation, Recordings,
    SoFar, SteadyWatch, TRACE_HEADER, announcement, capped_depths,
};
use kernel::{Clock, Walk};
use record::{Interval, IoTrace, Note, Observer, Silence, StepRecord, WorkerTotals};
use sampler::{Root, Sampler};
use workload::{Ending, Layout, Nanos, StepKind, StepPlan, TracedIo};

use super::exec::{self, Fault, Moment};
use super::told::{FioOutput, unix_ms};
use super::{state, trouble};
use session::files::Growing;
use session::named::{self, Announcement, NamedFiles, Treatment, WithoutDirect};
use session::output;
use session::signals::StopFlag;
use session::unwritten::UnwrittenFiles;
use session::{NamedRunner, Procedure, RunnerError, run_steps};

/// Words for the wait while a file of a job does not answer.
pub const OPENING: &str = "opening the files";

/// Returns how the files of fio's jobs are treated.
pub fn treatment(stop: &StopFlag, announcement: Announcement) -> Treatment {
    Treatment { announcement, without_direct: WithoutDirect::Refused, stop: stop.clone() }
}

/// Lays out the files of all `steps`, runs the steps, and records the results in `told`.
pub fn run(steps: Vec<FioStep>, stop: &StopFlag, told: &mut FioOutput<'_>) {
    let mut runner = NamedRunner::new(treatment(stop, Announcement::Now), Some(OPENING));
    let clock = runner.run_clock();
    let mut jobs = Jobs::new(steps, (stop, clock), told);
    if let Err(error) = jobs.begin_logs() {
        let all = 0..jobs.told.presented.asked.jobs.len();
        return jobs.told.failed(all, &error);
    }
    jobs.lay_out(runner.files());
    jobs.told.disks = Disk::under(&jobs.steps, chain);
    let devices = jobs.told.disks.iter().flat_map(Disk::names).collect();
    jobs.sampler = Sampler::new(&Root::real(), devices).ok();
    jobs.sample();
    let cpus = jobs.told.presented.asked.presentation.idle.map(|_| sampler::cpu_times(&Root::real()));
    // Each failure is recorded with its job, so that no error is returned here.
    let _ = run_steps(&mut jobs, &mut runner);
    jobs.sample();
    if let Some(before) = cpus {
        let presented = &mut jobs.told.presented;
        presented.idle = Some(Idleness::between(&before, &sampler::cpu_times(&Root::real())));
        presented.notes.push(Idleness::SOURCE.to_owned());
    }
    let trouble = jobs.files.trouble();
    let trouble = trouble.map(|(path, error)| format!("the log {} is not whole: {error}", path.display()));
    jobs.told.presented.notes.extend(trouble);
    jobs.remove_at_end();
}

/// Returns the devices below a file, the nearest first.
fn chain(path: &Path) -> Vec<Below> {
    let found = kernel::target_facts(path).map_or(Vec::new(), |facts| facts.devices);
    let below = |device: kernel::BlockFacts| Below {
        name: device.name,
        is_partition: device.is_partition,
        below: device.below,
    };
    found.into_iter().map(below).collect()
}

/// Gives the files of `layout` their lengths, and fills the parts that will be read.
pub fn lay_out(layout: &Layout, files: &mut NamedFiles) -> Result<(), FioError> {
    layout.files.iter().try_for_each(|file| {
        let folder = named::make_folder_of(&file.path);
        let made = folder.and_then(|()| files.lay_out(file, &layout.content));
        made.map_err(|error| trouble::layout(error, &layout.job, file))
    })
}

/// Why a step cannot be run: an error of the runner, or of the step's logs.
pub(crate) enum Trouble {
    Runner(RunnerError),
    Logs(FioError),
}

impl From<RunnerError> for Trouble {
    fn from(error: RunnerError) -> Trouble {
        Trouble::Runner(error)
    }
}

/// Whether a step follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    Step,
    Nothing,
}

/// The jobs of a run.
struct Jobs<'t, 'a> {
    told: &'t mut FioOutput<'a>,
    steps: Vec<FioStep>,
    /// Number of steps that have begun.
    begun: usize,
    stop: &'t StopFlag,
    clock: Clock,
    /// Time from the start of the first step to the start of the running one.
    elapsed: Nanos,
    follows: Follows,
    sampler: Option<Sampler>,
    logs: Logs,
    recordings: Recordings,
    files: Growing,
    running: Option<Running<'a>>,
}

/// State of the running step.
struct Running<'a> {
    unwritten: UnwrittenFiles,
    line: Option<(LiveLine<'a>, LiveLineOutput)>,
    steady: SteadyWatch,
    between: Option<Between>,
}

/// Destination of the live line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LiveLineOutput {
    /// Overwritten in place, on a terminal.
    Terminal,
    /// One line for each update on stdout, as in fio, if requested and there is no terminal.
    Stdout,
}

impl LiveLineOutput {
    /// Returns the destination of the live line; `None` if it is not shown.
    fn of(presentation: &Presentation) -> Option<LiveLineOutput> {
        let terminal = std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
        match presentation.eta {
            Eta::Never => None,
            Eta::Auto | Eta::Always if terminal => (presentation.is_normal()
                || presentation.eta == Eta::Always)
                .then_some(LiveLineOutput::Terminal),
            Eta::Always if presentation.is_normal() => Some(LiveLineOutput::Stdout),
            _ => None,
        }
    }
}

/// Interim results printed during the step.
struct Between {
    every: Nanos,
    next: Nanos,
    so_far: SoFar,
}

impl<'t, 'a> Jobs<'t, 'a> {
    fn new(
        steps: Vec<FioStep>,
        (stop, clock): (&'t StopFlag, Clock),
        told: &'t mut FioOutput<'a>,
    ) -> Jobs<'t, 'a> {
        Jobs {
            logs: Logs::new(told.presented.asked),
            told,
            steps,
            begun: 0,
            stop,
            clock,
            elapsed: Nanos::ZERO,
            follows: Follows::Step,
            sampler: None,
            recordings: Recordings::default(),
            files: Growing::default(),
            running: None,
        }
    }

    fn sample(&mut self) {
        let now = self.clock.now();
        self.told.samples.extend(self.sampler.as_mut().map(|sampler| sampler.read(now)));
    }

    /// Creates the log files that do not exist yet.
    fn begin_logs(&mut self) -> Result<(), FioError> {
        let paths = self.logs.paths();
        paths.iter().try_for_each(|path| self.files.begin(path).map_err(trouble::log(path)))?;
        let files = &mut self.files;
        self.recordings
            .paths()
            .try_for_each(|path| files.go_on(path, TRACE_HEADER).map_err(trouble::recording(path)))
    }

    fn append_logs(&mut self) {
        self.logs.drain(|path, rows| self.files.append(path, rows));
        self.recordings.drain(|path, rows| self.files.append(path, rows));
    }

    /// Lays out the files of all steps, as fio does before the first one starts.
    fn lay_out(&mut self, files: &mut NamedFiles) {
        let layouts: Vec<Layout> = self.steps.iter().flat_map(|step| &step.layouts).cloned().collect();
        for layout in &layouts {
            // fio prints nothing about a file that is only created.
            if layout.bytes() > workload::Bytes(0) {
                self.told.say(&announcement(layout));
            }
            if let Err(error) = lay_out(layout, files) {
                let paths: Vec<PathBuf> = layout.files.iter().map(|file| file.path.clone()).collect();
                for number in 0..self.steps.len() {
                    let users = self.steps[number].users_of(&paths);
                    self.leave_out(number, &users, &error);
                }
            }
        }
        self.told.say(&capped_depths(self.told.presented.asked));
    }

    /// Records that the jobs `labels` failed with `error` before they began, and leaves them out of the step.
    fn leave_out(&mut self, number: usize, labels: &[String], error: &FioError) {
        for label in labels {
            self.told.failed(number_of(self.told.presented.asked, label), error);
            self.steps[number].leave_out(label);
        }
    }

    /// Reports `error` for jobs whose writes to `path` could not be flushed at the end, and adds it to their results.
    fn fail_users_of(&mut self, path: &Path, number: usize, error: &FioError) {
        let labels = self.steps[number].users_of(&[path.to_owned()]);
        let jobs: Vec<usize> =
            labels.iter().filter_map(|label| number_of(self.told.presented.asked, label)).collect();
        self.told.failed(jobs, error);
    }

    /// Loads the saved state of jobs with `verify_state_load`; a job whose state cannot be used is left out.
    fn load_states(&mut self, number: usize) {
        let asked = self.told.presented.asked;
        for job in asked.jobs.iter().filter(|job| job.step == number && job.options.verify.state_load) {
            match state::load(job) {
                Ok(known) => self.steps[number].know(&job.label, known),
                Err(error) => self.leave_out(number, std::slice::from_ref(&job.label), &error),
            }
        }
    }

    /// Returns the state of the step that begins with `plan`.
    fn running(&self, plan: &StepPlan) -> Running<'a> {
        let (number, asked) = (self.begun - 1, self.told.presented.asked);
        let shown = LiveLineOutput::of(&asked.presentation);
        let between = |every| Between { every, next: self.clock.now() + every, so_far: SoFar::new(plan) };
        Running {
            unwritten: UnwrittenFiles::of(plan),
            line: shown.map(|shown| (LiveLine::new(asked, number, &self.steps[number]), shown)),
            steady: SteadyWatch::new(asked, number, SoFar::new(plan).jobs()),
            between: asked.presentation.status_interval.map(between),
        }
    }

    /// Returns the remaining part of the step with this number.
    fn step(&self, number: usize) -> Step {
        let workload = self.steps[number].workload_after(self.elapsed);
        Step { name: format!("step {}", number + 1), kind: StepKind::Job, workload, interval: None }
    }

    /// Takes the `record` of the step with this number, and flushes the files that it has written if a job asks for
    /// that.
    fn finish(&mut self, number: usize, mut record: StepRecord, runner: &NamedRunner) {
        // fio does not report which features of an engine were used.
        record.notes.retain(|note| !matches!(note, Note::Features { .. }));
        self.told.presented.steps.push(record);
        self.run_commands(number, Moment::After);
        for (path, flushed) in runner.flush(&self.steps[number].flush_at_end) {
            match flushed.map(|flushed| flushed.map_err(trouble::call("fsync", &path))) {
                Some(Ok(())) => {}
                Some(Err(error)) => self.fail_users_of(&path, number, &error),
                None => {
                    let note = format!("the last fsync of {} was not waited for", path.display());
                    self.told.presented.notes.push(note);
                }
            }
        }
    }

    /// Runs commands of the jobs of step `number`. A job whose command cannot be started has failed; a job whose
    /// `exec_prerun` ends with an error is not run and reports no error, as in fio.
    fn run_commands(&mut self, number: usize, moment: Moment) {
        let asked = self.told.presented.asked;
        let due = exec::Due { asked, step: number, moment, stop: self.stop };
        for (job, fault) in due.run(|text| self.told.say(text)) {
            let label = &asked.jobs[job].label;
            match (moment, fault) {
                (Moment::Before, Fault::Started(error)) => {
                    self.leave_out(number, std::slice::from_ref(label), &error);
                }
                (Moment::Before, Fault::Ended(status)) => {
                    let note = format!("{label} was not run: its exec_prerun ended with {status}");
                    self.told.presented.notes.push(note);
                    self.steps[number].leave_out(label);
                }
                (Moment::After, Fault::Started(error)) => self.told.failed([job], &error),
                (Moment::After, Fault::Ended(_)) => {}
            }
        }
    }

    fn remove_at_end(&mut self) {
        for number in 0..self.steps.len() {
            for path in std::mem::take(&mut self.steps[number].remove_at_end) {
                // A device is never removed, whatever the option says, because only its node would go.
                if !std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_file()) {
                    continue;
                }
                // Removing the file would destroy the content of a device that it backs.
                if let Some(hold) = kernel::guard::holds_of_file(Path::new("/"), &path).first() {
                    self.told.presented.notes.push(format!("{} is not removed: {hold}", path.display()));
                    continue;
                }
                if let Err(error) = std::fs::remove_file(&path).map_err(trouble::call("unlink", &path)) {
                    self.fail_users_of(&path, number, &error);
                }
            }
        }
    }

    /// Writes interim results when they are due.
    fn report(&mut self, totals: &dyn Fn() -> Vec<WorkerTotals>) {
        let now = self.clock.now();
        let between = self.running.as_mut().and_then(|running| running.between.as_mut());
        let Some(between) = between.filter(|between| now >= between.next) else { return };
        between.next += between.every;
        let sample = self.sampler.as_mut().map(|sampler| sampler.read(now));
        if let Err(failure) = self.told.write_between(between.so_far.record(totals()), sample) {
            output::people(&format!("fio: {failure}"));
            self.running.iter_mut().for_each(|running| running.between = None);
        }
    }
}

impl Running<'_> {
    /// Clears the live line.
    fn clear(&self) {
        match self.line {
            Some((_, LiveLineOutput::Terminal)) => output::live(""),
            Some((_, LiveLineOutput::Stdout)) => output::passing("", '\n'),
            None => {}
        }
    }
}

impl Procedure<NamedRunner> for Jobs<'_, '_> {
    type Error = Trouble;

    fn next(&mut self, runner: &mut NamedRunner) -> Result<Option<Step>, Trouble> {
        let number = self.begun;
        if self.stop.raised() || self.follows == Follows::Nothing || number == self.steps.len() {
            return Ok(None);
        }
        self.begun += 1;
        runner.record_every(self.steps[number].interval);
        let first = self.told.presented.steps.first().map(|record| record.started);
        self.elapsed = first.map_or(Nanos::ZERO, |first| self.clock.now().since(first));
        for path in std::mem::take(&mut self.steps[number].read_ahead) {
            if let Err(error) = runner.read_through(&path).map_err(trouble::call("read", &path)) {
                let users = self.steps[number].users_of(&[path]);
                self.leave_out(number, &users, &error);
            }
        }
        self.load_states(number);
        self.run_commands(number, Moment::Before);
        Ok(Some(self.step(number)))
    }

    fn instead(
        &mut self,
        step: Step,
        error: Trouble,
        runner: &mut NamedRunner,
    ) -> Result<Option<Step>, Trouble> {
        let number = self.begun - 1;
        let all = || step.workload.jobs.iter().map(|job| job.name.clone()).collect();
        let (labels, lost) = match &error {
            Trouble::Runner(RunnerError::Plan(error)) => (jobs_of(error, &step), None),
            Trouble::Runner(RunnerError::File { job, .. }) => (vec![job.clone()], None),
            Trouble::Runner(RunnerError::Refused(_)) => (all(), None),
            Trouble::Runner(RunnerError::Engine {
                error: EngineError::Lost | EngineError::Panicked { .. },
                ..
            }) => (all(), Some(Follows::Nothing)),
            Trouble::Runner(RunnerError::Engine { .. }) | Trouble::Logs(_) => (all(), Some(Follows::Step)),
        };
        let error = match error {
            Trouble::Runner(error) => trouble::step(&error, &step.workload.jobs),
            Trouble::Logs(error) => error,
        };
        self.leave_out(number, &labels, &error);
        let Some(follows) = lost else { return Ok(Some(self.step(number))) };
        self.follows = follows;
        self.running = None;
        self.finish(number, nothing(&step, self.clock), runner);
        Ok(None)
    }

    fn ready(&mut self, plan: &StepPlan, runner: &mut NamedRunner) -> Result<(), Trouble> {
        let (number, asked) = (self.begun - 1, self.told.presented.asked);
        let step = &self.steps[number];
        runner.forget_cache(&step.drop_cache);
        let has = |paths: &[PathBuf], path: &Path| paths.iter().any(|other| other == path);
        runner.advise(|path| match has(&step.random_hint, path) {
            true => Some(Walk::Random),
            false => Some(Walk::Sequential).filter(|_| has(&step.sequential_hint, path)),
        });
        let zero = unix_ms().saturating_sub(self.clock.now().0 / 1_000_000);
        self.logs.begin(asked, plan, zero);
        self.recordings.begin(asked, plan);
        self.begin_logs().map_err(Trouble::Logs)?;
        let running = self.running(plan);
        running.unwritten.before().for_each(|line| output::people(&format!("fio: {line}")));
        self.running = Some(running);
        Ok(())
    }

    fn observer(&mut self) -> &mut dyn Observer {
        self
    }

    fn ended(&mut self, record: StepRecord, runner: &mut NamedRunner) -> Result<(), Trouble> {
        let number = self.begun - 1;
        let step = &self.steps[number];
        let failed = record.workers.iter().any(|worker| worker.ending == Some(Ending::Failed));
        if step.last || (step.last_if_failed && failed) {
            self.follows = Follows::Nothing;
        }
        let running = self.running.take();
        running.iter().for_each(Running::clear);
        self.logs.end(&record);
        self.append_logs();
        self.recordings.end(|path, rows| self.files.append(path, rows));
        if let Some(line) = running.and_then(|running| running.unwritten.behind(&record)) {
            output::people(&format!("fio: {line}"));
        }
        self.finish(number, record, runner);
        Ok(())
    }
}

/// Returns the jobs that `error` keeps from running: the one that it names, or all if it names none.
fn jobs_of(error: &PlanError, step: &Step) -> Vec<String> {
    let all = || step.workload.jobs.iter().map(|job| job.name.clone());
    let named: Vec<String> = all().filter(|name| error.job() == Some(name)).collect();
    if named.is_empty() { all().collect() } else { named }
}

/// Returns the index of the job `label` in the results.
fn number_of(asked: &FioRequest, label: &str) -> Option<usize> {
    asked.jobs.iter().position(|job| job.label == label)
}

/// Returns the record of a step that did not run.
fn nothing(step: &Step, clock: Clock) -> StepRecord {
    let now = clock.now();
    StepRecord {
        plan: engine::idle_plan(&step.name, Nanos::ZERO, Nanos::SECOND),
        started: now,
        counted_from: now,
        ended: now,
        ending: Ending::Failed,
        jobs: Vec::new(),
        intervals: Vec::new(),
        workers: Vec::new(),
        failures: Vec::new(),
        notes: Vec::new(),
    }
}

/// Shows the current line.
fn show(text: &str, stays: bool, shown: LiveLineOutput) {
    match (shown, stays) {
        (LiveLineOutput::Terminal, stays) => {
            output::live(text);
            if stays {
                output::people("");
            }
        }
        (LiveLineOutput::Stdout, true) => output::passing(text, '\n'),
        (LiveLineOutput::Stdout, false) => output::passing(text, '\r'),
    }
}

impl Observer for Jobs<'_, '_> {
    fn interval(&mut self, interval: &Interval) {
        let Some(running) = &mut self.running else { return };
        if let Some((line, shown)) = &mut running.line
            && let Some(now) = line.take(interval)
        {
            show(&now.text, now.stays, *shown);
        }
        running.between.iter_mut().for_each(|between| between.so_far.take(interval));
        running.steady.take(interval);
        self.logs.interval(interval);
        self.append_logs();
    }

    fn so_far(&mut self, totals: &dyn Fn() -> Vec<WorkerTotals>) {
        self.report(totals);
    }

    fn traced(&mut self, worker: usize, ios: &[IoTrace]) {
        self.logs.traced(worker, ios);
        self.append_logs();
    }

    fn issued(&mut self, worker: usize, ios: &[TracedIo]) {
        self.recordings.issued(worker, ios);
        self.append_logs();
    }

    fn restarted(&mut self, job: u16, at: Nanos) {
        let between = self.running.iter_mut().filter_map(|running| running.between.as_mut());
        between.for_each(|between| between.so_far.restarted(job, at));
    }

    fn silence(&mut self, silence: &Silence) {
        self.running.iter().for_each(Running::clear);
        self.stop.tell(silence);
    }

    fn patience(&self) -> Nanos {
        self.stop.patience()
    }

    fn interrupted(&self) -> bool {
        self.stop.raised() || self.running.as_ref().is_some_and(|running| running.steady.is_over())
    }
}
