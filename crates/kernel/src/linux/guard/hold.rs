//! Who uses a block device: mounts, swap, and devices and loops built on it.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::linux::device::{DeviceNumber, number_of_name, read_word, sysfs_folder};
use crate::linux::facts::{block_name, folder_names};
use crate::linux::mounts::{device_of_mount, device_of_path, mounts};

/// A use of a device that forbids writing to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// `device`, the device itself or a part of it, is mounted at `point`.
    Mounted {
        /// The kernel's name.
        device: String,
        /// The mount point.
        point: PathBuf,
    },
    /// `device` is in use as swap space.
    Swap {
        /// The kernel's name.
        device: String,
    },
    /// `holder` (a mapping, an array, …) is built on `device`.
    Built {
        /// The kernel's name.
        device: String,
        /// The kernel's name of what is built on it.
        holder: String,
    },
    /// The loop device `holder` shows what is on `device`.
    Loop {
        /// The kernel's name, or the path of a file.
        device: String,
        /// The loop device's name.
        holder: String,
    },
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hold::Mounted { device, point } => write!(f, "{device} is mounted at {}", point.display()),
            Hold::Swap { device } => write!(f, "{device} is in use as swap space"),
            Hold::Built { device, holder } => write!(f, "{holder} is built on {device}"),
            Hold::Loop { device, holder } => write!(f, "the loop device {holder} is attached to {device}"),
        }
    }
}

/// Every use of the device with `number` under `root` (normally `/`): of the device itself, of its partitions, and,
/// for a partition, of its disk as a whole.
pub fn holds(root: &Path, number: DeviceNumber) -> Vec<Hold> {
    let relatives = relatives(root, number);
    let name_of = |number: DeviceNumber| relatives.iter().find(|r| r.0 == number).map(|r| r.1.clone());
    let mut found = Vec::new();
    for mount in mounts(root).unwrap_or_default() {
        let number = device_of_mount(root, &mount);
        if let Some(device) = number.and_then(name_of) {
            found.push(Hold::Mounted { device, point: mount.point });
        }
    }
    let swapping = swap_paths(root).into_iter().filter_map(|path| device_of_path(root, &path));
    found.extend(swapping.filter_map(name_of).map(|device| Hold::Swap { device }));
    for (number, device) in &relatives {
        let Some(folder) = sysfs_folder(root, *number) else { continue };
        let holders = folder_names(&folder.join("holders"));
        found.extend(holders.into_iter().map(|holder| Hold::Built { device: device.clone(), holder }));
    }
    for (holder, backing) in loops(root) {
        let number = backing.to_str().and_then(|node| device_of_path(root, node));
        if let Some(device) = number.and_then(name_of) {
            found.push(Hold::Loop { device, holder });
        }
    }
    found
}

/// Every use of the regular file at `path` (without links) under `root`: as swap space or by a loop device, by whatever
/// name it was given to them (hard links, bind mounts).
pub fn holds_of_file(root: &Path, path: &Path) -> Vec<Hold> {
    let device = path.display().to_string();
    let same = |other: &Path| other == path || is_same_file(path, other);
    let swapping = swap_paths(root).into_iter().filter(|swap| same(Path::new(swap)));
    let swapping = swapping.map(|_| Hold::Swap { device: device.clone() });
    let looped = loops(root).into_iter().filter(|(_, backing)| same(backing));
    let looped = looped.map(|(holder, _)| Hold::Loop { device: device.clone(), holder });
    swapping.chain(looped).collect()
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

/// The device, its partitions and, for a partition, its disk, with the kernel's names.
fn relatives(root: &Path, number: DeviceNumber) -> Vec<(DeviceNumber, String)> {
    let mut found: Vec<(DeviceNumber, String)> = Vec::new();
    let mut add = |number: Option<DeviceNumber>| {
        if let Some((number, name)) = number.and_then(|n| Some((n, block_name(root, n)?))) {
            found.push((number, name));
        }
    };
    add(Some(number));
    let Some(folder) = sysfs_folder(root, number) else { return found };
    if folder.join("partition").exists() {
        let disk = folder.parent().and_then(|disk| read_word(&disk.join("dev")));
        add(disk.and_then(|word| DeviceNumber::parse(&word)));
        return found;
    }
    for (_, number) in partitions(&folder) {
        add(Some(number));
    }
    found
}

/// The partitions of the disk with this folder in `/sys`.
pub(crate) fn partitions(folder: &Path) -> Vec<(String, DeviceNumber)> {
    let is_partition = |name: &String| folder.join(name).join("partition").exists();
    let number = |name: &String| DeviceNumber::parse(&read_word(&folder.join(name).join("dev"))?);
    let names = folder_names(folder).into_iter().filter(is_partition);
    names.filter_map(|name| Some((name.clone(), number(&name)?))).collect()
}

fn swap_paths(root: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(root.join("proc/swaps")).unwrap_or_default();
    text.lines().skip(1).filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Every attached loop device with what it shows.
fn loops(root: &Path) -> Vec<(String, PathBuf)> {
    let shelf = root.join("sys/class/block");
    let attached = folder_names(&shelf).into_iter().filter(|name| name.starts_with("loop"));
    attached
        .filter_map(|name| {
            let backing = read_word(&shelf.join(&name).join("loop/backing_file"))?;
            number_of_name(root, &name)?;
            Some((name, PathBuf::from(backing)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::captured::Machine;

    const DISK: DeviceNumber = DeviceNumber { major: 8, minor: 0 };
    const FIRST: DeviceNumber = DeviceNumber { major: 8, minor: 1 };
    const SECOND: DeviceNumber = DeviceNumber { major: 8, minor: 2 };

    /// A disk with two partitions and a second disk; `mountinfo` says what is mounted.
    fn machine(mountinfo: &str) -> Machine {
        let machine = Machine::new(mountinfo);
        machine.device("pci/sda", "8:0", &[]);
        machine.device("pci/sda/sda1", "8:1", &[("partition", "1")]);
        machine.device("pci/sda/sda2", "8:2", &[("partition", "2")]);
        machine.device("pci/sdb", "8:16", &[]);
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
    fn a_file_is_held_by_the_loop_that_shows_it_and_as_swap() {
        let machine = machine("");
        machine.file("proc/swaps", "Filename Type Size\n/swap.img file 9\n");
        machine.device("virtual/loop4", "7:4", &[("loop/backing_file", "/srv/disk.img\n")]);
        let of = |path: &str| holds_of_file(machine.root(), Path::new(path)).len();
        assert_eq!((of("/srv/disk.img"), of("/swap.img"), of("/srv/other")), (1, 1, 0));
    }
}
