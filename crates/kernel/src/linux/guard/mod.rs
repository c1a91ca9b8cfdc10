//! The guard: the only maker of permits to write.
//!
//! # The question
//!
//! The guard asks about the storage, not about the name. A device or file is written only where nobody else uses one
//! sector of it, however they came by it:
//!
//! 1. The *footprint* of the target is made: the range of bytes that it is, and every range below that, from a partition
//!    to its disk, from a loop device to what it shows (by device and inode, as the kernel tells them, with its offset),
//!    from a mapping or an array to its members. It ends at a file: that a file lies in a mounted file system is the usual
//!    case. What a mapping uses of a member is left to the mapping: two logical volumes of a disk are not each other's.
//! 2. Whatever is in use has a footprint of its own: what is mounted in any mount namespace that a process of this machine
//!    is in, swap space, what mappings, arrays and other loop devices stand on, and what another process has open for
//!    writing. Where it shares a sector with the target's, that use is a [`Hold`]. A partition beside the target shares
//!    none, nor does a loop device on another range of the same file.
//! 3. The kernel is asked what it does not list: every device that a loop of the chain shows is claimed for a moment
//!    (`O_EXCL`), the disks of the chain are looked at for an exclusive lock (`flock`, the convention of systemd), and of a
//!    file a lease is tried, which is not given while anybody writes to it.
//!
//! Anything but the one chain up to the target is a hold, whatever was allowed. Of this process only what a permit of
//! its own holds is left out, which is how a lab volume puts one loop device on another.
//!
//! A device is asked about before it is opened, so that one in use is not even opened for writing, and everything is
//! asked again of the descriptor that was opened, since a link may have been changed between the two. Programs that look
//! at every disk open it for a moment: who has it open is asked for half a second before that is a refusal.
//!
//! "Could not look" is never "is something else". A loop device is asked also where `/dev` lacks its node ([`node`]); one
//! that may not be asked is compared by its name, and is a hold where it may be the target. Without `/sys`, or with
//! something below the target that cannot be opened, there is no permit.
//!
//! What cannot be seen: processes of other users (without root) and of other machines that share the disk; a descriptor
//! that no process shows and that does not write while the permit is made ([`activity`]); a layer of an overlay whose
//! path leads nowhere here ([`overlay`]).

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

/// How far apart it is asked who has the target open, half a second in all: unevenly, so that whoever opens it again and
/// again is not met each time.
const PAUSES_MS: [u64; 6] = [10, 25, 55, 90, 130, 190];

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
    /// It cannot be known who uses it.
    #[error("{path}: is not written, since what lies below it cannot be seen: {why}")]
    Blind {
        /// The device or file.
        path: PathBuf,
        /// What stands in the way, and what to do.
        why: String,
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
    WritePermit::of_file(file.anchor(), file.path())
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
    Ok(WritePermit::of_file(Arc::new(file), path))
}

/// Leave to write to a file by its name, as the tools whose command lines are spoken do; it is made where it is
/// missing. A device is taken too, without being named twice, but never one that is in use.
///
/// # Errors
/// [`GuardError::InUse`] where anybody uses a byte of it.
pub fn permit_named_file(path: &Path) -> Result<WritePermit, GuardError> {
    let seen = std::fs::metadata(path).ok();
    if let Some(metadata) = &seen
        && kind_of(path, metadata)? == FileKind::BlockDevice
    {
        return hold_device(path).and_then(surveyed);
    }
    let before = seen.as_ref().map(|metadata| FileQuestion::before_opening(path, metadata));
    if before.is_none()
        && let Ok(file) = for_writing().create_new(true).open(path)
    {
        // A file that is made here is nobody else's.
        return Ok(WritePermit::of_file(Arc::new(file), path));
    }
    let file = for_writing().create(true).open(path).map_err(|e| open_error(path, e))?;
    let metadata = file.metadata().map_err(|e| open_error(path, e))?;
    if kind_of(path, &metadata)? != FileKind::Regular {
        // What stood there was exchanged between the look and the opening.
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
    let held = hold_device(path)?;
    if !allow.names(held.number) {
        return Err(GuardError::NotAllowed { path: path.to_owned() });
    }
    let permit = surveyed(held)?;
    let destruction =
        permit.destruction().cloned().ok_or_else(|| GuardError::Busy { path: path.to_owned() })?;
    Ok((permit, destruction))
}

/// A device that is ours and not given yet.
struct Held {
    permit: WritePermit,
    number: DeviceNumber,
    /// What had been written to it by then.
    look: activity::Look,
}

/// Sees what is on the device, and whether anybody writes to it meanwhile.
fn surveyed(Held { permit, number, look }: Held) -> Result<WritePermit, GuardError> {
    let destruction = Destruction::survey(&permit.path, &permit.anchor, number)
        .map_err(|source| GuardError::Survey { path: permit.path.clone(), source })?;
    let mut holds = look.and_again(&destruction.name);
    if !holds.is_empty() {
        // What the page cache still had to write, of somebody who has gone, is written now.
        permit.anchor.sync_data().map_err(|e| open_error(&permit.path, e))?;
        holds = activity::Look::at(number).and_again(&destruction.name);
    }
    refuse(&permit.path, holds)?;
    Ok(WritePermit { destruction: Some(Arc::new(destruction)), ..permit })
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
fn hold_device(path: &Path) -> Result<Held, GuardError> {
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
    Ok(Held { permit, number, look: activity::Look::at(number) })
}

/// Whoever asks whether a device is claimed holds it for a moment, and so does a process between its fork and its program:
/// what lasts half a second is a claim.
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

/// Refuses the open file or device that `metadata` is of where anybody else uses a byte of it.
fn refuse_if_used(path: &Path, metadata: &Metadata) -> Result<Question<'static>, GuardError> {
    let question = Question::about_open(path, metadata);
    refuse_if_blind(path, &question)?;
    refuse(path, question.listed())?;
    let asked =
        || [claims::claimed(&question), claims::locked(&question), writers::writers(&question)].concat();
    refuse(path, lasting(asked))?;
    Ok(question)
}

/// What `ask` still says after half a second; nothing as soon as it says nothing.
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
