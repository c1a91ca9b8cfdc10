//! The kind of a path or device and the devices below it, from the mount table and `/sys`.

use std::collections::VecDeque;
use std::fs::Metadata;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use workload::Bytes;

use super::device::{
    DeviceNumber, number_of_name, read_number, read_word, size_of_device, sysfs_folder, word_of,
};
use super::mounts::{Mount, device_of_mount, device_of_path, mount_of, mounts};
use super::patient::{self, DeviceAnswer};

/// The kind of file at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A block device or a partition.
    BlockDevice,
    /// Anything else, which cannot be measured.
    Other,
}

/// Facts about a target that are known without measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFacts {
    /// The canonical path: no links, no dots.
    pub path: PathBuf,
    /// The kind of file at the path.
    pub kind: PathKind,
    /// Size of a file or device; zero for a directory.
    pub size: Bytes,
    /// The mount of the file system that holds the target; `None` for a block device.
    pub mount: Option<Mount>,
    /// The target itself or the device under its file system, then every device below, nearest first, each once. Empty
    /// for memory and network file systems.
    pub devices: Vec<BlockFacts>,
    /// Whether the mount, the file system, the device or the file's mode forbids writing.
    pub read_only: bool,
}

/// Facts about one block device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockFacts {
    /// The kernel's name for the device: `nvme0n1p1`, `dm-0`.
    pub name: String,
    /// Major number.
    pub major: u32,
    /// Minor number.
    pub minor: u32,
    /// Whether the device is a partition of a disk.
    pub is_partition: bool,
    /// Size of the device.
    pub size: Bytes,
    /// Smallest unit that can be read or written.
    pub logical_block: Option<Bytes>,
    /// Smallest unit that can be written without reading first.
    pub physical_block: Option<Bytes>,
    /// Whether the kernel considers the device a spinning disk.
    pub rotational: Option<bool>,
    /// Model, as the device reports it.
    pub model: Option<String>,
    /// Serial number, as the device reports it.
    pub serial: Option<String>,
    /// The I/O scheduler in use.
    pub scheduler: Option<String>,
    /// Greatest number of requests that the scheduler queues.
    pub nr_requests: Option<u64>,
    /// Largest request that the kernel sends, in KiB.
    pub max_sectors_kb: Option<u64>,
    /// Largest request that the device accepts, in KiB.
    pub max_hw_sectors_kb: Option<u64>,
    /// Whether the device refuses writes.
    pub is_read_only: bool,
    /// The backing file or device of a loop device.
    pub backing_file: Option<PathBuf>,
    /// Name of the device in the device mapper.
    pub mapping: Option<String>,
    /// Whether the kernel records I/O times for the device (`iostats`); a partition has its disk's value.
    pub keeps_times: Option<bool>,
    /// Whether the queue settings could not be read within a second and are unknown.
    pub is_silent: bool,
    /// Names of the devices directly below: the disk of a partition, the members of a mapping or an array, the device
    /// under a loop's file.
    pub below: Vec<String>,
}

impl BlockFacts {
    /// The device number.
    pub fn number(&self) -> DeviceNumber {
        DeviceNumber { major: self.major, minor: self.minor }
    }
}

/// Returns facts about `path` on this machine.
///
/// # Errors
/// The kernel's error if the path does not exist or may not be examined.
pub fn target_facts(path: &Path) -> io::Result<TargetFacts> {
    let path = path.canonicalize()?;
    let metadata = std::fs::metadata(&path)?;
    facts_in(Path::new("/"), path, &metadata)
}

fn facts_in(root: &Path, path: PathBuf, metadata: &Metadata) -> io::Result<TargetFacts> {
    let kind = kind_of(metadata);
    let table = mounts(root).unwrap_or_default();
    let mount = match kind {
        PathKind::BlockDevice => None,
        _ => mount_of(&table, &path).cloned(),
    };
    let start = match (&mount, kind) {
        (_, PathKind::BlockDevice) => Some(DeviceNumber::from_dev(metadata.rdev())),
        (Some(mount), _) => device_of_mount(root, mount),
        (None, _) => Some(DeviceNumber::from_dev(metadata.dev())),
    };
    let devices = start.map(|number| device_chain(root, number)).unwrap_or_default();
    let size = match kind {
        PathKind::File => Bytes(metadata.len()),
        // Without a mounted /sys, ask the device itself.
        PathKind::BlockDevice => devices.first().map_or_else(|| asked_size(&path), |device| device.size),
        PathKind::Directory | PathKind::Other => Bytes(0),
    };
    let no_write_bit = kind == PathKind::File && metadata.permissions().mode() & 0o222 == 0;
    let read_only = no_write_bit
        || mount.as_ref().is_some_and(|mount| mount.read_only)
        || devices.first().is_some_and(|device| device.is_read_only);
    Ok(TargetFacts { path, kind, size, mount, devices, read_only })
}

fn asked_size(device: &Path) -> Bytes {
    let opened = std::fs::File::open(device).ok();
    opened.and_then(|file| size_of_device(file.as_fd()).ok()).unwrap_or(Bytes(0))
}

fn kind_of(metadata: &Metadata) -> PathKind {
    let kind = metadata.file_type();
    if kind.is_dir() {
        PathKind::Directory
    } else if kind.is_file() {
        PathKind::File
    } else if kind.is_block_device() {
        PathKind::BlockDevice
    } else {
        PathKind::Other
    }
}

/// Returns the device with `number` and everything below it under `root` (normally `/`), nearest first, each once.
pub fn device_chain(root: &Path, number: DeviceNumber) -> Vec<BlockFacts> {
    let mut chain: Vec<LocatedDevice> = Vec::new();
    let mut waiting = VecDeque::from([number]);
    while let Some(number) = waiting.pop_front() {
        if chain.iter().any(|known| known.facts.number() == number) {
            continue;
        }
        let Some(found) = find(root, number) else { continue };
        waiting.extend(found.facts.below.iter().filter_map(|name| number_of_name(root, name)));
        chain.push(found);
    }
    with_settings(chain)
}

/// Returns facts about the block device with `number` under `root` (normally `/`); `None` if it does not exist.
pub fn block_facts(root: &Path, number: DeviceNumber) -> Option<BlockFacts> {
    block_facts_of(root, &[number]).pop()
}

/// Returns facts about those of `numbers` that exist under `root`, in the same order. Devices that do not answer take
/// at most two seconds, however many there are.
pub fn block_facts_of(root: &Path, numbers: &[DeviceNumber]) -> Vec<BlockFacts> {
    with_settings(numbers.iter().filter_map(|number| find(root, *number)).collect())
}

/// A device without its queue settings, and the folder of the disk that has them.
struct LocatedDevice {
    facts: BlockFacts,
    disk: PathBuf,
}

/// Files in `queue` of a device's folder. Reading one waits for any process that is changing the settings, for ever if
/// the device is wedged.
const SETTINGS: [&str; 8] = [
    "logical_block_size",
    "physical_block_size",
    "rotational",
    "scheduler",
    "nr_requests",
    "max_sectors_kb",
    "max_hw_sectors_kb",
    "iostats",
];

/// Returns the settings in `queue` of this folder of `/sys`, without a device number; none if the device is silent.
pub fn queue_settings(folder: &Path) -> BlockFacts {
    let facts = BlockFacts::default();
    with_settings(vec![LocatedDevice { facts, disk: folder.to_owned() }]).pop().unwrap_or_default()
}

fn with_settings(found: Vec<LocatedDevice>) -> Vec<BlockFacts> {
    let files = |found: &LocatedDevice| SETTINGS.map(|name| found.disk.join("queue").join(name)).to_vec();
    let told = patient::read(&found.iter().map(files).collect::<Vec<_>>());
    let settled = found.into_iter().zip(told).map(|(found, told)| match told {
        DeviceAnswer::Silent => BlockFacts { is_silent: true, ..found.facts },
        DeviceAnswer::Files(files) => settled(found.facts, &files),
    });
    settled.collect()
}

/// Returns `facts` with the settings from the files of [`SETTINGS`], in that order.
fn settled(facts: BlockFacts, files: &[Vec<u8>]) -> BlockFacts {
    let word = |name: &str| {
        let at = SETTINGS.iter().position(|known| *known == name)?;
        word_of(files.get(at)?)
    };
    let number = |name: &str| word(name)?.parse::<u64>().ok();
    BlockFacts {
        logical_block: number("logical_block_size").map(Bytes),
        physical_block: number("physical_block_size").map(Bytes),
        rotational: number("rotational").map(|n| n != 0),
        scheduler: word("scheduler").map(|text| chosen_scheduler(&text)),
        nr_requests: number("nr_requests"),
        max_sectors_kb: number("max_sectors_kb"),
        max_hw_sectors_kb: number("max_hw_sectors_kb"),
        keeps_times: number("iostats").map(|n| n != 0),
        ..facts
    }
}

/// Returns everything about a device that can be read even if its queue is wedged.
fn find(root: &Path, number: DeviceNumber) -> Option<LocatedDevice> {
    let folder = sysfs_folder(root, number)?;
    let name = folder.file_name()?.to_string_lossy().replace('!', "/");
    let is_partition = folder.join("partition").exists();
    // A partition has neither its own queue nor its own model.
    let disk = if is_partition { folder.parent()?.to_path_buf() } else { folder.clone() };
    let backing_file = read_word(&folder.join("loop/backing_file")).map(PathBuf::from);
    let mut facts = BlockFacts {
        major: number.major,
        minor: number.minor,
        is_partition,
        // sysfs counts in units of 512 bytes, whatever the block size.
        size: Bytes(read_number(&folder.join("size")).unwrap_or(0) * 512),
        model: first_word(&disk, &["device/model", "device/name"]),
        serial: first_word(&disk, &["device/serial", "serial", "device/vpd_pg80", "wwid", "device/wwid"]),
        is_read_only: read_number(&folder.join("ro")) == Some(1),
        mapping: read_word(&folder.join("dm/name")),
        below: Vec::new(),
        backing_file,
        name,
        ..BlockFacts::default()
    };
    facts.below = names_below(root, &folder, &facts);
    Some(LocatedDevice { facts, disk })
}

fn first_word(folder: &Path, files: &[&str]) -> Option<String> {
    files.iter().find_map(|file| read_word(&folder.join(file))).map(|word| printable(&word))
}

/// Returns an identification string without unprintable bytes and without padding blanks.
fn printable(word: &str) -> String {
    let kept: String = word.chars().filter(|c| !c.is_control() && *c != '\u{fffd}').collect();
    kept.trim().to_owned()
}

/// Returns the scheduler in brackets, or the only one listed.
fn chosen_scheduler(text: &str) -> String {
    let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(name, _)| name);
    inside.unwrap_or(text).to_owned()
}

fn names_below(root: &Path, folder: &Path, facts: &BlockFacts) -> Vec<String> {
    if facts.is_partition {
        let disk = folder.parent().and_then(Path::file_name);
        return disk.map(|name| name.to_string_lossy().replace('!', "/")).into_iter().collect();
    }
    if let Some(backing) = &facts.backing_file {
        return device_of_backing(root, backing)
            .and_then(|number| block_name(root, number))
            .into_iter()
            .collect();
    }
    folder_names(&folder.join("slaves"))
}

/// Returns the names in a folder, sorted; empty if the folder does not exist.
pub(crate) fn folder_names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().replace('!', "/")).collect();
    names.sort();
    names
}

/// Returns the kernel's name for the block device with `number`, under `root`.
pub fn block_name(root: &Path, number: DeviceNumber) -> Option<String> {
    let folder = sysfs_folder(root, number)?;
    folder.file_name().map(|name| name.to_string_lossy().replace('!', "/"))
}

/// Returns the device under a loop device's file, or the backing device itself if the file is a device node.
fn device_of_backing(root: &Path, backing: &Path) -> Option<DeviceNumber> {
    if let Some(number) = backing.to_str().and_then(|node| device_of_path(root, node)) {
        return Some(number);
    }
    let table = mounts(root).ok()?;
    device_of_mount(root, mount_of(&table, backing)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::captured::Machine;

    fn names(chain: &[BlockFacts]) -> Vec<&str> {
        chain.iter().map(|device| device.name.as_str()).collect()
    }

    fn lvm_on_raid_on_partitions() -> Machine {
        let machine = Machine::new("1 0 253:0 / / rw - ext4 /dev/mapper/vg-data rw\n");
        machine.device(
            "virtual/block/dm-0",
            "253:0",
            &[("size", "4096"), ("dm/name", "vg-data"), ("slaves/md0/x", "")],
        );
        machine.device("virtual/block/md0", "9:0", &[("slaves/sda1/x", ""), ("slaves/sdb1/x", "")]);
        for (disk, major) in [("sda", "8:0"), ("sdb", "8:16")] {
            let queue = [
                ("queue/rotational", "1\n"),
                ("device/model", "SPINNER 4T  \n"),
                ("queue/scheduler", "none [mq-deadline]\n"),
            ];
            machine.device(&format!("pci/{disk}"), major, &queue);
        }
        machine.device("pci/sda/sda1", "8:1", &[("partition", "1"), ("ro", "0")]);
        machine.device("pci/sdb/sdb1", "8:17", &[("partition", "1")]);
        machine
    }

    #[test]
    fn everything_below_a_stack_is_found_once_and_nearest_first() {
        let machine = lvm_on_raid_on_partitions();
        let chain = device_chain(machine.root(), DeviceNumber { major: 253, minor: 0 });
        assert_eq!(names(&chain), ["dm-0", "md0", "sda1", "sdb1", "sda", "sdb"]);
        assert_eq!(chain[0].size, Bytes(4096 * 512));
        assert_eq!(chain[0].mapping.as_deref(), Some("vg-data"));
        assert_eq!(
            chain[2].model.as_deref(),
            Some("SPINNER 4T"),
            "a partition answers with its disk's model"
        );
        assert_eq!(chain[4].scheduler.as_deref(), Some("mq-deadline"));
        assert_eq!(chain[4].rotational, Some(true));
    }

    #[test]
    fn a_loop_device_lies_on_the_device_below_its_file() {
        let machine =
            Machine::new("1 0 8:0 / / rw - ext4 /dev/sda rw\n2 1 8:16 / /srv rw - xfs /dev/sdb rw\n");
        machine.device("pci/sda", "8:0", &[]);
        machine.device("pci/sdb", "8:16", &[]);
        machine.device("virtual/loop0", "7:0", &[("loop/backing_file", "/srv/disk.img\n")]);
        machine.device("virtual/loop1", "7:1", &[("loop/backing_file", "/dev/loop0\n")]);
        let chain = device_chain(machine.root(), DeviceNumber { major: 7, minor: 1 });
        assert_eq!(names(&chain), ["loop1", "loop0", "sdb"]);
        assert_eq!(chain[1].backing_file.as_deref(), Some(Path::new("/srv/disk.img")));
    }

    #[test]
    fn a_device_that_is_not_there_has_no_facts() {
        let machine = Machine::new("");
        assert!(device_chain(machine.root(), DeviceNumber { major: 8, minor: 0 }).is_empty());
    }

    #[test]
    fn serial_pages_lose_their_binary_head() {
        assert_eq!(printable("\u{0}\u{fffd}\u{0}vol0123abc   "), "vol0123abc");
    }

    #[test]
    fn facts_of_this_machines_directory_name_its_file_system() {
        let facts = target_facts(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert_eq!(facts.kind, PathKind::Directory);
        assert!(facts.mount.is_some());
        assert!(target_facts(Path::new("/nowhere/at/all")).is_err());
    }
}
