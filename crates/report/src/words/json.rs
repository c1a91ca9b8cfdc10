//! The whole result as one JSON document with stable names (docs/reference/report-json.md).

use std::io::{self, Write};

use analysis::{Analysis, ClaimRow, Finding, Meaning};
use record::{Interval, Run, StepRecord, TargetFacts};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};
use workload::Direction;

use crate::words::doubt::doubt_json;
use crate::words::sentence::{competing, next_step, sentence};
use crate::words::steps::note;
use crate::words::target_doubt::target_doubt;
use crate::words::verdict::verdict_words;
use crate::words::wrap::clean_json;

/// Name of the document's schema.
pub const SCHEMA: &str = "plimsoll-report";
/// Version of the schema, raised if a key changes its meaning or goes away; a new key does not raise it.
pub const SCHEMA_VERSION: u32 = 1;

/// Returns the result as one JSON document that ends with a line break. Times are nanoseconds on the run's clock,
/// rates per second, sizes bytes, shares 0 to 1; a figure that is not a number is `null`.
pub fn json(run: &Run, analysis: &Analysis) -> String {
    let mut document = Vec::new();
    // Writing into memory cannot fail, and only text is written.
    let _ = write_json(run, analysis, &mut document);
    String::from_utf8(document).unwrap_or_default()
}

/// Writes the document of [`json`] without holding it in memory, because it may be ten times as long as the run
/// file.
///
/// # Errors
/// Errors of `out`.
pub fn write_json(run: &Run, analysis: &Analysis, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(CleanWriter(out), &Document { run, analysis })?;
    out.write_all(b"\n")
}

/// Writes JSON whose strings contain nothing that controls a terminal. Each write passed to it must end at a
/// character boundary.
struct CleanWriter<'w, W>(&'w mut W);

impl<W: Write> Write for CleanWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.is_ascii() || text.contains('\x7f') => {
                self.0.write_all(clean_json(text.to_owned()).as_bytes())?;
            }
            _ => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The whole document. Long lists are serialized item by item, because as one tree they take ten times the memory
/// of the run.
struct Document<'r> {
    run: &'r Run,
    analysis: &'r Analysis,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = begun(to, &head(self.run, self.analysis))?;
        map.serialize_entry("steps", &Each(&self.run.steps, Step))?;
        map.serialize_entry("reported", &self.run.reported)?;
        map.serialize_entry("samples", &self.run.samples)?;
        map.end()
    }
}

/// A list whose items are created only while it is written.
struct Each<'r, T, F>(&'r [T], F);

impl<'r, T, V: Serialize, F: Fn(&'r T) -> V> Serialize for Each<'r, T, F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(&self.1))
    }
}

struct Step<'r>(&'r StepRecord);

impl Serialize for Step<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = begun(to, &step(self.0))?;
        map.serialize_entry("intervals", &Each(&self.0.intervals, interval))?;
        map.end()
    }
}

/// Starts an object with the keys of `head`, to which more keys can be added.
fn begun<S: Serializer>(to: S, head: &Value) -> Result<S::SerializeMap, S::Error> {
    let mut map = to.serialize_map(None)?;
    let mut entries = head.as_object().into_iter().flatten();
    entries.try_for_each(|(key, value)| map.serialize_entry(key, value))?;
    Ok(map)
}

/// Returns the part of the document before the lists.
fn head(run: &Run, analysis: &Analysis) -> Value {
    let words = verdict_words(run, analysis);
    json!({
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
    })
}

/// Returns a claim, with its doubts in the same form as those of the verdict.
fn claim(row: &ClaimRow) -> Value {
    let mut value = serde_json::to_value(row).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        fields.insert("doubts".to_owned(), row.doubts.iter().map(doubt_json).collect());
    }
    value
}

/// Returns the target, with its doubts in words.
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

/// Returns a step without its intervals.
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
    })
}

/// Returns an object with one key for each direction for which `of` has a value.
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

#[cfg(test)]
mod tests {
    use super::*;
    use record::Sample;
    use workload::Nanos;

    /// A reader that closes after a kilobyte.
    struct ClosingPipe(usize);

    impl Write for ClosingPipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            if self.0 < 1024 { Ok(bytes.len()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn watched() -> Run {
        let sample = |n| Sample { at: Nanos::from_secs(n), ..Sample::default() };
        Run { samples: (0..10).map(sample).collect(), ..Run::started(vec!["plim\u{9b}soll".to_owned()], 0) }
    }

    #[test]
    fn pieces_are_the_whole_and_steer_no_terminal() {
        let run = watched();
        let text = json(&run, &analysis::analyse(&run, None, None));
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["run"]["command_line"][0], "plim\u{9b}soll");
        assert_eq!(document["samples"].as_array().map(Vec::len), Some(10));
        assert!(!text.contains('\u{9b}') && text.ends_with("}\n"));
    }

    #[test]
    fn nothing_is_made_for_a_reader_who_has_gone() {
        let run = watched();
        let mut gone = ClosingPipe(0);
        let error = write_json(&run, &analysis::analyse(&run, None, None), &mut gone).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        assert!(gone.0 < 2048, "{} bytes were made", gone.0);
    }
}
