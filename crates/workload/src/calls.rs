//! What goes along with the calls that a worker's I/O is made by.

use serde::{Deserialize, Serialize};

/// Wishes that go along with each I/O; the default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Calls {
    /// What a flush stores.
    pub flush: FlushBy,
    /// An I/O that would have to wait fails with `EAGAIN` instead (`RWF_NOWAIT`).
    pub nowait: bool,
    /// The page cache forgets what went through it at once (`RWF_DONTCACHE`, Linux 6.14).
    pub uncached: bool,
    /// Every so many I/Os of a ring are handed to a thread of the kernel without being tried first; 0: none.
    pub force_async: u32,
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
