//! State of the walk over fio's text: the current result and job, and the handling of their entries.

use std::collections::BTreeSet;

use record::{Figure, LatencyKind, ReportedPart, ReportedUnit, Scope};
use workload::Direction;

use super::super::found::{ImportedResult, add};
use super::super::pieces::shortened;
use super::super::quantity::{self, Prefixes};
use super::super::scan::{Entry, is_no_number};
use super::super::text::Text;
use super::super::trouble::{Trouble, Troubles};
use super::finish::finish;
use super::groups;

/// fio's two notations of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Up to 2.16: `io=3070.5MB, bw=132862KB/s, iops=33215`; `K` is 1024.
    Old,
    /// Since 2.17: `IOPS=33.2k, BW=130MiB/s (136MB/s)`.
    New,
}

/// Meaning of a label for the text after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Way(Option<Direction>),
    Percentiles(Kind),
    Latency(Kind),
    PriorityPercentiles,
    Bandwidth,
    IopsSamples,
    Cpu,
    Shares(&'static str),
    Issued,
    Errors,
    Target,
    SyncHead,
    Steady,
    Description,
    Group,
    GroupWay(Option<Direction>),
    Disks,
    Eta,
}

/// The latency of an I/O, or of a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Io(LatencyKind),
    Sync,
}

/// Facts about jobs that precede their results.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// Job names in the text's command lines.
    pub names: Vec<String>,
    /// Version line of the next result.
    pub version: Option<String>,
    /// Start lines of the next result, by group and name.
    pub starts: BTreeSet<Start>,
    /// The last command line, and the one before it if no result stands between.
    pub command: Command,
    pub other: Command,
    /// Version of a result below the last command line.
    pub ran: Option<String>,
    /// Offset of the last start line or command line.
    pub at: usize,
}

/// The options of a command line, its line, and a note on how far they can be trusted.
#[derive(Debug, Default)]
pub(super) struct Command {
    pub options: Options,
    pub line: u32,
    pub note: Option<String>,
}

/// Options in the order of the text: name and value.
pub(super) type Options = Vec<(String, String)>;
/// Group, name and options of a start line.
pub(super) type Start = (u32, String, Options);

/// The walk over a text.
pub(super) struct Walk<'t> {
    pub text: &'t Text,
    pub troubles: &'t mut Troubles,
    /// Complete results, followed by the current one.
    pub found: Vec<ImportedResult>,
    /// Whether the last of `found` is still being read.
    pub open: bool,
    /// Whether group lines or disks were seen; the next job then begins another result.
    pub closing: bool,
    /// Notation of the last direction line.
    pub style: Option<Style>,
    /// Direction of the latencies that follow.
    pub way: Option<Direction>,
    pub before: Before,
    /// Results that have freed the command line above them.
    pub served: usize,
    /// Whether no other result stands between the last start or command line and the current result.
    pub is_below: bool,
    /// Line of the last words that were recognised.
    pub last_line: u32,
    /// Whether text that is not fio's has followed since then.
    pub prose: bool,
    /// Index of the job being read among the parts of the result.
    pub at_job: usize,
    /// Line of the last trouble with a word, so that no line has two such troubles.
    pub named: u32,
}

impl<'t> Walk<'t> {
    /// Returns the text, which outlives the walk.
    pub fn plain(&self) -> &'t str {
        &self.text.plain
    }

    /// Returns the meaning of prefixes in sizes and rates of the current result.
    pub fn prefixes(&self) -> Prefixes {
        if self.style == Some(Style::New) { Prefixes::Named } else { Prefixes::Binary }
    }

    /// Returns the job being read.
    pub fn job(&mut self) -> Option<&mut ReportedPart> {
        let parts = self.found.last_mut().filter(|_| self.open)?;
        parts.parts.get_mut(self.at_job).filter(|part| part.scope == Scope::Job)
    }

    /// Whether the text before `behind` is the label of a direction that the job already has, or follows the end of the
    /// result: the line of another job is missing. A line of a group may be that of another group.
    pub fn repeats(&mut self, label: Label, behind: usize) -> bool {
        let direction = match label {
            Label::Way(direction) => direction,
            Label::GroupWay(direction) => return groups::is_of_another(self, direction, behind),
            _ => return false,
        };
        let closing = self.closing;
        let rates = |job: &mut ReportedPart| {
            job.of(direction).is_some_and(|way| way.iops.is_some() || way.bytes_per_second.is_some())
        };
        self.job().is_some_and(|job| closing || rates(job))
    }

    /// Returns the figure of an entry; adds a trouble at its place if it cannot be read.
    pub fn take(
        &mut self,
        entry: &Entry<'_>,
        expected: &str,
        read: impl Fn(&str) -> Option<Figure>,
    ) -> Option<Figure> {
        if is_no_number(entry.value) {
            return None;
        }
        let is_cut = self.is_cut(entry);
        let found = read(entry.value).filter(|_| !is_cut);
        if found.is_none() {
            let fell = entry.value.parse::<u64>().is_ok_and(|number| number > i64::MAX as u64);
            let expected = match (is_cut, fell) {
                (true, _) => "the whole of the number",
                (false, true) => "a count of 0 or more (fio's counter fell below zero; it is left out)",
                (false, false) => expected,
            };
            let place = self.text.trouble(entry.at, format!("{expected} after '{}='", entry.key));
            self.troubles.push(Trouble { found: shortened(entry.value), ..place });
        }
        found
    }

    /// Whether the text, or a line that has been wrapped there, ends with an entry's value although fio prints more of it,
    /// or a sign after it.
    fn is_cut(&self, entry: &Entry<'_>) -> bool {
        let Entry { key, value, .. } = *entry;
        let end = value.as_ptr() as usize - self.plain().as_ptr() as usize + value.len();
        let rest = &self.plain()[end..];
        let is_wrapped = rest.strip_prefix('\n').is_some_and(|next| next.starts_with(char::is_alphanumeric));
        let is_last = is_wrapped || rest.chars().all(|c| c.is_whitespace() || c == '`');
        let decimals = value.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let ends_in_digit = value.ends_with(|c: char| c.is_ascii_digit());
        let is_part = match key {
            "avg" | "stdev" => decimals < 2,
            "bw" | "BW" => !value.ends_with("/s"),
            "min" | "max" | "io" | "iops" | "IOPS" | "ctx" | "majf" => ends_in_digit,
            "per" | "usr" | "sys" | "percentile" | "util" | "aggrutil" => ends_in_digit,
            // Percentiles, bands of latency and depths.
            _ => ends_in_digit && key.starts_with(|c: char| c == '>' || c.is_ascii_digit()),
        };
        is_part && is_last
    }

    /// Adds a trouble for an unexpected entry.
    pub fn expected(&mut self, entry: &Entry<'_>, expected: impl Into<String>) {
        self.troubles.push(self.text.trouble(entry.at, expected));
    }

    /// Adds a share or a count to the job under `name`.
    pub fn named(&mut self, entry: &Entry<'_>, name: &str, unit: ReportedUnit) {
        let figure = match unit {
            ReportedUnit::Percent => self.take(entry, "a share like 14.62%", quantity::percent),
            _ => self.take(entry, "a number", |value| quantity::scaled(value, 1.0)),
        };
        self.add(name, unit, figure);
    }

    /// Adds a figure to the job under `name`.
    pub fn add(&mut self, name: &str, unit: ReportedUnit, figure: Option<Figure>) {
        if let Some(job) = self.job() {
            add(&mut job.figures, name, unit, figure);
        }
    }

    /// Begins another result if the text at `at` cannot belong to the last one.
    pub fn open_at(&mut self, at: usize) {
        if !self.open || self.closing || self.prose {
            self.close();
            self.is_below = self.found.last().is_none_or(|found| found.at < self.before.at);
            self.text.bounds.begin(&mut self.found, ImportedResult { at, ..ImportedResult::default() });
            self.open = true;
            self.closing = false;
        }
        if let Some(version) = self.before.version.take()
            && let Some(found) = self.found.last_mut().filter(|found| found.tool.is_empty())
        {
            found.tool = format!("fio {version} text");
        }
    }

    /// Frees the command line above the last result, after which other text follows, unless another start line has
    /// followed.
    pub fn served(&mut self) {
        let count = std::mem::replace(&mut self.served, self.found.len());
        let last = self.found.last().filter(|found| count < self.found.len() && found.at >= self.before.at);
        if let Some(found) = last {
            self.before.served(&found.parts);
        }
    }

    /// Ends the current result.
    pub fn close(&mut self) {
        if let Some(found) = self.found.last_mut().filter(|_| self.open) {
            finish(found, self.style == Some(Style::New), self.text, self.troubles);
        }
        self.open = false;
        self.style = None;
    }
}
