//! What only the kernel knows of: exclusive claims, locks, and files that somebody writes to.

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

/// `fcntl` of <linux/fcntl.h>.
const F_SETSIG: libc::c_int = 10;

/// <linux/magic.h>: file systems whose files are those of another one.
const STACKED: [u32; 3] = [0x794c_7630, 0x6175_6673, 0xf15f];

/// Devices that permits of this process hold exclusively.
static HELD: Mutex<Vec<DeviceNumber>> = Mutex::new(Vec::new());

/// A device that a permit holds exclusively, with the lock on its disk; both end with the value.
#[derive(Debug)]
pub(super) struct Claim {
    number: DeviceNumber,
    /// Open as long as the lock is to be.
    _lock: Option<File>,
}

impl Claim {
    /// Remembers that this process holds the device with `number`, and locks it where it is a whole disk, so that udev
    /// leaves it alone. A lock that somebody shares stays as it is: exclusive ones were asked about before.
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

/// Exclusive claims on what lies below the target. A loop device does not claim what it shows, so that a mount or an
/// array below it is seen by trying alone; a mapping and an array do, and the target itself is tried by opening it.
pub(super) fn claimed(question: &Question<'_>) -> Vec<Hold> {
    let shown = shown_devices(question);
    let claimed = shown.into_iter().filter_map(|extent| claimed_part(question, &extent));
    claimed.map(|number| Hold::Claimed { device: question.storage.name(number) }).collect()
}

/// Ranges of devices that loops of the chain show.
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
    // Who holds the disk keeps everybody from its partitions; who holds a partition keeps them from the disk alone.
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

/// Whether the kernel lets nobody claim the device with `number`. Programs that look at every device (mdadm, a mount that
/// fails) claim it for a moment: what this says counts when it lasts.
fn is_claimed(question: &Question<'_>, number: DeviceNumber) -> bool {
    let opened = question.storage.named(number).open(libc::O_EXCL);
    opened.is_err_and(|error| error.raw_os_error() == Some(libc::EBUSY))
}

/// A device on which the target lies and that cannot be opened to be asked: its node is missing, and this process may not
/// make one, or a control group keeps the device from it.
pub(super) fn unaskable(question: &Question<'_>) -> Option<String> {
    let numbers = shown_devices(question).into_iter().filter_map(|extent| match extent.store {
        Store::Device(number) => Some(question.storage.named(number)),
        _ => None,
    });
    numbers.into_iter().find(|device| device.open(0).is_err()).map(|device| device.name)
}

/// Locks on the disks of the target and of what lies below it. By systemd's convention ("Locking Block Device Access")
/// whoever changes what is on a disk has locked its node exclusively; udev shares the lock while it looks.
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
    // A lock is one of the node, so that no other node will do.
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

/// A file as `/proc/locks` has it.
fn name_among_locks(metadata: &std::fs::Metadata) -> String {
    let DeviceNumber { major, minor } = DeviceNumber::from_dev(metadata.dev());
    format!("{major:02x}:{minor:02x}:{}", metadata.ino())
}

/// Whether a descriptor of this process has the lock: one of its own, or one that it was started with, as by `flock DEVICE
/// plimsoll …`. By the descriptor, since `/proc/locks` names whoever took the lock, who may have gone.
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

/// Who took the lock (flock) on the file that `metadata` is of, by `/proc/locks`.
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

/// Whether a file is open for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// The kernel gave a lease, which it does where nobody writes.
    No,
    /// It refused one.
    Yes,
    /// It does not say.
    Unknown,
}

/// Whether somebody, this process or another or the kernel, has the file at `path`, which `metadata` is of, open for
/// writing or mapped so: the kernel then gives no lease to read. For file systems of this machine alone; servers refuse
/// leases for other reasons.
pub(super) fn is_written(path: &Path, metadata: &std::fs::Metadata) -> Written {
    let file = open_same(path, metadata);
    file.map_or(Written::Unknown, |file| leased(&file, libc::F_RDLCK))
}

/// Whether somebody has the file at `path`, which `metadata` is of, open at all, for reading too, as a read-only loop device
/// has: the kernel then gives no lease to write. `No` is sure but for other names of the same bytes in an overlay.
pub(super) fn is_open(path: &Path, metadata: &std::fs::Metadata) -> Written {
    let file = open_same(path, metadata).filter(|file| !is_stacked(file));
    file.map_or(Written::Unknown, |file| leased(&file, libc::F_WRLCK))
}

fn open_same(path: &Path, metadata: &std::fs::Metadata) -> Option<File> {
    let same = |found: std::fs::Metadata| (found.dev(), found.ino()) == (metadata.dev(), metadata.ino());
    open_node(path, 0).ok().filter(|file| file.metadata().is_ok_and(same))
}

fn is_stacked(file: &File) -> bool {
    file_system_kind(file).map_or(true, |kind| STACKED.contains(&kind))
}

/// Tries a lease of `kind` on an open file.
fn leased(file: &File, kind: libc::c_int) -> Written {
    // A lease that is broken sends a signal, which would end this process if it were the usual one.
    // SAFETY: the descriptor is open during the call; no memory is involved.
    let quiet = check(unsafe { libc::fcntl(file.as_raw_fd(), F_SETSIG, libc::SIGURG) });
    match quiet.and_then(|_| lease(file, kind)) {
        Ok(()) => {
            let _ = lease(file, libc::F_UNLCK);
            Written::No
        }
        Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => Written::Yes,
        Err(_) => Written::Unknown,
    }
}

fn lease(file: &File, kind: libc::c_int) -> io::Result<()> {
    // SAFETY: the descriptor is open during the call; no memory is involved.
    check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, kind) }).map(drop)
}
