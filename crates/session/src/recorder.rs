//! The one observer of a run: stores and shows events, keeps what the analysis needs, and passes on a stop request.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use experiments::Anomalies;
use metrics::RunCounters;
use record::{
    Event, EventKind, Interval, Observer, Phase, PhaseKind, Run, Sample, Silence, SilenceStage, StepRecord,
};
use runfile::{EntryKind, Outcome, Recorder, WriteError, Writer};
use sampler::SamplerThread;
use workload::{Nanos, StepPlan};

use crate::failure::Failure;
use crate::keys::Keys;
use crate::live::Live;
use crate::onlookers::Audience;
use crate::place::{Place, short};
use crate::runner::Shares;
use crate::signals::StopFlag;

/// Time between updates of the stored end of a command's phase while the command runs.
const LENGTHEN_EVERY: Nanos = Nanos::from_secs(10);
/// Gap between two calls of the engine during a step from which the gap is reported: the calls come several times
/// a second, and on a busy machine once a second.
const NOT_LOOKED: Duration = Duration::from_secs(3);
/// Divisor of the sampling interval: a last sample that follows the previous one by less than this part is noise.
const TAIL_PART: u64 = 5;

/// Records the events of a run. The engine and the waiting loops ask several times a second whether to go on; these
/// calls also take the samples of the sampling thread, so that samples reach the run file even if no I/O of the
/// load completes.
pub(crate) struct RunRecorder {
    state: RefCell<State>,
    stop: StopFlag,
    /// Source of a watch's samples, once it has started.
    sampler: Option<SamplerThread>,
    sampled_by: SampledBy,
    /// Held while a live view is shown.
    keys: Option<Keys>,
}

/// Source of the stored samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SampledBy {
    /// The runner.
    Runner,
    /// A sampling thread; any other samples are ignored.
    Thread,
}

struct State {
    run: Run,
    file: Recorder,
    live: Live,
    /// Onlookers of the run elsewhere.
    audience: Option<Audience>,
    /// Whether a step runs.
    in_step: bool,
    /// When the recorder was last asked whether to go on, and the latest time on the run's clock reported by then;
    /// `None` before the first time.
    looked: Option<(Instant, Nanos)>,
    /// Latest time on the run's clock that an event has reported.
    heard_of: Nanos,
    /// State of a watch's samples, which are too many to be kept in memory; `None` for other runs.
    series: Option<Series>,
    trouble: Trouble,
}

/// Samples of a watch.
struct Series {
    every: Nanos,
    anomalies: Anomalies,
    samples: u64,
    last: Option<Sample>,
    /// Number of samples that could not be stored.
    lost: u64,
}

/// Trouble with the run file. The run goes on, because a full disk may have room again.
#[derive(Default)]
struct Trouble {
    first: Option<String>,
    now: bool,
}

/// A run whose recording is finished.
pub(crate) struct FinishedRecording {
    /// The run in memory: everything but the samples of a watch.
    pub run: Run,
    /// The run file, still open.
    pub file: Recorder,
    /// Description of what could not be stored.
    pub trouble: Option<String>,
}

impl RunRecorder {
    /// Creates the file of `run`, in which nothing has happened yet, and opens it for writing.
    ///
    /// # Errors
    /// The file cannot be created; no part of it remains.
    pub fn begin(run: Run, place: &Place, stop: &StopFlag, live: Live) -> Result<RunRecorder, Failure> {
        let writer = Writer::create(|bytes| place.bear(bytes), &run, place.same_device);
        let file = writer.and_then(Recorder::start).map_err(|error| not_begun(place, &error))?;
        let audience = place.begin_showing();
        let live = live.told_by(place.begin_telling(&run)).told_to(audience.clone());
        let keys = live.is_drawn().then(Keys::take).flatten();
        let state = State {
            run,
            file,
            live,
            audience,
            in_step: false,
            looked: None,
            heard_of: Nanos::ZERO,
            series: None,
            trouble: Trouble::default(),
        };
        Ok(RunRecorder {
            state: RefCell::new(state),
            stop: stop.clone(),
            sampler: None,
            sampled_by: SampledBy::Runner,
            keys,
        })
    }

    /// Makes this the recorder of a watch, with a sample every `every`.
    pub fn of_watch(mut self, every: Nanos, sampled_by: SampledBy) -> RunRecorder {
        let anomalies = Anomalies::new(every);
        self.state.get_mut().series = Some(Series { every, anomalies, samples: 0, last: None, lost: 0 });
        RunRecorder { sampled_by, ..self }
    }

    /// Puts the steps of an earlier session of the run first, as they were recorded.
    pub fn go_on_behind(&mut self, steps: &[StepRecord]) {
        let state = self.state.get_mut();
        for step in steps {
            state.file.step_started(&step.plan, step.started);
            step.intervals.iter().for_each(|interval| state.file.interval(interval));
            state.file.step_ended(step);
            state.run.steps.push(step.clone());
        }
        state.file.commit();
    }

    /// Takes samples from `sampler` from now on.
    pub fn sample_by(&mut self, sampler: SamplerThread) {
        self.sampler = Some(sampler);
    }

    /// Has the sampler follow the process `pid`, a command that has just been started.
    pub fn follow(&self, pid: u32) {
        self.sampler.iter().for_each(|sampler| sampler.follow(pid));
    }

    /// Requests that everything recorded so far is stored.
    pub fn commit(&mut self) {
        self.state.get_mut().file.commit();
    }

    /// Records which shares of the region were unwritten or cached during the load.
    pub fn shares(&mut self, shares: Shares) {
        let state = self.state.get_mut();
        if let Some(facts) = &mut state.run.target {
            facts.unwritten_share = shares.unwritten;
            facts.cached_share = shares.cached;
        }
        // Stored now, whatever happens next.
        state.file.header(&state.run);
        state.file.commit();
    }

    /// Shows that `what` is in progress outside any phase, and its length if known.
    pub fn says(&self, what: &str, length: Option<Nanos>) {
        self.state.borrow_mut().live.begin(what, length);
    }

    /// Takes in the samples that have arrived, and redraws the live line.
    pub fn tick(&self) {
        let mut state = self.state.borrow_mut();
        if let Some(sampler) = &self.sampler {
            sampler.taken().for_each(|sample| state.sample(sample));
        }
        state.look_at_outcomes();
        state.live.tick();
    }

    /// Whether a device was given up.
    pub fn gave_up(&self) -> bool {
        self.stop.gave_up()
    }

    /// Records an event.
    pub fn note(&self, event: Event) {
        self.state.borrow_mut().event(event);
    }

    /// Ends sampling, the live line and the taking of keys, and waits for the run file as long as is sensible.
    pub fn done(self) -> FinishedRecording {
        let mut state = self.state.into_inner();
        for sample in self.sampler.map(SamplerThread::stop).unwrap_or_default() {
            if !state.series.as_ref().is_some_and(|series| series.is_noise(&sample)) {
                state.sample(sample);
            }
        }
        state.live.clear();
        if state.series.is_some() {
            // Processes are known only now.
            state.file.header(&state.run);
        }
        state.file.commit();
        let last = state.file.settle();
        state.keep(last);
        let trouble = state.trouble.first.map(|first| match state.series {
            Some(Series { lost: lost @ 1.., .. }) => format!("{first} ({lost} samples are missing)"),
            _ => first,
        });
        FinishedRecording { run: state.run, file: state.file, trouble }
    }
}

impl FinishedRecording {
    /// Records an event after everything else.
    pub fn note(&mut self, event: Event) {
        self.file.event(&event);
        self.run.events.push(event);
    }
}

impl Observer for RunRecorder {
    fn interval(&mut self, interval: &Interval) {
        let state = self.state.get_mut();
        state.heard_of = state.heard_of.max(interval.end);
        state.file.interval(interval);
        state.look_at_outcomes();
        state.live.interval(interval);
        state.heard(|counted| counted.interval(interval));
    }

    fn sample(&mut self, sample: &Sample) {
        if self.sampled_by == SampledBy::Runner {
            self.state.get_mut().sample(sample.clone());
        }
    }

    fn silence(&mut self, silence: &Silence) {
        self.stop.note(silence);
        self.note(Event { at: silence.at, kind: EventKind::Warning, text: silence.to_string() });
        if silence.stage == SilenceStage::GivenUp {
            self.state.get_mut().live.say(&StopFlag::stays_behind());
        }
    }

    fn patience(&self) -> Nanos {
        self.stop.patience()
    }

    fn interrupted(&self) -> bool {
        self.state.borrow_mut().look_at_the_clock(Instant::now());
        self.tick();
        if self.keys.as_ref().is_some_and(Keys::ask_for_the_end) {
            self.stop.ask();
        }
        self.stop.raised()
    }

    fn step_started(&mut self, plan: &StepPlan, at: Nanos) {
        let state = self.state.get_mut();
        (state.in_step, state.looked, state.heard_of) = (true, None, at);
        state.file.step_started(plan, at);
        state.live.step_started(plan);
        let jobs = plan.workers.iter().map(|worker| worker.job.as_str());
        state.heard(|counted| counted.step_started(&plan.name, jobs));
    }

    fn step_ended(&mut self, record: &StepRecord) {
        let state = self.state.get_mut();
        state.in_step = false;
        state.file.step_ended(record);
        state.look_at_outcomes();
        state.live.step_ended(record);
        state.run.steps.push(record.clone());
        state.live.so_far(&state.run);
    }

    fn phase_started(&mut self, phase: &Phase) {
        let state = self.state.get_mut();
        state.live.begin(&phase.name, Some(phase.to.since(phase.from)));
        state.run.phases.push(phase.clone());
        state.phases();
    }

    fn phase_ended(&mut self, phase: &Phase) {
        let state = self.state.get_mut();
        state.run.phases.pop();
        state.run.phases.push(phase.clone());
        state.phases();
        let of_phase = |step: &&StepRecord| matches!(&phase.kind, PhaseKind::Load { step: name, .. } if step.plan.name == *name);
        state.live.phase_ended(phase, state.run.steps.iter().find(of_phase));
    }

    fn event(&mut self, event: &Event) {
        self.note(event.clone());
    }
}

impl State {
    /// Informs the machines that collect counters.
    fn heard(&self, take: impl FnOnce(&mut RunCounters)) {
        if let Some(audience) = &self.audience {
            audience.heard(take);
        }
    }

    /// Records an event if the engine did not call for long while a step ran; a watch detects this from its samples.
    fn look_at_the_clock(&mut self, now: Instant) {
        if !self.in_step || self.series.is_some() {
            return;
        }
        // The latest reported time may lie after the gap, so the event gets the time from before the gap.
        let Some((before, at)) = self.looked.replace((now, self.heard_of)) else { return };
        let length = now.saturating_duration_since(before);
        if length >= NOT_LOOKED {
            let since = format!("second {} of the run", at.0 / 1_000_000_000);
            let text = experiments::not_looked(Nanos(length.as_nanos() as u64), &since);
            self.event(Event { at, kind: EventKind::Warning, text });
        }
    }

    fn sample(&mut self, mut sample: Sample) {
        if let Some(processes) = sample.processes.take() {
            self.run.processes = processes;
        }
        self.heard(|counted| counted.sample(&sample));
        let odd = self.series.as_mut().map(|series| series.anomalies.look(&sample));
        odd.into_iter().flatten().for_each(|event| self.event(event));
        self.file.sample(&sample);
        self.look_at_outcomes();
        let Some(series) = &mut self.series else { return self.run.samples.push(sample) };
        series.samples += 1;
        if let Some(before) = &series.last {
            self.live.samples(before, &sample);
        }
        let at = sample.at;
        series.last = Some(sample);
        self.lengthen(at);
    }

    /// Extends the phase of a command, whose end is not known in advance, to the time `at`, so that the file of a
    /// watch that is killed shows the phase up to then.
    fn lengthen(&mut self, at: Nanos) {
        let open = |phase: &&mut Phase| phase.kind == PhaseKind::Command { code: None };
        let Some(phase) = self.run.phases.last_mut().filter(open) else { return };
        if at.since(phase.to) >= LENGTHEN_EVERY {
            phase.to = at;
            self.phases();
        }
    }

    fn event(&mut self, event: Event) {
        self.file.event(&event);
        self.live.say(&event.text);
        self.run.events.push(event);
    }

    fn phases(&mut self) {
        self.file.phases(&self.run.phases);
    }

    /// Checks whether the entries passed to the run file were stored.
    fn look_at_outcomes(&mut self) {
        let outcomes = self.file.outcomes();
        self.keep(outcomes);
    }

    /// Reports trouble of a watch at once, because a watch may last a day; and reports when the trouble is over.
    fn keep(&mut self, outcomes: Vec<Outcome>) {
        for (of, stored) in outcomes {
            let lost = stored.is_err() && of == EntryKind::Sample;
            let news = self.trouble.take(stored);
            if let Some(series) = &mut self.series {
                series.lost += u64::from(lost);
                news.iter().for_each(|text| self.live.say(text));
            }
        }
    }
}

impl Series {
    fn is_noise(&self, sample: &Sample) -> bool {
        let short = |last: &Sample| sample.at.since(last.at).0 < self.every.0 / TAIL_PART;
        self.samples > 1 && self.last.as_ref().is_some_and(short)
    }
}

impl Trouble {
    /// Takes in the outcome of an entry, and returns a message if the state of the file changed.
    fn take(&mut self, stored: Result<(), WriteError>) -> Option<String> {
        match stored {
            Err(error) if !self.now => {
                self.now = true;
                let text = error.to_string();
                let news = format!("plimsoll: what is seen now is not kept: {text}");
                self.first.get_or_insert(text);
                Some(news)
            }
            Ok(()) if self.now => {
                self.now = false;
                Some("plimsoll: the run file is written again".to_owned())
            }
            _ => None,
        }
    }
}

/// Explains why a run file could not be begun; no part of it remains.
fn not_begun(place: &Place, error: &WriteError) -> Failure {
    let full = match error {
        WriteError::Full { .. } => true,
        WriteError::Create { source, .. } => source.kind() == std::io::ErrorKind::StorageFull,
        _ => false,
    };
    if !full {
        return Failure::refused(error);
    }
    Failure::failed(format!(
        "there is no room to begin the run file {}, and nothing was measured; make room there, or name a folder on another \
         file system with --out",
        short(&place.run())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::{ProgressDisplay, RemainingTime};
    use record::HostFacts;

    fn sample(second: u64) -> Sample {
        Sample { at: Nanos::from_secs(second), ..Sample::default() }
    }

    fn begun(folder: &std::path::Path) -> (Place, RunRecorder) {
        let place = Place::new(Some(folder), ("vol", "check"), &[]).unwrap();
        let run = crate::run::begun(HostFacts::default());
        let live = Live::of_steps(ProgressDisplay::Nowhere, RemainingTime::of(0.0));
        let recorder = RunRecorder::begin(run, &place, &StopFlag::default(), live).unwrap();
        (place, recorder)
    }

    /// Returns the run as `recorder` keeps it in memory, and as its file holds it.
    fn done(place: &Place, recorder: RunRecorder) -> (Run, Run) {
        let FinishedRecording { run, file, trouble } = recorder.done();
        assert_eq!(trouble, None);
        file.finish().unwrap();
        (run, runfile::read(&place.run()).unwrap())
    }

    #[test]
    fn samples_of_steps_stay_in_memory_and_those_of_a_watch_in_its_file_alone() {
        for (is_watch, in_memory) in [(false, 3), (true, 0)] {
            let folder = tempfile::tempdir().unwrap();
            let (place, mut recorder) = begun(folder.path());
            if is_watch {
                recorder = recorder.of_watch(Nanos::SECOND, SampledBy::Runner);
            }
            (0..3).for_each(|second| recorder.sample(&sample(second)));
            let text = "something".to_owned();
            recorder.event(&Event { at: Nanos::SECOND, kind: EventKind::Note, text });
            let (known, stored) = done(&place, recorder);
            assert_eq!((known.samples.len(), stored.samples.len()), (in_memory, 3));
            assert_eq!((known.events.len(), &known.events), (1, &stored.events), "both tell the same");
        }
    }

    #[test]
    fn a_watch_with_a_thread_of_its_own_listens_to_that_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (place, recorder) = begun(folder.path());
        let mut recorder = recorder.of_watch(Nanos::SECOND, SampledBy::Thread);
        recorder.sample(&sample(1));
        assert_eq!(done(&place, recorder).1.samples.len(), 0);
    }

    #[test]
    fn the_phase_of_a_command_reaches_as_far_as_was_seen() {
        let folder = tempfile::tempdir().unwrap();
        let (place, recorder) = begun(folder.path());
        let mut recorder = recorder.of_watch(Nanos::SECOND, SampledBy::Runner);
        let kind = PhaseKind::Command { code: None };
        recorder.phase_started(&Phase { name: "command".into(), kind, from: Nanos::ZERO, to: Nanos::ZERO });
        [9, 11, 15].iter().for_each(|&second| recorder.sample(&sample(second)));
        let (known, stored) = done(&place, recorder);
        assert_eq!((known.phases[0].to, stored.phases[0].to), (Nanos::from_secs(11), Nanos::from_secs(11)));
    }

    #[test]
    fn a_gap_is_told_from_its_beginning_on_although_its_end_was_heard_of_first() {
        let folder = tempfile::tempdir().unwrap();
        let (place, mut recorder) = begun(folder.path());
        let began = Instant::now();
        let state = recorder.state.get_mut();
        (state.in_step, state.heard_of) = (true, Nanos::from_secs(4));
        state.look_at_the_clock(began);
        // The engine reports an interval before it asks whether to go on.
        state.heard_of = Nanos::from_secs(10);
        state.look_at_the_clock(began + Duration::from_secs(6));
        state.look_at_the_clock(began + Duration::from_secs(7));
        let (known, _) = done(&place, recorder);
        let [event] = &known.events[..] else { panic!("{:?}", known.events) };
        assert_eq!((event.kind, event.at), (EventKind::Warning, Nanos::from_secs(4)));
        assert!(event.text.contains("from second 4 of the run on"), "{}", event.text);
    }

    #[test]
    fn trouble_is_told_when_it_begins_and_when_it_is_over() {
        let mut trouble = Trouble::default();
        let lost = || Err(WriteError::Lost { path: "run".into() });
        assert!(trouble.take(Ok(())).is_none());
        assert!(trouble.take(lost()).is_some_and(|told| told.contains("is not kept")));
        assert!(trouble.take(lost()).is_none());
        assert!(trouble.take(Ok(())).is_some_and(|told| told.contains("written again")));
        assert!(trouble.first.is_some(), "its end does not undo it");
    }
}
