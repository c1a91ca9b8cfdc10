//! Raw counters of the machine, sampled on the run's clock; differences are taken by whoever reads them.

use serde::{Deserialize, Serialize};
use workload::Nanos;

/// One reading of every counter that is sampled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// When on the run's clock.
    pub at: Nanos,
    /// By device name (`vda`, `dm-0`), in a fixed order within a run.
    pub disks: Vec<(String, DiskCounters)>,
    /// The whole machine's CPUs.
    pub cpu: CpuCounters,
    /// Memory.
    pub memory: MemoryCounters,
    /// This process.
    pub own: OwnCpu,
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
