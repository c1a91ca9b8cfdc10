//! Disk results of scripts that test a rented server: bench.sh and its kin, nench.

use record::{Figure, LatencyKind, ReportedPart, Scope};
use workload::Direction;

use super::found::{ImportedResult, latency, set, way};
use super::quantity::{self, Prefixes};
use super::text::Text;
use super::trouble::Troubles;

/// Reads every result in `text`.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut walk = Walk { text, troubles, found: Vec::new(), section: None };
    for (start, line) in text.lines() {
        walk.line(line.trim(), start);
    }
    walk.found.retain(|found| !found.parts.is_empty());
    walk.found
}

const BENCH: &str = "bench.sh";
const NENCH: &str = "nench";
/// Note on bench.sh's average: it adds up dd's rates and counts each GB, which dd means as 1000 MB, as 1024 MB.
const MIXED: &str = "bench.sh takes a GB of dd's for 1024 MB in its average";

struct Walk<'t> {
    text: &'t Text,
    troubles: &'t mut Troubles,
    found: Vec<ImportedResult>,
    section: Option<Section>,
}

/// Sections of nench's output that are about the disk.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Section {
    Seeks,
    Reads,
    Writes,
}

impl Walk<'_> {
    fn line(&mut self, line: &str, start: usize) {
        if line.starts_with("nench.sh v") {
            self.section = None;
            return self.begin(NENCH, start);
        }
        if let Some((name, rate)) = speed(line) {
            return self.written(BENCH, (&name, rate), start);
        }
        self.section = match line {
            "ioping: seek rate" => Some(Section::Seeks),
            "ioping: sequential read speed" => Some(Section::Reads),
            "dd: sequential write speed" => Some(Section::Writes),
            _ => return self.of_section(line, start),
        };
        if self.tool() != Some(NENCH) {
            self.begin(NENCH, start);
        }
    }

    fn begin(&mut self, tool: &str, at: usize) {
        self.text.bounds.begin(
            &mut self.found,
            ImportedResult { tool: tool.to_owned(), at, ..ImportedResult::default() },
        );
    }

    /// Returns the tool of the result being read.
    fn tool(&self) -> Option<&str> {
        self.found.last().map(|found| found.tool.as_str())
    }

    fn of_section(&mut self, line: &str, start: usize) {
        let part = |name: &str| ReportedPart::named(Scope::Job, name, self.text.line(start));
        let read = match self.section {
            Some(Section::Seeks) => {
                line.strip_prefix("min/avg/max/mdev = ").map(|words| seeks(part("ioping: seek rate"), words))
            }
            Some(Section::Reads) => line
                .strip_prefix("generated ")
                .map(|words| reads(part("ioping: sequential read speed"), words)),
            Some(Section::Writes) => {
                let known = line.split_once(':');
                let known = known
                    .filter(|(name, _)| *name == "average" || name.starts_with(|c: char| c.is_ascii_digit()));
                match known {
                    Some((name, rate)) => self.written(NENCH, (name, rate), start),
                    None => self.section = self.section.filter(|_| line.is_empty()),
                }
                return;
            }
            None => return,
        };
        match (read, self.found.last_mut()) {
            (Some(Some(part)), Some(found)) => self.text.bounds.add(&mut found.parts, part),
            (Some(None), _) => {
                self.troubles.push(self.text.trouble(start, "figures with units as ioping prints them"))
            }
            _ => {}
        }
    }

    /// Reads a rate of dd: of a single run, or the mean that the script computes.
    fn written(&mut self, tool: &str, (name, rate): (&str, &str), start: usize) {
        let name = name.trim();
        let again = self.found.last().is_some_and(|last| last.parts.iter().any(|part| part.job == name));
        if self.tool() != Some(tool) || again {
            self.begin(tool, start);
        }
        let printed = rate.trim();
        // // Before 2014 there was no blank between the figure and its unit.
        let Some(rate) = quantity::byte_rate(&printed.replacen("B/sec", "B/s", 1), Prefixes::Named) else {
            return self.troubles.push(self.text.trouble(start, "a rate like 255 MB/s"));
        };
        let scope = if name == "average" { Scope::Whole } else { Scope::Job };
        let mut part = ReportedPart::named(scope, name, self.text.line(start));
        set(&mut way(&mut part, Some(Direction::Write)).bytes_per_second, Some(rate));
        let Some(found) = self.found.last_mut() else { return };
        if tool == BENCH && printed.ends_with("GB/s") && found.notes.is_empty() {
            found.notes.push(MIXED.to_owned());
        }
        self.text.bounds.add(&mut found.parts, part);
    }
}

/// Returns the run and its rate from `I/O Speed(1st run) : 255 MB/s` or `Average I/O speed : 247.7 MB/s`.
fn speed(line: &str) -> Option<(String, &str)> {
    let (head, rate) = line.split_once(':')?;
    let head = head.trim();
    let is_ours = head.len() <= 40 && head.is_ascii();
    let lower = head.to_ascii_lowercase();
    if !is_ours {
        return None;
    }
    if lower == "average i/o speed" {
        return Some(("average".to_owned(), rate));
    }
    let run = lower.strip_prefix("i/o speed")?.trim().strip_prefix('(')?.strip_suffix(')')?;
    Some((run.trim().to_owned(), rate))
}

/// Parses `58.7 us / 109.4 us / 6.32 ms / 48.0 us`.
fn seeks(mut part: ReportedPart, words: &str) -> Option<ReportedPart> {
    let times: Vec<Figure> = words.split('/').filter_map(quantity::time).collect();
    let [min, mean, max, deviation] = <[Figure; 4]>::try_from(times).ok()?;
    let latency = latency(way(&mut part, Some(Direction::Read)), LatencyKind::Total);
    (latency.min, latency.mean, latency.max, latency.stddev) =
        (Some(min), Some(mean), Some(max), Some(deviation));
    Some(part)
}

/// Parses `20.9 k requests in 5.00 s, 5.11 GiB, 4.18 k iops, 1.02 GiB/s`.
fn reads(mut part: ReportedPart, words: &str) -> Option<ReportedPart> {
    let (count, rest) = words.split_once(" requests in ")?;
    let mut pieces = rest.split(", ");
    let (time, size, iops, rate) = (pieces.next()?, pieces.next()?, pieces.next()?, pieces.next()?);
    let way = way(&mut part, Some(Direction::Read));
    way.ops = Some(quantity::scaled(count, 1.0)?);
    way.runtime = Some(quantity::time(time)?);
    way.bytes = Some(quantity::bytes(size, Prefixes::Named)?);
    way.iops = Some(quantity::scaled(iops.trim().strip_suffix("iops")?, 1.0)?);
    way.bytes_per_second = Some(quantity::byte_rate(rate, Prefixes::Named)?);
    Some(part)
}
