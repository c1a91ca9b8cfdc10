//! I/O one at a time with a buffer of its own: by plain calls, or through a queue of depth one.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use workload::{BackendKind, Bytes, Direction, Done, Io, Nanos, SyncMode, Wait};

use super::region::Region;
use super::{Queue, QueueError, QueueSize, open_queue};
use crate::linux::call::{check, check_long, retry};
use crate::linux::clock::Clock;
use crate::linux::file::{Alignment, Direct, OpenError, OpenFile, sync_flag};
use crate::linux::guard::WritePermit;
use crate::linux::memory::room_for_buffers;

/// By what means each I/O is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SingleMeans {
    /// `preadv2` and `pwritev2`.
    #[default]
    Calls,
    /// A queue of depth one.
    Queue(BackendKind),
}

/// How a [`Single`] is opened.
#[derive(Clone, Copy, Debug)]
pub struct SingleOptions {
    /// Through the page cache or past it.
    pub direct: Direct,
    /// What writes wait for.
    pub sync: SyncMode,
    /// By what means.
    pub means: SingleMeans,
    /// Length of the buffer, and so of the longest I/O.
    pub bytes: usize,
}

/// Wishes that go along with one plain call; a queue knows none of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallFlags {
    /// Fail with `EAGAIN` rather than wait (`RWF_NOWAIT`).
    pub nowait: bool,
    /// Poll for the end of a direct I/O (`RWF_HIPRI`).
    pub hipri: bool,
}

/// Why a [`Single`] could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SingleError {
    /// The file or device could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// There is no buffer or no queue to be had.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// A file or device, a buffer, and at most one I/O between them.
#[derive(Debug)]
pub struct Single {
    file: File,
    // Only a permit makes it true; a write is refused here before it reaches the kernel.
    writable: bool,
    bytes: usize,
    alignment: Option<Alignment>,
    means: Means,
}

#[derive(Debug)]
enum Means {
    Calls(Region),
    Queue(Box<dyn Queue>),
}

impl Single {
    /// Opens what is at `path` for reading; a character device too, where plain calls are asked for.
    ///
    /// # Errors
    /// [`SingleError`], which names the path or the queue.
    pub fn open_for_read(path: &Path, options: SingleOptions) -> Result<Single, SingleError> {
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags(options) | libc::O_NOCTTY)
            .open(path)
            .map_err(|error| OpenError::from_io(path, options.direct, error))?;
        Single::of(file, (path, false), options)
    }

    /// Opens what `permit` was made for, for reading and writing.
    ///
    /// # Errors
    /// [`SingleError`], which names the path or the queue.
    pub fn open_for_write(permit: &WritePermit, options: SingleOptions) -> Result<Single, SingleError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(flags(options))
            // The path is not walked again, so that nothing can have taken its place since the guard looked.
            .open(format!("/proc/self/fd/{}", permit.anchor().as_raw_fd()))
            .map_err(|error| OpenError::from_io(permit.path(), options.direct, error))?;
        Single::of(file, (permit.path(), true), options)
    }

    fn of(file: File, place: (&Path, bool), options: SingleOptions) -> Result<Single, SingleError> {
        let (path, writable) = place;
        let buffers = |source| QueueError::Buffers { depth: 1, slot_bytes: options.bytes, source };
        let alignment = file.metadata().ok().and_then(|found| {
            let kind = crate::linux::file::kind_of(path, &found).ok()?;
            crate::linux::file::alignment_of(file.as_fd(), kind).ok()
        });
        room_for_buffers(Bytes(options.bytes as u64)).map_err(QueueError::from)?;
        let means = match options.means {
            SingleMeans::Calls => Means::Calls(Region::map(options.bytes.max(1), ALIGN).map_err(buffers)?),
            SingleMeans::Queue(kind) => {
                let clone = file.try_clone();
                let clone = clone.map_err(|error| OpenError::from_io(path, options.direct, error))?;
                let open = OpenFile::adopt(clone, path, options.direct, writable)?;
                Means::Queue(open_queue(
                    kind,
                    &[open],
                    QueueSize { depth: 1, slot_bytes: options.bytes },
                    Clock::start(),
                )?)
            }
        };
        Ok(Single { file, writable, bytes: options.bytes, alignment, means })
    }

    /// What direct I/O must be aligned to; `None` for a character device.
    pub fn alignment(&self) -> Option<Alignment> {
        self.alignment
    }

    /// The buffer, for filling before a write.
    pub fn buffer_mut(&mut self) -> &mut [u8] {
        match &mut self.means {
            // SAFETY: the region has `bytes` initialised bytes; the kernel uses them only inside a call that borrows
            // `self` exclusively, so this is the only reference to them.
            Means::Calls(region) => unsafe {
                std::slice::from_raw_parts_mut(region.start().as_ptr(), self.bytes)
            },
            // An I/O is in flight only inside `transfer`, or after the queue itself has failed.
            Means::Queue(queue) => queue.buffer_mut(0).unwrap_or_default(),
        }
    }

    /// Reads `bytes` at `offset` into the buffer and says how many came.
    ///
    /// # Errors
    /// What the kernel says; `EINVAL` where `bytes` is more than the buffer holds.
    pub fn read(&mut self, offset: u64, bytes: usize, flags: CallFlags) -> io::Result<usize> {
        self.transfer(Direction::Read, (offset, bytes), flags)
    }

    /// Writes the first `bytes` of the buffer at `offset` and says how many went.
    ///
    /// # Errors
    /// `EBADF` where there is no permit; else as [`Single::read`].
    pub fn write(&mut self, offset: u64, bytes: usize, flags: CallFlags) -> io::Result<usize> {
        if !self.writable {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        }
        self.transfer(Direction::Write, (offset, bytes), flags)
    }

    fn transfer(&mut self, kind: Direction, place: (u64, usize), flags: CallFlags) -> io::Result<usize> {
        let (offset, bytes) = place;
        if bytes > self.bytes {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        match &mut self.means {
            Means::Calls(region) => call(&self.file, kind, (region, bytes, offset), flags),
            Means::Queue(queue) => through(queue.as_mut(), kind, offset, bytes),
        }
    }

    /// Waits until all that was written is on stable storage (`fdatasync`).
    ///
    /// # Errors
    /// What the kernel says.
    pub fn flush(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Asks the kernel not to read ahead in a range.
    pub fn expect_random(&self, offset: u64, bytes: Bytes) {
        self.advise(offset, bytes, libc::POSIX_FADV_RANDOM);
    }

    /// Asks the page cache to forget a range. Only advice: dirty and locked pages stay, and nothing is written back.
    pub fn forget(&self, offset: u64, bytes: Bytes) {
        self.advise(offset, bytes, libc::POSIX_FADV_DONTNEED);
    }

    fn advise(&self, offset: u64, bytes: Bytes, advice: libc::c_int) {
        let (offset, bytes) = (offset as libc::off_t, bytes.0 as libc::off_t);
        // A file that takes no advice (a character device) is none the worse for it.
        // SAFETY: the descriptor is open; no memory is involved.
        unsafe { libc::posix_fadvise(self.file.as_raw_fd(), offset, bytes, advice) };
    }

    /// Makes the file at least `size` long; what is new holds no data yet.
    ///
    /// # Errors
    /// `EBADF` where there is no permit; else what the kernel says.
    pub fn reach(&self, size: Bytes) -> io::Result<()> {
        if !self.writable {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        }
        if self.file.metadata()?.len() >= size.0 {
            return Ok(());
        }
        // SAFETY: the descriptor is open; no memory is involved.
        retry(|| check(unsafe { libc::ftruncate(self.file.as_raw_fd(), size.0 as libc::off_t) })).map(drop)
    }
}

impl AsFd for Single {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

const ALIGN: usize = 4096;

fn flags(options: SingleOptions) -> libc::c_int {
    options.direct.flag() | sync_flag(options.sync)
}

/// One `preadv2` or `pwritev2` of `bytes`, which the region holds.
fn call(
    file: &File,
    kind: Direction,
    place: (&mut Region, usize, u64),
    flags: CallFlags,
) -> io::Result<usize> {
    let (region, bytes, offset) = place;
    let vector = libc::iovec { iov_base: region.start().as_ptr().cast(), iov_len: bytes };
    let wishes =
        if flags.nowait { libc::RWF_NOWAIT } else { 0 } | if flags.hipri { libc::RWF_HIPRI } else { 0 };
    let (fd, offset) = (file.as_raw_fd(), offset as libc::off_t);
    let moved = retry(|| {
        // SAFETY: the vector names `bytes` bytes of the region, which is borrowed exclusively until the call returns.
        check_long(unsafe {
            match kind {
                Direction::Write => libc::pwritev2(fd, &vector, 1, offset, wishes) as libc::c_long,
                _ => libc::preadv2(fd, &vector, 1, offset, wishes) as libc::c_long,
            }
        })
    })?;
    Ok(moved as usize)
}

/// One I/O through a queue of depth one.
fn through(queue: &mut dyn Queue, kind: Direction, offset: u64, bytes: usize) -> io::Result<usize> {
    let bytes = u32::try_from(bytes).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
    queue.queue(Io { slot: 0, kind, file: 0, offset, bytes, due: Nanos::ZERO }).map_err(io::Error::other)?;
    let mut done: Vec<Done> = Vec::with_capacity(1);
    while done.is_empty() {
        queue.submit_and_reap(Wait::One, &mut done).map_err(io::Error::other)?;
    }
    match done[0].result {
        error if error < 0 => Err(io::Error::from_raw_os_error(-error)),
        moved => Ok(moved as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::file::unnamed_file;
    use crate::linux::guard::permit_unnamed;

    const PLAIN: SingleOptions =
        SingleOptions { direct: Direct::No, sync: SyncMode::None, means: SingleMeans::Calls, bytes: 4096 };

    fn single(options: SingleOptions) -> Single {
        let file = unnamed_file(Path::new(env!("CARGO_MANIFEST_DIR")), Bytes(0)).unwrap();
        Single::open_for_write(&permit_unnamed(&file), options).unwrap()
    }

    #[test]
    fn what_is_written_by_any_means_is_read_back() {
        let queues = [BackendKind::Libaio, BackendKind::IoUring].map(SingleMeans::Queue);
        for means in [SingleMeans::Calls].into_iter().chain(queues) {
            let mut single = single(SingleOptions { means, sync: SyncMode::Dsync, ..PLAIN });
            single.reach(Bytes::kib(8)).unwrap();
            single.buffer_mut().fill(7);
            assert_eq!(single.write(4096, 4096, CallFlags::default()).unwrap(), 4096, "{means:?}");
            single.flush().unwrap();
            single.buffer_mut().fill(0);
            single.forget(0, Bytes::kib(8));
            assert_eq!(single.read(4096, 4096, CallFlags::default()).unwrap(), 4096);
            assert!(single.buffer_mut().iter().all(|&byte| byte == 7), "{means:?}");
        }
    }

    #[test]
    fn nothing_is_written_without_a_permit_or_beyond_the_buffer() {
        let mut read = Single::open_for_read(Path::new("/proc/self/exe"), PLAIN).unwrap();
        assert_eq!(read.write(0, 1, CallFlags::default()).unwrap_err().raw_os_error(), Some(libc::EBADF));
        assert_eq!(read.reach(Bytes(1)).unwrap_err().raw_os_error(), Some(libc::EBADF));
        assert_eq!(read.read(0, 4097, CallFlags::default()).unwrap_err().raw_os_error(), Some(libc::EINVAL));
    }

    #[test]
    fn a_character_device_is_read_by_calls_alone() {
        let zero = Path::new("/dev/zero");
        assert_eq!(
            Single::open_for_read(zero, PLAIN).unwrap().read(0, 512, CallFlags::default()).unwrap(),
            512
        );
        let queued = SingleOptions { means: SingleMeans::Queue(BackendKind::Libaio), ..PLAIN };
        assert!(matches!(
            Single::open_for_read(zero, queued),
            Err(SingleError::Open(OpenError::Kind { .. }))
        ));
    }

    #[test]
    fn a_call_that_would_wait_says_so_where_that_is_asked() {
        let mut single = single(PLAIN);
        single.reach(Bytes::kib(4)).unwrap();
        single.buffer_mut().fill(1);
        single.write(0, 4096, CallFlags::default()).unwrap();
        let at_once = CallFlags { nowait: true, hipri: false };
        assert_eq!(single.read(0, 4096, at_once).unwrap(), 4096, "it is in the page cache");
    }
}
