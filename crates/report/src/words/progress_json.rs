//! The lines of `--progress json`: one object on each, with keys that have the same meaning as in the report
//! (docs/reference/progress.md).

use analysis::{Analysis, Meaning, Point};
use record::{Interval, Phase, Run, StepRecord};
use serde_json::{Map, Value, json};
use workload::{Direction, StepPlan};

use crate::words::json::{directions, interval, totals};
use crate::words::progress::DeviceNow;
use crate::words::verdict::verdict_words;
use crate::words::wrap::clean_json;

/// Name of the schema of a line.
pub const PROGRESS_SCHEMA: &str = "plimsoll-progress";
/// Version of the schema, raised if a key changes its meaning or goes away; a new key or event does not raise it.
pub const PROGRESS_VERSION: u32 = 1;

/// Time and place of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stamp {
    /// Seconds since the command began.
    pub elapsed_s: f64,
    /// Seconds that the command is expected to take from now on; `None` if unknown.
    pub left_s: Option<f64>,
    /// Number of the run within the command, from 1; `None` if the event belongs to no run.
    pub run: Option<usize>,
    /// Number of the step within that run, from 1; `None` if the event belongs to no step.
    pub step: Option<usize>,
}

/// Returns one line without its line break: the fields of every line, followed by the `fields` of the event.
pub fn progress_line(event: &str, stamp: Stamp, fields: Value) -> String {
    let mut line = Map::new();
    line.insert("schema".to_owned(), PROGRESS_SCHEMA.into());
    line.insert("schema_version".to_owned(), PROGRESS_VERSION.into());
    line.insert("event".to_owned(), event.into());
    line.insert("elapsed_s".to_owned(), json!(stamp.elapsed_s));
    line.insert("left_s".to_owned(), json!(stamp.left_s));
    line.insert("run".to_owned(), json!(stamp.run));
    line.insert("step".to_owned(), json!(stamp.step));
    if let Value::Object(fields) = fields {
        line.extend(fields);
    }
    clean_json(Value::Object(line).to_string())
}

/// Returns the event of a run that has begun, in the file of this name.
pub fn run_started(run: &Run, file: &str) -> Value {
    json!({
        "run_file": file,
        "plimsoll_version": run.version,
        "command_line": run.words,
        "started_unix_ms": run.started_unix_ms,
        "target": run.target.as_ref().map(|target| &target.words),
        "policy": run.policy,
        "expectation": run.expectation,
    })
}

/// Returns the event of a step that has begun, with the number of steps if later ones do not depend on this one.
pub fn step_started(plan: &StepPlan, steps: Option<usize>) -> Value {
    json!({ "name": plan.name, "kind": plan.kind, "steps": steps })
}

/// Returns the event of an interval of one job of a step: the fields of the report, with rates a second.
pub fn interval_told(name: &str, of: &Interval) -> Value {
    let mut value = interval(of);
    if let Value::Object(fields) = &mut value {
        fields.insert("name".to_owned(), name.into());
        fields.insert("iops".to_owned(), json!(of.iops()));
        fields.insert("bytes_per_second".to_owned(), json!(of.bytes_per_second()));
    }
    value
}

/// Returns the event of a step that has ended.
pub fn step_ended(step: &StepRecord) -> Value {
    let seconds = step.seconds();
    let of = |count: fn(&record::Tally) -> u64| -> Option<f64> {
        let sum: u64 = Direction::ALL.iter().map(|&direction| count(&step.tally(direction))).sum();
        (seconds > 0.0).then(|| sum as f64 / seconds)
    };
    json!({
        "name": step.plan.name,
        "kind": step.plan.kind,
        "ending": step.ending,
        "started_ns": step.started,
        "counted_from_ns": step.counted_from,
        "ended_ns": step.ended,
        "seconds": seconds,
        "iops": of(|tally| tally.ops),
        "bytes_per_second": of(|tally| tally.bytes),
        "totals": directions(|direction| totals(step, direction)),
    })
}

/// Returns the results of the steps so far: caps and the best rates, each with the ends of its 95 % interval, and
/// latencies.
pub fn so_far(analysis: &Analysis) -> Value {
    let caps = analysis.findings.iter().filter_map(|finding| match &finding.meaning {
        Meaning::IopsCap(cap) => {
            Some(json!({ "of": "operations", "direction": cap.direction, "per_second": cap.cap }))
        }
        Meaning::BandwidthCap(cap) => Some(
            json!({ "of": "bytes", "direction": cap.direction, "per_second": cap.cap, "block_from": cap.from }),
        ),
        _ => None,
    });
    let reached: Vec<Value> =
        Direction::ALL.iter().flat_map(|&direction| best(analysis, direction)).collect();
    json!({
        "caps": caps.collect::<Vec<_>>(),
        "reached": reached,
        "latencies": analysis.latencies,
    })
}

/// Returns the greatest rates of one direction: operations, then bytes.
fn best(analysis: &Analysis, direction: Direction) -> Vec<Value> {
    let points = || {
        let all = analysis.depths.iter().chain(&analysis.blocks).chain(&analysis.jobs);
        all.filter(move |point| point.direction == direction)
    };
    let most = |of: fn(&Point) -> analysis::Estimate, what: &str| -> Option<Value> {
        let best = points().max_by(|a, b| of(a).value.total_cmp(&of(b).value))?;
        let (block, depth) = (best.block, best.depth);
        Some(
            json!({ "of": what, "direction": direction, "per_second": of(best), "step": best.step, "block": block, "depth": depth }),
        )
    };
    [most(|point| point.iops, "operations"), most(|point| point.bytes_per_second, "bytes")]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns the event of a phase of a watch that has ended.
pub fn phase_ended(phase: &Phase) -> Value {
    json!({ "name": phase.name, "kind": phase.kind, "from_ns": phase.from, "to_ns": phase.to })
}

/// Returns the current load of the busiest device of a watch.
pub fn device_now(device: &DeviceNow) -> Value {
    json!({
        "device": device.device,
        "reads_per_second": device.reads,
        "writes_per_second": device.writes,
        "await_s": device.await_s,
        "queue": device.queue,
        "bytes_per_second": device.bytes,
    })
}

/// Returns the event of a run that has ended: its answer, and its page if one was written.
pub fn run_ended(run: &Run, analysis: &Analysis, (file, page): (&str, Option<&str>)) -> Value {
    json!({
        "run_file": file,
        "report": page,
        "complete": run.complete,
        "steps": run.steps.len(),
        "answer": analysis.verdict.answer,
        "sentence": verdict_words(run, analysis).sentence(),
    })
}
