//! The watched machine: its devices and how they are stacked, limits set on it, and the phases of the watch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::DeviceFacts;

/// A block device and the devices below it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceNode {
    /// Facts that the kernel reports; [`DeviceFacts::name`] is the device's name in the samples.
    pub facts: DeviceFacts,
    /// Kind of device.
    pub kind: DeviceKind,
    /// Kernel names of the devices directly below (the disk of a partition, the members of an array), in the
    /// kernel's order; empty for a physical device.
    pub below: Vec<String>,
    /// Familiar name: `vg0-data` for a mapping, the backing file for a loop device; empty if there is none.
    pub alias: String,
    /// Mount point; empty if the device is not mounted.
    pub mounted: String,
    /// The user's description of the device; empty if there is none.
    pub description: String,
    /// Whether the kernel keeps times for the device; if not (`queue/iostats` is 0), only its counts mean anything.
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

/// A named span of a watch: idle, under plimsoll's load, or while a command ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Name, unique within a run: `idle 1`, `load 50%`, `command`.
    pub name: String,
    /// Activity during the phase.
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
    /// Idle: no load from plimsoll.
    #[default]
    Idle,
    /// A load from plimsoll.
    Load {
        /// Name of the step in [`crate::Run::steps`].
        step: String,
        /// The requested rates as a share of the load's nominal rates; `None` if it was not scaled.
        scale: Option<f64>,
    },
    /// A command of the user.
    Command {
        /// Exit code, or 128 + the signal; `None` while the command runs.
        code: Option<i32>,
    },
}
