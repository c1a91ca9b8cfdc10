//! The inputs of a plan besides the workload: the target, and the choices made so far.

use std::path::{Path, PathBuf};

use workload::{Bytes, Choice, Nanos};

use super::error::PlanError;

/// Facts about the target of a workload.
#[derive(Clone, Debug)]
pub struct PlanTarget {
    /// Every file and device that the jobs name; empty for null and simulated targets.
    pub files: Vec<FileFacts>,
    /// The kind of target.
    pub kind: PlanTargetKind,
    /// CPUs that this process may use.
    pub cpus: Vec<u32>,
    /// Length of an interval in the record: 1 s for plimsoll's own commands, 500 ms for dialects with such windows.
    pub interval: Nanos,
    /// How the clones of a sequential job share the region.
    pub clones: Clones,
}

/// The kind of target that the jobs run on.
#[derive(Clone, Debug)]
pub enum PlanTargetKind {
    /// This machine's kernel, with its backends in order of preference, or the reason why one does not work, as reported by
    /// `kernel::probe`.
    Machine(Vec<(workload::BackendKind, Result<(), String>)>),
    /// The null backend; length of the region of a job that names none.
    Null(Bytes),
    /// A simulated volume of this size.
    Simulated(Bytes),
}

/// How the clones of a sequential job share the region; clones of a random job always share all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clones {
    /// Each has a separate part, so that no two read or write the same blocks at the same time.
    Apart,
    /// All start at the region's first byte, as in fio.
    Together,
}

/// Facts about a file or device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// Path as the jobs name it.
    pub path: PathBuf,
    /// Size of the file or device.
    pub size: Bytes,
    /// Alignment that direct I/O requires; zero if direct I/O is not possible.
    pub direct_alignment: Bytes,
    /// Whether the guard has permitted writing to the file or device.
    pub writable: bool,
}

impl PlanTarget {
    pub(super) fn file(&self, job: &str, path: &Path) -> Result<&FileFacts, PlanError> {
        self.files
            .iter()
            .find(|file| file.path == path)
            .ok_or_else(|| PlanError::UnknownFile { job: job.to_owned(), path: path.to_owned() })
    }
}

/// Choices in the order they are made; a choice that several jobs share is listed once.
#[derive(Debug, Default)]
pub(super) struct Choices(pub(super) Vec<Choice>);

impl Choices {
    pub(super) fn add(&mut self, what: &str, value: impl Into<String>, reason: impl Into<String>) {
        let choice = Choice { what: what.to_owned(), value: value.into(), reason: reason.into() };
        if !self.0.contains(&choice) {
            self.0.push(choice);
        }
    }
}
