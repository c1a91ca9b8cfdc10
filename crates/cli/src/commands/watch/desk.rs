//! Where everything of a watch comes together: samples and phases into the run file, the live line, a wish to stop.

use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};

use experiments::Lookout;
use record::{Event, EventKind, Interval, Observer, Phase, PhaseKind, Run, Sample, Silence, StepRecord};
use runfile::{Recorder, Stored, WriteError};
use sampler::SamplerThread;
use session::Shares;
use workload::{Nanos, StepPlan};

use super::line::{self, Doing};
use session::observer::Shown;
use session::output;
use session::signals::StopFlag;

/// Least time between two live lines.
const LINE_APART: Duration = Duration::from_millis(250);
/// How often the open phase of a command is stored anew.
const LENGTHEN_EVERY: Nanos = Nanos::from_secs(10);
/// A last sample so short a part of an interval after the one before, as a divisor, says nothing but noise.
const TAIL_PART: u64 = 5;

/// Takes what happens. The engine and the waiting loops ask it several times a second whether to go on; that is when it
/// takes the samples, so that they reach the run file although no I/O of the load comes back.
pub struct Desk {
    within: RefCell<Within>,
    stop: StopFlag,
    is_virtual: bool,
    /// Where samples come from once it is there; before, and in virtual time, from the runner.
    sampler: Option<SamplerThread>,
}

struct Within {
    run: Run,
    recorder: Recorder,
    lookout: Lookout,
    every: Nanos,
    samples: u64,
    last: Option<Sample>,
    live: Live,
    trouble: Trouble,
}

/// Trouble with the run file. The watch goes on: a full disk may have room again.
#[derive(Default)]
struct Trouble {
    first: Option<String>,
    now: bool,
    lost: u64,
}

struct Live {
    shown: Shown,
    phase: String,
    /// When the phase ends, where that is known.
    until: Option<Instant>,
    doing: Option<Doing>,
    favoured: Vec<String>,
    drawn: Option<Instant>,
}

/// What a desk is opened with.
pub struct Opening {
    /// The run so far: header, devices.
    pub run: Run,
    /// Its file.
    pub recorder: Recorder,
    /// Time between two samples.
    pub every: Nanos,
    /// Where progress goes.
    pub shown: Shown,
    /// Devices that the live line tells of; none: of the busiest.
    pub favoured: Vec<String>,
}

/// What a desk leaves when it is closed.
pub struct Closed {
    /// The run as far as it is kept in memory: without samples.
    pub run: Run,
    /// Its file.
    pub recorder: Recorder,
    /// What could not be stored, in words.
    pub trouble: Option<String>,
}

impl Desk {
    /// A desk on a run file in which nothing stands yet but its header.
    pub fn open(opening: Opening, stop: StopFlag) -> Desk {
        let Opening { run, recorder, every, shown, favoured } = opening;
        let live = Live { shown, phase: String::new(), until: None, doing: None, favoured, drawn: None };
        let within = Within {
            run,
            recorder,
            lookout: Lookout::new(every),
            every,
            samples: 0,
            last: None,
            live,
            trouble: Trouble::default(),
        };
        let is_virtual = shown == Shown::Nowhere;
        Desk { within: RefCell::new(within), stop, is_virtual, sampler: None }
    }

    /// From here on samples come from `sampler`.
    pub fn sample_by(&mut self, sampler: SamplerThread) {
        self.sampler = Some(sampler);
    }

    /// What the region held when it was loaded.
    pub fn shares(&mut self, shares: Shares) {
        let mut within = self.within.borrow_mut();
        if let Some(facts) = &mut within.run.target {
            facts.unwritten_share = shares.unwritten;
            facts.cached_share = shares.cached;
        }
        within.header();
    }

    /// Says what goes on for how long, where no phase does.
    pub fn says(&self, what: &str, length: Option<Nanos>) {
        self.within.borrow_mut().live.begin(what, length);
    }

    /// Takes the samples that have come, and draws the live line.
    pub fn tick(&self) {
        let mut within = self.within.borrow_mut();
        if let Some(sampler) = &self.sampler {
            sampler.taken().for_each(|sample| within.sample(sample));
        }
        within.look_at_outcomes();
        within.live.draw();
    }

    /// Whether a device was waited for in vain.
    pub fn gave_up(&self) -> bool {
        self.stop.gave_up()
    }

    /// Keeps an event.
    pub fn note(&self, event: Event) {
        self.within.borrow_mut().event(event);
    }

    /// Ends sampling and the live line.
    pub fn close(self) -> Closed {
        let mut within = self.within.into_inner();
        for sample in self.sampler.map(SamplerThread::stop).unwrap_or_default() {
            if !within.is_noise(&sample) {
                within.sample(sample);
            }
        }
        within.live.clear();
        within.recorder.commit();
        let last = within.recorder.settle();
        within.keep_all(last);
        let Within { run, recorder, trouble, .. } = within;
        Closed { run, recorder, trouble: trouble.words() }
    }
}

impl Observer for Desk {
    fn interval(&mut self, interval: &Interval) {
        self.within.borrow_mut().recorder.interval(interval);
    }

    /// Only a runner in virtual time is listened to: elsewhere the thread samples, and nobody before it does.
    fn sample(&mut self, sample: &Sample) {
        if self.is_virtual {
            self.within.borrow_mut().sample(sample.clone());
        }
    }

    fn silence(&mut self, silence: &Silence) {
        self.stop.note(silence);
        self.note(Event { at: silence.at, kind: EventKind::Warning, text: silence.to_string() });
    }

    fn patience(&self) -> Nanos {
        self.stop.patience()
    }

    fn interrupted(&self) -> bool {
        self.tick();
        self.stop.raised()
    }

    fn step_started(&mut self, plan: &StepPlan, at: Nanos) {
        self.within.borrow_mut().recorder.step_started(plan, at);
    }

    fn step_ended(&mut self, record: &StepRecord) {
        let mut within = self.within.borrow_mut();
        within.recorder.step_ended(record);
        within.run.steps.push(record.clone());
    }

    fn phase_started(&mut self, phase: &Phase) {
        let mut within = self.within.borrow_mut();
        within.live.begin(&phase.name, Some(phase.to.since(phase.from)));
        within.run.phases.push(phase.clone());
        within.phases();
    }

    fn phase_ended(&mut self, phase: &Phase) {
        let mut within = self.within.borrow_mut();
        within.run.phases.pop();
        within.run.phases.push(phase.clone());
        within.phases();
        let line = within.phase_words(phase);
        within.live.phase_done(&line);
    }

    fn event(&mut self, event: &Event) {
        self.note(event.clone());
    }
}

impl Within {
    fn sample(&mut self, sample: Sample) {
        for event in self.lookout.look(&sample) {
            self.event(event);
        }
        self.recorder.sample(&sample);
        self.look_at_outcomes();
        self.samples += 1;
        if let Some(before) = &self.last {
            let found = line::busiest((before, &sample), &self.live.favoured, self.live.doing.as_ref());
            self.live.doing = found;
        }
        self.lengthen(sample.at);
        self.last = Some(sample);
    }

    /// A command's end is not known before it comes: its phase reaches as far as was seen, so that a watch that is killed
    /// shows it up to there.
    fn lengthen(&mut self, at: Nanos) {
        let open = |phase: &&mut Phase| phase.kind == PhaseKind::Command { code: None };
        let Some(phase) = self.run.phases.last_mut().filter(open) else { return };
        if at.since(phase.to) >= LENGTHEN_EVERY {
            phase.to = at;
            self.phases();
        }
    }

    fn event(&mut self, event: Event) {
        self.recorder.event(&event);
        self.live.say(&event.text);
        self.run.events.push(event);
    }

    /// What is known of the run as a whole goes into its file now, so that it is there whatever happens next.
    fn header(&mut self) {
        self.recorder.header(&self.run);
        self.recorder.commit();
    }

    fn phases(&mut self) {
        self.recorder.phases(&self.run.phases);
    }

    /// The line of a phase that is over.
    fn phase_words(&self, phase: &Phase) -> String {
        let span = report::numbers::span(phase.to.since(phase.from).as_secs_f64());
        match &phase.kind {
            PhaseKind::Load { step, .. } => {
                let record = self.run.steps.iter().find(|record| record.plan.name == *step);
                record.map_or_else(|| format!("  {}: not run", phase.name), report::step_done)
            }
            PhaseKind::Idle => format!("  {:<42}{span:>21}", phase.name),
            PhaseKind::Command { code } => {
                let code = code.map_or_else(|| "unknown".to_owned(), |code| code.to_string());
                format!("  the command has ended after {span}, exit code {code}")
            }
        }
    }

    fn is_noise(&self, sample: &Sample) -> bool {
        let short = |last: &Sample| sample.at.since(last.at).0 < self.every.0 / TAIL_PART;
        self.samples > 1 && self.last.as_ref().is_some_and(short)
    }

    /// What has become of what was handed to the run file.
    fn look_at_outcomes(&mut self) {
        let outcomes = self.recorder.outcomes();
        self.keep_all(outcomes);
    }

    fn keep_all(&mut self, outcomes: Vec<runfile::Outcome>) {
        for (of, stored) in outcomes {
            if stored.is_err() && of == Stored::Sample {
                self.trouble.lost += 1;
            }
            self.keep(stored);
        }
    }

    /// The first trouble is told at once, since a watch may go on for a day; so is its end.
    fn keep(&mut self, stored: Result<(), WriteError>) {
        match stored {
            Err(error) if !self.trouble.now => {
                self.trouble.now = true;
                let text = error.to_string();
                self.live.say(&format!("plimsoll: what is seen now is not kept: {text}"));
                self.trouble.first.get_or_insert(text);
            }
            Ok(()) if self.trouble.now => {
                self.trouble.now = false;
                self.live.say("plimsoll: the run file is written again");
            }
            _ => {}
        }
    }
}

impl Trouble {
    fn words(&self) -> Option<String> {
        let first = self.first.as_ref()?;
        match self.lost {
            0 => Some(first.clone()),
            lost => Some(format!("{first} ({lost} samples are missing)")),
        }
    }
}

impl Live {
    fn begin(&mut self, phase: &str, length: Option<Nanos>) {
        phase.clone_into(&mut self.phase);
        self.until = length.map(|length| Instant::now() + Duration::from_nanos(length.0));
        self.drawn = None;
    }

    fn draw(&mut self) {
        if self.shown != Shown::Line || self.drawn.is_some_and(|drawn| drawn.elapsed() < LINE_APART) {
            return;
        }
        self.drawn = Some(Instant::now());
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()).as_secs_f64());
        output::live(&line::words(&self.phase, left, self.doing.as_ref(), line::room()));
    }

    /// A line of its own for a phase that is over.
    fn phase_done(&mut self, line: &str) {
        if self.shown != Shown::Nowhere {
            self.clear();
            output::people(line);
        }
    }

    /// A line of its own, above the live one.
    fn say(&mut self, text: &str) {
        if self.shown != Shown::Nowhere {
            self.clear();
            output::people(report::wrap("  ", text).trim_end());
            self.drawn = None;
        }
    }

    fn clear(&self) {
        if self.shown == Shown::Line {
            output::live("");
        }
    }
}

/// The run as its file holds it, with all samples; where that cannot be read, what is `known` without it.
pub fn read_back(path: &Path, known: Run) -> Run {
    runfile::read(path).unwrap_or_else(|error| {
        output::people(&format!("plimsoll: what was stored cannot be read back: {error}"));
        known
    })
}
