//! pveperf, Proxmox VE's quick test of a host: buffered reads, seeks and flushes of a file system.

use record::{Figure, LatencyKind, ReportedPart, Scope};
use workload::Direction;

use super::found::{ImportedResult, latency, set, way};
use super::quantity;
use super::text::Text;
use super::trouble::Troubles;

/// pveperf's MB in bytes: a MiB, the size of the blocks that it reads.
const MB: f64 = 1_048_576.0;

/// Name of the line of reads, and the unit after its figure.
const READS: (&str, &str) = ("BUFFERED READS", "MB/sec");
/// Name of the line of seeks, and the unit after its figure.
const SEEKS: (&str, &str) = ("AVERAGE SEEK TIME", "ms");
/// Name of the line of flushes, which have no unit.
const FLUSHES: (&str, &str) = ("FSYNCS/SECOND", "");
/// Names of other lines, whose words are kept.
const SAID: [&str; 2] = ["CPU BOGOMIPS", "REGEX/SECOND"];

/// Reads every result in `text`.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut found: Vec<ImportedResult> = Vec::new();
    for (start, line) in text.lines() {
        let Some((name, words)) = line.trim().split_once(':') else { continue };
        let words = words.trim();
        if name == SAID[0] {
            text.bounds.begin(&mut found, begun(start, text));
        }
        let Some(entry) = Entry::of(name) else { continue };
        if found.is_empty() {
            text.bounds.begin(&mut found, begun(start, text));
        }
        let Some(part) = found.last_mut().and_then(|found| found.parts.first_mut()) else { continue };
        if !entry.enter(part, words) {
            troubles.push(text.trouble(start, format!("a figure behind '{name}:'")));
        }
    }
    found
}

fn begun(at: usize, text: &Text) -> ImportedResult {
    let part = ReportedPart::named(Scope::Job, "file system", text.line(at));
    ImportedResult { tool: "pveperf".to_owned(), parts: vec![part], at, ..ImportedResult::default() }
}

/// A line of pveperf's.
enum Entry {
    Said(&'static str),
    Size,
    Reads,
    Seeks,
    Flushes,
}

impl Entry {
    fn of(name: &str) -> Option<Entry> {
        let said = SAID.iter().find(|known| **known == name).map(|known| Entry::Said(known));
        said.or_else(|| match name {
            "HD SIZE" => Some(Entry::Size),
            name if name == READS.0 => Some(Entry::Reads),
            name if name == SEEKS.0 => Some(Entry::Seeks),
            name if name == FLUSHES.0 => Some(Entry::Flushes),
            _ => None,
        })
    }

    /// Enters the line; returns false if it has no figure.
    fn enter(&self, part: &mut ReportedPart, words: &str) -> bool {
        match self {
            Entry::Said(name) => part.said.push(((*name).to_lowercase(), words.to_owned())),
            // `93.93 GB (/dev/mapper/pve-root)`
            Entry::Size => {
                part.said.push(("size".to_owned(), words.to_owned()));
                if let Some((_, device)) = words.split_once('(') {
                    part.job = device.trim_end_matches(')').to_owned();
                }
            }
            Entry::Reads => {
                let rate = measured(words, READS.1, MB);
                return put(&mut way(part, Some(Direction::Read)).bytes_per_second, rate);
            }
            Entry::Seeks => {
                let mean = measured(words, SEEKS.1, 1e6);
                let way = way(part, Some(Direction::Read));
                return put(&mut latency(way, LatencyKind::Total).mean, mean);
            }
            Entry::Flushes => {
                let rate = measured(words, FLUSHES.1, 1.0);
                return put(&mut way(part, Some(Direction::Flush)).iops, rate);
            }
        }
        true
    }
}

fn put(place: &mut Option<Figure>, figure: Option<Figure>) -> bool {
    let is_there = figure.is_some();
    set(place, figure);
    is_there
}

fn measured(words: &str, unit: &str, worth: f64) -> Option<Figure> {
    let figure = quantity::plain(words.strip_suffix(unit)?, worth)?;
    Some(Figure { printed: words.to_owned(), ..figure })
}
