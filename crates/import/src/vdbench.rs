//! vdbench's table, on the screen, in `logfile.html` and in `summary.html`, and its `flatfile.html`:
//! intervals, and the averages of each run.

use record::{Along, Figure, LatencyKind, Measure, ReportedPart, ReportedSeries, ReportedUnit, Scope};
use workload::{Direction, Nanos};

use super::found::{ImportedResult, add, latency, set, way};
use super::quantity;
use super::text::Text;
use super::trouble::Troubles;

/// A column of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Rate,
    /// Mebibytes a second; vdbench's head is `MB/sec` over `1024**2`.
    Bandwidth,
    Size,
    ReadShare,
    Mean,
    ReadMean,
    WriteMean,
    Most,
    ReadMost,
    WriteMost,
    Deviation,
    ReadDeviation,
    WriteDeviation,
    Depth,
    Cpu,
    CpuKernel,
    Clock,
    Interval,
    Run,
    /// A column that is not kept.
    Other,
}

/// Heads of the table (upper and lower word), and names of the flat file.
const COLUMNS: [(&str, Column); 36] = [
    ("i/o rate", Column::Rate),
    ("MB/sec 1024**2", Column::Bandwidth),
    ("bytes i/o", Column::Size),
    ("read pct", Column::ReadShare),
    ("resp time", Column::Mean),
    ("read resp", Column::ReadMean),
    ("write resp", Column::WriteMean),
    ("resp max", Column::Most),
    ("read max", Column::ReadMost),
    ("write max", Column::WriteMost),
    ("resp stddev", Column::Deviation),
    ("queue depth", Column::Depth),
    ("cpu% sys+u", Column::Cpu),
    ("cpu% sys", Column::CpuKernel),
    ("tod", Column::Clock),
    ("Run", Column::Run),
    ("Interval", Column::Interval),
    ("rate", Column::Rate),
    ("MB/sec", Column::Bandwidth),
    ("bytes/io", Column::Size),
    ("read%", Column::ReadShare),
    ("resp", Column::Mean),
    ("read_resp", Column::ReadMean),
    ("write_resp", Column::WriteMean),
    ("resp_max", Column::Most),
    ("read_max", Column::ReadMost),
    ("write_max", Column::WriteMost),
    ("resp_std", Column::Deviation),
    ("read_std", Column::ReadDeviation),
    ("write_std", Column::WriteDeviation),
    ("queue_depth", Column::Depth),
    ("cpu_used", Column::Cpu),
    ("cpu_kernel", Column::CpuKernel),
    ("mb/sec 1024**2", Column::Bandwidth),
    ("xfersize", Column::Other),
    ("threads", Column::Other),
];

fn column(head: &str) -> Column {
    COLUMNS.iter().find(|(known, _)| *known == head).map_or(Column::Other, |(_, column)| *column)
}

/// Reads every run (an `RD`) in `text`; all runs of one start are one result.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut walk = Walk {
        text,
        troubles,
        found: None,
        heads: Heads::None,
        columns: Vec::new(),
        name: String::new(),
        began: None,
        version: String::new(),
    };
    for (start, line) in text.lines() {
        walk.line(line.trim(), start);
    }
    walk.found.into_iter().collect()
}

/// How much of a table's heads is known.
enum Heads {
    None,
    /// The upper line of the two.
    Upper(Vec<String>),
    Whole,
    /// The names of a flat file.
    Flat,
}

struct Walk<'t> {
    text: &'t Text,
    troubles: &'t mut Troubles,
    found: Option<ImportedResult>,
    heads: Heads,
    columns: Vec<Column>,
    /// The run that has begun.
    name: String,
    /// When the run began, in seconds of the day.
    began: Option<f64>,
    version: String,
}

impl Walk<'_> {
    fn line(&mut self, line: &str, start: usize) {
        let words: Vec<&str> = line.split_whitespace().take(64).collect();
        if let Some(version) = line.strip_prefix("Vdbench distribution: ") {
            self.version = version.split_whitespace().next().unwrap_or_default().to_owned();
        } else if let Some((clock, rest)) = line.split_once(" Starting RD=") {
            self.name = rest.split(';').next().unwrap_or_default().trim().to_owned();
            self.began = seconds(clock.split_whitespace().last().unwrap_or_default());
        } else if words.first() == Some(&"tod") && words.contains(&"Interval") && words.contains(&"bytes/io")
        {
            self.columns = words.iter().map(|word| column(word)).collect();
            self.heads = Heads::Flat;
        } else if let Some(at) =
            words.iter().position(|word| *word == "interval").filter(|_| words.contains(&"i/o"))
        {
            self.heads = Heads::Upper(words[at + 1..].iter().map(|word| (*word).to_owned()).collect());
        } else if let Heads::Upper(upper) = &self.heads {
            if upper.len() == words.len() && words.first() == Some(&"rate") {
                let pairs =
                    upper.iter().zip(&words).map(|(upper, lower)| column(&format!("{upper} {lower}")));
                self.columns = [Column::Clock, Column::Interval].into_iter().chain(pairs).collect();
                self.heads = Heads::Whole;
            } else if !words.is_empty() {
                self.heads = Heads::None;
            }
        } else if !matches!(self.heads, Heads::None) && words.len() >= 8 {
            self.row(&words, start);
        }
    }

    fn row(&mut self, words: &[&str], start: usize) {
        let cell = |wanted: Column| {
            let at = self.columns.iter().position(|column| *column == wanted)?;
            words.get(at).copied()
        };
        let (Some(clock), Some(interval)) = (cell(Column::Clock).and_then(seconds), cell(Column::Interval))
        else {
            return;
        };
        let is_average = interval.starts_with("avg_");
        if !is_average && interval.parse::<u32>().is_err() {
            return;
        }
        if words.len() != self.columns.len() {
            let expected = format!("{} columns, as the heads have them", self.columns.len());
            return self.troubles.push(self.text.trouble(start, expected));
        }
        let name = cell(Column::Run).unwrap_or(&self.name).to_owned();
        // A flat file has an interval's rate but not its start; the first counts as one second.
        let elapsed = self.began.map(|began| (clock - began).rem_euclid(86_400.0));
        let row = Row { words, columns: &self.columns, interval };
        let line = self.text.line(start);
        let found =
            self.found.get_or_insert_with(|| ImportedResult { at: start, ..ImportedResult::default() });
        found.tool = format!("vdbench {}", if self.version.is_empty() { "table" } else { &self.version });
        let part = part(found, &name, line);
        match is_average {
            true => row.averages(part),
            false => row.interval(part, elapsed),
        }
    }
}

/// Returns the part of a run, added if missing.
fn part<'f>(found: &'f mut ImportedResult, name: &str, line: u32) -> &'f mut ReportedPart {
    let name = if name.is_empty() { "run" } else { name };
    let place = found.parts.iter().position(|part| part.job == name).unwrap_or_else(|| {
        found.parts.push(ReportedPart::named(Scope::Job, name, line));
        found.parts.len() - 1
    });
    &mut found.parts[place]
}

struct Row<'r> {
    words: &'r [&'r str],
    columns: &'r [Column],
    interval: &'r str,
}

const MIB: f64 = 1_048_576.0;
const MS: f64 = 1e6;

impl Row<'_> {
    fn figure(&self, wanted: Column, worth: f64) -> Option<Figure> {
        let at = self.columns.iter().position(|column| *column == wanted)?;
        quantity::plain(self.words.get(at)?, worth)
    }

    /// Enters the averages of a whole run, from which vdbench excludes the warm-up.
    fn averages(&self, part: &mut ReportedPart) {
        part.said.push(("averages of".to_owned(), self.interval.replace("avg_", "intervals ")));
        let all = way(part, None);
        set(&mut all.iops, self.figure(Column::Rate, 1.0));
        set(&mut all.bytes_per_second, self.figure(Column::Bandwidth, MIB));
        let moments = latency(all, LatencyKind::Total);
        set(&mut moments.mean, self.figure(Column::Mean, MS));
        set(&mut moments.max, self.figure(Column::Most, MS));
        set(&mut moments.stddev, self.figure(Column::Deviation, MS));
        let of = [
            (Direction::Read, [Column::ReadMean, Column::ReadMost, Column::ReadDeviation]),
            (Direction::Write, [Column::WriteMean, Column::WriteMost, Column::WriteDeviation]),
        ];
        for (direction, columns) in of {
            let [mean, max, stddev] = columns.map(|column| self.figure(column, MS));
            if mean.as_ref().is_some_and(|mean| mean.value > 0.0) {
                let moments = latency(way(part, Some(direction)), LatencyKind::Total);
                (moments.mean, moments.max, moments.stddev) = (mean, max, stddev);
            }
        }
        for (name, column, unit) in [
            ("request_size", Column::Size, ReportedUnit::Bytes),
            ("reads", Column::ReadShare, ReportedUnit::Percent),
            ("queue_depth", Column::Depth, ReportedUnit::Count),
            ("cpu.usage", Column::Cpu, ReportedUnit::Percent),
            ("cpu.system", Column::CpuKernel, ReportedUnit::Percent),
        ] {
            add(&mut part.figures, name, unit, self.figure(column, 1.0));
        }
    }

    /// Enters one interval: a point of each series, at its end.
    fn interval(&self, part: &mut ReportedPart, elapsed: Option<f64>) {
        let seconds = elapsed.or_else(|| self.interval.parse().ok()).unwrap_or_default();
        // The clock shows milliseconds.
        let at = (seconds.max(0.0) * 1e3).round() as u64 * 1_000_000;
        part.runtime = part.runtime.max(elapsed.map(|_| Nanos(at)));
        let rows = [
            (Measure::Iops, self.figure(Column::Rate, 1.0)),
            (Measure::BytesPerSecond, self.figure(Column::Bandwidth, MIB)),
            (Measure::TotalLatency, self.figure(Column::Mean, MS)),
        ];
        for (measure, figure) in rows {
            let Some(figure) = figure else { continue };
            let known = part.series.iter().position(|series| series.measure == measure);
            let place = known.unwrap_or_else(|| {
                part.series.push(ReportedSeries {
                    measure,
                    direction: None,
                    along: Along::Time,
                    points: Vec::new(),
                    histograms: Vec::new(),
                    source: String::new(),
                });
                part.series.len() - 1
            });
            part.series[place].points.push((at, figure.value));
        }
    }
}

/// Parses `16:24:32.018` into seconds of the day.
fn seconds(clock: &str) -> Option<f64> {
    let mut parts = clock.split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    let plain = clock.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'));
    (plain && parts.next().is_none()).then_some(())?;
    Some(
        hours.parse::<f64>().ok()? * 3600.0
            + minutes.parse::<f64>().ok()? * 60.0
            + seconds.parse::<f64>().ok()?,
    )
}
