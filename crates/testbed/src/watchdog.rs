//! Cleans up after a test, even if the test is killed.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Bash commands that read until the pipe has no writer.
const CLOSED: &str = "trap '' INT TERM HUP; while read -r _; do :; done; exec 0</dev/null; ";

/// Bash commands that read like [`CLOSED`], and in addition, every three seconds without input, check whether the
/// process is dead except for threads blocked in the kernel, and stop reading after a minute of silence.
const SILENT: &str = "trap '' INT TERM HUP; missed=0
while [ $missed -lt 20 ]; do
  read -r -t 3 _; case $? in
    0) missed=0 ;;
    1) break ;;
    *) missed=$((missed + 1)); stat=$(<\"/proc/$PPID/stat\"); [[ ${stat##*) } != [ZX]* ]] || break ;;
  esac
done; exec 0</dev/null; ";

/// Condition under which a process counts as dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Its files are closed.
    Closed,
    /// Its files are closed, its first thread is dead, or it has not called [`Watchdog::beat`] for a minute, which
    /// every living process does, however busy the machine. A killed process keeps its files open while one of
    /// its threads waits for a device that does not answer.
    Silent,
}

/// A process that runs a script when this value is dropped, or when this process ends in any way.
#[derive(Debug)]
pub struct Watchdog {
    process: Child,
    line: Option<ChildStdin>,
}

impl Watchdog {
    /// Runs `undo`, bash commands in which `$1` and so on stand for `arguments`, when the watchdog is dropped
    /// or this process is dead.
    ///
    /// # Errors
    /// If bash is missing.
    pub fn new(until: Until, undo: &str, arguments: &[&str]) -> io::Result<Watchdog> {
        let wait = if until == Until::Silent { SILENT } else { CLOSED };
        let script = format!("{wait}{undo}");
        let mut bash = Command::new("bash");
        bash.args(["-c", &script, "watchdog"]).args(arguments);
        // Its own process group, so that an interrupt from the terminal does not reach it.
        bash.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = bash.spawn()?;
        let line = process.stdin.take();
        Ok(Watchdog { process, line })
    }

    /// Signals that this process lives.
    pub fn beat(&mut self) {
        if let Some(line) = &mut self.line {
            let _ = line.write_all(b"\n");
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.line.take());
        let _ = self.process.wait();
    }
}
