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
    /// Logarithm of the level after over that before; `error` is its standard error.
    pub ratio: f64,
    pub error: f64,
    /// What the load that showed it had before and after, operations per second with their 95 % intervals.
    pub levels: [Segment; 2],
    /// Bytes per operation of that load.
    pub bytes_each: f64,
    /// Whether bytes moved, as far as loads of other sizes show.
    pub bytes: bool,
    /// The direction that it moved, if only one.
    pub direction: Option<Direction>,
}

impl Move {
    /// Whether both may be one change, by their times and ways.
    pub(super) fn meets(&self, other: &Move) -> bool {
        self.low <= other.high && other.low <= self.high && self.ratio * other.ratio > 0.0
    }

    /// Joins one change that two loads show into the one whose time is better known.
    pub(super) fn joined(&self, other: &Move) -> Move {
        if self.high - self.low <= other.high - other.low { *self } else { *other }
    }
}
