//! The pace at which I/O becomes due.

use serde::{Deserialize, Serialize};

use crate::Iops;

/// When the next I/O becomes due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// As soon as a slot is free: the queue is kept full.
    #[default]
    Closed,
    /// At even intervals, at this rate.
    Fixed(Iops),
    /// After exponentially distributed gaps, at this mean rate.
    Poisson(Iops),
    /// When the replayed trace says.
    Traced,
}

impl Pace {
    /// Requested rate; `None` in a closed loop or if a trace sets the times.
    pub fn rate(self) -> Option<Iops> {
        match self {
            Pace::Closed | Pace::Traced => None,
            Pace::Fixed(rate) | Pace::Poisson(rate) => Some(rate),
        }
    }
}
