//! Load cycles: what the load needs is laid out, then the phases run while the devices are sampled.

use std::path::Path;

use experiments::PlannedPhase;
use record::{Event, EventKind, Observer, StepRecord};
use workload::{Ending, Nanos};

use super::target::{OpenLoad, WatchScope};
use super::{WatchEnd, start};
use crate::failure::Failure;
use crate::phases::{conduct_phases, lay_out};
use crate::place::short;
use crate::recorder::RunRecorder;
use crate::run::look_at_shares;

/// Lays out, starts sampling every `every`, and runs the phases.
pub(super) fn run(
    (every, phases): (Nanos, &[PlannedPhase]),
    watched: &mut WatchScope,
    recorder: &mut RunRecorder,
) -> Result<WatchEnd, Failure> {
    let devices = watched.devices.to_sample();
    let Some(OpenLoad { load, setup, .. }) = &mut watched.load else { return Ok(WatchEnd::Well) };
    let runner = setup.runner.as_mut();
    let laid = lay_out(setup.layout, runner, recorder);
    match laid.map_err(Failure::failed)? {
        Some(record) if record.ending == Ending::Failed => {
            return Ok(WatchEnd::Failed(Failure::failed(layout_failure(&record))));
        }
        _ if recorder.interrupted() => return Ok(stopped(recorder, runner.now())),
        _ => {}
    }
    if let Some(clock) = runner.clock() {
        recorder.sample_by(start(devices, every, clock)?);
    }
    let ran = conduct_phases(phases, load, runner, recorder);
    look_at_shares(setup, &ran.steps, recorder);
    let now = setup.runner.now();
    if let Some(error) = ran.failure {
        recorder.note(Event { at: now, kind: EventKind::Failure, text: error.to_string() });
        return Ok(WatchEnd::Failed(Failure::failed(error)));
    }
    if ran.steps.last().is_some_and(|step| step.ending == Ending::Failed) {
        return Ok(WatchEnd::Failed(Failure::failed("an I/O of the load failed; the report names it")));
    }
    if recorder.interrupted() {
        return Ok(stopped(recorder, now));
    }
    Ok(WatchEnd::Well)
}

/// Describes which I/O of the layout failed, how, and what to do.
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

fn stopped(recorder: &RunRecorder, at: Nanos) -> WatchEnd {
    if recorder.gave_up() {
        return WatchEnd::Failed(Failure::failed(
            "a device does not answer; the report names what was in flight",
        ));
    }
    recorder.note(Event { at, kind: EventKind::Interrupt, text: "stopped by a signal".to_owned() });
    WatchEnd::Stopped
}
