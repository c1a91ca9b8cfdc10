//! Limits of a worker in addition to its pace: bounds that end it, a latency that sets its depth, a proportion to other
//! workers.

use serde::{Deserialize, Serialize};

use crate::{ByDirection, Bytes, Nanos};

/// Bounds that end a worker because its volume is too slow; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Bounds {
    /// Longest time from due to completed that an I/O may take; `None`: no bound.
    pub latency: ByDirection<Option<Nanos>>,
    /// Minimum rates, if any.
    pub rates: Option<LeastRates>,
}

impl Bounds {
    /// Whether there is any bound.
    pub fn is_any(&self) -> bool {
        self.rates.is_some() || self.latency.iter().any(|(_, most)| most.is_some())
    }
}

/// Rates below which a worker ends, checked window by window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LeastRates {
    /// I/Os per second; 0: no bound.
    pub ops: ByDirection<u64>,
    /// Bytes per second; 0: no bound.
    pub bytes: ByDirection<Bytes>,
    /// Length of a window.
    pub window: Nanos,
    /// Time from the start of counting to the first window.
    pub grace: Nanos,
}

/// Search for a queue depth: the greatest, up to the worker's own, at which enough I/Os complete in time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steering {
    /// Target latency, from due to completed.
    pub target: Nanos,
    /// Time for which each depth is tried.
    pub window: Nanos,
    /// Percent of the I/Os of a window that must complete within `target`.
    pub percent: f64,
    /// The action once the depth is found.
    pub then: WhenFound,
}

/// The action once a depth is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenFound {
    /// One more window, the only one that counts, then the end.
    #[default]
    Measured,
    /// The worker goes on and follows the right depth as it changes.
    Followed,
}

/// A proportion that several workers keep among each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// Number that the workers of one flow share.
    pub id: u32,
    /// Weight, at least 1: the worker's share of the flow's I/Os is its weight over the sum of all weights.
    pub weight: u32,
    /// Time after which a worker that is ahead checks again.
    pub rest: Nanos,
}
