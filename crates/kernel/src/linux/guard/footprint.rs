//! The footprint of a device: the ranges of every device and file below it.

use std::path::{Path, PathBuf};

use super::backing::{Backing, backings};
use super::node::NamedDevice;
use super::store::Store;
use crate::linux::device::{DeviceNumber, read_number, read_word, sysfs_folder};
use crate::linux::facts::folder_names;

/// Bytes of the unit that sysfs counts in; no device transfers less.
const SECTOR: u64 = 512;

/// Size in bytes of the largest block in which a device's page cache writes.
const CACHED: u64 = 4096;

/// The part of a range that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    /// Every byte may be written.
    All,
    /// Some bytes; the driver above (device mapper, RAID) keeps them separate from those of its other devices.
    Some,
}

/// A range of bytes in a device or file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) store: Store,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) share: Share,
}

impl Extent {
    /// All of `store`.
    pub(super) fn whole(store: Store) -> Extent {
        Extent { store, start: 0, end: u64::MAX, share: Share::All }
    }

    /// Whether the two ranges may share a sector.
    fn touches(&self, other: &Extent) -> bool {
        let start = |extent: &Extent| extent.start / SECTOR;
        let end = |extent: &Extent| extent.end.div_ceil(SECTOR);
        self.store == other.store
            && start(self) < end(other)
            && start(other) < end(self)
            && (self.share == Share::All || other.share == Share::All)
    }
}

/// Whether the two footprints may share a sector.
pub(super) fn touch(one: &[Extent], other: &[Extent]) -> bool {
    one.iter().any(|extent| other.iter().any(|known| extent.touches(known)))
}

/// A block device of this machine.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) number: DeviceNumber,
    /// The kernel's name for the device.
    pub(super) name: String,
    /// Size of the device in bytes.
    pub(super) size: u64,
    pub(super) folder: PathBuf,
    pub(super) below: Below,
}

/// The devices below a block device.
#[derive(Clone, Debug)]
pub(super) enum Below {
    /// No device that the kernel shows.
    Nothing,
    /// A disk, of which the block device is a partition that starts at this byte.
    Disk(DeviceNumber, u64),
    /// The backing of a loop device.
    Loop(Backing),
    /// The members of a mapping or an array.
    Members(Vec<DeviceNumber>),
}

/// All block devices in `/sys`. No queue attribute is read, because those of a wedged device never answer.
#[derive(Debug)]
pub(super) struct Storage {
    pub(super) blocks: Vec<Block>,
    /// Whether `/sys` lists block devices; if it is not mounted, they are unknown. A kernel that cannot have block
    /// devices has a `/sys` without their class.
    pub(super) is_seen: bool,
}

impl Storage {
    /// Reads the devices of the machine under `root` (normally `/`).
    pub(super) fn look(root: &Path) -> Storage {
        let mut loops = backings(root);
        let names = folder_names(&root.join("sys/class/block"));
        let blocks = names.into_iter().filter_map(|name| {
            let entry = root.join("sys/class/block").join(name.replace('/', "!"));
            let number = DeviceNumber::parse(&read_word(&entry.join("dev"))?)?;
            let folder = sysfs_folder(root, number).or_else(|| entry.canonicalize().ok())?;
            let backing =
                loops.iter().position(|(known, _)| *known == name).map(|at| loops.swap_remove(at).1);
            let below = backing.map_or_else(|| below(root, &folder), Below::Loop);
            let size = read_number(&folder.join("size")).map_or(u64::MAX, |n| n.saturating_mul(SECTOR));
            Some(Block { number, name, size, folder, below })
        });
        let blocks: Vec<Block> = blocks.collect();
        let has_none = root.join("sys/class").is_dir() && !root.join("sys/class/block").exists();
        Storage { is_seen: has_none || !blocks.is_empty(), blocks }
    }

    pub(super) fn block(&self, number: DeviceNumber) -> Option<&Block> {
        self.blocks.iter().find(|block| block.number == number)
    }

    /// The kernel's name for a device, or its number if it has none.
    pub(super) fn name(&self, number: DeviceNumber) -> String {
        self.block(number).map_or_else(|| number.to_string(), |block| block.name.clone())
    }

    /// The device's name and number.
    pub(super) fn named(&self, number: DeviceNumber) -> NamedDevice {
        NamedDevice { name: self.name(number), number }
    }

    /// Partitions of the disk with `number`.
    pub(super) fn partitions(&self, disk: DeviceNumber) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(move |block| matches!(block.below, Below::Disk(of, _) if of == disk))
    }

    /// Returns `store` itself, then every range below it.
    pub(super) fn footprint(&self, store: Store) -> Vec<Extent> {
        let mut whole = Extent::whole(store);
        if let Store::Device(number) = whole.store {
            whole.end = self.block(number).map_or(u64::MAX, |block| block.size);
        }
        let mut found = vec![whole];
        let mut next = 0;
        while let Some(extent) = found.get(next).cloned() {
            // Devices cannot form a cycle, but facts read while they change might.
            let fresh = self.one_below(&extent).into_iter().filter(|below| !found.contains(below));
            let fresh: Vec<Extent> = fresh.collect();
            found.extend(fresh);
            next += 1;
        }
        found
    }

    fn one_below(&self, extent: &Extent) -> Vec<Extent> {
        let Store::Device(number) = extent.store else { return Vec::new() };
        let Some(block) = self.block(number) else { return Vec::new() };
        let moved = |store: Store, by: u64| Extent {
            store,
            start: extent.start.saturating_add(by),
            end: extent.end.saturating_add(by),
            share: extent.share,
        };
        match &block.below {
            Below::Nothing => Vec::new(),
            Below::Disk(disk, start) => vec![moved(Store::Device(*disk), *start)],
            Below::Loop(backing) => {
                let shown = backing.stores.iter().map(|store| moved(store.clone(), backing.offset));
                shown.map(|extent| self.through_the_cache(extent)).collect()
            }
            Below::Members(members) => members.iter().map(|member| self.some_of(*member)).collect(),
        }
    }

    /// Widens a range to whole page-cache blocks: a loop device writes to a device through the page cache, which writes
    /// whole blocks, with neighbouring sectors as they were when read. A file has one page cache for all its users.
    fn through_the_cache(&self, extent: Extent) -> Extent {
        let Store::Device(number) = extent.store else { return extent };
        let size = self.block(number).map_or(u64::MAX, |block| block.size);
        let end = extent.end.div_ceil(CACHED).saturating_mul(CACHED).min(size.max(extent.end));
        Extent { start: extent.start / CACHED * CACHED, end, ..extent }
    }

    fn some_of(&self, member: DeviceNumber) -> Extent {
        let end = self.block(member).map_or(u64::MAX, |block| block.size);
        Extent { store: Store::Device(member), start: 0, end, share: Share::Some }
    }
}

fn below(root: &Path, folder: &Path) -> Below {
    if folder.join("partition").exists() {
        let disk = folder.parent().and_then(|disk| read_word(&disk.join("dev")));
        let start = read_number(&folder.join("start")).unwrap_or(0).saturating_mul(SECTOR);
        return disk
            .and_then(|word| DeviceNumber::parse(&word))
            .map_or(Below::Nothing, |n| Below::Disk(n, start));
    }
    let number = |name: &String| crate::linux::device::number_of_name(root, name);
    let members: Vec<DeviceNumber> = folder_names(&folder.join("slaves")).iter().filter_map(number).collect();
    if members.is_empty() { Below::Nothing } else { Below::Members(members) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::captured::Machine;

    fn device(major: u32, minor: u32) -> Store {
        Store::Device(DeviceNumber { major, minor })
    }

    /// Two partitions, one of which is shared by two mappings; a loop device on each half of an image.
    fn machine() -> Machine {
        let machine = Machine::new("");
        machine.device("pci/sda", "8:0", &[("size", "8000")]);
        machine.device("pci/sda/sda1", "8:1", &[("partition", "1"), ("start", "0"), ("size", "4000")]);
        machine.device("pci/sda/sda2", "8:2", &[("partition", "2"), ("start", "4000"), ("size", "4000")]);
        for (name, number) in [("dm-0", "253:0"), ("dm-1", "253:1")] {
            machine.device(&format!("virtual/{name}"), number, &[("size", "90"), ("slaves/sda2/x", "")]);
        }
        let image = |offset| [("size", "8"), ("loop/backing_file", "/srv/disk.img"), ("loop/offset", offset)];
        machine.device("virtual/loop0", "7:0", &image("0"));
        machine.device("virtual/loop1", "7:1", &image("4096"));
        machine.device("virtual/loop2", "7:2", &image("4095"));
        machine
    }

    fn share(one: Store, other: Store) -> bool {
        let storage = Storage::look(machine().root());
        touch(&storage.footprint(one), &storage.footprint(other))
    }

    #[test]
    fn partitions_share_with_their_disk_and_not_with_each_other() {
        assert!(share(device(8, 0), device(8, 1)) && share(device(8, 2), device(8, 0)));
        assert!(!share(device(8, 1), device(8, 2)));
    }

    #[test]
    fn mappings_on_one_disk_are_kept_apart_by_their_driver_but_not_from_the_disk() {
        assert!(!share(device(253, 0), device(253, 1)));
        assert!(share(device(253, 0), device(8, 2)) && share(device(8, 0), device(253, 1)));
        assert!(!share(device(253, 0), device(8, 1)));
    }

    #[test]
    fn loops_share_what_their_ranges_share_and_a_file_is_all_of_itself() {
        assert!(!share(device(7, 0), device(7, 1)));
        assert!(share(device(7, 0), device(7, 2)), "a byte is enough for a sector");
        assert!(share(device(7, 1), device(7, 2)));
        assert!(share(device(7, 1), Store::Named("/srv/disk.img".into())));
    }
}
