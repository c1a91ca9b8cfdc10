//! A row of a comparison: one figure of the same work on every side.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ratio::Ratio;
use super::work::Work;

/// Least bytes of a block to be compared by bytes per second; smaller ones are compared by I/Os per second.
const LARGE: u64 = 64 << 10;

/// The figure that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// I/Os per second; more is better.
    Iops,
    /// Bytes per second; more is better.
    BytesPerSecond,
    /// Mean latency, nanoseconds; less is better.
    MeanLatency,
    /// Median latency, nanoseconds; less is better.
    LatencyP50,
    /// 99th percentile of latency, nanoseconds; less is better.
    LatencyP99,
}

impl Measure {
    /// Whether the measure is a latency, in nanoseconds, of which less is better.
    #[must_use]
    pub const fn is_latency(self) -> bool {
        matches!(self, Measure::MeanLatency | Measure::LatencyP50 | Measure::LatencyP99)
    }
}

/// The same work, side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The work.
    pub work: Work,
    /// The figure that is compared.
    pub measure: Measure,
    /// Figures, one per side: the mean of its runs, and each run; `None` if the side lacks the work.
    pub figures: Vec<Option<SideFigure>>,
    /// Ratios, one per side, to the first side that has a figure; `None` for that side.
    pub ratios: Vec<Option<Ratio>>,
    /// Fields of the work that each side's tool did not record, such as `depth`. The side's figures count as this work
    /// because nothing contradicts it, but may be of another.
    pub unrecorded: Vec<Vec<String>>,
}

/// What a side reached at one work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SideFigure {
    /// Mean of its runs.
    pub value: f64,
    /// Each run.
    pub runs: Vec<f64>,
    /// Greatest rounding error of a printed figure, as a share; 0 if plimsoll measured it.
    pub rounding: f64,
    /// The 95 % interval that the analysis of a single run gives its figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// Seconds measured, all runs together; `None` if an import does not state them.
    pub seconds: Option<f64>,
}

/// Returns the rate by which a work is compared.
pub(super) fn rate(work: &Work) -> Measure {
    if work.block.is_some_and(|block| block >= LARGE) { Measure::BytesPerSecond } else { Measure::Iops }
}
