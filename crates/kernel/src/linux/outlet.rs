//! The only way to open an output that the user named: resolved by the kernel, checked before any byte is changed.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::call::{check, retry};
use super::file::file_system_kind;
use super::folder::effective_user;
use super::guard::{self, Hold};

/// The treatment of a name that is a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Follow the link, if the kernel lets this process.
    Followed,
    /// Refuse the link.
    Refused,
}

/// Why a file is not opened for output.
#[derive(Debug, thiserror::Error)]
pub enum OutletError {
    /// Writing to the file would destroy data or have unwanted effects.
    #[error("it is {0}, and no result is written to one")]
    Kind(&'static str),
    /// The name is a link, and links are not to be followed.
    #[error("it is a link, and this is not written through one")]
    Link,
    /// The name is a link made by another user, who must not choose what is overwritten.
    #[error("it is, or leads through, a link of user {0} in a folder where everybody may write")]
    ForeignLink(u32),
    /// The bytes of the file belong to a device that is in use.
    #[error("it is in use, and no result is written to it: {0}")]
    InUse(Hold),
    /// A pipe without a reader.
    #[error("it is a pipe that nobody reads; start its reader first")]
    NoReader,
    /// The kernel's error.
    #[error("{0}")]
    System(#[from] io::Error),
}

impl OutletError {
    /// The system's error number for this error.
    pub fn errno(&self) -> i32 {
        match self {
            OutletError::Kind(_) => libc::EINVAL,
            OutletError::Link => libc::ELOOP,
            OutletError::ForeignLink(_) => libc::EACCES,
            OutletError::InUse(_) => libc::EBUSY,
            OutletError::NoReader => libc::ENXIO,
            OutletError::System(error) => error.raw_os_error().unwrap_or(libc::EIO),
        }
    }

    /// Whether plimsoll refuses a file that the kernel would open.
    pub fn is_refusal(&self) -> bool {
        !matches!(self, OutletError::System(_))
    }
}

impl From<OutletError> for io::Error {
    fn from(error: OutletError) -> io::Error {
        match error {
            OutletError::System(error) => error,
            refused => io::Error::new(io::ErrorKind::InvalidInput, refused),
        }
    }
}

/// A file opened for output. None of its bytes has been changed.
#[derive(Debug)]
pub struct Outlet {
    /// The open file, positioned at its first byte; writes block as for any file.
    pub file: File,
    /// The file's metadata.
    pub about: Metadata,
    /// Whether this call created it.
    pub made: bool,
}

/// Longest time for which a pipe may lack a reader, or another process may hold a lease on a file, without an error.
const PATIENCE: Duration = Duration::from_secs(1);
/// Pause between attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// Opens the file at `path` for output, and for reading too if permitted; makes an empty file if there is none. The
/// kernel resolves the path, so its rules about links and other users' files in world-writable folders apply. The file
/// is checked before opening, because opening a device can have effects, and again after.
///
/// # Errors
/// [`OutletError`]: a block device, by any name; a character device other than a terminal, `/dev/null`, `/dev/full` and
/// those on stdout or stderr; a socket; a folder; a file that is swap space or to which a loop device is attached; a
/// file that the kernel generates (/proc, /sys); another user's link in a sticky folder, whatever
/// `fs.protected_symlinks` says; and any error of the kernel.
pub fn open_outlet(path: &Path, links: Links) -> Result<Outlet, OutletError> {
    if links == Links::Refused && path.is_symlink() {
        return Err(OutletError::Link);
    }
    refuse_foreign_links(path)?;
    // A path that is not a link now must not become one before the open.
    let links = if path.is_symlink() { links } else { Links::Refused };
    let there = match std::fs::metadata(path) {
        Ok(about) => Some(refuse_kinds(about)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    let file = opened(path, links, there.as_ref())?;
    // Detects a file that was swapped in since the first check.
    let about = refuse_kinds(file.metadata()?)?;
    match about.is_file() {
        true => refuse_storage((path, &about), &file)?,
        false => wait_as_usual(&file)?,
    }
    let made = there.is_none() && about.is_file() && about.len() == 0;
    Ok(Outlet { file, about, made })
}

/// Refuses a file whose bytes belong to a device or swap space, and a file that is a setting of the kernel.
fn refuse_storage((path, about): (&Path, &Metadata), file: &File) -> Result<(), OutletError> {
    if is_kernels(file)? {
        return Err(OutletError::Kind("a file of the kernel's own"));
    }
    // An empty file has nothing to lose, and most outputs are new.
    if about.len() == 0 {
        return Ok(());
    }
    let uses = guard::holds_of_open_file(path, about).into_iter();
    // A loop device that does not report its backing is no reason to refuse: hardly any output file is a backing file.
    let mut sure = uses.filter(|hold| !matches!(hold, Hold::Silent { .. }));
    sure.next().map_or(Ok(()), |hold| Err(OutletError::InUse(hold)))
}

/// Whether the kernel generates the content of an open file (/proc, /sys and the like).
fn is_kernels(file: &File) -> io::Result<bool> {
    // <linux/magic.h>: proc, sysfs, control groups of both versions, debugfs, tracefs, securityfs, configfs, bpf, efivarfs,
    // pstore, selinuxfs, binfmt_misc.
    const KERNELS: [u32; 13] = [
        0x9fa0,
        0x6265_6572,
        0x0027_e0eb,
        0x6367_7270,
        0x6462_6720,
        0x7472_6163,
        0x7363_6673,
        0x6265_6570,
        0xcafe_4a11,
        0xde5e_81e4,
        0x6165_676c,
        0xf97c_ff8c,
        0x4249_4e4d,
    ];
    Ok(KERNELS.contains(&file_system_kind(file)?))
}

/// Refuses the link at `path`, any link on the way there, and any that these lead to, if another user made it in a
/// world-writable folder: as the kernel does at the end of a path with `fs.protected_symlinks`, which is not set on
/// every machine.
///
/// # Errors
/// `ForeignLink`, or the kernel's error about a folder on the way.
pub fn refuse_foreign_links(path: &Path) -> Result<(), OutletError> {
    refuse_links_of_others(path, LINKS_MOST)
}

/// The number of links that the kernel follows; beyond it, the kernel itself reports the error.
const LINKS_MOST: u32 = 40;

fn refuse_links_of_others(path: &Path, left: u32) -> Result<(), OutletError> {
    let Some(left) = left.checked_sub(1) else { return Ok(()) };
    let mut at = PathBuf::new();
    // Components drop a slash at the end, which would lead to the target of the link.
    for part in path.components() {
        let folder = if at.as_os_str().is_empty() { Path::new(".") } else { &at }.to_owned();
        at.push(part);
        match std::fs::symlink_metadata(&at) {
            Ok(link) if link.is_symlink() => {
                refuse_link_of_others(&folder, link.uid())?;
                refuse_links_of_others(&folder.join(std::fs::read_link(&at)?), left)?;
            }
            Ok(_) => {}
            // The open that follows reports the error.
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}

fn refuse_link_of_others(folder: &Path, owner: u32) -> Result<(), OutletError> {
    let about = std::fs::metadata(folder)?;
    let for_everybody = about.mode() & EVERYBODYS == EVERYBODYS;
    match for_everybody && owner != effective_user() && owner != about.uid() {
        true => Err(OutletError::ForeignLink(owner)),
        false => Ok(()),
    }
}

/// Mode of a folder in which everybody may write but only owners may remove a file.
const EVERYBODYS: u32 = libc::S_ISVTX | libc::S_IWOTH;

/// Refuses the kinds of file that no result is written to.
fn refuse_kinds(about: Metadata) -> Result<Metadata, OutletError> {
    let kind = about.file_type();
    let kinds = [
        (kind.is_block_device(), "a block device"),
        (kind.is_char_device() && !takes_text(about.rdev()), "a device"),
        (kind.is_socket(), "a socket"),
        (kind.is_dir(), "a folder"),
    ];
    match kinds.into_iter().find(|(is_it, _)| *is_it) {
        Some((_, what)) => Err(OutletError::Kind(what)),
        None => Ok(about),
    }
}

/// Whether the character device of this number is meant to be written to: `/dev/null`, `/dev/full`, a terminal, or a
/// device to which this process prints.
fn takes_text(number: u64) -> bool {
    let (major, minor) = (libc::major(number), libc::minor(number));
    let ours = [number_behind(io::stdout().as_fd()), number_behind(io::stderr().as_fd())];
    // Documentation/admin-guide/devices.txt: memory devices, virtual consoles, /dev/tty, pseudoterminals.
    matches!((major, minor), (1, 3 | 7) | (4, 0..=63) | (5, 0 | 1) | (136..=143, _))
        || ours.contains(&Some(number))
}

/// Returns the number of the character device that a descriptor refers to.
fn number_behind(fd: BorrowedFd<'_>) -> Option<u64> {
    let about = File::from(fd.try_clone_to_owned().ok()?).metadata().ok()?;
    about.file_type().is_char_device().then(|| about.rdev())
}

/// Opens the path without blocking in the kernel: a pipe without a reader, or a file that another process has leased,
/// is tried again until [`PATIENCE`] has passed.
fn opened(path: &Path, links: Links, there: Option<&Metadata>) -> Result<File, OutletError> {
    let until = Instant::now() + PATIENCE;
    let mut opened = open_once(path, links, there);
    while Instant::now() < until && opened.as_ref().is_err_and(|error| has_errno(error, &LATER)) {
        std::thread::sleep(PAUSE);
        opened = open_once(path, links, there);
    }
    let is_pipe = there.is_some_and(|there| there.file_type().is_fifo());
    opened.map_err(|error| match error {
        error if is_pipe && has_errno(&error, &LATER) => OutletError::NoReader,
        error if links == Links::Refused && has_errno(&error, &[libc::ELOOP]) => OutletError::Link,
        error => error.into(),
    })
}

/// Kernel errors after which the file may open a moment later.
const LATER: [i32; 2] = [libc::ENXIO, libc::EWOULDBLOCK];

fn has_errno(error: &io::Error, codes: &[i32]) -> bool {
    error.raw_os_error().is_some_and(|code| codes.contains(&code))
}

fn open_once(path: &Path, links: Links, there: Option<&Metadata>) -> io::Result<File> {
    let no_link = if links == Links::Refused { libc::O_NOFOLLOW } else { 0 };
    let mut options = std::fs::OpenOptions::new();
    // As a shell does for `>`: the case that fs.protected_regular and fs.protected_fifos check.
    options.write(true).create(true).truncate(false);
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | no_link);
    // A file is opened for reading too, to examine its content. A pipe opened for reading would never lack a reader.
    if there.is_none_or(Metadata::is_file) {
        match options.clone().read(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            opened => return opened,
        }
    }
    options.open(path)
}

/// Makes writes block again until the kernel accepts them.
fn wait_as_usual(file: &File) -> io::Result<()> {
    let fd = file.as_raw_fd();
    // SAFETY: the descriptor is open, and the call takes no pointer.
    let flags = retry(|| check(unsafe { libc::fcntl(fd, libc::F_GETFL) }))?;
    // SAFETY: as before.
    retry(|| check(unsafe { libc::fcntl(fd, libc::F_SETFL, flags & !libc::O_NONBLOCK) })).map(drop)
}

impl Outlet {
    /// Removes the file if this call created it and it is still empty, so that a mere check leaves nothing behind.
    pub fn unmake(self) {
        let path = PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()));
        let is_it =
            |now: Metadata| (now.dev(), now.ino(), now.len()) == (self.about.dev(), self.about.ino(), 0);
        if let (true, Ok(real)) = (self.made, std::fs::read_link(path))
            && std::fs::symlink_metadata(&real).is_ok_and(is_it)
        {
            // If another process removed it first, the result is the same.
            let _ = std::fs::remove_file(real);
        }
    }

    /// Returns the file; a regular file is emptied.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn emptied(self) -> io::Result<File> {
        if self.about.is_file() {
            self.file.set_len(0)?;
        }
        Ok(self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::fs::{PermissionsExt, lchown, symlink};
    use std::os::unix::net::UnixListener;

    fn refused(path: &Path) -> String {
        match open_outlet(path, Links::Followed) {
            Err(error) if error.is_refusal() => error.to_string(),
            other => panic!("{}: {other:?}", path.display()),
        }
    }

    #[test]
    fn a_file_is_opened_with_what_it_holds_and_a_new_one_is_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        std::fs::write(&old, "of before").unwrap();
        let outlet = open_outlet(&old, Links::Followed).unwrap();
        assert!(!outlet.made);
        outlet.unmake();
        assert_eq!(std::fs::read_to_string(&old).unwrap(), "of before");
        drop(open_outlet(&old, Links::Followed).unwrap().emptied().unwrap());
        assert_eq!(std::fs::read_to_string(&old).unwrap(), "");
        open_outlet(&new, Links::Followed).unwrap().unmake();
        assert!(!new.exists());
        // The same file through a link whose target does not exist yet.
        symlink(&new, dir.path().join("link")).unwrap();
        let outlet = open_outlet(&dir.path().join("link"), Links::Followed).unwrap();
        assert!(outlet.made && new.exists());
        outlet.unmake();
        assert!(!new.exists());
    }

    #[test]
    fn sockets_folders_and_devices_are_no_place_and_null_is() {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("socket");
        drop(UnixListener::bind(&socket).unwrap());
        for (path, kind) in
            [(socket.as_path(), "a socket"), (dir.path(), "a folder"), (Path::new("/dev/zero"), "a device")]
        {
            assert!(refused(path).contains(kind), "{}", refused(path));
            let link = dir.path().join("link");
            symlink(path, &link).unwrap();
            assert!(refused(&link).contains(kind), "{}", refused(&link));
            std::fs::remove_file(link).unwrap();
        }
        assert!(!open_outlet(Path::new("/dev/null"), Links::Followed).unwrap().made);
    }

    #[test]
    fn settings_of_the_kernel_and_files_that_a_loop_device_shows_are_no_place() {
        assert!(refused(Path::new("/proc/self/comm")).contains("of the kernel's own"));
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let image = dir.path().join("image");
        std::fs::write(&image, [7; 65536]).unwrap();
        assert!(open_outlet(&image, Links::Followed).is_ok());
        let Some(device) = testbed::LoopOver::with(&image, &[]) else { return };
        assert!(refused(&image).contains("is attached to"), "{}", device.path().display());
        assert_eq!(std::fs::read(&image).unwrap(), [7; 65536]);
    }

    #[test]
    fn a_pipe_without_a_reader_is_not_waited_for_and_one_with_a_reader_waits_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(refused(&pipe).contains("nobody reads"));
        let reader = {
            let pipe = pipe.clone();
            std::thread::spawn(move || {
                let mut all = Vec::new();
                File::open(pipe).unwrap().read_to_end(&mut all).unwrap();
                all.len()
            })
        };
        let mut outlet = open_outlet(&pipe, Links::Followed).unwrap();
        // More than the capacity of a pipe.
        outlet.file.write_all(&[7; 1 << 20]).unwrap();
        drop(outlet);
        assert_eq!(reader.join().unwrap(), 1 << 20);
    }

    #[test]
    fn a_link_is_followed_where_that_is_asked_and_no_strangers_in_a_folder_for_everybody() {
        let dir = tempfile::tempdir().unwrap();
        let (victim, link) = (dir.path().join("victim"), dir.path().join("link"));
        std::fs::write(&victim, "precious").unwrap();
        symlink(&victim, &link).unwrap();
        assert!(matches!(open_outlet(&link, Links::Refused), Err(OutletError::Link)));
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o1777)).unwrap();
        assert!(open_outlet(&link, Links::Followed).is_ok(), "one's own");
        if effective_user() != 0 {
            return testbed::skipped(testbed::Lack::Root, "only root can give a link to somebody else");
        }
        lchown(&link, Some(12_345), None).unwrap();
        assert!(matches!(open_outlet(&link, Links::Followed), Err(OutletError::ForeignLink(12_345))));
        // The link is also refused if this user's own link leads to it.
        let other = tempfile::tempdir().unwrap();
        symlink(&link, other.path().join("a")).unwrap();
        assert!(refuse_foreign_links(&link.join("")).is_err(), "with a slash at its end too");
        assert!(refused(&other.path().join("a")).contains("user 12345"));
        // The link is also refused as a folder on the way.
        std::fs::remove_file(&link).unwrap();
        symlink(other.path(), &link).unwrap();
        assert!(open_outlet(&link.join("new"), Links::Followed).is_ok(), "one's own");
        lchown(&link, Some(12_345), None).unwrap();
        assert!(refused(&link.join("new")).contains("user 12345"));
        assert!(refused(&link.join("..").join("new")).contains("user 12345"));
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
    }
}
