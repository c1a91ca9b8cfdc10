//! The live line on stderr, and the lines above it.

use std::cell::Cell;
use std::io::IsTerminal;
use std::rc::Rc;
use std::time::{Duration, Instant};

use analysis::{Outlooks, analyse};
use record::{Interval, Note, Phase, Run, Sample, StepRecord};
use report::{DeviceNow, Showing};
use workload::{Nanos, StepPlan};

use crate::busiest::busiest;
use crate::output;
use crate::region::{Region, room};

/// Least time between two lines of a watch.
const LINE_APART: Duration = Duration::from_millis(250);
/// Least time between two drawings of a run of steps, whose intervals may be of some milliseconds: drawing takes CPU from the load.
const DRAWN_APART: Duration = Duration::from_millis(100);
/// I/Os that the kernel holds are named up to so many, and counted beyond.
const HELD_NAMED: usize = 3;

/// Where progress goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Lines that are written over.
    Line,
    /// A line a step or phase.
    Plain,
    /// Nowhere.
    Nowhere,
}

impl Shown {
    /// Lines that are written over where stderr is a terminal that can do that, plain lines elsewhere.
    pub fn fitting() -> Shown {
        let is_dumb = std::env::var_os("TERM").is_none_or(|kind| kind.is_empty() || kind == "dumb");
        if std::io::stderr().is_terminal() && !is_dumb { Shown::Line } else { Shown::Plain }
    }
}

/// Progress as people see it.
pub struct Live {
    shown: Shown,
    content: Content,
    region: Region,
}

/// Seconds that are left of a run, as they were foreseen a while ago; whoever foresees them anew tells all that hold a copy.
#[derive(Clone)]
pub struct Left(Rc<Cell<(f64, Instant)>>);

impl Left {
    /// So many seconds from now on.
    pub fn of(seconds: f64) -> Left {
        Left(Rc::new(Cell::new((seconds, Instant::now()))))
    }

    /// So many seconds from now on.
    pub fn set(&self, seconds: f64) {
        self.0.set((seconds, Instant::now()));
    }

    /// What is left of them.
    fn now(&self) -> f64 {
        let (seconds, since) = self.0.get();
        (seconds - since.elapsed().as_secs_f64()).max(1.0)
    }
}

/// What the line tells of.
enum Content {
    /// A run of steps.
    Steps(Box<StepLines>),
    /// A watch: the phase, what is left of it, and what the busiest device does.
    Phases(PhaseLine),
}

/// What is known so far, the step that runs, and what is left of the forecast.
struct StepLines {
    now: Showing,
    begun: Instant,
    left: Left,
    outlooks: Option<Outlooks>,
    found: Found,
    /// What looking at the steps so far has taken, all in all.
    looked: Duration,
    drawn: Option<Instant>,
}

/// Whether it is told what the steps so far have found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Told,
    Untold,
}

/// Looking at the steps so far takes at most this part of the time.
const LOOKS: u32 = 50;

struct PhaseLine {
    phase: String,
    /// When the phase ends, where that is known.
    until: Option<Instant>,
    device: Option<DeviceNow>,
    favoured: Vec<String>,
    drawn: Option<Instant>,
}

impl Live {
    /// Of a run of steps with so much time left.
    pub fn of_steps(shown: Shown, left: Left) -> Live {
        let (begun, looked) = (Instant::now(), Duration::ZERO);
        let (now, found) = (Showing::default(), Found::Told);
        let lines = StepLines { now, begun, left, outlooks: None, found, looked, drawn: None };
        Live { shown, content: Content::Steps(Box::new(lines)), region: Region::default() }
    }

    /// The same as one of several that take turns in one place: each tells of the step that runs, none of what it found so far.
    pub(crate) fn in_turns(mut self, region: &Region) -> Live {
        self.region = region.clone();
        if let Content::Steps(lines) = &mut self.content {
            lines.found = Found::Untold;
        }
        self
    }

    /// The same of a burst, which says when it may end.
    pub fn with_outlooks(mut self, outlooks: Outlooks) -> Live {
        if let Content::Steps(lines) = &mut self.content {
            lines.outlooks = Some(outlooks);
        }
        self
    }

    /// Of a watch, which tells of the busiest of the devices `favoured`; of all where there are none.
    pub fn of_phases(shown: Shown, favoured: Vec<String>) -> Live {
        let line = PhaseLine { phase: String::new(), until: None, device: None, favoured, drawn: None };
        Live { shown, content: Content::Phases(line), region: Region::default() }
    }

    pub(crate) fn step_started(&mut self, plan: &StepPlan) {
        if let Content::Steps(lines) = &mut self.content {
            lines.now.step(&plan.name);
            lines.outlooks.iter_mut().for_each(|outlooks| outlooks.begun(plan));
            self.draw();
        }
    }

    pub(crate) fn interval(&mut self, interval: &Interval) {
        if let Content::Steps(lines) = &mut self.content {
            lines.now.heard(interval);
            let told = lines.outlooks.as_mut().filter(|_| self.shown != Shown::Nowhere);
            if let Some(outlook) = told.and_then(|outlooks| outlooks.heard(interval)) {
                self.say(&report::outlook(&outlook));
            }
            if !self.is_just_drawn() {
                self.draw();
            }
        }
    }

    /// Whether what is shown of the running step is as good as new.
    fn is_just_drawn(&self) -> bool {
        let Content::Steps(lines) = &self.content else { return false };
        lines.drawn.is_some_and(|drawn| drawn.elapsed() < DRAWN_APART)
    }

    /// What the steps so far have found, for a terminal: the same rules and words as at the end.
    pub(crate) fn so_far(&mut self, run: &Run) {
        let Content::Steps(lines) = &mut self.content else { return };
        if self.shown != Shown::Line
            || lines.found == Found::Untold
            || lines.looked > lines.begun.elapsed() / LOOKS
        {
            return;
        }
        let begun = Instant::now();
        lines.now.so_far(run, &analyse(run, None, None));
        lines.looked += begun.elapsed();
    }

    /// The step is over. The I/O that the kernel had not given back by then is named: it may still reach the target.
    pub(crate) fn step_ended(&mut self, record: &StepRecord) {
        if matches!(self.content, Content::Phases(_)) {
            return;
        }
        if self.shown == Shown::Plain {
            output::people(&report::step_done(record));
        }
        let held: Vec<&Note> = held(record).collect();
        held.iter().take(HELD_NAMED).for_each(|note| self.say(&report::note(note)));
        if held.len() > HELD_NAMED {
            self.say(&format!("and {} more; the run file names them all", held.len() - HELD_NAMED));
        }
    }

    /// What goes on from now on for how long, where that is known.
    pub(crate) fn begin(&mut self, phase: &str, length: Option<Nanos>) {
        if let Content::Phases(line) = &mut self.content {
            phase.clone_into(&mut line.phase);
            line.until = length.map(|length| Instant::now() + Duration::from_nanos(length.0));
            line.drawn = None;
        }
    }

    /// A line of its own for a phase that is over, with the step that ran in it.
    pub(crate) fn phase_ended(&mut self, phase: &Phase, step: Option<&StepRecord>) {
        if self.shown != Shown::Nowhere {
            self.clear();
            output::people(&report::phase_done(phase, step));
        }
    }

    /// What the devices did between two samples.
    pub(crate) fn samples(&mut self, before: &Sample, after: &Sample) {
        if let Content::Phases(line) = &mut self.content {
            line.device = busiest((before, after), &line.favoured, line.device.as_ref());
        }
    }

    /// Time has passed, by which the line of a watch may be out of date.
    pub(crate) fn tick(&mut self) {
        let fresh = |line: &PhaseLine| line.drawn.is_some_and(|drawn| drawn.elapsed() < LINE_APART);
        match &mut self.content {
            Content::Phases(line) if self.shown == Shown::Line && !fresh(line) => {
                line.drawn = Some(Instant::now());
                self.draw();
            }
            _ => {}
        }
    }

    /// Writes what is shown over itself.
    fn draw(&mut self) {
        if self.shown != Shown::Line {
            return;
        }
        let lines = match &mut self.content {
            Content::Steps(lines) => {
                lines.drawn = Some(Instant::now());
                let times = (lines.begun.elapsed().as_secs_f64(), lines.left.now());
                lines.now.lines(room(), times)
            }
            Content::Phases(PhaseLine { phase, until, device, .. }) => {
                let left = until.map(|until| until.saturating_duration_since(Instant::now()).as_secs_f64());
                vec![report::watch_progress((phase, left), device.as_ref(), room())]
            }
        };
        self.region.draw(&lines);
    }

    /// A line of its own, above the live one.
    pub(crate) fn say(&mut self, text: &str) {
        if self.shown == Shown::Nowhere {
            return;
        }
        self.clear();
        output::people(report::wrap("  ", text).trim_end());
        match &mut self.content {
            Content::Phases(line) => line.drawn = None,
            Content::Steps(lines) => lines.drawn = None,
        }
    }

    pub(crate) fn clear(&self) {
        self.region.clear();
    }
}

/// The notes that tell of I/O that the kernel had not given back when `step` was left.
pub(crate) fn held(step: &StepRecord) -> impl Iterator<Item = &Note> {
    step.notes.iter().filter(|note| matches!(note, Note::Held(_)))
}
