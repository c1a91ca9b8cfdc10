//! How many I/Os go to the kernel in one call, come back in one, and when a queue that was full is filled again.

use serde::{Deserialize, Serialize};

/// How I/Os go to the kernel and come back; the default is whatever costs least without changing what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Batching {
    /// I/Os handed over in one call at most. `None`: in a job as planning decides, in a plan all that are due.
    pub submit_most: Option<u32>,
    /// I/Os that a full queue waits for before it is looked at; at least 1, at most the depth.
    pub reap_least: u32,
    /// I/Os taken back in one call at most; `None`: as many as are worth it.
    pub reap_most: Option<u32>,
    /// A queue that was full gets nothing until no more than this are in flight; `None`: until one has ended.
    pub refill_at: Option<u32>,
}

impl Batching {
    /// Nothing is asked for.
    pub const BEST: Batching =
        Batching { submit_most: None, reap_least: 1, reap_most: None, refill_at: None };
}

impl Default for Batching {
    fn default() -> Self {
        Batching::BEST
    }
}
