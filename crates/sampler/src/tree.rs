//! Every block device of the machine, with the devices on which it is stacked.

use std::collections::BTreeMap;

use kernel::{BlockFacts, DeviceNumber};
use record::{DeviceFacts, DeviceKind, DeviceNode, TargetDoubt};

use crate::devices::{device_facts, is_path_of, path_facts, silence};
use crate::{Root, disks};

/// Returns every block device under `root`, each after those on which it is stacked and as near to them as possible, so
/// that a disk is followed by its partitions and an array follows its last part. Disks are ordered by kind and number
/// (`sda`, `sdb`, `sdaa`).
///
/// Devices without content (a loop device without a file, an empty drive) are left out. Devices that `/proc/diskstats`
/// counts but `/sys` does not show, as in some containers, have only their names.
pub fn device_tree(root: &Root) -> Vec<DeviceNode> {
    device_tree_and_doubts(root).0
}

/// Returns the tree of [`device_tree`], with a doubt for each device that does not answer: its settings are unknown,
/// and nothing waits for them.
pub fn device_tree_and_doubts(root: &Root) -> (Vec<DeviceNode>, Vec<TargetDoubt>) {
    let shown: Vec<String> =
        disks::names(&root.join("sys/class/block")).iter().map(|name| name.replace('!', "/")).collect();
    let (mut nodes, doubts) = found(root, &shown);
    let counted = disks::every_device(root, "proc/diskstats");
    nodes.extend(counted.iter().filter(|disk| !shown.contains(&disk.name)).map(|disk| bare(&disk.name)));
    // Partitions first, then other devices stacked on a disk.
    nodes.sort_by_cached_key(|node| (node.kind != DeviceKind::Partition, order(&node.facts.name)));
    let mut tree = Vec::with_capacity(nodes.len());
    // A device stacked on something unknown (a device that has gone meanwhile) counts as physical.
    let names: Vec<String> = nodes.iter().map(|node| node.facts.name.clone()).collect();
    nodes.iter_mut().for_each(|node| node.below.retain(|below| names.contains(below)));
    while let Some(next) = nodes.iter().position(|node| node.below.is_empty()) {
        let node = nodes.remove(next);
        place(node, &mut nodes, &mut tree);
    }
    // Devices cannot be stacked in a circle; if they were, none would be lost.
    while !nodes.is_empty() {
        let node = nodes.remove(0);
        place(node, &mut nodes, &mut tree);
    }
    (tree, doubts)
}

/// Adds `node` to the tree, followed by the devices that are stacked on it and on none still to be added.
fn place(node: DeviceNode, waiting: &mut Vec<DeviceNode>, tree: &mut Vec<DeviceNode>) {
    let name = node.facts.name.clone();
    tree.push(node);
    let stands_here = |node: &DeviceNode, tree: &[DeviceNode]| {
        let placed = |below: &String| tree.iter().any(|node| node.facts.name == *below);
        node.below.contains(&name) && node.below.iter().all(placed)
    };
    while let Some(next) = waiting.iter().position(|node| stands_here(node, tree)) {
        let node = waiting.remove(next);
        place(node, waiting, tree);
    }
}

/// Returns the sort key: number of letters, the letters, and the numbers in the name: `sda`, `sdb`, `sdaa`;
/// `nvme2n1`, `nvme10n1`.
fn order(name: &str) -> (usize, String, Vec<u64>) {
    let letters: String = name.chars().take_while(|c| !c.is_ascii_digit()).collect();
    let numbers = name[letters.len()..].split(|c: char| !c.is_ascii_digit());
    (letters.len(), letters, numbers.filter_map(|number| number.parse().ok()).collect())
}

/// Returns a device of which only the name is known.
fn bare(name: &str) -> DeviceNode {
    let facts = DeviceFacts { name: name.to_owned(), ..DeviceFacts::default() };
    DeviceNode { facts, timed: true, ..DeviceNode::default() }
}

/// Returns the devices of `names` that hold something, unordered, and doubts about those that do not answer.
fn found(root: &Root, names: &[String]) -> (Vec<DeviceNode>, Vec<TargetDoubt>) {
    let mounted = mounted(root);
    let arrays = array_names(root);
    let mut nodes = Vec::new();
    let numbers: Vec<DeviceNumber> =
        names.iter().filter_map(|name| kernel::number_of_name(root.path(), name)).collect();
    let all = kernel::block_facts_of(root.path(), &numbers);
    let doubts = all.iter().filter_map(silence).collect();
    for facts in all.iter().filter(|facts| facts.size.0 > 0) {
        let (name, number) = (&facts.name, facts.number());
        let mut node = node(root, facts);
        node.mounted = mounted.get(&(number.major, number.minor)).cloned().unwrap_or_default();
        if matches!(node.kind, DeviceKind::Md(_)) {
            node.alias = arrays.get(name).cloned().unwrap_or_default();
        }
        for path in names.iter().filter(|path| !facts.is_partition && is_path_of(path, name)) {
            node.below.push(path.clone());
            nodes.push(path_node(root, path, &node.facts));
        }
        node.below.sort_by_cached_key(|below| order(below));
        nodes.push(node);
    }
    (nodes, doubts)
}

fn node(root: &Root, facts: &BlockFacts) -> DeviceNode {
    let backing = facts.backing_file.as_ref().map(|file| file.display().to_string());
    DeviceNode {
        facts: device_facts(root, facts),
        kind: kind(root, facts),
        below: facts.below.clone(),
        alias: facts.mapping.clone().or(backing).unwrap_or_default(),
        timed: facts.keeps_times.unwrap_or(true),
        ..DeviceNode::default()
    }
}

fn path_node(root: &Root, name: &str, above: &DeviceFacts) -> DeviceNode {
    DeviceNode {
        facts: path_facts(root, name.to_owned(), above),
        kind: DeviceKind::Path,
        timed: kernel::queue_settings(&root.join(format!("sys/class/block/{}", name.replace('/', "!"))))
            .keeps_times
            .unwrap_or(true),
        ..DeviceNode::default()
    }
}

fn kind(root: &Root, facts: &BlockFacts) -> DeviceKind {
    let file = |name: &str| root.text(format!("sys/dev/block/{}/{name}", facts.number()));
    let numbered = |kind: &str| {
        facts.name.strip_prefix(kind).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    if facts.is_partition {
        return DeviceKind::Partition;
    }
    if facts.mapping.is_some() {
        return mapping_kind(&file("dm/uuid").unwrap_or_default());
    }
    if let Some(level) = file("md/level") {
        return DeviceKind::Md(level);
    }
    if numbered("md") {
        DeviceKind::Md(String::new())
    } else if facts.backing_file.is_some() || numbered("loop") {
        DeviceKind::Loop
    } else if numbered("zram") {
        DeviceKind::Zram
    } else {
        DeviceKind::Disk
    }
}

/// Returns the kind of a mapping by the prefix of its uuid, on which libdevmapper's users have agreed; kpartx
/// writes `part1-mpath-…`.
fn mapping_kind(uuid: &str) -> DeviceKind {
    let maker = uuid.split('-').next().unwrap_or_default();
    match maker.trim_end_matches(|end: char| end.is_ascii_digit()) {
        "LVM" => DeviceKind::Lvm,
        "CRYPT" => DeviceKind::Crypt,
        "mpath" => DeviceKind::Multipath,
        "part" if maker.len() > "part".len() => DeviceKind::Partition,
        _ => DeviceKind::Mapping,
    }
}

/// Returns the mount point of each device: of its root rather than of a folder in it, and the first of several.
fn mounted(root: &Root) -> BTreeMap<(u32, u32), String> {
    let mut places: BTreeMap<(u32, u32), String> = BTreeMap::new();
    let table = kernel::mounts(root.path()).unwrap_or_default();
    let (whole, parts): (Vec<_>, Vec<_>) =
        table.iter().partition(|mount| mount.root == std::path::Path::new("/"));
    for mount in whole.into_iter().chain(parts) {
        if let Some(DeviceNumber { major, minor }) = kernel::device_of_mount(root.path(), mount) {
            places.entry((major, minor)).or_insert_with(|| mount.point.display().to_string());
        }
    }
    places
}

/// Returns the names that udev gives to arrays: links in `/dev/md`.
fn array_names(root: &Root) -> BTreeMap<String, String> {
    let folder = root.join("dev/md");
    let link = |name: String| {
        let target = std::fs::read_link(folder.join(&name)).ok()?;
        Some((target.file_name()?.to_string_lossy().into_owned(), name))
    };
    disks::names(&folder).into_iter().filter_map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_by_kind_and_number() {
        let mut names = ["sdaa", "nvme10n1", "sdb", "nvme2n1", "dm-10", "sda10", "sda", "dm-9", "sda2"];
        names.sort_by_key(|name| order(name));
        assert_eq!(names, ["dm-9", "dm-10", "sda", "sda2", "sda10", "sdb", "nvme2n1", "nvme10n1", "sdaa"]);
    }

    #[test]
    fn a_mapping_is_known_by_its_makers_prefix() {
        for (uuid, kind) in [
            ("LVM-abc", DeviceKind::Lvm),
            ("CRYPT-LUKS2-0123-secret", DeviceKind::Crypt),
            ("mpath-3600", DeviceKind::Multipath),
            ("part1-mpath-3600", DeviceKind::Partition),
            ("part12-mpath-3600", DeviceKind::Partition),
            ("part-of-something", DeviceKind::Mapping),
            ("", DeviceKind::Mapping),
        ] {
            assert_eq!(mapping_kind(uuid), kind, "{uuid}");
        }
    }
}
