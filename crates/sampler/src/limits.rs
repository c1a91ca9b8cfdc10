//! Limits that the machine itself sets on its devices: the block controller of control groups, versions 1 and 2.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kernel::DeviceNumber;
use record::LocalLimit;

use crate::{Root, disks};

/// Depth to which nested groups are followed; nobody nests deeper, and a loop in a captured tree must end.
const DEEPEST: usize = 16;

/// Files of version 1, each with the word of version 2 for it (kernel documents cgroup-v1/blkio-controller and cgroup-v2).
const FILES: [(&str, &str); 4] = [
    ("blkio.throttle.read_bps_device", "rbps"),
    ("blkio.throttle.write_bps_device", "wbps"),
    ("blkio.throttle.read_iops_device", "riops"),
    ("blkio.throttle.write_iops_device", "wiops"),
];

/// Returns every limit of every control group under `root`, sorted by group. A missing device has its number as its name.
pub fn local_limits(root: &Root) -> Vec<LocalLimit> {
    let mut limits = Vec::new();
    let mut names = BTreeMap::new();
    for point in mount_points(root) {
        let top = root.join(&point);
        let mut waiting = vec![(top.clone(), 0)];
        while let Some((folder, depth)) = waiting.pop() {
            let group = Path::new("/").join(folder.strip_prefix(&top).unwrap_or(&folder));
            for (number, what, value) in limits_in(&folder) {
                let name = names.entry(number).or_insert_with(|| name_of(root, number));
                let (group, device) = (group.display().to_string(), name.clone());
                limits.push(LocalLimit { group, device, what: what.to_owned(), value });
            }
            if depth < DEEPEST {
                waiting.extend(folders_in(&folder).into_iter().map(|folder| (folder, depth + 1)));
            }
        }
    }
    limits.sort_by(|a, b| (&a.group, &a.device, &a.what).cmp(&(&b.group, &b.device, &b.what)));
    limits.dedup();
    limits
}

/// Returns where hierarchies with the block controller are mounted: those of version 1 that have it, and that of version 2.
fn mount_points(root: &Root) -> Vec<PathBuf> {
    let table = kernel::mounts(root.path()).unwrap_or_default();
    let has_it = |options: &str| options.split(',').any(|option| option == "blkio");
    let of_groups = table.into_iter().filter(|mount| match mount.filesystem.as_str() {
        "cgroup" => has_it(&mount.super_options),
        "cgroup2" => true,
        _ => false,
    });
    let mut points: Vec<PathBuf> = of_groups.map(|mount| mount.point).collect();
    points.sort();
    points.dedup();
    points
}

/// Returns the limits of one group, from the files of either version.
fn limits_in(folder: &Path) -> Vec<(DeviceNumber, &'static str, u64)> {
    let mut found = Vec::new();
    for (file, what) in FILES {
        let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        let line = |line: &str| {
            let (number, value) = line.split_once(' ')?;
            Some((DeviceNumber::parse(number)?, what, value.trim().parse().ok()?))
        };
        found.extend(text.lines().filter_map(line));
    }
    let text = std::fs::read_to_string(folder.join("io.max")).unwrap_or_default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let Some(number) = words.next().and_then(DeviceNumber::parse) else { continue };
        // `max` is neither a number nor a limit.
        let limits = words.filter_map(|word| word.split_once('=')).filter_map(|(word, value)| {
            let (_, what) = FILES.iter().find(|(_, what)| *what == word)?;
            Some((number, *what, value.parse().ok()?))
        });
        found.extend(limits);
    }
    found
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let is_folder = |path: &PathBuf| path.symlink_metadata().is_ok_and(|about| about.is_dir());
    disks::names(folder).iter().map(|name| folder.join(name)).filter(is_folder).collect()
}

fn name_of(root: &Root, number: DeviceNumber) -> String {
    kernel::block_name(root.path(), number).unwrap_or_else(|| number.to_string())
}
