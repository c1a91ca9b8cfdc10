//! The answer to a policy or an expectation, claim by claim (method 6.2).

use policy::Resource;
use record::TargetDoubt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Direction, Nanos};

use crate::estimate::Estimate;

/// The answer to one claim, or to all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// No claim was made: the figures are the answer.
    Measured,
    /// The claim holds.
    Meets,
    /// Above the claim by over 3 %: first suspect a cache, a burst, merging, or another unit.
    Exceeds,
    /// Below the claim.
    Below,
    /// The rate is that of the policy's burst, and the burst is longer than the run.
    ConsistentWithBurst,
    /// The record does not decide the claim.
    CannotTell,
}

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Operations per second, at least.
    Iops,
    /// Bytes per second, at least.
    BytesPerSecond,
    /// Mean latency, nanoseconds, at most.
    MeanLatency,
    /// Percentile of latency, nanoseconds, at most.
    PercentileLatency,
}

/// Which reading of "MB/s" a figure fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// 1,048,576 bytes.
    Binary,
    /// 1,000,000 bytes.
    Decimal,
}

/// The figure that is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimedFigure {
    /// The figure: operations or bytes per second, or nanoseconds.
    pub value: f64,
    /// The figure as its source writes it: `3,000`, `125 MiB/s`, `200 MB/s`, `30 ms`.
    pub words: String,
    /// Source of the claim: policy id with date, or `expectation`.
    pub source: String,
    /// The reading that the measurement fits, if any, for a bandwidth whose source writes an ambiguous MB/s.
    pub reading: Option<Reading>,
}

/// Why a claim cannot be decided, or is weaker than it looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "doubt", rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Doubt {
    /// At `rate` per second, charged by the rule on `of`, the policy's burst lasts `burst_s` seconds from a full
    /// bucket. The run loaded the volume for `loaded_s`, and the content before is not known: the burst lasts for
    /// another `left_s_least` to `left_s_most`.
    InsideBurst { of: Resource, rate: f64, burst_s: f64, loaded_s: f64, left_s_least: f64, left_s_most: f64 },
    /// The `baseline` of the rule on `of` was the limit while the load asked for more: with credits, `burst` would be
    /// it.
    CreditsSpent { of: Resource, baseline: f64, burst: f64 },
    /// A volume of another `policy` has these figures too while its burst lasts: `lasts_s` from full credits, `None` if
    /// not published. So have those of `more` further policies.
    BurstOfAnother { policy: String, lasts_s: Option<f64>, more: usize },
    /// The policy's burst has no published length.
    BurstUnknown,
    /// Not measured in this run.
    NotMeasured,
    /// The rate did not settle, or there are too few samples.
    TooShort,
    /// The loads that this rate was measured with were counted for only `seconds` in all: the bytes that may be written
    /// were spent.
    Brief { seconds: f64 },
    /// The rate is on the border at which the claim still counts as met, `least` of it (0 to 1); longer steps do not
    /// help.
    OnTolerance { least: f64 },
    /// Met if MB is decimal and missed if MB is binary, and the source does not say which.
    UnitUnknown,
    /// The level varies over time by more than its noise explains; the interval is wider for the times not measured.
    Wandering,
    /// The rate was measured only before the change at `at`.
    BeforeChange { at: Nanos },
    /// The level swings between `low` and `high` with the mean `mean`, as shares of the last measurement.
    Swings { low: f64, mean: f64, high: f64 },
    /// The level after the last change, at `at`, was not measured for long enough.
    Unsettled { at: Nanos },
    /// plimsoll itself was the limit.
    GeneratorBound,
    /// Other programs' load on the device.
    ForeignLoad,
    /// The target itself is in doubt (memory, cache, overlay).
    Target {
        #[schemars(with = "String")]
        why: TargetDoubt,
    },
    /// The page cache answered reads.
    CachedReads,
    /// A cache in front of the volume answered `share` (0 to 1) of the reads: with these, `reached` operations a second
    /// came through. The figure is that of the others.
    Cached { share: f64, reached: f64 },
    /// `share` (0 to 1) of the region holds no data.
    Unwritten { share: f64 },
    /// All claimed rates were asked for at once; alone, this `direction` reached `alone` operations a second, which meets
    /// the claim.
    AtOnce { direction: Direction, alone: f64 },
    /// Below the claim, but the tested depth cannot reach it: at the measured latency the claimed rate takes `depth` or
    /// more.
    DepthTooLow { depth: f64 },
    /// Below nominal, but within the promise: at least `fraction` of nominal.
    WithinPromise { fraction: f64 },
    /// Too few values for that percentile.
    FewSamples { count: u64 },
    /// The run was stopped before its end.
    Interrupted,
}

/// One claim with its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimRow {
    /// Name of the claim, in words: `4 KiB read IOPS`, `1 MiB write`, `read p99`.
    pub what: String,
    /// The claimed quantity.
    pub quantity: Quantity,
    /// Direction.
    pub direction: Direction,
    /// The claimed figure.
    pub claimed: ClaimedFigure,
    /// The measured figure, in the unit of `claimed.value`.
    pub measured: Option<Estimate>,
    /// The same figure with the interval of its long-run mean, if `measured` has the narrower one of this run and the wider one
    /// would leave the claim open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_time: Option<Estimate>,
    /// 99th percentile of latency in that measurement, nanoseconds.
    pub latency_ns_p99: Option<u64>,
    /// I/Os in flight in that measurement.
    #[serde(default)]
    pub depth: Option<u32>,
    /// The answer.
    pub answer: Answer,
    /// Doubts about the answer.
    pub doubts: Vec<Doubt>,
}

/// The answer to all claims.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Below if any claim is; otherwise cannot tell, then consistent with burst, then meets if any is; else exceeds.
    pub answer: Answer,
    /// Source of the claims: the policy as typed, or the expectation.
    pub subject: Option<String>,
    /// One row per claim; without claims, one per cap.
    pub rows: Vec<ClaimRow>,
    /// Doubts that concern the whole run.
    pub doubts: Vec<Doubt>,
}

impl Answer {
    /// Returns the exit code of plimsoll's own commands: 0 if met or without claims, 3 if below, 4 if it cannot tell.
    pub fn exit_code(self) -> u8 {
        match self {
            Answer::Measured | Answer::Meets | Answer::Exceeds => 0,
            Answer::Below => 3,
            Answer::ConsistentWithBurst | Answer::CannotTell => 4,
        }
    }
}
