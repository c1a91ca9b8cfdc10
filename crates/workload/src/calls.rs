//! What goes along with the calls that a worker's I/O is made by.

use serde::{Deserialize, Serialize};

/// Wishes that go along with each I/O; the default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Calls {
    /// What the call of a read, write or trim does.
    pub act: Act,
    /// What a flush stores.
    pub flush: FlushBy,
    /// An I/O that would have to wait fails with `EAGAIN` instead (`RWF_NOWAIT`).
    pub nowait: bool,
    /// The page cache forgets what went through it at once (`RWF_DONTCACHE`, Linux 6.14).
    pub uncached: bool,
    /// A write is stored whole or not at all, or fails where the volume cannot promise that (`RWF_ATOMIC`, Linux 6.11).
    pub atomic: bool,
    /// Every so many I/Os of a ring are handed to a thread of the kernel without being tried first; 0: none.
    pub force_async: u32,
}

/// What the call of a read, write or trim does to its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Moves data, or gives blocks back.
    #[default]
    Move,
    /// Reserves space without data (`fallocate`): a write as part of the file, a read also beyond its end; a trim gives it back.
    Reserve,
    /// Makes the file end where a write begins (`ftruncate`); anything else is invalid.
    Cut,
    /// Makes the file; one that is there stays as it is.
    MakeFile,
    /// Looks at what stands at the name (`stat`).
    LookUp,
    /// Removes the file.
    RemoveFile,
    /// Makes a folder of the name.
    MakeFolder,
    /// Removes the folder of the name, if it is empty.
    RemoveFolder,
}

impl Act {
    /// Whether it concerns the name of a file and not what it holds.
    pub fn is_of_names(self) -> bool {
        !matches!(self, Act::Move | Act::Reserve | Act::Cut)
    }

    /// Whether its file must be opened for writing also where nothing but reads are issued.
    pub fn writes(self) -> bool {
        matches!(self, Act::Reserve | Act::Cut | Act::RemoveFile)
    }

    /// Whether it changes what is there, whichever direction its I/O is counted in.
    pub fn changes(self) -> bool {
        !matches!(self, Act::Move | Act::LookUp)
    }
}

/// What a flush stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlushBy {
    /// What was written, and of what is known of the file only what is needed to find it (`fdatasync`).
    #[default]
    Data,
    /// All that is known of the file too, its times among it (`fsync`).
    File,
    /// Pages only, neither the device's cache nor anything of the file (`sync_file_range`).
    Pages(PagesFlush),
}

/// What `sync_file_range` does, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PagesFlush {
    /// Waits for pages that are being written.
    pub wait_before: bool,
    /// Begins to write dirty pages.
    pub write: bool,
    /// Waits for those.
    pub wait_after: bool,
}
