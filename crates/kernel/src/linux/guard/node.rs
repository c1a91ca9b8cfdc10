//! Block devices opened by number: through `/dev` if the node there is right, otherwise through a node of our own.

use std::ffi::CStr;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::linux::call::{check, check_long};
use crate::linux::device::DeviceNumber;
use crate::linux::mounts::device_of_node;

// <linux/mount.h>
const FSOPEN_CLOEXEC: libc::c_ulong = 1;
const FSCONFIG_CMD_CREATE: libc::c_ulong = 6;
const FSMOUNT_CLOEXEC: libc::c_ulong = 1;

const QUIETLY: libc::c_int = libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC;

/// A block device by the kernel's name and number.
#[derive(Clone, Debug)]
pub(super) struct NamedDevice {
    pub(super) name: String,
    pub(super) number: DeviceNumber,
}

impl NamedDevice {
    /// The node in `/dev` with the kernel's name, if it leads to this device. A hand-made `/dev` may lack it, or have another
    /// device under that name.
    pub(super) fn node(&self) -> Option<PathBuf> {
        let node = Path::new("/dev").join(&self.name);
        (device_of_node(&node) == Some(self.number)).then_some(node)
    }

    /// Opens it for reading with `flags`, even if `/dev` lacks its node.
    ///
    /// # Errors
    /// The kernel's error; `EPERM` if a control group denies this process the device, or it may not make a node.
    pub(super) fn open(&self, flags: libc::c_int) -> io::Result<File> {
        let through_dev = self.node().map(|node| open_node(&node, flags));
        let file = match through_dev {
            Some(Ok(file)) => file,
            Some(Err(error)) if error.raw_os_error() == Some(libc::EBUSY) => return Err(error),
            // A node that refuses may do so only because of its mode.
            _ => self.open_privately(flags)?,
        };
        let metadata = file.metadata()?;
        let is_it =
            metadata.file_type().is_block_device() && DeviceNumber::from_dev(metadata.rdev()) == self.number;
        if is_it { Ok(file) } else { Err(io::Error::from_raw_os_error(libc::ENODEV)) }
    }

    /// Opens it through a node in an in-memory file system that is mounted nowhere: nobody else sees the node, and it vanishes
    /// with the descriptor, even after `kill -9`. Since Linux 5.2, for users who may mount.
    fn open_privately(&self, flags: libc::c_int) -> io::Result<File> {
        const NAME: &CStr = c"device";
        let folder = memory_folder()?;
        let number = libc::makedev(self.number.major, self.number.minor);
        // SAFETY: an open folder and a name that ends with zero.
        check(unsafe { libc::mknodat(folder.as_raw_fd(), NAME.as_ptr(), libc::S_IFBLK | 0o600, number) })?;
        // SAFETY: the same, and nobody else owns the descriptor.
        unsafe {
            let fd = libc::openat(folder.as_raw_fd(), NAME.as_ptr(), libc::O_RDONLY | QUIETLY | flags);
            Ok(File::from_raw_fd(check(fd)?))
        }
    }
}

/// Opens the node at `path` for reading, without waiting for anything.
pub(super) fn open_node(path: &Path, flags: libc::c_int) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(QUIETLY | flags).open(path)
}

/// The root of an in-memory file system that no namespace shows.
fn memory_folder() -> io::Result<OwnedFd> {
    // SAFETY: names that end with zero, and descriptors that were just opened and nobody else owns.
    unsafe {
        let owned = |fd: libc::c_long| check_long(fd).map(|fd| OwnedFd::from_raw_fd(fd as libc::c_int));
        let made = owned(libc::syscall(libc::SYS_fsopen, c"tmpfs".as_ptr(), FSOPEN_CLOEXEC))?;
        let (none, file_system) = (std::ptr::null::<libc::c_char>(), made.as_raw_fd());
        check_long(libc::syscall(libc::SYS_fsconfig, file_system, FSCONFIG_CMD_CREATE, none, none, 0))?;
        owned(libc::syscall(libc::SYS_fsmount, file_system, FSMOUNT_CLOEXEC, 0 as libc::c_ulong))
    }
}
