//! The whole result as one JSON document with stable names (docs/reference/report-json.md).

use std::collections::BTreeMap;

use analysis::{
    Analysis, Answer, ClaimRow, Confidence, Consumption, Doubt, Evidence, Finding, FiveWindows, Headroom,
    LatencyRow, Meaning, Point, ProcedureAnswer, Regimes, WatchFigures,
};
use record::{
    Event, HostFacts, Interval, IoFailure, Origin, ReportedPart, Run, Sample, StepRecord, TargetFacts,
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;
use workload::{Direction, Ending, Nanos, StepKind, StepPlan};

use crate::words::document::{Object, document_json};
use crate::words::doubt::doubt_json;
use crate::words::sentence::{competing, next_step, sentence};
use crate::words::steps::note;
use crate::words::target_doubt::target_doubt;
use crate::words::verdict::verdict_words;

/// Returns the result as one JSON document that ends with a line break. Times are nanoseconds on the run's clock,
/// rates per second, sizes bytes, shares 0 to 1; a figure that is not a number is `null`.
pub fn json(run: &Run, analysis: &Analysis) -> String {
    document_json("report", &Report::of(run, analysis))
}

/// The whole result. Long lists become JSON item by item, because as one tree they take ten times the memory of
/// the run.
#[derive(Serialize, JsonSchema)]
pub struct Report<'r> {
    /// Version that recorded the run.
    plimsoll_version: &'r str,
    /// The answer.
    verdict: VerdictRow<'r>,
    /// Answer to what a procedure was asked; `null` if the steps say it all.
    #[schemars(with = "Option<Object>")]
    answered: &'r Option<ProcedureAnswer>,
    /// What it means, the weightiest first.
    findings: Vec<FindingRow<'r>>,
    /// Latency of one I/O at a time: reads, writes, flushes.
    latencies: &'r [LatencyRow],
    /// Rungs of the depth ladders, by direction and then rising depth.
    depths: &'r [Point],
    /// Rungs of the block ladders, by direction and then rising block.
    blocks: &'r [Point],
    /// Jobs that the user defined.
    jobs: &'r [Point],
    /// Greatest rates at which claimed latencies hold.
    headroom: &'r [Headroom],
    /// What the run has used up.
    spent: &'r Consumption,
    /// Time in which no change of the level was found, nanoseconds; 0 if there was one, or if the level drifts.
    horizon_ns: Nanos,
    /// The smallest change that would have shown at nearly any time of it, as a share of the level; `null` if no load
    /// was measured twice.
    sensitivity: Option<f64>,
    /// Changes of the level, with their times.
    #[schemars(with = "Object")]
    regimes: &'r Regimes,
    /// Steady state as the SNIA defines it; `null` if there was too little of one load since the last change.
    #[schemars(with = "Option<Object>")]
    five_windows: &'r Option<FiveWindows>,
    /// Figures of a watched machine; `null` if only a target was measured.
    #[schemars(with = "Option<Object>")]
    watched: &'r Option<WatchFigures>,
    /// What was run.
    run: RunRow<'r>,
    /// Steps in the order they ran.
    #[schemars(with = "Vec<StepRow>")]
    steps: Each<'r, StepRecord, StepRow<'r>>,
    /// What another tool printed.
    #[schemars(with = "Vec<Object>")]
    reported: &'r [ReportedPart],
    /// Raw counters of the machine, in the order of time.
    #[schemars(with = "Vec<Object>")]
    samples: &'r [Sample],
}

/// The answer to all claims.
#[derive(Serialize, JsonSchema)]
struct VerdictRow<'r> {
    /// The answer in one word.
    answer: Answer,
    /// Exit code of the command whose result this is.
    exit_code: u8,
    /// What the claims were about: the policy as typed, or the expectation.
    subject: &'r Option<String>,
    /// The answer as a sentence.
    sentence: String,
    /// What stops the volume, in words.
    stops: String,
    /// Each claim beside what was measured; without claims, a row for each cap.
    #[schemars(with = "Vec<ClaimRow>")]
    claims: Vec<Value>,
    /// Doubts that concern the whole run.
    #[schemars(with = "Vec<Doubt>")]
    doubts: Vec<Value>,
}

/// Something that the record shows.
#[derive(Serialize, JsonSchema)]
struct FindingRow<'r> {
    /// Rule that found it; its numbers stand beside.
    #[schemars(with = "String")]
    kind: Value,
    #[serde(flatten)]
    #[schemars(skip)]
    numbers: Object,
    /// Spans of the record that show it, in the order of time.
    evidence: &'r [Evidence],
    /// How sure it is.
    confidence: Confidence,
    /// The finding as a sentence.
    sentence: String,
    /// What else could explain it.
    competing: Option<String>,
    /// What to do next.
    next_step: String,
}

/// What was run, on which machine, against which target.
#[derive(Serialize, JsonSchema)]
struct RunRow<'r> {
    /// Command line as typed, one argument each.
    command_line: &'r [String],
    /// Start of the run: milliseconds since 1970, UTC; 0 if an import does not say.
    started_unix_ms: u64,
    /// Whether the run was finished and not cut off.
    complete: bool,
    /// How long it has been running if it still is, nanoseconds.
    still_running_ns: Option<Nanos>,
    /// Expected duration when it began, nanoseconds.
    forecast_ns: Option<Nanos>,
    /// Whether it was measured here or read from another tool's output.
    origin: &'r Origin,
    /// The policy as typed.
    policy: &'r Option<String>,
    /// The expectation as typed.
    expectation: &'r Option<String>,
    /// The machine; `null` if an import does not say.
    #[schemars(with = "Option<Object>")]
    host: &'r Option<HostFacts>,
    /// The target; `null` if an import does not say.
    #[schemars(with = "Option<TargetFacts>")]
    target: Option<Value>,
    /// What happened beside the steps, in the order of time.
    events: &'r [Event],
}

/// A step that ran.
#[derive(Serialize, JsonSchema)]
struct StepRow<'r> {
    /// Name of the step.
    name: &'r str,
    /// Purpose of the step.
    kind: StepKind,
    /// Start, in nanoseconds on the run's clock.
    started_ns: Nanos,
    /// Time from which it counts, in nanoseconds on the run's clock.
    counted_from_ns: Nanos,
    /// End, in nanoseconds on the run's clock.
    ended_ns: Nanos,
    /// Why it ended.
    ending: Ending,
    /// Names of its jobs.
    jobs: &'r [String],
    /// Totals of each direction in which something ended.
    totals: ByDirection<DirectionTotals>,
    /// The first I/Os that failed.
    failures: &'r [IoFailure],
    /// Notes of the engine, in words.
    notes: Vec<String>,
    /// Everything that was planned, with its reasons.
    #[schemars(with = "Object")]
    plan: &'r StepPlan,
    /// Intervals of about a second, in the order of time.
    #[schemars(with = "Vec<IntervalRow>")]
    intervals: Each<'r, Interval, IntervalRow>,
}

/// What one job did in an interval.
#[derive(Serialize, JsonSchema)]
pub struct IntervalRow {
    /// Start, in nanoseconds on the run's clock.
    start_ns: Nanos,
    /// End, in nanoseconds on the run's clock.
    end_ns: Nanos,
    /// Index of the job in the step.
    job: u16,
    /// Whether it counts for the result.
    counted: bool,
    /// I/Os that were issued after they were due.
    late: u64,
    /// Time that I/Os waited beyond that, nanoseconds.
    waited_ns: Nanos,
    /// Counts of each direction in which something ended.
    directions: ByDirection<IntervalCounts>,
}

/// What ended in one direction in an interval.
#[derive(Serialize, JsonSchema)]
pub struct IntervalCounts {
    /// I/Os that ended.
    ops: u64,
    /// Bytes moved.
    bytes: u64,
    /// I/Os that failed.
    errors: u64,
    /// Mean latency, nanoseconds.
    latency_ns_mean: Option<f64>,
    /// 99th percentile of latency, nanoseconds.
    latency_ns_p99: Option<u64>,
    /// Greatest latency, nanoseconds.
    latency_ns_max: Option<u64>,
}

/// What ended in one direction in a step.
#[derive(Serialize, JsonSchema)]
pub struct DirectionTotals {
    /// I/Os that ended.
    ops: u64,
    /// Bytes moved.
    bytes: u64,
    /// I/Os that failed.
    errors: u64,
    /// I/Os that moved less than was asked.
    short: u64,
    /// Mean latency, nanoseconds.
    latency_ns_mean: Option<f64>,
    /// Least latency, nanoseconds.
    latency_ns_min: Option<u64>,
    /// Median latency, nanoseconds.
    latency_ns_p50: Option<u64>,
    /// 99th percentile of latency, nanoseconds.
    latency_ns_p99: Option<u64>,
    /// Greatest latency, nanoseconds.
    latency_ns_max: Option<u64>,
}

/// A value for each direction in which something ended.
pub(crate) type ByDirection<T> = BTreeMap<Direction, T>;

/// A list whose rows are made only when they are written.
struct Each<'r, T, R> {
    items: &'r [T],
    row: fn(&'r T) -> R,
}

impl<T, R: Serialize> Serialize for Each<'_, T, R> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.items.iter().map(self.row))
    }
}

impl<'r> Report<'r> {
    fn of(run: &'r Run, analysis: &'r Analysis) -> Report<'r> {
        Report {
            plimsoll_version: &run.version,
            verdict: verdict(run, analysis),
            answered: &analysis.answered,
            findings: analysis.findings.iter().map(finding).collect(),
            latencies: &analysis.latencies,
            depths: &analysis.depths,
            blocks: &analysis.blocks,
            jobs: &analysis.jobs,
            headroom: &analysis.headroom,
            spent: &analysis.spent,
            horizon_ns: analysis.horizon,
            sensitivity: analysis.sensitivity,
            regimes: &analysis.regimes,
            five_windows: &analysis.windows,
            watched: &analysis.watched,
            run: run_row(run),
            steps: Each { items: &run.steps, row: step },
            reported: &run.reported,
            samples: &run.samples,
        }
    }
}

fn verdict<'r>(run: &Run, analysis: &'r Analysis) -> VerdictRow<'r> {
    let (verdict, words) = (&analysis.verdict, verdict_words(run, analysis));
    VerdictRow {
        answer: verdict.answer,
        exit_code: analysis.exit_code(),
        subject: &verdict.subject,
        sentence: words.sentence(),
        stops: words.stops,
        claims: verdict.rows.iter().map(claim).collect(),
        doubts: verdict.doubts.iter().map(doubt_json).collect(),
    }
}

/// Returns a claim, with its doubts in the same form as those of the verdict.
fn claim(row: &ClaimRow) -> Value {
    with_doubts(row, row.doubts.iter().map(doubt_json).collect())
}

/// Returns the target, with its doubts in words.
fn target(facts: &TargetFacts) -> Value {
    with_doubts(facts, facts.doubts.iter().map(target_doubt).collect())
}

fn with_doubts(of: &impl Serialize, doubts: Value) -> Value {
    let mut value = serde_json::to_value(of).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        fields.insert("doubts".to_owned(), doubts);
    }
    value
}

fn finding(finding: &Finding) -> FindingRow<'_> {
    // A kind is an object with its name under `kind`.
    let mut numbers = match serde_json::to_value(&finding.meaning) {
        Ok(Value::Object(numbers)) => numbers,
        _ => Object::new(),
    };
    if let Meaning::TargetDoubt(found) = &finding.meaning {
        numbers.insert("doubt".to_owned(), target_doubt(&found.doubt).into());
    }
    FindingRow {
        kind: numbers.shift_remove("kind").unwrap_or_default(),
        numbers,
        evidence: &finding.evidence,
        confidence: finding.confidence,
        sentence: sentence(finding),
        competing: competing(finding),
        next_step: next_step(finding),
    }
}

fn run_row(run: &Run) -> RunRow<'_> {
    RunRow {
        command_line: &run.words,
        started_unix_ms: run.started_unix_ms,
        complete: run.complete,
        still_running_ns: run.still_running,
        forecast_ns: run.forecast,
        origin: &run.origin,
        policy: &run.policy,
        expectation: &run.expectation,
        host: &run.host,
        target: run.target.as_ref().map(target),
        events: &run.events,
    }
}

fn step(step: &StepRecord) -> StepRow<'_> {
    StepRow {
        name: &step.plan.name,
        kind: step.plan.kind,
        started_ns: step.started,
        counted_from_ns: step.counted_from,
        ended_ns: step.ended,
        ending: step.ending,
        jobs: &step.jobs,
        totals: totals(step),
        failures: &step.failures,
        notes: step.notes.iter().map(note).collect(),
        plan: &step.plan,
        intervals: Each { items: &step.intervals, row: interval },
    }
}

fn by_direction<T>(of: impl Fn(Direction) -> Option<T>) -> ByDirection<T> {
    Direction::ALL.into_iter().filter_map(|direction| Some((direction, of(direction)?))).collect()
}

/// Returns the totals of a step in each direction in which something ended.
pub(crate) fn totals(step: &StepRecord) -> ByDirection<DirectionTotals> {
    by_direction(|direction| {
        let tally = step.tally(direction);
        if tally.ops == 0 && tally.errors == 0 {
            return None;
        }
        let latency = step.latency(direction);
        Some(DirectionTotals {
            ops: tally.ops,
            bytes: tally.bytes,
            errors: tally.errors,
            short: tally.short,
            latency_ns_mean: tally.latency_ns_mean(),
            latency_ns_min: latency.ns_min(),
            latency_ns_p50: latency.percentile(50.0),
            latency_ns_p99: latency.percentile(99.0),
            latency_ns_max: latency.ns_max(),
        })
    })
}

/// Returns what a job did in an interval.
pub(crate) fn interval(interval: &Interval) -> IntervalRow {
    let counts = |direction| {
        let part = interval.of(direction);
        (part.tally.ops + part.tally.errors > 0).then(|| IntervalCounts {
            ops: part.tally.ops,
            bytes: part.tally.bytes,
            errors: part.tally.errors,
            latency_ns_mean: part.tally.latency_ns_mean(),
            latency_ns_p99: part.latency.percentile(99.0),
            latency_ns_max: part.latency.ns_max(),
        })
    };
    IntervalRow {
        start_ns: interval.start,
        end_ns: interval.end,
        job: interval.job,
        counted: interval.counted,
        late: interval.late,
        waited_ns: interval.waited,
        directions: by_direction(counts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_whole_and_steer_no_terminal() {
        let sample = |n| Sample { at: Nanos::from_secs(n), ..Sample::default() };
        let samples = (0..10).map(sample).collect();
        let run = Run { samples, ..Run::started(vec!["plim\u{9b}soll".to_owned()], 0) };
        let text = json(&run, &analysis::analyse(&run, None, None));
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["run"]["command_line"][0], "plim\u{9b}soll");
        assert_eq!(document["samples"].as_array().map(Vec::len), Some(10));
        assert!(!text.contains('\u{9b}') && text.ends_with("}\n"));
    }
}
