//! fio's terse lines of versions 2 to 5: fields by position, separated by semicolons.

use std::collections::HashSet;

use record::{Figure, LatencyKind, ReportedDirection, ReportedLatency, ReportedPart, ReportedUnit, Scope};
use workload::Direction;

use super::super::found::{ImportedResult, add};
use super::super::quantity;
use super::super::text::Text;
use super::super::trouble::{Trouble, Troubles};
use super::figures::{CPU, SAMPLES, disk_of_terse, error, longest};
use super::walk::Before;

/// A line of terse output, split into its fields.
struct Line<'t> {
    fields: Vec<&'t str>,
    version: u32,
    /// Offset of the line, to which places are relative.
    start: usize,
    text: &'t Text,
}

/// Fewest fields of a terse line: one direction and the rest.
const FEWEST: usize = 75;
/// Most fields of a line: more would require seven thousand disks.
const FIELDS_MOST: usize = 1 << 16;

/// Reads every result in terse lines of `text`. Consecutive lines of one fio are one result.
pub(crate) fn terse(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut found: Vec<ImportedResult> = Vec::new();
    let mut last_line = 0;
    // Disks of the last result, to be placed after its jobs.
    let mut disks = Disks::default();
    let (mut before, mut served) = (Before::default(), 0);
    for (start, line) in text.lines() {
        let is_command = before.command(line);
        if let Some(line) = Line::of(text, line, start) {
            let number = text.line(start);
            if found.is_empty() || number > last_line + 2 {
                disks.put_behind(found.last_mut());
                let result = ImportedResult { at: start, tool: line.tool(), ..ImportedResult::default() };
                text.bounds.begin(&mut found, result);
            }
            last_line = number;
            let (mut part, own) = line.read(troubles);
            before.ask(&mut part, text);
            if let Some(result) = found.last_mut() {
                text.bounds.add(&mut result.parts, part);
                disks.take(own, text);
            }
        }
        if let Some(words) = line.strip_prefix(';').filter(|_| text.line(start) == last_line + 1) {
            describe(found.last_mut(), words.trim_end());
        } else if !is_command
            && served < found.len()
            && text.line(start) > last_line
            && line.contains(char::is_alphanumeric)
        {
            found.last().inspect(|found| before.served(&found.parts));
            served = found.len();
        }
    }
    disks.put_behind(found.last_mut());
    found
}

/// The disks of a result, each once.
#[derive(Default)]
struct Disks {
    parts: Vec<ReportedPart>,
    known: HashSet<String>,
}

impl Disks {
    fn take(&mut self, disks: Vec<ReportedPart>, text: &Text) {
        for disk in disks {
            if !self.known.contains(&disk.job) && text.bounds.keeps_part() {
                self.known.insert(disk.job.clone());
                self.parts.push(disk);
            }
        }
    }

    /// Moves the disks to the end of `result`, which is complete, after its jobs.
    fn put_behind(&mut self, result: Option<&mut ImportedResult>) {
        let disks = std::mem::take(self);
        if let Some(result) = result {
            result.parts.extend(disks.parts);
        }
    }
}

/// Adds a job's description, for which version 2 has a separate line.
fn describe(result: Option<&mut ImportedResult>, words: &str) {
    let jobs = result.map(|result| result.parts.iter_mut().filter(|part| part.scope == Scope::Job));
    if let Some(job) = jobs.and_then(Iterator::last) {
        job.said.push(("description".to_owned(), words.to_owned()));
    }
}

/// Where the terse output begins in a line that has something before it: `3;fio-3.33;`.
fn begins(line: &str) -> usize {
    let number = |at: usize| {
        let mut before = line[..at].chars();
        let is_version = matches!(before.next_back(), Some('3'..='5'))
            && before.next_back().is_none_or(|c| !c.is_alphanumeric() && c != ';');
        is_version.then(|| at - 1)
    };
    line.match_indices(";fio-").take(TRIED).find_map(|(at, _)| number(at)).unwrap_or(0)
}

/// Places in a line at which terse output may begin. Chosen by us.
const TRIED: usize = 8;

impl<'t> Line<'t> {
    /// Returns `line` split into fields if it is terse: a version from 2 to 5 first, and enough fields.
    fn of(text: &'t Text, line: &'t str, start: usize) -> Option<Line<'t>> {
        let (line, start) = (&line[begins(line)..], start + begins(line));
        let is_terse = line.trim_start().starts_with(|c: char| ('2'..='5').contains(&c));
        let all = line.trim_end().split(';').take(if is_terse { FIELDS_MOST } else { 0 });
        let fields: Vec<&str> = all.collect();
        let version: u32 = fields.first()?.trim().parse().ok().filter(|version| (2..=5).contains(version))?;
        let named = version == 2 || fields.get(1)?.starts_with("fio");
        (named && fields.len() >= FEWEST).then_some(Line { fields, version, start, text })
    }

    fn tool(&self) -> String {
        match self.fields.get(1).filter(|_| self.version > 2).and_then(|name| name.strip_prefix("fio-")) {
            Some(version) => format!("fio {version} terse v{}", self.version),
            None => format!("fio terse v{}", self.version),
        }
    }

    fn trouble(&self, field: usize, expected: &str) -> Trouble {
        // Fields are slices of the line, so their addresses give the distance between them.
        let address = |at: usize| self.fields.get(at).map(|field| field.as_ptr() as usize);
        let before = address(field).zip(address(0)).map_or(0, |(here, first)| here - first);
        let expected = format!("{expected} in field {}", field + 1);
        let found = self.fields.get(field).copied().unwrap_or("the end of the line");
        Trouble { found: found.to_owned(), ..self.text.trouble(self.start + before, expected) }
    }

    /// Returns the figure of a field times `factor`; adds a trouble if it is not a number.
    fn number(&self, field: usize, factor: f64, troubles: &mut Troubles) -> Option<Figure> {
        let words = self.fields.get(field).map_or("", |words| words.trim());
        let found = quantity::plain(words.trim_end_matches('%'), factor);
        if found.is_none() {
            troubles.push(self.trouble(field, "a number"));
        }
        found.map(|figure| Figure { printed: words.to_owned(), ..figure })
    }

    fn read(&self, troubles: &mut Troubles) -> (ReportedPart, Vec<ReportedPart>) {
        let names = if self.version == 2 { 1 } else { 2 };
        let mut part = ReportedPart::named(Scope::Job, self.fields[names], self.text.line(self.start));
        part.group = self.number(names + 1, 1.0, troubles).map(|group| group.value.max(0.0) as u32);
        part.error = self.number(names + 2, 1.0, troubles).and_then(|code| error(code.value));
        let block = if self.version == 5 { 47 } else { 41 };
        let first = names + 3;
        let Some(count) = self.blocks(first, block) else {
            troubles.push(self.trouble(self.fields.len(), "CPU shares after the directions"));
            return (part, Vec::new());
        };
        let ways = if count == 1 { vec![None] } else { vec![Some(Direction::Read), Some(Direction::Write)] };
        let ways = ways.into_iter().chain([Some(Direction::Trim)]).take(count);
        for (index, direction) in ways.enumerate() {
            part.directions.extend(self.way(first + index * block, direction, troubles));
        }
        part.runtime = longest(&part);
        let rest = self.job_figures(&mut part, first + count * block, troubles);
        let disks = self.disks(&mut part, rest, troubles);
        (part, disks)
    }

    /// Returns the number of directions in the line: the one after which two shares and a count follow.
    fn blocks(&self, first: usize, block: usize) -> Option<usize> {
        let usual = if self.version == 3 { 2 } else { 3 };
        [usual, 1, 2, 3].into_iter().find(|count| {
            let at = first + count * block;
            let share = |field: usize| self.fields.get(field).is_some_and(|words| words.ends_with('%'));
            share(at) && share(at + 1) && self.fields.get(at + 2).is_some_and(|words| !words.contains('%'))
        })
    }

    /// Reads one direction; `None` if nothing completed in it.
    fn way(
        &self,
        at: usize,
        direction: Option<Direction>,
        troubles: &mut Troubles,
    ) -> Option<ReportedDirection> {
        let mut way = ReportedDirection::new(direction);
        way.bytes = self.number(at, 1024.0, troubles);
        way.bytes_per_second = self.number(at + 1, 1024.0, troubles);
        way.iops = self.number(at + 2, 1.0, troubles);
        way.runtime = self.number(at + 3, 1e6, troubles);
        let zero = |figure: &Option<Figure>| figure.as_ref().is_some_and(|figure| figure.value == 0.0);
        if zero(&way.bytes) && zero(&way.iops) {
            return None;
        }
        way.latencies.extend(self.moments(at + 4, LatencyKind::Submission, troubles));
        let mut completion = self.moments(at + 8, LatencyKind::Completion, troubles);
        if let Some(latency) = &mut completion {
            latency.percentiles = self.percentiles(at + 12, troubles);
        }
        way.latencies.extend(completion);
        way.latencies.extend(self.moments(at + 32, LatencyKind::Total, troubles));
        self.samples(&mut way, at + 36, troubles);
        Some(way)
    }

    fn moments(&self, at: usize, kind: LatencyKind, troubles: &mut Troubles) -> Option<ReportedLatency> {
        let mut latency = ReportedLatency::new(kind);
        [latency.min, latency.max, latency.mean, latency.stddev] =
            [0, 1, 2, 3].map(|field| self.number(at + field, 1e3, troubles));
        let zero = |figure: &Option<Figure>| figure.as_ref().is_none_or(|figure| figure.value == 0.0);
        (!zero(&latency.max) || !zero(&latency.mean)).then_some(latency)
    }

    /// Reads twenty fields like `99.000000%=129`; unused ones are `0%=0`.
    fn percentiles(&self, at: usize, troubles: &mut Troubles) -> Vec<(f64, Figure)> {
        let mut found = Vec::new();
        for field in at..at + 20 {
            let words = self.fields.get(field).copied().unwrap_or_default();
            let parts = words.split_once("%=");
            let percent = parts.and_then(|(percent, _)| percent.parse::<f64>().ok());
            let percent = percent.filter(|percent| (0.0..=100.0).contains(percent));
            let figure = parts.and_then(|(_, value)| quantity::plain(value, 1e3));
            match percent.zip(figure) {
                Some((percent, figure)) if percent > 0.0 => found.push((percent, figure)),
                Some(_) => {}
                None => troubles.push(self.trouble(field, "a percentile like 99.000000%=129")),
            }
        }
        found
    }

    fn samples(&self, way: &mut ReportedDirection, at: usize, troubles: &mut Troubles) {
        let known = if self.version == 5 { SAMPLES.len() } else { 5 };
        let none = self.fields.get(at + 1).is_some_and(|most| *most == "0");
        for (index, (_, name, unit, factor)) in SAMPLES.into_iter().enumerate().take(known) {
            let figure = self.number(at + index, factor, troubles);
            add(&mut way.figures, name, unit, figure.filter(|_| !none));
        }
    }

    /// Reads CPU, depths and latency bands; returns the field after them.
    fn job_figures(&self, part: &mut ReportedPart, at: usize, troubles: &mut Troubles) -> usize {
        for (index, (_, name, unit, factor)) in CPU.into_iter().enumerate() {
            add(&mut part.figures, name, unit, self.number(at + index, factor, troubles));
        }
        let depths = ["1", "2", "4", "8", "16", "32", ">=64"].map(|edge| format!("depth.{edge}"));
        let small = ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000"];
        let micro = small.map(|edge| format!("latency_us.{edge}"));
        let milli = small.into_iter().chain(["2000", ">=2000"]).map(|edge| format!("latency_ms.{edge}"));
        let names: Vec<String> = depths.into_iter().chain(micro).chain(milli).collect();
        for (index, name) in names.iter().enumerate() {
            let share = self.number(at + CPU.len() + index, 1.0, troubles);
            let told = share.filter(|share| name.starts_with("depth") || share.value != 0.0);
            add(&mut part.figures, name.as_str(), ReportedUnit::Percent, told);
        }
        at + CPU.len() + names.len()
    }

    /// Reads the disks, each nine fields that end in a share; then errors and the description.
    fn disks(&self, part: &mut ReportedPart, mut at: usize, troubles: &mut Troubles) -> Vec<ReportedPart> {
        let mut disks = Vec::new();
        while self.fields.get(at + 8).is_some_and(|share| share.ends_with('%')) {
            let mut disk = ReportedPart::named(Scope::Disk, self.fields[at], self.text.line(self.start));
            for (index, (_, name, unit, factor)) in disk_of_terse().enumerate() {
                add(&mut disk.figures, name, unit, self.number(at + 1 + index, factor, troubles));
            }
            disks.push(disk);
            at += 9;
        }
        let rest: Vec<&str> = self.fields.iter().skip(at).copied().collect();
        let words = match rest.as_slice() {
            [total, first, words @ ..] if total.parse::<u32>().is_ok() && first.parse::<u32>().is_ok() => {
                for (name, field) in [("errors.total", at), ("errors.first", at + 1)] {
                    add(&mut part.figures, name, ReportedUnit::Count, self.number(field, 1.0, troubles));
                }
                words
            }
            words => words,
        };
        let description = words.join(";");
        if !description.trim().is_empty() && (disks.is_empty() || !description.contains('%')) {
            part.said.push(("description".to_owned(), description));
        }
        disks
    }
}
