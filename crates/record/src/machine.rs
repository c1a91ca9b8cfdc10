//! The machine that was watched: its devices with their relations, limits set on it, and the phases of the watch.

use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::DeviceFacts;

/// A block device with what it stands on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceNode {
    /// What the kernel says of it; [`DeviceFacts::name`] is its name in the samples.
    pub facts: DeviceFacts,
    /// What makes it.
    pub kind: DeviceKind,
    /// Kernel names of the devices directly below it (the disk of a partition, the parts of an array), in the kernel's
    /// order; empty for a physical one.
    pub below: Vec<String>,
    /// The name people know it by: `vg0-data` of a mapping, the backing file of a loop device; empty where there is none.
    pub alias: String,
    /// Where it is mounted; empty where it is not.
    pub mounted: String,
    /// What the user said it is; empty where nothing was said.
    pub description: String,
    /// False where the kernel keeps no times for it (`queue/iostats` is 0): then only its counts mean something.
    pub timed: bool,
}

/// What makes a block device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// A disk, physical or virtual.
    #[default]
    Disk,
    /// A part of a disk.
    Partition,
    /// A logical volume of LVM.
    Lvm,
    /// An encrypted mapping.
    Crypt,
    /// Several paths to one disk.
    Multipath,
    /// Another mapping of the device mapper.
    Mapping,
    /// An array of md, with its level (`raid1`).
    Md(String),
    /// A loop device on a file.
    Loop,
    /// Compressed memory.
    Zram,
    /// One path of an NVMe multipath device.
    Path,
}

/// A limit that this machine itself sets on a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalLimit {
    /// The control group, by its path below the hierarchy's mount point (`/system.slice/db.service`).
    pub group: String,
    /// Kernel name of the device.
    pub device: String,
    /// What is limited, by the words of `io.max`: `rbps`, `wbps`, `riops`, `wiops`.
    pub what: String,
    /// Bytes or operations a second.
    pub value: u64,
}

/// A span of a watch with a name: idle, under a load of ours, or while a command ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// `idle 1`, `load 50%`, `command`; unique within a run.
    pub name: String,
    /// What went on.
    pub kind: PhaseKind,
    /// From, on the run's clock.
    pub from: Nanos,
    /// To, on the run's clock.
    pub to: Nanos,
}

/// What went on in a [`Phase`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseKind {
    /// No load of ours.
    #[default]
    Idle,
    /// A load of ours.
    Load {
        /// Name of the step in [`crate::Run::steps`].
        step: String,
        /// The asked rates as a share of the load's nominal rates; `None` where it was not scaled.
        scale: Option<f64>,
    },
    /// A command of the user's.
    Command {
        /// How it ended: its exit code, or 128 + the signal; `None` while it runs.
        code: Option<i32>,
    },
}
