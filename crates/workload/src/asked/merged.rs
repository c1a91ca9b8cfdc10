//! What `plimsoll merge` put together: the machines, and the part that each had in every step.

use serde::{Deserialize, Serialize};

use crate::{Direction, Nanos};

/// The runs of several machines or volumes as one, by `plimsoll merge`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MergedRequest {
    /// The machines, in the order of their labels.
    pub machines: Vec<MergedMachine>,
    /// For each step of the run, the parts of the machines in the order of the step's jobs.
    pub steps: Vec<Vec<MergedPart>>,
    /// Steps of a machine that are in no step of the run.
    pub left_out: Vec<LeftOutStep>,
    /// Names of further machines, of which no run is known: lost, or failed.
    #[serde(default)]
    pub missing: Vec<String>,
    /// Rates of the machines by themselves, from other runs; empty if none was given.
    #[serde(default)]
    pub alone: Vec<AloneRate>,
}

/// Rate of a machine in a run during which no other machine was loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AloneRate {
    /// Name of the machine in the merged run.
    pub label: String,
    /// Name of the step.
    pub step: String,
    /// Direction.
    pub direction: Direction,
    /// Operations per second.
    pub iops: f64,
    /// Lower end of their 95 % interval.
    pub low: f64,
    /// Upper end of their 95 % interval.
    pub high: f64,
}

/// One of several runs that were merged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedMachine {
    /// Name of the machine in the merged run, which no other machine has.
    pub label: String,
    /// The target as typed; empty if the run does not say.
    pub target: String,
    /// The run file.
    pub file: String,
    /// Version of plimsoll that recorded the run.
    pub version: String,
    /// Correction of the machine's clock in nanoseconds, as given by the user; added to its times.
    pub clock_ns: i64,
    /// How far the corrected clock may still be off; `None` if unknown.
    #[serde(default)]
    pub clock_within: Option<Nanos>,
}

/// The part of one machine in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedPart {
    /// Index of the machine.
    pub machine: u16,
    /// Number of the step's jobs that are the machine's; they follow those of the previous part.
    pub jobs: u16,
    /// When the machine began to count, on the clock of the merged run.
    pub counted_from: Nanos,
    /// When the machine's last I/O completed, on the clock of the merged run.
    pub ended: Nanos,
    /// Nanoseconds by which the machine's intervals were moved onto the edges of the first machine's intervals; at most
    /// half an interval to either side.
    pub moved_ns: i64,
}

/// A step of a machine that is in no step of the merged run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutStep {
    /// Index of the machine.
    pub machine: u16,
    /// Name of the step.
    pub step: String,
    /// Why it was left out.
    pub reason: LeftOutReason,
}

/// Why a step of a machine is in no step of a merged run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// No other machine has a step of this name.
    Alone,
    /// It has no whole interval in common with the same step of most machines.
    Apart,
    /// It was interrupted, or an I/O failed in it.
    CutShort,
}
