//! Open files and devices, with the properties that a backend needs.

mod alignment;
mod length;
mod mark;
mod unnamed;

pub use length::{reserve_space, reserve_space_beyond, set_length};
pub use mark::{is_laid_out, mark_laid_out};
pub(crate) use unnamed::{PREFIX, SUFFIX, random_word};

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use workload::{Bytes, Calls, FlushBy, SyncMode};

pub use alignment::{Alignment, AlignmentSource};
pub use unnamed::{OwnedTestFile, TestFileError, free_space_in, total_space_in, unnamed_file};

use super::call::{check, retry};
use super::guard::permit::WritePermit;

/// Returns the type of the file system that an open file lies in: the magic number of <linux/magic.h>.
///
/// # Errors
/// The kernel's error.
pub(crate) fn file_system_kind(file: &File) -> io::Result<u32> {
    // SAFETY: the struct is made of integers, for which all zeros is a value.
    let mut found: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open during the call, and the kernel fills exactly this struct.
    check(unsafe { libc::fstatfs(file.as_raw_fd(), &raw mut found) })?;
    // The field's type differs between architectures; a magic number has 32 bits.
    Ok(found.f_type as u32)
}

/// Whether I/O bypasses the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direct {
    /// Bypasses it (`O_DIRECT`).
    Yes,
    /// Goes through it.
    No,
}

impl Direct {
    pub(crate) fn flag(self) -> libc::c_int {
        match self {
            Direct::Yes => libc::O_DIRECT,
            Direct::No => 0,
        }
    }
}

/// Returns the `open` flag for writes as stable as `sync` requires.
pub(crate) fn sync_flag(sync: SyncMode) -> libc::c_int {
    match sync {
        SyncMode::None => 0,
        SyncMode::Dsync => libc::O_DSYNC,
        SyncMode::Sync => libc::O_SYNC,
    }
}

/// The kind of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file in a file system.
    Regular,
    /// A block device or a partition.
    BlockDevice,
    /// A character device, which has no size and is never written.
    CharacterDevice,
}

/// Why a file or device could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The path does not exist.
    #[error("{path}: there is no such file or device; check the path")]
    NotFound {
        /// The path as given.
        path: PathBuf,
    },
    /// The kernel refuses access.
    #[error("{path}: permission denied; run as root or as the owner")]
    Permission {
        /// The path as given.
        path: PathBuf,
    },
    /// The path leads to a kind of file that holds no data of its own.
    #[error("{path}: is {what}; name a regular file, a block device, or a directory to make a file in")]
    Kind {
        /// The path as given.
        path: PathBuf,
        /// The kind of file found instead.
        what: &'static str,
    },
    /// The file system does not support direct I/O.
    #[error("{path}: the file system does not support direct I/O; use buffered I/O or another file system")]
    NoDirect {
        /// The path as given.
        path: PathBuf,
    },
    /// The file system is mounted read-only, or the file or device is marked so.
    #[error("{path}: is read-only; remount it writable or measure reads alone")]
    ReadOnly {
        /// The path as given.
        path: PathBuf,
    },
    /// Any other error.
    #[error("{path}: cannot be opened: {source}")]
    Other {
        /// The path as given.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
}

impl OpenError {
    pub(crate) fn from_io(path: &Path, direct: Direct, source: io::Error) -> OpenError {
        let path = path.to_owned();
        match source.raw_os_error() {
            Some(libc::ENOENT) => OpenError::NotFound { path },
            Some(libc::EACCES | libc::EPERM) => OpenError::Permission { path },
            Some(libc::EROFS) => OpenError::ReadOnly { path },
            Some(libc::EISDIR) => OpenError::Kind { path, what: "a directory" },
            Some(libc::EINVAL) if direct == Direct::Yes => OpenError::NoDirect { path },
            _ => OpenError::Other { path, source },
        }
    }
}

/// An open file or device. A clone is the same open file, which closes with the last clone.
#[derive(Clone, Debug)]
pub struct OpenFile {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    fd: OwnedFd,
    path: PathBuf,
    direct: Direct,
    // True only if a `WritePermit` was presented; the queues refuse writes to any other file.
    writable: bool,
    alignment: Alignment,
    size: Bytes,
    kind: FileKind,
}

/// A file just opened, and how it was opened.
struct FileOpening {
    file: File,
    kind: FileKind,
    direct: Direct,
    writable: bool,
}

impl OpenFile {
    /// Takes over `file`; `path` is for messages.
    pub(crate) fn adopt(
        file: File,
        path: &Path,
        direct: Direct,
        writable: bool,
    ) -> Result<OpenFile, OpenError> {
        let other = |source| OpenError::Other { path: path.to_owned(), source };
        let kind = kind_of(path, &file.metadata().map_err(other)?)?;
        OpenFile::of_kind(FileOpening { file, kind, direct, writable }, path)
    }

    fn of_kind(opened: FileOpening, path: &Path) -> Result<OpenFile, OpenError> {
        let FileOpening { file, kind, direct, writable } = opened;
        let other = |source| OpenError::Other { path: path.to_owned(), source };
        let size = size_of_open(&file, kind).map_err(other)?;
        let alignment = alignment::of_fd(file.as_fd(), kind).map_err(other)?;
        if direct == Direct::Yes && alignment.source == AlignmentSource::NoDirectIo {
            return Err(OpenError::NoDirect { path: path.to_owned() });
        }
        let path = path.to_owned();
        let fd = OwnedFd::from(file);
        Ok(OpenFile { inner: Arc::new(Inner { fd, path, direct, writable, alignment, size, kind }) })
    }

    /// The path by which the file was opened; for an unnamed file, a description that names its directory.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Whether the file was opened to bypass the page cache.
    pub fn direct(&self) -> Direct {
        self.inner.direct
    }

    /// Returns how stable each write is when it completes, according to the kernel.
    pub fn sync(&self) -> SyncMode {
        // SAFETY: the descriptor is open as long as `self` lives; no memory is involved.
        let flags = unsafe { libc::fcntl(self.as_raw_fd(), libc::F_GETFL) };
        // `O_SYNC` contains the bit of `O_DSYNC`.
        [SyncMode::Sync, SyncMode::Dsync]
            .into_iter()
            .find(|sync| flags >= 0 && flags & sync_flag(*sync) == sync_flag(*sync))
            .unwrap_or_default()
    }

    /// Whether the guard permitted writing to the file.
    pub fn is_writable(&self) -> bool {
        self.inner.writable
    }

    /// The alignment that direct I/O on the file needs.
    pub fn alignment(&self) -> Alignment {
        self.inner.alignment
    }

    /// Size of the file when it was opened.
    pub fn size(&self) -> Bytes {
        self.inner.size
    }

    /// Whether this is a file or a device.
    pub fn kind(&self) -> FileKind {
        self.inner.kind
    }

    /// Waits until everything written is on stable storage (`fdatasync`).
    ///
    /// # Errors
    /// The kernel's error; `EIO` means that earlier writes were lost.
    pub fn flush(&self) -> io::Result<()> {
        // SAFETY: the descriptor is open as long as `self` lives; no memory is involved.
        retry(|| check(unsafe { libc::fdatasync(self.as_raw_fd()) })).map(drop)
    }

    /// Waits until everything written is on stable storage, by the call that `by` names.
    ///
    /// # Errors
    /// The errors of [`OpenFile::flush`].
    pub fn flush_by(&self, by: FlushBy) -> io::Result<()> {
        super::queue::flush(self.as_raw_fd(), Calls { flush: by, ..Calls::default() })
    }

    pub(crate) fn as_raw_fd(&self) -> RawFd {
        self.inner.fd.as_raw_fd()
    }
}

impl AsFd for OpenFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inner.fd.as_fd()
    }
}

/// Returns the kind of the file that `metadata` describes, if I/O can be measured on that kind.
pub(crate) fn kind_of(path: &Path, metadata: &std::fs::Metadata) -> Result<FileKind, OpenError> {
    let kind = metadata.file_type();
    let what = if kind.is_file() {
        return Ok(FileKind::Regular);
    } else if kind.is_block_device() {
        return Ok(FileKind::BlockDevice);
    } else if kind.is_dir() {
        "a directory"
    } else if kind.is_char_device() {
        "a character device"
    } else if kind.is_fifo() {
        "a pipe"
    } else {
        "a socket"
    };
    Err(OpenError::Kind { path: path.to_owned(), what })
}

fn size_of_open(file: &File, kind: FileKind) -> io::Result<Bytes> {
    match kind {
        FileKind::Regular => file.metadata().map(|m| Bytes(m.len())),
        FileKind::BlockDevice => super::device::size_of_device(file.as_fd()),
        FileKind::CharacterDevice => Ok(Bytes(0)),
    }
}

/// Opens an existing file or device for reading; no permit is needed.
///
/// # Errors
/// [`OpenError`], which names the path and the remedy.
pub fn open_for_read(path: &Path, direct: Direct) -> Result<OpenFile, OpenError> {
    // Checked before opening: opening a pipe would wait for its other end.
    let seen = std::fs::metadata(path).map_err(|e| OpenError::from_io(path, direct, e))?;
    kind_of(path, &seen)?;
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(direct.flag() | libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)
        .map_err(|e| OpenError::from_io(path, direct, e))?;
    OpenFile::adopt(file, path, direct, false)
}

/// Opens a character device, for reading only.
///
/// # Errors
/// [`OpenError`], which names the path and the remedy.
pub fn open_character_device(path: &Path, direct: Direct) -> Result<OpenFile, OpenError> {
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(direct.flag() | libc::O_NOCTTY)
        .open(path)
        .map_err(|e| OpenError::from_io(path, direct, e))?;
    let found = file.metadata().map_err(|e| OpenError::from_io(path, direct, e))?;
    if !found.file_type().is_char_device() {
        return OpenFile::adopt(file, path, direct, false);
    }
    OpenFile::of_kind(FileOpening { file, kind: FileKind::CharacterDevice, direct, writable: false }, path)
}

/// Opens the target of `permit` for reading and writing. The path is not looked up again, so nothing can have taken its
/// place since the guard checked it.
///
/// # Errors
/// [`OpenError`], which names the path and the remedy.
pub fn open_for_write(permit: &WritePermit, direct: Direct) -> Result<OpenFile, OpenError> {
    open_for_stable_write(permit, direct, SyncMode::None)
}

/// Opens the target of `permit` with writes that are stable on completion, as `sync` says (`O_DSYNC`, `O_SYNC`).
///
/// # Errors
/// The errors of [`open_for_write`].
pub fn open_for_stable_write(
    permit: &WritePermit,
    direct: Direct,
    sync: SyncMode,
) -> Result<OpenFile, OpenError> {
    let file = reopen_with(permit.anchor(), Access::ReadWrite, direct.flag() | sync_flag(sync))
        .map_err(|e| OpenError::from_io(permit.path(), direct, e))?;
    OpenFile::adopt(file, permit.path(), direct, true)
}

/// The access of a reopened descriptor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read only.
    Read,
    /// Read and write.
    ReadWrite,
}

/// Opens the file that `fd` refers to a second time, independently and with its own flags.
pub(crate) fn reopen(fd: BorrowedFd<'_>, access: Access, direct: Direct) -> io::Result<File> {
    reopen_with(fd, access, direct.flag())
}

fn reopen_with(fd: BorrowedFd<'_>, access: Access, flags: libc::c_int) -> io::Result<File> {
    std::fs::OpenOptions::new()
        .read(true)
        .write(access == Access::ReadWrite)
        .custom_flags(flags)
        .open(format!("{DESCRIPTORS}/{}", fd.as_raw_fd()))
        .map_err(|error| if Path::new(DESCRIPTORS).is_dir() { error } else { io::Error::other(NO_PROC) })
}

/// The folder of a process's own open descriptors.
const DESCRIPTORS: &str = "/proc/self/fd";
const NO_PROC: &str =
    "files are reopened through /proc, which is not mounted here; mount it (mount -t proc proc /proc)";
