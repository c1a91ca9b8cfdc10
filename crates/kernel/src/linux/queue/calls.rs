//! Options of a queue's system calls, in the kernel's bits.

use std::io;
use std::os::fd::RawFd;

use workload::{Act, Calls, Direction, FlushBy, Io};

use crate::linux::call::{check, retry};

/// Flags of a read or write (preadv2(2)).
pub(super) fn bits(calls: Calls, kind: Direction) -> libc::c_int {
    let nowait = if calls.nowait { libc::RWF_NOWAIT } else { 0 };
    // The kernel refuses an atomic read.
    let atomic = if calls.atomic && kind == Direction::Write { libc::RWF_ATOMIC } else { 0 };
    nowait | atomic | if calls.uncached { libc::RWF_DONTCACHE } else { 0 }
}

/// Flags of `sync_file_range`, if flushes are done by it.
pub(super) fn pages(calls: Calls) -> Option<libc::c_uint> {
    let FlushBy::Pages(pages) = calls.flush else { return None };
    let flag = |set: bool, flag: libc::c_uint| if set { flag } else { 0 };
    Some(
        flag(pages.wait_before, libc::SYNC_FILE_RANGE_WAIT_BEFORE)
            | flag(pages.write, libc::SYNC_FILE_RANGE_WRITE)
            | flag(pages.wait_after, libc::SYNC_FILE_RANGE_WAIT_AFTER),
    )
}

/// Flushes what was written to `fd` by the call that `calls` name, and waits for it.
pub(in crate::linux) fn flush(fd: RawFd, calls: Calls) -> io::Result<()> {
    let done = || match (calls.flush, pages(calls)) {
        // SAFETY: no memory is involved. A length of zero means the whole file.
        (_, Some(flags)) => unsafe { libc::sync_file_range(fd, 0, 0, flags) },
        // SAFETY: no memory is involved.
        (FlushBy::File, _) => unsafe { libc::fsync(fd) },
        // SAFETY: no memory is involved.
        _ => unsafe { libc::fdatasync(fd) },
    };
    retry(|| check(done())).map(drop)
}

/// Changes the space of the file with descriptor `fd` as `act` says, instead of moving the data of `io`; `None` if data is
/// to be moved.
pub(super) fn change(fd: RawFd, act: Act, io: &Io) -> Option<io::Result<()>> {
    if act == Act::Move || io.kind == Direction::Flush {
        return None;
    }
    let (offset, bytes) = (io.offset as libc::off_t, libc::off_t::from(io.bytes));
    let done = || match (act, io.kind) {
        (Act::Reserve, kind) => {
            let mode = match kind {
                Direction::Write => 0,
                Direction::Trim => libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE,
                _ => libc::FALLOC_FL_KEEP_SIZE,
            };
            // SAFETY: no memory is involved.
            check(unsafe { libc::fallocate(fd, mode, offset, bytes) })
        }
        // SAFETY: no memory is involved.
        (Act::Cut, Direction::Write) => check(unsafe { libc::ftruncate(fd, offset) }),
        _ => Err(io::Error::from_raw_os_error(libc::EINVAL)),
    };
    Some(retry(done).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::PagesFlush;

    #[test]
    fn wishes_are_the_bits_of_the_kernel() {
        assert_eq!((bits(Calls::default(), Direction::Write), pages(Calls::default())), (0, None));
        let both = Calls { nowait: true, uncached: true, ..Calls::default() };
        assert_eq!(bits(both, Direction::Read), 0x88);
        let atomic = Calls { atomic: true, ..Calls::default() };
        assert_eq!([Direction::Read, Direction::Write].map(|kind| bits(atomic, kind)), [0, 0x40]);
        let pages_flush = PagesFlush { wait_before: true, write: true, wait_after: true };
        assert_eq!(pages(Calls { flush: FlushBy::Pages(pages_flush), ..Calls::default() }), Some(7));
    }
}
