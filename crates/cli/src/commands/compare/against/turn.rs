//! One turn: a tool runs the job to its end, and its output is read.

use std::process::{Child, Command, Output};

use record::{Origin, Run};
use session::failure::{Code, Failure};
use session::inputs::Reader;
use session::signals::StopFlag;

use crate::arguments::typed;
use crate::commands::peer;

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
    let Output { status, stdout: printed, stderr: said } = peer::end(start(tool, job)?, stop)?;
    if stop.raised() {
        return Ok(None);
    }
    if !status.success() {
        let said = String::from_utf8_lossy(&said);
        let why = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        return Err(Failure::failed(format!("{} ended with {status}: {why}", tool.name())));
    }
    let read = Reader::of(typed()).printed(tool.name(), &printed);
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

fn start(tool: Tool, job: &str) -> Result<Child, Failure> {
    let mut command = tool.command()?;
    command.args(["--output-format=json", "-"]);
    peer::start(&mut command, job.as_bytes()).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure {
            code: Code::Refused,
            message:
                "fio is not installed, so there is nothing to compare with; install it (apt install fio)"
                    .into(),
        },
        _ => Failure::failed(format!("{} cannot be started: {error}", tool.name())),
    })
}
