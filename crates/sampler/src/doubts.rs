//! Reasons why figures from a target may not be the volume's: what the kernel says of it, put in words.

use kernel::{Medium, Mount};
use record::DeviceFacts;

use crate::Root;

/// What is to be said of the file system; `options` are those of the file system itself, not of one of its mounts.
pub(crate) fn of_mount(mount: &Mount, options: &str) -> Vec<String> {
    let name = &mount.filesystem;
    let mut doubts = Vec::new();
    match mount.medium() {
        Medium::Memory => {
            doubts.push(format!("{name} keeps its files in memory: the figures are the memory's, not a volume's"));
        }
        Medium::Stacked => doubts.push(format!(
            "{name} lies over another file system: a file is copied at its first write, and what is read may come from another layer"
        )),
        Medium::Network => doubts.push(format!(
            "{name} is a network file system (from {}): the network and the server are measured with it, and no device of this machine shows it",
            mount.source
        )),
        Medium::Program => doubts.push(served_by_a_program(name)),
        Medium::BlockDevice if name == "fuseblk" => doubts.push(served_by_a_program(name)),
        Medium::BlockDevice if name == "zfs" => doubts.push(
            "zfs keeps its own cache of what was read, which direct I/O need not go past, and may compress".to_owned(),
        ),
        Medium::BlockDevice => {}
    }
    if let Some(option) = options.split(',').find(|option| compresses(option)) {
        doubts.push(format!(
            "{name} compresses ({option}): data that compresses does not reach the volume as it is"
        ));
    }
    if mount.read_only {
        doubts.push(format!("{} is mounted read-only: only reads can be measured", mount.point.display()));
    }
    doubts
}

fn served_by_a_program(name: &str) -> String {
    format!("{name} is served by a program of this machine, which is measured with it")
}

/// btrfs (`compress=`, `compress-force`), f2fs (`compress_algorithm=`), bcachefs (`compression=`).
fn compresses(option: &str) -> bool {
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    matches!(name, "compress" | "compress-force" | "compress_algorithm" | "compression")
        && !matches!(value, "no" | "none")
}

/// What is to be said of one of the devices below the target.
pub(crate) fn of_device(root: &Root, device: &DeviceFacts) -> Vec<String> {
    let name = device.name.as_str();
    let (major, minor) = device.number;
    let file = |path: &str| root.text(format!("sys/dev/block/{major}:{minor}/{path}"));
    let is = |kind: &str| {
        name.strip_prefix(kind).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut doubts = Vec::new();
    if is("zram") {
        doubts.push(format!("{name} is compressed memory, not a volume"));
    }
    if is("ram") || is("pmem") {
        doubts.push(format!("{name} is memory, not a volume"));
    }
    if is("nullb") {
        doubts.push(format!("{name} stores nothing: reads come back empty"));
    }
    if is("bcache") {
        doubts.push(format!("{name} has a cache in front of its volume: the figures are of both together"));
    }
    if is("loop") && file("loop/dio").as_deref() == Some("0") {
        doubts.push(format!(
            "{name} goes through this machine's page cache (direct I/O is off for it; `losetup --direct-io=on` turns it on)"
        ));
    }
    if file("dm/uuid").is_some_and(|uuid| uuid.starts_with("CRYPT-")) {
        doubts
            .push(format!("{name} is encrypted by this machine (dm-crypt): its CPU's work is measured too"));
    }
    if let Some(action) = file("md/sync_action").filter(|action| action != "idle" && action != "frozen") {
        doubts.push(format!("{name} is busy with itself ({action}): measure again when that is over"));
    }
    if file("md/degraded").is_some_and(|missing| missing != "0") {
        doubts.push(format!("{name} is degraded: an array with a missing part is slower than a whole one"));
    }
    doubts
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
}
