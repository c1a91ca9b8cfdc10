//! The whole result as one JSON document with stable names (docs/reference/report-json.md).

use analysis::{Analysis, ClaimRow, Finding, Meaning};
use record::{Interval, Run, StepRecord, TargetFacts};
use serde_json::{Map, Value, json};
use workload::Direction;

use crate::words::doubt::doubt_json;
use crate::words::note::note;
use crate::words::sentence::{competing, next_step, sentence};
use crate::words::target_doubt::target_doubt;
use crate::words::verdict::verdict_words;

/// Name of the document's schema.
pub const SCHEMA: &str = "plimsoll-report";
/// Version of the schema; a key that changes its meaning or goes away raises it, a new key does not.
pub const SCHEMA_VERSION: u32 = 1;

/// The result as one JSON document that ends with a line end. Times are nanoseconds on the run's clock, rates per
/// second, sizes bytes, shares 0 to 1; a figure that is not a number is `null`.
pub fn json(run: &Run, analysis: &Analysis) -> String {
    let words = verdict_words(run, analysis);
    let document = json!({
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "plimsoll_version": run.version,
        "verdict": {
            "answer": analysis.verdict.answer,
            "exit_code": analysis.verdict.exit_code(),
            "subject": analysis.verdict.subject,
            "sentence": words.sentence(),
            "stops": words.stops,
            "claims": analysis.verdict.rows.iter().map(claim).collect::<Vec<_>>(),
            "doubts": analysis.verdict.doubts.iter().map(doubt_json).collect::<Vec<_>>(),
        },
        "answered": analysis.answered,
        "findings": analysis.findings.iter().map(finding).collect::<Vec<_>>(),
        "latencies": analysis.latencies,
        "depths": analysis.depths,
        "blocks": analysis.blocks,
        "jobs": analysis.jobs,
        "headroom": analysis.headroom,
        "spent": analysis.spent,
        "horizon_ns": analysis.horizon,
        "regimes": analysis.regimes,
        "five_windows": analysis.windows,
        "watched": analysis.watched,
        "run": {
            "command_line": run.words,
            "started_unix_ms": run.started_unix_ms,
            "complete": run.complete,
            "still_running_ns": run.still_running,
            "forecast_ns": run.forecast,
            "origin": run.origin,
            "policy": run.policy,
            "expectation": run.expectation,
            "host": run.host,
            "target": run.target.as_ref().map(target),
            "events": run.events,
        },
        "steps": run.steps.iter().map(step).collect::<Vec<_>>(),
        "reported": run.reported,
        "samples": run.samples,
    });
    // A `Value` always prints: its keys are strings and its numbers are finite.
    crate::words::wrap::clean_json(serde_json::to_string_pretty(&document).unwrap_or_default() + "\n")
}

/// A claim whose doubts are told as those of the verdict.
fn claim(row: &ClaimRow) -> Value {
    let mut value = serde_json::to_value(row).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        fields.insert("doubts".to_owned(), row.doubts.iter().map(doubt_json).collect());
    }
    value
}

/// The target, with its doubts in words.
fn target(facts: &TargetFacts) -> Value {
    let mut value = serde_json::to_value(facts).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        fields.insert("doubts".to_owned(), facts.doubts.iter().map(target_doubt).collect());
    }
    value
}

fn finding(finding: &Finding) -> Value {
    let mut value = serde_json::to_value(finding).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        if let Meaning::TargetDoubt(found) = &finding.meaning {
            fields.insert("doubt".to_owned(), target_doubt(&found.doubt).into());
        }
        fields.insert("sentence".to_owned(), sentence(finding).into());
        fields.insert("competing".to_owned(), competing(finding).into());
        fields.insert("next_step".to_owned(), next_step(finding).into());
    }
    value
}

fn step(step: &StepRecord) -> Value {
    json!({
        "name": step.plan.name,
        "kind": step.plan.kind,
        "started_ns": step.started,
        "counted_from_ns": step.counted_from,
        "ended_ns": step.ended,
        "ending": step.ending,
        "jobs": step.jobs,
        "totals": directions(|direction| totals(step, direction)),
        "failures": step.failures,
        "notes": step.notes.iter().map(note).collect::<Vec<_>>(),
        "plan": step.plan,
        "intervals": step.intervals.iter().map(interval).collect::<Vec<_>>(),
    })
}

/// An object with one key for each direction in which something ended.
pub(crate) fn directions(of: impl Fn(Direction) -> Option<Value>) -> Value {
    let filled: Map<String, Value> = Direction::ALL
        .iter()
        .filter_map(|&direction| of(direction).map(|value| (direction.name().to_owned(), value)))
        .collect();
    Value::Object(filled)
}

pub(crate) fn totals(step: &StepRecord, direction: Direction) -> Option<Value> {
    let tally = step.tally(direction);
    if tally.ops == 0 && tally.errors == 0 {
        return None;
    }
    let latency = step.latency(direction);
    Some(json!({
        "ops": tally.ops,
        "bytes": tally.bytes,
        "errors": tally.errors,
        "short": tally.short,
        "latency_ns_mean": tally.latency_ns_mean(),
        "latency_ns_min": latency.ns_min(),
        "latency_ns_p50": latency.percentile(50.0),
        "latency_ns_p99": latency.percentile(99.0),
        "latency_ns_max": latency.ns_max(),
    }))
}

pub(crate) fn interval(interval: &Interval) -> Value {
    json!({
        "start_ns": interval.start,
        "end_ns": interval.end,
        "job": interval.job,
        "counted": interval.counted,
        "late": interval.late,
        "waited_ns": interval.waited,
        "directions": directions(|direction| {
            let part = interval.of(direction);
            (part.tally.ops + part.tally.errors > 0).then(|| json!({
                "ops": part.tally.ops,
                "bytes": part.tally.bytes,
                "errors": part.tally.errors,
                "latency_ns_mean": part.tally.latency_ns_mean(),
                "latency_ns_p99": part.latency.percentile(99.0),
                "latency_ns_max": part.latency.ns_max(),
            }))
        }),
    })
}
