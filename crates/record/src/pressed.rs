//! What became of a job that was to keep to a latency or a rate: the bound that it crossed, the depth that was found for it.

use std::fmt;

use serde::{Deserialize, Serialize};
use workload::{Direction, Nanos};

/// A bound that a job crossed, which ended it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crossed {
    /// The job.
    pub job: String,
    /// The bound, and what was seen instead.
    pub bound: CrossedBound,
}

/// A bound, and what was seen instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CrossedBound {
    /// A least rate.
    Rate {
        /// Of which I/Os.
        direction: Direction,
        /// In what it is counted.
        unit: RateUnit,
        /// The bound, a second.
        least: u64,
        /// What was reached in a window, a second.
        got: u64,
    },
    /// A greatest latency.
    Latency {
        /// The bound.
        most: Nanos,
        /// What the I/O took.
        took: Nanos,
        /// Which way it went.
        direction: Direction,
        /// The file.
        path: String,
        /// Its byte offset.
        offset: u64,
        /// Its length in bytes.
        bytes: u32,
    },
}

/// In what a rate is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateUnit {
    /// I/Os.
    Ops,
    /// Bytes.
    Bytes,
}

impl CrossedBound {
    /// The error with which such a job ends: EIO of a rate, ETIMEDOUT of a latency.
    pub fn errno(&self) -> i32 {
        match self {
            CrossedBound::Rate { .. } => 5,
            CrossedBound::Latency { .. } => 110,
        }
    }
}

impl fmt::Display for Crossed {
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

/// The depth at which a job that searched for one ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steered {
    /// The job.
    pub job: String,
    /// I/Os in flight.
    pub depth: u32,
    /// Whether the target held there.
    pub held: Held,
}

/// Whether a target held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// At the last try.
    Yes,
    /// Not at the last try.
    No,
    /// The job ended while depths were tried.
    Unknown,
}

impl fmt::Display for Steered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Steered { job, depth, held } = self;
        match held {
            Held::Yes => write!(f, "job '{job}' kept to its latency at depth {depth}"),
            Held::No => write!(f, "job '{job}' did not keep to its latency at depth {depth}, where it ended"),
            Held::Unknown => {
                write!(
                    f,
                    "job '{job}' ended at depth {depth}, before it was known at which it keeps to its latency"
                )
            }
        }
    }
}
