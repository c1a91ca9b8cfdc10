//! A run: the request, the collected facts, and the measurements.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{Nanos, ProcedureRequest, TurnsRequest};

use crate::{
    DeviceNode, DiskColumns, ExceededWhile, HostFacts, LocalLimit, ObservedMachine, Phase, ProcessLoads,
    ReportedPart, Sample, StepRecord, TargetFacts,
};

/// A run, measured here or imported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Version of plimsoll that recorded the run.
    pub version: String,
    /// Command line as typed, one argument each.
    pub words: Vec<String>,
    /// Wall-clock time at zero of the run's clock: milliseconds since 1970, UTC; zero if an import does not say.
    pub started_unix_ms: u64,
    /// The same in nanoseconds; `None` in files of earlier versions and of other tools.
    #[serde(default)]
    pub started_unix_ns: Option<u64>,
    /// Origin: measured by plimsoll or read from another tool's output.
    pub origin: Origin,
    /// The machine; `None` if an import does not say.
    pub host: Option<HostFacts>,
    /// The target; `None` if an import does not say.
    pub target: Option<TargetFacts>,
    /// The policy as typed.
    pub policy: Option<String>,
    /// The expectation as typed.
    pub expectation: Option<String>,
    /// The user's own policies named by the policy words: the file as typed, and its text.
    #[serde(default)]
    pub own_policies: Vec<(String, String)>,
    /// Parameters of the procedure that ran the steps; `None` if the steps contain all parameters.
    #[serde(default)]
    pub asked: Option<ProcedureRequest>,
    /// Expected duration at the start of the run; `None` if unknown.
    #[serde(default)]
    pub forecast: Option<Nanos>,
    /// Steps in the order they ran.
    pub steps: Vec<StepRecord>,
    /// Output of another tool, in the order printed; empty if plimsoll measured.
    #[serde(default)]
    pub reported: Vec<ReportedPart>,
    /// Every block device of the watched machine, each after those below it; empty if only a target was measured.
    #[serde(default)]
    pub devices: Vec<DeviceNode>,
    /// Limits that the machine itself sets on its devices.
    #[serde(default)]
    pub limits: Vec<LocalLimit>,
    /// Counters that a provider's volumes keep about their limits; empty if no volume keeps any.
    #[serde(default)]
    pub exceeded: Vec<ExceededWhile>,
    /// Phases of a watch, in time order.
    #[serde(default)]
    pub phases: Vec<Phase>,
    /// The processes that moved the most bytes during a watch.
    #[serde(default)]
    pub processes: ProcessLoads,
    /// Series printed by another tool; read them through [`crate::Recording`].
    #[serde(default)]
    pub observed: Option<ObservedMachine>,
    /// Raw counters in time order.
    pub samples: Vec<Sample>,
    /// The counters of the devices, packed, if the reader wanted them so: the samples then have none.
    #[serde(skip)]
    pub columns: DiskColumns,
    /// Events beside the load, in time order.
    pub events: Vec<Event>,
    /// Findings of the analysis at the time of the run.
    pub findings: Vec<StoredFinding>,
    /// Whether the run was finished, not cut off.
    pub complete: bool,
    /// Time since the start, if the run is still in progress while its file is read. Never stored: the reader sets
    /// it.
    #[serde(skip)]
    pub still_running: Option<Nanos>,
}

/// Where a run comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Measured by plimsoll.
    Measured,
    /// Read from another tool's output.
    Imported {
        /// The tool and its format, for example `fio 3.33 JSON`.
        tool: String,
        /// Data that the tool's output lacks.
        lacks: Vec<String>,
    },
}

/// Something that happened beside the load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Time on the run's clock.
    pub at: Nanos,
    /// Kind of event.
    pub kind: EventKind,
    /// Description.
    pub text: String,
}

/// Kind of an [`Event`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// Worth knowing.
    #[default]
    Note,
    /// Something that weakens the result.
    Warning,
    /// An I/O or a step failed.
    Failure,
    /// The user asked to stop.
    Interrupt,
}

/// A finding as stored: its kind, its numbers as JSON and its sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFinding {
    /// Kind in snake_case.
    pub kind: String,
    /// The whole finding as JSON.
    pub json: String,
    /// The sentence.
    pub sentence: String,
}

impl Run {
    /// Returns the parameters of a comparison in turns, if the run is one side of one.
    pub fn in_turns(&self) -> Option<&TurnsRequest> {
        match &self.asked {
            Some(ProcedureRequest::Turns(asked)) => Some(asked),
            _ => None,
        }
    }

    /// Returns a run in which nothing has happened yet.
    pub fn started(words: Vec<String>, started_unix_ms: u64) -> Run {
        Run {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            words,
            started_unix_ms,
            started_unix_ns: None,
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
            processes: ProcessLoads::default(),
            observed: None,
            samples: Vec::new(),
            columns: DiskColumns::default(),
            events: Vec::new(),
            findings: Vec::new(),
            complete: false,
            still_running: None,
        }
    }
}
