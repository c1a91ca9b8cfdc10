//! Uses that only the kernel knows: exclusive claims, locks, and files open for writing.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::footprint::{Below, Extent, touch};
use super::hold::Hold;
use super::node::open_node;
use super::question::Question;
use super::store::Store;
use crate::linux::call::check;
use crate::linux::device::DeviceNumber;
use crate::linux::file::file_system_kind;
use crate::linux::process::Process;

/// `fcntl` command from <linux/fcntl.h>.
const F_SETSIG: libc::c_int = 10;

/// File systems whose files belong to another file system (<linux/magic.h>).
const STACKED: [u32; 3] = [0x794c_7630, 0x6175_6673, 0xf15f];

/// Devices that permits of this process hold exclusively.
static HELD: Mutex<Vec<DeviceNumber>> = Mutex::new(Vec::new());

/// A device that a permit holds exclusively, with the lock on its disk; dropping it releases both.
#[derive(Debug)]
pub(super) struct Claim {
    number: DeviceNumber,
    /// Kept open to keep the lock.
    _lock: Option<File>,
}

impl Claim {
    /// Records that this process holds the device with `number`, and locks it if it is a whole disk, so that udev
    /// leaves it alone. If others share a lock, this process takes none: exclusive locks were looked for before.
    pub(super) fn of(question: &Question<'_>, number: DeviceNumber) -> Claim {
        HELD.lock().unwrap_or_else(PoisonError::into_inner).push(number);
        let is_disk =
            question.storage.block(number).is_some_and(|block| !matches!(block.below, Below::Disk(..)));
        let node = is_disk.then(|| question.storage.named(number).node()).flatten();
        let lock =
            node.and_then(|node| open_node(&node, 0).ok()).filter(|file| flock(file, libc::LOCK_EX).is_ok());
        Claim { number, _lock: lock }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = held.iter().position(|known| *known == self.number) {
            held.swap_remove(at);
        }
    }
}

fn is_held_by_us(number: DeviceNumber) -> bool {
    HELD.lock().unwrap_or_else(PoisonError::into_inner).contains(&number)
}

/// Finds exclusive claims on devices below the target. A loop device does not claim its backing, so a mount or an array
/// below it is found only by trying a claim; mappings and arrays do claim, and opening the target tests the target.
pub(super) fn claimed(question: &Question<'_>) -> Vec<Hold> {
    let shown = shown_devices(question);
    let claimed = shown.into_iter().filter_map(|extent| claimed_part(question, &extent));
    claimed.map(|number| Hold::Claimed { device: question.storage.name(number) }).collect()
}

/// Ranges of devices to which loop devices of the chain are attached.
fn shown_devices(question: &Question<'_>) -> Vec<Extent> {
    let shows = |number: DeviceNumber| {
        question.storage.blocks.iter().any(|block| match &block.below {
            Below::Loop(backing) => {
                question.in_chain(block.number) && backing.stores.contains(&Store::Device(number))
            }
            _ => false,
        })
    };
    let is_shown = |extent: &&Extent| matches!(extent.store, Store::Device(number) if shows(number));
    question.target.iter().filter(is_shown).cloned().collect()
}

/// The device of `extent`, or a partition of it, that somebody else has claimed.
fn claimed_part(question: &Question<'_>, extent: &Extent) -> Option<DeviceNumber> {
    let Store::Device(number) = extent.store else { return None };
    let parts: Vec<_> = question.storage.partitions(number).collect();
    let some_are_ours = parts.iter().any(|part| is_held_by_us(part.number));
    // A holder of the disk blocks claims on it and its partitions; a holder of a partition blocks them only on the disk.
    if is_held_by_us(number) || (!some_are_ours && !is_claimed(question, number)) {
        return None;
    }
    // A claim on a partition shows on its disk, and one on the disk on every partition.
    let foreign = parts.iter().filter(|part| !is_held_by_us(part.number));
    let busy: Vec<_> = foreign.filter(|part| is_claimed(question, part.number)).collect();
    let near = |part: DeviceNumber| {
        touch(&question.storage.footprint(Store::Device(part)), std::slice::from_ref(extent))
    };
    if let Some(part) = busy.iter().find(|part| near(part.number)) {
        return Some(part.number);
    }
    if some_are_ours {
        return None;
    }
    let is_in_use = |part: DeviceNumber| {
        !Question::about(question.root, Store::Device(part), String::new()).listed().is_empty()
    };
    let by_parts = busy.len() < parts.len() || busy.iter().any(|part| is_in_use(part.number));
    (!by_parts).then_some(number)
}

/// Whether the kernel refuses a claim on the device with `number`. Programs that examine every device (mdadm, a mount
/// that fails) claim it for a moment, so only a lasting refusal counts.
fn is_claimed(question: &Question<'_>, number: DeviceNumber) -> bool {
    let opened = question.storage.named(number).open(libc::O_EXCL);
    opened.is_err_and(|error| error.raw_os_error() == Some(libc::EBUSY))
}

/// Returns a device under the target that cannot be opened for checking: its node is missing and this process may not
/// make one, or a control group denies access to the device.
pub(super) fn unaskable(question: &Question<'_>) -> Option<String> {
    let numbers = shown_devices(question).into_iter().filter_map(|extent| match extent.store {
        Store::Device(number) => Some(question.storage.named(number)),
        _ => None,
    });
    numbers.into_iter().find(|device| device.open(0).is_err()).map(|device| device.name)
}

/// Finds locks on the disks of the target and below it. By systemd's convention ("Locking Block Device Access") a
/// program that changes the contents of a disk locks its node exclusively; udev shares the lock while it looks.
pub(super) fn locked(question: &Question<'_>) -> Vec<Hold> {
    let numbers = question.target.iter().filter_map(|extent| match extent.store {
        Store::Device(number) => Some(number),
        _ => None,
    });
    let whole = |number: &DeviceNumber| {
        question.storage.block(*number).is_some_and(|block| !matches!(block.below, Below::Disk(..)))
    };
    numbers.filter(whole).filter_map(|number| locked_by(question, number)).collect()
}

fn locked_by(question: &Question<'_>, number: DeviceNumber) -> Option<Hold> {
    // A lock belongs to the node in /dev, so no other node will do.
    let file = open_node(&question.storage.named(number).node()?, 0).ok()?;
    let refused = flock(&file, libc::LOCK_SH).err()?;
    if refused.raw_os_error() != Some(libc::EWOULDBLOCK) {
        return None;
    }
    let about = file.metadata().ok()?;
    if is_locked_by_us(question.root, &about) {
        return None;
    }
    let process = lock_holder(question.root, &about).map(|pid| Process::read(question.root, pid));
    Some(Hold::Locked { device: question.storage.name(number), process })
}

fn flock(file: &File, how: libc::c_int) -> io::Result<()> {
    // SAFETY: the descriptor is open during the call; no memory is involved.
    check(unsafe { libc::flock(file.as_raw_fd(), how | libc::LOCK_NB) }).map(drop)
}

/// The file's name as in `/proc/locks`.
fn name_among_locks(metadata: &std::fs::Metadata) -> String {
    let DeviceNumber { major, minor } = DeviceNumber::from_dev(metadata.dev());
    format!("{major:02x}:{minor:02x}:{}", metadata.ino())
}

/// Whether a descriptor of this process has the lock: its own, or one inherited, as from `flock DEVICE plimsoll …`.
/// Searched by descriptor, because `/proc/locks` names the process that took the lock, which may have gone.
fn is_locked_by_us(root: &Path, metadata: &std::fs::Metadata) -> bool {
    let file = name_among_locks(metadata);
    let entries = std::fs::read_dir(root.join("proc/self/fdinfo")).into_iter().flatten().flatten();
    let texts = entries.filter_map(|entry| std::fs::read_to_string(entry.path()).ok());
    let is_it = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.first() == Some(&"lock:") && words.contains(&"FLOCK") && words.contains(&file.as_str())
    };
    texts.into_iter().any(|text| text.lines().any(is_it))
}

/// The id of the process that took the lock (flock) on the file that `metadata` describes, from `/proc/locks`.
fn lock_holder(root: &Path, metadata: &std::fs::Metadata) -> Option<u32> {
    let file = name_among_locks(metadata);
    let text = std::fs::read_to_string(root.join("proc/locks")).ok()?;
    text.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [_, "FLOCK", _, "WRITE", pid, of, ..] if *of == file => pid.parse().ok(),
            _ => None,
        }
    })
}

/// The answer to whether a file is open for writing, or at all, as far as a lease shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeaseAnswer {
    /// No: the kernel granted a lease, which it does only if nobody has the file open in that way.
    No,
    /// Yes: the kernel refused a lease.
    Yes,
    /// The kernel does not answer.
    Unknown,
}

/// Whether anybody (this process, another or the kernel) has the file at `path`, which `metadata` describes, open or
/// mapped for writing: the kernel then grants no read lease. Only for file systems of this machine; servers refuse
/// leases for other reasons.
pub(super) fn is_written(path: &Path, metadata: &std::fs::Metadata) -> LeaseAnswer {
    let file = open_same(path, metadata);
    file.map_or(LeaseAnswer::Unknown, |file| leased(&file, libc::F_RDLCK))
}

/// Whether anybody has the file at `path`, which `metadata` describes, open at all, even for reading, as a read-only loop
/// device has: the kernel then grants no write lease. `No` is certain except for other names of the same bytes in an overlay.
pub(super) fn is_open(path: &Path, metadata: &std::fs::Metadata) -> LeaseAnswer {
    let file = open_same(path, metadata).filter(|file| !is_stacked(file));
    file.map_or(LeaseAnswer::Unknown, |file| leased(&file, libc::F_WRLCK))
}

fn open_same(path: &Path, metadata: &std::fs::Metadata) -> Option<File> {
    let same = |found: std::fs::Metadata| (found.dev(), found.ino()) == (metadata.dev(), metadata.ino());
    open_node(path, 0).ok().filter(|file| file.metadata().is_ok_and(same))
}

fn is_stacked(file: &File) -> bool {
    file_system_kind(file).map_or(true, |kind| STACKED.contains(&kind))
}

/// Tries to take a lease of `kind` on an open file, and releases it.
fn leased(file: &File, kind: libc::c_int) -> LeaseAnswer {
    // The signal for a broken lease would by default end this process; SIGURG is ignored.
    // SAFETY: the descriptor is open during the call; no memory is involved.
    let quiet = check(unsafe { libc::fcntl(file.as_raw_fd(), F_SETSIG, libc::SIGURG) });
    match quiet.and_then(|_| lease(file, kind)) {
        Ok(()) => {
            let _ = lease(file, libc::F_UNLCK);
            LeaseAnswer::No
        }
        Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => LeaseAnswer::Yes,
        Err(_) => LeaseAnswer::Unknown,
    }
}

fn lease(file: &File, kind: libc::c_int) -> io::Result<()> {
    // SAFETY: the descriptor is open during the call; no memory is involved.
    check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, kind) }).map(drop)
}
