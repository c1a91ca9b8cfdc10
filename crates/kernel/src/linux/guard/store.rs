//! What bytes lie in: a device or a file, whatever it is called.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;

use crate::linux::device::DeviceNumber;

/// What holds bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Store {
    /// A block device.
    Device(DeviceNumber),
    /// A file, by the numbers that all its names share.
    File {
        /// As `st_dev` has it.
        file_system: DeviceNumber,
        /// Its number there.
        inode: u64,
    },
    /// A file that only its name is known of (a captured machine, a loop device that may not be asked).
    Named(PathBuf),
}

impl Store {
    /// The block device or regular file that `metadata` is of; `None` of anything else.
    pub(super) fn of(metadata: &Metadata) -> Option<Store> {
        let kind = metadata.file_type();
        if kind.is_block_device() {
            return Some(Store::Device(DeviceNumber::from_dev(metadata.rdev())));
        }
        let file_system = DeviceNumber::from_dev(metadata.dev());
        kind.is_file().then(|| Store::File { file_system, inode: metadata.ino() })
    }
}
