//! What the record says in figures: every number that a report prints is a field here or in the record.

use policy::Resource;
use serde::{Deserialize, Serialize};
use workload::{Direction, Ending, Nanos};

use crate::answered::ProcedureAnswer;
use crate::findings::Finding;
use crate::headroom::Headroom;
use crate::level::CleanIntervals;
use crate::regimes::Regimes;
use crate::verdict::Verdict;
use crate::watch::shape::WatchFigures;
use crate::windows::FiveWindows;

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

/// What a step with one I/O at a time shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LatencyRole {
    /// The latency of I/Os that follow each other at once; a cap that already binds at depth 1 stretches it.
    #[default]
    Base,
    /// The latency of I/Os spaced wider than a cap asks, so that none stretches it.
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

/// What the run has used up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Consumption {
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Operations as the policy charges them; plain operations without a policy.
    pub charged_ops: f64,
    /// Share of the policy's burst credits that is gone at the end if they were full at first (0 to 1), of the rule
    /// with the least left; `None` if the policy has no credits of known size.
    pub credit_share: Option<f64>,
    /// Seconds under load.
    pub loaded_s: f64,
    /// What is left of every rule that has credits of a known size.
    #[serde(default)]
    pub credits: Vec<CreditRow>,
}

/// The credits of one rule of the policy after the run. Shares are of a full bucket, or of the time of a burst that
/// ends with time; what was there at the start is not known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreditRow {
    /// The rule's name in the policy.
    pub rule: String,
    /// What the rule counts.
    pub resource: Resource,
    /// Operations or bytes per second while there are credits.
    pub burst: f64,
    /// Operations or bytes per second without credits.
    pub baseline: f64,
    /// Share that is gone at the end if all were there at first.
    pub spent_of_full: f64,
    /// Least share left at the end that agrees with the rates that were seen.
    pub left_least: f64,
    /// Greatest share left at the end that agrees with the rates that were seen.
    pub left_most: f64,
    /// Least share that must have been there at first.
    pub held_at_least: f64,
    /// Seconds that the burst lasts from a full bucket.
    pub lasts_s_full: Option<f64>,
    /// Seconds that the burst still lasts from the least share left.
    pub lasts_s_least: Option<f64>,
    /// Seconds that the burst still lasts from the greatest share left.
    pub lasts_s_most: Option<f64>,
}

/// What a run shows: its figures, findings and verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// Latency at depth 1: reads, writes, flushes.
    pub latencies: Vec<LatencyRow>,
    /// Rungs of the depth ladders, by direction and then rising depth.
    pub depths: Vec<Point>,
    /// Rungs of the block ladders, by direction and then rising block.
    pub blocks: Vec<Point>,
    /// Jobs that the user defined.
    pub jobs: Vec<Point>,
    /// The greatest rates at which claimed latencies hold.
    pub headroom: Vec<Headroom>,
    /// What the run has used up.
    pub spent: Consumption,
    /// Time from the first load that keeps the queue full to the end of the last, if no change was found in it; zero
    /// if one was, or if the level drifts.
    pub horizon: Nanos,
    /// Changes of the level, with their times.
    pub regimes: Regimes,
    /// Steady state by five windows, if there was enough of one load since the last change.
    pub windows: Option<FiveWindows>,
    /// Findings, the weightiest first.
    pub findings: Vec<Finding>,
    /// The verdict.
    pub verdict: Verdict,
    /// The answer to what a procedure was asked; `None` if the steps say it all.
    pub answered: Option<ProcedureAnswer>,
    /// Figures of a watched machine; `None` if only a target was measured.
    pub watched: Option<WatchFigures>,
}
