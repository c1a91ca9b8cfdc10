//! Facts about the machine and the target, collected before anything ran.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::Bytes;

use crate::TargetDoubt;

/// The machine on which a run was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Host name.
    pub hostname: String,
    /// Kernel release, for example `6.18.44`.
    pub kernel: String,
    /// The distribution's name for itself.
    pub distribution: String,
    /// CPU model.
    pub cpu_model: String,
    /// Number of CPUs this process may use.
    pub cpus: u32,
    /// Size of the memory.
    pub memory: Bytes,
    /// The clock source (`tsc`, `kvm-clock`, …).
    pub clocksource: String,
    /// Cost of one reading of the clock, in nanoseconds.
    pub clock_read_ns: f64,
    /// Vendor and product from DMI (`Amazon EC2 m5.large`); empty if unknown.
    pub product: String,
}

/// Kind of target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A directory, in which an unnamed file of plimsoll's is measured.
    #[default]
    Directory,
    /// An existing file, which is only read.
    File,
    /// A block device.
    BlockDevice,
    /// A volume that this kernel throttles.
    Lab,
    /// A simulated volume in virtual time.
    Simulated,
    /// The null target, which answers at once and stores nothing.
    Null,
}

/// The target and the devices below it, from the top down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetFacts {
    /// The target as typed.
    pub words: String,
    /// Kind of target.
    pub kind: TargetKind,
    /// File system, for example `ext4`; empty if the target has none.
    pub filesystem: String,
    /// Mount point; empty if the target is not mounted.
    pub mount_point: String,
    /// Size of the device, or free space available to this user in the file system.
    pub available: Bytes,
    /// Devices from the one mounted or opened down to the physical ones.
    pub devices: Vec<DeviceFacts>,
    /// Alignment that direct I/O needs; zero if direct I/O is not possible.
    pub direct_alignment: Bytes,
    /// Reasons why figures from this target may not be the volume's (tmpfs, overlayfs, network file system).
    #[schemars(with = "Vec<String>")]
    pub doubts: Vec<TargetDoubt>,
    /// Whether only reads may be measured because the target is not plimsoll's to write.
    pub reads_only: bool,
    /// Share (0 to 1) of the measured region without data (holes, unwritten extents) when reads are measured; `None` if
    /// the file system or device cannot report it.
    pub unwritten_share: Option<f64>,
    /// Share (0 to 1) of the measured region found in the page cache after direct reads; `None` if unknown.
    pub cached_share: Option<f64>,
}

/// One block device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceFacts {
    /// Kernel name, for example `nvme0n1`.
    pub name: String,
    /// Major and minor number.
    pub number: (u32, u32),
    /// Size.
    pub size: Bytes,
    /// Model; empty if the device reports none.
    pub model: String,
    /// Serial number; empty if the device reports none.
    pub serial: String,
    /// Logical block size.
    pub logical_block: Bytes,
    /// Physical block size.
    pub physical_block: Bytes,
    /// Whether the device reports rotating media.
    pub rotational: bool,
    /// Active I/O scheduler.
    pub scheduler: String,
    /// Number of requests the queue holds (`nr_requests`).
    pub queue_requests: u32,
    /// Longest request that the kernel sends without splitting it.
    pub request_max: Bytes,
}

/// A CPU as the kernel describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuFacts {
    /// CPU number.
    pub number: u32,
    /// Number of its socket.
    pub socket: u32,
    /// Number of its memory (NUMA) node.
    pub node: u32,
    /// Number of its core within the socket, as the kernel numbers it.
    pub core: u32,
    /// Capacity: 1,024 for the fastest CPU of a machine, less for slower ones; the same for all if the kernel does not
    /// report it.
    pub capacity: u32,
}

impl TargetFacts {
    /// Facts of a target that is not a device of this machine.
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
