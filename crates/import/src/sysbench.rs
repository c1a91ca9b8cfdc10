//! sysbench's `fileio` of 0.4 to 1.1: rates of reads, writes and flushes, amounts, latencies, and interim prints.

use record::{Along, Figure, LatencyKind, Measure, ReportedPart, Scope};
use workload::Direction;

use super::found::{ImportedResult, latency, percentile, series, set, way};
use super::quantity::{self, Prefixes};
use super::text::Text;
use super::trouble::Troubles;

/// Reads every result of `fileio` in `text`; sysbench's other tests have no lines about files.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut walk = Walk { text, troubles, found: Vec::new(), asked: Vec::new(), section: Section::Named };
    for (start, line) in text.lines() {
        walk.line(line.trim(), start);
    }
    let has_files = |part: &ReportedPart| part.directions.iter().any(|way| way.direction.is_some());
    walk.found.retain(|found| found.parts.iter().any(|part| has_files(part) || !part.series.is_empty()));
    walk.found
}

struct Walk<'t> {
    text: &'t Text,
    troubles: &'t mut Troubles,
    found: Vec<ImportedResult>,
    /// The command line of the next result.
    asked: Vec<(String, String)>,
    section: Section,
}

/// Contents of the following lines.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Section {
    /// Parameters, rates and counts, each of which has a name of its own.
    Named,
    /// `Latency (ms):`, `per-request statistics:`.
    Latency,
}

/// Lines of the head, and their names in a run.
const ASKED: [(&str, &str); 10] = [
    ("Number of threads: ", "threads"),
    ("Warmup time: ", "warmup time"),
    ("Report intermediate results every ", "report interval"),
    ("Block size ", "block size"),
    ("Number of IO requests: ", "requests"),
    ("Number of random requests for random IO: ", "requests"),
    ("Extra file open flags: ", "flags"),
    ("Read/Write ratio for combined random IO test: ", "reads for a write"),
    ("Periodic FSYNC enabled, calling fsync() each ", "fsync period"),
    ("Calling fsync() ", "fsync"),
];

const BEGINS: &str = "sysbench ";

impl Walk<'_> {
    fn line(&mut self, line: &str, start: usize) {
        let version = line.strip_prefix(BEGINS).and_then(|rest| rest.split_whitespace().next());
        let version = version.map(|version| version.trim_end_matches(':'));
        if let Some(version) = version.filter(|version| version.starts_with(|c: char| c.is_ascii_digit())) {
            return self.begin(&format!("sysbench {version} fileio"), start);
        }
        if let Some(command) = command(line) {
            let is_fileio = command.contains("fileio");
            if command.split_whitespace().any(|word| word == "run") {
                self.asked =
                    if is_fileio { vec![("command".to_owned(), command.to_owned())] } else { Vec::new() };
            }
            return;
        }
        if let Some(section) = section(line) {
            // A result without its head begins with its operations, after one that is over.
            let last = self.found.last().and_then(|found| found.parts.first());
            let is_next = line == OPERATIONS && last.is_some_and(|part| part.runtime.is_some());
            if self.found.is_empty() || is_next {
                self.begin("sysbench fileio", start);
            }
            self.section = section;
            return;
        }
        if begins(self.found.last().and_then(|found| found.parts.first()), line) {
            self.begin("sysbench fileio", start);
        }
        let Some(part) = self.found.last_mut().and_then(|found| found.parts.first_mut()) else { return };
        let lines = match self.section {
            Section::Named => [head, operations, throughput, general, moved, said],
            Section::Latency => [moments, operations, throughput, general, moved, said],
        };
        if lines.iter().find_map(|read| read(part, line)) == Some(false) {
            let expected = match line.ends_with("ops/sec)") {
                true => "a line of sysbench's 'fileio': this is one of its memory test, which is not read",
                false => "the figures of this line of sysbench's",
            };
            self.troubles.push(self.text.trouble(start, expected));
        }
    }

    fn begin(&mut self, tool: &str, start: usize) {
        self.section = Section::Named;
        let mut part = ReportedPart::named(Scope::Job, "fileio", self.text.line(start));
        part.asked = std::mem::take(&mut self.asked);
        // What 'prepare' prints has no figures: the command stands above both.
        let last = self.found.last().and_then(|found| found.parts.first());
        let last = last.filter(|last| part.asked.is_empty() && last.directions.is_empty());
        let commands = last.into_iter().flat_map(|last| &last.asked).filter(|(name, _)| name == "command");
        part.asked.extend(commands.cloned());
        let found = ImportedResult { parts: vec![part], ..ImportedResult::begun(tool, start) };
        self.text.bounds.begin(&mut self.found, found);
    }
}

/// Returns a command line of sysbench, without what precedes it on its line.
fn command(line: &str) -> Option<&str> {
    let command = line[line.find(BEGINS)?..].split('`').next()?.trim();
    let last = |word: &str| matches!(word, "run" | "prepare" | "cleanup");
    command
        .split_whitespace()
        .any(last)
        .then_some(command)
        .filter(|command| command.contains(" --") || command.contains(" fileio "))
}

/// Whether a line is the first of a result without its version, after the result `last`.
fn begins(last: Option<&ReportedPart>, line: &str) -> bool {
    let is_total = line.starts_with("Read ") && line.contains("Total transferred");
    if line.starts_with("Running the test with") || line.starts_with("Number of threads:") {
        return last.is_none_or(|part| !part.directions.is_empty());
    }
    let is_first = is_total || line.starts_with("Operations performed:");
    let is_done = |part: &ReportedPart| part.of(None).is_some_and(|way| way.bytes.is_some());
    let is_again = |part: &ReportedPart| {
        operation(line).and_then(|(direction, _)| part.of(Some(direction))?.iops.as_ref()).is_some()
    };
    is_first && last.is_none_or(is_done) || last.is_some_and(is_again)
}

/// The line above the rates of 0.5 to 1.0.
const OPERATIONS: &str = "File operations:";

fn section(line: &str) -> Option<Section> {
    Some(match line {
        OPERATIONS
        | "Throughput:"
        | "General statistics:"
        | "Test execution summary:"
        | "Threads fairness:" => Section::Named,
        "Latency (ms):" | "per-request statistics:" | "response time:" => Section::Latency,
        _ => return None,
    })
}

/// Reads a line of the head; returns whether its figures could be read, `None` if it is not such a line.
fn head(part: &mut ReportedPart, line: &str) -> Option<bool> {
    if let Some((name, words)) = ASKED.iter().find_map(|(head, name)| Some((name, line.strip_prefix(head)?)))
    {
        part.asked.push(((*name).to_owned(), words.to_owned()));
    } else if let Some(mode) = line.strip_prefix("Doing ").and_then(|rest| rest.strip_suffix(" test")) {
        part.asked.push(("mode".to_owned(), mode.to_owned()));
    } else if let Some(mode) = line.strip_prefix("Using ").and_then(|rest| rest.strip_suffix(" I/O mode")) {
        part.asked.push(("I/O mode".to_owned(), mode.to_owned()));
    } else if let Some(size) = line.strip_suffix(" total file size") {
        part.asked.push(("total file size".to_owned(), size.to_owned()));
    } else if line.ends_with(" each") && line.contains(" files, ") {
        part.asked.push(("files".to_owned(), line.to_owned()));
    } else if let Some(rest) = line.strip_prefix("[ ") {
        return interim(part, rest);
    } else {
        return None;
    }
    Some(true)
}

/// Reads `2s ] reads: 0.00 MiB/s writes: 1.06 MiB/s fsyncs: 8775.02/s latency (ms,95%): 0.122`.
fn interim(part: &mut ReportedPart, rest: &str) -> Option<bool> {
    let (time, rest) = rest.split_once("s ] reads:")?;
    let (reads, rest) = rest.split_once(" writes:")?;
    let (writes, rest) = rest.split_once(" fsyncs:")?;
    let flushes = rest.split_once("/s").map_or(rest, |(flushes, _)| flushes);
    let at = quantity::plain(time, 1e9);
    let rates = [(reads, Direction::Read), (writes, Direction::Write)];
    let rates = rates.map(|(words, direction)| (quantity::byte_rate(words, Prefixes::Named), direction));
    let (Some(at), [(Some(_), _), (Some(_), _)], Some(flushes)) = (at, &rates, quantity::plain(flushes, 1.0))
    else {
        return Some(false);
    };
    let at = at.value as u64;
    for (rate, direction) in rates {
        let points =
            &mut series(&mut part.series, Measure::BytesPerSecond, Some(direction), Along::Time).points;
        points.extend(rate.map(|rate| (at, rate.value)));
    }
    let flushed = part.series.iter().position(|known| known.direction == Some(Direction::Flush));
    let flushed = flushed.unwrap_or_else(|| {
        series(&mut part.series, Measure::Iops, Some(Direction::Flush), Along::Time);
        part.series.len() - 1
    });
    part.series[flushed].points.push((at, flushes.value));
    Some(true)
}

/// Returns the direction of a rate, and the words after its name.
fn operation(line: &str) -> Option<(Direction, &str)> {
    let (name, words) = line.split_once(':')?;
    let direction = match name {
        "reads/s" => Direction::Read,
        "writes/s" => Direction::Write,
        "fsyncs/s" => Direction::Flush,
        _ => return None,
    };
    Some((direction, words))
}

/// Reads `reads/s:   8259.22` of 0.5 to 1.0.
fn operations(part: &mut ReportedPart, line: &str) -> Option<bool> {
    let (direction, words) = operation(line)?;
    Some(put(&mut way(part, Some(direction)).iops, quantity::plain(words, 1.0)))
}

/// Reads `read, MiB/s:   129.05`, or `read:  IOPS=8259.22 129.05 MiB/s (135.32 MB/s)` of 1.1.
fn throughput(part: &mut ReportedPart, line: &str) -> Option<bool> {
    let (name, words) = line.split_once(':')?;
    let (name, unit) = name.split_once(", ").unwrap_or((name, ""));
    let direction = match name {
        "read" => Direction::Read,
        "write" | "written" => Direction::Write,
        "fsync" => Direction::Flush,
        _ => return None,
    };
    if unit == "MiB/s" {
        return Some(put(
            &mut way(part, Some(direction)).bytes_per_second,
            quantity::plain(words, 1_048_576.0),
        ));
    }
    let (iops, rest) =
        words.trim().strip_prefix("IOPS=")?.split_once(' ').unwrap_or((&words.trim()[5..], ""));
    let rate = rest.split('(').next().and_then(|rate| quantity::byte_rate(rate, Prefixes::Named));
    let has_rate = rate.is_some() || direction == Direction::Flush;
    let way = way(part, Some(direction));
    set(&mut way.bytes_per_second, rate);
    Some(put(&mut way.iops, quantity::plain(iops, 1.0)) && has_rate)
}

/// Reads `total time:   10.0002s` and `total number of events:   63976`.
fn general(part: &mut ReportedPart, line: &str) -> Option<bool> {
    let (name, words) = line.split_once(':')?;
    match name {
        "total time" => {
            let time = quantity::time(words);
            part.runtime = time.as_ref().map(quantity::nanos);
            Some(time.is_some())
        }
        "total number of events" => Some(put(&mut way(part, None).ops, quantity::plain(words, 1.0))),
        _ => None,
    }
}

/// Reads `avg:   0.16` and `95th percentile:   0.62`, followed by `ms` up to 0.5. These figures cover all
/// operations, including flushes.
fn moments(part: &mut ReportedPart, line: &str) -> Option<bool> {
    let (name, words) = line.split_once(':')?;
    let figure = || quantity::plain(words.trim().trim_end_matches("ms"), 1e6);
    let latency = latency(way(part, None), LatencyKind::Total);
    match name.trim_start_matches("approx.").trim() {
        "min" => Some(put(&mut latency.min, figure())),
        "avg" => Some(put(&mut latency.mean, figure())),
        "max" => Some(put(&mut latency.max, figure())),
        name => {
            let percent = name.strip_suffix(" percentile")?.trim_end_matches("th").parse().ok()?;
            let found = figure();
            let is_there = found.is_some();
            if let Some(found) = found.filter(|_| (1.0..100.0).contains(&percent)) {
                percentile(latency, percent, found);
            }
            Some(is_there)
        }
    }
}

/// Reads lines of 0.4 and 0.5, whose sizes are in units of 1024 although labelled `Mb`.
fn moved(part: &mut ReportedPart, line: &str) -> Option<bool> {
    if let Some(rest) = line.strip_prefix("Operations performed:") {
        let count = |words: [&str; 2]| {
            let numbers = rest.split(['=', ',']).map(str::trim).filter_map(|pair| pair.split_once(' '));
            numbers
                .filter(|(_, what)| words.contains(what))
                .find_map(|(number, _)| quantity::plain(number, 1.0))
        };
        let (reads, writes) = (count(["Read", "reads"]), count(["Write", "writes"]));
        // sysbench's file tests have no other operation than fsync.
        let others = count(["Other", "Other"]);
        if others.as_ref().is_some_and(|others| others.value > 0.0) {
            set(&mut way(part, Some(Direction::Flush)).ops, others);
        }
        let whole = reads.is_some() && writes.is_some();
        set(&mut way(part, Some(Direction::Read)).ops, reads);
        set(&mut way(part, Some(Direction::Write)).ops, writes);
        return Some(whole);
    }
    if let Some(rest) = line.strip_prefix("Read ").filter(|rest| rest.contains("Total transferred")) {
        let (read, rest) = rest.split_once("Written")?;
        let (written, rest) = rest.split_once("Total transferred")?;
        let (total, rate) = rest.split_once('(')?;
        let rate = rate.split_once("b/sec").and_then(|(rate, _)| size(rate));
        let found = [
            put(&mut way(part, Some(Direction::Read)).bytes, size(read)),
            put(&mut way(part, Some(Direction::Write)).bytes, size(written)),
            put(&mut way(part, None).bytes, size(total)),
            put(&mut way(part, None).bytes_per_second, rate),
        ];
        return Some(found.iter().all(|found| *found));
    }
    let rate = line.strip_suffix(" Requests/sec executed")?;
    Some(put(&mut way(part, None).iops, quantity::plain(rate, 1.0)))
}

/// Keeps a line of figures that a run has no place for as it is printed.
fn said(part: &mut ReportedPart, line: &str) -> Option<bool> {
    const SAID: [&str; 4] =
        ["total time taken by event execution", "sum", "events (avg/stddev)", "execution time (avg/stddev)"];
    let (name, words) = line.split_once(':')?;
    let name = SAID.into_iter().find(|known| *known == name)?;
    part.said.push((name.to_owned(), words.trim().to_owned()));
    Some(true)
}

/// Parses `93.75Mb`, in units of 1024.
fn size(words: &str) -> Option<Figure> {
    quantity::bytes(words.trim().trim_end_matches(['b', 'B']), Prefixes::Binary)
}

fn put(place: &mut Option<Figure>, figure: Option<Figure>) -> bool {
    let is_there = figure.is_some();
    set(place, figure);
    is_there
}
