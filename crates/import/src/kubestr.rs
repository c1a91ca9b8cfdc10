//! kubestr's report of fio on a storage class: jobs with their rates.

use record::{Figure, NamedFigure, ReportedPart, ReportedUnit, Scope};
use workload::Direction;

use super::found::{ImportedResult, add, set, way};
use super::quantity;
use super::text::Text;
use super::trouble::Troubles;

/// Whether `text` has a report of kubestr.
pub(crate) fn is_report(text: &Text) -> bool {
    text.plain.contains("BW(KiB/s)=")
}

/// Reads every report in `text`.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut walk = Walk {
        text,
        troubles,
        found: Vec::new(),
        common: Vec::new(),
        direction: None,
        version: None,
        head: Vec::new(),
        open: false,
    };
    if is_report(text) {
        for (start, line) in text.lines() {
            // Pages draw words in bold.
            walk.line(line.replace("**", "").trim(), start);
        }
    }
    walk.found
}

struct Walk<'t> {
    text: &'t Text,
    troubles: &'t mut Troubles,
    found: Vec<ImportedResult>,
    /// Options common to all jobs.
    common: Vec<(String, String)>,
    direction: Option<Direction>,
    version: Option<String>,
    /// What stands before the first job of a report: the storage class, the time it took.
    head: Vec<(String, String)>,
    /// Whether further jobs belong to the last of `found`.
    open: bool,
}

/// The words before the name of a job; a job of a file of the user's own may have none.
const JOB: &str = "JobName:";
/// Beginnings of the lines below it.
const FIGURES: [&str; 4] = ["blocksize=", "IOPS=", "iops: ", "bw(KiB/s): "];
/// Beginnings of the lines before the jobs, and their names in a run.
const HEAD: [(&str, &str); 2] = [("Running FIO test ", "test"), ("Elapsed time-", "elapsed")];

impl Walk<'_> {
    fn line(&mut self, line: &str, start: usize) {
        if let Some(version) = line.strip_prefix("FIO version - ") {
            (self.version, self.open) = (Some(version.replacen("fio-", "fio ", 1)), false);
        } else if let Some(options) = line.strip_prefix("Global options - ") {
            self.common = pairs(options);
        } else if let Some(name) = line.strip_prefix(JOB) {
            self.job(name.trim(), start);
        } else {
            let is_of_a_job =
                matches!(line, "read:" | "write:") || FIGURES.iter().any(|begin| line.starts_with(begin));
            if self.found.is_empty() && is_of_a_job {
                self.job("", start);
            }
            if let Some((begin, name)) = HEAD.iter().find(|(begin, _)| line.starts_with(begin)) {
                self.head.push(((*name).to_owned(), line[begin.len()..].trim().to_owned()));
            }
            self.of_job(line, start);
        }
    }

    fn of_job(&mut self, line: &str, start: usize) {
        if self.open {
            match line {
                "read:" => self.direction = Some(Direction::Read),
                "write:" => self.direction = Some(Direction::Write),
                _ => self.figures(line, start),
            }
        }
    }

    fn job(&mut self, name: &str, start: usize) {
        if !self.open {
            let version = self.version.take().unwrap_or_else(|| "fio of an unknown version".to_owned());
            let tool = format!("kubestr with {version}");
            self.text.bounds.begin(&mut self.found, ImportedResult::begun(tool, start));
            self.open = true;
        }
        self.direction = None;
        self.open = self.text.bounds.keeps_part();
        if !self.open {
            return;
        }
        let name = if name.is_empty() { "unnamed" } else { name };
        let mut part = ReportedPart::named(Scope::Job, name, self.text.line(start));
        part.asked.clone_from(&self.common);
        part.said.append(&mut self.head);
        self.found.last_mut().into_iter().for_each(|found| found.parts.push(part.clone()));
    }

    fn figures(&mut self, line: &str, start: usize) {
        let Some(part) = self.found.last_mut().and_then(|found| found.parts.last_mut()) else { return };
        if let Some((name, counters)) = line.split_once(": ios=") {
            if !self.text.bounds.keeps_part() {
                return;
            }
            let disk = disk(name, &format!("ios={counters}"), self.text.line(start));
            self.direction = None;
            self.found.last_mut().into_iter().for_each(|found| found.parts.push(disk.clone()));
            return;
        }
        if line.starts_with("blocksize=") {
            return part.asked.extend(pairs(line));
        }
        let Some(direction) = self.direction else {
            if FIGURES.iter().any(|begin| line.starts_with(begin)) {
                self.troubles.push(self.text.trouble(start, "'read:' or 'write:' above these figures"));
            }
            return;
        };
        let way = way(part, Some(direction));
        let read = match line.split_once(": ") {
            Some(("iops", samples)) => sampled(&mut way.figures, "iops", samples),
            Some(("bw(KiB/s)", samples)) => sampled(&mut way.figures, "bandwidth", samples),
            _ if line.starts_with("IOPS=") => {
                for (name, value) in pairs(line) {
                    match name.as_str() {
                        "IOPS" => set(&mut way.iops, quantity::plain(&value, 1.0)),
                        "BW(KiB/s)" => set(&mut way.bytes_per_second, quantity::plain(&value, 1024.0)),
                        _ => {}
                    }
                }
                way.iops.is_some() && way.bytes_per_second.is_some()
            }
            // A line of figures under another name.
            Some((_, samples)) => pairs(samples).is_empty(),
            None => true,
        };
        if !read {
            self.troubles.push(
                self.text.trouble(start, "figures like IOPS=3038.2 BW(KiB/s)=12169 or min=1 max=2 avg=1.5"),
            );
        }
    }
}

/// Adds `min=11976 max=12368 avg=12164.000000`; returns false if one of them is not a number.
fn sampled(list: &mut Vec<NamedFigure>, name: &str, samples: &str) -> bool {
    let (unit, worth) = match name {
        "iops" => (ReportedUnit::PerSecond, 1.0),
        _ => (ReportedUnit::BytesPerSecond, 1024.0),
    };
    let called = [("min", "min"), ("max", "max"), ("avg", "mean")];
    let pairs = pairs(samples);
    let figures: Vec<(&str, Option<Figure>)> = called
        .iter()
        .filter_map(|(key, called)| {
            let (_, value) = pairs.iter().find(|(name, _)| name == key)?;
            Some((*called, quantity::plain(value, worth)))
        })
        .collect();
    let whole = figures.len() == called.len() && figures.iter().all(|(_, figure)| figure.is_some());
    figures.into_iter().for_each(|(called, figure)| add(list, format!("{name}.{called}"), unit, figure));
    whole
}

/// Reads `nvme1n1: ios=6193/6186 merge=0/3 ticks=57803/57823 in_queue=104512, util=87.3%`.
fn disk(name: &str, counters: &str, line: u32) -> ReportedPart {
    let mut part = ReportedPart::named(Scope::Disk, name, line);
    let rows = [
        ("ios", "ios", ReportedUnit::Count, 1.0),
        ("merge", "merges", ReportedUnit::Count, 1.0),
        ("ticks", "time", ReportedUnit::Nanoseconds, 1e6),
        ("in_queue", "queue_time", ReportedUnit::Nanoseconds, 1e6),
        ("util", "utilisation", ReportedUnit::Percent, 1.0),
    ];
    for (key, value) in pairs(counters) {
        let Some((_, called, unit, worth)) = rows.iter().find(|(known, ..)| *known == key) else { continue };
        match value.split_once('/') {
            Some((read, write)) => {
                add(&mut part.figures, format!("{called}.read"), *unit, quantity::plain(read, *worth));
                add(&mut part.figures, format!("{called}.write"), *unit, quantity::plain(write, *worth));
            }
            None => {
                let figure = quantity::plain(value.trim_end_matches('%'), *worth);
                add(&mut part.figures, *called, *unit, figure);
            }
        }
    }
    part
}

/// Returns the `name=value` pairs, separated by blanks and commas.
fn pairs(text: &str) -> Vec<(String, String)> {
    let words = text.split([' ', ',']).filter_map(|word| word.split_once('='));
    let words = words.filter(|(_, value)| !value.is_empty());
    words.take(64).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
