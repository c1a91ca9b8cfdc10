//! Where the files of a process lie: on which block device, or on which file system without one.
//!
//! Nothing here asks a file system: descriptors name their mount (`/proc/PID/fdinfo`), and the mount table its device.
//! So a device or server that does not answer holds nothing up.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use kernel::{Medium, Mount, device_of_mount, device_of_path, mount_of, mounts_seen_by};

use crate::{Root, devices_below};

/// Most descriptors of a process that are examined.
const DESCRIPTORS_MOST: usize = 64;

/// Kind of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Socket,
    /// A file or folder of a file system, or a block device.
    File,
    /// A pipe, a terminal, a file of `/proc`, or anything else.
    Other,
}

/// Open files of a process.
#[derive(Debug, Default)]
pub(crate) struct OpenFiles {
    /// Where they lie.
    pub places: BTreeSet<String>,
    pub has_sockets: bool,
}

/// The places of files, with the mounts known so far.
#[derive(Debug)]
pub(crate) struct FilePlaces {
    root: Root,
    /// The mount with each id; `None` for ids that no table has.
    mounts: HashMap<u64, Option<Mount>>,
    known: BTreeSet<String>,
    found: Vec<String>,
}

impl FilePlaces {
    pub(crate) fn new(root: &Root) -> FilePlaces {
        FilePlaces { root: root.clone(), mounts: HashMap::new(), known: BTreeSet::new(), found: Vec::new() }
    }

    /// Returns the kind of an open file, by the link to it.
    pub(crate) fn kind_of(&self, pid: u32, descriptor: u64) -> Option<FileKind> {
        self.link(pid, descriptor).map(|path| kind(&path))
    }

    fn link(&self, pid: u32, descriptor: u64) -> Option<PathBuf> {
        std::fs::read_link(self.root.join(format!("proc/{pid}/fd/{descriptor}"))).ok()
    }

    /// Returns where an open file lies; `None` if it lies in memory, or if that is not known.
    pub(crate) fn of_descriptor(&mut self, pid: u32, descriptor: u64) -> Option<String> {
        let path = self.link(pid, descriptor)?;
        if kind(&path) != FileKind::File {
            return None;
        }
        if let Some(number) = path.to_str().and_then(|node| device_of_path(self.root.path(), node)) {
            return self.device((number.major, number.minor));
        }
        let info = self.root.text(format!("proc/{pid}/fdinfo/{descriptor}"))?;
        let id = info.lines().find_map(|line| line.strip_prefix("mnt_id:"))?.trim().parse().ok()?;
        let mount = self.mount(pid, id)?;
        self.of_mount(pid, &mount)
    }

    /// Returns where the open files of a process lie.
    pub(crate) fn of_process(&mut self, pid: u32) -> OpenFiles {
        let mut open = OpenFiles::default();
        for descriptor in numbers(&self.root, &format!("proc/{pid}/fd")).into_iter().take(DESCRIPTORS_MOST) {
            let descriptor = u64::from(descriptor);
            open.has_sockets |= self.kind_of(pid, descriptor) == Some(FileKind::Socket);
            open.places.extend(self.of_descriptor(pid, descriptor));
        }
        open
    }

    /// Returns the mount with this id in the table of a process.
    fn mount(&mut self, pid: u32, id: u64) -> Option<Mount> {
        if let Some(known) = self.mounts.get(&id) {
            return known.clone();
        }
        self.mounts.insert(id, None);
        let all = mounts_seen_by(self.root.path(), &pid.to_string());
        self.mounts.extend(all.into_iter().map(|(id, mount)| (id, Some(mount))));
        self.mounts.get(&id).cloned().flatten()
    }

    fn of_mount(&mut self, pid: u32, mount: &Mount) -> Option<String> {
        if let Some(number) = device_of_mount(self.root.path(), mount) {
            return self.device((number.major, number.minor));
        }
        match mount.medium() {
            Medium::Memory => None,
            Medium::Stacked => {
                // Files of an overlay that are written lie in its upper folder.
                let upper =
                    mount.super_options.split(',').find_map(|option| option.strip_prefix("upperdir="))?;
                let all: Vec<Mount> = mounts_seen_by(self.root.path(), &pid.to_string())
                    .into_iter()
                    .map(|(_, mount)| mount)
                    .collect();
                let below =
                    mount_of(&all, Path::new(upper)).filter(|below| below.medium() != Medium::Stacked)?;
                self.of_mount(pid, &below.clone())
            }
            Medium::Network | Medium::Program | Medium::BlockDevice => {
                Some(format!("{} {}", mount.filesystem, mount.source))
            }
        }
    }

    /// Returns the name of a device; the first time, it and all below it are to be watched.
    fn device(&mut self, (major, minor): (u32, u32)) -> Option<String> {
        let name = kernel::block_name(self.root.path(), kernel::DeviceNumber { major, minor })?;
        if self.known.insert(name.clone()) {
            self.found.extend(devices_below(&self.root, major, minor).into_iter().map(|facts| facts.name));
        }
        Some(name)
    }

    /// Returns the devices found since the last call, and those below them.
    pub(crate) fn take_devices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.found)
    }
}

fn kind(path: &Path) -> FileKind {
    let text = path.to_string_lossy();
    match &*text {
        _ if text.starts_with("socket:") => FileKind::Socket,
        _ if text.starts_with("/proc/") || text.starts_with("/dev/pts/") => FileKind::Other,
        "/dev/tty" | "/dev/null" | "/dev/zero" | "/dev/console" | "/dev/fuse" | "/dev/random"
        | "/dev/urandom" => FileKind::Other,
        _ if text.starts_with('/') => FileKind::File,
        _ => FileKind::Other,
    }
}

/// Returns the names in a folder of `/proc` that are numbers, in ascending order.
pub(crate) fn numbers(root: &Root, folder: &str) -> Vec<u32> {
    let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
    let mut found: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    found.sort_unstable();
    found
}
