//! The one way in which tests report that this machine cannot run them, so that they are counted.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// Environment variable with the file to which skips are appended; `./dev test` sets it, lists them, and
/// fails in CI if one was not expected.
pub const SKIPS: &str = "PLIMSOLL_SKIPS";

/// Facility that a machine lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The rights of root.
    Root,
    /// A program, or another version of it.
    Tool,
    /// A feature of the kernel or of a file system: loop devices, FUSE, control groups, an engine, attributes.
    Kernel,
    /// Access to the network.
    Network,
    /// Processor time: others used it, and the measurement proves nothing.
    Cpu,
}

impl Lack {
    /// Returns the word that `.ci/expected-skips` uses.
    pub fn name(self) -> &'static str {
        match self {
            Lack::Root => "root",
            Lack::Tool => "tool",
            Lack::Kernel => "kernel",
            Lack::Network => "network",
            Lack::Cpu => "cpu",
        }
    }
}

static SO_FAR: Mutex<Vec<Lack>> = Mutex::new(Vec::new());

/// Returns the reasons for the skips of this process so far, one entry for each skip.
pub fn skips_so_far() -> Vec<Lack> {
    SO_FAR.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Reports that the rest of this test is skipped, and why.
pub fn skipped(lack: Lack, why: impl Display) {
    SO_FAR.lock().unwrap_or_else(PoisonError::into_inner).push(lack);
    let why = why.to_string();
    match lack {
        Lack::Cpu => eprintln!("skipped: short of CPU: {why}"),
        _ => eprintln!("skipped: {why}"),
    }
    if let Some(file) = std::env::var_os(SKIPS).filter(|name| !name.is_empty()) {
        let line = format!(
            "{}\t{}\t{}\n",
            lack.name(),
            test(),
            why.split_whitespace().collect::<Vec<_>>().join(" ")
        );
        let opened = OpenOptions::new().create(true).append(true).open(file);
        // One write, so that the lines of parallel tests do not mix.
        let _ = opened.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// Returns the binary and the test that runs on this thread.
fn test() -> String {
    let program = std::env::current_exe().ok();
    let stem = program.as_deref().and_then(|path| path.file_stem()).unwrap_or_default().to_string_lossy();
    let binary = stem.rsplit_once('-').map_or(&*stem, |(name, _)| name);
    format!("{binary} {}", std::thread::current().name().unwrap_or("?"))
}
