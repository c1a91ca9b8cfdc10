//! The length of a file and the space it reserves, for files that may be written.

use std::io;

use workload::Bytes;

use super::OpenFile;
use crate::linux::call::{check, retry};

/// Makes `file` exactly `size` long; anything added reads as zeros and has no space yet.
///
/// # Errors
/// `EBADF` if the file was opened without a permit, otherwise the kernel's error (`EFBIG`, `EINVAL` for a device).
pub fn set_length(file: &OpenFile, size: Bytes) -> io::Result<()> {
    if !file.is_writable() {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    // SAFETY: the descriptor is open; no memory is involved.
    retry(|| check(unsafe { libc::ftruncate(file.as_raw_fd(), size.0 as libc::off_t) })).map(drop)
}

/// Reserves space for the first `size` bytes of `file`, and extends a shorter file to `size`; the space holds no data
/// until it is written.
///
/// # Errors
/// `EBADF` if the file was opened without a permit, `EOPNOTSUPP` if the file system cannot reserve space, `ENOSPC`.
pub fn reserve_space(file: &OpenFile, size: Bytes) -> io::Result<()> {
    allocate(file, size, 0)
}

/// Reserves space for the first `size` bytes of `file` but keeps its length: space beyond its end is allocated, not readable.
///
/// # Errors
/// The errors of [`reserve_space`].
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
