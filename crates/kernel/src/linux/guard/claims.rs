//! What only the kernel knows of: exclusive claims, locks, and files that somebody writes to.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::footprint::{Below, Extent, touch};
use super::hold::Hold;
use super::question::Question;
use super::store::Store;
use crate::linux::call::check;
use crate::linux::device::DeviceNumber;
use crate::linux::mounts::device_of_node;
use crate::linux::process::{Process, own_number};

/// A program that looks at every device (mdadm, a mount that fails) claims it for a moment.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(20);

/// `fcntl` of <linux/fcntl.h>.
const F_SETSIG: libc::c_int = 10;

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
        let node = is_disk.then(|| node(question, number)).flatten();
        let lock =
            node.and_then(|node| open(&node, 0).ok()).filter(|file| flock(file, libc::LOCK_EX).is_ok());
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
                question.in_chain(block.number) && backing.store == Some(Store::Device(number))
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
    let ours = is_held_by_us(number) || parts.iter().any(|part| is_held_by_us(part.number));
    if ours || !is_claimed(question, number) {
        return None;
    }
    // A claim on a partition shows on its disk, and one on the disk on every partition.
    let busy: Vec<_> = parts.iter().filter(|part| is_claimed(question, part.number)).collect();
    let near = |part: DeviceNumber| {
        touch(&question.storage.footprint(Store::Device(part)), std::slice::from_ref(extent))
    };
    if let Some(part) = busy.iter().find(|part| near(part.number)) {
        return Some(part.number);
    }
    let is_in_use = |part: DeviceNumber| {
        !Question::about(question.root, Store::Device(part), String::new()).listed().is_empty()
    };
    let by_parts = busy.len() < parts.len() || busy.iter().any(|part| is_in_use(part.number));
    (!by_parts).then_some(number)
}

/// The node that the kernel's name of a device leads to.
fn node(question: &Question<'_>, number: DeviceNumber) -> Option<PathBuf> {
    let node = Path::new("/dev").join(question.storage.name(number));
    (device_of_node(&node) == Some(number)).then_some(node)
}

fn is_claimed(question: &Question<'_>, number: DeviceNumber) -> bool {
    let Some(node) = node(question, number) else { return false };
    let is_busy = || {
        let opened = open(&node, libc::O_EXCL);
        opened.is_err_and(|error| error.raw_os_error() == Some(libc::EBUSY))
    };
    (0..ATTEMPTS).all(|attempt| {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        is_busy()
    })
}

fn open(path: &Path, flags: libc::c_int) -> io::Result<File> {
    let flags = flags | libc::O_NONBLOCK | libc::O_NOCTTY;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
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
    let file = open(&node(question, number)?, 0).ok()?;
    let refused = flock(&file, libc::LOCK_SH).err()?;
    if refused.raw_os_error() != Some(libc::EWOULDBLOCK) {
        return None;
    }
    let holder = lock_holder(question.root, &file.metadata().ok()?);
    if holder.is_some() && holder == own_number(question.root) {
        return None;
    }
    let process = holder.map(|pid| Process::read(question.root, pid));
    Some(Hold::Locked { device: question.storage.name(number), process })
}

fn flock(file: &File, how: libc::c_int) -> io::Result<()> {
    // SAFETY: the descriptor is open during the call; no memory is involved.
    check(unsafe { libc::flock(file.as_raw_fd(), how | libc::LOCK_NB) }).map(drop)
}

/// Who holds the lock (flock) on the file that `metadata` is of, by `/proc/locks`.
fn lock_holder(root: &Path, metadata: &std::fs::Metadata) -> Option<u32> {
    let DeviceNumber { major, minor } = DeviceNumber::from_dev(metadata.dev());
    let file = format!("{major:02x}:{minor:02x}:{}", metadata.ino());
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
    let Ok(file) = open(path, 0) else { return Written::Unknown };
    let same = |found: std::fs::Metadata| (found.dev(), found.ino()) == (metadata.dev(), metadata.ino());
    if !file.metadata().is_ok_and(same) {
        return Written::Unknown;
    }
    // A lease that is broken sends a signal, which would end this process if it were the usual one.
    // SAFETY: the descriptor is open during the call; no memory is involved.
    let quiet = check(unsafe { libc::fcntl(file.as_raw_fd(), F_SETSIG, libc::SIGURG) });
    match quiet.and_then(|_| lease(&file, libc::F_RDLCK)) {
        Ok(()) => {
            let _ = lease(&file, libc::F_UNLCK);
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
