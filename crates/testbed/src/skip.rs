//! Tests that this machine cannot run say so, in one way, and are counted.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// The variable that names the file to which skips are added; `./dev test` sets it, lists them, and fails in CI where one
/// was not expected.
pub const SKIPS: &str = "PLIMSOLL_SKIPS";

/// What a machine lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The rights of root.
    Root,
    /// A program, or another version of it.
    Tool,
    /// Something of the kernel or of a file system: loop devices, FUSE, control groups, an engine, attributes.
    Kernel,
    /// A way to the network.
    Network,
    /// Time of a processor: others had it, and what was measured proves nothing.
    Cpu,
}

impl Lack {
    /// The word by which `.ci/expected-skips` knows it.
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

/// What was lacking in this process until now, a word for each skip.
pub fn skips_so_far() -> Vec<Lack> {
    SO_FAR.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Says that the rest of this test is skipped, and why.
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
        // One write, so that the lines of tests at the same time do not mix.
        let _ = opened.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// The binary and the test that runs on this thread.
fn test() -> String {
    let program = std::env::current_exe().ok();
    let stem = program.as_deref().and_then(|path| path.file_stem()).unwrap_or_default().to_string_lossy();
    let binary = stem.rsplit_once('-').map_or(&*stem, |(name, _)| name);
    format!("{binary} {}", std::thread::current().name().unwrap_or("?"))
}
