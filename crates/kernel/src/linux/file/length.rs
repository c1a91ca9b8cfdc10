//! The length of a file and the space behind it, for files that may be written.

use std::io;

use workload::Bytes;

use super::OpenFile;
use crate::linux::call::{check, retry};

/// Makes `file` exactly `size` long; what is new reads as zeros and has no space yet.
///
/// # Errors
/// `EBADF` where the file was opened without a permit, else what the kernel says (`EFBIG`, `EINVAL` for a device).
pub fn set_length(file: &OpenFile, size: Bytes) -> io::Result<()> {
    if !file.is_writable() {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    // SAFETY: the descriptor is open; no memory is involved.
    retry(|| check(unsafe { libc::ftruncate(file.as_raw_fd(), size.0 as libc::off_t) })).map(drop)
}

/// Reserves space for the first `size` bytes of `file`, which becomes that long where it is shorter; the space holds no
/// data until it is written.
///
/// # Errors
/// `EBADF` where the file was opened without a permit, `EOPNOTSUPP` where the file system cannot, `ENOSPC`.
pub fn reserve_space(file: &OpenFile, size: Bytes) -> io::Result<()> {
    allocate(file, size, 0)
}

/// The same, but the file stays as long as it is: what is reserved beyond its end belongs to it without being read.
///
/// # Errors
/// As [`reserve_space`].
pub fn reserve_space_beyond(file: &OpenFile, size: Bytes) -> io::Result<()> {
    allocate(file, size, libc::FALLOC_FL_KEEP_SIZE)
}

fn allocate(file: &OpenFile, size: Bytes, mode: libc::c_int) -> io::Result<()> {
    if !file.is_writable() {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    // SAFETY: the descriptor is open; no memory is involved.
    retry(|| check(unsafe { libc::fallocate(file.as_raw_fd(), mode, 0, size.0 as libc::off_t) })).map(drop)
}
