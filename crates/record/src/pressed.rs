//! Outcome of a job that had to keep a latency or a rate: the bound that it crossed, or the depth found for it.

use std::fmt;

use serde::{Deserialize, Serialize};
use workload::{Direction, Nanos};

/// A job that crossed a bound and ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundCrossing {
    /// Name of the job.
    pub job: String,
    /// The bound, with the measured value.
    pub bound: CrossedBound,
}

/// A crossed bound, with the measured value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CrossedBound {
    /// A minimum rate.
    Rate {
        /// Direction of the I/Os counted.
        direction: Direction,
        /// Unit in which the rate is counted.
        unit: RateUnit,
        /// The bound, per second.
        least: u64,
        /// The rate reached in a window, per second.
        got: u64,
    },
    /// A maximum latency.
    Latency {
        /// The bound.
        most: Nanos,
        /// Latency of the I/O that crossed the bound.
        took: Nanos,
        /// Direction of that I/O.
        direction: Direction,
        /// Path of the I/O's file.
        path: String,
        /// Byte offset of the I/O.
        offset: u64,
        /// Length of the I/O in bytes.
        bytes: u32,
    },
}

/// Unit in which a rate is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateUnit {
    /// I/Os.
    Ops,
    /// Bytes.
    Bytes,
}

impl CrossedBound {}

impl fmt::Display for BoundCrossing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let job = &self.job;
        match &self.bound {
            CrossedBound::Rate { direction, unit, least, got } => {
                let unit = match unit {
                    RateUnit::Ops => "I/Os",
                    RateUnit::Bytes => "bytes",
                };
                let name = direction.name();
                write!(f, "job '{job}' ended since it did {got} {unit} a second of {name}, and not {least}")
            }
            CrossedBound::Latency { most, took, direction, path, offset, bytes } => {
                let name = direction.name();
                write!(
                    f,
                    "job '{job}' ended since a {name} of {bytes} bytes at byte {offset} of {path} took {took}, more than {most}"
                )
            }
        }
    }
}

/// The final queue depth of a job that searched for one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SteeredDepth {
    /// Name of the job.
    pub job: String,
    /// Depth: I/Os in flight.
    pub depth: u32,
    /// Whether the target latency was met at that depth.
    pub held: TargetOutcome,
}

/// Whether a latency target was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetOutcome {
    /// The target was met at the last try.
    Yes,
    /// The target was missed at the last try.
    No,
    /// The job ended while depths were still being tried.
    Unknown,
}

impl fmt::Display for SteeredDepth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SteeredDepth { job, depth, held } = self;
        match held {
            TargetOutcome::Yes => write!(f, "job '{job}' kept to its latency at depth {depth}"),
            TargetOutcome::No => {
                write!(f, "job '{job}' did not keep to its latency at depth {depth}, where it ended")
            }
            TargetOutcome::Unknown => {
                write!(
                    f,
                    "job '{job}' ended at depth {depth}, before it was known at which it keeps to its latency"
                )
            }
        }
    }
}
