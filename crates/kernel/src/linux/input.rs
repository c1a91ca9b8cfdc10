//! Opens an input that the user named without waiting for another process, and reads files through a child process: a
//! file whose server does not answer blocks its reader, and a blocked thread would keep its process from ending.

use std::ffi::{CStr, CString};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use workload::Bytes;

use super::call::check;
use super::patient::close_all_but;

/// Flags that neither wait for the other end of a pipe nor take a terminal.
const UNWAITING: libc::c_int = libc::O_NONBLOCK | libc::O_NOCTTY;
/// Bytes per read: the capacity of a pipe.
const PIECE: usize = 64 << 10;
/// Bytes the child sends first: an error or 0, the file's mode, its size.
const FACTS: usize = 16;

/// Opens the file at `path` for reading. A pipe opens even before anybody writes to it, and must then be waited for with
/// [`wait_ready`](super::ready::wait_ready) before each read; a terminal does not become this process's own.
///
/// # Errors
/// The error of `open`.
pub fn open_input(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(UNWAITING).open(path)
}

/// The kind of file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A regular file.
    File,
    /// A named pipe, or one made by a shell.
    Pipe,
    /// A folder.
    Folder,
    /// A character device.
    CharacterDevice,
    /// A block device.
    BlockDevice,
    /// A socket.
    Socket,
}

impl InputKind {
    /// Returns the kind of a file with this mode, as in `stat`.
    pub fn of_mode(mode: u32) -> InputKind {
        match mode & libc::S_IFMT {
            libc::S_IFIFO => InputKind::Pipe,
            libc::S_IFDIR => InputKind::Folder,
            libc::S_IFCHR => InputKind::CharacterDevice,
            libc::S_IFBLK => InputKind::BlockDevice,
            libc::S_IFSOCK => InputKind::Socket,
            _ => InputKind::File,
        }
    }
}

/// Facts about a file before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputFacts {
    /// The kind of file.
    pub kind: InputKind,
    /// Size of the file according to `stat`.
    pub size: Bytes,
}

impl From<Metadata> for InputFacts {
    fn from(about: Metadata) -> InputFacts {
        InputFacts { kind: InputKind::of_mode(about.mode()), size: Bytes(about.len()) }
    }
}

/// A child process that examines a path and, if a regular file is there, reads it. Before each read,
/// [`wait_ready`](super::ready::wait_ready) must have reported the pipe ready. Dropping the reader kills the child; a
/// child that is stuck is left behind.
#[derive(Debug)]
pub struct InputReader {
    child: libc::pid_t,
    pipe: File,
    /// Bytes of the current piece still to be read.
    left: usize,
    ended: bool,
}

impl InputReader {
    /// Starts a child, which reads nothing from a file of more than `most` bytes.
    ///
    /// # Errors
    /// If no process can be made.
    pub fn start(path: &Path, most: Bytes) -> io::Result<InputReader> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        let mut ends = [0; 2];
        // SAFETY: the array has room for two descriptors.
        check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
        // SAFETY: both have just been opened and nobody else owns them.
        let (pipe, child_end) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
        // SAFETY: the child has only this thread, so it makes only system calls: it takes no lock, allocates no memory,
        // and exits without running destructors or exit handlers.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => bring(&path, child_end.as_raw_fd(), most),
            child => Ok(InputReader { child, pipe: File::from(pipe), left: 0, ended: false }),
        }
    }

    /// Reads the kind and size of the file at the path; to be called once, before anything is read.
    ///
    /// # Errors
    /// The error of `stat` or `open`.
    pub fn facts(&mut self) -> io::Result<InputFacts> {
        let mut bytes = [0; FACTS];
        self.pipe.read_exact(&mut bytes)?;
        let [errno, mode] = [0, 4].map(|at| u32::from_ne_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte])));
        let size = u64::from_ne_bytes([8, 9, 10, 11, 12, 13, 14, 15].map(|byte| bytes[byte]));
        match errno {
            0 => Ok(InputFacts { kind: InputKind::of_mode(mode), size: Bytes(size) }),
            errno => Err(io::Error::from_raw_os_error(errno.cast_signed())),
        }
    }

    /// Reads the length of the next piece, or the error sent in its place.
    fn begin_piece(&mut self) -> io::Result<()> {
        let mut word = [0; 4];
        self.pipe.read_exact(&mut word)?;
        match i32::from_ne_bytes(word) {
            length @ 1.. => self.left = length as usize,
            0 => self.ended = true,
            error => return Err(io::Error::from_raw_os_error(-error)),
        }
        Ok(())
    }
}

impl Read for InputReader {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 && !self.ended {
            self.begin_piece()?;
        }
        let most = room.len().min(self.left);
        let read = self.pipe.read(&mut room[..most])?;
        if read == 0 && most > 0 {
            // The child died in the middle of a piece: this is not the end of the file.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= read;
        Ok(read)
    }
}

impl AsFd for InputReader {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

impl Drop for InputReader {
    fn drop(&mut self) {
        // A child that has sent everything is gone in a moment; nobody waits for a blocked one, which ends when its
        // file answers.
        for _ in 0..20 {
            // SAFETY: our own child, which nobody has waited for, so its number cannot belong to another process.
            let gone = unsafe {
                libc::kill(self.child, libc::SIGKILL);
                libc::waitpid(self.child, std::ptr::null_mut(), libc::WNOHANG)
            };
            if gone != 0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The child's main: reports what is at `path`, sends it if it is a regular file of at most `most` bytes, and exits.
fn bring(path: &CStr, pipe: RawFd, most: Bytes) -> ! {
    close_all_but(pipe);
    let mut piece = [0u8; 4 + PIECE];
    // SAFETY: the first call makes an empty set of signals valid. All signals are blocked: they are meant for the
    // parent, whose handlers must not run here. Only system calls, as required in a child of a process with threads.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::sigprocmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
    if let Some(file) = tell(path, pipe, most) {
        loop {
            // SAFETY: a descriptor that was just opened, and a buffer that is long enough.
            let read = unsafe { libc::read(file, piece[4..].as_mut_ptr().cast(), PIECE) };
            let word = if read < 0 { -errno() } else { read as i32 };
            piece[..4].copy_from_slice(&word.to_ne_bytes());
            let length = 4 + read.max(0) as usize;
            if !write_all(pipe, &piece[..length]) || read <= 0 {
                break;
            }
        }
    }
    // SAFETY: ends the child at once, without exit handlers.
    unsafe { libc::_exit(0) }
}

/// Sends the facts about the file at `path`; opens a regular file, and then takes the facts of the opened file.
fn tell(path: &CStr, pipe: RawFd, most: Bytes) -> Option<RawFd> {
    // SAFETY: a path that ends with zero, and a struct that is valid for writing, for which zeros are a value.
    let (found, mut about) = unsafe {
        let mut about: libc::stat = std::mem::zeroed();
        (libc::stat(path.as_ptr(), &mut about), about)
    };
    let is_file = |about: &libc::stat| about.st_mode & libc::S_IFMT == libc::S_IFREG;
    let mut opened = None;
    let mut error = if found < 0 { errno() } else { 0 };
    if error == 0 && is_file(&about) {
        // SAFETY: as above; the descriptor passed to `fstat` is the one just opened.
        unsafe {
            let file = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC | UNWAITING);
            if file < 0 || libc::fstat(file, &mut about) < 0 {
                error = errno();
            }
            opened = (error == 0 && is_file(&about)).then_some(file);
        }
    }
    let mut facts = [0; FACTS];
    facts[..4].copy_from_slice(&error.to_ne_bytes());
    facts[4..8].copy_from_slice(&about.st_mode.to_ne_bytes());
    facts[8..].copy_from_slice(&about.st_size.to_ne_bytes());
    let told = write_all(pipe, &facts);
    opened.filter(|_| told && about.st_size as u64 <= most.0)
}

fn write_all(pipe: RawFd, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        // SAFETY: a buffer of that length; a reader that has gone shows as an error, because SIGPIPE is blocked here.
        match unsafe { libc::write(pipe, bytes.as_ptr().cast(), bytes.len()) } {
            written @ 1.. => bytes = &bytes[written as usize..],
            _ => return false,
        }
    }
    true
}

fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::ready::{PollEntry, Wants, wait_ready};
    use std::io::Write as _;

    #[test]
    fn a_child_that_dies_within_a_piece_ends_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        std::fs::write(&path, vec![7; 4 << 20]).unwrap();
        let mut reader = InputReader::start(&path, Bytes(8 << 20)).unwrap();
        assert_eq!(reader.facts().unwrap().size, Bytes(4 << 20));
        reader.read_exact(&mut [0; 10]).unwrap();
        // SAFETY: our own child, which nobody has waited for.
        crate::linux::call::check(unsafe { libc::kill(reader.child, libc::SIGKILL) }).unwrap();
        let ended = reader.read_to_end(&mut Vec::new());
        assert_eq!(ended.map_err(|error| error.kind()), Err(io::ErrorKind::UnexpectedEof));
    }

    #[test]
    fn a_pipe_opens_before_its_writer_and_is_ready_when_that_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: a path that ends with zero.
        crate::linux::call::check(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }).unwrap();
        let mut pipe = open_input(&path).unwrap();
        let is_ready = |pipe: &File| {
            let mut waited = [PollEntry::new(pipe.as_fd(), Wants::Input)];
            wait_ready(&mut waited, Duration::from_millis(1)).unwrap();
            waited[0].is_ready()
        };
        assert!(!is_ready(&pipe), "nobody writes yet");
        let mut writer = OpenOptions::new().write(true).open(&path).unwrap();
        assert!(!is_ready(&pipe), "nothing is written yet");
        writer.write_all(b"words").unwrap();
        drop(writer);
        assert!(is_ready(&pipe));
        // Until its exec, a program started by a concurrent test holds a copy of the writing end.
        let mut text = Vec::new();
        while let Err(error) = pipe.read_to_end(&mut text) {
            assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(text, b"words");
    }

    #[test]
    fn a_child_brings_a_file_whole_and_of_all_else_its_kind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..300_000u32).map(|number| number as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let mut reader = InputReader::start(&path, Bytes(300_000)).unwrap();
        assert_eq!(reader.facts().unwrap().size, Bytes(300_000));
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        assert!(read == bytes);
        let kind = |path: &Path| InputReader::start(path, Bytes(0)).unwrap().facts().map(|facts| facts.kind);
        assert_eq!(kind(Path::new("/dev/zero")).unwrap(), InputKind::CharacterDevice);
        assert_eq!(kind(folder.path()).unwrap(), InputKind::Folder);
        assert_eq!(kind(&folder.path().join("missing")).unwrap_err().kind(), io::ErrorKind::NotFound);
        let mut longer = InputReader::start(&path, Bytes(299_999)).unwrap();
        assert_eq!(longer.facts().unwrap().size, Bytes(300_000));
        assert!(longer.read_to_end(&mut Vec::new()).is_err(), "nothing of it is read");
        let mut memory = InputReader::start(Path::new("/proc/self/mem"), Bytes(0)).unwrap();
        memory.facts().unwrap();
        assert_eq!(memory.read_to_end(&mut Vec::new()).unwrap_err().raw_os_error(), Some(libc::EIO));
    }
}
