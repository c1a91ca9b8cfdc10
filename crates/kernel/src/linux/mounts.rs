//! Mount tables, from `/proc/*/mountinfo`: of this process, and of every mount namespace with a process in it.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use super::device::{DeviceNumber, number_of_name};
use super::process::{Process, processes};

/// One mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Device number of the file system; the major number is 0 if it has no device or several.
    pub number: DeviceNumber,
    /// The folder of the file system that is shown at the mount point.
    pub root: PathBuf,
    /// The mount point.
    pub point: PathBuf,
    /// Type of the file system: `ext4`, `xfs`, `tmpfs`, `overlay`, `nfs4`, …
    pub filesystem: String,
    /// The device, share or word from which the file system was mounted.
    pub source: String,
    /// Options of the file system, separated by commas.
    pub super_options: String,
    /// Whether this mount or its file system is read-only.
    pub read_only: bool,
}

/// Where a file system keeps its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A block device of this machine.
    BlockDevice,
    /// Memory.
    Memory,
    /// Another file system (overlayfs).
    Stacked,
    /// A server on the network.
    Network,
    /// A program on this machine (FUSE).
    Program,
}

impl Mount {
    /// Returns where the file system keeps its data, judged by its type.
    pub fn medium(&self) -> Medium {
        let name = self.filesystem.as_str();
        match name {
            "tmpfs" | "ramfs" | "devtmpfs" | "hugetlbfs" => Medium::Memory,
            "overlay" | "aufs" | "unionfs" | "ecryptfs" => Medium::Stacked,
            "nfs" | "nfs4" | "cifs" | "smb3" | "smbfs" | "ceph" | "glusterfs" | "lustre" | "gpfs" | "9p"
            | "afs" | "ocfs2" | "gfs2" | "beegfs" | "virtiofs" => Medium::Network,
            "fuseblk" => Medium::BlockDevice,
            _ if name == "fuse" || name.starts_with("fuse.") => Medium::Program,
            _ => Medium::BlockDevice,
        }
    }
}

/// The mount table under `root` (normally `/`), in order of mounting.
///
/// # Errors
/// The kernel's error if the table cannot be read.
pub fn mounts(root: &Path) -> io::Result<Vec<Mount>> {
    let bytes = std::fs::read(root.join("proc/self/mountinfo"))?;
    Ok(String::from_utf8_lossy(&bytes).lines().filter_map(mount_of_line).collect())
}

/// A mount in any mount namespace.
#[derive(Clone, Debug)]
pub(crate) struct SeenMount {
    /// The kernel's id of the mount, as in `/proc/PID/fdinfo`.
    pub(crate) id: u64,
    /// The mount.
    pub(crate) mount: Mount,
    /// A process that sees the mount; `None` if this process does.
    pub(crate) seen_by: Option<Process>,
}

/// Returns the mounts of every mount namespace with a process in it, as far as this user may look; those of this
/// process first. Each namespace is read once, through any of its processes.
pub(crate) fn mounts_everywhere(root: &Path) -> Vec<SeenMount> {
    let table = |folder: &str, seen_by: Option<Process>| {
        let seen = |(id, mount)| SeenMount { id, mount, seen_by: seen_by.clone() };
        mounts_seen_by(root, folder).into_iter().map(seen).collect::<Vec<_>>()
    };
    let namespace = |folder: &str| std::fs::read_link(root.join("proc").join(folder).join("ns/mnt")).ok();
    let mut found = table("self", None);
    let mut known: HashSet<PathBuf> = namespace("self").into_iter().collect();
    for pid in processes(root) {
        let folder = pid.to_string();
        if namespace(&folder).is_some_and(|space| known.insert(space)) {
            found.extend(table(&folder, Some(Process::read(root, pid))));
        }
    }
    found
}

/// Returns the mounts that a process (`self`, or a number) sees, each with its id in `/proc/PID/fdinfo`; none if this user
/// may not look.
pub fn mounts_seen_by(root: &Path, process: &str) -> Vec<(u64, Mount)> {
    let bytes = std::fs::read(root.join("proc").join(process).join("mountinfo")).unwrap_or_default();
    let line = |line: &str| Some((line.split(' ').next()?.parse().ok()?, mount_of_line(line)?));
    String::from_utf8_lossy(&bytes).lines().filter_map(line).collect()
}

/// Reads one line of `mountinfo` (proc(5)): id, parent, major:minor, root, point, options, optional fields up to a
/// dash, type, source, options of the file system.
fn mount_of_line(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let mut first = before.split(' ').skip(2);
    let number = DeviceNumber::parse(first.next()?)?;
    let root = PathBuf::from(unescape(first.next()?));
    let point = PathBuf::from(unescape(first.next()?));
    let options = first.next()?;
    let mut second = after.split(' ');
    let filesystem = unescape(second.next()?);
    let source = unescape(second.next().unwrap_or(""));
    let super_options = second.next().unwrap_or("").to_owned();
    let says_ro = |options: &str| options.split(',').any(|o| o == "ro");
    let read_only = says_ro(options) || says_ro(&super_options);
    Some(Mount { number, root, point, filesystem, source, super_options, read_only })
}

/// Decodes blanks and backslashes, which `mountinfo` and `swaps` write as a backslash and three octal digits.
pub(crate) fn unescape(word: &str) -> String {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let octal = tail.get(..3).filter(|_| first == b'\\').and_then(octal_byte);
        bytes.push(octal.unwrap_or(first));
        rest = if octal.is_some() { &tail[3..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn octal_byte(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
}

/// Returns the mount that shows `path` (absolute, without links): the longest mount point above it, the last of equals.
pub fn mount_of<'m>(mounts: &'m [Mount], path: &Path) -> Option<&'m Mount> {
    mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.point))
        .max_by_key(|mount| mount.point.components().count())
}

/// Returns the block device under a mounted file system, under `root`. File systems that span devices (btrfs) have no
/// device number of their own; for these, it is the device named when they were mounted.
pub fn device_of_mount(root: &Path, mount: &Mount) -> Option<DeviceNumber> {
    if mount.number.major != 0 {
        return Some(mount.number);
    }
    if mount.medium() != Medium::BlockDevice {
        return None;
    }
    device_of_path(root, &mount.source)
}

/// The number of a block device by the path of its node, under `root`: by the kernel's name for it, by its name in the
/// device mapper, or by the node itself.
pub fn device_of_path(root: &Path, node: &str) -> Option<DeviceNumber> {
    let name = node.strip_prefix("/dev/")?;
    if let Some(mapped) = name.strip_prefix("mapper/") {
        return device_of_mapping(root, mapped);
    }
    // Links such as /dev/disk/by-id can be followed only on this machine, not on a captured one.
    let by_node = || device_of_node(Path::new(node)).filter(|_| root == Path::new("/"));
    number_of_name(root, name).or_else(by_node)
}

fn device_of_mapping(root: &Path, mapped: &str) -> Option<DeviceNumber> {
    std::fs::read_dir(root.join("sys/class/block"))
        .ok()?
        .flatten()
        .find_map(|entry| {
            let name = super::device::read_word(&entry.path().join("dm/name"))?;
            (name == mapped).then(|| super::device::read_word(&entry.path().join("dev")))?
        })
        .and_then(|word| DeviceNumber::parse(&word))
}

/// The number of the block device whose node is at `node`.
pub(crate) fn device_of_node(node: &Path) -> Option<DeviceNumber> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let metadata = std::fs::metadata(node).ok()?;
    metadata.file_type().is_block_device().then(|| DeviceNumber::from_dev(metadata.rdev()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
23 22 0:30 / /dev/shm rw - tmpfs tmpfs rw
31 22 8:17 / /mnt/with\\040blank ro,relatime shared:3 master:1 - xfs /dev/sdb1 rw
32 22 0:45 /sub /srv rw - btrfs /dev/sdc rw
33 22 0:50 / /over rw - overlay overlay rw,lowerdir=/a
34 22 254:0 /data /bound rw - ext4 /dev/vda rw
35 22 0:51 / /net rw - nfs4 server:/export rw
36 22 0:52 / /home/me/sshfs rw - fuse.sshfs me@there: rw
";

    fn table() -> Vec<Mount> {
        TABLE.lines().filter_map(mount_of_line).collect()
    }

    #[test]
    fn every_line_is_read_with_its_escapes_and_optional_fields() {
        let mounts = table();
        assert_eq!(mounts.len(), 8);
        let xfs = &mounts[2];
        assert_eq!(xfs.point, Path::new("/mnt/with blank"));
        assert_eq!((xfs.filesystem.as_str(), xfs.source.as_str()), ("xfs", "/dev/sdb1"));
        assert!(xfs.read_only && !mounts[0].read_only);
    }

    #[test]
    fn a_path_belongs_to_the_deepest_mount_above_it() {
        let mounts = table();
        let of = |path: &str| mount_of(&mounts, Path::new(path)).unwrap().point.to_str().unwrap().to_owned();
        assert_eq!(of("/home/me/file"), "/");
        assert_eq!(of("/mnt/with blank/a/b"), "/mnt/with blank");
        assert_eq!(of("/mnt/with"), "/", "half a name is not a mount point");
        assert_eq!(of("/home/me/sshfs"), "/home/me/sshfs");
    }

    #[test]
    fn the_medium_is_known_by_the_file_system() {
        let media: Vec<Medium> = table().iter().map(Mount::medium).collect();
        use Medium::{BlockDevice, Memory, Network, Program, Stacked};
        assert_eq!(
            media,
            [BlockDevice, Memory, BlockDevice, BlockDevice, Stacked, BlockDevice, Network, Program]
        );
    }

    #[test]
    fn a_file_system_without_a_number_is_found_by_its_source() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("sys/class/block/sdc");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("dev"), "8:32\n").unwrap();
        let mounts = table();
        assert_eq!(device_of_mount(root.path(), &mounts[3]), Some(DeviceNumber { major: 8, minor: 32 }));
        assert_eq!(device_of_mount(root.path(), &mounts[1]), None);
    }

    proptest::proptest! {
        #[test]
        fn no_line_makes_the_reader_panic(line in ".{0,120}") {
            let _ = mount_of_line(&line);
            let _ = unescape(&line);
        }
    }
}
