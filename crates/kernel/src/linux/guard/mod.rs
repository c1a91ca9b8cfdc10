//! The guard: the only maker of permits to write.
//!
//! # The question
//!
//! The guard asks about the storage, not about the name. A device or file is written only if nobody else uses any
//! sector of it, by whatever route:
//!
//! 1. The *footprint* of the target is computed: its own range of bytes, and every range below: from a partition to its
//!    disk, from a loop device to its backing (by device and inode, as the kernel reports them, and offset), from a mapping
//!    or an array to its members. It ends at a file, because files normally lie in a mounted file system. Which part of a
//!    member a mapping uses is left to the mapping: two logical volumes on one disk do not conflict.
//! 2. Everything in use has a footprint: mounts in any mount namespace with a process in it, swap space, devices under
//!    mappings, arrays and other loop devices, and files and devices that another process has open for writing. A use
//!    that shares a sector with the target is a [`Hold`]. A partition beside the target shares none, nor does a loop
//!    device on another range of the same file.
//! 3. The kernel is asked about uses that it does not list: every device to which a loop device of the chain is
//!    attached is claimed for a moment (`O_EXCL`), the disks of the chain are checked for an exclusive lock (`flock`,
//!    the convention of systemd), and a lease is tried on a file, which the kernel does not grant while anybody writes
//!    to it.
//!
//! Any use outside the one chain up to the target is a hold, whatever was allowed. Of this process, only uses through
//! its own permit are exempt, so that a lab volume can put one loop device on another.
//!
//! A device is checked before it is opened, so that one in use is not even opened for writing, and again through the
//! open descriptor, because a link may have been changed in between. Programs that examine every disk open it for a
//! moment, so another opener counts only after half a second.
//!
//! "Could not look" never counts as "is something else". A loop device is asked even if `/dev` lacks its node
//! ([`node`]); one that may not be asked is compared by name, and is a hold if it may be attached to the target.
//! Without `/sys`, or if anything below the target cannot be opened, there is no permit.
//!
//! Not visible: processes of other users (without root) and of other machines that share the disk; a descriptor that no
//! process shows and that does not write while the permit is made ([`activity`]); a layer of an overlay whose path
//! leads nowhere here ([`overlay`]).

mod activity;
mod backing;
mod claims;
mod destruction;
mod file_question;
mod footprint;
mod hold;
mod mappings;
mod node;
mod overlay;
pub(super) mod permit;
mod question;
mod served;
mod store;
mod writers;

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use destruction::Destruction;
use destruction::LookedFor;
pub use hold::Hold;
pub use permit::WritePermit;
pub(crate) use question::holds_of_open_file;
pub use question::{holds, holds_of_file};

use super::device::{DeviceNumber, is_read_only};
use super::file::{FileKind, OpenError, OwnedTestFile, PREFIX, SUFFIX, kind_of};
use super::mounts::device_of_node;
use claims::Claim;
use file_question::FileQuestion;
use question::Question;
use store::Store;

/// Pauses between checks for other openers of the target, half a second in all: uneven, so that not every check
/// coincides with a program that opens it periodically.
const PAUSES_MS: [u64; 6] = [10, 25, 55, 90, 130, 190];

/// Devices whose contents the user has allowed to be destroyed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowDestroy {
    devices: Vec<PathBuf>,
}

impl AllowDestroy {
    /// These devices, by any path that leads to them.
    pub fn devices(devices: impl IntoIterator<Item = PathBuf>) -> AllowDestroy {
        AllowDestroy { devices: devices.into_iter().collect() }
    }

    /// Whether the device with `number` is named; naming a disk does not name its partitions, nor the reverse.
    fn names(&self, number: DeviceNumber) -> bool {
        self.devices.iter().any(|path| device_of_node(path) == Some(number))
    }
}

/// Why the guard gives no permit.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The user did not name the device.
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
        /// The uses that forbid writing.
        holds: Vec<Hold>,
    },
    /// The kernel reports that the device is in use.
    #[error("{path}: another program or the kernel holds this device exclusively; release it first")]
    Busy {
        /// The device.
        path: PathBuf,
    },
    /// The users of the device or file cannot be determined.
    #[error("{path}: is not written, since what lies below it cannot be seen: {why}")]
    Blind {
        /// The device or file.
        path: PathBuf,
        /// The reason, and the remedy.
        why: String,
    },
    /// The device refuses writes.
    #[error("{path}: the device is read-only; make it writable (blockdev --setrw) or measure reads alone")]
    ReadOnly {
        /// The device.
        path: PathBuf,
    },
    /// The path does not lead to a block device.
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
        /// The reason why it cannot be one.
        why: &'static str,
    },
    /// The device or file cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The contents of the device cannot be read.
    #[error("{path}: cannot be read to see what is on it: {source}")]
    Survey {
        /// The device.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
}

fn list(holds: &[Hold]) -> String {
    holds.iter().map(Hold::to_string).collect::<Vec<_>>().join(", ")
}

/// Permits writing to a temporary file that has no name, or a name that this process gave it.
pub fn permit_unnamed(file: &OwnedTestFile) -> WritePermit {
    WritePermit::of_file(file.anchor(), file.path())
}

/// Permits writing to a file that an earlier run of plimsoll made: named `.plimsoll-*.tmp`, owned by this user, a
/// regular file with one name, and not a link.
///
/// # Errors
/// [`GuardError::NotOurs`] if any of these conditions is not met.
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
    Ok(WritePermit::of_file(Arc::new(file), path))
}

/// Permits writing to a file by its name, as the tools do whose command lines plimsoll accepts; makes it if it is
/// missing. A device is accepted too, without being named twice, but never one that is in use.
///
/// # Errors
/// [`GuardError::InUse`] if anybody uses a byte of the file.
pub fn permit_named_file(path: &Path) -> Result<WritePermit, GuardError> {
    let seen = std::fs::metadata(path).ok();
    if let Some(metadata) = &seen
        && kind_of(path, metadata)? == FileKind::BlockDevice
    {
        return surveyed(hold_device(path)?, LookedFor::Marks);
    }
    let before = seen.as_ref().map(|metadata| FileQuestion::before_opening(path, metadata));
    if before.is_none()
        && let Ok(file) = for_writing().create_new(true).open(path)
    {
        // A file that this process creates belongs to nobody else.
        return Ok(WritePermit::of_file(Arc::new(file), path));
    }
    let file = for_writing().create(true).open(path).map_err(|e| open_error(path, e))?;
    let metadata = file.metadata().map_err(|e| open_error(path, e))?;
    if kind_of(path, &metadata)? != FileKind::Regular {
        // The file was replaced between the check and the open.
        return Err(GuardError::Busy { path: path.to_owned() });
    }
    let same = before.filter(|before| before.is_about(&metadata));
    same.unwrap_or_else(|| FileQuestion::of_open(path, &metadata)).refuse_if_used(path)?;
    Ok(WritePermit::of_file(Arc::new(file), path))
}

fn for_writing() -> OpenOptions {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    OpenOptions::new().read(true).write(true).truncate(false).mode(0o644).custom_flags(flags).clone()
}

/// Permits writing to a block device that `allow` names, and describes what that will destroy. The device is opened
/// exclusively and stays so; a device has only one permit and its clones.
///
/// # Errors
/// [`GuardError`] if the device is not named, is in use or read-only, or is not a block device.
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
    let held = hold_device(path)?;
    if !allow.names(held.number) {
        return Err(GuardError::NotAllowed { path: path.to_owned() });
    }
    let permit = surveyed(held, LookedFor::AnyData)?;
    let destruction =
        permit.destruction().cloned().ok_or_else(|| GuardError::Busy { path: path.to_owned() })?;
    Ok((permit, destruction))
}

/// A device opened exclusively, for which no permit has been handed out yet.
struct ExclusiveDevice {
    permit: WritePermit,
    number: DeviceNumber,
    /// The write counters at the time of opening.
    look: activity::Look,
}

/// Surveys the contents of the device, and checks whether anybody writes to it meanwhile.
fn surveyed(device: ExclusiveDevice, looked_for: LookedFor) -> Result<WritePermit, GuardError> {
    let ExclusiveDevice { permit, number, look } = device;
    let destruction = Destruction::survey(&permit.path, (&permit.anchor, number), looked_for)
        .map_err(|source| GuardError::Survey { path: permit.path.clone(), source })?;
    let mut holds = look.and_again(&destruction.name);
    if !holds.is_empty() {
        // Page-cache writeback left by a process that has gone; force it out and look again.
        permit.anchor.sync_data().map_err(|e| open_error(&permit.path, e))?;
        holds = activity::Look::at(number).and_again(&destruction.name);
    }
    refuse(&permit.path, holds)?;
    Ok(WritePermit { destruction: Some(Arc::new(destruction)), ..permit })
}

/// Describes the contents of a block device, without permitting writes.
///
/// # Errors
/// [`GuardError`] if the device cannot be read.
pub fn survey(path: &Path) -> Result<Destruction, GuardError> {
    let number = device_of_node(path).ok_or_else(|| GuardError::NotABlockDevice { path: path.to_owned() })?;
    let file = File::open(path).map_err(|e| open_error(path, e))?;
    Destruction::survey(path, (&file, number), LookedFor::AnyData)
        .map_err(|source| GuardError::Survey { path: path.to_owned(), source })
}

/// Opens a device exclusively if nobody uses it. The device is checked before, so that a device in use is not even
/// opened for writing, and after, because only then can nobody else take it.
fn hold_device(path: &Path) -> Result<ExclusiveDevice, GuardError> {
    let number = device_of_node(path).ok_or_else(|| GuardError::NotABlockDevice { path: path.to_owned() })?;
    let question = Question::about(Path::new("/"), Store::Device(number), String::new());
    refuse_if_blind(path, &question)?;
    refuse(path, question.listed())?;
    let file = open_exclusively(path, &question)?;
    let metadata = file.metadata().map_err(|e| open_error(path, e))?;
    if !metadata.file_type().is_block_device() {
        return Err(GuardError::NotABlockDevice { path: path.to_owned() });
    }
    let number = DeviceNumber::from_dev(metadata.rdev());
    let question = refuse_if_used(path, &metadata)?;
    if is_read_only(file.as_fd()).unwrap_or(false) {
        return Err(GuardError::ReadOnly { path: path.to_owned() });
    }
    let claim = Some(Arc::new(Claim::of(&question, number)));
    let permit =
        WritePermit { anchor: Arc::new(file), path: path.to_owned(), _claim: claim, destruction: None };
    Ok(ExclusiveDevice { permit, number, look: activity::Look::at(number) })
}

/// Opens a device exclusively, with retries: a program that tests for a claim holds one for a moment, and so does a
/// process between its fork and its exec. Only a claim that lasts half a second counts.
fn open_exclusively(path: &Path, question: &Question<'_>) -> Result<File, GuardError> {
    let mut opened = open(path, libc::O_EXCL);
    if matches!(opened, Err(GuardError::Busy { .. })) {
        writers::let_children_begin(question);
    }
    for pause in PAUSES_MS {
        if !matches!(opened, Err(GuardError::Busy { .. })) {
            break;
        }
        std::thread::sleep(Duration::from_millis(pause));
        opened = open(path, libc::O_EXCL);
    }
    opened
}

/// Refuses the open file or device that `metadata` describes if anybody else uses a byte of it.
fn refuse_if_used(path: &Path, metadata: &Metadata) -> Result<Question<'static>, GuardError> {
    let question = Question::about_open(path, metadata);
    refuse_if_blind(path, &question)?;
    refuse(path, question.listed())?;
    let asked =
        || [claims::claimed(&question), claims::locked(&question), writers::writers(&question)].concat();
    refuse(path, lasting(asked))?;
    Ok(question)
}

/// Returns what `ask` still finds after half a second; nothing as soon as it finds nothing.
fn lasting<T>(ask: impl Fn() -> Vec<T>) -> Vec<T> {
    let mut found = ask();
    for pause in PAUSES_MS {
        if found.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(pause));
        found = ask();
    }
    found
}

fn refuse_if_blind(path: &Path, question: &Question<'_>) -> Result<(), GuardError> {
    question.blind().map_or(Ok(()), |why| Err(GuardError::Blind { path: path.to_owned(), why }))
}

fn refuse(path: &Path, holds: Vec<Hold>) -> Result<(), GuardError> {
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
