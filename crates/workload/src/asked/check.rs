//! What `plimsoll check` was asked.

use serde::{Deserialize, Serialize};

use super::Asked;
use crate::{Bytes, Nanos};

/// What a check runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckPlan {
    /// Latency, ladders, probes: minutes.
    #[default]
    Quick,
    /// The same at more length, then arrivals of a mix within a latency, then where the volume differs.
    Standard,
    /// The volume is drained on purpose.
    Burst,
    /// A modest load for hours, with looks at all there is between.
    Soak,
}

impl CheckPlan {
    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            CheckPlan::Quick => "quick",
            CheckPlan::Standard => "standard",
            CheckPlan::Burst => "burst",
            CheckPlan::Soak => "soak",
        }
    }
}

/// What `plimsoll check` was asked, as far as the run file does not say it elsewhere: all that it takes to go on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckAsked {
    /// What it runs.
    pub plan: CheckPlan,
    /// Most time for all of it, where that was said.
    pub time: Option<Nanos>,
    /// Steps too short for figures to rely on.
    #[serde(default)]
    pub brief: bool,
    /// Bytes to measure on, where that was said.
    pub size: Option<Bytes>,
    /// Most bytes that all steps write, where that was said.
    pub write_most: Option<Bytes>,
    /// Nothing is written.
    pub reads_only: bool,
    /// Seed of every random choice.
    pub seed: u64,
    /// How many steps there were when each later sitting of the run began.
    #[serde(default)]
    pub sittings: Vec<usize>,
    /// What other procedures were asked that run as parts of it, in their order.
    #[serde(default)]
    pub parts: Vec<Asked>,
}

/// Between the name of a part and the name that a step has within it.
const OF_PART: &str = " › ";

impl Asked {
    /// The name of the procedure where it is a part of a check whose steps are told apart from the check's own.
    pub fn part_name(&self) -> Option<&'static str> {
        match self {
            Asked::Headroom(_) => Some("headroom"),
            Asked::Places(_) => Some("where"),
            _ => None,
        }
    }
}

/// The name of a step of the part called `part` that is called `step` there.
pub fn name_in_part(part: &str, step: &str) -> String {
    format!("{part}{OF_PART}{step}")
}

/// The part that a step of this name belongs to, and its name there; `None` of a check's own.
pub fn part_of_name(name: &str) -> Option<(&str, &str)> {
    name.split_once(OF_PART)
}
