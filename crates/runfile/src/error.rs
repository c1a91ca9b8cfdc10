//! Reasons why a run file cannot be written or read, with the remedy.

use std::path::{Path, PathBuf};

/// Reasons why a run cannot be stored.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The name is taken.
    #[error("{path} exists, and a run file is never overwritten; choose another name or move that file away")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be created.
    #[error(
        "cannot create the run file {path}: {source}; choose a directory that exists and that you may write to"
    )]
    Create {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file system or a quota is full.
    #[error(
        "no space left for the run file {path}; what was recorded up to now stays readable there. \
         Make room, or keep the run file on another file system"
    )]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// Writing failed for another reason.
    #[error(
        "cannot write to the run file {path}: {source}; what was recorded up to the last checkpoint, which comes every ten \
         seconds and at the end of a step, stays readable there. Check the file system it lies on, or keep the run file \
         elsewhere"
    )]
    Failed {
        /// The file.
        path: PathBuf,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// The device below the file has not answered for several seconds.
    #[error(
        "the device that the run file {path} lies on does not answer; what is not there yet is not stored, and the file \
         holds the run up to the last checkpoint. Look at that device, and keep run files on another with --out"
    )]
    Silent {
        /// The file.
        path: PathBuf,
    },
    /// The writer's thread has ended.
    #[error(
        "the writer of the run file {path} has ended before its time, which is a fault of plimsoll; what was recorded up to \
         the last checkpoint stays readable there"
    )]
    Lost {
        /// The file.
        path: PathBuf,
    },
    /// A plan names a file whose name is not valid UTF-8.
    #[error("step '{step}' cannot be stored as JSON: {source}; use file names that are valid UTF-8")]
    NotText {
        /// Name of the step.
        step: String,
        /// The encoder's error.
        source: serde_json::Error,
    },
    /// An interval or an end was handed over while no step was open.
    #[error("{what} was handed over while no step is open in {path}; call step_started first")]
    NoStep {
        /// The file.
        path: PathBuf,
        /// The record that was handed over.
        what: &'static str,
    },
}

impl WriteError {
    /// Returns `Exists` if the name is taken, else `Create`.
    pub fn not_made(path: &Path, source: std::io::Error) -> WriteError {
        let path = path.to_owned();
        match source.kind() {
            std::io::ErrorKind::AlreadyExists => WriteError::Exists { path },
            _ => WriteError::Create { path, source },
        }
    }
}

/// Reasons why a file cannot be read as a run.
#[derive(Debug, thiserror::Error)]
pub enum RunfileError {
    /// There is no such file.
    #[error("{path} does not exist; check the name (run files end in .plimsoll)")]
    NotFound {
        /// The file.
        path: PathBuf,
    },
    /// The file exists but cannot be opened.
    #[error(
        "cannot open {path}: {reason}; check that you may read it, and copy it to a directory you may write to if a file \
         {path}-wal lies beside it"
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        reason: String,
    },
    /// The file is not a run file.
    #[error(
        "{path} is no run file: it looks like {looks_like}; name a file that plimsoll recorded (*.plimsoll)"
    )]
    NotARunFile {
        /// The file.
        path: PathBuf,
        /// Apparent kind of the file.
        looks_like: &'static str,
    },
    /// A later version of plimsoll wrote the file.
    #[error(
        "{path} was written by a later version of plimsoll (file version {found}, this one reads up to {known}); \
         update plimsoll"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Version of the file.
        found: i32,
        /// Newest version that this program reads.
        known: i32,
    },
    /// The end of the file is missing.
    #[error(
        "{path} is cut off: by its own account it has {expected} bytes, and {found} are there; copy it again from where \
         it was recorded"
    )]
    CutOff {
        /// The file.
        path: PathBuf,
        /// Bytes that the file should have.
        expected: u64,
        /// Bytes that the file has.
        found: u64,
    },
    /// The schema contains something that plimsoll never puts there.
    #[error(
        "{path} holds {what}, which plimsoll never makes: reading it could run without end, so nothing of it is read; ask \
         for the file as plimsoll recorded it"
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Description of the first such entry.
        what: String,
    },
    /// The contents do not make sense.
    #[error("{path} is damaged in table '{table}': {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Name of the table.
        table: &'static str,
        /// Description of the damage.
        reason: String,
    },
}
