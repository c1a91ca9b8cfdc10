//! Commands that a job file has run before and after its jobs (`exec_prerun`, `exec_postrun`), as fio does by `system(3)`.

use std::fs::File;
use std::process::{Command, ExitStatus, Stdio};

use fio::{Asked, FioError, FioJob};

use super::trouble;

/// When a command is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before the job's step.
    Before,
    /// After it.
    After,
}

impl Moment {
    fn name(self) -> &'static str {
        match self {
            Moment::Before => "prerun",
            Moment::After => "postrun",
        }
    }

    fn command(self, job: &FioJob) -> Option<&str> {
        match self {
            Moment::Before => job.options.exec_prerun.as_deref(),
            Moment::After => job.options.exec_postrun.as_deref(),
        }
    }
}

/// How a command did not go well.
pub enum Fault {
    /// It could not be started.
    Started(FioError),
    /// It ended with this status, of which fio says nothing; it then runs no job behind an `exec_prerun`.
    Ended(ExitStatus),
}

/// Runs the commands of the jobs of step `number` at this `moment`, one after the other, each with what it prints in a file in
/// the current directory, and tells of it by `say`. Returned are the jobs, by index, whose command did not go well.
pub fn run(asked: &Asked, number: usize, moment: Moment, say: impl Fn(&str)) -> Vec<(usize, Fault)> {
    let jobs = asked.jobs.iter().enumerate().filter(|(_, job)| job.step == number);
    let commands = jobs.filter_map(|(at, job)| Some((at, job, moment.command(job)?)));
    let ended = commands.map(|(at, job, command)| {
        let path = format!("{}.{}.txt", job.name, moment.name());
        say(&format!("{} : Saving output of {} in {path}\n", job.name, moment.name()));
        (at, through_shell(command, &path))
    });
    ended.filter_map(|(at, ended)| Some((at, ended.err()?))).collect()
}

fn through_shell(command: &str, path: &str) -> Result<(), Fault> {
    let file = || File::options().create(true).append(true).open(path);
    let run = || {
        let (out, err) = (file()?, file()?);
        Command::new("sh").args(["-c", command]).stdin(Stdio::null()).stdout(out).stderr(err).status()
    };
    // What an earlier run left is no output of this one.
    let _ = std::fs::remove_file(path);
    match run() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Fault::Ended(status)),
        Err(error) => Err(Fault::Started(trouble::call("exec", path.as_ref())(error))),
    }
}
