//! Raw counters of the machine, sampled on the run's clock; differences are taken by whoever reads them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use workload::Nanos;

/// One reading of every counter that is sampled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// When on the run's clock.
    pub at: Nanos,
    /// What the wall clock showed: milliseconds since 1970, UTC; zero where nobody looked. Beside `at` it shows when the
    /// clock was set.
    #[serde(default)]
    pub wall_unix_ms: u64,
    /// By device name (`vda`, `dm-0`); a device that is gone is not there, one that comes stands behind the others.
    pub disks: Vec<(Arc<str>, DiskCounters)>,
    /// The whole machine's CPUs.
    pub cpu: CpuCounters,
    /// Memory.
    pub memory: MemoryCounters,
    /// Time that tasks waited for I/O; `None` where the kernel does not keep it.
    #[serde(default)]
    pub pressure: Option<Pressure>,
    /// Tasks that were waiting for I/O just then (`procs_blocked` of `/proc/stat`).
    #[serde(default)]
    pub blocked: u32,
    /// This process.
    pub own: OwnCpu,
}

/// For how long limits of a provider's were exceeded, as its volume counts it since it was attached: microseconds, of operations
/// and of bytes a second each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceededLimits {
    /// Those of the volume.
    pub volume_iops_us: u64,
    /// In bytes.
    pub volume_bytes_us: u64,
    /// Those of the instance.
    pub instance_iops_us: u64,
    /// In bytes.
    pub instance_bytes_us: u64,
}

/// Those counters of a device before and after a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExceededWhile {
    /// Kernel name of the device.
    pub device: String,
    /// As they were when the run began.
    pub before: ExceededLimits,
    /// And when it ended; `None` where it was cut off.
    pub after: Option<ExceededLimits>,
    /// How long the run took by its clock.
    pub lasted: Nanos,
}

/// Fields 1 to 17 of a line of `/proc/diskstats` (kernel document admin-guide/iostats); milliseconds wrap at 32 bits on
/// some kernels, and only `in_flight` may fall otherwise.
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
    /// At least one task waited for I/O.
    pub some_us: u64,
    /// Every task that was not idle waited for I/O.
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

/// From `/proc/meminfo`, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct MemoryCounters {
    pub total: u64,
    pub available: u64,
    pub cached: u64,
    pub dirty: u64,
    pub writeback: u64,
}

/// CPU time of this process so far, all threads, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct OwnCpu {
    pub user_ns: u64,
    pub system_ns: u64,
}

impl CpuCounters {
    /// All ticks.
    pub fn total(&self) -> u64 {
        self.user + self.nice + self.system + self.idle + self.iowait + self.irq + self.softirq + self.steal
    }
}
