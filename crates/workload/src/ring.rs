//! How the I/Os of a ring reach the kernel and how their completions are awaited; other backends have only one way.

use serde::{Deserialize, Serialize};

/// How a worker's ring is served; the default costs least CPU without changing what is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RingWays {
    /// What takes I/Os out of the ring.
    pub submitter: Submitter,
    /// How a completion is awaited.
    pub waiting: Waiting,
}

/// What takes I/Os out of a ring and starts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Submitter {
    /// The worker, by one system call for all that are due.
    #[default]
    Call,
    /// A kernel thread that polls the ring without being called.
    KernelThread {
        /// CPU to which it is pinned; `None`: any.
        cpu: Option<u32>,
    },
}

/// How an otherwise idle worker waits for a completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    /// Asleep, until the kernel wakes it.
    #[default]
    Asleep,
    /// By polling the ring, which saves the wake-up and takes a whole CPU.
    Looking,
}
