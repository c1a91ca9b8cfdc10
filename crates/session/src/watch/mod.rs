//! A watch: passive, around a command, or under load cycles; recorded, analysed from its file, and reported.

mod command;
mod cycles;
mod devices;
mod target;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use analysis::Analysis;
use experiments::PlannedPhase;
use kernel::Clock;
use record::{Event, EventKind, Observer, Run};
use sampler::{Devices, Root, SamplerThread};
use workload::Nanos;

use crate::failure::{Code, Failure};
use crate::live::{Live, ProgressDisplay};
use crate::output;
use crate::place::Place;
use crate::recorder::{FinishedRecording, RunRecorder, SampledBy};
use crate::run::{self, Against};
use crate::signals::StopFlag;

pub use devices::{DeviceWish, WatchedDevices, fits, unknown_device};
pub use target::{LoadTarget, LoadWish, OpenLoad, WatchScope};

/// Time between checks for samples and for a stop request.
const LOOK: Duration = Duration::from_millis(100);

/// Activity that plimsoll starts while it watches a machine.
#[derive(Debug)]
pub enum Subject {
    /// None, for this long, or until Ctrl-C if `None`.
    Alone(Option<Nanos>),
    /// A command, to its end.
    Command {
        /// The program and its arguments.
        words: Vec<OsString>,
        /// Time after which the command is asked to end.
        at_most: Option<Nanos>,
    },
    /// Load phases that alternate with idle ones.
    Cycles(Vec<PlannedPhase>),
}

impl Subject {
    /// Returns the words of the command; none without one.
    pub fn command(&self) -> &[OsString] {
        match self {
            Subject::Command { words, .. } => words,
            Subject::Alone(_) | Subject::Cycles(_) => &[],
        }
    }
}

/// A watch that is ready to begin.
pub struct Watch<'a> {
    /// Devices to watch, with the load if there is one.
    pub watched: WatchScope,
    /// Activity during the watch.
    pub subject: &'a Subject,
    /// Time between two samples.
    pub every: Nanos,
    /// Folder and name of the run file and the page.
    pub place: &'a Place,
    /// Stop request.
    pub stop: &'a StopFlag,
    /// Limits and expectation that the watch is compared with.
    pub against: &'a Against,
}

/// Outcome of a watch.
#[derive(Debug)]
enum WatchEnd {
    /// Ended as planned.
    Well,
    /// The command ended with this exit code.
    WithCode(u8),
    /// Cut short by a signal.
    Stopped,
    /// The load could not be run to its end.
    Failed(Failure),
}

impl WatchEnd {
    /// Returns the exit code, given the `verdict`'s own. A command's exit code takes precedence, whatever became
    /// of the watch.
    fn code(self, verdict: Result<u8, Failure>) -> Result<u8, Failure> {
        match (self, verdict) {
            (WatchEnd::Failed(failure), _) => Err(failure),
            (WatchEnd::WithCode(code), Err(failure)) => {
                complain(&failure);
                Ok(code)
            }
            (WatchEnd::WithCode(code), Ok(_)) => Ok(code),
            (_, Err(failure)) => Err(failure),
            (WatchEnd::Stopped, Ok(_)) => Ok(Code::Interrupted as u8),
            (WatchEnd::Well, Ok(code)) => Ok(code),
        }
    }
}

impl Watch<'_> {
    /// Watches to the end, stores and draws the observations, and calls `tell` with their analysis; returns the exit
    /// code.
    ///
    /// # Errors
    /// The load could not run, or a file could not be written.
    pub fn run(mut self, tell: &dyn Fn(&Run, &Analysis) -> Result<(), Failure>) -> Result<u8, Failure> {
        let mut recorder = self.recorder()?;
        let ended = match self.subject {
            Subject::Alone(length) => self.alone(*length, &mut recorder)?,
            Subject::Cycles(phases) => cycles::run((self.every, phases), &mut self.watched, &mut recorder)?,
            Subject::Command { words, at_most } => {
                let clock = Clock::start();
                recorder.sample_by(start(self.watched.devices.to_sample(), self.every, clock)?);
                match command::run((words, *at_most), clock, &mut recorder) {
                    Ok(code) => WatchEnd::WithCode(code),
                    Err(failure) => return Err(self.undone(recorder, failure)),
                }
            }
        };
        let concluded = self.conclude(recorder.done(), tell);
        ended.code(concluded)
    }

    /// Returns the recorder of the run, whose header holds everything known before the start.
    fn recorder(&self) -> Result<RunRecorder, Failure> {
        let mut run = self.watched.header();
        self.against.name_in(&mut run);
        if let Subject::Alone(length) = self.subject {
            run.forecast = *length;
        }
        let shown = match (self.subject, self.watched.setup()) {
            // The terminal belongs to the command.
            (Subject::Command { .. }, _) => match ProgressDisplay::fitting() {
                ProgressDisplay::Events => ProgressDisplay::Events,
                _ => ProgressDisplay::Plain,
            },
            (_, Some(setup)) => run::shown(setup),
            (_, None) => ProgressDisplay::fitting(),
        };
        let loaded = self.watched.loaded_devices().iter().take(1);
        let live = Live::of_phases(shown, loaded.map(|device| device.name.clone()).collect());
        let by = if self.watched.is_virtual() { SampledBy::Runner } else { SampledBy::Thread };
        let recorder = RunRecorder::begin(run, self.place, self.stop, live)?.of_watch(self.every, by);
        for doubt in self.watched.doubts() {
            let text = report::target_doubt(doubt);
            recorder.note(Event { at: Nanos::ZERO, kind: EventKind::Warning, text });
        }
        Ok(recorder)
    }

    /// Watches until the time is over or a stop is requested, which is the regular end of a watch without a time.
    fn alone(&self, length: Option<Nanos>, recorder: &mut RunRecorder) -> Result<WatchEnd, Failure> {
        let clock = Clock::start();
        recorder.sample_by(start(self.watched.devices.to_sample(), self.every, clock)?);
        recorder.says("watching", length);
        let end = length.unwrap_or(Nanos::MAX);
        while !recorder.interrupted() && clock.now() < end {
            std::thread::sleep(LOOK.min(Duration::from_nanos(end.since(clock.now()).0)));
        }
        if clock.now() >= end {
            return Ok(WatchEnd::Well);
        }
        let (kind, text, ended) = match length {
            Some(_) => {
                (EventKind::Interrupt, "stopped by a signal or by q before its time", WatchEnd::Stopped)
            }
            None => {
                (EventKind::Note, "ended by a signal or by q, as a watch without --for does", WatchEnd::Well)
            }
        };
        recorder.note(Event { at: clock.now(), kind, text: text.to_owned() });
        Ok(ended)
    }

    /// Removes the run file and returns `failure`: a command that could not be started leaves no file behind.
    fn undone(&self, recorder: RunRecorder, failure: Failure) -> Failure {
        drop(recorder.done());
        // This run created the file, and nothing has been recorded in it.
        let _ = std::fs::remove_file(self.place.run());
        failure
    }

    /// Reads the stored run back, reports its analysis and draws it; returns the exit code of the verdict.
    fn conclude(
        &self,
        recorded: FinishedRecording,
        tell: &dyn Fn(&Run, &Analysis) -> Result<(), Failure>,
    ) -> Result<u8, Failure> {
        let FinishedRecording { run, file, trouble } = recorded;
        if file.is_silent() {
            // Reading there would hang as well.
            return Err(incomplete(trouble));
        }
        let mut run = read_back(&self.place.run(), run);
        run.complete = true;
        let analysis = self.against.analyse(&run);
        let kept = run::keep(&mut run, &analysis, file, self.place);
        tell(&run, &analysis)?;
        if trouble.is_some() {
            if let Err(failure) = &kept.drawn {
                complain(failure);
            }
            return Err(incomplete(trouble));
        }
        kept.whole()?;
        Ok(analysis.exit_code())
    }
}

fn complain(failure: &Failure) {
    output::people(report::wrap("plimsoll: ", &failure.message).trim_end());
}

fn incomplete(trouble: Option<String>) -> Failure {
    Failure::failed(format!("the run file is not complete: {}", trouble.unwrap_or_default()))
}

/// Reads the run back from its file, with all samples; if that fails, returns `known`, which has none.
fn read_back(path: &Path, known: Run) -> Run {
    runfile::read(path).unwrap_or_else(|error| {
        output::people(&format!("plimsoll: what was stored cannot be read back: {error}"));
        known
    })
}

fn start(devices: Devices, every: Nanos, clock: Clock) -> Result<SamplerThread, Failure> {
    SamplerThread::start(&Root::real(), devices, every, move || clock.now()).map_err(Failure::failed)
}
