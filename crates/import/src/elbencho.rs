//! elbencho's CSV: one row for each phase.

use record::{Figure, LatencyKind, ReportedPart, ReportedUnit, Scope};
use workload::{Direction, Nanos};

use super::found::{ImportedResult, add, latency, set, way};
use super::quantity;
use super::text::Text;
use super::trouble::Troubles;

/// Columns of options, by elbencho's own names.
const ASKED: [&str; 13] = [
    "path type",
    "paths",
    "hosts",
    "threads",
    "dirs",
    "files",
    "file size",
    "block size",
    "direct IO",
    "random",
    "random aligned",
    "IO depth",
    "shared paths",
];

/// Most columns read: more than elbencho has.
const COLUMNS_MOST: usize = 128;

/// Reads every table in `text`; the rows of a table are one result.
pub(crate) fn csv(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let (mut found, mut heads): (Vec<ImportedResult>, Vec<String>) = (Vec::new(), Vec::new());
    for (start, line) in text.lines() {
        let is_head =
            line.contains("operation") && line.contains("MiB/s [last]") && line.contains("IOPS [last]");
        if is_head {
            heads = fields(line);
            text.bounds.begin(
                &mut found,
                ImportedResult { tool: "elbencho CSV".to_owned(), at: start, ..ImportedResult::default() },
            );
            continue;
        }
        let Some(last) = found.last_mut().filter(|_| !heads.is_empty() && !line.trim().is_empty()) else {
            continue;
        };
        let row = fields(line);
        if row.len() != heads.len() {
            // Prose below a table is not a row of it.
            if row.len() > 3 {
                let expected = format!("{} fields, as the first line has them", heads.len());
                troubles.push(text.trouble(start, expected));
            }
            continue;
        }
        text.bounds.add(&mut last.parts, Row { heads: &heads, row: &row }.part(text.line(start)));
    }
    found
}

/// Splits a line into its fields; quotes protect commas.
fn fields(line: &str) -> Vec<String> {
    let (mut found, mut field, mut quoted) = (Vec::new(), String::new(), false);
    for letter in line.trim_end().chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted && found.len() < COLUMNS_MOST => found.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    found.push(field);
    found.into_iter().map(|field| field.trim().to_owned()).collect()
}

struct Row<'r> {
    heads: &'r [String],
    row: &'r [String],
}

impl Row<'_> {
    fn word(&self, head: &str) -> Option<&str> {
        let at = self.heads.iter().position(|known| known == head)?;
        Some(self.row[at].as_str()).filter(|word| !word.is_empty())
    }

    /// Returns the figure under `head` times `worth`. The heads with `[first]` and `[last]` stand for the
    /// moments at which the first and the last thread of a phase was done.
    fn figure(&self, head: &str, worth: f64) -> Option<Figure> {
        quantity::plain(self.word(head)?, worth)
    }

    fn part(&self, line: u32) -> ReportedPart {
        let phase = self.word("operation").unwrap_or("phase");
        let name = self.word("label").map_or_else(|| phase.to_owned(), |label| format!("{label} {phase}"));
        let mut part = ReportedPart::named(Scope::Job, name, line);
        let asked = ASKED.iter().filter_map(|head| Some(((*head).to_owned(), self.word(head)?.to_owned())));
        part.asked = asked.collect();
        for head in ["ISO date", "version", "command"] {
            part.said.extend(self.word(head).map(|word| (head.to_owned(), word.to_owned())));
        }
        let runtime = self.figure("time ms [last]", 1e6);
        part.runtime = runtime.as_ref().map(|time| Nanos(time.value as u64));
        if self.word("IOPS [last]").is_some() || self.word("MiB/s [last]").is_some() {
            self.rates(&mut part, (phase, runtime));
        }
        for (name, head, unit, worth) in [
            ("entries.rate", "entries/s [last]", ReportedUnit::PerSecond, 1.0),
            ("entries", "entries [last]", ReportedUnit::Count, 1.0),
            ("entries.latency.mean", "Ent lat us [avg]", ReportedUnit::Nanoseconds, 1e3),
            ("entries.latency.max", "Ent lat us [max]", ReportedUnit::Nanoseconds, 1e3),
            ("cpu.usage", "CPU% [last]", ReportedUnit::Percent, 1.0),
        ] {
            add(&mut part.figures, name, unit, self.figure(head, worth));
        }
        part
    }

    fn rates(&self, part: &mut ReportedPart, (phase, runtime): (&str, Option<Figure>)) {
        const MIB: f64 = 1_048_576.0;
        let direction = match phase {
            "READ" => Some(Direction::Read),
            "WRITE" => Some(Direction::Write),
            _ => None,
        };
        let way = way(part, direction);
        set(&mut way.iops, self.figure("IOPS [last]", 1.0));
        set(&mut way.bytes_per_second, self.figure("MiB/s [last]", MIB));
        set(&mut way.bytes, self.figure("MiB [last]", MIB));
        way.runtime = runtime;
        add(&mut way.figures, "iops.first_done", ReportedUnit::PerSecond, self.figure("IOPS [first]", 1.0));
        let first = self.figure("MiB/s [first]", MIB);
        add(&mut way.figures, "bandwidth.first_done", ReportedUnit::BytesPerSecond, first);
        let moment = |name: &str| {
            let bracketed = self.figure(&format!("IO lat us [{name}]"), 1e3);
            bracketed.or_else(|| self.figure(&format!("IO lat us {name}"), 1e3))
        };
        let [min, mean, max] = ["min", "avg", "max"].map(moment);
        if mean.is_some() {
            let moments = latency(way, LatencyKind::Total);
            (moments.min, moments.mean, moments.max) = (min, mean, max);
        }
    }
}
