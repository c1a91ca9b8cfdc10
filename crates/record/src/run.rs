//! A run: everything that was asked, found out and measured.

use serde::{Deserialize, Serialize};
use workload::{Asked, InTurns, Nanos};

use crate::{
    DeviceNode, ExceededWhile, HostFacts, LocalLimit, Observed, Phase, Reported, Sample, StepRecord,
    TargetFacts,
};

/// A run, measured here or imported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Version of plimsoll that recorded it.
    pub version: String,
    /// The command line as typed, one word each.
    pub words: Vec<String>,
    /// When the run's clock showed zero: milliseconds since 1970, UTC; zero where an import does not say.
    pub started_unix_ms: u64,
    /// Measured here, or read from another tool's output.
    pub origin: Origin,
    /// The machine; `None` where an import does not say.
    pub host: Option<HostFacts>,
    /// The target; `None` where an import does not say.
    pub target: Option<TargetFacts>,
    /// The policy as typed.
    pub policy: Option<String>,
    /// The expectation as typed.
    pub expectation: Option<String>,
    /// Policies of the user's own that its words name: the file as typed, and what it held.
    #[serde(default)]
    pub own_policies: Vec<(String, String)>,
    /// What the procedure was asked whose steps these are; `None` where the steps say it all.
    #[serde(default)]
    pub asked: Option<Asked>,
    /// How long it was expected to take when it began; `None` where that is not known.
    #[serde(default)]
    pub forecast: Option<Nanos>,
    /// In the order they ran.
    pub steps: Vec<StepRecord>,
    /// What another tool printed, in the order it printed it; empty where plimsoll measured.
    #[serde(default)]
    pub reported: Vec<Reported>,
    /// Every block device of the machine that was watched, each behind those it stands on; empty where only a target was
    /// measured.
    #[serde(default)]
    pub devices: Vec<DeviceNode>,
    /// Limits that the machine itself sets on its devices.
    #[serde(default)]
    pub limits: Vec<LocalLimit>,
    /// What a provider's volumes counted themselves of their limits; empty where none does.
    #[serde(default)]
    pub exceeded: Vec<ExceededWhile>,
    /// The phases of a watch, in time order.
    #[serde(default)]
    pub phases: Vec<Phase>,
    /// Series that another tool printed; read it through [`crate::Recording`].
    #[serde(default)]
    pub observed: Option<Observed>,
    /// Raw counters in time order.
    pub samples: Vec<Sample>,
    /// What happened beside the load, in time order.
    pub events: Vec<Event>,
    /// What it means, as the analysis put it at the time.
    pub findings: Vec<StoredFinding>,
    /// False where the run was cut off before it could say its last word.
    pub complete: bool,
    /// How long it has been running, where it still is while it is read. Never stored: who reads it finds out.
    #[serde(skip)]
    pub still_running: Option<Nanos>,
}

/// Where a run comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Measured by plimsoll.
    Measured,
    /// Read from another tool's output.
    Imported {
        /// `fio 3.33 JSON`, for example.
        tool: String,
        /// What that output does not hold.
        lacks: Vec<String>,
    },
}

/// Something that happened beside the load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When on the run's clock.
    pub at: Nanos,
    /// What kind.
    pub kind: EventKind,
    /// In words.
    pub text: String,
}

/// Kinds of [`Event`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// Worth knowing.
    #[default]
    Note,
    /// Something that weakens the result.
    Warning,
    /// An I/O or a step failed.
    Failure,
    /// Somebody asked to stop.
    Interrupt,
}

/// A finding as it is stored: its kind, its numbers as JSON and its sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFinding {
    /// Kind in snake_case.
    pub kind: String,
    /// The whole finding as JSON.
    pub json: String,
    /// In words.
    pub sentence: String,
}

impl Run {
    /// What it was asked as one side of a comparison in turns.
    pub fn in_turns(&self) -> Option<&InTurns> {
        match &self.asked {
            Some(Asked::InTurns(asked)) => Some(asked),
            _ => None,
        }
    }

    /// A run in which nothing has happened yet.
    pub fn started(words: Vec<String>, started_unix_ms: u64) -> Run {
        Run {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            words,
            started_unix_ms,
            origin: Origin::Measured,
            host: None,
            target: None,
            policy: None,
            expectation: None,
            own_policies: Vec::new(),
            asked: None,
            forecast: None,
            steps: Vec::new(),
            reported: Vec::new(),
            devices: Vec::new(),
            limits: Vec::new(),
            exceeded: Vec::new(),
            phases: Vec::new(),
            observed: None,
            samples: Vec::new(),
            events: Vec::new(),
            findings: Vec::new(),
            complete: false,
            still_running: None,
        }
    }
}
