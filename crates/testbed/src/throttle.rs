//! Control groups for one test, of version 1 or 2: I/O limited to a few bytes a second, memory limited to a few bytes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use kernel::DeviceNumber;
use kernel::lab::Limits;

use crate::disk::Disk;
use crate::program::comes_true;
use crate::skip::{Lack, skipped};

/// A control group that limits processes to a few bytes a second on a device; removed on drop.
#[derive(Debug)]
pub struct Throttle {
    group: kernel::lab::Throttle,
    limited: Option<DeviceNumber>,
}

impl Throttle {
    /// Creates a group; `None`, and a skip, if this machine cannot throttle.
    pub fn or_skip(name: &str) -> Option<Throttle> {
        match kernel::lab::Throttle::create(&format!("{name}-{}", std::process::id())) {
            Ok(group) => Some(Throttle { group, limited: None }),
            Err(error) => {
                skipped(Lack::Kernel, error);
                None
            }
        }
    }

    /// Moves a process into the group.
    ///
    /// # Panics
    /// If the kernel refuses.
    pub fn holds(&self, process: u32) {
        self.group.enter_process(process).unwrap();
    }

    /// Limits the bytes a second that are read, and those that are written; 0 lifts the limit.
    ///
    /// # Panics
    /// If the kernel refuses.
    pub fn limit(&mut self, disk: &Disk, bytes: u64) {
        let bytes = (bytes > 0).then_some(bytes);
        self.set(disk, Limits { read_bps: bytes, write_bps: bytes, ..Limits::default() });
    }

    /// Limits the reads and the writes a second; `None` does not limit them.
    ///
    /// # Panics
    /// If the kernel refuses.
    pub fn limit_ios(&mut self, disk: &Disk, [read_iops, write_iops]: [Option<u64>; 2]) {
        self.set(disk, Limits { read_iops, write_iops, ..Limits::default() });
    }

    fn set(&mut self, disk: &Disk, limits: Limits) {
        self.limited = Some(disk.device_number());
        self.group.limit(disk.device_number(), limits).unwrap();
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        if let Some(number) = self.limited {
            let _ = self.group.lift(number);
        }
        // A dying process stays in the group until the kernel has released its I/O. A living one leaves with the group.
        let own = std::process::id().to_string();
        let members = self.group.folder().join("cgroup.procs");
        comes_true(|| fs::read_to_string(&members).is_ok_and(|all| all.lines().all(|one| one == own)));
    }
}

/// A control group that limits the memory of its processes; removed on drop.
#[derive(Debug)]
pub struct MemoryGroup(PathBuf);

impl MemoryGroup {
    /// Creates a group; `None`, and a skip, if this machine has no controller for memory.
    pub fn or_skip(bytes: u64) -> Option<MemoryGroup> {
        // Tests of one process run in parallel.
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("plimsoll-memory-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        match MemoryGroup::below(Path::new("/sys/fs/cgroup"), &name, bytes) {
            Ok(group) => Some(group),
            Err(error) => {
                skipped(Lack::Kernel, format!("no memory control group of version 1 or 2: {error}"));
                None
            }
        }
    }

    fn below(root: &Path, name: &str, bytes: u64) -> io::Result<MemoryGroup> {
        let one = root.join("memory");
        // Nothing of the group goes to swap space, which may belong to a parallel test.
        let (parent, file, swap) = match one.is_dir() {
            true => (one, "memory.limit_in_bytes", "memory.swappiness"),
            false => (root.into(), "memory.max", "memory.swap.max"),
        };
        if file == "memory.max" {
            fs::write(parent.join("cgroup.subtree_control"), "+memory")?;
        }
        let group = MemoryGroup(parent.join(name));
        fs::create_dir(&group.0)?;
        fs::write(group.0.join(file), bytes.to_string())?;
        // A kernel without swap has no such file.
        let _ = fs::write(group.0.join(swap), "0");
        Ok(group)
    }

    /// Returns the group's folder.
    pub fn folder(&self) -> &Path {
        &self.0
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        comes_true(|| fs::remove_dir(&self.0).is_ok() || !self.0.exists());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folders that look like control groups of either version.
    #[test]
    fn memory_is_limited_by_either_version() {
        for (folders, file, swap, control) in [
            ("memory", "memory/group/memory.limit_in_bytes", "memory/group/memory.swappiness", ""),
            ("", "group/memory.max", "group/memory.swap.max", "+memory"),
        ] {
            let root = tempfile::tempdir().unwrap();
            fs::create_dir_all(root.path().join(folders)).unwrap();
            let group = MemoryGroup::below(root.path(), "group", 4096).unwrap();
            assert_eq!(fs::read_to_string(root.path().join(file)).unwrap(), "4096");
            let told = fs::read_to_string(root.path().join("cgroup.subtree_control")).unwrap_or_default();
            assert_eq!(told, control);
            // In a real group the kernel removes these files with the folder.
            for file in [file, swap] {
                fs::remove_file(root.path().join(file)).unwrap();
            }
            drop(group);
        }
    }
}
