//! One interval of the record: the I/Os that ended in it, by job and direction. A stall is an interval of zeros,
//! never a gap.

use serde::{Deserialize, Serialize};
use workload::{Direction, Nanos};

use crate::{Distribution, Tally};

/// One direction of an [`Interval`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntervalDirection {
    /// Sums over the I/Os that ended.
    pub tally: Tally,
    /// Latency from due to done.
    pub latency: Distribution,
}

/// I/Os of one job that ended between `start` and `end`, merged over its workers. An interval is final once every
/// worker has passed `end`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// Index into the step's job names.
    pub job: u16,
    /// Start on the run's clock.
    pub start: Nanos,
    /// End on the run's clock; `end - start` is the step's interval length, except in the last interval.
    pub end: Nanos,
    /// Whether the totals include the interval: false during the ramp.
    pub counted: bool,
    /// One entry per direction, indexed by [`Direction::index`].
    pub directions: [IntervalDirection; 4],
    /// Number of submissions more than 1 ms after they were due.
    pub late: u64,
    /// Whether a worker had no spare sheet at an interval's edge, so that this interval may include I/Os of the
    /// previous one.
    pub smeared: bool,
    /// Longest time for which one of the job's workers was ready to run in this interval but had no CPU.
    /// Completions during that time were noticed late, and no requests replaced them. Zero in simulation, unless
    /// the simulation takes CPU away, and in records of earlier versions.
    #[serde(default)]
    pub waited: Nanos,
}

impl Interval {
    /// Returns an interval in which nothing ended.
    pub fn empty(job: u16, start: Nanos, end: Nanos) -> Interval {
        let directions = Default::default();
        Interval { job, start, end, counted: true, directions, late: 0, smeared: false, waited: Nanos::ZERO }
    }

    /// Adds another worker's I/Os in the same interval.
    pub fn merge(&mut self, other: &Interval) {
        for (mine, theirs) in self.directions.iter_mut().zip(&other.directions) {
            mine.tally.merge(&theirs.tally);
            mine.latency.merge(&theirs.latency);
        }
        self.late = self.late.saturating_add(other.late);
        self.smeared |= other.smeared;
        self.waited = self.waited.max(other.waited);
        self.counted &= other.counted;
    }

    /// Returns the figures for `direction`.
    pub fn of(&self, direction: Direction) -> &IntervalDirection {
        &self.directions[direction.index()]
    }

    /// Returns the length in seconds.
    pub fn seconds(&self) -> f64 {
        self.end.since(self.start).as_secs_f64()
    }

    /// Returns reads and writes per second; 0 for an interval without length.
    pub fn iops(&self) -> f64 {
        let ops = self.of(Direction::Read).tally.ops.saturating_add(self.of(Direction::Write).tally.ops);
        if self.end > self.start { ops as f64 / self.seconds() } else { 0.0 }
    }

    /// Returns bytes read and written per second; 0 for an interval without length.
    pub fn bytes_per_second(&self) -> f64 {
        let bytes =
            self.of(Direction::Read).tally.bytes.saturating_add(self.of(Direction::Write).tally.bytes);
        if self.end > self.start { bytes as f64 / self.seconds() } else { 0.0 }
    }
}
