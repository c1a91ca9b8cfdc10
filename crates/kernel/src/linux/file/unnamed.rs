//! Temporary files that vanish when this process ends: without a name if the file system allows it.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use workload::Bytes;

use super::{Access, Direct, OpenError, OpenFile, reopen};
use crate::linux::call::{check, retry};
use crate::linux::ready::random_bytes;

/// Why a temporary file could not be made.
#[derive(Debug, thiserror::Error)]
pub enum TestFileError {
    /// The directory cannot be used.
    #[error("{dir}: no file can be made here: {source}; choose a directory you may write to")]
    Create {
        /// The directory the file was to be in.
        dir: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// There is not enough free space.
    #[error(
        "{dir}: {wanted} are needed but only {free} are free; free some space or ask for a smaller region"
    )]
    NoSpace {
        /// The directory the file was to be in.
        dir: PathBuf,
        /// The size requested.
        wanted: Bytes,
        /// The space this user may still write there.
        free: Bytes,
    },
    /// The size could not be set.
    #[error("{dir}: a file of {wanted} cannot be made: {source}; ask for a smaller region")]
    Size {
        /// The directory the file was to be in.
        dir: PathBuf,
        /// The size requested.
        wanted: Bytes,
        /// The kernel's error.
        source: io::Error,
    },
}

/// A file that this process made. The data of an unnamed file is gone when the last descriptor closes, even after
/// `kill -9`. A clone refers to the same file.
#[derive(Clone, Debug)]
pub struct OwnedTestFile {
    anchor: Arc<File>,
    shown: PathBuf,
    dir: PathBuf,
}

/// Prefix of the names of plimsoll's own files, by which they are recognised.
pub(crate) const PREFIX: &str = ".plimsoll-";
/// Suffix of the names of plimsoll's own files.
pub(crate) const SUFFIX: &str = ".tmp";

/// Makes a file without a name in `dir`, if `size` bytes are free; it is empty until [`OwnedTestFile::set_len`].
///
/// # Errors
/// [`TestFileError`] if there is no space or no permission.
pub fn unnamed_file(dir: &Path, size: Bytes) -> Result<OwnedTestFile, TestFileError> {
    let file = make_unnamed(dir).map_err(|source| TestFileError::Create { dir: dir.to_owned(), source })?;
    let shown = dir.join("(unnamed file)");
    OwnedTestFile { anchor: Arc::new(file), shown, dir: dir.to_owned() }.with_space(size)
}

fn make_unnamed(dir: &Path) -> io::Result<File> {
    // O_EXCL with O_TMPFILE: the file can never be given a name.
    let without_name = OpenOptions::new()
        .read(true)
        .write(true)
        .mode(0o600)
        .custom_flags(libc::O_TMPFILE | libc::O_EXCL)
        .open(dir);
    match without_name {
        Ok(file) => Ok(file),
        // Kernels and file systems without O_TMPFILE report one of these.
        Err(e) if matches!(e.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EISDIR | libc::EINVAL)) => {
            let (file, path) = make_named(dir)?;
            std::fs::remove_file(path)?;
            Ok(file)
        }
        Err(e) => Err(e),
    }
}

fn make_named(dir: &Path) -> io::Result<(File, PathBuf)> {
    const ATTEMPTS: u32 = 16;
    let mut last = io::Error::from_raw_os_error(libc::EEXIST);
    for _ in 0..ATTEMPTS {
        let path = dir.join(format!("{PREFIX}{:08x}{SUFFIX}", random_word()?));
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(&path);
        match opened {
            Ok(file) => return Ok((file, path)),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => last = e,
            Err(e) => return Err(e),
        }
    }
    Err(last)
}

pub(crate) fn random_word() -> io::Result<u32> {
    let mut bytes = [0u8; 4];
    random_bytes(&mut bytes)?;
    Ok(u32::from_ne_bytes(bytes))
}

impl OwnedTestFile {
    fn with_space(self, wanted: Bytes) -> Result<OwnedTestFile, TestFileError> {
        let dir = self.dir.clone();
        let free = free_space(self.anchor.as_fd())
            .map_err(|source| TestFileError::Create { dir: dir.clone(), source })?;
        if free < wanted { Err(TestFileError::NoSpace { dir, wanted, free }) } else { Ok(self) }
    }

    /// Makes the file `size` bytes long; everything beyond its old end is a hole until it is written.
    ///
    /// # Errors
    /// [`TestFileError::Size`] if the file system or `ulimit -f` does not allow such a file.
    pub fn set_len(&self, size: Bytes) -> Result<(), TestFileError> {
        self.anchor.set_len(size.0).map_err(|source| TestFileError::Size {
            dir: self.dir.clone(),
            wanted: size,
            source,
        })
    }

    /// Opens a separate descriptor for reading.
    ///
    /// # Errors
    /// [`OpenError::NoDirect`] if the file system has no direct I/O.
    pub fn open_for_read(&self, direct: Direct) -> Result<OpenFile, OpenError> {
        let file = reopen(self.anchor.as_fd(), Access::Read, direct)
            .map_err(|e| OpenError::from_io(&self.shown, direct, e))?;
        OpenFile::adopt(file, &self.shown, direct, false)
    }

    /// The path of the file, or a description that names its directory.
    pub fn path(&self) -> &Path {
        &self.shown
    }

    pub(crate) fn anchor(&self) -> Arc<File> {
        Arc::clone(&self.anchor)
    }
}

impl AsFd for OwnedTestFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.anchor.as_fd()
    }
}

/// Bytes that this user may still write to the file system of `fd`; root's reserve counts for root only.
pub(crate) fn free_space(fd: BorrowedFd<'_>) -> io::Result<Bytes> {
    space(fd).map(|stat| Bytes(stat.f_bavail.saturating_mul(stat.f_frsize)))
}

fn space(fd: BorrowedFd<'_>) -> io::Result<libc::statvfs> {
    // SAFETY: `statvfs` is a struct of integers, for which all zeros is a value.
    let mut stat: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open and `stat` is valid for writing.
    retry(|| check(unsafe { libc::fstatvfs(fd.as_raw_fd(), &mut stat) }))?;
    Ok(stat)
}

/// Bytes that this user may still write to the file system of the directory or file at `path`.
///
/// # Errors
/// The kernel's error if the path does not exist.
pub fn free_space_in(path: &Path) -> io::Result<Bytes> {
    // O_PATH needs no permission on the file itself and opens neither pipes nor devices.
    let place = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path)?;
    free_space(place.as_fd())
}

/// Size in bytes of the whole file system of the directory or file at `path`.
///
/// # Errors
/// The kernel's error if the path does not exist.
pub fn total_space_in(path: &Path) -> io::Result<Bytes> {
    let place = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path)?;
    space(place.as_fd()).map(|stat| Bytes(stat.f_blocks.saturating_mul(stat.f_frsize)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    fn names_in(dir: &Path) -> Vec<String> {
        std::fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn an_unnamed_file_leaves_no_trace_in_its_directory() {
        let dir = tempfile::tempdir().unwrap();
        let file = unnamed_file(dir.path(), Bytes::mib(1)).unwrap();
        file.set_len(Bytes::mib(1)).unwrap();
        assert!(names_in(dir.path()).is_empty());
        let metadata = file.anchor.metadata().unwrap();
        assert_eq!((metadata.len(), metadata.nlink()), (1 << 20, 0));
    }

    #[test]
    fn a_file_larger_than_the_free_space_is_refused_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let error = unnamed_file(dir.path(), Bytes(u64::MAX / 2)).unwrap_err();
        assert!(matches!(error, TestFileError::NoSpace { .. }), "{error}");
        assert!(error.to_string().contains("smaller region"));
        assert!(names_in(dir.path()).is_empty());
    }

    #[test]
    fn a_missing_directory_is_named() {
        let error = unnamed_file(Path::new("/nowhere/at/all"), Bytes(0)).unwrap_err();
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }
}
