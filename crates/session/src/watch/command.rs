//! The command that is watched: started, passed its signals, waited for.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use kernel::Clock;
use record::{Observer, Phase, PhaseKind};

use crate::failure::{Code, Failure};
use crate::recorder::RunRecorder;
use crate::signals::Heard;

/// How often the command is looked at: its end is seen so late at most.
const LOOK: Duration = Duration::from_millis(20);
/// What a shell adds to the number of the signal that ended a command.
const BY_SIGNAL: i32 = 128;
/// The phase's name.
const NAME: &str = "command";

/// Runs the command to its end, which is the phase's; gives back its exit code, or 128 and the signal that ended it.
///
/// # Errors
/// It cannot be started: then nothing was watched.
pub(super) fn run(words: &[OsString], clock: Clock, recorder: &mut RunRecorder) -> Result<u8, Failure> {
    let mut heard = Heard::instead_of_ending();
    let mut child = start(words)?;
    let from = clock.now();
    let mut phase = Phase { name: NAME.to_owned(), kind: PhaseKind::Command { code: None }, from, to: from };
    recorder.phase_started(&phase);
    let code = wait(&mut child, &mut heard, recorder)?;
    phase.to = clock.now();
    phase.kind = PhaseKind::Command { code: Some(code) };
    recorder.phase_ended(&phase);
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}

fn start(words: &[OsString]) -> Result<Child, Failure> {
    let (program, arguments) =
        words.split_first().map_or((OsString::new(), &[][..]), |(program, rest)| (program.clone(), rest));
    Command::new(&program).args(arguments).spawn().map_err(|error| {
        let name = program.to_string_lossy();
        match error.kind() {
            std::io::ErrorKind::NotFound => Failure {
                code: Code::NotFound,
                message: format!("{name}: there is no such command{}", hint(&name)),
            },
            _ => Failure {
                code: Code::NotStartable,
                message: format!("{name}: cannot be started: {error}; is it a program that you may run?"),
            },
        }
    })
}

/// A name without a folder is looked for in PATH alone.
fn hint(name: &str) -> String {
    let here = !name.contains('/') && std::path::Path::new(name).is_file();
    match here {
        true => format!(" in PATH; the one in this folder is ./{name}"),
        false if name.contains('/') => "; look at the path".to_owned(),
        false => " in PATH; write it with its path".to_owned(),
    }
}

fn wait(child: &mut Child, heard: &mut Heard, recorder: &RunRecorder) -> Result<i32, Failure> {
    loop {
        let ended =
            child.try_wait().map_err(|error| Failure::failed(format!("the command is lost: {error}")))?;
        if let Some(status) = ended {
            return Ok(code(status));
        }
        for signal in heard.take_passed_on() {
            // One that has ended meanwhile hears nothing more.
            let _ = kernel::send_signal(child.id(), signal);
        }
        recorder.tick();
        std::thread::sleep(LOOK);
    }
}

fn code(status: ExitStatus) -> i32 {
    status.code().or(status.signal().map(|signal| BY_SIGNAL + signal)).unwrap_or(Code::Failed as i32)
}
