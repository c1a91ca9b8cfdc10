//! The figures of one step: a point in each direction, and the latency of one I/O at a time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Direction, Ending};

use crate::estimate::Estimate;

/// One step of a ladder, or one job, in one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Name of the step.
    pub step: String,
    /// Direction.
    pub direction: Direction,
    /// I/Os in flight, all workers together.
    pub depth: u32,
    /// Bytes of an I/O.
    pub block: u64,
    /// Operations per second.
    pub iops: Estimate,
    /// Bytes per second.
    pub bytes_per_second: Estimate,
    /// Mean latency, nanoseconds.
    pub latency_ns_mean: f64,
    /// Median latency, nanoseconds.
    pub latency_ns_p50: u64,
    /// 99th percentile of latency, nanoseconds.
    pub latency_ns_p99: u64,
    /// Counted seconds.
    pub seconds: f64,
    /// Why the step ended.
    pub ending: Ending,
    /// Variance over mean of the counts per interval, over the square of the latency's coefficient of variation (the
    /// limiter index; below 0.05: a limiter); `None` with fewer than four intervals, or if the latency hardly varies
    /// (method 5.1).
    pub limiter_index: Option<f64>,
    /// The intervals whose mean is the rate.
    #[serde(skip)]
    pub seen: CleanIntervals,
}

impl Point {
    /// Returns the point with its rates multiplied by `factor`.
    pub(crate) fn times(&self, factor: f64) -> Point {
        let mut point = self.clone();
        (point.iops, point.bytes_per_second) = (self.iops.times(factor), self.bytes_per_second.times(factor));
        let rates = point.seen.moments.iter_mut().flat_map(|(_, rates)| rates);
        rates.for_each(|rate| *rate *= factor);
        point
    }
}

/// The clean intervals of a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CleanIntervals {
    /// Length of an interval, seconds.
    pub seconds: f64,
    /// Spans without a gap: start of each in seconds on the run's clock, and its rates in operations per second.
    pub moments: Vec<(f64, Vec<f64>)>,
    /// The regime of all these intervals; `None` if a change may fall among them.
    pub regime: Option<usize>,
    /// Latency of one I/O at a time in this direction, nanoseconds, if known.
    pub base_ns: Option<f64>,
}

/// What a step with one I/O at a time shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LatencyRole {
    /// The latency of back-to-back I/Os; a cap that already binds at depth 1 stretches it.
    #[default]
    Base,
    /// The latency of I/Os spaced so widely that no cap stretches it.
    Spaced,
}

/// Latency of one I/O at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyRow {
    /// Name of the step.
    pub step: String,
    /// The kind of latency, by the planned pace.
    #[serde(default)]
    pub role: LatencyRole,
    /// Direction; flushes are timed on their own.
    pub direction: Direction,
    /// Number of I/Os timed.
    pub count: u64,
    /// Mean latency, nanoseconds.
    pub mean_ns: f64,
    /// Percentiles (percent, nanoseconds), ascending: 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, as far as the
    /// count supports them.
    pub percentiles: Vec<(f64, u64)>,
    /// Greatest latency, nanoseconds.
    pub max_ns: u64,
}
