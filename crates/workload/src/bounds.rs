//! What a worker keeps to beside its pace: bounds that end it, a latency that sets its depth, a proportion to others.

use serde::{Deserialize, Serialize};

use crate::{ByDirection, Bytes, Nanos};

/// What ends a worker because its volume is too slow; the default is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Bounds {
    /// The longest time from due to done that an I/O may take; `None`: any.
    pub latency: ByDirection<Option<Nanos>>,
    /// The least rates.
    pub rates: Option<LeastRates>,
}

impl Bounds {
    /// Whether there is any.
    pub fn is_any(&self) -> bool {
        self.rates.is_some() || self.latency.iter().any(|(_, most)| most.is_some())
    }
}

/// Rates below which a worker ends, looked at over one window after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LeastRates {
    /// I/Os a second; 0: any.
    pub ops: ByDirection<u64>,
    /// Bytes a second; 0: any.
    pub bytes: ByDirection<Bytes>,
    /// Length of a window.
    pub window: Nanos,
    /// Time from where counting begins to the first window.
    pub grace: Nanos,
}

/// A queue depth that is searched for: the greatest up to that of the worker at which enough I/Os are done in time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steering {
    /// From due to done.
    pub target: Nanos,
    /// How long a depth is tried.
    pub window: Nanos,
    /// Percent of the I/Os of a window that must be done within `target`.
    pub percent: f64,
    /// What follows once the depth is found.
    pub then: WhenFound,
}

/// What follows once a depth is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenFound {
    /// One more window, which alone counts, and the end.
    #[default]
    Measured,
    /// The worker goes on and follows where the depth that does moves.
    Followed,
}

/// A proportion that workers keep among each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// Workers of one number keep it among each other.
    pub id: u32,
    /// Its share of their I/Os is this over the sum of theirs; at least 1.
    pub weight: u32,
    /// How long it waits where it is ahead, before it looks again.
    pub rest: Nanos,
}
