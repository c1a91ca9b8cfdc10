//! The guard's question: who else uses a byte of the target, by whatever name?

use std::cell::OnceCell;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::backing::{Backing, BackingSource, Length, store_at, without_gone};
use super::claims::{LeaseAnswer, is_open, unaskable};
use super::footprint::{Below, Block, Extent, Storage, touch};
use super::hold::Hold;
use super::overlay;
use super::served::served;
use super::store::Store;
use crate::linux::device::DeviceNumber;
use crate::linux::facts::folder_names;
use crate::linux::mounts::{SeenMount, device_of_mount, mount_of, mounts_everywhere, unescape};

/// Returns every use of the device with `number` under `root` (normally `/`) that the kernel lists: mounts, swap, and
/// devices and loops built on a byte of it. Processes that merely have the device open are checked only for a permit.
pub fn holds(root: &Path, number: DeviceNumber) -> Vec<Hold> {
    Question::about(root, Store::Device(number), String::new()).listed()
}

/// Returns every listed use of the regular file at `path` (without links): as swap space or by a loop device, by any of
/// its names (hard links, bind mounts, a name that is gone).
pub fn holds_of_file(root: &Path, path: &Path) -> Vec<Hold> {
    let store = store_at(root, path).unwrap_or_else(|| Store::Named(path.to_owned()));
    Question::about(root, store, path.display().to_string()).listed()
}

/// Returns every listed use of the open file that `metadata` describes and that was reached by `path`.
pub(crate) fn holds_of_open_file(path: &Path, metadata: &std::fs::Metadata) -> Vec<Hold> {
    Question::about_open(path, metadata).listed()
}

/// The target and the machine's storage at the time of the question.
pub(super) struct Question<'r> {
    pub(super) root: &'r Path,
    pub(super) storage: Storage,
    /// The target first, then everything below it.
    pub(super) target: Vec<Extent>,
    /// Whether the kernel has reported that nobody else has the target, a file, open: then no loop device uses it.
    pub(super) nobody_has_it_open: bool,
    /// The target's path, for a file.
    path: String,
    /// The target's length, for an open file.
    length: Option<u64>,
    /// Mounts of every namespace, read on first use: few questions about a file need them.
    mounts: OnceCell<Vec<SeenMount>>,
}

impl<'r> Question<'r> {
    pub(super) fn about(root: &'r Path, store: Store, path: String) -> Question<'r> {
        let mut question = Question {
            root,
            storage: Storage::look(root),
            target: Vec::new(),
            nobody_has_it_open: false,
            path,
            length: None,
            mounts: OnceCell::new(),
        };
        question.look_below_loops();
        question.target = question.storage.footprint(store.clone());
        let name = Path::new(&question.path).canonicalize().unwrap_or_default();
        let layers = question.layers(&store, &name).into_iter().map(Extent::whole);
        question.target.extend(layers);
        question
    }

    /// The mounts of every namespace.
    pub(super) fn mounts(&self) -> &[SeenMount] {
        self.mounts.get_or_init(|| mounts_everywhere(self.root))
    }

    /// Asks about the open file or device that `metadata` describes and that was reached by `path`.
    pub(super) fn about_open(path: &Path, metadata: &std::fs::Metadata) -> Question<'static> {
        let number = DeviceNumber::from_dev(metadata.rdev());
        let store = Store::of(metadata).unwrap_or(Store::Device(number));
        let length = metadata.is_file().then_some(metadata.len());
        Question { length, ..Question::about(Path::new("/"), store, path.display().to_string()) }
    }

    /// Adds to the backing of each loop device the overlay layers below it.
    fn look_below_loops(&mut self) {
        let below = |block: &Block| match &block.below {
            Below::Loop(backing) => {
                backing.stores.iter().flat_map(|store| self.layers(store, &backing.name)).collect()
            }
            _ => Vec::new(),
        };
        let more: Vec<Vec<Store>> = self.storage.blocks.iter().map(below).collect();
        for (block, more) in self.storage.blocks.iter_mut().zip(more) {
            if let Below::Loop(backing) = &mut block.below {
                backing.stores.extend(more);
            }
        }
    }

    /// Returns the files below `store`, known as `name`, which may lie in an overlay: such a file system has no device.
    fn layers(&self, store: &Store, name: &Path) -> Vec<Store> {
        match store {
            Store::File { file_system, .. } if file_system.major == 0 => {
                overlay::layers(self.root, self.mounts(), (store, name))
            }
            _ => Vec::new(),
        }
    }

    /// Returns why the devices below the target cannot be seen, so that its users are unknown; `None` if they can.
    pub(super) fn blind(&self) -> Option<String> {
        let is_device = |extent: &&Extent| matches!(extent.store, Store::Device(_));
        let devices = self.target.iter().filter(is_device);
        let is_listed =
            |extent: &Extent| matches!(extent.store, Store::Device(n) if self.storage.block(n).is_some());
        let nothing_asked = !self.storage.is_seen && !self.nobody_has_it_open;
        if nothing_asked || devices.clone().any(|extent| !is_listed(extent)) {
            return Some(
                "/sys does not list the block devices; mount it (mount -t sysfs sysfs /sys)".to_owned(),
            );
        }
        let below = self.storage.blocks.iter().filter(|block| self.in_chain(block.number));
        let by_name = |block: &&Block| matches!(&block.below, Below::Loop(backing) if backing.known == BackingSource::ByName);
        let unknown = below.clone().find(by_name).map(|block| block.name.clone());
        let device = unknown.or_else(|| unaskable(self))?;
        Some(format!("{device} may not be opened here; give it a node in /dev and leave to open it"))
    }

    /// All uses that the kernel lists: mounts, swap, devices built on the target, and exports of it.
    pub(super) fn listed(&self) -> Vec<Hold> {
        let loops = [self.looped(), self.silent(), self.unasked()].concat();
        let parts = [self.mounted(), self.swapping(), self.built(), loops, served(self)];
        parts.into_iter().flatten().collect()
    }

    /// Whether `store` shares a byte with the target.
    pub(super) fn shares(&self, store: Store) -> bool {
        touch(&self.storage.footprint(store), &self.target)
    }

    /// Whether the device is the target or lies below it, in the only chain that may use these bytes.
    pub(super) fn in_chain(&self, number: DeviceNumber) -> bool {
        self.target.iter().any(|extent| extent.store == Store::Device(number))
    }

    /// Returns the name of `store` for the user.
    pub(super) fn name(&self, store: &Store) -> String {
        if let Store::Device(number) = store {
            return self.storage.name(*number);
        }
        let shown = self.storage.blocks.iter().find_map(|block| match &block.below {
            Below::Loop(backing) if backing.stores.contains(store) => Some(&backing.name),
            _ => None,
        });
        let is_target = self.target.first().is_some_and(|first| first.store == *store);
        match (is_target, shown, store) {
            (false, Some(name), _) => name.display().to_string(),
            (false, None, Store::Named(name)) => name.display().to_string(),
            _ => self.path.clone(),
        }
    }

    fn mounted(&self) -> Vec<Hold> {
        let mut found: Vec<Hold> = Vec::new();
        if !self.target.iter().any(|extent| matches!(extent.store, Store::Device(_))) {
            // A file can be mounted only through a loop device.
            return found;
        }
        let mut points: Vec<(DeviceNumber, &PathBuf)> = Vec::new();
        for SeenMount { mount, seen_by, .. } in self.mounts() {
            let Some(number) = device_of_mount(self.root, mount) else { continue };
            // Every namespace has most mounts of the first one.
            if points.contains(&(number, &mount.point)) || !self.shares(Store::Device(number)) {
                continue;
            }
            points.push((number, &mount.point));
            let (device, point) = (self.storage.name(number), mount.point.clone());
            found.push(Hold::Mounted { device, point, seen_by: seen_by.clone() });
        }
        found
    }

    fn swapping(&self) -> Vec<Hold> {
        let text = std::fs::read_to_string(self.root.join("proc/swaps")).unwrap_or_default();
        let paths = text.lines().skip(1).filter_map(|line| line.split_whitespace().next());
        let stores = paths.filter_map(|path| store_at(self.root, Path::new(&unescape(path))));
        let shared = stores.filter(|store| self.shares(store.clone()));
        shared.map(|store| Hold::Swap { device: self.name(&store) }).collect()
    }

    /// Returns the mappings, arrays and similar devices on the target's bytes.
    fn built(&self) -> Vec<Hold> {
        let mut found = Vec::new();
        for block in self.storage.blocks.iter().filter(|block| self.shares(Store::Device(block.number))) {
            let holders = folder_names(&block.folder.join("holders"));
            let foreign = holders.into_iter().filter(|holder| self.is_foreign(holder));
            found.extend(foreign.map(|holder| Hold::Built { device: block.name.clone(), holder }));
        }
        found
    }

    /// Whether the device that the kernel calls `holder` uses bytes of the target and is not below it.
    fn is_foreign(&self, holder: &str) -> bool {
        let known = self.storage.blocks.iter().find(|block| block.name == holder);
        known.is_none_or(|block| {
            let bare = matches!(block.below, Below::Nothing);
            !self.in_chain(block.number) && (bare || self.shares(Store::Device(block.number)))
        })
    }

    fn looped(&self) -> Vec<Hold> {
        let shared = self.foreign_loops().filter(|(block, _)| self.shares(Store::Device(block.number)));
        shared
            .map(|(block, backing)| {
                let device = backing.stores.first().map(|store| self.name(store)).unwrap_or_default();
                Hold::Loop { device, holder: block.name.clone() }
            })
            .collect()
    }

    fn foreign_loops(&self) -> impl Iterator<Item = (&Block, &Backing)> {
        self.storage.blocks.iter().filter_map(|block| match &block.below {
            Below::Loop(backing) if !self.in_chain(block.number) => Some((block, backing)),
            _ => None,
        })
    }

    /// Returns silent loop devices whose files lie in the target's file system, which is all that is known of them.
    fn silent(&self) -> Vec<Hold> {
        let is_unknown = |(block, backing): &(&Block, &Backing)| {
            let is_device = backing.stores.iter().any(|store| matches!(store, Store::Device(_)));
            backing.known == BackingSource::Silent && !is_device && !self.shares(Store::Device(block.number))
        };
        let unknown: Vec<_> = self.foreign_loops().filter(is_unknown).collect();
        if unknown.is_empty() {
            return Vec::new();
        }
        let own = self.mounts().iter().filter(|seen| seen.seen_by.is_none());
        let table: Vec<_> = own.map(|seen| seen.mount.clone()).collect();
        let number = |name: &Path| mount_of(&table, &without_gone(name)).map(|mount| mount.number);
        let may_be = |name: &Path| {
            let theirs = number(name);
            self.target.iter().any(|extent| match &extent.store {
                Store::File { file_system, .. } => theirs.is_none_or(|number| number == *file_system),
                Store::Named(ours) => theirs.zip(number(ours)).is_none_or(|(theirs, ours)| theirs == ours),
                Store::Device(_) => false,
            })
        };
        let near = unknown.iter().filter(|(_, backing)| may_be(&backing.name));
        near.map(|(block, _)| Hold::Silent { holder: block.name.clone() }).collect()
    }

    /// Returns loop devices that may not be asked and may be attached to the target. Only a name shows what a loop
    /// device is attached to, and a different name proves nothing: hard links, bind mounts and mount namespaces give
    /// one file many names. So a loop device counts as attached to something else only if
    ///
    /// * nobody else has the target, a file, open at all,
    /// * or its name leads to another device or file of the length it must have, which (for a file) somebody has open,
    /// * or its length differs from everything in the target's chain, and so does the last component of its name.
    ///
    /// Not detected: a file whose length changed after the loop device was attached, under another name than the
    /// target's.
    pub(super) fn unasked(&self) -> Vec<Hold> {
        if self.nobody_has_it_open {
            return Vec::new();
        }
        let may_be = |(block, backing): &(&Block, &Backing)| {
            backing.known == BackingSource::ByName
                && !self.shares(Store::Device(block.number))
                && self.may_show_target(block.size, backing)
                && !self.is_elsewhere(block.size, backing)
        };
        let near = self.foreign_loops().filter(may_be);
        near.map(|(block, _)| Hold::Silent { holder: block.name.clone() }).collect()
    }

    fn may_show_target(&self, size: u64, backing: &Backing) -> bool {
        let Some(last) = backing.name.file_name() else { return true };
        let last = without_gone(Path::new(last));
        self.target.iter().enumerate().any(|(at, extent)| {
            let (lengths, names) = self.lengths_and_names(extent);
            let own = Path::new(&self.path).file_name().filter(|_| at == 0);
            names.iter().map(|name| name.as_path()).chain(own.map(Path::new)).any(|name| name == last)
                || lengths.into_iter().any(|length| backing.fits(size, length))
        })
    }

    /// Returns the possible lengths of the store of `extent`, and the last components of its known names.
    fn lengths_and_names(&self, extent: &Extent) -> (Vec<Length>, Vec<PathBuf>) {
        if let Store::Device(number) = extent.store {
            let size = self.storage.block(number).map(|block| Length::Exactly(block.size));
            return (size.into_iter().collect(), vec![PathBuf::from(self.storage.name(number))]);
        }
        let chain = self.storage.blocks.iter().filter(|block| self.in_chain(block.number));
        let shown = chain.filter_map(|block| match &block.below {
            Below::Loop(backing) if backing.stores.contains(&extent.store) => Some((block.size, backing)),
            _ => None,
        });
        let last = |name: &Path| name.file_name().map(|last| without_gone(Path::new(last)));
        let (mut lengths, names): (Vec<_>, Vec<_>) =
            shown.map(|(size, backing)| (backing.length_below(size), last(&backing.name))).unzip();
        lengths.extend(self.length.map(Length::Exactly));
        (lengths, names.into_iter().flatten().collect())
    }

    /// Whether the name of a loop device of `size` bytes leads to another store that the device could show.
    fn is_elsewhere(&self, size: u64, backing: &Backing) -> bool {
        let name = without_gone(&backing.name);
        backing.stores.iter().any(|store| match store {
            Store::Device(number) => {
                let known = self.storage.block(*number);
                known.is_some_and(|block| backing.fits(size, Length::Exactly(block.size)))
            }
            Store::File { .. } => std::fs::metadata(&name).is_ok_and(|found| {
                Store::of(&found).as_ref() == Some(store)
                    && backing.fits(size, Length::Exactly(found.len()))
                    && is_open(&name, &found) == LeaseAnswer::Yes
            }),
            Store::Named(_) => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::captured::Machine;

    const DISK: DeviceNumber = DeviceNumber { major: 8, minor: 0 };
    const FIRST: DeviceNumber = DeviceNumber { major: 8, minor: 1 };
    const SECOND: DeviceNumber = DeviceNumber { major: 8, minor: 2 };

    /// A disk with two partitions, and a second disk; `mountinfo` says what is mounted.
    fn machine(mountinfo: &str) -> Machine {
        let machine = Machine::new(mountinfo);
        let part = |start| [("partition", "1"), ("start", start), ("size", "1000")];
        machine.device("pci/sda", "8:0", &[("size", "4000")]);
        machine.device("pci/sda/sda1", "8:1", &part("1000"));
        machine.device("pci/sda/sda2", "8:2", &part("2000"));
        machine.device("pci/sdb", "8:16", &[("size", "4000")]);
        machine
    }

    fn says(machine: &Machine, number: DeviceNumber) -> Vec<String> {
        holds(machine.root(), number).iter().map(Hold::to_string).collect()
    }

    #[test]
    fn a_mounted_partition_holds_its_disk_but_not_its_neighbour() {
        let machine = machine("1 0 8:1 / /data rw - ext4 /dev/sda1 rw\n");
        assert_eq!(says(&machine, FIRST), ["sda1 is mounted at /data"]);
        assert_eq!(says(&machine, DISK), ["sda1 is mounted at /data"]);
        assert!(says(&machine, SECOND).is_empty());
        assert!(says(&machine, DeviceNumber { major: 8, minor: 16 }).is_empty());
    }

    #[test]
    fn a_disk_in_use_as_a_whole_holds_its_partitions() {
        let machine = machine("1 0 0:40 / /pool rw - btrfs /dev/sda rw\n");
        assert_eq!(says(&machine, SECOND), ["sda is mounted at /pool"]);
    }

    #[test]
    fn a_mount_that_only_a_container_sees_holds_and_names_who_sees_it() {
        let machine = machine("1 0 8:16 / / rw - ext4 /dev/sdb rw\n");
        let process = machine.root().join("proc/77/ns");
        std::fs::create_dir_all(&process).unwrap();
        std::os::unix::fs::symlink("mnt:[2]", process.join("mnt")).unwrap();
        machine.file("proc/77/comm", "mysqld\u{1b}\n");
        machine.file("proc/77/mountinfo", "5 0 8:1 / /var/lib rw - ext4 /dev/sda1 rw\n");
        assert_eq!(says(&machine, DISK), ["sda1 is mounted at /var/lib for mysqld (process 77)"]);
    }

    #[test]
    fn swap_arrays_and_loops_on_a_partition_hold_it() {
        let machine = machine("");
        machine.file("proc/swaps", "Filename Type Size\n/dev/sda1 partition 1024\n/swap.img file 9\n");
        machine.file("sys/devices/pci/sda/sda2/holders/md0", "");
        machine.device("virtual/loop4", "7:4", &[("loop/backing_file", "/dev/sda2\n")]);
        assert_eq!(says(&machine, FIRST), ["sda1 is in use as swap space"]);
        let second = ["md0 is built on sda2", "the loop device loop4 is attached to sda2"];
        assert_eq!(says(&machine, SECOND), second);
        assert_eq!(says(&machine, DISK).len(), 3, "the disk answers for all its parts");
    }

    #[test]
    fn what_is_used_through_another_loop_on_the_same_file_holds() {
        let machine = machine("1 0 7:4 / /data rw - ext4 /dev/loop4 rw\n");
        for (name, number) in [("loop4", "7:4"), ("loop5", "7:5")] {
            machine.device(&format!("virtual/{name}"), number, &[("loop/backing_file", "/srv/disk.img\n")]);
        }
        let fifth = ["loop4 is mounted at /data", "the loop device loop4 is attached to /srv/disk.img"];
        assert_eq!(says(&machine, DeviceNumber { major: 7, minor: 5 }), fifth);
    }

    #[test]
    fn a_volume_of_a_group_is_free_where_its_sibling_is_mounted() {
        let machine = machine("1 0 253:0 / / rw - ext4 /dev/mapper/vg-root rw\n");
        for (name, number) in [("dm-0", "253:0"), ("dm-1", "253:1")] {
            machine.device(&format!("virtual/{name}"), number, &[("slaves/sda1/x", "")]);
            machine.file(&format!("sys/devices/pci/sda/sda1/holders/{name}/x"), "");
        }
        assert!(says(&machine, DeviceNumber { major: 253, minor: 1 }).is_empty());
        let below = ["dm-0 is mounted at /", "dm-0 is built on sda1", "dm-1 is built on sda1"];
        assert_eq!(says(&machine, FIRST), below);
        assert!(says(&machine, SECOND).is_empty());
    }

    #[test]
    fn a_file_is_held_by_the_loop_that_shows_it_and_as_swap() {
        let machine = machine("");
        machine.file("proc/swaps", "Filename Type Size\n/swap.img file 9\n");
        machine.device("virtual/loop4", "7:4", &[("loop/backing_file", "/srv/disk.img\n")]);
        let of = |path: &str| holds_of_file(machine.root(), Path::new(path)).len();
        assert_eq!((of("/srv/disk.img"), of("/swap.img"), of("/srv/other")), (1, 1, 0));
    }
}
