//! The pace at which I/O becomes due.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Iops};

/// When the next I/O becomes due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// As soon as a slot is free: the queue is kept full.
    #[default]
    Closed,
    /// At even intervals, at this rate.
    Fixed(Iops),
    /// When the bytes of the I/Os before it are due, at an even rate of bytes: `rate` I/Os a second of `length` bytes on
    /// average.
    Bytes {
        /// I/Os a second, on average.
        rate: Iops,
        /// Mean length of an I/O.
        length: Bytes,
    },
    /// After exponentially distributed gaps, at this mean rate.
    Poisson(Iops),
    /// In two phases, one dense and one sparse, each with exponentially distributed gaps.
    Phases {
        /// Rate within each phase.
        rates: [Iops; 2],
        /// Mean number of I/Os before the phase changes, at least 1 each. If the reciprocals add up to 1, each gap is drawn
        /// independently of the last: arrivals are hyper-exponential.
        stays: [f64; 2],
    },
    /// When the replayed trace says.
    Traced,
}

impl Pace {
    /// The pace at `factor` times its rate; a closed loop and a trace stay as they are.
    #[must_use]
    pub fn times(self, factor: f64) -> Pace {
        let at = |rate: Iops| Iops(rate.0 * factor);
        match self {
            Pace::Closed | Pace::Traced => self,
            Pace::Fixed(rate) => Pace::Fixed(at(rate)),
            Pace::Bytes { rate, length } => Pace::Bytes { rate: at(rate), length },
            Pace::Poisson(rate) => Pace::Poisson(at(rate)),
            Pace::Phases { rates, stays } => Pace::Phases { rates: rates.map(at), stays },
        }
    }

    /// Requested rate, the mean if it varies; `None` in a closed loop or if a trace sets the times.
    pub fn rate(self) -> Option<Iops> {
        match self {
            Pace::Closed | Pace::Traced => None,
            Pace::Fixed(rate) | Pace::Bytes { rate, .. } | Pace::Poisson(rate) => Some(rate),
            Pace::Phases { rates: [dense, sparse], stays } => {
                Some(Iops((stays[0] + stays[1]) / (stays[0] / dense.0 + stays[1] / sparse.0)))
            }
        }
    }
}
