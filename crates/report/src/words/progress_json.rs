//! The lines of `--progress json`: one object on each, with keys that have the same meaning as in the report
//! (docs/reference/progress.md).

use analysis::{Analysis, Answer, Estimate, LatencyRow, Meaning, Point};
use record::{Interval, Phase, PhaseKind, Run, StepRecord, Tally};
use schemars::JsonSchema;
use serde::Serialize;
use workload::{Direction, Ending, Nanos, StepKind, StepPlan};

use crate::words::document::document_line;
use crate::words::json::{ByDirection, DirectionTotals, IntervalRow, interval, totals};
use crate::words::progress::DeviceNow;
use crate::words::verdict::verdict_words;

/// A line.
#[derive(Serialize, JsonSchema)]
pub struct ProgressLine<'e> {
    /// What happened.
    event: &'e str,
    #[serde(flatten)]
    stamp: Stamp,
    #[serde(flatten)]
    fields: ProgressEvent<'e>,
}

/// When something happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Stamp {
    /// Seconds since the command began.
    pub elapsed_s: f64,
    /// Seconds that the command is expected to take from now; `null` if unknown.
    pub left_s: Option<f64>,
    /// Number of the run within the command, from 1; `null` if the event belongs to no run.
    pub run: Option<usize>,
    /// Number of the step within that run, from 1; `null` if the event belongs to no step.
    pub step: Option<usize>,
}

/// What is said of an event.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ProgressEvent<'e> {
    /// A run has begun.
    RunStarted {
        /// Path of the run file.
        run_file: String,
        /// Version that records.
        plimsoll_version: &'e str,
        /// Command line as typed, one argument each.
        command_line: &'e [String],
        /// Start of the run: milliseconds since 1970, UTC.
        started_unix_ms: u64,
        /// The target as typed.
        target: Option<&'e str>,
        /// The policy as typed.
        policy: Option<&'e str>,
        /// The expectation as typed.
        expectation: Option<&'e str>,
    },
    /// A step is ready to begin, and waits for a line on standard input (`--start-at -`).
    Ready {
        /// Name of the step.
        name: &'e str,
    },
    /// A step has begun.
    StepStarted {
        /// Name of the step.
        name: &'e str,
        /// Purpose of the step.
        kind: StepKind,
        /// Number of steps; `null` if later ones depend on this one.
        steps: Option<usize>,
    },
    /// What one job of a step did in an interval.
    Interval {
        /// Its times and counts.
        #[serde(flatten)]
        interval: IntervalRow,
        /// Name of the step.
        name: String,
        /// Operations per second, reads and writes.
        iops: f64,
        /// Bytes per second, reads and writes.
        bytes_per_second: f64,
    },
    /// A step is over.
    StepEnded {
        /// Name of the step.
        name: &'e str,
        /// Purpose of the step.
        kind: StepKind,
        /// Why it ended.
        ending: Ending,
        /// Start, in nanoseconds on the run's clock.
        started_ns: Nanos,
        /// Time from which it counts, in nanoseconds on the run's clock.
        counted_from_ns: Nanos,
        /// End, in nanoseconds on the run's clock.
        ended_ns: Nanos,
        /// Seconds that count.
        seconds: f64,
        /// Operations per second, all directions.
        iops: Option<f64>,
        /// Bytes per second, all directions.
        bytes_per_second: Option<f64>,
        /// Totals of each direction in which something ended.
        totals: ByDirection<DirectionTotals>,
    },
    /// What the steps have found so far.
    SoFar {
        /// Caps that were found.
        caps: Vec<Reached>,
        /// Greatest rates of each direction: operations, then bytes.
        reached: Vec<Reached>,
        /// Latency of one I/O at a time.
        latencies: &'e [LatencyRow],
    },
    /// A phase of a watch has begun.
    PhaseStarted {
        /// Name of the phase.
        name: &'e str,
        /// Length of the phase, seconds; `null` if unknown.
        length_s: Option<f64>,
    },
    /// A phase of a watch is over.
    PhaseEnded {
        /// Name of the phase.
        name: &'e str,
        /// What happened in it.
        kind: &'e PhaseKind,
        /// Start, in nanoseconds on the run's clock.
        from_ns: Nanos,
        /// End, in nanoseconds on the run's clock.
        to_ns: Nanos,
    },
    /// What the busiest device of a watch does.
    Device {
        /// Kernel name.
        device: &'e str,
        /// Reads per second.
        reads_per_second: Option<f64>,
        /// Writes per second.
        writes_per_second: Option<f64>,
        /// Mean time of reads and writes in seconds, waiting included.
        await_s: Option<f64>,
        /// Mean number of requests waiting or being served.
        queue: Option<f64>,
        /// Bytes per second.
        bytes_per_second: Option<f64>,
    },
    /// A run is over.
    RunEnded {
        /// Path of the run file.
        run_file: String,
        /// Path of the page; `null` if none was written.
        report: Option<String>,
        /// Whether the run was finished and not cut off.
        complete: bool,
        /// Number of steps that ran.
        steps: usize,
        /// The answer in one word.
        answer: Answer,
        /// The answer as a sentence.
        sentence: String,
    },
    /// Words for people.
    Message {
        /// The words.
        text: &'e str,
    },
    /// The command is over.
    Ended {
        /// Its exit code.
        exit_code: u8,
    },
}

/// A rate that was reached, or at which the volume is capped.
#[derive(Serialize, JsonSchema)]
pub struct Reached {
    /// What is counted.
    of: Counted,
    /// Direction.
    direction: Direction,
    /// The rate per second.
    per_second: Estimate,
    /// Least block from which a cap on bytes holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_from: Option<u64>,
    #[serde(flatten)]
    at: Option<ReachedAt>,
}

/// Where a rate was reached.
#[derive(Serialize, JsonSchema)]
struct ReachedAt {
    /// Name of the step.
    step: String,
    /// Bytes of an I/O.
    block: u64,
    /// I/Os in flight, all workers together.
    depth: u32,
}

/// What a rate counts.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Counted {
    Operations,
    Bytes,
}

/// Returns one line without its line break: what every line has, followed by the `fields` of the event.
pub fn progress_line(event: &str, stamp: Stamp, fields: ProgressEvent<'_>) -> String {
    document_line("progress", &ProgressLine { event, stamp, fields })
}

/// Returns the event of a run that has begun, in this file.
pub fn run_started(run: &Run, run_file: String) -> ProgressEvent<'_> {
    ProgressEvent::RunStarted {
        run_file,
        plimsoll_version: &run.version,
        command_line: &run.words,
        started_unix_ms: run.started_unix_ms,
        target: run.target.as_ref().map(|target| target.words.as_str()),
        policy: run.policy.as_deref(),
        expectation: run.expectation.as_deref(),
    }
}

/// Returns the event of a step that has begun, with the number of steps if later ones do not depend on this one.
pub fn step_started(plan: &StepPlan, steps: Option<usize>) -> ProgressEvent<'_> {
    ProgressEvent::StepStarted { name: &plan.name, kind: plan.kind, steps }
}

/// Returns what one job of the step `name` did in an interval: the fields of the report, with rates a second.
pub fn interval_told(name: String, of: &Interval) -> ProgressEvent<'static> {
    let (iops, bytes_per_second) = (of.iops(), of.bytes_per_second());
    ProgressEvent::Interval { interval: interval(of), name, iops, bytes_per_second }
}

/// Returns the event of a step that is over.
pub fn step_ended(step: &StepRecord) -> ProgressEvent<'_> {
    let seconds = step.seconds();
    let of = |count: fn(&Tally) -> u64| -> Option<f64> {
        let sum: u64 = Direction::ALL.iter().map(|&direction| count(&step.tally(direction))).sum();
        (seconds > 0.0).then(|| sum as f64 / seconds)
    };
    ProgressEvent::StepEnded {
        name: &step.plan.name,
        kind: step.plan.kind,
        ending: step.ending,
        started_ns: step.started,
        counted_from_ns: step.counted_from,
        ended_ns: step.ended,
        seconds,
        iops: of(|tally| tally.ops),
        bytes_per_second: of(|tally| tally.bytes),
        totals: totals(step),
    }
}

/// Returns the results of the steps so far: caps and the best rates, each with the ends of its 95 % interval, and
/// latencies.
pub fn so_far(analysis: &Analysis) -> ProgressEvent<'_> {
    let cap = |of, direction, per_second, block_from| {
        Some(Reached { of, direction, per_second, block_from, at: None })
    };
    let caps = analysis.findings.iter().filter_map(|finding| match &finding.meaning {
        Meaning::IopsCap(found) => cap(Counted::Operations, found.direction, found.cap, None),
        Meaning::BandwidthCap(found) => cap(Counted::Bytes, found.direction, found.cap, Some(found.from)),
        _ => None,
    });
    ProgressEvent::SoFar {
        caps: caps.collect(),
        reached: Direction::ALL.iter().flat_map(|&direction| best(analysis, direction)).collect(),
        latencies: &analysis.latencies,
    }
}

/// Returns the greatest rates of one direction: operations, then bytes.
fn best(analysis: &Analysis, direction: Direction) -> Vec<Reached> {
    let points = || {
        let all = analysis.depths.iter().chain(&analysis.blocks).chain(&analysis.jobs);
        all.filter(move |point| point.direction == direction)
    };
    let most = |of: Counted, rate: fn(&Point) -> Estimate| {
        let best = points().max_by(|a, b| rate(a).value.total_cmp(&rate(b).value))?;
        let at = Some(ReachedAt { step: best.step.clone(), block: best.block, depth: best.depth });
        Some(Reached { of, direction, per_second: rate(best), block_from: None, at })
    };
    [most(Counted::Operations, |point| point.iops), most(Counted::Bytes, |point| point.bytes_per_second)]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns the event of a phase of a watch that is over.
pub fn phase_ended(phase: &Phase) -> ProgressEvent<'_> {
    ProgressEvent::PhaseEnded { name: &phase.name, kind: &phase.kind, from_ns: phase.from, to_ns: phase.to }
}

/// Returns what the busiest device of a watch does.
pub fn device_now(now: &DeviceNow) -> ProgressEvent<'_> {
    ProgressEvent::Device {
        device: &now.device,
        reads_per_second: Some(now.reads),
        writes_per_second: Some(now.writes),
        await_s: Some(now.await_s),
        queue: Some(now.queue),
        bytes_per_second: Some(now.bytes),
    }
}

/// Returns the event of a run that is over: its answer, and its page if one was written.
pub fn run_ended(
    run: &Run,
    analysis: &Analysis,
    (run_file, report): (String, Option<String>),
) -> ProgressEvent<'static> {
    ProgressEvent::RunEnded {
        run_file,
        report,
        complete: run.complete,
        steps: run.steps.len(),
        answer: analysis.verdict.answer,
        sentence: verdict_words(run, analysis).sentence(),
    }
}
