//! A change from one level to another, as a load shows it.

use statistics::segments::Segment;
use workload::Direction;

/// A change from one level to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Move {
    /// The likeliest time, in seconds on the run's clock; `low` and `high` are its bounds.
    pub at: f64,
    pub low: f64,
    pub high: f64,
    /// Logarithm of the ratio of the level after to the level before; `error` is its standard error.
    pub ratio: f64,
    pub error: f64,
    /// Levels before and after of the load that showed the change, operations per second with their 95 % intervals.
    pub levels: [Segment; 2],
    /// Bytes per operation of that load.
    pub bytes_each: f64,
    /// Whether bytes moved, as far as loads of other sizes show that.
    pub bytes: bool,
    /// The direction that moved, if only one did.
    pub direction: Option<Direction>,
}

impl Move {
    /// Whether both may be one change, by their times and by their signs.
    pub(super) fn meets(&self, other: &Move) -> bool {
        self.low <= other.high && other.low <= self.high && self.ratio * other.ratio > 0.0
    }

    /// Merges one change that two loads show: the one with the better known time is kept.
    pub(super) fn joined(&self, other: &Move) -> Move {
        if self.high - self.low <= other.high - other.low { *self } else { *other }
    }
}
