//! Waiting until one of several files is ready, random bytes from the kernel, and the lowest thread priority.

use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

use super::call::{check, retry};

/// The lowest priority: the greatest nice value, which setpriority(2) bounds to -20..19.
const NICEST: libc::c_int = 19;

/// The event to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// Data to read, or a connection to accept.
    Input,
    /// Room to write.
    Output,
}

/// A file to wait for, and whether it is ready.
#[repr(transparent)]
pub struct PollEntry<'fd> {
    raw: libc::pollfd,
    file: PhantomData<BorrowedFd<'fd>>,
}

impl<'fd> PollEntry<'fd> {
    /// A file to wait for, not ready yet.
    pub fn new(file: BorrowedFd<'fd>, wants: Wants) -> PollEntry<'fd> {
        let events = match wants {
            Wants::Input => libc::POLLIN,
            Wants::Output => libc::POLLOUT,
        };
        PollEntry { raw: libc::pollfd { fd: file.as_raw_fd(), events, revents: 0 }, file: PhantomData }
    }

    /// Whether the event occurred, or the other side has gone, which the next read or write reports.
    pub fn is_ready(&self) -> bool {
        self.raw.revents != 0
    }
}

/// Waits until one of `files` is ready, at most `patience`; a signal ends the wait early.
///
/// # Errors
/// The error of `poll`, except `EINTR`.
pub fn wait_ready(files: &mut [PollEntry<'_>], patience: Duration) -> io::Result<()> {
    let milliseconds = libc::c_int::try_from(patience.as_millis()).unwrap_or(libc::c_int::MAX);
    // SAFETY: `PollEntry` is a `pollfd` and nothing else (`repr(transparent)`), the slice is borrowed mutably for the
    // call, and each file is borrowed for longer than that.
    let polled = check(unsafe {
        libc::poll(files.as_mut_ptr().cast::<libc::pollfd>(), files.len() as libc::nfds_t, milliseconds)
    });
    match polled {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {
            files.iter_mut().for_each(|file| file.raw.revents = 0);
            Ok(())
        }
        other => other.map(drop),
    }
}

/// Fills `bytes` with unpredictable random bytes.
///
/// # Errors
/// The error of `getrandom`.
pub fn random_bytes(bytes: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        let rest = &mut bytes[filled..];
        filled += retry(|| {
            // SAFETY: the buffer is valid for the given length.
            match unsafe { libc::getrandom(rest.as_mut_ptr().cast(), rest.len(), 0) } {
                count @ 0.. => Ok(count as usize),
                _ => Err(io::Error::last_os_error()),
            }
        })?;
    }
    Ok(())
}

/// Gives every other thread of the machine precedence over the calling thread. SCHED_IDLE would not do: next to workers
/// that keep every processor busy, such a thread would hardly ever run.
///
/// # Errors
/// The error of `setpriority`.
pub fn let_others_first() -> io::Result<()> {
    // SAFETY: the call takes numbers and no pointer; 0 is the calling thread on Linux.
    check(unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICEST) }).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixStream;

    #[test]
    fn the_file_that_is_ready_is_told() {
        let (mut here, there) = UnixStream::pair().unwrap();
        let (_other, silent) = UnixStream::pair().unwrap();
        here.write_all(b"x").unwrap();
        let mut files =
            [PollEntry::new(silent.as_fd(), Wants::Input), PollEntry::new(there.as_fd(), Wants::Input)];
        wait_ready(&mut files, Duration::from_secs(60)).unwrap();
        assert_eq!((files[0].is_ready(), files[1].is_ready()), (false, true));
    }

    #[test]
    fn chance_fills_every_byte() {
        let mut seen = [[0u8; 300]; 2];
        seen.iter_mut().for_each(|bytes| random_bytes(bytes).unwrap());
        assert_ne!(seen[0], seen[1]);
        assert!(seen.iter().all(|bytes| bytes[280..].iter().any(|byte| *byte != 0)));
    }

    #[test]
    fn a_thread_that_lets_others_first_is_alone_in_that() {
        let nice = || {
            // SAFETY: as above; the call touches no memory.
            unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) }
        };
        let before = nice();
        let there = std::thread::spawn(move || let_others_first().map(|()| nice())).join().unwrap();
        assert_eq!((there.unwrap(), nice()), (NICEST, before));
    }
}
