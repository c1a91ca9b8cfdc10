//! Requests that accompany the calls by which a worker does its I/O.

use serde::{Deserialize, Serialize};

/// Requests that accompany each I/O; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Calls {
    /// Effect of the call for a read, write or trim.
    pub act: Act,
    /// The data that a flush makes stable.
    pub flush: FlushBy,
    /// Whether an I/O that would have to wait fails with `EAGAIN` instead (`RWF_NOWAIT`).
    pub nowait: bool,
    /// Whether the page cache drops the data of an I/O at once (`RWF_DONTCACHE`, Linux 6.14).
    pub uncached: bool,
    /// Whether a write is stored completely or not at all, failing if the volume cannot promise that (`RWF_ATOMIC`, Linux
    /// 6.11).
    pub atomic: bool,
    /// One of every this many I/Os of a ring goes straight to a kernel thread without being tried first; 0: none.
    pub force_async: u32,
}

/// Effect of the call for a read, write or trim on its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Moves data, or discards blocks.
    #[default]
    Move,
    /// Reserves space without data (`fallocate`): a write extends the file if needed, a read keeps the file's length; a
    /// trim releases the space.
    Reserve,
    /// Truncates the file where a write begins (`ftruncate`); any other direction is invalid.
    Cut,
    /// Creates the file; an existing one stays as it is.
    MakeFile,
    /// Looks the name up (`stat`).
    LookUp,
    /// Removes the file.
    RemoveFile,
    /// Creates a directory of that name.
    MakeFolder,
    /// Removes the directory of that name if it is empty.
    RemoveFolder,
}

impl Act {
    /// Whether the call concerns the file's name and not its content.
    pub fn is_of_names(self) -> bool {
        !matches!(self, Act::Move | Act::Reserve | Act::Cut)
    }

    /// Whether the file must be opened for writing even if only reads are issued.
    pub fn writes(self) -> bool {
        matches!(self, Act::Reserve | Act::Cut | Act::RemoveFile)
    }

    /// Whether the call changes anything, in whichever direction its I/O is counted.
    pub fn changes(self) -> bool {
        !matches!(self, Act::Move | Act::LookUp)
    }
}

/// The data that a flush makes stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlushBy {
    /// Data, and only the metadata needed to find it (`fdatasync`).
    #[default]
    Data,
    /// Data and all metadata, times included (`fsync`).
    File,
    /// Pages only, neither the device's cache nor the file's metadata (`sync_file_range`).
    Pages(PagesFlush),
}

/// The actions of `sync_file_range`, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PagesFlush {
    /// Waits for pages already being written.
    pub wait_before: bool,
    /// Starts writing dirty pages.
    pub write: bool,
    /// Waits for the pages whose writing it started.
    pub wait_after: bool,
}
