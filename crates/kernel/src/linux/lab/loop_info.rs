//! The kernel's description of an attached loop device.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use crate::linux::call::check;
use crate::linux::device::DeviceNumber;

/// From <linux/loop.h>.
const LOOP_GET_STATUS64: libc::Ioctl = 0x4c05 as libc::Ioctl;

/// `struct loop_info64`.
#[repr(C)]
pub(super) struct Info {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) rdevice: u64,
    pub(super) offset: u64,
    pub(super) size_limit: u64,
    pub(super) number: u32,
    pub(super) encrypt_type: u32,
    pub(super) encrypt_key_size: u32,
    pub(super) flags: u32,
    pub(super) file_name: [u8; 64],
    pub(super) crypt_name: [u8; 64],
    pub(super) encrypt_key: [u8; 32],
    pub(super) init: [u64; 2],
}

pub(super) fn status(device: &File) -> io::Result<Info> {
    // SAFETY: the struct is made of integers, for which all zeros is a value.
    let mut info: Info = unsafe { std::mem::zeroed() };
    // SAFETY: the struct has the layout that the kernel fills and lives until the call returns.
    check(unsafe { libc::ioctl(device.as_raw_fd(), LOOP_GET_STATUS64, &mut info) })?;
    Ok(info)
}

/// The backing of a loop device, by numbers that do not change when a file is renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The backing device, if the loop device is attached to a device.
    pub(crate) block: Option<DeviceNumber>,
    /// The file system of the backing file, as in `st_dev`.
    pub(crate) file_system: DeviceNumber,
    /// The inode number of the backing file.
    pub(crate) inode: u64,
    /// Offset of the loop device's first byte in the file, in bytes.
    pub(crate) offset: u64,
}

const _: () = assert!(size_of::<Info>() == 232);

/// Returns the backing of an open loop device; blocks until the backing file's file system answers.
///
/// # Errors
/// `ENXIO` if the device is not attached.
pub(crate) fn identity(device: &File) -> io::Result<Identity> {
    let info = status(device)?;
    Ok(Identity {
        block: (info.rdevice != 0).then(|| DeviceNumber::from_dev(info.rdevice)),
        file_system: DeviceNumber::from_dev(info.device),
        inode: info.inode,
        offset: info.offset,
    })
}
