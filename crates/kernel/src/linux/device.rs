//! Block devices by number: the kernel's facts about an open one, and the path of its folder in `/sys`.

use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::{Path, PathBuf};

use workload::Bytes;

use super::call::check;
use super::patient::{self, DeviceAnswer};

/// Major and minor number of a device or a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceNumber {
    /// Number of the driver.
    pub major: u32,
    /// Number of the device within the driver.
    pub minor: u32,
}

impl DeviceNumber {
    /// Splits an `st_dev` or `st_rdev`.
    pub fn from_dev(dev: u64) -> DeviceNumber {
        DeviceNumber { major: libc::major(dev), minor: libc::minor(dev) }
    }

    /// Parses `major:minor`, as `/proc` and `/sys` write it.
    pub fn parse(word: &str) -> Option<DeviceNumber> {
        let (major, minor) = word.trim().split_once(':')?;
        Some(DeviceNumber { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

impl fmt::Display for DeviceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

// Numbers from <linux/fs.h>. `_IO` requests have no direction and no size, so their values are the same on every
// architecture plimsoll runs on.
const BLKSSZGET: libc::Ioctl = 0x1268 as libc::Ioctl;
const BLKROGET: libc::Ioctl = 0x125e as libc::Ioctl;
const BLKFLSBUF: libc::Ioctl = 0x1261 as libc::Ioctl;
const BLKGETSIZE64: libc::Ioctl = libc::_IOR::<libc::size_t>(0x12, 114);

/// Size of the open block device.
///
/// # Errors
/// `ENOTTY` if it is not a block device.
pub fn size_of_device(fd: BorrowedFd<'_>) -> io::Result<Bytes> {
    let mut bytes = 0u64;
    // SAFETY: this request writes one u64 to the given place.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), BLKGETSIZE64, &mut bytes) })?;
    Ok(Bytes(bytes))
}

/// Logical block size of the open block device.
///
/// # Errors
/// `ENOTTY` if it is not a block device.
pub fn logical_block_of(fd: BorrowedFd<'_>) -> io::Result<Bytes> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: this request writes one int to the given place.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), BLKSSZGET, &mut bytes) })?;
    Ok(Bytes(bytes as u64))
}

/// Whether the open block device refuses writes.
///
/// # Errors
/// `ENOTTY` if it is not a block device.
pub fn is_read_only(fd: BorrowedFd<'_>) -> io::Result<bool> {
    let mut read_only: libc::c_int = 0;
    // SAFETY: this request writes one int to the given place.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), BLKROGET, &mut read_only) })?;
    Ok(read_only != 0)
}

/// Writes back and drops the page cache of the open block device; needs root.
///
/// # Errors
/// `EACCES` without root.
pub fn flush_buffers(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: this request takes no pointer.
    check(unsafe { libc::ioctl(fd.as_raw_fd(), BLKFLSBUF, 0) }).map(drop)
}

/// The folder of a block device under `root` (normally `/`), resolved, if it has one.
pub fn sysfs_folder(root: &Path, number: DeviceNumber) -> Option<PathBuf> {
    root.join(format!("sys/dev/block/{number}")).canonicalize().ok()
}

/// The number of the block device with the kernel's name `name` (`sda1`, `dm-0`), under `root`.
pub fn number_of_name(root: &Path, name: &str) -> Option<DeviceNumber> {
    // sysfs writes `!` where a kernel name has a slash (`cciss/c0d0`).
    let name = name.replace('/', "!");
    DeviceNumber::parse(&read_word(&root.join("sys/class/block").join(name).join("dev"))?)
}

/// Reads a one-line file of `/sys` without surrounding blanks; `None` if it is missing or empty.
pub(crate) fn read_word(path: &Path) -> Option<String> {
    word_of(&std::fs::read(path).ok()?)
}

/// The bytes of a one-line file without surrounding blanks and zeros; `None` if nothing is left.
pub(crate) fn word_of(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let word = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!word.is_empty()).then(|| word.to_owned())
}

/// Reads a one-line file of `/sys` that holds a number.
pub(crate) fn read_number(path: &Path) -> Option<u64> {
    read_word(path)?.parse().ok()
}

/// Logical block size of the device with `number`, or of the disk it is a partition of, under `root`.
pub fn logical_block_in(root: &Path, number: DeviceNumber) -> Option<Bytes> {
    let folder = sysfs_folder(root, number)?;
    let places = [folder.clone(), folder.parent()?.to_owned()];
    let files = places.map(|folder| folder.join("queue/logical_block_size")).to_vec();
    let Some(DeviceAnswer::Files(files)) = patient::read(&[files]).pop() else { return None };
    files.iter().find_map(|file| word_of(file)?.parse().ok()).map(Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_numbers_read_as_they_print() {
        for number in [DeviceNumber { major: 8, minor: 1 }, DeviceNumber { major: 259, minor: 1_048_575 }] {
            assert_eq!(DeviceNumber::parse(&number.to_string()), Some(number));
        }
        assert_eq!(DeviceNumber::parse("8"), None);
        assert_eq!(DeviceNumber::parse("a:b"), None);
    }
}
