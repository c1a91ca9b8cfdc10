//! What the record says in figures: every number that a report prints is a field here or in the record.

use policy::Resource;
use serde::{Deserialize, Serialize};
use workload::{Direction, Ending, Nanos};

use crate::headroom::Headroom;
use crate::level::Seen;
use crate::windows::FiveWindows;
use crate::{Answered, Finding, Regimes, Verdict, Watched};

/// A figure with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// Half the interval's length.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// One step of a ladder, or one job, in one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Name of the step.
    pub step: String,
    /// Which way.
    pub direction: Direction,
    /// I/Os in flight, all workers together.
    pub depth: u32,
    /// Bytes of an I/O.
    pub block: u64,
    /// Operations a second.
    pub iops: Estimate,
    /// Bytes a second.
    pub bytes_per_second: Estimate,
    /// Mean latency in nanoseconds.
    pub latency_ns_mean: f64,
    /// Median latency in nanoseconds.
    pub latency_ns_p50: u64,
    /// 99th percentile in nanoseconds.
    pub latency_ns_p99: u64,
    /// Seconds that were counted.
    pub seconds: f64,
    /// Why the step ended.
    pub ending: Ending,
    /// Variance over mean of the counts a second, over the square of the latency's coefficient of variation (the limiter
    /// index; below 0.05: a limiter); `None` with fewer than 5 samples.
    pub limiter_index: Option<f64>,
    /// The intervals that the rate is the mean of.
    #[serde(skip)]
    pub seen: Seen,
}

/// What a step with one I/O at a time shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LatencyRole {
    /// The latency of I/Os that follow each other at once; a cap that binds at depth 1 already stretches it.
    #[default]
    Base,
    /// The latency of I/Os that are spaced wider than a cap asks, so that none stretches it.
    Spaced,
}

/// Latency of one I/O at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencyRow {
    /// Name of the step.
    pub step: String,
    /// What it shows, by the pace that was planned.
    #[serde(default)]
    pub role: LatencyRole,
    /// Which way; a flush is timed by itself.
    pub direction: Direction,
    /// I/Os timed.
    pub count: u64,
    /// Nanoseconds.
    pub mean_ns: f64,
    /// (percent, nanoseconds), rising: 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99 as far as the count supports.
    pub percentiles: Vec<(f64, u64)>,
    /// Greatest, nanoseconds.
    pub max_ns: u64,
}

/// What the run has used up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Operations as the policy charges them; plain operations without a policy.
    pub charged_ops: f64,
    /// Share of the policy's burst credits that is gone at the end if they were full at first (0 to 1), of the rule with the
    /// least left; `None` where the policy has none of known size.
    pub credit_share: Option<f64>,
    /// Seconds under load.
    pub loaded_s: f64,
    /// What every rule with credits of a known size has left.
    #[serde(default)]
    pub credits: Vec<CreditRow>,
}

/// The credits of one rule of the policy after the run. Shares are of a full bucket, or of the time of a burst that ends with
/// time; nobody knows what was there at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreditRow {
    /// The rule's name in the policy.
    pub rule: String,
    /// What it counts.
    pub resource: Resource,
    /// Operations or bytes a second while there are credits.
    pub burst: f64,
    /// Operations or bytes a second without.
    pub baseline: f64,
    /// Share that is gone at the end if it was full at first.
    pub spent_of_full: f64,
    /// The least share left at the end that agrees with the rates that were seen.
    pub left_least: f64,
    /// The greatest share left that does.
    pub left_most: f64,
    /// The share that must have been there at first at the least.
    pub held_at_least: f64,
    /// Seconds that the burst lasts from a full bucket.
    pub lasts_s_full: Option<f64>,
    /// Seconds that it still lasts from the least that may be left.
    pub lasts_s_least: Option<f64>,
    /// Seconds that it still lasts from the most.
    pub lasts_s_most: Option<f64>,
}

/// What the record says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// Latency at depth 1: reads, writes, flushes.
    pub latencies: Vec<LatencyRow>,
    /// Depth ladders, by direction and then rising depth.
    pub depths: Vec<Point>,
    /// Block ladders, by direction and then rising block.
    pub blocks: Vec<Point>,
    /// Jobs of the user's own.
    pub jobs: Vec<Point>,
    /// The greatest rates at which claimed latencies hold.
    pub headroom: Vec<Headroom>,
    /// What the run has used up.
    pub spent: Spent,
    /// What was looked at, from the first load that keeps the queue full to the end of the last, where no change was found in
    /// it; zero where one was, or where the level drifts.
    pub horizon: Nanos,
    /// Changes of the level, with their times.
    pub regimes: Regimes,
    /// The steady state by five windows, where there was enough of one load since the last change.
    pub windows: Option<FiveWindows>,
    /// What it means, the weightiest first.
    pub findings: Vec<Finding>,
    /// The answer.
    pub verdict: Verdict,
    /// The answer to what a procedure was asked; `None` where the steps say it all.
    pub answered: Option<Answered>,
    /// Figures of a watched machine; `None` where only a target was measured.
    pub watched: Option<Watched>,
}
