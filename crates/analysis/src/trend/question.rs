//! What a run asked: runs that differ in it are not compared.

use record::{Run, TargetKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::{CheckRequest, ProcedureRequest, StepKind};

use crate::compare::{Difference, tool};

/// What all runs of a trend have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrendQuestion {
    /// The tool and its version.
    pub version: String,
    /// The volume: of a simulated one the policy's name, because its parameters are what a real volume does by itself.
    pub volume: String,
    /// The policy as typed; empty without one.
    pub policy: String,
    /// The expectation as typed; empty without one.
    pub expectation: String,
    /// The command, with its plan.
    pub plan: String,
    /// The parameters of the plan, except seeds.
    #[serde(skip)]
    parameters: String,
}

/// Keys of a stored request that do not change what is asked.
const NOT_ASKED: [&str; 3] = ["seed", "sittings", "comparison"];

impl TrendQuestion {
    pub(super) fn of(run: &Run) -> TrendQuestion {
        TrendQuestion {
            version: tool(run),
            volume: volume(run),
            policy: policy(run),
            expectation: run.expectation.clone().unwrap_or_default(),
            plan: plan(run),
            parameters: run.asked.as_ref().map_or_else(|| steps(run), parameters),
        }
    }

    /// Returns what differs in `other`, a run that ended if it is `complete`.
    pub(super) fn differing(&self, other: &TrendQuestion, complete: bool) -> Vec<Difference> {
        let pairs = [
            ("version", &other.version, &self.version),
            ("volume", &other.volume, &self.volume),
            ("policy", &other.policy, &self.policy),
            ("expectation", &other.expectation, &self.expectation),
            ("plan", &other.plan, &self.plan),
        ];
        let difference = |what: &str, values: [&str; 2]| Difference {
            what: what.to_owned(),
            values: values.map(str::to_owned).to_vec(),
        };
        let mut found: Vec<Difference> = pairs
            .into_iter()
            .filter(|(_, its, ours)| its != ours)
            .map(|(what, its, ours)| difference(what, [its, ours]))
            .collect();
        if self.plan == other.plan && self.parameters != other.parameters {
            found.push(difference("parameters", [&other.parameters, &self.parameters]));
        }
        if !complete {
            found.push(difference("end", ["cut off", "complete"]));
        }
        found
    }
}

/// Returns the parameters of a procedure without those that vary from run to run.
fn parameters(asked: &ProcedureRequest) -> String {
    let mut value = serde_json::to_value(asked).unwrap_or_default();
    strip(&mut value);
    value.to_string()
}

fn strip(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(keys) => {
            NOT_ASKED.iter().for_each(|key| drop(keys.remove(*key)));
            keys.values_mut().for_each(strip);
        }
        serde_json::Value::Array(all) => all.iter_mut().for_each(strip),
        _ => {}
    }
}

/// Returns the volume: by the serial numbers of its devices if it has any, because a name may become another device's.
fn volume(run: &Run) -> String {
    let Some(target) = &run.target else { return String::new() };
    if target.kind == TargetKind::Simulated {
        return target.words.split(',').next().unwrap_or_default().to_owned();
    }
    let device = |device: &record::DeviceFacts| {
        let words = [device.model.trim(), device.serial.trim()].join(" ");
        format!("{} {}", words.trim(), device.size).trim().to_owned()
    };
    let devices: Vec<String> = target.devices.iter().map(device).collect();
    let has_serial = target.devices.iter().any(|device| !device.serial.trim().is_empty());
    let name = if has_serial { String::new() } else { target.words.clone() };
    [name, devices.join(", ")].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(": ")
}

/// Returns the policy; of a simulated volume that is checked against itself only its name.
fn policy(run: &Run) -> String {
    let policy = run.policy.clone().unwrap_or_default();
    let own = run.target.as_ref().and_then(|target| target.words.strip_prefix("sim:"));
    if own == Some(policy.as_str()) {
        return policy.split(',').next().unwrap_or_default().to_owned();
    }
    policy
}

/// Returns the command, with the plan of a check or the name of a profile.
fn plan(run: &Run) -> String {
    let command = run.words.get(1).cloned().unwrap_or_default();
    match &run.asked {
        Some(ProcedureRequest::Check(check)) => format!("{command}, plan {}", words(check)),
        Some(_) => command,
        None if command == "run" => {
            let profile = run.words.get(2).cloned().unwrap_or_default();
            format!("{command} {profile}").trim_end().to_owned()
        }
        None => command,
    }
}

/// Returns the steps of a run that has no other parameters; none of a check, whose steps follow from what it finds.
fn steps(run: &Run) -> String {
    let is_check = run.steps.iter().any(|step| step.plan.kind == StepKind::DepthLadder);
    let names = run.steps.iter().map(|step| step.plan.name.as_str()).filter(|_| !is_check);
    names.collect::<Vec<_>>().join(", ")
}

fn words(check: &CheckRequest) -> String {
    let mut words = check.plan.name().to_owned();
    words += &check.time.map_or_else(String::new, |time| format!(", at most {time}"));
    words += &check.size.map_or_else(String::new, |size| format!(", of {size}"));
    words += if check.reads_only { ", reads only" } else { "" };
    words
}

/// Returns what may explain a change: machine and system, by name.
pub(super) fn circumstances(run: &Run) -> Vec<(&'static str, String)> {
    let host = |read: &dyn Fn(&record::HostFacts) -> String| run.host.as_ref().map_or_else(String::new, read);
    let device = |read: &dyn Fn(&record::DeviceFacts) -> String| {
        let first = run.target.as_ref().and_then(|target| target.devices.first());
        first.map_or_else(String::new, read)
    };
    vec![
        ("host", host(&|host| host.hostname.clone())),
        ("machine", host(&|host| host.product.clone())),
        ("CPU", host(&|host| format!("{} × {}", host.cpus, host.cpu_model))),
        ("kernel", host(&|host| host.kernel.clone())),
        ("file system", run.target.as_ref().map_or_else(String::new, |target| target.filesystem.clone())),
        ("scheduler", device(&|device| device.scheduler.clone())),
    ]
}
