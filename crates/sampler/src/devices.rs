//! The devices below a target, from the one that is opened down to the physical ones.

use std::path::Path;

use kernel::{BlockFacts, DeviceNumber};
use record::{DeviceFacts, TargetDoubt};
use workload::Bytes;

use crate::Root;

/// Returns the block device `major:minor` and everything below it, nearest first, each once: the disk of a
/// partition, the parts of a mapping or an array, the device that holds a loop's file, and the paths of an
/// NVMe multipath device. Empty if there is no such device.
///
/// The paths (`nvme0c0n1`) have no device number and are returned as (0, 0). Kernels without accounting for the device
/// above them (before 6.4) count only on the paths, so both must be sampled.
pub fn devices_below(root: &Root, major: u32, minor: u32) -> Vec<DeviceFacts> {
    devices_and_doubts(root, major, minor).0
}

/// Returns the devices of [`devices_below`], with a doubt for each that does not answer.
pub(crate) fn devices_and_doubts(
    root: &Root,
    major: u32,
    minor: u32,
) -> (Vec<DeviceFacts>, Vec<TargetDoubt>) {
    let (mut devices, mut doubts) = (Vec::new(), Vec::new());
    for facts in kernel::device_chain(root.path(), DeviceNumber { major, minor }) {
        let device = device_facts(root, &facts);
        let paths = multipath_paths(root, &device);
        devices.push(device);
        devices.extend(paths);
        doubts.extend(silence(&facts));
    }
    (devices, doubts)
}

/// Returns a doubt about a device whose queue settings could not be read.
pub(crate) fn silence(facts: &BlockFacts) -> Option<TargetDoubt> {
    facts.is_silent.then(|| TargetDoubt::Silent { device: facts.name.clone() })
}

pub(crate) fn device_facts(root: &Root, facts: &BlockFacts) -> DeviceFacts {
    let kib = facts.max_sectors_kb.unwrap_or_default();
    DeviceFacts {
        name: facts.name.clone(),
        number: (facts.major, facts.minor),
        size: facts.size,
        model: facts.model.clone().or_else(|| made_of(root, facts)).unwrap_or_default(),
        serial: facts.serial.clone().unwrap_or_default(),
        logical_block: facts.logical_block.unwrap_or_default(),
        physical_block: facts.physical_block.unwrap_or_default(),
        rotational: facts.rotational.unwrap_or_default(),
        scheduler: facts.scheduler.clone().unwrap_or_default(),
        queue_requests: facts.nr_requests.unwrap_or_default().min(u64::from(u32::MAX)) as u32,
        request_max: Bytes::kib(kib),
    }
}

/// Returns the software behind a device that has no model because it is not hardware.
fn made_of(root: &Root, facts: &BlockFacts) -> Option<String> {
    let file = |name: &str| root.text(format!("sys/dev/block/{}:{}/{name}", facts.major, facts.minor));
    if let Some(backing) = &facts.backing_file {
        return Some(format!("loop on {}", backing.display()));
    }
    if let Some(level) = file("md/level") {
        return Some(format!("md {level}"));
    }
    let mapping = facts.mapping.as_ref()?;
    // The prefixes that libdevmapper's users have agreed on.
    let maker = match file("dm/uuid").unwrap_or_default().split('-').next() {
        Some("LVM") => "LVM volume",
        Some("CRYPT") => "dm-crypt",
        Some("mpath") => "multipath",
        _ => "device-mapper",
    };
    Some(format!("{maker} {mapping}"))
}

/// Returns the paths of the NVMe multipath device `above`: `nvme0c1n1` is the path to `nvme0n1` through
/// controller 1. The kernel hides them from `/dev`, gives them no number, but counts their I/O.
fn multipath_paths(root: &Root, above: &DeviceFacts) -> Vec<DeviceFacts> {
    if !above.name.starts_with("nvme") {
        return Vec::new();
    }
    let entries = std::fs::read_dir(root.join("sys/class/block")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_path_of(name, &above.name))
        .collect();
    names.sort();
    names.into_iter().map(|name| path_facts(root, name, above)).collect()
}

pub(crate) fn is_path_of(name: &str, above: &str) -> bool {
    let Some((subsystem, namespace)) = above.rsplit_once('n') else { return false };
    let between = name
        .strip_prefix(subsystem)
        .and_then(|rest| rest.strip_prefix('c'))
        .and_then(|rest| rest.strip_suffix(namespace))
        .and_then(|rest| rest.strip_suffix('n'));
    between.is_some_and(|controller| !controller.is_empty() && controller.bytes().all(|b| b.is_ascii_digit()))
}

pub(crate) fn path_facts(root: &Root, name: String, above: &DeviceFacts) -> DeviceFacts {
    let settings = kernel::queue_settings(&root.join(format!("sys/class/block/{name}")));
    DeviceFacts {
        number: (0, 0),
        model: format!("path of {}", above.name),
        scheduler: settings.scheduler.unwrap_or_default(),
        queue_requests: settings.nr_requests.unwrap_or_default().min(u64::from(u32::MAX)) as u32,
        request_max: settings.max_sectors_kb.map_or(above.request_max, Bytes::kib),
        name,
        ..above.clone()
    }
}

/// Whether the kernel sends a flush after each stable write to `path`: the topmost device has a write cache that may
/// lose data, and does not support writes that bypass it (FUA).
pub fn flushes_each_write(root: &Root, path: &Path) -> bool {
    let Ok(facts) = kernel::target_facts(path) else { return false };
    let Some(device) = facts.devices.first() else { return false };
    let read = |name: &str, file: &str| {
        root.text(format!("sys/class/block/{name}/queue/{file}")).unwrap_or_default()
    };
    // A partition has the queue of its disk.
    let names = std::iter::once(&device.name).chain(&device.below);
    let queue =
        names.map(|name| (read(name, "write_cache"), read(name, "fua"))).find(|(cache, _)| !cache.is_empty());
    queue.is_some_and(|(cache, fua)| cache.trim() == "write back" && fua.trim() != "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_the_same_subsystem_and_namespace_count() {
        for (name, above, expected) in [
            ("nvme0c0n1", "nvme0n1", true),
            ("nvme10c23n1", "nvme10n1", true),
            ("nvme1c0n1", "nvme0n1", false),
            ("nvme0c0n11", "nvme0n1", false),
            ("nvme0c0n1p1", "nvme0n1", false),
            ("nvme0n1", "nvme0n1", false),
            ("nvme0cn1", "nvme0n1", false),
            ("nvme0c0n1", "nvme0n1p1", false),
        ] {
            assert_eq!(is_path_of(name, above), expected, "{name} of {above}");
        }
    }
}
