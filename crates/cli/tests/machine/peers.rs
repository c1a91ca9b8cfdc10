//! The real fio and ours side by side: who runs, where, and how their output is compared.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
pub use testbed::same_shape;

use super::{Folder, Lack, ProgramOutput, ended, has, skipped};

/// Which program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The distribution's fio.
    Real,
    /// `plimsoll fio`.
    Command,
    /// A link with the name fio.
    Link,
}

/// A folder to work in, and both programs.
pub struct Peers {
    pub folder: Folder,
}

impl Peers {
    /// Returns the peers; `None`, with the reason printed, if there is no fio to compare with.
    pub fn find() -> Option<Peers> {
        has("fio").then(Peers::alone)
    }

    /// Returns the peers when only ours is run.
    pub fn alone() -> Peers {
        let folder = Folder::new();
        folder.make_dir("bin");
        symlink(env!("CARGO_BIN_EXE_plimsoll"), folder.path("bin/fio")).unwrap();
        Peers { folder }
    }

    /// Runs a command line in an empty folder of its own.
    pub fn run(&self, who: Who, words: &str) -> ProgramOutput {
        let place = self.folder.make_dir(&format!("{who:?}"));
        let _ = std::fs::remove_dir_all(&place);
        self.run_in(&self.folder.make_dir(&format!("{who:?}")), who, words)
    }

    pub fn run_in(&self, place: &Path, who: Who, words: &str) -> ProgramOutput {
        ended(&mut self.command(place, who, words))
    }

    pub fn command(&self, place: &Path, who: Who, words: &str) -> Command {
        let mut command = match who {
            Who::Real => Command::new("fio"),
            Who::Command => self.folder.plimsoll(&["fio"]),
            Who::Link => Command::new(self.folder.path("bin/fio")),
        };
        command.args(words.split_whitespace()).current_dir(place).stdin(Stdio::null());
        command
    }

    /// Returns what both print in the normal format; `None`, with the reason printed, if the real fio fails.
    pub fn texts(&self, words: &str) -> Option<(String, String)> {
        let (theirs, ours) = (self.run(Who::Real, words), self.run(Who::Link, words));
        if theirs.code != Some(0) {
            skipped(Lack::Tool, format!("fio {words} ended with {:?}: {}", theirs.code, theirs.err));
            return None;
        }
        assert_eq!((ours.code, ours.err.as_str()), (Some(0), ""), "{words}");
        Some((theirs.out, ours.out))
    }
}

/// Returns the document of a successful run: JSON from the first byte to the last, and nothing on stderr.
pub fn document(ended: &ProgramOutput, words: &str) -> Value {
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{words}");
    assert!(ended.out.starts_with('{') && ended.out.ends_with("}\n"), "{words}: {}", ended.out);
    ended.json()
}

/// Replaces every number in a line and its unit; texts of the older fio become those of the newer one.
pub fn skeleton(line: &str) -> String {
    let line = line.replace("target=0, window=0", "target=0.00ns, window=0.00ns");
    let line = line.replace("sync_file_range:", "sync_file_range/syncfs:").replace("(usec)", "(nsec)");
    let line = line.replace("(msec)", "(nsec)").replace("MiB/s)", "KiB/s)").replace("(  MiB", "(  KiB");
    let mut bare = String::new();
    for letter in line.chars() {
        match letter {
            '0'..='9' if bare.ends_with('#') => {}
            '0'..='9' => bare.push('#'),
            '.' | 'k' | 'K' | 'M' | 'G' | 'i' if bare.ends_with('#') => {}
            other => bare.push(other),
        }
    }
    bare.split_whitespace().collect::<Vec<_>>().join(" ").replace("= #", "=#").replace("[ #", "[#")
}

/// Returns the lines whose number and form do not depend on what was measured: leaves out rows of percentiles and of
/// the coarse distribution, and keeps only the name of a disk.
pub fn skeletons(text: &str) -> Vec<String> {
    // fio ends with one empty line, or with two.
    text.trim_end()
        .lines()
        .filter(|line| !line.trim_start().starts_with('|') && !line.starts_with("  lat ("))
        .map(|line| match (line.contains("(groupid="), line.split_once(": ios=")) {
            (true, _) => line.split(": pid=").next().unwrap_or_default().to_owned(),
            (_, Some((disk, _))) => disk.to_owned(),
            _ => skeleton(line),
        })
        .collect()
}
