//! Loop devices: attaching, listing and detaching, through `/dev/loop-control`.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use workload::Bytes;

use super::loop_info::{Info, status};
use crate::linux::call::check;
use crate::linux::device::{DeviceNumber, read_number, read_word};
use crate::linux::facts::folder_names;
use crate::linux::file::{Access, Direct, reopen};
use crate::linux::guard::WritePermit;

// <linux/loop.h>
const LOOP_CTL_GET_FREE: libc::Ioctl = 0x4c82 as libc::Ioctl;
const LOOP_CONFIGURE: libc::Ioctl = 0x4c0a as libc::Ioctl;
/// `_IO(0x12, 93)` in `linux/fs.h`.
const BLKROSET: libc::Ioctl = 0x125d;
/// `_IO(0x12, 105)` in `linux/blkpg.h`.
const BLKPG: libc::Ioctl = 0x1269;
const BLKPG_DEL_PARTITION: libc::c_int = 2;
const LOOP_SET_STATUS64: libc::Ioctl = 0x4c04 as libc::Ioctl;
const LOOP_CLR_FD: libc::Ioctl = 0x4c01 as libc::Ioctl;
const LO_FLAGS_AUTOCLEAR: u32 = 4;
const LO_FLAGS_DIRECT_IO: u32 = 16;

/// `struct loop_config`.
#[repr(C)]
struct Config {
    fd: u32,
    block_size: u32,
    info: Info,
    reserved: [u64; 8],
}

/// `struct blkpg_partition`.
#[repr(C)]
struct Partition {
    start: i64,
    length: i64,
    number: libc::c_int,
    device_name: [u8; 64],
    volume_name: [u8; 64],
}

/// `struct blkpg_ioctl_arg`.
#[repr(C)]
struct PartitionCall {
    what: libc::c_int,
    flags: libc::c_int,
    length: libc::c_int,
    partition: *const Partition,
}

/// Why a loop device could not be attached, kept or detached.
#[derive(Debug, thiserror::Error)]
pub enum LoopError {
    /// The kernel has no free loop device.
    #[error("no loop device can be had: {source}; it needs root and the loop driver (modprobe loop)")]
    Control {
        /// The kernel's error.
        source: io::Error,
    },
    /// The file cannot be attached.
    #[error("{backing}: cannot be attached to a loop device: {source}")]
    Attach {
        /// The file or device.
        backing: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// The loop device cannot be made to outlive this process.
    #[error("{device}: cannot be kept after this process: {source}; kernels before 2.6.25 cannot")]
    Keep {
        /// The loop device.
        device: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// The device cannot be detached.
    #[error("{device}: cannot be detached: {source}")]
    Detach {
        /// The loop device.
        device: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
}

/// Settings for attaching a loop device.
#[derive(Clone, Copy, Debug)]
pub struct LoopOptions {
    /// Whether the loop device bypasses the page cache of its backing file.
    pub direct: Direct,
    /// Greatest size of the loop device; `None`: that of the whole file.
    pub size_limit: Option<Bytes>,
    /// Logical block size of the loop device; `None`: the kernel's choice.
    pub block_size: Option<Bytes>,
}

/// A loop device that this process attached. The kernel detaches it when its last user is gone, even after `kill -9`.
#[derive(Debug)]
pub struct LoopDevice {
    /// Open for reading only: another process's guard considers a device open for writing to be in use.
    device: File,
    path: PathBuf,
    number: DeviceNumber,
}

impl LoopDevice {
    /// Attaches the target of `permit` to a free loop device, for as long as the value lives.
    ///
    /// # Errors
    /// [`LoopError`] without root or the loop driver.
    pub fn attach(permit: &WritePermit, options: LoopOptions) -> Result<LoopDevice, LoopError> {
        LoopDevice::configure(permit, options)
    }

    /// Leaves the device attached until anybody calls [`detach`]. Before this call the kernel detaches it when this
    /// process ends, so that an unfinished permanent device does not outlive its maker.
    ///
    /// # Errors
    /// [`LoopError::Keep`].
    pub fn keep(self) -> Result<(), LoopError> {
        keep(&self.device).map_err(|source| LoopError::Keep { device: self.path.clone(), source })
    }

    fn configure(permit: &WritePermit, options: LoopOptions) -> Result<LoopDevice, LoopError> {
        let attach = |source| LoopError::Attach { backing: permit.path().to_owned(), source };
        // The kernel bypasses the page cache only if the file was opened with O_DIRECT.
        let backing = reopen(permit.anchor(), Access::ReadWrite, options.direct).map_err(attach)?;
        const ATTEMPTS: u32 = 32;
        let mut last = io::Error::from_raw_os_error(libc::EBUSY);
        for _ in 0..ATTEMPTS {
            let (device, path) = free_device()?;
            match set_up(&device, &backing, options) {
                Ok(()) => {
                    // Opened before the other descriptor closes: with the last one the kernel would detach the device.
                    let device = File::open(&path).map_err(attach)?;
                    let rdev = device.metadata().map_err(attach)?.rdev();
                    forget_partitions(&device, &path);
                    return Ok(LoopDevice { device, path, number: DeviceNumber::from_dev(rdev) });
                }
                // Another process took the device between the two calls.
                Err(error) if error.raw_os_error() == Some(libc::EBUSY) => last = error,
                Err(error) => return Err(attach(error)),
            }
        }
        Err(attach(last))
    }

    /// Path of the device, `/dev/loopN`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The device number.
    pub fn number(&self) -> DeviceNumber {
        self.number
    }

    /// Detaches the device now.
    ///
    /// # Errors
    /// [`LoopError::Detach`]; while others still use the device, the kernel only marks it for detaching.
    pub fn detach(self) -> Result<(), LoopError> {
        clear(&self.device).map_err(|source| LoopError::Detach { device: self.path.clone(), source })
    }
}

fn free_device() -> Result<(File, PathBuf), LoopError> {
    let control = |source| LoopError::Control { source };
    let options = || OpenOptions::new().read(true).write(true).clone();
    let gate = options().open("/dev/loop-control").map_err(control)?;
    // SAFETY: this request takes no pointer.
    let index = check(unsafe { libc::ioctl(gate.as_raw_fd(), LOOP_CTL_GET_FREE) }).map_err(control)?;
    let path = PathBuf::from(format!("/dev/loop{index}"));
    let device = options().open(&path).map_err(control)?;
    Ok((device, path))
}

fn set_up(device: &File, backing: &File, options: LoopOptions) -> io::Result<()> {
    let direct = if options.direct == Direct::Yes { LO_FLAGS_DIRECT_IO } else { 0 };
    // SAFETY: the struct is made of integers, for which all zeros is a value.
    let mut config: Config = unsafe { std::mem::zeroed() };
    config.fd = backing.as_raw_fd() as u32;
    config.block_size = options.block_size.map_or(0, |size| size.0 as u32);
    config.info.size_limit = options.size_limit.map_or(0, |size| size.0);
    config.info.flags = direct | LO_FLAGS_AUTOCLEAR;
    // SAFETY: the struct has the layout that the kernel reads and lives until the call returns.
    check(unsafe { libc::ioctl(device.as_raw_fd(), LOOP_CONFIGURE, &config) })?;
    allow_writes(device)
}

fn keep(device: &File) -> io::Result<()> {
    let mut info = status(device)?;
    info.flags &= !LO_FLAGS_AUTOCLEAR;
    // SAFETY: the struct has the layout that the kernel reads and lives until the call returns.
    check(unsafe { libc::ioctl(device.as_raw_fd(), LOOP_SET_STATUS64, &info) }).map(drop)
}

/// Clears the read-only mark, which a previous user of the loop device may have set and which stays with the number.
fn allow_writes(device: &File) -> io::Result<()> {
    let read_only: libc::c_int = 0;
    // SAFETY: the kernel reads one int that lives until the call returns.
    check(unsafe { libc::ioctl(device.as_raw_fd(), BLKROSET, &read_only) }).map(drop)
}

/// Deletes partitions that a previous user of the loop device may have made: they stay with the number unless the
/// kernel was asked to scan for them itself. A partition in use stays, and the guard then names it.
fn forget_partitions(device: &File, path: &Path) {
    let Some(name) = path.file_name() else { return };
    let folder = Path::new("/sys/class/block").join(name);
    let numbers = folder_names(&folder)
        .into_iter()
        .filter_map(|part| read_number(&folder.join(part).join("partition")));
    for number in numbers {
        let number = number as libc::c_int;
        let partition = Partition { start: 0, length: 0, number, device_name: [0; 64], volume_name: [0; 64] };
        let length = size_of::<Partition>() as libc::c_int;
        let call = PartitionCall { what: BLKPG_DEL_PARTITION, flags: 0, length, partition: &partition };
        // SAFETY: both structs have the layout that the kernel reads and live until the call returns.
        let _held = check(unsafe { libc::ioctl(device.as_raw_fd(), BLKPG, &call) });
    }
}

fn clear(device: &File) -> io::Result<()> {
    // SAFETY: this request takes no pointer.
    match check(unsafe { libc::ioctl(device.as_raw_fd(), LOOP_CLR_FD, 0) }) {
        // Already detached.
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => Ok(()),
        other => other.map(drop),
    }
}

/// Detaches the loop device at `path`; if others use it, the kernel detaches it when the last of them is gone.
///
/// # Errors
/// [`LoopError::Detach`].
pub fn detach(path: &Path) -> Result<(), LoopError> {
    let failed = |source| LoopError::Detach { device: path.to_owned(), source };
    let device = OpenOptions::new().read(true).open(path).map_err(failed)?;
    clear(&device).map_err(failed)
}

/// A loop device that is attached to a file or device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedLoop {
    /// The kernel's name, `loop3`; the path of the node is `/dev/` followed by this name.
    pub name: String,
    /// The device number.
    pub number: DeviceNumber,
    /// The backing file or device, as the kernel writes it: with ` (deleted)` after a name that is gone.
    pub backing: PathBuf,
    /// Whether the device bypasses the page cache of its backing file.
    pub direct: bool,
    /// Size of the device.
    pub size: Bytes,
}

/// Every attached loop device under `root` (normally `/`), by name.
pub fn loops(root: &Path) -> Vec<AttachedLoop> {
    let shelf = root.join("sys/class/block");
    let names = folder_names(&shelf).into_iter().filter(|name| name.starts_with("loop"));
    names
        .filter_map(|name| {
            let folder = shelf.join(&name);
            Some(AttachedLoop {
                backing: PathBuf::from(read_word(&folder.join("loop/backing_file"))?),
                number: DeviceNumber::parse(&read_word(&folder.join("dev"))?)?,
                direct: read_number(&folder.join("loop/dio")) == Some(1),
                size: Bytes(read_number(&folder.join("size")).unwrap_or(0) * 512),
                name,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structs_have_the_sizes_of_the_kernel() {
        assert_eq!(size_of::<Config>(), 304);
        #[cfg(target_pointer_width = "64")]
        assert_eq!((size_of::<Partition>(), size_of::<PartitionCall>()), (152, 24));
    }

    #[test]
    fn only_attached_loops_are_listed() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join("sys/class/block").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("loop0/dev", "7:0\n");
        write("loop1/dev", "7:1\n");
        write("loop1/size", "2048\n");
        write("loop1/loop/backing_file", "/srv/plimsoll-x.img\n");
        write("loop1/loop/dio", "1\n");
        write("sda/dev", "8:0\n");
        let expected = AttachedLoop {
            name: "loop1".to_owned(),
            number: DeviceNumber { major: 7, minor: 1 },
            backing: PathBuf::from("/srv/plimsoll-x.img"),
            direct: true,
            size: Bytes::mib(1),
        };
        assert_eq!(loops(root.path()), [expected]);
    }
}
