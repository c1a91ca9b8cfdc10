//! The location of a file's data, and the parts that were never written, by FIEMAP.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use workload::Bytes;

use super::call::{check, retry};

/// The composition of a range of a file. `written`, `unwritten`, `delayed` and `hole` add up to the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extents {
    /// Length of the range queried.
    pub range: Bytes,
    /// Allocated and written bytes.
    pub written: Bytes,
    /// Bytes allocated but never written; they read as zeros without reaching the device.
    pub unwritten: Bytes,
    /// Bytes written but not yet allocated on the device.
    pub delayed: Bytes,
    /// Bytes not allocated; they read as zeros without reaching the device.
    pub hole: Bytes,
    /// Written bytes that the file system compresses or encrypts, so that their size on the device differs.
    pub encoded: Bytes,
    /// Written bytes shared with another file or a snapshot, so that a write to them first makes a copy.
    pub shared: Bytes,
    /// Number of extents in the allocated part of the range.
    pub count: u64,
}

impl Extents {
    /// The share of the range that is read without reaching the device.
    pub fn unwritten_or_hole_share(&self) -> f64 {
        if self.range.0 == 0 { 0.0 } else { (self.unwritten.0 + self.hole.0) as f64 / self.range.0 as f64 }
    }

    fn add(&mut self, bytes: u64, flags: u32) {
        let bytes = Bytes(bytes);
        self.count += 1;
        if flags & UNWRITTEN != 0 {
            self.unwritten = self.unwritten + bytes;
            return;
        }
        if flags & DELALLOC != 0 {
            self.delayed = self.delayed + bytes;
            return;
        }
        self.written = self.written + bytes;
        if flags & ENCODED != 0 {
            self.encoded = self.encoded + bytes;
        }
        if flags & SHARED != 0 {
            self.shared = self.shared + bytes;
        }
    }
}

// <linux/fiemap.h>
const LAST: u32 = 0x1;
const DELALLOC: u32 = 0x4;
const ENCODED: u32 = 0x8;
const UNWRITTEN: u32 = 0x800;
const SHARED: u32 = 0x2000;
const FLAG_SYNC: u32 = 0x1;
const BATCH: usize = 256;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Extent {
    logical: u64,
    physical: u64,
    bytes: u64,
    reserved: [u64; 2],
    flags: u32,
    reserved_too: [u32; 3],
}

#[repr(C)]
struct Fiemap {
    start: u64,
    bytes: u64,
    flags: u32,
    mapped: u32,
    count: u32,
    reserved: u32,
    extents: [Extent; BATCH],
}

/// `_IOWR('f', 11, struct fiemap)`; the encoded size excludes the extents.
const FS_IOC_FIEMAP: libc::Ioctl = libc::_IOWR::<[u64; 4]>(b'f' as u32, 11);

/// Returns the composition of the `bytes` from `offset` of the file; dirty data is allocated first. `None` if the file
/// system does not report it.
///
/// # Errors
/// Any other error of the kernel.
pub fn extents(fd: BorrowedFd<'_>, offset: u64, bytes: Bytes) -> io::Result<Option<Extents>> {
    let end = offset.saturating_add(bytes.0);
    let mut total = Extents { range: Bytes(end - offset), ..Extents::default() };
    let mut at = offset;
    while at < end {
        let Some(batch) = ask(fd, at, end - at)? else { return Ok(None) };
        let found = &batch.extents[..(batch.mapped as usize).min(BATCH)];
        for extent in found {
            let (from, to) = (extent.logical.max(at), (extent.logical + extent.bytes).min(end));
            total.add(to.saturating_sub(from), extent.flags);
        }
        let Some(last) = found.last() else { break };
        let next = last.logical + last.bytes;
        if last.flags & LAST != 0 || next <= at {
            break;
        }
        at = next;
    }
    let allocated = total.written.0 + total.unwritten.0 + total.delayed.0;
    total.hole = Bytes(total.range.0.saturating_sub(allocated));
    Ok(Some(total))
}

fn ask(fd: BorrowedFd<'_>, start: u64, bytes: u64) -> io::Result<Option<Box<Fiemap>>> {
    let mut map = Box::new(Fiemap {
        start,
        bytes,
        flags: FLAG_SYNC,
        mapped: 0,
        count: BATCH as u32,
        reserved: 0,
        extents: [Extent::default(); BATCH],
    });
    // SAFETY: the kernel reads the head and writes at most `count` extents after it, for which the struct has room.
    let asked = retry(|| check(unsafe { libc::ioctl(fd.as_raw_fd(), FS_IOC_FIEMAP, &raw mut *map) }));
    match asked {
        Ok(_) => Ok(Some(map)),
        Err(error) => match error.raw_os_error() {
            Some(libc::EOPNOTSUPP | libc::ENOTTY | libc::ENOSYS | libc::EINVAL) => Ok(None),
            _ => Err(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_number_is_the_published_one() {
        assert_eq!(FS_IOC_FIEMAP as u32, 0xc020_660b);
        assert_eq!(size_of::<Extent>(), 56);
    }

    #[test]
    fn an_extent_counts_once_by_its_strongest_flag() {
        let mut total = Extents { range: Bytes(100), ..Extents::default() };
        total.add(10, UNWRITTEN | LAST);
        total.add(20, ENCODED | SHARED);
        total.add(30, DELALLOC);
        assert_eq!((total.unwritten, total.written, total.delayed), (Bytes(10), Bytes(20), Bytes(30)));
        assert_eq!((total.encoded, total.shared, total.count), (Bytes(20), Bytes(20), 3));
        total.hole = Bytes(40);
        assert_eq!(total.unwritten_or_hole_share(), 0.5);
        assert_eq!(Extents::default().unwritten_or_hole_share(), 0.0);
    }
}
