//! The four-line summary of dbench, a fio job for Kubernetes volumes, and of scripts that print the same lines.

use record::{Figure, LatencyKind, ReportedPart, Scope};
use workload::Direction;

use super::found::{ImportedResult, latency, set, way};
use super::quantity::{self, Prefixes};
use super::text::Text;
use super::trouble::Troubles;

/// Start of the first line, which begins a result; the constants below start the other three.
const RANDOM: &str = "Random Read/Write IOPS:";
const LATENCY: &str = "Average Latency (usec) Read/Write:";
const SEQUENTIAL: &str = "Sequential Read/Write:";
const MIXED: &str = "Mixed Random Read/Write IOPS:";

/// Note on latencies: dbench takes the number out of fio's line but not its unit, which depends on the number's size.
const UNIT: &str = "dbench calls its latencies usec also where fio gave them in milliseconds or nanoseconds";

/// Reads every summary in `text`. Each line comes from a fio job of its own: rates at 4 KiB, bandwidths at
/// 128 KiB, latencies at depth 4.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut found: Vec<ImportedResult> = Vec::new();
    for (start, line) in text.lines() {
        let line = line.trim();
        if line.starts_with(RANDOM) {
            let notes = vec![UNIT.to_owned()];
            text.bounds.begin(
                &mut found,
                ImportedResult {
                    tool: "dbench summary".to_owned(),
                    at: start,
                    notes,
                    ..ImportedResult::default()
                },
            );
        }
        let Some(last) = found.last_mut() else { continue };
        let Some(parts) = parts(line) else { continue };
        if parts.is_empty() {
            troubles.push(text.trouble(start, "figures of reads and writes like 75.7k/59.7k"));
        }
        for (name, measure, figures) in parts {
            let mut part = ReportedPart::named(Scope::Job, name, text.line(start));
            for (direction, figure) in [Direction::Read, Direction::Write].into_iter().zip(figures) {
                enter(&mut part, (measure, direction), figure);
            }
            text.bounds.add(&mut last.parts, part);
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq)]
enum Measure {
    Iops,
    Bandwidth,
    Latency,
}

type Parts = Vec<(&'static str, Measure, [Option<Figure>; 2])>;

/// Reads the figures of a line: `None` if it is not one of the four, empty if its figures cannot be read.
fn parts(line: &str) -> Option<Parts> {
    let one = |name, measure, words: &str| pair(words, measure).map(|figures| (name, measure, figures));
    let parts = if let Some(words) = line.strip_prefix(RANDOM) {
        let (iops, rates) = words.split_once("BW:").unwrap_or((words, ""));
        let iops = one("random iops", Measure::Iops, iops.trim().trim_end_matches('.'));
        vec![iops, one("random bandwidth", Measure::Bandwidth, rates)]
    } else if let Some(words) = line.strip_prefix(LATENCY) {
        vec![one("random latency", Measure::Latency, words)]
    } else if let Some(words) = line.strip_prefix(SEQUENTIAL).filter(|words| words.contains("/s")) {
        vec![one("sequential bandwidth", Measure::Bandwidth, words)]
    } else if let Some(words) = line.strip_prefix(MIXED) {
        vec![one("mixed random iops", Measure::Iops, words)]
    } else {
        return None;
    };
    Some(parts.into_iter().flatten().collect())
}

/// Parses `75.7k/59.7k`, `523MiB/s / 500MiB/s`, or `1410.50/` if the second figure was not found.
fn pair(words: &str, measure: Measure) -> Option<[Option<Figure>; 2]> {
    let words = words.trim();
    let middle = match measure {
        Measure::Bandwidth => words.find("/s")? + 2,
        _ => words.find('/')?,
    };
    let (read, write) = words.split_at_checked(middle)?;
    let write = write.trim_start().strip_prefix('/')?;
    let figures = [read, write].map(|words| one(words.trim(), measure));
    figures.iter().any(Option::is_some).then_some(figures)
}

fn one(words: &str, measure: Measure) -> Option<Figure> {
    match measure {
        Measure::Iops => quantity::scaled(words, 1.0),
        Measure::Bandwidth => quantity::byte_rate(words, Prefixes::Named),
        Measure::Latency => quantity::plain(words, 1e3),
    }
}

fn enter(part: &mut ReportedPart, (measure, direction): (Measure, Direction), figure: Option<Figure>) {
    let Some(figure) = figure else { return };
    let way = way(part, Some(direction));
    match measure {
        Measure::Iops => set(&mut way.iops, Some(figure)),
        Measure::Bandwidth => set(&mut way.bytes_per_second, Some(figure)),
        Measure::Latency => set(&mut latency(way, LatencyKind::Total).mean, Some(figure)),
    }
}
