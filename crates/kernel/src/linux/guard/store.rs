//! The storage of bytes: a device or a file, whatever its name.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;

use crate::linux::device::DeviceNumber;

/// A device or file that stores bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Store {
    /// A block device.
    Device(DeviceNumber),
    /// A file, by the numbers that all its names share.
    File {
        /// The file system, as in `st_dev`.
        file_system: DeviceNumber,
        /// The inode number in the file system.
        inode: u64,
    },
    /// A file of which only the name is known (on a captured machine, of a loop device that may not be asked).
    Named(PathBuf),
}

impl Store {
    /// The block device or regular file that `metadata` describes; `None` for anything else.
    pub(super) fn of(metadata: &Metadata) -> Option<Store> {
        let kind = metadata.file_type();
        if kind.is_block_device() {
            return Some(Store::Device(DeviceNumber::from_dev(metadata.rdev())));
        }
        let file_system = DeviceNumber::from_dev(metadata.dev());
        kind.is_file().then(|| Store::File { file_system, inode: metadata.ino() })
    }
}
