//! The machine as tests see it: rights and programs, places for files, and clean-up when a test ends.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kernel::OwnedTestFile;
use workload::Bytes;

use crate::skip::{Lack, skipped};

/// Whether this process runs as root.
pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}

/// Whether this process runs as root; if not, records a skip, because `what` needs root.
pub fn root_or_skip(what: &str) -> bool {
    if !is_root() {
        skipped(Lack::Root, format!("{what} needs root"));
    }
    is_root()
}

/// Runs a program; returns false, and records a skip, if it is missing or fails.
pub fn run(words: &[&str]) -> bool {
    let [program, rest @ ..] = words else { return false };
    match Command::new(program).args(rest).stdin(Stdio::null()).output() {
        Ok(out) if out.status.success() => true,
        Ok(out) => {
            skipped(Lack::Kernel, format!("{words:?}: {}", String::from_utf8_lossy(&out.stderr).trim()));
            false
        }
        Err(error) => {
            skipped(Lack::Tool, format!("{program} is not installed ({error})"));
            false
        }
    }
}

/// Whether a program can be run; if not, records a skip.
pub fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        skipped(Lack::Tool, format!("{program} is not installed"));
    }
    found.is_ok()
}

/// A command that runs when the test ends, however it ends.
#[derive(Debug)]
pub struct Undo(Vec<String>);

impl Undo {
    /// Returns a value that runs these words, a program and its arguments, on drop.
    pub fn by(words: &[&str]) -> Undo {
        Undo(words.iter().map(|word| (*word).to_owned()).collect())
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        let [program, rest @ ..] = self.0.as_slice() else { return };
        let _ = Command::new(program).args(rest).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// Returns the folder for test files on the file system of the build, which is a real one.
///
/// # Panics
/// If the tests are not in a folder of cargo's.
pub fn build_folder() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    // target/PROFILE/deps/NAME; cargo reserves target/tmp for tests.
    let folder = program.ancestors().nth(3).unwrap().join("tmp");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Creates a temporary directory on the file system of the build.
///
/// # Panics
/// If it cannot be created.
pub fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(build_folder()).unwrap()
}

/// Creates an unnamed file of `size` beside the build, all holes.
///
/// # Panics
/// If it cannot be created.
pub fn unnamed(size: Bytes) -> OwnedTestFile {
    let file = kernel::unnamed_file(&build_folder(), size).unwrap();
    file.set_len(size).unwrap();
    file
}

/// Writes `mib` MiB of data that does not repeat to `path`, and waits until it is stored.
///
/// # Panics
/// If that fails.
pub fn write_data(path: &Path, mib: usize) {
    let mut file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(path).unwrap();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..mib {
        let mut block = Vec::with_capacity(1 << 20);
        while block.len() < 1 << 20 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            block.extend_from_slice(&state.to_le_bytes());
        }
        file.write_all(&block).unwrap();
    }
    file.sync_all().unwrap();
}

/// Returns a number that changes with any change of a file's or device's bytes (FNV-1a over words).
///
/// # Panics
/// If the file or device cannot be read.
pub fn fingerprint(path: &Path) -> u64 {
    let bytes = fs::read(path).unwrap();
    let words = bytes
        .chunks(8)
        .map(|chunk| chunk.iter().rev().fold(0u64, |word, &byte| (word << 8) | u64::from(byte)));
    words.fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x0100_0000_01b3))
}

/// Returns a path as a word of a command line.
pub fn text(path: &Path) -> String {
    path.display().to_string()
}
