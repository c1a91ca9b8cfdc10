//! Files that must be there before a load starts: how long, with what in them, and what they may take the place of.

use std::path::PathBuf;

use crate::{Buffers, Bytes};

/// Files of one job that are missing or too short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The job's name in the report.
    pub job: String,
    /// Its files.
    pub files: Vec<LayoutFile>,
    /// What they must hold.
    pub content: Content,
}

/// One file to lay out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutFile {
    /// Where. Directories above it that are missing are made.
    pub path: PathBuf,
    /// Length it must have.
    pub bytes: u64,
    /// Length it has; 0 where it is missing.
    pub there: u64,
    /// What may stand in its place when it is laid out.
    pub replaces: Replaces,
}

/// What a file that is laid out may take the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaces {
    /// Whatever stands there: its job writes, or the user says so.
    Anything,
    /// Nothing, or a file that was laid out here and that nobody has changed since: its job only reads.
    Ours,
}

/// What a file must hold before the load starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Real data over its whole length, since it will be read; flushed, and dropped from the page cache.
    Data(Buffers),
    /// Only its length and space: it will be written.
    Space(Reserve),
    /// Files of its own: it is a folder, made where it is missing.
    Folder,
}

/// How space is reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserve {
    /// Not at all: the length grows as it is written.
    None,
    /// `fallocate`, where the file system can.
    Native,
    /// `posix_fallocate`.
    Posix,
    /// `fallocate` that leaves the length alone.
    Keep,
    /// `ftruncate`.
    Truncate,
}

impl Layout {
    /// Bytes of all its files.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.files.iter().map(|file| file.bytes).sum())
    }
}
