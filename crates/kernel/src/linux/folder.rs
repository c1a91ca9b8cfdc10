//! Files published whole: written without a name, then linked into an open directory, never over an existing name.

use std::ffi::{CString, OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::call::{check, check_long, retry};
use super::file::{PREFIX, SUFFIX, random_word};

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Only the owner of the file (0600).
    Owner,
    /// Everybody whom the user's umask allows (0666 without it).
    ByMask,
}

/// An open directory: names are looked up in it, wherever its path may lead later.
#[derive(Debug)]
pub struct Folder {
    dir: File,
    path: PathBuf,
}

/// Why a folder is not used for files that only their owner may read.
#[derive(Debug, thiserror::Error)]
pub enum PrivateFolderError {
    /// The folder cannot be made or opened.
    #[error("{path}: cannot be made: {source}; name another folder with --out")]
    Make {
        /// The folder.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// Another user owns the folder and could change what it holds.
    #[error(
        "{path} belongs to user {owner}, who could change what is kept there; name a folder of yours with --out"
    )]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The user id of the owner.
        owner: u32,
    },
}

/// Returns the user id under which this process makes files.
pub fn effective_user() -> u32 {
    // SAFETY: the call takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

impl Folder {
    /// Opens the directory at `path`; links on the way are followed.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn open(path: &Path) -> io::Result<Folder> {
        // The folder of a bare name is the current one.
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let dir = std::fs::OpenOptions::new().read(true).custom_flags(libc::O_DIRECTORY).open(path)?;
        Ok(Folder { dir, path: path.to_owned() })
    }

    /// Opens the directory at `path`, which must belong to this user and is closed to others (0700); makes it if missing.
    ///
    /// # Errors
    /// [`PrivateFolderError`].
    pub fn private(path: &Path) -> Result<Folder, PrivateFolderError> {
        let failed = |source| PrivateFolderError::Make { path: path.to_owned(), source };
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
        let folder = Folder::open(path).map_err(failed)?;
        let about = folder.dir.metadata().map_err(failed)?;
        if about.uid() != effective_user() {
            return Err(PrivateFolderError::Foreign { path: path.to_owned(), owner: about.uid() });
        }
        if about.mode() & 0o077 != 0 {
            folder.dir.set_permissions(std::fs::Permissions::from_mode(0o700)).map_err(failed)?;
        }
        Ok(folder)
    }

    /// The path by which the directory was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether `name` exists in this directory; a link counts, wherever it leads.
    pub fn has(&self, name: &OsStr) -> bool {
        !matches!(self.look(name), Err(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// Whether `name` in this directory is the file that `about` describes, and not a link to it.
    pub fn is(&self, name: &OsStr, about: &Metadata) -> bool {
        self.look(name).is_ok_and(|found| (found.st_dev, found.st_ino) == (about.dev(), about.ino()))
    }

    /// Returns the `stat` of `name` in this directory; no link is followed and nothing is opened.
    fn look(&self, name: &OsStr) -> io::Result<libc::stat> {
        let name = c_name(name)?;
        // SAFETY: `stat` is a struct of integers, for which all zeros is a value.
        let mut about: libc::stat = unsafe { std::mem::zeroed() };
        let (dir, flags) = (self.dir.as_raw_fd(), libc::AT_SYMLINK_NOFOLLOW);
        // SAFETY: the descriptor is open, the name ends in a zero, and `about` is valid for writing.
        retry(|| check(unsafe { libc::fstatat(dir, name.as_ptr(), &mut about, flags) }))?;
        Ok(about)
    }

    /// Opens the regular file `name` for reading; no link is followed, and no file that could block is opened.
    ///
    /// # Errors
    /// The kernel's error; `InvalidInput` if it is not a regular file.
    pub fn read(&self, name: &OsStr) -> io::Result<File> {
        let other = || io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
        // Checked before opening, because opening a device can have effects; and after, because the file may have changed.
        if self.look(name)?.st_mode & libc::S_IFMT != libc::S_IFREG {
            return Err(other());
        }
        let flags = libc::O_RDONLY | libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let file = self.open_at(name, flags, 0)?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(other()) }
    }

    /// Makes a file to be filled, which nobody sees before it is published; if it is not published, it vanishes.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn draft(&self, readers: Readers) -> io::Result<Draft<'_>> {
        let mode = if readers == Readers::Owner { 0o600 } else { 0o666 };
        match self.open_at(OsStr::new("."), libc::O_TMPFILE | libc::O_RDWR, mode) {
            Ok(file) => Ok(Draft { folder: self, file, name: None }),
            // Kernels and file systems without O_TMPFILE report one of these.
            Err(e) if matches!(e.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EISDIR | libc::EINVAL)) => {
                self.named_draft(mode)
            }
            Err(e) => Err(e),
        }
    }

    fn named_draft(&self, mode: libc::mode_t) -> io::Result<Draft<'_>> {
        let name = free_name()?;
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW;
        let file = self.open_at(&name, flags, mode)?;
        Ok(Draft { folder: self, file, name: Some(name) })
    }

    fn open_at(&self, name: &OsStr, flags: libc::c_int, mode: libc::mode_t) -> io::Result<File> {
        let (name, flags) = (c_name(name)?, flags | libc::O_CLOEXEC);
        let dir = self.dir.as_raw_fd();
        // SAFETY: the descriptor is open and the name ends in a zero.
        let fd = retry(|| check(unsafe { libc::openat(dir, name.as_ptr(), flags, mode) }))?;
        // SAFETY: the call has just made this descriptor, and nobody else knows it.
        Ok(unsafe { File::from_raw_fd(fd) })
    }

    fn remove(&self, name: &OsStr) -> io::Result<()> {
        let name = c_name(name)?;
        // SAFETY: the descriptor is open and the name ends in a zero.
        check(unsafe { libc::unlinkat(self.dir.as_raw_fd(), name.as_ptr(), 0) }).map(drop)
    }

    fn rename(&self, from: &OsStr, to: &OsStr, flags: libc::c_uint) -> io::Result<()> {
        let (from, to, dir) = (c_name(from)?, c_name(to)?, self.dir.as_raw_fd());
        // SAFETY: the descriptor is open and both names end in a zero. By number, because some C libraries have no
        // wrapper.
        let done = unsafe {
            libc::syscall(libc::SYS_renameat2, dir, from.as_ptr(), dir, to.as_ptr(), flags as libc::c_ulong)
        };
        check_long(done).map(drop)
    }

    fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (from, to, dir) = (c_name(from)?, c_name(to)?, self.dir.as_raw_fd());
        // SAFETY: the descriptor is open and both names end in a zero.
        check(unsafe { libc::linkat(dir, from.as_ptr(), dir, to.as_ptr(), 0) }).map(drop)
    }
}

/// A file that is being filled. If the file system allows, it has no name, so that nothing of it is left however this
/// process ends.
#[derive(Debug)]
pub struct Draft<'f> {
    folder: &'f Folder,
    file: File,
    name: Option<OsString>,
}

impl Draft<'_> {
    /// The file, to be written to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file the name `name`, which must be free; after a refusal another name can be tried.
    ///
    /// # Errors
    /// `AlreadyExists` if the name is taken, even by a link; otherwise the kernel's error.
    pub fn publish(&mut self, name: &OsStr) -> io::Result<()> {
        let Some(part) = self.name.clone() else { return self.link_as(name) };
        self.rename_as(&part, name)?;
        self.name = None;
        Ok(())
    }

    /// Gives the file the name `name`, replacing any file of that name; a link is itself replaced, not its target.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn replace(mut self, name: &OsStr) -> io::Result<()> {
        if self.name.is_none() {
            let part = free_name()?;
            self.link_as(&part)?;
            self.name = Some(part);
        }
        if let Some(part) = &self.name {
            self.folder.rename(part, name, 0)?;
        }
        self.name = None;
        Ok(())
    }

    /// Links the file as `name`; a hard link never replaces an existing name. Without a mounted /proc, the kernel accepts the
    /// descriptor itself from root, and since Linux 6.10 from the process that opened it; see open(2) on `O_TMPFILE`.
    fn link_as(&self, name: &OsStr) -> io::Result<()> {
        let from = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        let linked = self.link_from(libc::AT_FDCWD, &from, name);
        match linked {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.link_from(self.file.as_raw_fd(), "", name).map_err(|_| error)
            }
            linked => linked,
        }
    }

    /// Links the file named `from` in `place`, or `place` itself if `from` is empty.
    fn link_from(&self, place: RawFd, from: &str, name: &OsStr) -> io::Result<()> {
        let flags = if from.is_empty() { libc::AT_EMPTY_PATH } else { libc::AT_SYMLINK_FOLLOW };
        let (from, to, dir) = (c_name(OsStr::new(from))?, c_name(name)?, self.folder.dir.as_raw_fd());
        // SAFETY: the directory is open and both names end in a zero.
        check(unsafe { libc::linkat(place, from.as_ptr(), dir, to.as_ptr(), flags) }).map(drop)
    }

    fn rename_as(&self, part: &OsStr, name: &OsStr) -> io::Result<()> {
        let cannot = |error: &io::Error| {
            let codes = [libc::EINVAL, libc::ENOSYS, libc::EOPNOTSUPP, libc::EPERM];
            error.raw_os_error().is_some_and(|code| codes.contains(&code))
        };
        match self.folder.rename(part, name, libc::RENAME_NOREPLACE) {
            Err(error) if cannot(&error) => {}
            done => return done,
        }
        match self.folder.link(part, name) {
            Err(error) if cannot(&error) => {}
            done => return done.and_then(|()| self.folder.remove(part)),
        }
        // Neither is supported (some network file systems): an empty file takes the name first and is then replaced.
        self.folder.open_at(name, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW, 0o600)?;
        self.folder.rename(part, name, 0)
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if let Some(part) = &self.name {
            // Our own file, not published; an error leaves only a stray draft.
            let _ = self.folder.remove(part);
        }
    }
}

/// Returns a name that is recognised as plimsoll's, and is free unless by a chance of one in four thousand million.
fn free_name() -> io::Result<OsString> {
    Ok(OsString::from(format!("{PREFIX}{:08x}{SUFFIX}", random_word()?)))
}

fn c_name(name: &OsStr) -> io::Result<CString> {
    CString::new(name.as_bytes()).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn names_in(dir: &Path) -> Vec<String> {
        let names = std::fs::read_dir(dir).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A draft of each kind: without a name, and with a temporary one.
    fn drafts(folder: &Folder) -> [Draft<'_>; 2] {
        [folder.draft(Readers::Owner).unwrap(), folder.named_draft(0o600).unwrap()]
    }

    #[test]
    fn a_draft_takes_no_name_that_something_has_and_then_another() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        std::fs::write(dir.path().join("taken"), "theirs").unwrap();
        std::os::unix::fs::symlink("/nowhere", dir.path().join("link")).unwrap();
        for (number, mut draft) in drafts(&folder).into_iter().enumerate() {
            draft.file().write_all(b"ours").unwrap();
            for name in ["taken", "link"] {
                assert!(folder.has(OsStr::new(name)));
                let error = draft.publish(OsStr::new(name)).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{name}");
            }
            let free = format!("free-{number}");
            draft.publish(OsStr::new(&free)).unwrap();
            drop(draft);
            assert_eq!(std::fs::read_to_string(dir.path().join(&free)).unwrap(), "ours");
        }
        assert_eq!(std::fs::read_to_string(dir.path().join("taken")).unwrap(), "theirs");
        assert_eq!(names_in(dir.path()), ["free-0", "free-1", "link", "taken"]);
    }

    #[test]
    fn a_draft_takes_the_place_of_a_link_and_not_of_what_it_leads_to() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let victim = dir.path().join("victim");
        std::fs::write(&victim, "precious").unwrap();
        for draft in drafts(&folder) {
            std::os::unix::fs::symlink(&victim, dir.path().join("page")).unwrap();
            draft.file().write_all(b"ours").unwrap();
            draft.replace(OsStr::new("page")).unwrap();
            assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
            let mut text = String::new();
            folder.read(OsStr::new("page")).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "ours");
            std::fs::remove_file(dir.path().join("page")).unwrap();
        }
        assert_eq!(names_in(dir.path()), ["victim"]);
    }

    #[test]
    fn a_draft_that_is_dropped_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        drop(drafts(&folder));
        assert!(names_in(dir.path()).is_empty());
    }

    #[test]
    fn a_private_folder_is_open_to_its_owner_alone_and_is_his() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b");
        let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
        Folder::private(&path).unwrap();
        assert_eq!(mode(&path), 0o700);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        Folder::private(&path).unwrap();
        assert_eq!(mode(&path), 0o700, "one of before is closed");
        if effective_user() != 0 {
            return testbed::skipped(testbed::Lack::Root, "only root can give a folder to somebody else");
        }
        std::os::unix::fs::chown(&path, Some(12345), None).unwrap();
        let refused = Folder::private(&path).unwrap_err().to_string();
        assert!(refused.contains("belongs to user 12345") && refused.contains("--out"), "{refused}");
    }

    #[test]
    fn no_link_and_no_folder_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let victim = dir.path().join("victim");
        std::fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, dir.path().join("link")).unwrap();
        assert!(folder.read(OsStr::new("link")).is_err());
        assert!(folder.read(OsStr::new(".")).is_err(), "a folder is no file");
    }
}
