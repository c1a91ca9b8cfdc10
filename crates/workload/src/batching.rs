//! Limits on I/Os submitted or reaped in one call, and the refill of a queue that was full.

use serde::{Deserialize, Serialize};

/// How I/Os are submitted and reaped; the default costs least without changing what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Batching {
    /// Greatest number of I/Os submitted in one call. `None`: in a job, chosen by planning; in a plan, all I/Os due.
    pub submit_most: Option<u32>,
    /// Number of completions for which a full queue waits before it is reaped; at least 1, at most the depth.
    pub reap_least: u32,
    /// Greatest number of I/Os reaped in one call, at least `reap_least`; `None`: as many as pay off.
    pub reap_most: Option<u32>,
    /// In-flight count down to which a queue that was full must drain before it is refilled; `None`: it is refilled at the
    /// first completion.
    pub refill_at: Option<u32>,
}

impl Batching {
    /// No special requests.
    pub const BEST: Batching =
        Batching { submit_most: None, reap_least: 1, reap_most: None, refill_at: None };
}

impl Default for Batching {
    fn default() -> Self {
        Batching::BEST
    }
}
