//! The block devices of a machine with their counters, as listed in `/sys/block` or `/proc/diskstats`.

use std::path::Path;

use record::DiskCounters;

use crate::Root;
use crate::parse::{counters_or_amounts, words};

/// One device with its counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskReading {
    /// Kernel name; a `!` in the kernel's folder is a `/` in the name.
    pub name: String,
    /// Counters of the device.
    pub counters: DiskCounters,
    /// Whether the kernel gives all counters; for partitions before 2.6.25 it gives only four.
    pub full: bool,
}

/// Returns the whole disks, in the order of the kernel's folder.
pub fn all_disks(root: &Root) -> Vec<DiskReading> {
    names(&root.join("sys/block")).iter().filter_map(|name| disk(root, name)).collect()
}

/// Returns a disk or a partition by its kernel name.
pub fn disk(root: &Root, name: &str) -> Option<DiskReading> {
    let folder = name.replace('/', "!");
    let of_disk = root.text(format!("sys/block/{folder}/stat"));
    let text = of_disk.or_else(|| {
        let parent = names(&root.join("sys/block"))
            .into_iter()
            .find(|parent| root.join(format!("sys/block/{parent}/{folder}/stat")).is_file())?;
        root.text(format!("sys/block/{parent}/{folder}/stat"))
    })?;
    let (counters, full) = counters_or_amounts(words(text.as_bytes()))?;
    Some(DiskReading { name: name.replace('!', "/"), counters, full })
}

/// Returns the partitions of a disk, in the order of the kernel's folder.
pub fn partitions(root: &Root, disk: &str) -> Vec<String> {
    let folder = root.join(format!("sys/block/{}", disk.replace('/', "!")));
    names(&folder).into_iter().filter(|name| folder.join(name).join("stat").is_file()).collect()
}

/// Returns every device of `file` in its order: `proc/diskstats`, or `diskstats` in another folder.
pub fn every_device(root: &Root, file: &str) -> Vec<DiskReading> {
    let text = root.text(file).unwrap_or_default();
    let line = |line: &str| {
        let mut words = words(line.as_bytes()).skip(2);
        let name = String::from_utf8_lossy(words.next()?).into_owned();
        let (counters, full) = counters_or_amounts(words)?;
        Some(DiskReading { name, counters, full })
    };
    text.lines().filter_map(line).collect()
}

/// Returns the names of all devices of the machine, with partitions, in the kernel's order.
pub fn known_devices(root: &Root) -> Vec<String> {
    every_device(root, "proc/diskstats").into_iter().map(|disk| disk.name).collect()
}

/// Returns the time since boot in hundredths of a second; `None` if `/proc/uptime` cannot be read.
pub fn uptime_cs(root: &Root) -> Option<u64> {
    let text = root.text("proc/uptime")?;
    let (seconds, rest) = text.split_whitespace().next()?.split_once('.')?;
    let hundredths: u64 = format!("{rest:0<2}").get(..2)?.parse().ok()?;
    Some(seconds.parse::<u64>().ok()? * 100 + hundredths)
}

/// Returns the name that device mapper gives to `dm-0`.
pub fn mapper_name(root: &Root, name: &str) -> Option<String> {
    root.text(format!("sys/block/{name}/dm/name"))
}

/// Returns the persistent names of a kind (`id`, `uuid`, …) with the kernel names of their devices; `None` if
/// there is no such kind.
pub fn persistent_names(root: &Root, kind: &str) -> Option<Vec<(String, String)>> {
    let folder = root.join(format!("dev/disk/by-{kind}"));
    std::fs::read_dir(&folder).ok()?;
    let link = |name: String| {
        let target = std::fs::read_link(folder.join(&name)).ok()?;
        Some((name, target.file_name()?.to_string_lossy().into_owned()))
    };
    Some(names(&folder).into_iter().filter_map(link).collect())
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
