//! Files that must exist before a load starts: their length and content, and files that they may replace.

use std::path::PathBuf;

use crate::{Buffers, Bytes};

/// Files of one job that are missing or too short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Name of the job in the report.
    pub job: String,
    /// Files to lay out.
    pub files: Vec<LayoutFile>,
    /// Content the files must have.
    pub content: Content,
}

/// One file to lay out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutFile {
    /// Path of the file. Missing directories above it are created.
    pub path: PathBuf,
    /// Required length in bytes.
    pub bytes: u64,
    /// Present length in bytes; 0 if the file is missing.
    pub there: u64,
    /// The files that this file may replace when it is laid out.
    pub replaces: Replaces,
}

/// The files that a file may replace when it is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaces {
    /// Any file: the job writes, or the user allows it.
    Anything,
    /// None, or a file that was laid out here and not changed since: the job only reads.
    Ours,
}

/// Content of a file before the load starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Real data over the whole length, because it will be read; flushed, and dropped from the page cache.
    Data(Buffers),
    /// Only length and space, because the file will be written.
    Space(Reserve),
    /// A directory for the job's own files, created if it is missing.
    Folder,
}

/// How space is reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserve {
    /// No reservation: the file grows as it is written.
    None,
    /// `fallocate`, if the file system supports it.
    Native,
    /// `posix_fallocate`.
    Posix,
    /// `fallocate` that keeps the file's length.
    Keep,
    /// `ftruncate`.
    Truncate,
}

impl Layout {
    /// Bytes of all its files together.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.files.iter().map(|file| file.bytes).sum())
    }
}
