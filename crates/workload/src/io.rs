//! One I/O on its way: what a worker hands to a backend, and what comes back.

use serde::{Deserialize, Serialize};

use crate::Nanos;

/// Which way the data goes, for accounting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the volume.
    #[default]
    Read,
    /// To the volume.
    Write,
    /// Blocks given back.
    Trim,
    /// A flush of the volume's caches; it carries no data.
    Flush,
}

impl Direction {
    /// Every direction in the order of its index.
    pub const ALL: [Direction; 4] = [Direction::Read, Direction::Write, Direction::Trim, Direction::Flush];

    /// Place in arrays of four, one a direction.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The lower-case word.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Read => "read",
            Direction::Write => "write",
            Direction::Trim => "trim",
            Direction::Flush => "flush",
        }
    }
}

/// What is asked of the volume; the same four values as [`Direction`].
pub type IoKind = Direction;

/// One I/O as the worker issues it. `slot` names the buffer and comes back in [`Done`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// Buffer and bookkeeping slot, below the worker's depth; free until the I/O is done.
    pub slot: u32,
    /// What to do.
    pub kind: IoKind,
    /// Index into the worker's files.
    pub file: u32,
    /// Byte offset in that file.
    pub offset: u64,
    /// Length in bytes; zero for a flush.
    pub bytes: u32,
    /// When the pace wanted it; equals the issue time in a closed loop.
    pub due: Nanos,
}

/// One I/O that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The slot of its [`Io`].
    pub slot: u32,
    /// Bytes moved, or the negated errno.
    pub result: i32,
    /// When it ended, where the backend knows (simulated volumes); [`Nanos::ZERO`] where the driver's reading of the
    /// clock just after the reap is to be used (real backends).
    pub at: Nanos,
}

/// How long a reap may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Take what is there.
    Poll,
    /// Until at least one I/O is done.
    One,
    /// Until one is done or the run's clock shows this time.
    Until(Nanos),
}
