//! One interval of the record: what ended in it, by job and direction. A stall is an interval of zeros, never a gap.

use serde::{Deserialize, Serialize};
use workload::{Direction, Nanos};

use crate::{Distribution, Tally};

/// One direction of an [`Interval`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntervalDirection {
    /// Sums.
    pub tally: Tally,
    /// Due→done.
    pub latency: Distribution,
}

/// What ended between `start` and `end`, merged over the workers of one job. Final when every worker has passed `end`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// Index into the names of the step's jobs.
    pub job: u16,
    /// Start on the run's clock.
    pub start: Nanos,
    /// End on the run's clock; `end - start` is the step's interval but for the last one.
    pub end: Nanos,
    /// False during the ramp.
    pub counted: bool,
    /// By [`Direction::index`].
    pub directions: [IntervalDirection; 4],
    /// Submissions that came later than they were due by more than 1 ms.
    pub late: u64,
    /// True where a worker had no spare record at an edge, so that this interval may hold some of the one before.
    pub smeared: bool,
    /// The longest time that one of the job's workers was ready to run in this interval but had no CPU: what came back
    /// meanwhile was noticed late, and nothing was issued in its place. Zero in simulation, but where CPU is taken there too,
    /// and in what earlier versions stored.
    #[serde(default)]
    pub waited: Nanos,
}

impl Interval {
    /// An interval in which nothing has ended.
    pub fn empty(job: u16, start: Nanos, end: Nanos) -> Interval {
        let directions = Default::default();
        Interval { job, start, end, counted: true, directions, late: 0, smeared: false, waited: Nanos::ZERO }
    }

    /// Adds what another worker did in the same interval.
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

    /// The part of `direction`.
    pub fn of(&self, direction: Direction) -> &IntervalDirection {
        &self.directions[direction.index()]
    }

    /// Length in seconds.
    pub fn seconds(&self) -> f64 {
        self.end.since(self.start).as_secs_f64()
    }

    /// Reads and writes a second.
    pub fn iops(&self) -> f64 {
        let ops = self.of(Direction::Read).tally.ops.saturating_add(self.of(Direction::Write).tally.ops);
        if self.end > self.start { ops as f64 / self.seconds() } else { 0.0 }
    }

    /// Bytes read and written a second.
    pub fn bytes_per_second(&self) -> f64 {
        let bytes =
            self.of(Direction::Read).tally.bytes.saturating_add(self.of(Direction::Write).tally.bytes);
        if self.end > self.start { bytes as f64 / self.seconds() } else { 0.0 }
    }
}
