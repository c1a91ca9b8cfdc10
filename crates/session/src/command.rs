//! Starts a command of the user, passes signals on to it, and waits for its end.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGKILL, SIGTERM};

use crate::failure::{Code, Failure};
use crate::signals::ReceivedSignals;

/// Time between checks whether the command has ended, and so the longest delay until its end is noticed.
const LOOK: Duration = Duration::from_millis(20);
/// Base of the exit code of a command that a signal ended: as in a shell, the signal's number is added.
const BY_SIGNAL: i32 = 128;

/// A command that runs.
pub struct Running {
    child: Child,
    heard: ReceivedSignals,
    /// Signals to send when its time is over, the last one first.
    stages: Vec<Stage>,
}

/// A signal and when it is sent.
struct Stage {
    at: Instant,
    signal: i32,
}

/// Time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(5);

impl Running {
    /// Starts the command with additional environment variables. From now on, signals that would end this process
    /// are passed on to it.
    ///
    /// # Errors
    /// There is no such command, or it cannot be started.
    pub fn start(words: &[OsString], environment: &[(&str, OsString)]) -> Result<Running, Failure> {
        // Before the command exists, so that no signal is lost in between.
        let heard = ReceivedSignals::instead_of_ending();
        let none = OsString::new();
        let (program, arguments) = words.split_first().unwrap_or((&none, &[]));
        let variables = environment.iter().map(|(name, value)| (name, value));
        let started = Command::new(program).args(arguments).envs(variables).spawn();
        let child = started.map_err(|error| {
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
        })?;
        Ok(Running { child, heard, stages: Vec::new() })
    }

    /// Returns the id of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Lets the command run for at most `length`: then it receives SIGTERM, and SIGKILL five seconds later.
    #[must_use]
    pub fn at_most(self, length: Duration) -> Running {
        let end = Instant::now() + length;
        let stages = vec![Stage { at: end + GRACE, signal: SIGKILL }, Stage { at: end, signal: SIGTERM }];
        Running { stages, ..self }
    }

    /// Sends the signals that are due, each once.
    fn keep_to_its_time(&mut self) {
        let due = |stage: &Stage| Instant::now() >= stage.at;
        while let Some(stage) = self.stages.pop_if(|stage| due(stage)) {
            // A command that has just ended does not receive the signal.
            let _ = kernel::send_signal(self.child.id(), stage.signal);
        }
    }

    /// Waits for the end of the command, calling `tick` repeatedly, and returns its exit code, or 128 plus the signal
    /// that ended it.
    ///
    /// # Errors
    /// The kernel no longer knows the process.
    pub fn wait(mut self, tick: &dyn Fn()) -> Result<i32, Failure> {
        loop {
            let ended = self.child.try_wait();
            let ended = ended.map_err(|error| Failure::failed(format!("the command is lost: {error}")))?;
            if let Some(status) = ended {
                return Ok(code(status));
            }
            for signal in self.heard.take_passed_on() {
                // A command that has just ended does not receive the signal.
                let _ = kernel::send_signal(self.child.id(), signal);
            }
            self.keep_to_its_time();
            tick();
            std::thread::sleep(LOOK);
        }
    }
}

/// Explains why a command was not found: a name without a folder is looked up only in PATH.
fn hint(name: &str) -> String {
    let here = !name.contains('/') && std::path::Path::new(name).is_file();
    match here {
        true => format!(" in PATH; the one in this folder is ./{name}"),
        false if name.contains('/') => "; look at the path".to_owned(),
        false => " in PATH; write it with its path".to_owned(),
    }
}

fn code(status: ExitStatus) -> i32 {
    status.code().or(status.signal().map(|signal| BY_SIGNAL + signal)).unwrap_or(Code::Failed as i32)
}
