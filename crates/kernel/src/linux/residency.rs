//! The page cache: the share of a range that it holds, dropping a range, and evidence that direct I/O bypasses it.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use workload::Bytes;

use super::call::{check, check_long, retry};
use super::file::OpenFile;
use super::queue::{PreadQueue, Queue};

/// Number of the `cachestat` call, the same on every architecture that plimsoll runs on.
const SYS_CACHESTAT: libc::c_long = 451;
const PAGE: u64 = 4096;

/// `struct cachestat_range` in <linux/mman.h>.
#[repr(C)]
struct Range {
    offset: u64,
    bytes: u64,
}

/// `struct cachestat` in <linux/mman.h>, in pages.
#[repr(C)]
#[derive(Default)]
struct CacheStat {
    cached: u64,
    dirty: u64,
    in_writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// The share of the `bytes` from `offset` that the page cache holds, by `cachestat` (Linux 6.5 and later), otherwise by
/// `mincore`. `None` if neither is permitted, or the range is empty.
pub fn cached_share(fd: BorrowedFd<'_>, offset: u64, bytes: Bytes) -> Option<f64> {
    if bytes.0 == 0 {
        return None;
    }
    let first = offset / PAGE;
    let pages = (offset + bytes.0).div_ceil(PAGE) - first;
    let cached = match cached_pages(fd, first * PAGE, pages * PAGE) {
        Ok(cached) => cached,
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => resident_pages(fd, first, pages)?,
        Err(_) => return None,
    };
    Some(cached as f64 / pages as f64)
}

/// Returns the number of pages of the whole file that have yet to reach its device; it falls during a flush. `None` if
/// the kernel does not report it.
pub fn pages_to_write(file: &OpenFile) -> Option<u64> {
    // A length of zero means up to the end of the file.
    cache_stat(file.as_fd(), Range { offset: 0, bytes: 0 }).ok().map(|stat| stat.dirty + stat.in_writeback)
}

fn cached_pages(fd: BorrowedFd<'_>, offset: u64, bytes: u64) -> io::Result<u64> {
    cache_stat(fd, Range { offset, bytes }).map(|stat| stat.cached)
}

fn cache_stat(fd: BorrowedFd<'_>, range: Range) -> io::Result<CacheStat> {
    let mut stat = CacheStat::default();
    // SAFETY: both structs have the layout that the kernel wants and live until the call returns.
    check_long(unsafe { libc::syscall(SYS_CACHESTAT, fd.as_raw_fd(), &range, &mut stat, 0) })?;
    Ok(stat)
}

/// [`cached_pages`] for older kernels: maps the range without touching it and calls `mincore`.
fn resident_pages(fd: BorrowedFd<'_>, first: u64, pages: u64) -> Option<u64> {
    const PIECE: u64 = 1 << 16;
    if !may_ask_mincore(fd) {
        return None;
    }
    let mut flags = vec![0u8; PIECE.min(pages) as usize];
    let mut resident = 0;
    for start in (0..pages).step_by(PIECE as usize) {
        let count = PIECE.min(pages - start);
        resident += mincore(fd, (first + start) * PAGE, &mut flags[..count as usize])?;
    }
    Some(resident)
}

/// Whether `mincore` returns true values to this user: to anyone but the owner it reports everything as resident.
fn may_ask_mincore(fd: BorrowedFd<'_>) -> bool {
    // SAFETY: `stat` is a struct of integers, for which all zeros is a value.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open and `stat` is a valid place.
    let seen = check(unsafe { libc::fstat(fd.as_raw_fd(), &mut stat) }).is_ok();
    // SAFETY: this call has no arguments and cannot fail.
    let me = unsafe { libc::geteuid() };
    seen && (me == 0 || me == stat.st_uid)
}

/// Counts the cached pages from `offset` on; `flags` has one byte per page.
fn mincore(fd: BorrowedFd<'_>, offset: u64, flags: &mut [u8]) -> Option<u64> {
    let bytes = flags.len() * PAGE as usize;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let map = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ,
            libc::MAP_SHARED,
            fd.as_raw_fd(),
            offset as libc::off_t,
        )
    };
    if map == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the mapping has `bytes` bytes, for which the kernel writes one flag per page; the mapping itself is never read.
    let asked = check(unsafe { libc::mincore(map, bytes, flags.as_mut_ptr()) });
    // SAFETY: exactly the mapping from above.
    unsafe { libc::munmap(map, bytes) };
    asked.ok()?;
    Some(flags.iter().filter(|&&flag| flag & 1 != 0).count() as u64)
}

/// Writes back dirty data of `file` and drops the range from the page cache. A file opened for reading belongs to
/// somebody else: only the range is written back, and its device is not flushed.
///
/// # Errors
/// The kernel's error.
pub fn drop_cache(file: &OpenFile, offset: u64, bytes: Bytes) -> io::Result<()> {
    if file.is_writable() {
        file.flush()?;
    } else {
        write_back(file, offset, bytes)?;
    }
    forget(file, offset, bytes)
}

/// Asks the page cache to drop a range. This is only advice: dirty and locked pages stay, and nothing is written back.
///
/// # Errors
/// The kernel's error for a file that takes no advice, such as a character device.
pub fn forget(file: &OpenFile, offset: u64, bytes: Bytes) -> io::Result<()> {
    // SAFETY: the descriptor is open; no memory is involved.
    let error = unsafe {
        libc::posix_fadvise(
            file.as_raw_fd(),
            offset as libc::off_t,
            bytes.0 as libc::off_t,
            libc::POSIX_FADV_DONTNEED,
        )
    };
    if error == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(error)) }
}

fn write_back(file: &OpenFile, offset: u64, bytes: Bytes) -> io::Result<()> {
    let flags =
        libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    let (offset, bytes) = (offset as libc::off64_t, bytes.0 as libc::off64_t);
    // SAFETY: the descriptor is open; no memory is involved.
    retry(|| check(unsafe { libc::sync_file_range(file.as_raw_fd(), offset, bytes, flags) })).map(drop)
}

/// The order in which a file will be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// From front to back: more is read ahead.
    Sequential,
    /// At random: nothing is read ahead.
    Random,
}

/// Advises the page cache of the order in which `file` will be read.
///
/// # Errors
/// The kernel's error.
pub fn advise(file: &impl AsFd, walk: Walk) -> io::Result<()> {
    let advice = match walk {
        Walk::Sequential => libc::POSIX_FADV_SEQUENTIAL,
        Walk::Random => libc::POSIX_FADV_RANDOM,
    };
    // SAFETY: the descriptor is open; no memory is involved.
    let error = unsafe { libc::posix_fadvise(file.as_fd().as_raw_fd(), 0, 0, advice) };
    if error == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(error)) }
}

/// Evidence from one direct read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectProof {
    /// Whether the descriptor still has `O_DIRECT`.
    pub flag_is_set: bool,
    /// Share of the range in the page cache after it was dropped and read; `None` if the kernel does not report it.
    pub cached_share_after: Option<f64>,
}

/// The conclusion from a [`DirectProof`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directness {
    /// The read bypassed the page cache.
    Proven,
    /// `O_DIRECT` is set, and nothing more can be determined.
    Claimed,
    /// The read went through the page cache, whatever the flag says.
    Cached,
}

impl DirectProof {
    /// Returns the conclusion. The range was dropped first, so if 10 % of it is cached, the read itself did that; a
    /// smaller share can be another process's readahead.
    pub fn directness(&self) -> Directness {
        match self.cached_share_after {
            _ if !self.flag_is_set => Directness::Cached,
            Some(share) if share >= 0.1 => Directness::Cached,
            Some(_) => Directness::Proven,
            None => Directness::Claimed,
        }
    }
}

/// Drops up to 1 MiB from `offset` on from the page cache, reads it through `file` as it was opened, and checks how
/// much of it the page cache holds afterwards.
///
/// # Errors
/// The error of the cache drop or of the read.
pub fn direct_proof(file: &OpenFile, offset: u64) -> io::Result<DirectProof> {
    const MOST: u64 = 1 << 20;
    let unit = file.alignment().offset.0.max(PAGE);
    let offset = offset / unit * unit;
    let bytes = MOST.min(file.size().0.saturating_sub(offset)) / unit * unit;
    drop_cache(file, offset, Bytes(bytes))?;
    read_once(file, offset, bytes as usize)?;
    let cached_share_after = cached_share(file.as_fd(), offset, Bytes(bytes));
    Ok(DirectProof { flag_is_set: has_direct_flag(file), cached_share_after })
}

/// Whether the descriptor has `O_DIRECT` now.
fn has_direct_flag(file: &OpenFile) -> bool {
    // SAFETY: this command takes no argument.
    let flags = check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) });
    flags.is_ok_and(|flags| flags & libc::O_DIRECT != 0)
}

fn read_once(file: &OpenFile, offset: u64, bytes: usize) -> io::Result<()> {
    use workload::{Completion, Direction, Io, Nanos, Wait};
    let files = [file.clone()];
    let clock = super::clock::Clock::start();
    let opened = PreadQueue::open(&files, 1, bytes, clock);
    let mut queue = opened.map_err(io::Error::other)?;
    let read = Io { slot: 0, kind: Direction::Read, file: 0, offset, bytes: bytes as u32, due: Nanos::ZERO };
    queue.queue(read).map_err(io::Error::other)?;
    let mut done: Vec<Completion> = Vec::with_capacity(1);
    queue.submit_and_reap(Wait::One, &mut done).map_err(io::Error::other)?;
    match done.first() {
        Some(Completion { result, .. }) if *result < 0 => Err(io::Error::from_raw_os_error(-result)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_is_read_with_care() {
        let proof =
            |flag_is_set, cached_share_after| DirectProof { flag_is_set, cached_share_after }.directness();
        assert_eq!(proof(true, Some(0.0)), Directness::Proven);
        assert_eq!(proof(true, Some(1.0)), Directness::Cached);
        assert_eq!(proof(true, None), Directness::Claimed);
        assert_eq!(proof(false, Some(0.0)), Directness::Cached);
    }
}
