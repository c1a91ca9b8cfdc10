//! The watch itself: alone, around a command, or under load cycles.

use std::path::Path;
use std::time::Duration;

use experiments::WatchLoad;
use kernel::Clock;
use record::{Event, EventKind, Observer, StepRecord};
use sampler::{Devices, Root, SamplerThread};
use session::{Setup, conduct_phases, lay_out};
use workload::{Ending, Nanos};

use super::asked::{Asked, AskedLoad, Subject};
use super::command;
use super::desk::{Closed, Desk, Opening};
use super::ground::Ground;
use session::failure::{Code, Failure};
use session::observer::Shown;
use session::output;
use session::place::{Place, short};
use session::run;
use session::signals::StopFlag;

/// How often a wait looks for samples and for a wish to stop.
const LOOK: Duration = Duration::from_millis(100);

/// How a watch ended.
#[derive(Debug)]
pub enum Ended {
    /// As it was to.
    Well,
    /// The command has ended with this exit code.
    WithCode(u8),
    /// Cut short by a signal.
    Stopped,
    /// The load could not be run to its end.
    Failed(Failure),
}

impl Ended {
    /// The exit code, where the verdict's own is `verdict`. A command's code stands whatever became of the watch.
    pub fn code(self, verdict: Result<u8, Failure>) -> Result<u8, Failure> {
        match (self, verdict) {
            (Ended::Failed(failure), _) => Err(failure),
            (Ended::WithCode(code), Err(failure)) => {
                output::people(report::wrap("plimsoll: ", &failure.message).trim_end());
                Ok(code)
            }
            (Ended::WithCode(code), Ok(_)) => Ok(code),
            (_, Err(failure)) => Err(failure),
            (Ended::Stopped, Ok(_)) => Ok(Code::Interrupted as u8),
            (Ended::Well, Ok(code)) => Ok(code),
        }
    }
}

/// Watches to the end.
pub fn watch(
    asked: &Asked,
    ground: &mut Ground,
    place: &Place,
    stop: &StopFlag,
) -> Result<(Closed, Ended), Failure> {
    let run = ground.header(asked);
    let recorder = run::recorder(place, &run)?;
    let setup = ground.cycles.as_ref().map(|(_, setup)| setup);
    let shown = match (&asked.subject, setup) {
        // The terminal is the command's.
        (Subject::Command(_), _) => Shown::Plain,
        (_, setup) => setup.map_or_else(Shown::fitting, run::shown),
    };
    let favoured = ground.loaded_devices().iter().take(1).map(|device| device.name.clone()).collect();
    let mut desk = Desk::open(Opening { run, recorder, every: asked.every, shown, favoured }, stop.clone());
    for doubt in ground.doubts() {
        desk.note(Event { at: Nanos::ZERO, kind: EventKind::Warning, text: report::target_doubt(doubt) });
    }
    let devices = ground.devices.to_sample();
    let ended = match (&asked.subject, &mut ground.cycles) {
        (Subject::Cycles(cycles), Some((load, setup))) => {
            under_load((asked.every, cycles), (load, setup), devices, &mut desk)?
        }
        (Subject::Alone(length), _) => {
            let clock = Clock::start();
            desk.sample_by(start(devices, asked.every, clock)?);
            alone(*length, clock, &desk)
        }
        (Subject::Command(words), _) => {
            let clock = Clock::start();
            desk.sample_by(start(devices, asked.every, clock)?);
            match command::run(words, clock, &mut desk) {
                Ok(code) => Ended::WithCode(code),
                Err(failure) => return Err(undone(desk, place, failure)),
            }
        }
        (Subject::Cycles(_), None) => unreachable!("load cycles have their ground"),
    };
    Ok((desk.close(), ended))
}

/// A command that could not be started leaves no run file behind.
fn undone(desk: Desk, place: &Place, failure: Failure) -> Failure {
    drop(desk.close());
    // It is ours, and holds nothing.
    let _ = std::fs::remove_file(place.run());
    failure
}

fn start(devices: Devices, every: Nanos, clock: Clock) -> Result<SamplerThread, Failure> {
    SamplerThread::start(&Root::real(), devices, every, move || clock.now()).map_err(Failure::failed)
}

/// Until the time is over or somebody asks to stop; the end of a watch without a time is that wish.
fn alone(length: Option<Nanos>, clock: Clock, desk: &Desk) -> Ended {
    desk.says("watching", length);
    let end = length.unwrap_or(Nanos::MAX);
    while !desk.interrupted() && clock.now() < end {
        std::thread::sleep(LOOK.min(Duration::from_nanos(end.since(clock.now()).0)));
    }
    if clock.now() >= end {
        return Ended::Well;
    }
    let (kind, text, ended) = match length {
        Some(_) => (EventKind::Interrupt, "stopped by a signal before its time", Ended::Stopped),
        None => (EventKind::Note, "ended by a signal, as a watch without --for does", Ended::Well),
    };
    desk.note(Event { at: clock.now(), kind, text: text.to_owned() });
    ended
}

/// Lays out, starts sampling, and runs the phases.
fn under_load(
    (every, cycles): (Nanos, &AskedLoad),
    (load, setup): (&WatchLoad, &mut Setup),
    devices: Devices,
    desk: &mut Desk,
) -> Result<Ended, Failure> {
    let runner = setup.runner.as_mut();
    let laid = lay_out(setup.layout, runner, desk);
    match laid.map_err(Failure::failed)? {
        Some(record) if record.ending == Ending::Failed => {
            return Ok(Ended::Failed(Failure::failed(layout_failure(&record))));
        }
        _ if desk.interrupted() => return Ok(stopped(desk, runner.now())),
        _ => {}
    }
    if let Some(clock) = runner.clock() {
        desk.sample_by(start(devices, every, clock)?);
    }
    let watched = conduct_phases(&cycles.phases, load, runner, desk);
    let held = |record: &StepRecord| run::held(record).next().is_some();
    // What does not answer is not asked.
    if !watched.steps.last().is_some_and(held) {
        desk.shares(runner.shares());
    }
    if let Some(error) = watched.failure {
        let (kind, text) = (EventKind::Failure, error.to_string());
        desk.event(&Event { at: runner.now(), kind, text });
        return Ok(Ended::Failed(Failure::failed(error)));
    }
    if watched.steps.last().is_some_and(|step| step.ending == Ending::Failed) {
        return Ok(Ended::Failed(Failure::failed("an I/O of the load failed; the report names it")));
    }
    if desk.interrupted() {
        return Ok(stopped(desk, runner.now()));
    }
    Ok(Ended::Well)
}

/// Which I/O of the layout failed, how, and what to do.
fn layout_failure(record: &StepRecord) -> String {
    let Some(failure) = record.failures.first() else {
        return "the layout failed, so there is nothing to load; the report tells how far it came".to_owned();
    };
    let remedy = match report::is_full(failure.errno) {
        true => "make room there, or load less with --size",
        false => "look at the kernel's log (dmesg) for the device below it",
    };
    format!(
        "the layout failed, so there is nothing to load: {}: {}, at byte {}; {remedy}",
        short(Path::new(&failure.path)),
        report::error_words(failure.errno),
        failure.offset
    )
}

fn stopped(desk: &Desk, at: Nanos) -> Ended {
    if desk.gave_up() {
        return Ended::Failed(Failure::failed(
            "a device does not answer; the report names what was in flight",
        ));
    }
    desk.note(Event { at, kind: EventKind::Interrupt, text: "stopped by a signal".to_owned() });
    Ended::Stopped
}
