//! The alignment that direct I/O on an open file needs.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::Path;

use workload::Bytes;

use super::FileKind;
use crate::linux::call::{check, retry};
use crate::linux::device::{self, DeviceNumber};

/// The alignment that direct I/O needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alignment {
    /// Required alignment of buffers in memory.
    pub memory: Bytes,
    /// Required alignment of offsets and lengths.
    pub offset: Bytes,
    /// Source of both values.
    pub source: AlignmentSource,
}

/// The source of an [`Alignment`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlignmentSource {
    /// The file system or device itself, by `statx` (Linux 6.1 and later).
    Statx,
    /// The logical block size of the device below, because `statx` does not report an alignment.
    LogicalBlock,
    /// Neither source reports an alignment; 4 KiB suits every device in use.
    Assumed,
    /// `statx` says that direct I/O is not supported here.
    NoDirectIo,
}

const ASSUMED: Bytes = Bytes::kib(4);

/// Returns the alignment for `fd`: from `statx`, otherwise the logical block size of the device below.
pub(crate) fn of_fd(fd: BorrowedFd<'_>, kind: FileKind) -> io::Result<Alignment> {
    let stat = statx(fd)?;
    if stat.stx_mask & libc::STATX_DIOALIGN != 0 {
        return Ok(from_statx(stat.stx_dio_mem_align, stat.stx_dio_offset_align));
    }
    let block = match kind {
        FileKind::BlockDevice => device::logical_block_of(fd).ok(),
        FileKind::CharacterDevice => None,
        FileKind::Regular => {
            let number = DeviceNumber { major: stat.stx_dev_major, minor: stat.stx_dev_minor };
            device::logical_block_in(Path::new("/"), number)
        }
    };
    Ok(match block {
        Some(block) => Alignment { memory: block, offset: block, source: AlignmentSource::LogicalBlock },
        None => Alignment { memory: ASSUMED, offset: ASSUMED, source: AlignmentSource::Assumed },
    })
}

fn from_statx(memory: u32, offset: u32) -> Alignment {
    if offset == 0 {
        return Alignment { memory: ASSUMED, offset: ASSUMED, source: AlignmentSource::NoDirectIo };
    }
    let memory = Bytes(u64::from(memory.max(1)));
    Alignment { memory, offset: Bytes(u64::from(offset)), source: AlignmentSource::Statx }
}

fn statx(fd: BorrowedFd<'_>) -> io::Result<libc::statx> {
    // SAFETY: `statx` is a struct of integers, for which all zeros is a value.
    let mut stat: libc::statx = unsafe { std::mem::zeroed() };
    retry(|| {
        // SAFETY: the empty path is a C string, AT_EMPTY_PATH applies the call to `fd`, and `stat` may be written.
        check(unsafe {
            libc::statx(
                fd.as_raw_fd(),
                c"".as_ptr(),
                libc::AT_EMPTY_PATH,
                libc::STATX_BASIC_STATS | libc::STATX_DIOALIGN,
                &mut stat,
            )
        })
    })?;
    Ok(stat)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statx_zeros_mean_that_direct_io_is_not_supported() {
        assert_eq!(from_statx(0, 0).source, AlignmentSource::NoDirectIo);
        let some = from_statx(4, 512);
        assert_eq!((some.memory, some.offset, some.source), (Bytes(4), Bytes(512), AlignmentSource::Statx));
    }
}
