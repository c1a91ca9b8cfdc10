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
    /// Seconds that were counted.
    pub seconds: f64,
    /// Why the step ended.
    pub ending: Ending,
    /// Variance over mean of the counts per interval, over the square of the latency's coefficient of variation (the
    /// limiter index; below 0.05: a limiter); `None` with fewer than four intervals, or if the latency hardly varies
    /// (method 5.1).
    pub limiter_index: Option<f64>,
    /// The intervals of which the rate is the mean.
    #[serde(skip)]
    pub seen: CleanIntervals,
}

/// The clean intervals of a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CleanIntervals {
    /// Length of an interval, seconds.
    pub seconds: f64,
    /// Spans without a gap: seconds on the run's clock at which each began, and its rates in operations per second.
    pub moments: Vec<(f64, Vec<f64>)>,
    /// The regime in which all of them lie; `None` if a change may fall among them.
    pub regime: Option<usize>,
    /// Latency of one I/O at a time in this direction, nanoseconds, if known.
    pub base_ns: Option<f64>,
}

/// What a step with one I/O at a time shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LatencyRole {
    /// The latency of I/Os that follow each other at once; a cap that already binds at depth 1 stretches it.
    #[default]
    Base,
    /// The latency of I/Os spaced wider than a cap asks, so that none stretches it.
    Spaced,
}

/// Latency of one I/O at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyRow {
    /// Name of the step.
    pub step: String,
    /// What it shows, by the pace that was planned.
    #[serde(default)]
    pub role: LatencyRole,
    /// Direction; a flush is timed by itself.
    pub direction: Direction,
    /// Number of I/Os timed.
    pub count: u64,
    /// Mean, nanoseconds.
    pub mean_ns: f64,
    /// Percentiles (percent, nanoseconds), rising: 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99 as far as the count
    /// supports.
    pub percentiles: Vec<(f64, u64)>,
    /// Greatest, nanoseconds.
    pub max_ns: u64,
}
