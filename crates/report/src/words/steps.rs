//! The results of each part of a run, a line for each: layout, latency, ladders, jobs.

use analysis::findings::{BandwidthCap, Crossover, IopsCap};
use analysis::{
    Analysis, ClaimRow, Estimate, Headroom, HeadroomBound, LatencyRole, LatencyRow, Meaning, Point, Quantity,
};
use record::{Mismatch, Note, Run, StepRecord};
use workload::{Direction, StepKind};

use crate::words::numbers::{self, IOPS, Prefix, Unit};
use crate::words::sentence::plural;
use crate::words::stops::filling_depth;
use crate::words::wrap::{beside, clean};

/// One part of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartWords {
    /// Name of the part: `layout`, `latency`, `depth ladder`, `block ladder`, or the name of a job.
    pub part: String,
    /// Load of the part: `4 KiB reads`, `depth 1`.
    pub what: String,
    /// Result of the part.
    pub result: String,
}

/// Returns the parts of `run` in the order in which they ran; a ladder has a line for each direction.
pub fn part_words(run: &Run, analysis: &Analysis) -> Vec<PartWords> {
    let mut parts: Vec<PartWords> = layouts(run);
    parts.extend(latency(analysis));
    parts.extend(ladder(&analysis.depths).into_iter().map(|points| depth_ladder(analysis, points)));
    parts.extend(ladder(&analysis.blocks).into_iter().map(|points| block_ladder(analysis, points)));
    parts.extend(analysis.jobs.iter().map(job));
    parts.extend(analysis.headroom.iter().map(headroom));
    parts
}

/// Returns [`part_words`] as lines of at most 80 columns.
pub fn steps(run: &Run, analysis: &Analysis) -> String {
    part_words(run, analysis).iter().map(part_line).collect()
}

/// Formats one part as a line, wrapped below its result.
pub fn part_line(words: &PartWords) -> String {
    let name: String = clean(&words.part).chars().take(12).collect();
    let what: String = clean(&words.what).chars().take(16).collect();
    beside(&format!("  {name:<14}{what:<17}"), 33, &words.result)
}

fn layouts(run: &Run) -> Vec<PartWords> {
    run.steps.iter().filter(|step| step.plan.kind == StepKind::Layout).map(layout).collect()
}

fn layout(step: &StepRecord) -> PartWords {
    PartWords {
        part: "layout".to_owned(),
        what: numbers::size(step.tally(Direction::Write).bytes),
        result: format!("written in {}", numbers::span(step.ended.since(step.started).as_secs_f64())),
    }
}

fn latency(analysis: &Analysis) -> Option<PartWords> {
    let words: Vec<String> = analysis
        .latencies
        .iter()
        .map(|row| format!("{} {}", latency_name(row), numbers::time(row.mean_ns)))
        .collect();
    let part = || PartWords {
        part: "latency".to_owned(),
        what: "depth 1, mean".to_owned(),
        result: words.join(", "),
    };
    (!words.is_empty()).then(part)
}

/// Returns the direction, marked as spaced if the step left more time between requests than a cap requires.
fn latency_name(row: &LatencyRow) -> String {
    let spaced = if row.role == LatencyRole::Spaced { " spaced" } else { "" };
    format!("{}{spaced}", row.direction.name())
}

/// Splits the points of a ladder by direction.
fn ladder(points: &[Point]) -> Vec<&[Point]> {
    points.chunk_by(|a, b| a.direction == b.direction).collect()
}

fn depth_ladder(analysis: &Analysis, points: &[Point]) -> PartWords {
    let direction = points.first().map_or(Direction::Read, |point| point.direction);
    let cap = operations_cap(analysis, direction);
    let result = match (cap, filling_depth(analysis, direction)) {
        (Some(cap), Some(depth)) => {
            format!("{} IOPS from depth {} on", numbers::estimate(&cap, IOPS), numbers::count(depth))
        }
        (Some(cap), None) => format!("{} IOPS", numbers::estimate(&cap, IOPS)),
        (None, _) => level(analysis, direction, Quantity::Iops)
            .map_or_else(|| reached(points), |level| format!("{} IOPS", numbers::estimate(&level, IOPS))),
    };
    let block = points.first().map_or(0, |point| point.block);
    PartWords {
        part: "depth ladder".to_owned(),
        what: format!("{} {}", numbers::block(block as f64), plural(direction)),
        result,
    }
}

/// Returns the greatest rate at which a claimed latency holds.
fn headroom(row: &Headroom) -> PartWords {
    let claim = clean(&row.claim);
    let result = match row.bound {
        HeadroomBound::Between(rate) => format!(
            "{claim} holds up to {} IOPS that arrive by chance ({} to {})",
            numbers::count(rate.value),
            numbers::count(rate.low),
            numbers::count(rate.high)
        ),
        HeadroomBound::AtLeast(rate) => {
            format!("{claim} holds at {} IOPS that arrive by chance", numbers::count(rate))
        }
        HeadroomBound::AtMost(rate) => {
            format!("{claim} does not hold even at {} IOPS that arrive by chance", numbers::count(rate))
        }
    };
    PartWords { part: "headroom".to_owned(), what: plural(row.direction).to_owned(), result }
}

fn reached(points: &[Point]) -> String {
    let best = points.iter().max_by(|a, b| a.iops.value.total_cmp(&b.iops.value));
    best.map_or_else(String::new, |point| {
        format!("up to {} IOPS at depth {}", numbers::estimate(&point.iops, IOPS), point.depth)
    })
}

fn block_ladder(analysis: &Analysis, points: &[Point]) -> PartWords {
    let direction = points.first().map_or(Direction::Read, |point| point.direction);
    let cap = analysis.findings.iter().find_map(|finding| match finding.meaning {
        Meaning::BandwidthCap(BandwidthCap { direction: of, cap, .. }) if of == direction => Some(cap),
        _ => None,
    });
    let crossover = analysis.findings.iter().find_map(|finding| match finding.meaning {
        Meaning::Crossover(Crossover { direction: of, bytes }) if of == direction => Some(bytes),
        _ => None,
    });
    let best = points.iter().map(|point| point.bytes_per_second).max_by(|a, b| a.value.total_cmp(&b.value));
    let result = match (cap, crossover, best) {
        (Some(cap), Some(from), _) => format!("{} from {} on", rate(&cap), numbers::block(from)),
        (Some(cap), None, _) => rate(&cap),
        (None, _, Some(best)) => level(analysis, direction, Quantity::BytesPerSecond)
            .map_or_else(|| format!("up to {}", rate(&best)), |level| rate(&level)),
        (None, _, None) => String::new(),
    };
    PartWords {
        part: "block ladder".to_owned(),
        what: blocks(points),
        result: format!("{} {result}", plural(direction)),
    }
}

/// Formats the range of block sizes: `4 KiB to 1 MiB`.
fn blocks(points: &[Point]) -> String {
    match (points.first(), points.last()) {
        (Some(first), Some(last)) if first.block != last.block => {
            format!("{} to {}", numbers::block(first.block as f64), numbers::block(last.block as f64))
        }
        (Some(only), _) => numbers::block(only.block as f64),
        _ => String::new(),
    }
}

fn rate(estimate: &Estimate) -> String {
    let unit = Unit::of_bandwidth(estimate.value, Prefix::Binary);
    numbers::estimate_in(estimate, unit)
}

fn operations_cap(analysis: &Analysis, wanted: Direction) -> Option<Estimate> {
    analysis.findings.iter().find_map(|finding| match finding.meaning {
        Meaning::IopsCap(IopsCap { direction, cap, .. }) if direction == wanted => Some(cap),
        _ => None,
    })
}

/// Returns the figure of the verdict for the level of a ladder: one quantity has one figure.
fn level(analysis: &Analysis, direction: Direction, quantity: Quantity) -> Option<Estimate> {
    let of = |row: &&ClaimRow| row.direction == direction && row.quantity == quantity;
    analysis.verdict.rows.iter().find(of).and_then(|row| row.measured)
}

fn job(point: &Point) -> PartWords {
    PartWords {
        part: point.step.clone(),
        what: format!("{} {}", numbers::block(point.block as f64), plural(point.direction)),
        result: format!(
            "depth {}: {} IOPS, {}, mean {}, p99 {}",
            point.depth,
            numbers::estimate(&point.iops, IOPS),
            rate(&point.bytes_per_second),
            numbers::time(point.latency_ns_mean),
            numbers::time(point.latency_ns_p99 as f64)
        ),
    }
}

/// Returns a note of the engine about a step, as a sentence. Strings from the machine are inserted unchanged.
pub fn note(note: &Note) -> String {
    match note {
        Note::Features { words, .. } | Note::Other { words } => words.clone(),
        Note::Silence(silence) => silence.to_string(),
        Note::Held(held) => held.to_string(),
        Note::Mismatch(mismatch) => mismatch_words(mismatch),
        Note::Crossed(crossed) => crossed.to_string(),
        Note::Steered(steered) => steered.to_string(),
        Note::CutOff => {
            "The run was cut off in this step: its totals are merged from the intervals that were stored."
                .to_owned()
        }
    }
}

fn mismatch_words(mismatch: &Mismatch) -> String {
    let Mismatch { what, path, offset, io_offset, io_bytes } = mismatch;
    format!(
        "verify: {what} at file {path} offset {offset} (requested block: offset={io_offset}, length={io_bytes})"
    )
}
