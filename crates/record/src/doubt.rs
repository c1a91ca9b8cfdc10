//! Reasons why figures from a target may not be the volume's, as values: what each means for the figures is the analysis's
//! to say, and its words are the report's.

use serde::{Deserialize, Serialize};

/// A reason why figures from a target may not be the volume's, with what has to be told of it.
///
/// Run files hold these as they are here, so a kind that is new or changes its fields raises the version of the run file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TargetDoubt {
    /// The file system keeps its files in memory.
    MemoryFilesystem {
        /// Its type, for example `tmpfs`.
        filesystem: String,
    },
    /// The file system lies over another one.
    StackedFilesystem {
        /// Its type, for example `overlay`.
        filesystem: String,
    },
    /// The file system comes over the network.
    NetworkFilesystem {
        /// Its type, for example `nfs4`.
        filesystem: String,
        /// Where it comes from, for example `nas:/export/vol1`.
        source: String,
    },
    /// A program of this machine serves the file system.
    ServedByProgram {
        /// Its type, for example `fuse.sshfs`.
        filesystem: String,
    },
    /// The file system keeps a cache that direct I/O need not go past, and may compress.
    OwnCache {
        /// Its type, for example `zfs`.
        filesystem: String,
    },
    /// The file system compresses what is written.
    Compresses {
        /// Its type, for example `btrfs`.
        filesystem: String,
        /// The option that says so, for example `compress=zstd:3`.
        option: String,
    },
    /// The file system is mounted read-only.
    MountedReadOnly {
        /// Where it is mounted.
        mount_point: String,
    },
    /// The file system knows no direct I/O, so the page cache takes part.
    NoDirectIo,
    /// The device is compressed memory.
    CompressedMemory {
        /// Its kernel name.
        device: String,
    },
    /// The device is memory.
    MemoryDevice {
        /// Its kernel name.
        device: String,
    },
    /// The device stores nothing, and reads come back empty.
    StoresNothing {
        /// Its kernel name.
        device: String,
    },
    /// The device has a cache in front of its volume.
    CacheInFront {
        /// Its kernel name.
        device: String,
    },
    /// The device goes through the page cache of this machine.
    ThroughPageCache {
        /// Its kernel name.
        device: String,
    },
    /// This machine encrypts what the device holds.
    Encrypted {
        /// Its kernel name.
        device: String,
    },
    /// The array is busy with itself.
    ArrayBusy {
        /// Its kernel name.
        device: String,
        /// What it does, in the kernel's word: `resync`, `check`.
        action: String,
    },
    /// A part of the array is missing.
    ArrayDegraded {
        /// Its kernel name.
        device: String,
    },
    /// The device is read-only.
    ReadOnlyDevice {
        /// Its kernel name.
        device: String,
    },
    /// The device does not answer: its settings could not be read.
    Silent {
        /// Its kernel name.
        device: String,
    },
    /// What an earlier version said in words that nobody knows any more; it is told, and decides nothing.
    Other {
        /// Its words.
        words: String,
    },
}
