//! Work that every measuring command does around its steps: header, idle gate, running, storing.

use std::time::{SystemTime, UNIX_EPOCH};

use analysis::{Analysis, Outlooks, analyse};
use experiments::Step;
use policy::Limits;
use record::{DeviceFacts, Event, EventKind, ExceededWhile, HostFacts, Run, StepRecord, TargetKind};
use runfile::{Recorder, WriteError};
use volumes::lab::LabError;
use workload::{Ending, Expectation, Nanos, PolicyName, ProcedureRequest, StepPlan, Target};

use crate::failure::{Code, Failure};
use crate::live::{Live, ProgressDisplay, RemainingTime, held};
use crate::opening::Wish;
use crate::output;
use crate::place::Place;
use crate::recorder::{FinishedRecording, RunRecorder};
use crate::runner::{Runner, RunnerError, conduct};
use crate::setup::{Setup, SetupError, set_up};
use crate::signals::StopFlag;
use crate::watchdog;

pub use crate::opening::destruction_words;

/// Seconds that the idle gate waits for other programs to finish.
const IDLE_PATIENCE_S: u32 = 15;

/// Decides the next step from the records of those that ran.
pub type Next<'a> = &'a dyn Fn(&[StepRecord]) -> Option<Step>;

/// Opens `target`, typed as `words`. If the device under a path does not answer, the user is warned, and a stop
/// request ends the wait.
///
/// # Errors
/// The target cannot be measured.
pub fn set_up_target(target: &Target, words: &str, wish: &Wish, stop: &StopFlag) -> Result<Setup, Failure> {
    let wish = Wish { stop: stop.shared(), ..wish.clone() };
    let open = || set_up(target, words, &wish).map_err(|error| not_set(&error));
    match target {
        Target::Path(path) => watchdog::over(&format!("opening {}", path.display()), stop, open),
        _ => open(),
    }
}

/// Returns an empty run of this command line on `setup`.
pub(crate) fn header(setup: &Setup) -> Run {
    let mut run = begun(setup.host.clone());
    run.target = Some(setup.facts.clone());
    run
}

/// Reads the volumes' own counters of how often their limits were exceeded so far.
fn exceeded(setup: &Setup) -> Vec<ExceededWhile> {
    if setup.is_virtual() {
        return Vec::new();
    }
    let root = sampler::Root::real();
    let counted = |device: &DeviceFacts| {
        let before = sampler::read_exceeded_limits(&root, &device.name)?;
        Some(ExceededWhile { device: device.name.clone(), before, ..ExceededWhile::default() })
    };
    setup.facts.devices.iter().filter_map(counted).collect()
}

/// Returns an empty run of this command line on this machine.
pub(crate) fn begun(host: HostFacts) -> Run {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut run = Run::started(words, now.as_millis() as u64);
    run.host = Some(host);
    run
}

/// Makes the path of a target absolute, so that the run file identifies the target later.
pub fn absolute(target: &Target, typed: &str) -> String {
    match target {
        Target::Path(path) => path.canonicalize().unwrap_or_else(|_| path.clone()).display().to_string(),
        _ => typed.to_owned(),
    }
}

/// Returns where progress goes: nowhere in virtual time, which passes faster than anyone reads.
pub(crate) fn shown(setup: &Setup) -> ProgressDisplay {
    match ProgressDisplay::fitting() {
        ProgressDisplay::Events => ProgressDisplay::Events,
        _ if setup.is_virtual() => ProgressDisplay::Nowhere,
        fitting => fitting,
    }
}

/// Describes a planned step, with the reason for every choice.
pub fn plan_words(plan: &StepPlan) -> String {
    let words = plan
        .choices
        .iter()
        .map(|choice| report::wrap("  ", &format!("{} {}: {}", choice.what, choice.value, choice.reason)));
    words.collect()
}

/// Waits until the target is idle; refuses a busy one, because `what` would disturb the programs that use it.
pub fn idle_gate(setup: &mut Setup, what: &str, stop: &StopFlag) -> Result<(), Failure> {
    if setup.is_virtual() {
        return Ok(());
    }
    for attempt in 0..IDLE_PATIENCE_S {
        let Some(seen) = setup.runner.watch_idle(&|| stop.raised()) else { return Ok(()) };
        if stop.raised() {
            return Err(Failure {
                code: Code::Interrupted,
                message: "stopped before anything was measured".into(),
            });
        }
        if seen.is_idle() {
            return Ok(());
        }
        if attempt == 0 {
            output::people(&format!("  waiting for {}: somebody is using it", seen.device));
        }
        if attempt + 1 == IDLE_PATIENCE_S {
            return Err(Failure::refused(format!(
                "{} is busy: others do {:.0} I/Os a second on it ({:.1} MiB/s, busy {:.0} % of the time), and {what} would \
                 saturate it for them. Wait until it is idle, or say --busy to measure all the same.",
                seen.device,
                seen.ops_per_second,
                seen.bytes_per_second / 1048576.0,
                seen.busy_share * 100.0
            )));
        }
    }
    Ok(())
}

/// Runs the steps that `next` returns; the failure says why not all could be run.
pub(crate) fn measure(
    setup: &mut Setup,
    next: Next<'_>,
    mut recorder: RunRecorder,
) -> (FinishedRecording, Option<Failure>) {
    let (steps, failure) = conduct(next, setup.runner.as_mut(), &mut recorder);
    let recorded = settle(setup, (&steps, recorder), failure.as_ref());
    (recorded, failure.map(Failure::failed))
}

/// Ends the recording of `steps`, with the reason if not all could be run.
pub(crate) fn settle(
    setup: &Setup,
    (steps, mut recorder): (&[StepRecord], RunRecorder),
    failure: Option<&RunnerError>,
) -> FinishedRecording {
    look_at_shares(setup, steps, &mut recorder);
    let now = setup.runner.now();
    let mut recorded = recorder.done();
    if let Some(text) = &recorded.trouble {
        output::people(&format!("plimsoll: the run file is not complete: {text}"));
    }
    if steps.last().is_some_and(|step| step.ending == Ending::Interrupted) {
        recorded.note(Event {
            at: now,
            kind: EventKind::Interrupt,
            text: "stopped by a signal or by q".into(),
        });
    }
    if let Some(error) = failure {
        recorded.note(Event { at: now, kind: EventKind::Failure, text: error.to_string() });
    }
    recorded
}

/// Records which shares of the region were unwritten or cached; a device that still holds I/O is not asked.
pub(crate) fn look_at_shares(setup: &Setup, steps: &[StepRecord], recorder: &mut RunRecorder) {
    if steps.last().is_none_or(|step| held(step).next().is_none()) {
        // Stored before the target is asked, because the target may not answer.
        recorder.commit();
        recorder.shares(setup.runner.shares());
    }
}

/// Limits and expectation that a run is compared with; by default none, and the run's figures are the result.
#[derive(Debug, Default)]
pub struct Against {
    /// The policy by name.
    pub policy: Option<PolicyName>,
    /// Limits of the policy.
    pub limits: Option<Limits>,
    /// Expectation that the user stated in words.
    pub expectation: Option<Expectation>,
}

impl Against {
    /// No limits and no expectation.
    pub const NOTHING: Against = Against { policy: None, limits: None, expectation: None };

    /// Adopts `limits` if there is no policy and no expectation: a load that a policy states is compared with that
    /// policy.
    pub fn fall_back_on(&mut self, limits: Option<Limits>) {
        if let (None, None, Some(limits)) = (&self.policy, &self.expectation, limits) {
            self.policy = Some(limits.policy.clone());
            self.limits = Some(limits);
        }
    }

    /// Records the policy and the expectation in `run`.
    pub(crate) fn name_in(&self, run: &mut Run) {
        run.policy = self.policy.as_ref().map(PolicyName::to_string);
        run.expectation = self.expectation.as_ref().map(Expectation::to_string);
        run.own_policies = policy::adopted();
    }

    /// Analyses `run`.
    pub(crate) fn analyse(&self, run: &Run) -> Analysis {
        analyse(run, self.limits.as_ref(), self.expectation.as_ref())
    }
}

/// Reports about the steps of a run besides their measurements.
#[derive(Clone, Copy)]
pub struct Course<'a> {
    /// Returns the remaining seconds after these steps.
    pub left: &'a dyn Fn(&[StepRecord]) -> f64,
    /// Returns remarks on all steps of the run.
    pub remarks: &'a dyn Fn(&[StepRecord]) -> Vec<String>,
}

/// A run that is ready to begin.
pub struct Session<'a> {
    /// The opened target and its runner.
    pub setup: Setup,
    /// Folder and name of the run file and the page.
    pub place: &'a Place,
    /// Stop request.
    pub stop: &'a StopFlag,
    /// Expected duration in seconds.
    pub seconds: f64,
    /// Reports about the steps; `None` if the steps were known beforehand.
    pub course: Option<Course<'a>>,
    /// Limits and expectation that the run is compared with.
    pub against: &'a Against,
    /// Request to the procedure; `None` if the steps say everything.
    pub asked: Option<ProcedureRequest>,
}

/// Records of an earlier session of the run; empty for a new run.
#[derive(Debug, Default)]
pub struct Earlier {
    /// Steps of the earlier session.
    pub steps: Vec<StepRecord>,
    /// Time at which the run's clock showed zero, in milliseconds since 1970, UTC.
    pub started_unix_ms: u64,
}

impl Earlier {
    /// Makes `run` and the clock of `runner` continue from the earlier session.
    fn before(&self, run: &mut Run, runner: &mut dyn Runner) -> Result<(), Failure> {
        let Some(last) = self.steps.last() else { return Ok(()) };
        let between = Nanos::from_millis(run.started_unix_ms.saturating_sub(self.started_unix_ms));
        let passed = between + runner.now();
        // A wall clock that was set back must not make steps overlap.
        if !runner.go_on_from(passed.max(last.ended)) {
            return Err(Failure::refused(
                "this run cannot go on: the machine has been started since, or the target has no clock; begin a new one",
            ));
        }
        (run.started_unix_ms, run.started_unix_ns) = (self.started_unix_ms, None);
        Ok(())
    }
}

impl Session<'_> {
    /// Runs the steps that `next` returns, stores and draws them, and calls `tell` to report the result. Returns the
    /// exit code, which is that of `tell` if the run came to its end.
    ///
    /// The run goes on after the steps of an earlier session, if there are any, which `next` and the answer include; its
    /// clock includes the time between the sessions.
    ///
    /// # Errors
    /// A step could not be run, a file could not be written, or the machine has been restarted since the earlier session.
    pub fn go_on(
        mut self,
        earlier: &Earlier,
        next: Next<'_>,
        tell: &dyn Fn(&Run, &Analysis) -> Result<u8, Failure>,
    ) -> Result<u8, Failure> {
        let left = RemainingTime::of(self.seconds);
        let live = Live::of_steps(shown(&self.setup), left.clone());
        let live = match &self.asked {
            Some(ProcedureRequest::Burst(_)) if earlier.steps.is_empty() => {
                live.with_outlooks(self.outlooks())
            }
            _ => live,
        };
        let recorder = self.begin(live, earlier)?;
        let course = self.course;
        let next = |done: &[StepRecord]| {
            let all = (!earlier.steps.is_empty()).then(|| [earlier.steps.as_slice(), done].concat());
            let done = all.as_deref().unwrap_or(done);
            course.iter().for_each(|course| left.set((course.left)(done)));
            next(done)
        };
        let (recorded, failed) = measure(&mut self.setup, &next, recorder);
        let (place, stop) = (self.place, self.stop);
        let FinishedRun { run, analysis, kept } = self.end(recorded);
        if let Some(failure) = failed {
            output::people(&place.files_line());
            return Err(failure);
        }
        // The answer comes first, then an error if it could not be stored.
        let code = tell(&run, &analysis)?;
        kept.whole()?;
        Ok(cut_short(&run, stop).map_or(code, |code| code as u8))
    }

    /// Returns the predictor of this target's burst. The size is given only for a block device, because the size
    /// of a file says nothing about its volume.
    fn outlooks(&self) -> Outlooks {
        let facts = &self.setup.facts;
        let device = facts.devices.first().filter(|_| facts.kind == TargetKind::BlockDevice);
        Outlooks::new(self.against.limits.clone(), device.map(|device| device.size))
    }

    /// Creates the run file, which at first holds only the `earlier` steps.
    pub(crate) fn begin(&mut self, live: Live, earlier: &Earlier) -> Result<RunRecorder, Failure> {
        let mut run = header(&self.setup);
        // The clock has run since the target was opened, also while waiting for others; a continued run counts
        // from its zero.
        let shows = self.setup.runner.now();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let zero = (now.as_nanos() as u64).saturating_sub(shows.0);
        (run.started_unix_ms, run.started_unix_ns) = (zero / 1_000_000, Some(zero));
        earlier.before(&mut run, self.setup.runner.as_mut())?;
        self.against.name_in(&mut run);
        run.asked = self.asked.take();
        run.exceeded = exceeded(&self.setup);
        run.forecast = (self.seconds > 0.0).then(|| Nanos::from_secs_f64(self.seconds));
        let mut recorder = RunRecorder::begin(run, self.place, self.stop, live)?;
        recorder.go_on_behind(&earlier.steps);
        Ok(recorder)
    }

    /// Reads the volumes' counters of exceeded limits again, and stores the differences.
    fn count_exceeded(&self, run: &mut Run) {
        let now = exceeded(&self.setup);
        let lasted = run.steps.last().map_or(Nanos::ZERO, |step| step.ended);
        for counted in &mut run.exceeded {
            counted.after = now.iter().find(|after| after.device == counted.device).map(|after| after.before);
            counted.lasted = lasted;
        }
    }

    /// Completes and stores the run, and releases the target.
    pub(crate) fn end(self, mut recorded: FinishedRecording) -> FinishedRun {
        self.remark(&mut recorded);
        let FinishedRecording { mut run, file, .. } = recorded;
        self.count_exceeded(&mut run);
        run.complete = true;
        let analysis = self.against.analyse(&run);
        let kept = keep(&mut run, &analysis, file, self.place);
        FinishedRun { run, analysis, kept }
    }
}

/// A run that is over.
pub(crate) struct FinishedRun {
    /// The recorded run.
    pub(crate) run: Run,
    /// Analysis of the run.
    pub(crate) analysis: Analysis,
    /// Outcome of writing the run's files.
    pub(crate) kept: FilesOutcome,
}

impl Session<'_> {
    /// Reports and records remarks on the steps that ran.
    fn remark(&self, recorded: &mut FinishedRecording) {
        let steps = &recorded.run.steps;
        let at = steps.last().map_or(Nanos::ZERO, |step| step.ended);
        let remarks = self.course.map(|course| (course.remarks)(steps)).unwrap_or_default();
        for text in remarks {
            output::people(report::wrap("  ", &text).trim_end());
            recorded.note(Event { at, kind: EventKind::Note, text });
        }
    }
}

/// Returns the failure of a setup: refused, or stopped while it was being made.
pub(crate) fn not_set(error: &SetupError) -> Failure {
    match error {
        SetupError::Lab(error) => no_lab(error),
        other => Failure::refused(other),
    }
}

/// Returns the failure of a lab volume: refused, or stopped while it was being made.
pub fn no_lab(error: &LabError) -> Failure {
    let code = if matches!(error, LabError::Interrupted) { Code::Interrupted } else { Code::Refused };
    Failure { code, message: error.to_string() }
}

/// Outcome of writing the two files of a run.
pub(crate) struct FilesOutcome {
    /// Error if the run file could not be closed whole.
    pub(crate) stored: Result<(), Failure>,
    /// Error if the page could not be written.
    pub(crate) drawn: Result<(), Failure>,
}

impl FilesOutcome {
    /// Returns the first error.
    pub(crate) fn whole(self) -> Result<(), Failure> {
        self.stored.and(self.drawn)
    }
}

/// Stores the findings, closes the run file, and draws the page beside it; if the folder does not answer, there is
/// no page.
pub(crate) fn keep(
    run: &mut Run,
    analysis: &Analysis,
    mut recorder: Recorder,
    place: &Place,
) -> FilesOutcome {
    run.findings = analysis.stored(&report::sentence);
    recorder.header(run);
    recorder.findings(&run.findings);
    let kept = match recorder.finish() {
        Err(error @ WriteError::Silent { .. }) => FilesOutcome {
            stored: Err(Failure::failed(error)),
            drawn: Err(Failure::failed("there is no page")),
        },
        stored => FilesOutcome {
            stored: stored.map(drop).map_err(Failure::failed),
            drawn: place.put_report(&report::html(run, analysis)),
        },
    };
    place.tell_result(run, analysis);
    kept
}

/// Returns the exit code of a run that did not come to its end, and so has no verdict.
pub(crate) fn cut_short(run: &Run, stop: &StopFlag) -> Option<Code> {
    let failed = run.steps.iter().any(|step| step.ending == Ending::Failed);
    if stop.raised() {
        return stop.code();
    }
    failed.then_some(Code::Failed)
}
