//! One I/O on its way: the request that a worker hands to a backend, and the completion.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nanos;

/// Direction of the data, for accounting.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the volume.
    #[default]
    Read,
    /// To the volume.
    Write,
    /// Discarded blocks.
    Trim,
    /// Flush of the volume's caches; carries no data.
    Flush,
}

impl Direction {
    /// Every direction, in the order of its index.
    pub const ALL: [Direction; 4] = [Direction::Read, Direction::Write, Direction::Trim, Direction::Flush];

    /// Index into arrays with one entry per direction.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Read => "read",
            Direction::Write => "write",
            Direction::Trim => "trim",
            Direction::Flush => "flush",
        }
    }
}

/// Operation requested of the volume; the same four values as [`Direction`].
pub type IoKind = Direction;

/// One I/O as the worker issues it. `slot` names its buffer and is returned in [`Completion`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// Slot of buffer and bookkeeping, below the worker's depth; in use until the I/O has completed.
    pub slot: u32,
    /// The operation.
    pub kind: IoKind,
    /// Index into the worker's files.
    pub file: u32,
    /// Byte offset in the file.
    pub offset: u64,
    /// Length in bytes; zero for a flush.
    pub bytes: u32,
    /// Due time set by the pace; in a closed loop, the issue time.
    pub due: Nanos,
}

/// One completed or failed I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The slot of its [`Io`].
    pub slot: u32,
    /// Bytes moved, or the negated errno.
    pub result: i32,
    /// When the I/O ended, if the backend knows (simulated volumes); [`Nanos::ZERO`] if the driver's clock reading just
    /// after the reap is to be used (real backends).
    pub at: Nanos,
}

/// How long a reap may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Returns completed I/Os without waiting.
    Poll,
    /// Waits until at least one I/O has completed.
    One,
    /// Waits until one I/O has completed or the run's clock reaches this time.
    Until(Nanos),
    /// Waits, in one call where the kernel can, until several I/Os have completed or the time is up.
    Several {
        /// Number of completions, at most as many as are in flight.
        least: u32,
        /// Time of the run's clock at which the wait ends.
        until: Nanos,
    },
}
