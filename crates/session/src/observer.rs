//! Whoever is told while a run goes on: writes the run file, keeps the live line, and passes on a wish to stop.

use std::io::IsTerminal;
use std::time::Instant;

use record::{Event, EventKind, Interval, Note, Observer, Sample, Silence, StepRecord};
use report::Progress;
use runfile::{Recorder, WriteError};
use workload::{Nanos, StepPlan};

use crate::output;
use crate::run;
use crate::signals::StopFlag;

/// I/Os that the kernel holds are named up to so many, and counted beyond.
const HELD_NAMED: usize = 3;

/// Tells the run file and the people in front of the terminal what happens.
pub struct RunObserver {
    recorder: Recorder,
    stop: StopFlag,
    live: Live,
    samples: Vec<Sample>,
    /// The first trouble with the run file; the run goes on, and the end says it.
    trouble: Option<String>,
}

/// The live line on stderr.
struct Live {
    shown: Shown,
    now: Progress,
    began: Instant,
    seconds_most: f64,
}

/// Where progress goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// One line that is written over.
    Line,
    /// A line a step.
    Plain,
    /// Nowhere.
    Nowhere,
}

impl Shown {
    /// A line where stderr is a terminal, plain lines elsewhere.
    pub fn fitting() -> Shown {
        if std::io::stderr().is_terminal() { Shown::Line } else { Shown::Plain }
    }
}

impl RunObserver {
    /// A scribe that hands everything to `recorder`; `seconds_most` is what the forecast promised.
    pub fn new(recorder: Recorder, stop: StopFlag, shown: Shown, seconds_most: f64) -> RunObserver {
        let live = Live { shown, now: Progress::default(), began: Instant::now(), seconds_most };
        RunObserver { recorder, stop, live, samples: Vec::new(), trouble: None }
    }

    /// Ends the live line, waits for the run file as far as that is sensible, and gives back the recorder, the samples and
    /// the first trouble that it had.
    pub fn done(mut self) -> (Recorder, Vec<Sample>, Option<String>) {
        self.live.clear();
        let last = self.recorder.settle();
        last.into_iter().for_each(|(_, stored)| self.keep(stored));
        (self.recorder, self.samples, self.trouble)
    }

    /// Names the I/O that the kernel had not given back when the step was left: it may still reach the target.
    fn name_held(&self, record: &StepRecord) {
        let held: Vec<&Note> = run::held(record).collect();
        held.iter().take(HELD_NAMED).for_each(|note| self.live.say(&report::note(note)));
        if held.len() > HELD_NAMED {
            self.live.say(&format!("and {} more; the run file names them all", held.len() - HELD_NAMED));
        }
    }

    fn keep(&mut self, result: Result<(), WriteError>) {
        if let (Err(error), None) = (result, &self.trouble) {
            self.trouble = Some(error.to_string());
        }
    }

    fn look_at_outcomes(&mut self) {
        let outcomes = self.recorder.outcomes();
        outcomes.into_iter().for_each(|(_, stored)| self.keep(stored));
    }
}

impl Observer for RunObserver {
    fn interval(&mut self, interval: &Interval) {
        self.recorder.interval(interval);
        self.look_at_outcomes();
        self.live.interval(interval);
    }

    fn sample(&mut self, sample: &Sample) {
        self.recorder.sample(sample);
        self.look_at_outcomes();
        self.samples.push(sample.clone());
    }

    fn silence(&mut self, silence: &Silence) {
        self.stop.note(silence);
        self.event(&Event { at: silence.at, kind: EventKind::Warning, text: silence.to_string() });
    }

    fn patience(&self) -> Nanos {
        self.stop.patience()
    }

    fn interrupted(&self) -> bool {
        self.stop.raised()
    }

    fn step_started(&mut self, plan: &StepPlan, at: Nanos) {
        self.recorder.step_started(plan, at);
        self.live.step_started(plan);
    }

    fn step_ended(&mut self, record: &StepRecord) {
        self.recorder.step_ended(record);
        self.look_at_outcomes();
        self.live.step_ended(record);
        self.name_held(record);
    }

    fn event(&mut self, event: &Event) {
        self.recorder.event(event);
        self.live.say(&event.text);
    }
}

impl Live {
    fn step_started(&mut self, plan: &StepPlan) {
        self.now = Progress { step: plan.name.clone(), ..Progress::default() };
        self.line();
    }

    fn interval(&mut self, interval: &Interval) {
        self.now.iops = interval.iops();
        self.now.bytes_per_second = interval.bytes_per_second();
        self.line();
    }

    fn step_ended(&mut self, record: &StepRecord) {
        if self.shown == Shown::Plain {
            output::people(&report::step_done(record));
        }
    }

    /// Writes the live line over itself.
    fn line(&mut self) {
        if self.shown == Shown::Line {
            self.now.left_s = Some((self.seconds_most - self.began.elapsed().as_secs_f64()).max(1.0));
            output::live(&report::progress(&self.now));
        }
    }

    /// A line of its own, above the live one.
    fn say(&self, text: &str) {
        if self.shown != Shown::Nowhere {
            self.clear();
            output::people(&report::wrap("  ", text));
        }
    }

    fn clear(&self) {
        if self.shown == Shown::Line {
            output::live("");
        }
    }
}
