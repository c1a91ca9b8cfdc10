//! Any input that is named: its kind is checked first, memory is bounded, and a wait for it can be interrupted.

mod inputs;
mod rows;
mod special;

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::machine::*;

/// A command line that reads its input at `%`; an `@` is the test's folder.
#[derive(Clone, Debug)]
pub struct Reads {
    /// The words of the command line.
    pub words: Vec<String>,
    /// Exit code of its refusal.
    pub code: i32,
    /// Whether it waits for a pipe instead of refusing it.
    pub waits: bool,
    /// Things that it accepts, and so does not refuse.
    pub takes: &'static [&'static str],
    /// Whether its refusal names the kind of thing.
    pub says: bool,
}

/// How a watched command ended.
pub struct WatchedOutput {
    pub ended: ProgramOutput,
    /// Peak memory in MiB, as far as it was seen.
    pub peak: u64,
}

impl Reads {
    /// Starts the command with `path` as its input.
    pub fn start(&self, folder: &Folder, path: &str) -> Running {
        let words: Vec<String> = self.words.iter().map(|word| word.replace('%', path)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Running::start(folder.plimsoll(&words).current_dir(folder.path(".")))
    }
}

/// Waits for the end of a command and watches its memory; returns `None` if it does not end.
pub fn watched(running: Running) -> Option<WatchedOutput> {
    let status = format!("/proc/{}/status", running.id());
    let mut peak = 0;
    let gone = comes_true(|| {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let high = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        peak = peak.max(high.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) >> 10);
        has_ended(running.id())
    });
    gone.then(|| WatchedOutput { ended: running.wait(), peak })
}

/// Whether `process` has the file at `path` open.
pub fn has_open(process: u32, path: &Path) -> bool {
    let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|to| to == path)
}

/// Sends the signal of this name and waits; returns what is wrong if the command does not end with the exit code of
/// one that was stopped.
#[allow(clippy::print_stdout, reason = "the time is for people; only a hang fails")]
pub fn stopped_by(signal: &str, running: Running) -> Option<String> {
    running.signal(signal);
    let since = Instant::now();
    let gone = comes_true(|| has_ended(running.id()));
    println!("SIG{signal}: ended after {:?}", since.elapsed());
    match gone.then(|| running.wait()) {
        Some(ProgramOutput { code: Some(130), .. }) => None,
        Some(other) => Some(format!("SIG{signal}: ends with {:?}: {}", other.code, other.err)),
        None => Some(format!("SIG{signal} is not heard")),
    }
}

pub fn none(faults: Vec<String>) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
