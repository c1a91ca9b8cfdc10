//! What the tests of the binary share: a folder of their own with the program in it, its peers, and volumes.
#![allow(
    clippy::unwrap_used,
    dead_code,
    unused_imports,
    reason = "a test may unwrap, and not every test needs everything"
)]

mod lab;
mod peers;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub use lab::*;
pub use peers::*;
use tempfile::TempDir;
pub use testbed::*;

/// A folder of the test's own: `state` is the user's state directory, everything else is up to the test.
pub struct Folder {
    folder: TempDir,
}

impl Folder {
    /// Makes a folder on the file system of the build, a real one.
    pub fn new() -> Folder {
        Folder::within(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    /// Makes a folder in memory if possible, where nobody else disturbs it.
    pub fn in_memory() -> Folder {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Folder::within(memory) } else { Folder::new() }
    }

    /// Makes a folder where everybody may look, and run programs.
    pub fn for_everybody() -> Folder {
        Folder::within(&std::env::temp_dir())
    }

    fn within(place: &Path) -> Folder {
        let folder = tempfile::Builder::new().prefix("plimsoll-test-").tempdir_in(place).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Folder { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        text(&self.path(name))
    }

    pub fn make_dir(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Makes a file of `mib` MiB, all of it written, on stable storage.
    pub fn make_file(&self, name: &str, mib: usize) -> PathBuf {
        let path = self.path(name);
        write_data(&path, mib);
        path
    }

    /// Returns plimsoll with `words`, keeping its state in this folder. An `@` in a word stands for the folder.
    pub fn plimsoll(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command.args(words.iter().map(|word| word.replace('@', &self.text("."))));
        self.settle(&mut command);
        command
    }

    /// Returns `program`, one of whose words may be `plimsoll`, with the same surroundings.
    pub fn through(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        let real = |word: &str| match word {
            "plimsoll" => env!("CARGO_BIN_EXE_plimsoll").to_owned(),
            word => word.replace('@', &self.text(".")),
        };
        command.args(words.iter().map(|word| real(word)));
        self.settle(&mut command);
        command
    }

    fn settle(&self, command: &mut Command) {
        command.env("XDG_STATE_HOME", self.path("state")).env("NO_COLOR", "1").stdin(Stdio::null());
    }

    /// Lists every name in the folder with size and kind, for comparing before and after.
    pub fn listing(&self) -> Vec<String> {
        let mut found = Vec::new();
        list(self.folder.path(), &mut found);
        found.sort();
        found
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self.folder.path()
    }
}

fn list(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let metadata = fs::symlink_metadata(entry.path()).unwrap();
        let size = if metadata.is_dir() { 0 } else { metadata.len() };
        found.push(format!("{} {:o} {size}", entry.path().display(), metadata.mode()));
        if metadata.is_dir() {
            list(&entry.path(), found);
        }
    }
}

/// Finds a Python in which these statements run: the distribution's own first, because others may precede it in the path.
pub fn python_with(statements: &str) -> Option<&'static str> {
    let has = |python: &&str| {
        let there = Command::new(python).args(["-c", statements]).output();
        there.is_ok_and(|ended| ended.status.success())
    };
    ["/usr/bin/python3", "python3"].into_iter().find(has)
}

/// Returns the only run file in `folder`.
pub fn run_file(folder: &Path) -> String {
    let all = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let runs: Vec<PathBuf> =
        all.filter(|path| path.extension().is_some_and(|end| end == "plimsoll")).collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    text(&runs[0])
}
