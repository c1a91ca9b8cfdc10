//! Reasons why figures from a target may not be the volume's, as values: the analysis decides what each means for
//! the figures, and the report words it.

use serde::{Deserialize, Serialize};

/// Reason why figures from a target may not be the volume's, with the details that a report gives.
///
/// Run files store these values as they are, so a new kind or changed fields raise the run file's version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TargetDoubt {
    /// The file system keeps its files in memory.
    MemoryFilesystem {
        /// Type of the file system, for example `tmpfs`.
        filesystem: String,
    },
    /// The file system is stacked on another one.
    StackedFilesystem {
        /// Type of the file system, for example `overlay`.
        filesystem: String,
    },
    /// The file system is mounted over the network.
    NetworkFilesystem {
        /// Type of the file system, for example `nfs4`.
        filesystem: String,
        /// The server's export, for example `nas:/export/vol1`.
        source: String,
    },
    /// The file system is served by a program of this machine (FUSE).
    ServedByProgram {
        /// Type of the file system, for example `fuse.sshfs`.
        filesystem: String,
    },
    /// The file system keeps a cache that direct I/O need not bypass, and may compress.
    OwnCache {
        /// Type of the file system, for example `zfs`.
        filesystem: String,
    },
    /// The file system compresses written data.
    Compresses {
        /// Type of the file system, for example `btrfs`.
        filesystem: String,
        /// The mount option that enables it, for example `compress=zstd:3`.
        option: String,
    },
    /// The file system is mounted read-only.
    MountedReadOnly {
        /// Mount point of the file system.
        mount_point: String,
    },
    /// The file system does not support direct I/O, so the page cache takes part.
    NoDirectIo,
    /// The device is compressed memory.
    CompressedMemory {
        /// Kernel name of the device.
        device: String,
    },
    /// The device is a RAM disk.
    MemoryDevice {
        /// Kernel name of the device.
        device: String,
    },
    /// The device stores nothing, and reads return no data.
    StoresNothing {
        /// Kernel name of the device.
        device: String,
    },
    /// The device has a cache in front of its volume.
    CacheInFront {
        /// Kernel name of the device.
        device: String,
    },
    /// I/O to the device goes through this machine's page cache.
    ThroughPageCache {
        /// Kernel name of the device.
        device: String,
    },
    /// This machine encrypts the device's data.
    Encrypted {
        /// Kernel name of the device.
        device: String,
    },
    /// The array is resyncing, being checked or otherwise occupied with itself.
    ArrayBusy {
        /// Kernel name of the device.
        device: String,
        /// The array's action in the kernel's word: `resync`, `check`.
        action: String,
    },
    /// A member of the array is missing.
    ArrayDegraded {
        /// Kernel name of the device.
        device: String,
    },
    /// The device is read-only.
    ReadOnlyDevice {
        /// Kernel name of the device.
        device: String,
    },
    /// The device does not answer: its settings could not be read.
    Silent {
        /// Kernel name of the device.
        device: String,
    },
    /// Text from an earlier version that matches no kind; it is shown but decides nothing.
    Other {
        /// The text.
        words: String,
    },
}
