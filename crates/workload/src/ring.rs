//! How the I/Os of a ring get to the kernel and how their ends are waited for; other backends know one way only.

use serde::{Deserialize, Serialize};

/// The ways of a worker's ring; the default is what costs least CPU without changing what is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RingWays {
    /// Who takes I/Os out of the ring.
    pub submitter: Submitter,
    /// How an end is waited for.
    pub waiting: Waiting,
}

/// Who takes I/Os out of a ring and starts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Submitter {
    /// The worker, by a system call for all that are due.
    #[default]
    Call,
    /// A thread of the kernel that looks into the ring without being called.
    KernelThread {
        /// The CPU that it stays on; `None`: any.
        cpu: Option<u32>,
    },
}

/// How a worker that has nothing else to do waits for an end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    /// Asleep, until the kernel wakes it.
    #[default]
    Asleep,
    /// By looking into the ring again and again, which spares the waking and takes the whole of a CPU.
    Looking,
}
