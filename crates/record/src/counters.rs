//! Raw counters of the machine, sampled on the run's clock; readers compute the differences.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::{CommandCounters, ProcessLoads};

/// One reading of all sampled counters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Time of the sample, on the run's clock.
    pub at: Nanos,
    /// Wall clock at that moment: milliseconds since 1970, UTC; zero if it was not read. Together with `at` it
    /// shows when the clock was set.
    #[serde(default)]
    pub wall_unix_ms: u64,
    /// Counters by device name (`vda`, `dm-0`). A device that has disappeared is missing; a new one is appended.
    pub disks: Vec<(Arc<str>, DiskCounters)>,
    /// CPU time of the whole machine.
    pub cpu: CpuCounters,
    /// Memory of the whole machine.
    pub memory: MemoryCounters,
    /// Time that tasks waited for I/O; `None` if the kernel does not keep it.
    #[serde(default)]
    pub pressure: Option<Pressure>,
    /// Tasks waiting for I/O at that moment (`procs_blocked` in `/proc/stat`).
    #[serde(default)]
    pub blocked: u32,
    /// CPU time of this process.
    pub own: OwnCpu,
    /// The watched command; `None` while there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandCounters>,
    /// The processes that have moved the most bytes since the first sample, if they were read for this one. Not stored
    /// with the sample: the last such list is a part of the run.
    #[serde(skip)]
    pub processes: Option<ProcessLoads>,
}

/// Time for which a provider's limits were exceeded, in microseconds since the volume was attached, as counted by
/// the volume itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceededLimits {
    /// Limit of the volume on operations per second.
    pub volume_iops_us: u64,
    /// Limit of the volume on bytes per second.
    pub volume_bytes_us: u64,
    /// Limit of the instance on operations per second.
    pub instance_iops_us: u64,
    /// Limit of the instance on bytes per second.
    pub instance_bytes_us: u64,
}

/// The [`ExceededLimits`] of a device before and after a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceededWhile {
    /// Kernel name of the device.
    pub device: String,
    /// Counters when the run began.
    pub before: ExceededLimits,
    /// Counters when the run ended; `None` if it was cut off.
    pub after: Option<ExceededLimits>,
    /// Duration of the run by its clock.
    pub lasted: Nanos,
}

/// Fields 1 to 17 of a line of `/proc/diskstats` (kernel document admin-guide/iostats). Millisecond fields wrap at 32
/// bits on some kernels; otherwise only `in_flight` may fall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct DiskCounters {
    pub reads: u64,
    pub reads_merged: u64,
    pub sectors_read: u64,
    pub read_ms: u64,
    pub writes: u64,
    pub writes_merged: u64,
    pub sectors_written: u64,
    pub write_ms: u64,
    pub in_flight: u64,
    pub busy_ms: u64,
    pub queue_ms: u64,
    pub discards: u64,
    pub discards_merged: u64,
    pub sectors_discarded: u64,
    pub discard_ms: u64,
    pub flushes: u64,
    pub flush_ms: u64,
}

/// `/proc/pressure/io`, in microseconds since boot (kernel document accounting/psi).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pressure {
    /// Time in which at least one task waited for I/O.
    pub some_us: u64,
    /// Time in which every non-idle task waited for I/O.
    pub full_us: u64,
}

/// The `cpu` line of `/proc/stat`, in clock ticks (1/100 s), summed over CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct CpuCounters {
    pub user: u64,
    pub nice: u64,
    pub system: u64,
    pub idle: u64,
    pub iowait: u64,
    pub irq: u64,
    pub softirq: u64,
    pub steal: u64,
}

/// Figures from `/proc/meminfo`, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct MemoryCounters {
    pub total: u64,
    pub available: u64,
    pub cached: u64,
    pub dirty: u64,
    pub writeback: u64,
}

/// CPU time that this process has used so far, over all threads, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct OwnCpu {
    pub user_ns: u64,
    pub system_ns: u64,
}

impl CpuCounters {
    /// Returns the sum of all ticks.
    pub fn total(&self) -> u64 {
        self.user + self.nice + self.system + self.idle + self.iowait + self.irq + self.softirq + self.steal
    }
}
