//! The summary of kbench, which loads a Kubernetes volume with fio: rates, bandwidths and latencies, each
//! from jobs of its own; of one volume, or of two side by side.

use record::{Figure, LatencyKind, ReportedPart, Scope};
use workload::Direction;

use super::found::{ImportedResult, latency, set, way};
use super::quantity;
use super::text::Text;
use super::trouble::Troubles;

const HEADING: &str = "FIO Benchmark Summary";
/// Heading of a comparison, as kbench misspells it and as it may correct it.
const OF_TWO: [&str; 2] = ["FIO Benchmark Comparsion Summary", "FIO Benchmark Comparison Summary"];
/// Most columns: kbench compares two volumes.
const SIDES_MOST: usize = 2;

/// What the rows below a heading hold.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Measure {
    Iops,
    Bandwidth,
    Latency,
}

impl Measure {
    fn of(line: &str) -> Option<Measure> {
        let heading = line.strip_suffix("(Read/Write)")?.trim_end();
        match heading {
            "IOPS" => Some(Measure::Iops),
            "Bandwidth in KiB/sec" => Some(Measure::Bandwidth),
            "Latency in ns" => Some(Measure::Latency),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Measure::Iops => "iops",
            Measure::Bandwidth => "bandwidth",
            Measure::Latency => "latency",
        }
    }

    /// Returns the figure of a cell, in its base unit.
    fn figure(self, cell: &str) -> Option<Figure> {
        let worth = if self == Measure::Bandwidth { 1024.0 } else { 1.0 };
        let cell = cell.trim();
        let figure = quantity::plain(&cell.replace(',', ""), worth)?;
        Some(Figure { printed: cell.to_owned(), ..figure })
    }
}

/// Reads every summary in `text`; of two volumes, each is a result.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut reader = Reader { text, troubles, found: Vec::new(), sides: 0, asked: Vec::new(), measure: None };
    for (start, line) in text.lines() {
        reader.line(line.trim(), start);
    }
    reader.found
}

struct Reader<'t> {
    text: &'t Text,
    troubles: &'t mut Troubles,
    found: Vec<ImportedResult>,
    /// Number of volumes in the summary being read; 0 outside one.
    sides: usize,
    /// What the head of the summary says.
    asked: Vec<(String, String)>,
    measure: Option<Measure>,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, start: usize) {
        let sides = if line == HEADING { 1 } else { SIDES_MOST * usize::from(OF_TWO.contains(&line)) };
        if sides > 0 {
            (self.sides, self.measure) = (sides, None);
            self.asked.clear();
            if !(0..sides).all(|_| self.text.bounds.keeps_part()) {
                self.sides = 0;
                return;
            }
            let empty = || ImportedResult {
                tool: "kbench summary".to_owned(),
                at: start,
                ..ImportedResult::default()
            };
            self.found.extend((0..sides).map(|_| empty()));
            return;
        }
        if self.sides == 0 {
            return;
        }
        if let Some(measure) = Measure::of(line) {
            self.measure = Some(measure);
        } else if let (Some(measure), Some((name, cells))) = (self.measure, line.split_once(':')) {
            self.row(measure, (name.trim(), cells), start);
        } else if let (None, Some((name, value))) = (self.measure, line.split_once(": ")) {
            self.head(name, value.trim());
        }
    }

    /// Reads a line of the head: the volume, its size, the modes.
    fn head(&mut self, name: &str, value: &str) {
        if name == "For" && self.sides == SIDES_MOST {
            let first = self.found.len() - SIDES_MOST;
            for (found, volume) in self.found[first..].iter_mut().zip(value.split(" vs ")) {
                found.notes.push(format!("one of two volumes beside each other: {}", volume.trim()));
            }
        }
        self.asked.push((name.to_lowercase(), value.to_owned()));
    }

    /// Reads `Random: 98,368 / 89,200`; of two volumes, `vs` separates the figures and a colon precedes the change.
    fn row(&mut self, measure: Measure, (name, cells): (&str, &str), start: usize) {
        let access = match name {
            "Random" => "random",
            "Sequential" => "sequential",
            _ => return,
        };
        let cells = cells.split(" : ").next().unwrap_or_default();
        let sides: Vec<Option<(Figure, Figure)>> = cells
            .split(" vs ")
            .map(|side| {
                let (read, write) = side.split_once('/')?;
                Some((measure.figure(read)?, measure.figure(write)?))
            })
            .collect();
        let line = self.text.line(start);
        let first = self.found.len() - self.sides;
        if sides.len() != self.sides || sides.iter().any(Option::is_none) {
            let expected = format!("{} times reads and writes like 98,368 / 89,200", self.sides);
            self.troubles.push(self.text.trouble(start, expected));
            return;
        }
        for (found, (read, write)) in self.found[first..].iter_mut().zip(sides.into_iter().flatten()) {
            let mut part = ReportedPart::named(Scope::Job, format!("{access} {}", measure.name()), line);
            part.asked = self.asked.clone();
            enter(&mut part, (measure, Direction::Read), read);
            enter(&mut part, (measure, Direction::Write), write);
            self.text.bounds.add(&mut found.parts, part);
        }
    }
}

fn enter(part: &mut ReportedPart, (measure, direction): (Measure, Direction), figure: Figure) {
    let way = way(part, Some(direction));
    match measure {
        Measure::Iops => set(&mut way.iops, Some(figure)),
        Measure::Bandwidth => set(&mut way.bytes_per_second, Some(figure)),
        Measure::Latency => set(&mut latency(way, LatencyKind::Total).mean, Some(figure)),
    }
}
