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

/// Every use of the regular file at `path` (without links) under `root`: as swap space or by a loop device.
pub fn holds_of_file(root: &Path, path: &Path) -> Vec<Hold> {
    let device = path.display().to_string();
    let swapping = swap_paths(root).into_iter().filter(|swap| Path::new(swap) == path);
    let swapping = swapping.map(|_| Hold::Swap { device: device.clone() });
    let looped = loops(root).into_iter().filter(|(_, backing)| backing == path);
    let looped = looped.map(|(holder, _)| Hold::Loop { device: device.clone(), holder });
    swapping.chain(looped).collect()
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
