//! What was found out about the machine and the target before anything ran.

use serde::{Deserialize, Serialize};
use workload::Bytes;

use crate::TargetDoubt;

/// The machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Its name.
    pub hostname: String,
    /// Kernel release, for example `6.18.44`.
    pub kernel: String,
    /// The distribution's own words.
    pub distribution: String,
    /// CPU model.
    pub cpu_model: String,
    /// CPUs this process may use.
    pub cpus: u32,
    /// Memory.
    pub memory: Bytes,
    /// The clock source (`tsc`, `kvm-clock`, …).
    pub clocksource: String,
    /// What one reading of the clock costs, nanoseconds.
    pub clock_read_ns: f64,
    /// Vendor and product from DMI (`Amazon EC2 m5.large`), empty where unknown.
    pub product: String,
}

/// What a target is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A directory: an unnamed file of ours in it.
    #[default]
    Directory,
    /// An existing file: only read.
    File,
    /// A block device.
    BlockDevice,
    /// A volume that this kernel throttles.
    Lab,
    /// Simulated in virtual time.
    Simulated,
    /// Nothing.
    Null,
}

/// The target, and the devices below it from the top down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetFacts {
    /// As typed.
    pub words: String,
    /// What it is.
    pub kind: TargetKind,
    /// File system, for example `ext4`; empty where there is none.
    pub filesystem: String,
    /// Where it is mounted; empty where it is not.
    pub mount_point: String,
    /// Size of the device or the space that is free for us in the file system.
    pub available: Bytes,
    /// Devices from the one that is mounted or opened down to the physical ones.
    pub devices: Vec<DeviceFacts>,
    /// Alignment that direct I/O needs; zero where direct I/O is not possible.
    pub direct_alignment: Bytes,
    /// Reasons why figures from this target may not be the volume's (tmpfs, overlayfs, network file system).
    pub doubts: Vec<TargetDoubt>,
    /// True where only reads may be measured: the target is not ours to write.
    pub reads_only: bool,
    /// Share (0 to 1) of the measured region that holds no data (holes, unwritten extents) when reads are measured; `None`
    /// where the file system or device cannot say.
    pub unwritten_share: Option<f64>,
    /// Share (0 to 1) of the measured region found in the page cache after direct reads; `None` where unknown.
    pub cached_share: Option<f64>,
}

/// One block device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceFacts {
    /// Kernel name, for example `nvme0n1`.
    pub name: String,
    /// Major and minor number.
    pub number: (u32, u32),
    /// Size.
    pub size: Bytes,
    /// Model, empty where the device says none.
    pub model: String,
    /// Serial number, empty where the device says none.
    pub serial: String,
    /// Logical block size.
    pub logical_block: Bytes,
    /// Physical block size.
    pub physical_block: Bytes,
    /// Says it rotates.
    pub rotational: bool,
    /// Active I/O scheduler.
    pub scheduler: String,
    /// Requests the queue holds.
    pub queue_requests: u32,
    /// Longest request the kernel sends without splitting.
    pub request_max: Bytes,
}

/// A CPU as the kernel describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuFacts {
    /// Its number.
    pub number: u32,
    /// Its socket.
    pub socket: u32,
    /// Its node of memory.
    pub node: u32,
    /// Its core, as the kernel numbers those of a socket.
    pub core: u32,
    /// 1,024 for the fastest of a machine, less for others; the same where the kernel does not say.
    pub capacity: u32,
}

impl TargetFacts {
    /// Facts of a target that is no device of this machine.
    pub fn made_up(words: &str, kind: TargetKind, available: Bytes) -> TargetFacts {
        TargetFacts {
            words: words.to_owned(),
            kind,
            filesystem: String::new(),
            mount_point: String::new(),
            available,
            devices: Vec::new(),
            direct_alignment: Bytes(512),
            doubts: Vec::new(),
            reads_only: false,
            unwritten_share: None,
            cached_share: None,
        }
    }
}
