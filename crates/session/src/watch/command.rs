//! The command that is watched, as a phase of the run.

use std::ffi::OsString;

use kernel::Clock;
use record::{Observer, Phase, PhaseKind};

use crate::command::Running;
use crate::failure::Failure;
use crate::recorder::RunRecorder;

/// The phase's name.
const NAME: &str = "command";

/// Runs the command to its end, which is the phase's; gives back its exit code, or 128 and the signal that ended it.
///
/// # Errors
/// It cannot be started: then nothing was watched.
pub(super) fn run(words: &[OsString], clock: Clock, recorder: &mut RunRecorder) -> Result<u8, Failure> {
    let command = Running::start(words, &[])?;
    let from = clock.now();
    let mut phase = Phase { name: NAME.to_owned(), kind: PhaseKind::Command { code: None }, from, to: from };
    recorder.phase_started(&phase);
    let code = command.wait(&|| recorder.tick())?;
    phase.to = clock.now();
    phase.kind = PhaseKind::Command { code: Some(code) };
    recorder.phase_ended(&phase);
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}
