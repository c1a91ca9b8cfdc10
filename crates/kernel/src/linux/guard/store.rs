//! What bytes lie in: a device or a file, whatever it is called.

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
    /// A file that only its name is known of (a captured machine).
    Named(PathBuf),
}
