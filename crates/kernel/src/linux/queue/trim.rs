//! Trims: blocks returned to a device or a file system, synchronously in every queue.

use std::io;
use std::os::fd::RawFd;

use workload::Io;

use crate::linux::call::{check, retry};
use crate::linux::file::FileKind;

// <linux/fs.h>: `_IO(0x12, 119)`, with the start and the length in bytes.
const BLKDISCARD: libc::Ioctl = 0x1277 as libc::Ioctl;

/// Returns the blocks of `io`: discards them on a device, punches a hole in a file. Gives the number of bytes, or the
/// negated errno; `EINVAL` for 2 GiB and more at once.
pub(super) fn trim(fd: RawFd, kind: FileKind, io: &Io) -> i32 {
    // The result has the form of a read's, in which 2 GiB and more would be an errno.
    let Ok(bytes) = i32::try_from(io.bytes) else { return -libc::EINVAL };
    let done = retry(|| match kind {
        FileKind::BlockDevice => discard_cached(fd, io),
        FileKind::Regular => punch(fd, io.offset, u64::from(io.bytes)),
        FileKind::CharacterDevice => Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP)),
    });
    match done {
        Ok(_) => bytes,
        Err(error) => -error.raw_os_error().unwrap_or(libc::EIO),
    }
}

/// Discards blocks of a device. The guard holds the device exclusively, so the kernel refuses to discard a range with dirty
/// pages in the page cache; these are then written back first.
fn discard_cached(fd: RawFd, io: &Io) -> io::Result<libc::c_int> {
    let (offset, bytes) = (io.offset, u64::from(io.bytes));
    match discard(fd, offset, bytes) {
        Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
            write_back(fd, offset, bytes)?;
            discard(fd, offset, bytes)
        }
        done => done,
    }
}

fn write_back(fd: RawFd, offset: u64, bytes: u64) -> io::Result<libc::c_int> {
    let wait = libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    let flags = wait | libc::SYNC_FILE_RANGE_WRITE;
    // SAFETY: the caller's descriptor is open; no memory is involved.
    check(unsafe { libc::sync_file_range(fd, offset as libc::off64_t, bytes as libc::off64_t, flags) })
}

fn discard(fd: RawFd, offset: u64, bytes: u64) -> io::Result<libc::c_int> {
    let range = [offset, bytes];
    // SAFETY: this request reads two u64 from the given place; the caller's descriptor is open.
    check(unsafe { libc::ioctl(fd, BLKDISCARD, range.as_ptr()) })
}

fn punch(fd: RawFd, offset: u64, bytes: u64) -> io::Result<libc::c_int> {
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: the caller's descriptor is open; no memory is involved.
    check(unsafe { libc::fallocate(fd, mode, offset as libc::off_t, bytes as libc::off_t) })
}
