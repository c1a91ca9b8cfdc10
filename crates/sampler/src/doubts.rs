//! Reasons why figures from a target may not be the volume's, according to the kernel's names and files.

use kernel::{Medium, Mount};
use record::{DeviceFacts, TargetDoubt};

use crate::Root;

/// Returns the doubts about a file system; `options` are those of the file system itself, not of one of its mounts.
pub(crate) fn of_mount(mount: &Mount, options: &str) -> Vec<TargetDoubt> {
    let filesystem = mount.filesystem.clone();
    let mut doubts: Vec<TargetDoubt> = of_medium(mount).into_iter().collect();
    if let Some(option) = options.split(',').find(|option| compresses(option)) {
        doubts.push(TargetDoubt::Compresses { filesystem, option: option.to_owned() });
    }
    if mount.read_only {
        doubts.push(TargetDoubt::MountedReadOnly { mount_point: mount.point.display().to_string() });
    }
    doubts
}

fn of_medium(mount: &Mount) -> Option<TargetDoubt> {
    let filesystem = mount.filesystem.clone();
    match (mount.medium(), filesystem.as_str()) {
        (Medium::Memory, _) => Some(TargetDoubt::MemoryFilesystem { filesystem }),
        (Medium::Stacked, _) => Some(TargetDoubt::StackedFilesystem { filesystem }),
        (Medium::Network, _) => {
            Some(TargetDoubt::NetworkFilesystem { filesystem, source: mount.source.clone() })
        }
        (Medium::Program, _) | (Medium::BlockDevice, "fuseblk") => {
            Some(TargetDoubt::ServedByProgram { filesystem })
        }
        (Medium::BlockDevice, "zfs") => Some(TargetDoubt::OwnCache { filesystem }),
        (Medium::BlockDevice, _) => None,
    }
}

/// Whether an option of btrfs (`compress=`, `compress-force`), f2fs (`compress_algorithm=`) or bcachefs
/// (`compression=`) compresses.
fn compresses(option: &str) -> bool {
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    matches!(name, "compress" | "compress-force" | "compress_algorithm" | "compression")
        && !matches!(value, "no" | "none")
}

/// Returns the doubts about one of the devices below the target.
pub(crate) fn of_device(root: &Root, device: &DeviceFacts) -> Vec<TargetDoubt> {
    let (major, minor) = device.number;
    let file = |path: &str| root.text(format!("sys/dev/block/{major}:{minor}/{path}"));
    let name = || device.name.clone();
    let mut doubts: Vec<TargetDoubt> = of_driver(&device.name).into_iter().collect();
    if is(&device.name, "loop") && file("loop/dio").as_deref() == Some("0") {
        doubts.push(TargetDoubt::ThroughPageCache { device: name() });
    }
    if file("dm/uuid").is_some_and(|uuid| uuid.starts_with("CRYPT-")) {
        doubts.push(TargetDoubt::Encrypted { device: name() });
    }
    if let Some(action) = file("md/sync_action").filter(|action| action != "idle" && action != "frozen") {
        doubts.push(TargetDoubt::ArrayBusy { device: name(), action });
    }
    if file("md/degraded").is_some_and(|missing| missing != "0") {
        doubts.push(TargetDoubt::ArrayDegraded { device: name() });
    }
    doubts
}

/// Returns the doubt that follows from the driver of a device with this kernel name.
fn of_driver(name: &str) -> Option<TargetDoubt> {
    let device = name.to_owned();
    match name {
        _ if is(name, "zram") => Some(TargetDoubt::CompressedMemory { device }),
        _ if is(name, "ram") || is(name, "pmem") => Some(TargetDoubt::MemoryDevice { device }),
        _ if is(name, "nullb") => Some(TargetDoubt::StoresNothing { device }),
        _ if is(name, "bcache") => Some(TargetDoubt::CacheInFront { device }),
        _ => None,
    }
}

/// Whether `name` belongs to a device of `driver`: the driver's word and a number.
fn is(name: &str, driver: &str) -> bool {
    name.strip_prefix(driver).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_options_that_compress_are_called_so() {
        for option in ["compress=zstd:3", "compress-force", "compress_algorithm=lz4", "compression=zstd"] {
            assert!(compresses(option), "{option}");
        }
        for option in ["rw", "compress=no", "compression=none", "compress_cache", "nocompress"] {
            assert!(!compresses(option), "{option}");
        }
    }

    #[test]
    fn a_driver_is_told_by_its_word_and_a_number() {
        let device = |name: &str| name.to_owned();
        for (name, doubt) in [
            ("ram0", Some(TargetDoubt::MemoryDevice { device: device("ram0") })),
            ("pmem1", Some(TargetDoubt::MemoryDevice { device: device("pmem1") })),
            ("zram0", Some(TargetDoubt::CompressedMemory { device: device("zram0") })),
            ("nullb0", Some(TargetDoubt::StoresNothing { device: device("nullb0") })),
            ("bcache2", Some(TargetDoubt::CacheInFront { device: device("bcache2") })),
            ("ramdisk", None),
            ("nvme0n1", None),
        ] {
            assert_eq!(of_driver(name), doubt, "{name}");
        }
    }
}
