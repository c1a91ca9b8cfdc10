//! DiskSpd's text: input parameters, system, and the tables of each time span.

use std::collections::HashMap;

use record::{Figure, LatencyKind, ReportedPart, ReportedUnit, Scope};
use workload::Direction;

use super::super::found::{self, ImportedResult, add, latency, set, way};
use super::super::pieces::near;
use super::super::quantity;
use super::super::text::Text;
use super::super::trouble::Troubles;
use super::table::{Columns, cells, percentile};

/// The section to which the following lines belong.
#[derive(Clone, Debug, PartialEq)]
enum Section {
    /// Lines that are ignored.
    Prose,
    /// The parameters, as DiskSpd repeats them.
    Input,
    /// Machine and start time.
    System,
    /// Facts about a time span, above its tables.
    Span,
    /// Lines between and below the tables of a time span.
    Tables,
    /// The table of CPUs.
    Cpu,
    /// The table of bytes and I/Os by thread and target.
    Io(Option<Direction>),
    /// The table of percentiles of one target, or of all targets.
    Latency(Option<String>),
}

/// The walk over the lines.
struct Walk<'t> {
    text: &'t Text,
    troubles: &'t mut Troubles,
    found: Vec<ImportedResult>,
    section: Section,
    columns: Columns,
    /// Parameters; they and `said` are copied to every time span.
    asked: Vec<(String, String)>,
    said: Vec<(String, String)>,
    /// Parts of the current span: first the whole, then threads, then CPUs.
    parts: Vec<ReportedPart>,
    /// Index in `parts` of each thread and target of the current span.
    known: HashMap<(Scope, String), usize>,
    at: usize,
    version: &'static str,
}

/// A head of the tables of bytes and I/Os.
const ROWS: &str = "I/Os";

/// Heads of the table of CPUs, and the names of their figures.
const CPU: [(&str, &str); 4] =
    [("Usage", "cpu.usage"), ("User", "cpu.user"), ("Kernel", "cpu.system"), ("Idle", "cpu.idle")];

/// Version if the text lacks the head that would state it.
const UNKNOWN: &str = "of an unknown version";

/// Reads every result in `text`; each time span is a result.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut walk = Walk {
        text,
        troubles,
        found: Vec::new(),
        section: Section::Prose,
        columns: Columns::default(),
        asked: Vec::new(),
        said: Vec::new(),
        parts: Vec::new(),
        known: HashMap::new(),
        at: 0,
        version: UNKNOWN,
    };
    text.lines().for_each(|(start, line)| walk.line(line, start));
    walk.end_span();
    walk.found
}

impl Walk<'_> {
    fn line(&mut self, line: &str, start: usize) {
        let line = plain(line);
        let words = line.trim();
        if self.heading(words, start) || is_ruler(words) {
            return;
        }
        match self.section.clone() {
            Section::Prose | Section::Tables => {}
            Section::Input => self.parameter(words),
            Section::System => self.system(words),
            Section::Span => self.span(words, start),
            Section::Cpu => self.cpu(line, start),
            Section::Io(direction) => self.row(direction, line, start),
            Section::Latency(of) => self.percentiles(of.as_deref(), line, start),
        }
    }

    /// Begins a section if the line is its heading; returns whether the line is one.
    fn heading(&mut self, words: &str, start: usize) -> bool {
        let is_cpu = words.contains("CPU") && words.contains('|') && words.contains("Usage");
        let is_latency = is_percentiles(words);
        if self.parts.is_empty() && (is_cpu || is_latency || table(words).is_some()) {
            // Pastes often begin at the first table.
            self.begin_span("1", start);
        }
        if is_latency && !matches!(self.section, Section::Latency(_)) {
            self.section = Section::Latency(None);
            return true;
        }
        let spanning = !self.parts.is_empty();
        if let Some(command) = words.strip_prefix("Command Line:") {
            self.end_span();
            (self.asked, self.said) = (vec![("command".to_owned(), command.trim().to_owned())], Vec::new());
            self.version = UNKNOWN;
            self.at = start;
            self.section = Section::Prose;
        } else if words == "Input parameters:" {
            // The system is printed below them since 2.0.21.
            self.version = "up to 2.0.20";
            self.section = Section::Input;
        } else if words == "System information:" {
            self.version = "2.0.21 or later";
            self.section = Section::System;
        } else if let Some(number) = words.strip_prefix("Results for timespan ") {
            self.begin_span(number.trim_end_matches(':'), start);
        } else if spanning && is_cpu {
            self.columns = Columns::of(words);
            self.section = Section::Cpu;
            if words.contains("IO Wait") {
                self.version = "for Linux";
            } else if words.starts_with("Core") {
                self.version = "2.2 or later";
            }
        } else if let Some(direction) = table(words).filter(|_| spanning) {
            self.columns = Columns::default();
            self.section = Section::Io(direction);
        } else if let Some(path) = words.strip_prefix("Latency distribution:").filter(|_| spanning) {
            self.section = Section::Latency(Some(path.trim().to_owned()));
        } else if spanning && (words == "Total latency distribution:" || words == "total:") {
            self.section = Section::Latency(None);
        } else if words == "Totals:" {
            self.end_span();
        } else if matches!(self.section, Section::Cpu | Section::Span | Section::Tables)
            && words.contains(ROWS)
            && words.contains('|')
        {
            let expected =
                "a line 'Total IO', 'Read IO' or 'Write IO' above the heads; the table is left out";
            self.troubles.push(self.text.trouble(start, expected));
            self.section = Section::Tables;
        } else {
            return false;
        }
        true
    }

    fn begin_span(&mut self, number: &str, start: usize) {
        let at = if self.found.is_empty() && self.parts.is_empty() { self.at } else { start };
        self.end_span();
        self.at = at;
        let mut whole =
            ReportedPart::named(Scope::Whole, format!("timespan {number}"), self.text.line(start));
        let pairs = self.asked.iter().chain(&self.said);
        if self.text.may_repeat(pairs.map(|(name, value)| name.len() + value.len() + 48).sum()) {
            whole.asked.clone_from(&self.asked);
            whole.said.clone_from(&self.said);
        }
        self.known.clear();
        self.parts.push(whole);
        self.section = Section::Span;
    }

    fn end_span(&mut self) {
        let mut parts = std::mem::take(&mut self.parts);
        if let Some(whole) = parts.first() {
            if whole.directions.is_empty() && parts.len() == 1 {
                let place = near(&self.text.plain, self.at, 64 << 10)
                    .find("Results for timespan")
                    .map_or(self.at, |at| self.at + at);
                let expected = "the tables 'Total IO', 'Read IO' and 'Write IO' with their 'total:' rows";
                self.troubles.push(self.text.trouble(place, expected));
            }
            let added_up = parts.iter_mut().map(add_up).filter(|added| *added).count() > 0;
            parts.iter_mut().for_each(|part| {
                part.directions.retain(|way| way.ops.as_ref().is_none_or(|ops| ops.value > 0.0))
            });
            let tool = format!("DiskSpd {} text", self.version);
            let notes = added_up.then(|| ADDED_UP.to_owned()).into_iter().collect();
            let mut found = ImportedResult { tool, parts, notes, at: self.at, ..ImportedResult::default() };
            super::start(&mut found);
            self.text.bounds.begin(&mut self.found, found);
        }
        self.section = Section::Prose;
    }

    /// Reads a parameter such as `block size: 4KiB` or `using random I/O (alignment: 4KiB)`, or words without a value.
    fn parameter(&mut self, words: &str) {
        let (name, value) = words.split_once(": ").unwrap_or((words, ""));
        if name.starts_with("timespan:") || words.starts_with("timespan:") {
            return;
        }
        let inside = value.strip_suffix(')').filter(|_| name.contains(" ("));
        let name = if inside.is_some() { format!("{name})") } else { name.to_owned() };
        self.asked.push((name, inside.unwrap_or(value).trim().trim_matches('\'').to_owned()));
    }

    fn system(&mut self, words: &str) {
        if let Some((name, value)) = words.split_once(':') {
            self.said.push((name.trim().to_owned(), value.trim().to_owned()));
        }
    }

    /// Reads a fact about the span, such as `actual test time: 30.00s` or `thread count: 4`.
    fn span(&mut self, words: &str, start: usize) {
        let fact = words.split_once(':').filter(|_| !words.contains('|'));
        let Some((name, value)) = fact else { return };
        let value = value.trim();
        let Some(whole) = self.parts.first_mut() else { return };
        match name {
            "actual test time" | "test time" => match quantity::time(value) {
                Some(time) => whole.runtime = Some(quantity::nanos(&time)),
                None => self.troubles.push(self.text.trouble(start, "a test time like 30.00s")),
            },
            "thread count" => whole.clones = value.parse().ok(),
            _ => whole.said.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Reads a row of CPU usage, `   0|  12.34%|   5.00%|   7.34%|  87.66%`, below its heads; `avg.` covers all CPUs and
    /// ends the table.
    fn cpu(&mut self, line: &str, start: usize) {
        let mut cells = cells(line);
        let is_mean = matches!(cells[0], "avg" | "avg.");
        let is_row = line.contains('|') && cells[0].starts_with(|c: char| c.is_ascii_digit());
        if !is_mean && !is_row {
            return;
        }
        if is_mean {
            self.section = Section::Tables;
            self.columns.widen(&mut cells, "Usage");
        }
        let name = if is_mean { "avg." } else { self.columns.cell(&cells, "CPU").unwrap_or(cells[0]) };
        let name = format!("cpu {}", name.trim_end_matches('P').trim());
        let mut part = ReportedPart::named(Scope::Cpu, name, self.text.line(start));
        for (head, name) in CPU.into_iter().filter(|_| self.columns.fit(&cells)) {
            let share = self.columns.cell(&cells, head).filter(|cell| cell.ends_with('%'));
            add(&mut part.figures, name, ReportedUnit::Percent, share.and_then(quantity::percent));
        }
        if part.figures.len() < CPU.len() {
            let expected = "a share like 12.34% under each of the heads 'CPU | Usage | User | Kernel | Idle'";
            self.troubles.push(self.text.trouble(start, expected));
        }
        if !part.figures.is_empty() {
            self.text.bounds.add(&mut self.parts, part);
        }
    }

    /// Reads the column headings, a row of one thread and target, or the total.
    fn row(&mut self, direction: Option<Direction>, line: &str, start: usize) {
        if line.contains(ROWS) {
            self.columns = Columns::of(line);
            return;
        }
        let cells = cells(line);
        let total = cells[0].eq_ignore_ascii_case("total");
        if cells.len() < 5 {
            if line.contains('|') {
                self.troubles
                    .push(self.text.trouble(start, "a row 'thread | bytes | I/Os | MiB/s | I/O per s'"));
            }
            return;
        }
        let file = self.columns.cell(&cells, "file").unwrap_or_default();
        let index = if total { Some(0) } else { self.thread(cells[0], file, self.text.line(start)) };
        if let Some(index) = index {
            self.fill(index, direction, &cells, start);
        }
        if total {
            self.section = Section::Tables;
        }
    }

    /// Returns the index of the part of one thread on one target, added if new; `None` if it is not kept.
    fn thread(&mut self, number: &str, file: &str, line: u32) -> Option<usize> {
        let (path, size) = file.rsplit_once(" (").unwrap_or((file, ""));
        let on = if path.is_empty() { String::new() } else { format!(" on {path}") };
        let mut part = ReportedPart::named(Scope::Thread, format!("thread {number}{on}"), line);
        if !size.is_empty() {
            part.said.push(("file size".to_owned(), size.trim_end_matches(')').to_owned()));
        }
        self.known_or(part)
    }

    /// Returns the index of the part with the scope and the name of `part`, added if new; `None` if it is not kept.
    fn known_or(&mut self, part: ReportedPart) -> Option<usize> {
        let key = (part.scope, part.job.clone());
        let known = self.known.get(&key).copied();
        known.or_else(|| {
            self.text.bounds.keeps_part().then_some(())?;
            self.known.insert(key, self.parts.len());
            self.parts.push(part);
            Some(self.parts.len() - 1)
        })
    }

    fn fill(&mut self, index: usize, direction: Option<Direction>, cells: &[&str], start: usize) {
        let mut broken = false;
        let mut read = |name: &str, factor: f64| -> Option<Figure> {
            let cell = self.columns.cell(cells, name).filter(|cell| !cell.is_empty() && *cell != "N/A")?;
            let figure = quantity::plain(cell, factor);
            broken |= figure.is_none();
            figure
        };
        let way = way(&mut self.parts[index], direction);
        set(&mut way.bytes, read("bytes", 1.0));
        set(&mut way.ops, read("I/Os", 1.0));
        let rate = read("MiB/s", 1_048_576.0).or_else(|| read("MB/s", 1_048_576.0));
        set(&mut way.bytes_per_second, rate);
        set(&mut way.iops, read("I/O per s", 1.0));
        let (mean, deviation) = (read("AvgLat", 1e6), read("LatStdDev", 1e6));
        let spread = read("IopsStdDev", 1.0);
        if mean.is_some() || deviation.is_some() {
            let latency = latency(way, LatencyKind::Total);
            set(&mut latency.mean, mean);
            set(&mut latency.stddev, deviation);
        }
        add(&mut way.figures, "iops.stddev", ReportedUnit::PerSecond, spread);
        if broken {
            self.troubles.push(self.text.trouble(start, "numbers between the bars of the row"));
        }
    }

    /// Reads a row of percentiles, `   50th |      1.234 |        N/A |      1.234`.
    fn percentiles(&mut self, of: Option<&str>, line: &str, start: usize) {
        let cells = cells(line);
        if cells.len() != 4 || is_percentiles(line) {
            if line.contains('|') && !is_percentiles(line) {
                self.troubles
                    .push(self.text.trouble(start, "a row '%-ile | Read (ms) | Write (ms) | Total (ms)'"));
            }
            return;
        }
        let index = match of {
            None => Some(0),
            // The latencies of one target over all threads.
            Some(path) => self.known_or(ReportedPart::named(Scope::Job, path, self.text.line(start))),
        };
        let Some(part) = index.and_then(|index| self.parts.get_mut(index)) else { return };
        for (cell, direction) in cells[1..].iter().zip([Some(Direction::Read), Some(Direction::Write), None])
        {
            let figure = quantity::plain(cell, 1e6);
            match (figure, percentile(cells[0])) {
                (None, _) if *cell == "N/A" => {}
                (Some(figure), Some(percent)) => {
                    let latency = latency(way(part, direction), LatencyKind::Total);
                    found::percentile(latency, percent, figure);
                }
                _ => {
                    let expected = format!("a percentile and times in ms for {}", cells[0]);
                    self.troubles.push(self.text.trouble(start, expected));
                    return;
                }
            }
        }
    }
}

const ADDED_UP: &str = "the table 'Total IO' is cut off; totals are sums of 'Read IO' and 'Write IO'";

/// Adds up reads and writes of a part without a total; returns whether there was something to add up.
fn add_up(part: &mut ReportedPart) -> bool {
    let [read, write] = [Direction::Read, Direction::Write].map(|way| part.of(Some(way)).cloned());
    let (Some(read), Some(write)) = (read, write) else { return false };
    let all = way(part, None);
    let both = [(&read.ops, &write.ops), (&read.bytes, &write.bytes), (&read.iops, &write.iops)];
    let [ops, bytes, iops] = both.map(|(one, other)| sum(one, other));
    if all.ops.is_some() || ops.is_none() {
        return false;
    }
    (all.ops, all.bytes, all.iops) = (ops, bytes, iops);
    all.bytes_per_second = sum(&read.bytes_per_second, &write.bytes_per_second);
    true
}

/// Returns the sum of two figures, printed as one.
fn sum(one: &Option<Figure>, other: &Option<Figure>) -> Option<Figure> {
    let (one, other) = (one.as_ref()?, other.as_ref()?);
    let printed = format!("{} + {}", one.printed, other.printed);
    Some(Figure { value: one.value + other.value, step: one.step + other.step, printed })
}

/// Strips the Markdown from a line (`## CPU | Usage`, `**Total IO**`); a code fence becomes empty.
fn plain(line: &str) -> &str {
    let words = line.trim();
    if words.starts_with("```") {
        return "";
    }
    match words.strip_prefix('#') {
        Some(rest) => rest.trim_start_matches('#').trim_start(),
        None if words.starts_with('*') => words.trim_matches('*'),
        None => line,
    }
}

/// Whether a line is empty or a ruler between the parts of a table, such as `|---:|---:|`.
fn is_ruler(words: &str) -> bool {
    let bare = words.trim_start_matches(['|', ':', ' ']);
    // A name in bold, `| **50th** |`, begins a row.
    bare.is_empty() || bare.starts_with('-') || bare.starts_with('*') && !bare.contains(char::is_alphanumeric)
}

/// Whether a line has the heads of the table of percentiles: `%-ile`, or what pages write for it, and milliseconds.
fn is_percentiles(words: &str) -> bool {
    words.contains('|') && (words.contains("%-ile") || words.contains("Percentile") && words.contains("(ms)"))
}

fn table(words: &str) -> Option<Option<Direction>> {
    match words {
        "Total IO" => Some(None),
        "Read IO" => Some(Some(Direction::Read)),
        "Write IO" => Some(Some(Direction::Write)),
        _ => None,
    }
}
