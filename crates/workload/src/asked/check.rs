//! Parameters of `plimsoll check`.

use serde::{Deserialize, Serialize};

use super::ProcedureRequest;
use crate::{Bytes, Nanos};

/// The plan of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckPlan {
    /// Latency, ladders and probes: minutes.
    #[default]
    Quick,
    /// `Quick` at greater length, then a mix of arrivals within a latency, then a comparison of the volume's places.
    Standard,
    /// A load that drains the volume's credits.
    Burst,
    /// A modest load for hours, with short tests at full load in between.
    Soak,
}

impl CheckPlan {
    /// The name as typed on the command line.
    pub fn name(self) -> &'static str {
        match self {
            CheckPlan::Quick => "quick",
            CheckPlan::Standard => "standard",
            CheckPlan::Burst => "burst",
            CheckPlan::Soak => "soak",
        }
    }
}

/// Parameters of `plimsoll check` that the run file does not state elsewhere; sufficient to resume the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckRequest {
    /// Plan of the check.
    pub plan: CheckPlan,
    /// Longest time for the whole check, if one was given.
    pub time: Option<Nanos>,
    /// Whether steps are too short for reliable figures.
    #[serde(default)]
    pub brief: bool,
    /// Size of the region to measure, if one was given.
    pub size: Option<Bytes>,
    /// Greatest number of bytes that all steps may write together, if a limit was given.
    pub write_most: Option<Bytes>,
    /// Whether nothing may be written.
    pub reads_only: bool,
    /// Seed of every random choice.
    pub seed: u64,
    /// Number of steps recorded when each later sitting of the run began.
    #[serde(default)]
    pub sittings: Vec<usize>,
    /// Parameters of the other procedures that run as parts of the check, in their order.
    #[serde(default)]
    pub parts: Vec<ProcedureRequest>,
}

/// Separates the name of a part from a step's name within it.
const OF_PART: &str = " › ";

impl ProcedureRequest {
    /// Name of the procedure if its steps form a part of a check, distinct from the check's own steps.
    pub fn part_name(&self) -> Option<&'static str> {
        match self {
            ProcedureRequest::Headroom(_) => Some("headroom"),
            ProcedureRequest::Places(_) => Some("where"),
            _ => None,
        }
    }
}

/// Name in a check of the step called `step` in the part called `part`.
pub fn name_in_part(part: &str, step: &str) -> String {
    format!("{part}{OF_PART}{step}")
}

/// Splits a step's name into its part and its name there; `None` for a step of the check's own.
pub fn part_of_name(name: &str) -> Option<(&str, &str)> {
    name.split_once(OF_PART)
}
