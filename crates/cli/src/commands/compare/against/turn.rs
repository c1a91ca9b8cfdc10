//! One turn: a tool runs the job to its end, and its output is read.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use record::{Origin, Run};
use session::failure::{Code, Failure};
use session::inputs::Reader;
use session::signals::StopFlag;

use crate::arguments::typed;

/// Time between checks of a running tool.
const LOOK: Duration = Duration::from_millis(20);
/// SIGINT, as Ctrl-C sends it: fio then ends its jobs.
const INTERRUPT: i32 = 2;

/// The two tools that take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    /// The installed fio.
    Fio,
    /// This binary as `plimsoll fio`.
    Plimsoll,
}

impl Tool {
    /// Returns the index of the tool's side in the comparison.
    pub(super) fn side(self) -> usize {
        match self {
            Tool::Fio => 0,
            Tool::Plimsoll => 1,
        }
    }

    fn command(self) -> Result<Command, Failure> {
        Ok(match self {
            Tool::Fio => Command::new("fio"),
            Tool::Plimsoll => {
                let own = std::env::current_exe();
                let mut command =
                    Command::new(own.map_err(|error| {
                        Failure::failed(format!("plimsoll does not find itself: {error}"))
                    })?);
                command.arg("fio");
                command
            }
        })
    }

    fn name(self) -> &'static str {
        match self {
            Tool::Fio => "fio",
            Tool::Plimsoll => "plimsoll fio",
        }
    }
}

/// Runs `job` through `tool`; returns `None` if it was stopped before the end.
pub(super) fn turn(tool: Tool, job: &str, stop: &StopFlag) -> Result<Option<Run>, Failure> {
    let mut child = start(tool, job)?;
    let printed = child.stdout.take().map(all_of);
    let said = child.stderr.take().map(all_of);
    let status = wait(&mut child, stop)?;
    let told = |reader: Option<std::thread::JoinHandle<Vec<u8>>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    let (printed, said) = (told(printed), told(said));
    if stop.raised() {
        return Ok(None);
    }
    if !status.success() {
        let said = String::from_utf8_lossy(&said);
        let why = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        return Err(Failure::failed(format!("{} ended with {status}: {why}", tool.name())));
    }
    let read = Reader { words: typed() }.printed(tool.name(), &printed);
    let runs =
        read.map_err(|error| Failure::failed(format!("{} printed no result: {error}", tool.name())))?.runs;
    Ok(runs.into_iter().next().map(|run| signed(run, tool)))
}

/// Adds plimsoll's version to the origin, because `plimsoll fio` reports a version of fio as its own.
fn signed(run: Run, tool: Tool) -> Run {
    let origin = match (run.origin, tool) {
        (Origin::Imported { tool, lacks }, Tool::Plimsoll) => {
            Origin::Imported { tool: format!("{tool} of plimsoll {}", env!("CARGO_PKG_VERSION")), lacks }
        }
        (origin, _) => origin,
    };
    Run { origin, ..run }
}

/// Starts the tool; the job is passed through stdin, so that no temporary file is needed.
fn start(tool: Tool, job: &str) -> Result<Child, Failure> {
    let mut command = tool.command()?;
    command
        .args(["--output-format=json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure {
            code: Code::Refused,
            message:
                "fio is not installed, so there is nothing to compare with; install it (apt install fio)"
                    .into(),
        },
        _ => Failure::failed(format!("{} cannot be started: {error}", tool.name())),
    })?;
    if let Some(mut stdin) = child.stdin.take() {
        // A tool that refuses the job may have closed stdin; its own message says why.
        let _ = stdin.write_all(job.as_bytes());
    }
    Ok(child)
}

/// Reads a pipe to its end in a thread, because the tool would block on a full pipe.
fn all_of(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

/// Waits for the tool; passes a stop request on once.
fn wait(child: &mut Child, stop: &StopFlag) -> Result<ExitStatus, Failure> {
    let mut passed_on = false;
    loop {
        if let Some(status) =
            child.try_wait().map_err(|error| Failure::failed(format!("the tool is lost: {error}")))?
        {
            return Ok(status);
        }
        if stop.raised() && !passed_on {
            passed_on = true;
            // A tool that has just ended does not receive the signal.
            let _ = kernel::send_signal(child.id(), INTERRUPT);
        }
        std::thread::sleep(LOOK);
    }
}
