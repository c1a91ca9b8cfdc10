//! The command that is watched, as a phase of the run.

use std::ffi::OsString;
use std::time::Duration;

use kernel::Clock;
use record::{Event, EventKind, Observer, Phase, PhaseKind};
use workload::Nanos;

use crate::command::Running;
use crate::failure::Failure;
use crate::recorder::RunRecorder;

/// Name of the phase.
const NAME: &str = "command";

/// Runs the command to its end, which ends the phase, and returns its exit code, or 128 plus the signal that ended
/// it.
///
/// # Errors
/// The command cannot be started, so nothing was watched.
pub(super) fn run(
    (words, at_most): (&[OsString], Option<Nanos>),
    clock: Clock,
    recorder: &mut RunRecorder,
) -> Result<u8, Failure> {
    let mut command = Running::start(words, &[])?;
    if let Some(length) = at_most {
        command = command.at_most(Duration::from_nanos(length.0));
    }
    recorder.follow(command.id());
    let from = clock.now();
    let mut phase = Phase { name: NAME.to_owned(), kind: PhaseKind::Command { code: None }, from, to: from };
    recorder.phase_started(&phase);
    let code = command.wait(&|| recorder.tick())?;
    phase.to = clock.now();
    phase.kind = PhaseKind::Command { code: Some(code) };
    recorder.phase_ended(&phase);
    if let Some(length) = at_most.filter(|&length| phase.to.since(from) >= length) {
        let text = format!(
            "the command was asked to end after {}, as --for says",
            report::numbers::span(length.as_secs_f64())
        );
        recorder.note(Event { at: phase.to, kind: EventKind::Note, text });
    }
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}
