//! Files made, looked up and removed by their names, one after the other, to time the file system's own work.
//!
//! Existing files are changed only if they are to be removed: making a file that exists opens it and leaves it
//! unchanged, only files that the guard permitted to be written are removed, and the kernel removes only empty folders.

use std::ffi::CString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use workload::{Act, Completion, Io, Nanos, Wait};

use super::interface::{Queue, QueueError, QueueRefusal};
use crate::linux::call::{check, retry};
use crate::linux::clock::Clock;
use crate::linux::file::OpenFile;

/// Mode of a new file, which the umask narrows.
const FILE_MODE: libc::mode_t = 0o600;
/// Mode of a new folder, which the umask narrows.
const FOLDER_MODE: libc::mode_t = 0o755;

/// Paths of files, and the operation that is performed on them.
#[derive(Debug)]
pub struct NamesQueue {
    names: Vec<CString>,
    act: Act,
    queued: Option<Io>,
    clock: Clock,
}

impl NamesQueue {
    /// Makes a queue that performs `act` on the files at `paths`; if files are removed, `files` are the same files,
    /// opened with permission to write.
    ///
    /// # Errors
    /// [`QueueError::Name`] if a path contains a zero byte, if a file is to be made where something other than a file
    /// exists, or if the path to be removed is not the regular file in `files` for which there is permission.
    pub fn open(
        paths: &[&Path],
        files: &[OpenFile],
        act: Act,
        clock: Clock,
    ) -> Result<NamesQueue, QueueError> {
        for (number, path) in paths.iter().enumerate() {
            let refused = match act {
                Act::MakeFile => obstacle(path),
                Act::RemoveFile => foreign(path, files.get(number)),
                _ => None,
            };
            if let Some(why) = refused {
                return Err(setup(format!("{} {why}", path.display())));
            }
        }
        let name = |path: &&Path| CString::new(path.as_os_str().as_bytes());
        let names = paths.iter().map(name).collect::<Result<_, _>>();
        let names = names.map_err(|_| setup("a name of a file holds a zero byte".to_owned()))?;
        Ok(NamesQueue { names, act, queued: None, clock })
    }

    /// Performs `io`; returns its result and completion time.
    fn perform(&self, io: &Io) -> Completion {
        let Some(name) = self.names.get(io.file as usize) else {
            return Completion { slot: io.slot, result: -libc::ENOENT, at: self.clock.now() };
        };
        let name = name.as_ptr();
        let done = retry(|| {
            // SAFETY: `name` points to a string that ends in a zero byte and lives as long as the queue; `stat` writes
            // into a separate value.
            check(unsafe {
                match self.act {
                    Act::MakeFile => libc::open(
                        name,
                        libc::O_RDWR | libc::O_CREAT | libc::O_CLOEXEC | libc::O_NONBLOCK | libc::O_NOCTTY,
                        FILE_MODE,
                    ),
                    Act::MakeFolder => libc::mkdir(name, FOLDER_MODE),
                    Act::RemoveFile => libc::unlink(name),
                    Act::RemoveFolder => libc::rmdir(name),
                    _ => {
                        let mut found = std::mem::MaybeUninit::<libc::stat>::uninit();
                        libc::stat(name, found.as_mut_ptr())
                    }
                }
            })
        });
        let at = self.clock.now();
        if let (Ok(fd), Act::MakeFile) = (&done, self.act) {
            // SAFETY: the descriptor was opened above and nobody else knows it. The close comes after the timed part.
            unsafe { libc::close(*fd) };
        }
        let result = match done {
            Ok(_) => io.bytes as i32,
            Err(error) => -error.raw_os_error().unwrap_or(libc::EIO),
        };
        Completion { slot: io.slot, result, at }
    }
}

fn setup(reason: String) -> QueueError {
    QueueError::Name { reason }
}

/// Returns why no file can be made at `path`, if there is a reason.
fn obstacle(path: &Path) -> Option<&'static str> {
    let found = std::fs::metadata(path).ok()?;
    (!found.is_file()).then_some("is there already and is no regular file; give another name")
}

/// Returns why `path` must not be removed, if there is a reason: it must be `file` itself, regular and writable.
fn foreign(path: &Path, file: Option<&OpenFile>) -> Option<&'static str> {
    let Some(file) = file.filter(|file| file.is_writable()) else {
        return Some("is not removed: the guard gave no leave to write to it");
    };
    let (Ok(named), Ok(opened)) = (std::fs::symlink_metadata(path), opened(file)) else {
        return Some("is not there any more");
    };
    let same = (named.dev(), named.ino()) == (opened.dev(), opened.ino());
    (!named.is_file() || !same).then_some("is a link or no regular file, and is not removed")
}

fn opened(file: &OpenFile) -> io::Result<std::fs::Metadata> {
    std::fs::File::from(file.as_fd().try_clone_to_owned()?).metadata()
}

impl Queue for NamesQueue {
    fn buffer_mut(&mut self, _slot: u32) -> Option<&mut [u8]> {
        None
    }

    #[inline]
    fn room(&self) -> usize {
        usize::from(self.queued.is_none())
    }

    #[inline]
    fn in_flight(&self) -> usize {
        usize::from(self.queued.is_some())
    }

    #[inline]
    fn queue(&mut self, io: Io) -> Result<(), QueueRefusal> {
        if self.queued.is_some() {
            return Err(QueueRefusal::Full);
        }
        if io.file as usize >= self.names.len() {
            return Err(QueueRefusal::NoSuchFile);
        }
        self.queued = Some(io);
        Ok(())
    }

    fn submit(&mut self, done: &mut Vec<Completion>) -> Result<(), QueueError> {
        self.submit_and_reap(Wait::Poll, done)
    }

    fn submit_and_reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), QueueError> {
        if done.len() == done.capacity() {
            return Ok(());
        }
        match (self.queued.take(), wait) {
            (Some(io), _) => done.push(self.perform(&io)),
            (None, Wait::Until(at)) => self.clock.sleep_until(at.max(Nanos::ZERO)),
            (None, Wait::Poll | Wait::One | Wait::Several { .. }) => {}
        }
        Ok(())
    }

    fn features(&self) -> &str {
        "names of files, one after the other"
    }

    fn close(&mut self) -> usize {
        self.queued = None;
        0
    }
}
