//! The guard: the only maker of permits to write.

mod destruction;
mod hold;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use destruction::Destruction;
pub use hold::{Hold, holds, holds_of_file};

use super::device::{DeviceNumber, is_read_only};
use super::file::{FileKind, OpenError, OwnedTestFile, PREFIX, SUFFIX, kind_of};
use super::mounts::device_of_node;

/// Leave to write to one file or device. Only the guard makes it, and it holds what it was made for open, so that
/// nothing else can take the path's place; a block device stays exclusively ours as long as a clone lives.
#[derive(Clone, Debug)]
pub struct WritePermit {
    anchor: Arc<File>,
    path: PathBuf,
}

impl WritePermit {
    pub(crate) fn anchor(&self) -> BorrowedFd<'_> {
        self.anchor.as_fd()
    }

    /// What it is for.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Devices that the user has named as those whose contents may be destroyed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowDestroy {
    devices: Vec<PathBuf>,
}

impl AllowDestroy {
    /// None.
    pub fn nothing() -> AllowDestroy {
        AllowDestroy::default()
    }

    /// These, by any path that leads to them.
    pub fn devices(devices: impl IntoIterator<Item = PathBuf>) -> AllowDestroy {
        AllowDestroy { devices: devices.into_iter().collect() }
    }

    /// Whether the device with `number` is one of them; a disk does not stand for its partitions nor they for it.
    fn names(&self, number: DeviceNumber) -> bool {
        self.devices.iter().any(|path| device_of_node(path) == Some(number))
    }
}

/// Why the guard gives no permit.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The device was not named.
    #[error(
        "{path}: writing would destroy what is on this device; if that is meant, add --allow-destroy {path}"
    )]
    NotAllowed {
        /// The device.
        path: PathBuf,
    },
    /// The device is in use.
    #[error("{path}: is in use and is never written: {}; release it first", list(.holds))]
    InUse {
        /// The device or file.
        path: PathBuf,
        /// By what.
        holds: Vec<Hold>,
    },
    /// The kernel says that it is in use.
    #[error("{path}: another program or the kernel holds this device exclusively; release it first")]
    Busy {
        /// The device.
        path: PathBuf,
    },
    /// The device refuses writes.
    #[error("{path}: the device is read-only; make it writable (blockdev --setrw) or measure reads alone")]
    ReadOnly {
        /// The device.
        path: PathBuf,
    },
    /// It is not what was asked for.
    #[error("{path}: is no block device")]
    NotABlockDevice {
        /// The path.
        path: PathBuf,
    },
    /// The file was not made by plimsoll.
    #[error("{path}: is only read, since it is not a file of plimsoll's own: {why}")]
    NotOurs {
        /// The path.
        path: PathBuf,
        /// What speaks against it.
        why: &'static str,
    },
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It cannot be looked at.
    #[error("{path}: cannot be read to see what is on it: {source}")]
    Survey {
        /// The device.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
}

fn list(holds: &[Hold]) -> String {
    holds.iter().map(Hold::to_string).collect::<Vec<_>>().join(", ")
}

/// Leave to write to a file of our own that has no name, or a name that this process gave it.
pub fn permit_unnamed(file: &OwnedTestFile) -> WritePermit {
    WritePermit { anchor: file.anchor(), path: file.path().to_owned() }
}

/// Leave to write to a file that an earlier run of plimsoll made: named `.plimsoll-*.tmp`, owned by this user, a
/// regular file with one name, and not a link.
///
/// # Errors
/// [`GuardError::NotOurs`] where any of that does not hold.
pub fn permit_file_of_ours(path: &Path) -> Result<WritePermit, GuardError> {
    let not_ours = |why| GuardError::NotOurs { path: path.to_owned(), why };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !(name.starts_with(PREFIX) && name.ends_with(SUFFIX)) {
        return Err(not_ours("its name is not one that plimsoll gives"));
    }
    let file = open(path, libc::O_NOFOLLOW)?;
    let metadata = file.metadata().map_err(|e| open_error(path, e))?;
    // SAFETY: this call has no arguments and cannot fail.
    let me = unsafe { libc::geteuid() };
    if !metadata.is_file() {
        return Err(not_ours("it is no regular file"));
    }
    if metadata.uid() != me {
        return Err(not_ours("it belongs to another user"));
    }
    if metadata.nlink() > 1 {
        return Err(not_ours("it has more than one name"));
    }
    Ok(WritePermit { anchor: Arc::new(file), path: path.to_owned() })
}

/// Leave to write to a file by its name, as the tools whose command lines are spoken do; it is made where it is
/// missing. A device is taken too, without being named twice, but never one that is in use.
///
/// # Errors
/// [`GuardError::InUse`] where it is mounted, held, swap space or shown by a loop device.
pub fn permit_named_file(path: &Path) -> Result<WritePermit, GuardError> {
    if let Ok(metadata) = std::fs::metadata(path) {
        if kind_of(path, &metadata)? == FileKind::BlockDevice {
            return hold_device(path).map(|(permit, _)| permit);
        }
        refuse_held_file(path)?;
    }
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o644)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)
        .map_err(|e| open_error(path, e))?;
    let metadata = file.metadata().map_err(|e| open_error(path, e))?;
    if kind_of(path, &metadata)? != FileKind::Regular {
        // What stood there was exchanged between the look and the opening.
        return Err(GuardError::Busy { path: path.to_owned() });
    }
    Ok(WritePermit { anchor: Arc::new(file), path: path.to_owned() })
}

fn refuse_held_file(path: &Path) -> Result<(), GuardError> {
    let resolved = path.canonicalize().map_err(|e| open_error(path, e))?;
    let holds = holds_of_file(Path::new("/"), &resolved);
    if holds.is_empty() { Ok(()) } else { Err(GuardError::InUse { path: path.to_owned(), holds }) }
}

/// Leave to write to a block device that `allow` names, and what that will destroy. The device is opened exclusively
/// and stays so; there is one permit a device, and its clones.
///
/// # Errors
/// [`GuardError`]: not named, in use, read-only, or no block device.
pub fn permit_block_device(
    path: &Path,
    allow: &AllowDestroy,
) -> Result<(WritePermit, Destruction), GuardError> {
    let metadata = std::fs::metadata(path).map_err(|e| open_error(path, e))?;
    if !metadata.file_type().is_block_device() {
        return Err(GuardError::NotABlockDevice { path: path.to_owned() });
    }
    if !allow.names(DeviceNumber::from_dev(metadata.rdev())) {
        return Err(GuardError::NotAllowed { path: path.to_owned() });
    }
    let (permit, number) = hold_device(path)?;
    if !allow.names(number) {
        return Err(GuardError::NotAllowed { path: path.to_owned() });
    }
    let destruction = Destruction::survey(path, &permit.anchor, number)
        .map_err(|source| GuardError::Survey { path: path.to_owned(), source })?;
    Ok((permit, destruction))
}

/// What is on a block device, without leave to write to it.
///
/// # Errors
/// [`GuardError`] where it cannot be read.
pub fn survey(path: &Path) -> Result<Destruction, GuardError> {
    let number = device_of_node(path).ok_or_else(|| GuardError::NotABlockDevice { path: path.to_owned() })?;
    let file = File::open(path).map_err(|e| open_error(path, e))?;
    Destruction::survey(path, &file, number)
        .map_err(|source| GuardError::Survey { path: path.to_owned(), source })
}

/// Opens a device exclusively where nobody uses it. Asked twice: before, so that a device in use is not even opened for
/// writing, and after, since only then nobody can take it any more.
fn hold_device(path: &Path) -> Result<(WritePermit, DeviceNumber), GuardError> {
    if let Some(number) = device_of_node(path) {
        refuse_held_device(path, number)?;
    }
    let file = open(path, libc::O_EXCL)?;
    let metadata = file.metadata().map_err(|e| open_error(path, e))?;
    if !metadata.file_type().is_block_device() {
        return Err(GuardError::NotABlockDevice { path: path.to_owned() });
    }
    let number = DeviceNumber::from_dev(metadata.rdev());
    refuse_held_device(path, number)?;
    if is_read_only(file.as_fd()).unwrap_or(false) {
        return Err(GuardError::ReadOnly { path: path.to_owned() });
    }
    Ok((WritePermit { anchor: Arc::new(file), path: path.to_owned() }, number))
}

fn refuse_held_device(path: &Path, number: DeviceNumber) -> Result<(), GuardError> {
    let holds = holds(Path::new("/"), number);
    if holds.is_empty() { Ok(()) } else { Err(GuardError::InUse { path: path.to_owned(), holds }) }
}

fn open(path: &Path, flags: libc::c_int) -> Result<File, GuardError> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(flags | libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)
        .map_err(|e| open_error(path, e))
}

fn open_error(path: &Path, error: io::Error) -> GuardError {
    match error.raw_os_error() {
        Some(libc::EBUSY) => GuardError::Busy { path: path.to_owned() },
        Some(libc::ELOOP) => GuardError::NotOurs { path: path.to_owned(), why: "it is a link" },
        _ => OpenError::from_io(path, super::file::Direct::No, error).into(),
    }
}
