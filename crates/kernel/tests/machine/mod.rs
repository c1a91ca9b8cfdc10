//! What tests on the real machine share: a place on a real file system, and loop devices that undo themselves.
#![allow(clippy::unwrap_used, dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kernel::lab::{LoopDevice, LoopOptions};
use kernel::{Direct, OwnedTestFile, guard};
use workload::Bytes;

/// A directory of its own on the file system that the build lies on.
pub fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// An unnamed file of `size`, all holes.
pub fn unnamed(size: Bytes) -> OwnedTestFile {
    let dir = directory();
    let file = kernel::unnamed_file(dir.path(), size).unwrap();
    file.set_len(size).unwrap();
    file
}

/// A loop device over an unnamed file; the kernel takes both away when the test ends, however it ends.
pub fn loop_of(size: Bytes) -> Option<LoopDevice> {
    loop_over(&unnamed(size))
}

/// A loop device over `file`; `None`, with the reason printed, where this machine makes none.
pub fn loop_over(file: &OwnedTestFile) -> Option<LoopDevice> {
    let options = LoopOptions { direct: Direct::No, size_limit: None, block_size: None };
    match LoopDevice::attach(&guard::permit_unnamed(file), options) {
        Ok(device) => Some(device),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// A loop device made by `losetup`, as other people make them; detached with the value.
pub struct Losetup {
    pub node: PathBuf,
}

/// Shows `path` with `options`; `None`, with the reason printed, where this machine makes no loop device.
pub fn losetup(path: &Path, options: &[&str]) -> Option<Losetup> {
    let out = Command::new("losetup").args(["--find", "--show"]).args(options).arg(path).output();
    match out {
        Ok(out) if out.status.success() => {
            Some(Losetup { node: PathBuf::from(String::from_utf8_lossy(&out.stdout).trim()) })
        }
        other => {
            eprintln!("skipped: losetup: {other:?}");
            None
        }
    }
}

impl Drop for Losetup {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.node).status();
    }
}

/// Runs a program; false, with the reason printed, where it is missing or fails.
pub fn run(words: &[&str]) -> bool {
    let (program, rest) = words.split_first().unwrap();
    let out = Command::new(program).args(rest).stdin(Stdio::null()).output();
    match out {
        Ok(out) if out.status.success() => true,
        Ok(out) => {
            eprintln!("skipped: {words:?}: {}", String::from_utf8_lossy(&out.stderr).trim());
            false
        }
        Err(error) => {
            eprintln!("skipped: {program} is not installed ({error})");
            false
        }
    }
}

/// Whether a program can be run at all.
pub fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        eprintln!("skipped: {program} is not installed");
    }
    found.is_ok()
}

/// Undoes something when the test ends, however it ends.
pub struct Undo(pub Vec<String>);

impl Undo {
    pub fn by(words: &[&str]) -> Undo {
        Undo(words.iter().map(|word| (*word).to_owned()).collect())
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        let (program, rest) = self.0.split_first().unwrap();
        let _ = Command::new(program).args(rest).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// A number that differs between all bytes of a device and any change of them (FNV-1a).
pub fn fingerprint(path: &Path) -> u64 {
    let bytes = std::fs::read(path).unwrap();
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

pub fn text(path: &Path) -> String {
    path.display().to_string()
}

pub fn path(word: &str) -> PathBuf {
    PathBuf::from(word)
}
