//! When: the pace at which I/O becomes due.

use serde::{Deserialize, Serialize};

use crate::Iops;

/// When the next I/O becomes due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// As soon as a slot is free: the queue is kept full.
    #[default]
    Closed,
    /// Evenly spaced.
    Fixed(Iops),
    /// Exponential gaps with this mean rate.
    Poisson(Iops),
    /// Each when the trace that is replayed says.
    Traced,
}

impl Pace {
    /// The rate that is asked for; `None` in a closed loop, and where a trace says when.
    pub fn rate(self) -> Option<Iops> {
        match self {
            Pace::Closed | Pace::Traced => None,
            Pace::Fixed(rate) | Pace::Poisson(rate) => Some(rate),
        }
    }
}
