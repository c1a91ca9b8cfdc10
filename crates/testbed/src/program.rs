//! A running program: waited for to its end, or watched and stopped.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Time after which a program counts as hung: the longest drain of a nightly test takes nine minutes.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// Output and exit code of a program that has ended.
#[derive(Debug)]
pub struct ProgramOutput {
    /// Exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Text on stdout.
    pub out: String,
    /// Text on stderr.
    pub err: String,
}

impl ProgramOutput {
    /// Returns stdout as one JSON document.
    ///
    /// # Panics
    /// If stdout is not exactly one JSON document.
    pub fn json(&self) -> serde_json::Value {
        match serde_json::from_str(&self.out) {
            Ok(value) => value,
            Err(error) => panic!("stdout is no JSON document: {error}\n{}\n{}", self.out, self.err),
        }
    }

    /// Returns stdout with all white space reduced to single blanks, so that words can be found across lines.
    pub fn told(&self) -> String {
        squeezed(&self.out)
    }

    /// Returns stderr in the form of [`ProgramOutput::told`].
    pub fn complained(&self) -> String {
        squeezed(&self.err)
    }
}

/// Returns `text` with every run of blanks and line ends as one blank.
pub fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs `command` to its end.
pub fn ended(command: &mut Command) -> ProgramOutput {
    Running::start(command).wait()
}

/// A running program, killed when the test ends.
#[derive(Debug)]
pub struct Running {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
    said: String,
}

impl Running {
    /// Starts `command`.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start(command: &mut Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (lines_of(child.stdout.take().unwrap()), lines_of(child.stderr.take().unwrap()));
        Running { child, out, err, said: String::new() }
    }

    /// Returns the process id of the program.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until a line on stderr contains `words`; returns false if the program ended without such a line.
    pub fn has_said(&mut self, words: &str) -> bool {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.err.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    self.said += &line;
                    if line.contains(words) {
                        return true;
                    }
                }
                Err(_) => return false,
            }
        }
    }

    /// Sends the program the signal with this name.
    ///
    /// # Panics
    /// If the tool `kill` is missing.
    pub fn signal(&self, name: &str) {
        let sent =
            Command::new("kill").args(["-s", name, &self.id().to_string()]).stderr(Stdio::null()).status();
        assert!(sent.is_ok(), "kill is not installed");
    }

    /// Waits for the end of the program.
    ///
    /// # Panics
    /// If that takes minutes.
    pub fn wait(mut self) -> ProgramOutput {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < until, "it does not end; said until now:\n{}", self.rest_of_stderr());
            std::thread::sleep(Duration::from_millis(5));
        };
        let out: String = self.out.iter().collect();
        let rest: String = self.err.iter().collect();
        ProgramOutput { code: status.code(), out, err: std::mem::take(&mut self.said) + &rest }
    }

    fn rest_of_stderr(&self) -> String {
        self.said.clone() + &self.err.try_iter().collect::<String>()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        // A process blocked in I/O is gone only when the test has released the I/O.
        comes_true(|| !matches!(self.child.try_wait(), Ok(None)));
    }
}

/// Returns the lines of `pipe` as they come; bytes outside UTF-8 are replaced.
fn lines_of(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(pipe);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
            line.clear();
        }
    });
    lines
}

/// Waits until `holds` returns true; returns false if it does not within 20 s.
pub fn comes_true(mut holds: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(20);
    while Instant::now() < until {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// Whether no thread of the process with this id still runs. A zombie has ended too: if the first process of a
/// container never waits for its children, a zombie stays in `/proc` for good.
pub fn has_ended(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z') || rest.is_empty())
}
