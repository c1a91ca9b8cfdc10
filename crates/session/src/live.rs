//! The live line on stderr, and the lines above it.

use std::cell::Cell;
use std::io::IsTerminal;
use std::rc::Rc;
use std::time::{Duration, Instant};

use analysis::{Outlooks, analyse};
use record::{Interval, Note, Phase, Run, Sample, StepRecord};
use report::{DeviceNow, ProgressEvent, Showing};
use workload::{Nanos, StepPlan};

use crate::busiest::busiest;
use crate::onlookers::{Audience, COLUMNS};
use crate::output;
use crate::progress::{self, Form, Teller};
use crate::region::{Region, room};

/// Least time between two updates of a watch's line.
const LINE_APART: Duration = Duration::from_millis(250);
/// Least time between two updates for a run of steps, whose intervals may last only milliseconds: drawing takes CPU
/// time from the load.
const DRAWN_APART: Duration = Duration::from_millis(100);
/// Most I/Os still held by the kernel that are described; more are only counted.
const HELD_NAMED: usize = 3;

/// Form in which progress is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgressDisplay {
    /// Lines that are overwritten.
    Line,
    /// A line for each step or phase.
    Plain,
    /// Only important messages for people, because a program receives the rest as events.
    Events,
    /// Not at all.
    Nowhere,
}

impl ProgressDisplay {
    /// Returns the form that the user chose, or else overwritten lines if stderr is a terminal that supports them,
    /// and plain lines otherwise.
    pub fn fitting() -> ProgressDisplay {
        match progress::form() {
            Form::Json => return ProgressDisplay::Events,
            Form::Plain => return ProgressDisplay::Plain,
            Form::Fitting | Form::JsonIn(_) => {}
        }
        let is_dumb = std::env::var_os("TERM").is_none_or(|kind| kind.is_empty() || kind == "dumb");
        if std::io::stderr().is_terminal() && !is_dumb {
            ProgressDisplay::Line
        } else {
            ProgressDisplay::Plain
        }
    }
}

/// Progress as people see it.
pub(crate) struct Live {
    shown: ProgressDisplay,
    content: Content,
    region: Region,
    teller: Option<Rc<Teller>>,
    /// Onlookers at a page of the run.
    audience: Option<Audience>,
}

/// Estimate of the remaining seconds of a run, with the time at which it was made. Clones share one estimate.
#[derive(Clone)]
pub(crate) struct RemainingTime(Rc<Cell<(f64, Instant)>>);

impl RemainingTime {
    /// Returns an estimate of `seconds` from now.
    pub fn of(seconds: f64) -> RemainingTime {
        RemainingTime(Rc::new(Cell::new((seconds, Instant::now()))))
    }

    /// Updates the estimate to `seconds` from now.
    pub fn set(&self, seconds: f64) {
        self.0.set((seconds, Instant::now()));
    }

    /// Seconds that are left now, at least one.
    fn now(&self) -> f64 {
        let (seconds, since) = self.0.get();
        (seconds - since.elapsed().as_secs_f64()).max(1.0)
    }
}

/// Content of the live lines.
enum Content {
    /// A run of steps.
    Steps(Box<StepLines>),
    /// A watch: the phase, the time left of it, and the activity of the busiest device.
    Phases(PhaseLine),
}

/// Results so far, the running step, and the remaining time of the forecast.
struct StepLines {
    now: Showing,
    begun: Instant,
    left: RemainingTime,
    outlooks: Option<Outlooks>,
    found: InterimResults,
    /// Total time that analysing the steps so far has taken.
    looked: Duration,
    drawn: Option<Instant>,
}

/// Whether results so far are shown to people.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InterimResults {
    Told,
    Untold,
}

/// Divisor of the time: analysing the steps so far takes at most this part of it.
const LOOKS: u32 = 50;

struct PhaseLine {
    phase: String,
    /// When the phase ends, if known.
    until: Option<Instant>,
    device: Option<DeviceNow>,
    favoured: Vec<String>,
    drawn: Option<Instant>,
}

impl PhaseLine {
    /// Seconds left of the phase, if known.
    fn left_s(&self) -> Option<f64> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()).as_secs_f64())
    }
}

impl Live {
    /// Returns the progress of a run of steps with an estimate of the time left.
    pub fn of_steps(shown: ProgressDisplay, left: RemainingTime) -> Live {
        let (begun, looked) = (Instant::now(), Duration::ZERO);
        let (now, found) = (Showing::default(), InterimResults::Told);
        let lines = StepLines { now, begun, left, outlooks: None, found, looked, drawn: None };
        Live {
            shown,
            content: Content::Steps(Box::new(lines)),
            region: Region::default(),
            teller: None,
            audience: None,
        }
    }

    /// Whether progress is drawn on a terminal, where keys may be pressed.
    pub(crate) fn is_drawn(&self) -> bool {
        self.shown == ProgressDisplay::Line
    }

    /// Makes this one of several displays that take turns in one region: each shows its running step, but not the
    /// results so far.
    pub(crate) fn in_turns(mut self, region: &Region) -> Live {
        self.region = region.clone();
        if let Content::Steps(lines) = &mut self.content {
            lines.found = InterimResults::Untold;
        }
        self
    }

    /// Adds predictions of when a burst may end.
    pub fn with_outlooks(mut self, outlooks: Outlooks) -> Live {
        if let Content::Steps(lines) = &mut self.content {
            lines.outlooks = Some(outlooks);
        }
        self
    }

    /// Sets the reporter of events to programs.
    pub(crate) fn told_by(self, teller: Option<Rc<Teller>>) -> Live {
        Live { teller, ..self }
    }

    /// Reports an event to programs, if any listens; the fields are computed only then.
    fn event<'e>(&self, event: &str, fields: impl FnOnce(&Teller) -> ProgressEvent<'e>) {
        if let Some(teller) = &self.teller {
            teller.tell(event, self.left_s(), fields(teller));
        }
    }

    /// Seconds left of the run or phase, if known.
    fn left_s(&self) -> Option<f64> {
        match &self.content {
            Content::Steps(lines) => Some(lines.left.now()),
            Content::Phases(line) => line.left_s(),
        }
    }

    /// Returns the progress of a watch, showing the busiest of the devices `favoured`, or of all devices if
    /// `favoured` is empty.
    pub fn of_phases(shown: ProgressDisplay, favoured: Vec<String>) -> Live {
        let line = PhaseLine { phase: String::new(), until: None, device: None, favoured, drawn: None };
        Live {
            shown,
            content: Content::Phases(line),
            region: Region::default(),
            teller: None,
            audience: None,
        }
    }

    /// Sets the onlookers that see a page of the run.
    pub(crate) fn told_to(self, audience: Option<Audience>) -> Live {
        Live { audience, ..self }
    }

    /// Whether anyone is looking, at the terminal or at a page.
    fn is_looked_at(&self) -> bool {
        self.shown == ProgressDisplay::Line || self.audience.as_ref().is_some_and(Audience::is_there)
    }

    pub(crate) fn step_started(&mut self, plan: &StepPlan) {
        self.event("step_started", |teller| {
            teller.step(&plan.name);
            report::step_started(plan, teller.steps())
        });
        if let Content::Steps(lines) = &mut self.content {
            lines.now.step(&plan.name);
            lines.outlooks.iter_mut().for_each(|outlooks| outlooks.begun(plan));
            self.draw();
        }
    }

    pub(crate) fn interval(&mut self, interval: &Interval) {
        self.event("interval", |teller| report::interval_told(teller.name(), interval));
        if let Content::Steps(lines) = &mut self.content {
            lines.now.heard(interval);
            let told = lines.outlooks.as_mut().filter(|_| self.shown != ProgressDisplay::Nowhere);
            if let Some(outlook) = told.and_then(|outlooks| outlooks.heard(interval)) {
                self.say(&report::outlook(&outlook));
            }
            if !self.is_just_drawn() {
                self.draw();
            }
        }
    }

    /// Whether the running step was drawn so recently that it need not be drawn again.
    fn is_just_drawn(&self) -> bool {
        let Content::Steps(lines) = &self.content else { return false };
        lines.drawn.is_some_and(|drawn| drawn.elapsed() < DRAWN_APART)
    }

    /// Shows the results so far, by the same rules and in the same words as at the end.
    pub(crate) fn so_far(&mut self, run: &Run) {
        let is_looked_at = self.is_looked_at();
        let Content::Steps(lines) = &mut self.content else { return };
        let is_told = is_looked_at && lines.found == InterimResults::Told || self.teller.is_some();
        if !is_told || lines.looked > lines.begun.elapsed() / LOOKS {
            return;
        }
        let begun = Instant::now();
        let found = analyse(run, None, None);
        if lines.found == InterimResults::Told {
            lines.now.so_far(run, &found);
        }
        lines.looked += begun.elapsed();
        self.event("so_far", |_| report::so_far(&found));
    }

    /// Shows that the step is over. I/O that the kernel still holds is described, because it may still reach the
    /// target.
    pub(crate) fn step_ended(&mut self, record: &StepRecord) {
        self.event("step_ended", |_| report::step_ended(record));
        if matches!(self.content, Content::Phases(_)) {
            return;
        }
        if self.shown == ProgressDisplay::Plain {
            output::people(&report::step_done(record));
        }
        let held: Vec<&Note> = held(record).collect();
        held.iter().take(HELD_NAMED).for_each(|note| self.say(&report::note(note)));
        if held.len() > HELD_NAMED {
            self.say(&format!("and {} more; the run file names them all", held.len() - HELD_NAMED));
        }
    }

    /// Shows the phase that begins now, and its length if known.
    pub(crate) fn begin(&mut self, phase: &str, length: Option<Nanos>) {
        if let Content::Phases(line) = &mut self.content {
            phase.clone_into(&mut line.phase);
            line.until = length.map(|length| Instant::now() + Duration::from_nanos(length.0));
            line.drawn = None;
            let length_s = length.map(|length| length.as_secs_f64()).filter(|&seconds| seconds > 0.0);
            self.event("phase_started", |_| ProgressEvent::PhaseStarted { name: phase, length_s });
        }
    }

    /// Prints a separate line for a phase that is over, with the step that ran in it.
    pub(crate) fn phase_ended(&mut self, phase: &Phase, step: Option<&StepRecord>) {
        self.event("phase_ended", |_| report::phase_ended(phase));
        if !matches!(self.shown, ProgressDisplay::Nowhere | ProgressDisplay::Events) {
            self.clear();
            output::people(&report::phase_done(phase, step));
        }
    }

    /// Shows the activity of the devices between two samples.
    pub(crate) fn samples(&mut self, before: &Sample, after: &Sample) {
        if let Content::Phases(line) = &mut self.content {
            let now = busiest((before, after), &line.favoured, line.device.as_ref());
            line.device.clone_from(&now);
            if let Some(device) = now {
                self.event("device", |_| report::device_now(&device));
            }
        }
    }

    /// Redraws the line of a watch if it may be out of date.
    pub(crate) fn tick(&mut self) {
        let is_looked_at = self.is_looked_at();
        let fresh = |line: &PhaseLine| line.drawn.is_some_and(|drawn| drawn.elapsed() < LINE_APART);
        match &mut self.content {
            Content::Phases(line) if is_looked_at && !fresh(line) => {
                line.drawn = Some(Instant::now());
                self.draw();
            }
            _ => {}
        }
    }

    /// Redraws the live lines.
    fn draw(&mut self) {
        if self.shown == ProgressDisplay::Line {
            let lines = self.lines(room());
            self.region.draw(&lines);
        }
        if self.audience.as_ref().is_some_and(Audience::is_there) {
            let lines = self.lines(COLUMNS);
            self.audience.iter().for_each(|audience| audience.say(&lines));
        }
    }

    /// Returns the lines to be shown in `room` columns.
    fn lines(&mut self, room: usize) -> Vec<String> {
        match &mut self.content {
            Content::Steps(lines) => {
                lines.drawn = Some(Instant::now());
                let times = (lines.begun.elapsed().as_secs_f64(), lines.left.now());
                lines.now.lines(room, times)
            }
            Content::Phases(line) => {
                vec![report::watch_progress((&line.phase, line.left_s()), line.device.as_ref(), room)]
            }
        }
    }

    /// Prints a permanent line above the live one.
    pub(crate) fn say(&mut self, text: &str) {
        if self.shown == ProgressDisplay::Nowhere {
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

/// Returns the notes about I/O that the kernel still held when `step` was abandoned.
pub(crate) fn held(step: &StepRecord) -> impl Iterator<Item = &Note> {
    step.notes.iter().filter(|note| matches!(note, Note::Held(_)))
}
