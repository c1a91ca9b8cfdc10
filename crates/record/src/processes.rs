//! Counters of processes: how a watched command spent its time, and which processes moved how many bytes.

use serde::{Deserialize, Serialize};

/// How a watched command and the processes it started have spent their time so far, from frequent looks at their
/// tasks. Times are nanoseconds. At each look the time since the last one is divided among the tasks that run or wait
/// for storage; if there are none, among those that wait for something else (method 12.5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandCounters {
    /// Number of looks at which a task of the command existed.
    pub looks: u64,
    /// Tasks that ran, or were ready to.
    pub running_ns: u64,
    /// Tasks that waited for files or block devices.
    pub storage_ns: u64,
    /// Tasks that waited for a lock or another thread, while no task ran or waited for storage; likewise the next four.
    pub lock_ns: u64,
    /// Tasks that waited at a socket.
    pub network_ns: u64,
    /// Tasks that slept.
    pub sleep_ns: u64,
    /// Tasks that waited for anything else, such as a pipe or a terminal.
    pub other_ns: u64,
    /// CPU time of the tasks that were seen running (`schedstat`).
    pub run_ns: u64,
    /// Time for which these were ready to run and had no CPU.
    pub run_delay_ns: u64,
    /// Bytes that the processes had read from devices (`/proc/PID/io`), as far as they were still there to be asked.
    pub read_bytes: u64,
    /// Bytes that they had written or handed over for writing.
    pub write_bytes: u64,
    /// Devices (`vda`) and file systems without one (`nfs4 server:/home`) on which files of the command lie, each with
    /// the part of `storage_ns` that is known to have been spent on it.
    pub places: Vec<(String, u64)>,
}

/// Bytes that a process moved during a watch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessLoad {
    /// Process id.
    pub pid: u32,
    /// Name of the process.
    pub name: String,
    /// Control group; empty for the root group.
    pub group: String,
    /// Bytes read from devices.
    pub read_bytes: u64,
    /// Bytes written, or handed over for writing.
    pub write_bytes: u64,
    /// Kernel names of the devices on which its open files lie.
    pub devices: Vec<String>,
}

/// The processes that moved the most bytes during a watch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessLoads {
    /// The processes, those with most bytes first.
    pub most: Vec<ProcessLoad>,
    /// Number of processes that this user may not read.
    pub hidden: u32,
}
