//! The machine that was watched: its devices and how they relate, limits set on it, and the phases of the watch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::DeviceFacts;

/// A block device and the devices below it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceNode {
    /// What the kernel reports of it; [`DeviceFacts::name`] is its name in the samples.
    pub facts: DeviceFacts,
    /// Kind of device.
    pub kind: DeviceKind,
    /// Kernel names of the devices directly below it (the disk of a partition, the members of an array), in the kernel's
    /// order; empty for a physical device.
    pub below: Vec<String>,
    /// Name that people know it by: `vg0-data` for a mapping, the backing file for a loop device; empty if there is none.
    pub alias: String,
    /// Mount point; empty if it is not mounted.
    pub mounted: String,
    /// The user's description of it; empty if there is none.
    pub description: String,
    /// False if the kernel keeps no times for it (`queue/iostats` is 0), in which case only its counts mean something.
    pub timed: bool,
}

/// Kind of block device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// A disk, physical or virtual.
    #[default]
    Disk,
    /// A partition of a disk.
    Partition,
    /// A logical volume of LVM.
    Lvm,
    /// An encrypted mapping (dm-crypt).
    Crypt,
    /// A multipath mapping: several paths to one disk.
    Multipath,
    /// Any other mapping of the device mapper.
    Mapping,
    /// An md array, with its level (`raid1`).
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
    /// Path of the control group below the hierarchy's mount point (`/system.slice/db.service`).
    pub group: String,
    /// Kernel name of the device.
    pub device: String,
    /// The limited quantity, as `io.max` names it: `rbps`, `wbps`, `riops`, `wiops`.
    pub what: String,
    /// Limit in bytes or operations per second.
    pub value: u64,
}

/// A named span of a watch: idle, under a load of ours, or while a command ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Name, unique within a run: `idle 1`, `load 50%`, `command`.
    pub name: String,
    /// What happened in it.
    pub kind: PhaseKind,
    /// Start on the run's clock.
    pub from: Nanos,
    /// End on the run's clock.
    pub to: Nanos,
}

/// What happened in a [`Phase`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PhaseKind {
    /// Idle: no load of ours.
    #[default]
    Idle,
    /// A load of ours.
    Load {
        /// Name of the step in [`crate::Run::steps`].
        step: String,
        /// The requested rates as a share of the load's nominal rates; `None` if it was not scaled.
        scale: Option<f64>,
    },
    /// A command of the user's ran.
    Command {
        /// How it ended: its exit code, or 128 + the signal; `None` while it runs.
        code: Option<i32>,
    },
}
