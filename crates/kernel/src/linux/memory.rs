//! Memory available to buffers: half of the memory left to the machine and to the control groups of this process.

use std::path::Path;

use workload::Bytes;

use super::device::read_word;
use super::mounts::{Mount, mounts};

/// Divisor for the share that buffers may take: the other half is for the page cache and all other programs.
const PART: u64 = 2;
/// Bytes from which a limit of version 1 counts as no limit: the kernel writes "unlimited" as a number near the greatest.
const NO_LIMIT: u64 = 1 << 60;

/// The memory left, and the limit that determines it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeMemory {
    /// Bytes that can be allocated without evicting anything but the page cache.
    pub bytes: Bytes,
    /// `this machine`, or the control group whose limit is tighter.
    pub of: String,
}

/// The error that the buffers of a run do not fit into memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the buffers need {wanted}, more than half of the {} that {} has left, and what else runs there could be killed for want \
     of memory; ask for a smaller queue depth, smaller blocks or fewer jobs",
    free.bytes,
    free.of
)]
pub struct NoMemory {
    /// Bytes of all buffers together.
    pub wanted: Bytes,
    /// The memory left.
    pub free: FreeMemory,
}

/// Checks whether buffers of `wanted` bytes in all may be allocated; to be called before any of them is touched.
///
/// # Errors
/// [`NoMemory`] states the memory left. If that is unknown, any size passes.
pub fn room_for_buffers(wanted: Bytes) -> Result<(), NoMemory> {
    match free_memory(Path::new("/")) {
        Some(free) if wanted.0 > free.bytes.0 / PART => Err(NoMemory { wanted, free }),
        _ => Ok(()),
    }
}

/// Returns the memory left under `root` (normally `/`): the least of what the machine has left and what the memory
/// controller leaves to each control group above this process, version 1 and 2. `None` if neither can be read.
pub fn free_memory(root: &Path) -> Option<FreeMemory> {
    let of_machine = available(root).map(|bytes| FreeMemory { bytes, of: "this machine".to_owned() });
    of_machine.into_iter().chain(groups(root)).min_by_key(|free| free.bytes)
}

/// Returns `MemAvailable` from `/proc/meminfo` (proc(5)).
fn available(root: &Path) -> Option<Bytes> {
    let text = std::fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok().map(Bytes::kib)
}

/// Returns the memory left to each group with a limit, from the group of this process up to the top.
fn groups(root: &Path) -> Vec<FreeMemory> {
    let text = std::fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let table = mounts(root).unwrap_or_default();
    let mut found = Vec::new();
    for line in text.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (fields.next(), fields.next()) else { continue };
        let version = match controllers {
            "" => &TWO,
            list if list.split(',').any(|name| name == "memory") => &ONE,
            _ => continue,
        };
        let Some(mount) = table.iter().find(|mount| version.is_at(mount)) else { continue };
        found.extend(version.upwards(root, mount, Path::new(group)));
    }
    found
}

/// File names in one version of control groups (kernel documents cgroup-v1/memory and cgroup-v2).
struct Version {
    filesystem: &'static str,
    limit: &'static str,
    usage: &'static str,
    /// Entries of `memory.stat` for memory that can be reclaimed at any time: the page cache.
    cached: [&'static str; 2],
}

const ONE: Version = Version {
    filesystem: "cgroup",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    cached: ["total_inactive_file", "total_active_file"],
};
const TWO: Version = Version {
    filesystem: "cgroup2",
    limit: "memory.max",
    usage: "memory.current",
    cached: ["inactive_file", "active_file"],
};

impl Version {
    fn is_at(&self, mount: &Mount) -> bool {
        let has_it = || mount.super_options.split(',').any(|option| option == "memory");
        mount.filesystem == self.filesystem && (self.filesystem == TWO.filesystem || has_it())
    }

    fn upwards(&self, root: &Path, mount: &Mount, group: &Path) -> Vec<FreeMemory> {
        // In a container the mount shows part of the hierarchy, which the group's name may include or omit.
        let below = group.strip_prefix(&mount.root).or(group.strip_prefix("/")).unwrap_or(group);
        let top = root.join(mount.point.strip_prefix("/").unwrap_or(&mount.point));
        let mut found = Vec::new();
        for part in below.ancestors() {
            let name = Path::new("/").join(part);
            let of = format!("the control group {}", name.display());
            found.extend(self.left(&top.join(part)).map(|bytes| FreeMemory { bytes, of }));
        }
        found
    }

    /// Returns the memory that the group's limit leaves; `None` if it has no limit.
    fn left(&self, folder: &Path) -> Option<Bytes> {
        let number = |file: &str| read_word(&folder.join(file))?.parse::<u64>().ok();
        let limit = number(self.limit).filter(|&limit| limit < NO_LIMIT)?;
        let stat = std::fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
        let cached = stat.lines().filter_map(|line| {
            let (name, value) = line.split_once(' ')?;
            if self.cached.contains(&name) { value.trim().parse::<u64>().ok() } else { None }
        });
        let in_use = number(self.usage)?.saturating_sub(cached.sum());
        Some(Bytes(limit.saturating_sub(in_use)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::captured::Machine;

    const MEMINFO: &str = "MemTotal:       16000000 kB\nMemFree: 1 kB\nMemAvailable:    4096000 kB\n";

    fn free(machine: &Machine) -> (u64, String) {
        let free = free_memory(machine.root()).unwrap();
        (free.bytes.0, free.of)
    }

    #[test]
    fn the_least_of_machine_and_groups_counts_and_the_page_cache_is_free() {
        let one = Machine::new("30 1 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
        one.file("proc/meminfo", MEMINFO);
        assert_eq!(free(&one), (4096000 << 10, "this machine".to_owned()));
        one.file("proc/self/cgroup", "5:cpu:/\n4:memory:/outer/inner\n0::/elsewhere\n");
        let group = "sys/fs/cgroup/memory/outer";
        one.file(&format!("{group}/memory.limit_in_bytes"), "536870912\n");
        one.file(&format!("{group}/memory.usage_in_bytes"), "500000000\n");
        one.file(
            &format!("{group}/memory.stat"),
            "cache 9\ntotal_inactive_file 300000000\ntotal_active_file 100000000\n",
        );
        one.file(&format!("{group}/inner/memory.limit_in_bytes"), "9223372036854771712\n");
        one.file(&format!("{group}/inner/memory.usage_in_bytes"), "5\n");
        assert_eq!(free(&one), (536870912 - 100000000, "the control group /outer".to_owned()));
    }

    #[test]
    fn version_two_is_read_too_also_from_within_a_container() {
        for (mounted, group) in [("/", "/a/b"), ("/a/b", "/a/b"), ("/a/b", "/")] {
            let two = Machine::new(&format!("30 1 0:27 {mounted} /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"));
            two.file("proc/meminfo", MEMINFO);
            two.file("proc/self/cgroup", &format!("0::{group}\n"));
            let folder = if mounted == "/" { "sys/fs/cgroup/a/b" } else { "sys/fs/cgroup" };
            two.file(&format!("{folder}/memory.max"), "1000000\n");
            two.file(&format!("{folder}/memory.current"), "400000\n");
            two.file(&format!("{folder}/memory.stat"), "anon 1\ninactive_file 100000\n");
            assert_eq!(free(&two).0, 700_000, "{mounted} {group}");
        }
        let without = Machine::new("30 1 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
        without.file("proc/self/cgroup", "0::/\n");
        without.file("sys/fs/cgroup/memory.max", "max\n");
        assert_eq!(free_memory(without.root()), None);
        assert_eq!(room_for_buffers(Bytes::mib(1)), Ok(()));
        assert!(room_for_buffers(Bytes(u64::MAX)).is_err());
    }
}
