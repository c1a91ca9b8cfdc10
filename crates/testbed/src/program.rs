//! The program at work: run to its end, or watched and stopped while it goes on.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Time after which a program counts as hung: the longest drain of a test at night takes nine minutes.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code; `None` where a signal ended it.
    pub code: Option<i32>,
    /// What it said on stdout.
    pub out: String,
    /// What it said on stderr.
    pub err: String,
}

impl Ended {
    /// stdout as one JSON document.
    ///
    /// # Panics
    /// Where it is anything else, or anything more.
    pub fn json(&self) -> serde_json::Value {
        match serde_json::from_str(&self.out) {
            Ok(value) => value,
            Err(error) => panic!("stdout is no JSON document: {error}\n{}\n{}", self.out, self.err),
        }
    }

    /// stdout with every run of blanks and line ends as one blank, so that words can be looked for across lines.
    pub fn told(&self) -> String {
        squeezed(&self.out)
    }

    /// stderr, likewise.
    pub fn complained(&self) -> String {
        squeezed(&self.err)
    }
}

/// `text` with every run of blanks and line ends as one blank.
pub fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs `command` to its end.
pub fn ended(command: &mut Command) -> Ended {
    Running::start(command).wait()
}

/// A program that goes on, killed when the test ends.
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
    /// Where it cannot be started.
    pub fn start(command: &mut Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (lines_of(child.stdout.take().unwrap()), lines_of(child.stderr.take().unwrap()));
        Running { child, out, err, said: String::new() }
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until a line on stderr holds `words`; false where it ended without.
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

    /// Sends it the signal with this name.
    ///
    /// # Panics
    /// Without the tool `kill`.
    pub fn signal(&self, name: &str) {
        let sent =
            Command::new("kill").args(["-s", name, &self.id().to_string()]).stderr(Stdio::null()).status();
        assert!(sent.is_ok(), "kill is not installed");
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// Where that takes minutes.
    pub fn wait(mut self) -> Ended {
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
        Ended { code: status.code(), out, err: std::mem::take(&mut self.said) + &rest }
    }

    fn rest_of_stderr(&self) -> String {
        self.said.clone() + &self.err.try_iter().collect::<String>()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        // One whose I/O the kernel holds is gone only when the test has let it go.
        comes_true(|| !matches!(self.child.try_wait(), Ok(None)));
    }
}

/// The lines of `pipe` as they come; bytes outside UTF-8 are replaced.
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

/// Waits until `holds` is true; false where it never becomes so.
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

/// Whether nothing of the process with this number runs any more. One that nobody has waited for yet has ended too: where
/// the first process of a container waits for nobody, it stays in `/proc` for good.
pub fn has_ended(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z') || rest.is_empty())
}
