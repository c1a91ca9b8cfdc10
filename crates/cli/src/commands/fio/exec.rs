//! Commands that a job file runs before and after its jobs (`exec_prerun`, `exec_postrun`), as fio does with `system(3)`.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use fio::{FioError, FioJob, FioRequest};
use kernel::Links;
use session::signals::StopFlag;

use super::trouble;

/// When a command is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Before the job's step.
    Before,
    /// After the job's step.
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

/// Failure of a command.
pub(crate) enum Fault {
    /// The command could not be started.
    Started(FioError),
    /// The command ended with this status, which fio does not report; a failed `exec_prerun` prevents its job.
    Ended(ExitStatus),
}

/// Time between checks of a running command, and so the longest delay in noticing its end.
const LOOK: Duration = Duration::from_millis(10);
/// SIGTERM, which asks a command to end.
const TERMINATE: i32 = 15;

/// Commands that are due.
pub(crate) struct Due<'a> {
    /// The jobs that define the commands.
    pub asked: &'a FioRequest,
    /// The step of those jobs.
    pub step: usize,
    /// Which of their commands are due.
    pub moment: Moment,
    /// Ends a running command when raised.
    pub stop: &'a StopFlag,
}

impl Due<'_> {
    /// Runs the commands one after the other, each with its output in a file in the current directory, and announces
    /// each with `say`. Returns the indices of the jobs whose command failed, with the failure.
    pub fn run(&self, say: impl Fn(&str)) -> Vec<(usize, Fault)> {
        let jobs = self.asked.jobs.iter().enumerate().filter(|(_, job)| job.step == self.step);
        let commands = jobs.filter_map(|(at, job)| Some((at, job, self.moment.command(job)?)));
        let ended = commands.map(|(at, job, command)| {
            let path = format!("{}.{}.txt", job.name, self.moment.name());
            say(&format!("{} : Saving output of {} in {path}\n", job.name, self.moment.name()));
            (at, through_shell(command, &path, self.stop))
        });
        ended.filter_map(|(at, ended)| Some((at, ended.err()?))).collect()
    }
}

fn through_shell(command: &str, path: &str, stop: &StopFlag) -> Result<(), Fault> {
    let run = || -> io::Result<ExitStatus> {
        // Output of an earlier run must not remain in the file.
        let out = kernel::open_outlet(path.as_ref(), Links::Refused)?.emptied()?;
        let err = out.try_clone()?;
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).stdin(Stdio::null()).stdout(out).stderr(err);
        if stop.raised() {
            // This command cleans up after a stopped run, so it is waited for; it stays in plimsoll's process group,
            // where Ctrl-C reaches it.
            return shell.status();
        }
        wait(&mut shell.process_group(0).spawn()?, stop)
    };
    match run() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Fault::Ended(status)),
        Err(error) => Err(Fault::Started(trouble::call("exec", path.as_ref())(error))),
    }
}

/// Waits for a shell that leads its own process group; a stop request terminates the whole group.
fn wait(shell: &mut Child, stop: &StopFlag) -> io::Result<ExitStatus> {
    let mut passed_on = false;
    loop {
        if let Some(status) = shell.try_wait()? {
            return Ok(status);
        }
        if stop.raised() && !passed_on {
            passed_on = true;
            // A group that has just ended does not receive the signal.
            let _ = kernel::send_signal_to_group(shell.id(), TERMINATE);
        }
        std::thread::sleep(LOOK);
    }
}
