//! Submission of a ring's I/Os to the kernel, and waiting for completions; other backends offer no choice.

use serde::{Deserialize, Serialize};

/// Settings of a worker's ring; the default costs least CPU without changing what is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RingWays {
    /// The submitter, which takes I/Os out of the ring.
    pub submitter: Submitter,
    /// How the worker waits for a completion.
    pub waiting: Waiting,
}

/// The thread that takes I/Os out of a ring and starts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Submitter {
    /// The worker, by one system call for all I/Os that are due.
    #[default]
    Call,
    /// A kernel thread that polls the ring without being called.
    KernelThread {
        /// CPU to which the thread is pinned; `None`: any.
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
