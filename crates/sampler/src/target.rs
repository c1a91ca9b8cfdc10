//! The facts of a target: its kind, its file system, the devices below it, and reasons for doubt.

use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use kernel::{DeviceNumber, Medium, Mount};
use record::{DeviceFacts, TargetDoubt, TargetFacts, TargetKind};
use workload::Bytes;

use crate::devices::devices_and_doubts;
use crate::{Root, doubts};

/// Why a target's facts are not available.
#[derive(Debug, thiserror::Error)]
pub enum TargetFactsError {
    /// Nothing exists at the path.
    #[error("{path} does not exist; name a directory on the volume, a file, or a block device")]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// Access was refused.
    #[error("cannot look at {path}: {source}; try it as a user who may, or name another target")]
    Refused {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The target holds no data.
    #[error(
        "{path} is {what}, which cannot be measured; name a directory on the volume, a file, or a block device"
    )]
    NoVolume {
        /// The path.
        path: PathBuf,
        /// The kind of file at the path.
        what: &'static str,
    },
}

/// The kinds of content at a path.
enum PathContent {
    Directory,
    File(Bytes),
    Device(DeviceNumber),
}

/// Returns facts about the target at `path`, which was typed as `words`: a directory, an existing file or a
/// block device under `root`.
///
/// `available` is the space free for this user in a directory's file system (0 for a captured machine), the length of a
/// file, or the size of a device. `direct_alignment` is the requirement of the uppermost device, 512 without one;
/// additional requirements of the file system are known only once the file is opened. The shares stay unknown until
/// something has been read.
///
/// # Errors
/// `NotFound`, `Refused`, and `NoVolume` for pipes, sockets and character devices.
pub fn target_facts(root: &Root, path: &Path, words: &str) -> Result<TargetFacts, TargetFactsError> {
    let (path, found, device) = look(root, path)?;
    match found {
        PathContent::Device(number) => Ok(of_device(root, words, number)),
        PathContent::Directory => {
            let free = if root.is_real() { kernel::free_space_in(&path) } else { Ok(Bytes(0)) };
            let free = free.map_err(|source| TargetFactsError::Refused { path: path.clone(), source })?;
            let made = TargetFacts::made_up(words, TargetKind::Directory, free);
            Ok(in_filesystem(root, &path, device, made))
        }
        PathContent::File(length) => {
            let made = TargetFacts::made_up(words, TargetKind::File, length);
            Ok(in_filesystem(root, &path, device, made))
        }
    }
}

/// Returns the path without links, its content, and the number of its file system.
fn look(root: &Root, path: &Path) -> Result<(PathBuf, PathContent, DeviceNumber), TargetFactsError> {
    let refused = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            TargetFactsError::NotFound { path: path.to_owned() }
        }
        _ => TargetFactsError::Refused { path: path.to_owned(), source },
    };
    if !root.is_real()
        && let Some(number) = captured_device(root, path)
    {
        return Ok((path.to_owned(), PathContent::Device(number), DeviceNumber { major: 0, minor: 0 }));
    }
    let place = if root.is_real() { path.canonicalize().map_err(refused)? } else { root.join(path) };
    let metadata = std::fs::metadata(&place).map_err(refused)?;
    let kind = metadata.file_type();
    let no_volume = |what| Err(TargetFactsError::NoVolume { path: path.to_owned(), what });
    let found = match kind {
        _ if kind.is_dir() => PathContent::Directory,
        _ if kind.is_file() => PathContent::File(Bytes(metadata.len())),
        _ if kind.is_block_device() => PathContent::Device(DeviceNumber::from_dev(metadata.rdev())),
        _ if kind.is_char_device() => return no_volume("a character device"),
        _ if kind.is_fifo() => return no_volume("a pipe"),
        _ => return no_volume("a socket or the like"),
    };
    let place = if root.is_real() { place } else { path.to_owned() };
    Ok((place, found, DeviceNumber::from_dev(metadata.dev())))
}

/// Returns the device with this kernel name in a captured tree, which holds no device nodes.
fn captured_device(root: &Root, path: &Path) -> Option<DeviceNumber> {
    let name = path.strip_prefix("/dev").ok()?.to_str()?;
    kernel::number_of_name(root.path(), name)
}

fn of_device(root: &Root, words: &str, number: DeviceNumber) -> TargetFacts {
    let (devices, doubts) = devices_and_doubts(root, number.major, number.minor);
    let size = devices.first().map_or(Bytes(0), |device| device.size);
    let mut facts = TargetFacts::made_up(words, TargetKind::BlockDevice, size);
    facts.doubts = doubts;
    with_devices(root, devices, facts)
}

fn in_filesystem(root: &Root, path: &Path, device: DeviceNumber, mut facts: TargetFacts) -> TargetFacts {
    let table = kernel::mounts(root.path()).unwrap_or_default();
    let Some(mount) = mount_over(root, &table, path, device) else { return facts };
    let options = options_of(root, mount.number);
    facts.filesystem.clone_from(&mount.filesystem);
    facts.mount_point = mount.point.display().to_string();
    facts.reads_only = mount.read_only;
    facts.doubts = doubts::of_mount(mount, &options);
    let below = match mount.medium() {
        Medium::Stacked => upper_mount(&table, mount, &options),
        _ => Some(mount),
    };
    let number = below.and_then(|mount| kernel::device_of_mount(root.path(), mount));
    let below = number.map(|number| devices_and_doubts(root, number.major, number.minor));
    let (devices, silent) = below.unwrap_or_default();
    facts.doubts.extend(silent);
    with_devices(root, devices, facts)
}

fn with_devices(root: &Root, devices: Vec<DeviceFacts>, mut facts: TargetFacts) -> TargetFacts {
    facts.doubts.extend(devices.iter().flat_map(|device| doubts::of_device(root, device)));
    if let Some(first) = devices.first() {
        let (major, minor) = first.number;
        if root.text(format!("sys/dev/block/{major}:{minor}/ro")).as_deref() == Some("1") {
            facts.reads_only = true;
            facts.doubts.push(TargetDoubt::ReadOnlyDevice { device: first.name.clone() });
        }
        if first.logical_block.0 > 0 {
            facts.direct_alignment = first.logical_block;
        }
    }
    facts.devices = devices;
    facts
}

/// Returns the mount that shows `path`. A mount may be hidden by a later one on a directory above it; the number that the file
/// itself reports distinguishes them, except in file systems whose files report a different number than their mount (btrfs).
fn mount_over<'m>(root: &Root, table: &'m [Mount], path: &Path, device: DeviceNumber) -> Option<&'m Mount> {
    let deepest = kernel::mount_of(table, path)?;
    if !root.is_real() || deepest.number == device {
        return Some(deepest);
    }
    let reported = |mount: &&Mount| mount.number == device && path.starts_with(&mount.point);
    table.iter().filter(reported).max_by_key(|mount| mount.point.components().count()).or(Some(deepest))
}

/// Returns the mount that holds the writable layer of an overlay; `None` if the layer is out of sight, as inside a container.
fn upper_mount<'m>(table: &'m [Mount], overlay: &Mount, options: &str) -> Option<&'m Mount> {
    let upper = options.split(',').find_map(|option| option.strip_prefix("upperdir="))?;
    kernel::mount_of(table, Path::new(upper)).filter(|mount| mount.number != overlay.number)
}

/// Returns the options of the file system with this number: the last field of its line in `mountinfo` (proc(5)).
fn options_of(root: &Root, number: DeviceNumber) -> String {
    let wanted = format!("{}:{}", number.major, number.minor);
    let table = root.text("proc/self/mountinfo").unwrap_or_default();
    let mut lines = table.lines().filter(|line| line.split(' ').nth(2) == Some(&wanted));
    let options = |line: &str| line.split_once(" - ")?.1.split(' ').nth(2).map(str::to_owned);
    lines.find_map(options).unwrap_or_default()
}
