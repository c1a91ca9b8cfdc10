//! Prometheus' text form: scrapes of node_exporter or of the EBS CSI driver, one after another.

use std::collections::HashMap;

use super::super::documents::trouble;
use super::super::iostat::Reports;
use super::gathered::{Gathered, Place};
use super::names::{COLLECTED, collected};

/// The form of these results.
const TOOL: &str = "Prometheus text";

/// The gauge with node_exporter's clock, in seconds since 1970.
const CLOCK: &str = "node_time_seconds";

const TWO: &str = "two scrapes one after the other: one alone tells only what happened since boot";
const TIMED: &str = "a time of each scrape: a timestamp on its lines, node_time_seconds, or the seconds since 1970 on a line of \
                     their own before it, as of 'date +%s.%N'";

/// Earliest time taken for seconds since 1970, the beginning of 2001: a smaller number on a line is no such time.
const EARLIEST_S: f64 = 978_307_200.0;
/// Most series of one scrape.
const SERIES_MOST: usize = 1 << 20;
/// Filled lines at the beginning of which one must be of this form; a command or a time may come before it.
const BEGINS_WITHIN: usize = 20;

/// Whether a text is of scrapes with a figure of a device.
pub(super) fn is_exposition(text: &str) -> bool {
    let is_one = |line: &str| {
        let is_comment = line.starts_with("# HELP ") || line.starts_with("# TYPE ");
        is_comment || sample(line).is_some_and(|sample| collected(sample.name).is_some())
    };
    let mut filled = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(BEGINS_WITHIN);
    filled.any(is_one) && COLLECTED.iter().any(|(name, ..)| text.contains(name))
}

/// Reads every scrape in `text`; adds a trouble if there is one alone, or one has no time.
pub(super) fn read(text: &str, name: &str) -> Reports {
    let mut reader = Reader::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        reader.line(line.trim(), start);
        start += line.len();
    }
    reader.finish();
    let missing = match (reader.untimed, reader.scrapes) {
        (Some(at), 2..) => Some((at, TIMED)),
        (_, 0 | 1) => Some((reader.first.unwrap_or(0), TWO)),
        _ => None,
    };
    let notes = reader.gathered.note().into_iter().collect();
    Reports {
        troubles: missing.map(|(at, expected)| trouble(text, at, expected)).into_iter().collect(),
        found: reader.gathered.found(TOOL, name),
        notes,
    }
}

#[derive(Default)]
struct Reader<'t> {
    gathered: Gathered,
    /// The series of each name and labels.
    series: HashMap<(usize, &'t str), Seen>,
    /// Number of scrapes that have ended.
    scrapes: usize,
    readings: Vec<Reading>,
    /// Seconds on a line before the current scrape, and on one before the next.
    before: Option<f64>,
    next_before: Option<f64>,
    clock: Option<f64>,
    /// Offset of the first reading, and of the first without a time.
    first: Option<usize>,
    untimed: Option<usize>,
}

/// A series: its place, if it is kept, and the last scrape with it.
#[derive(Clone, Copy)]
struct Seen {
    place: Option<Place>,
    scrape: Option<usize>,
}

/// A line of a scrape.
struct Reading {
    place: Option<Place>,
    value: f64,
    /// Seconds since 1970, if the line has them.
    seconds: Option<f64>,
    at: usize,
}

impl<'t> Reader<'t> {
    fn line(&mut self, line: &'t str, at: usize) {
        if line.starts_with(|c: char| c.is_ascii_digit()) {
            self.next_before = line.parse().ok().filter(|seconds| *seconds > EARLIEST_S).or(self.next_before);
            return;
        }
        let Some(sample) = sample(line) else { return };
        if sample.name == CLOCK {
            self.clock = self.clock.or(Some(sample.value));
        }
        let Some(row) = collected(sample.name) else { return };
        let Seen { place, scrape } = *self.series.entry((row, sample.labels)).or_insert_with(|| {
            let label = |name| label(sample.labels, name);
            let device = label("device").or_else(|| label("volume_id")).unwrap_or_default();
            let host = label("instance_id").or_else(|| label("instance")).unwrap_or_default();
            Seen { place: self.gathered.series((&host, &device), COLLECTED[row], at), scrape: None }
        });
        if scrape == Some(self.scrapes) {
            self.finish();
        }
        self.series.insert((row, sample.labels), Seen { place, scrape: Some(self.scrapes) });
        if self.readings.is_empty() {
            self.before = self.next_before.take();
        }
        self.first = self.first.or(Some(at));
        if self.readings.len() < SERIES_MOST {
            self.readings.push(Reading { place, value: sample.value, seconds: sample.seconds, at });
        }
    }

    /// Ends the current scrape.
    fn finish(&mut self) {
        let (scraped, clock) = (self.before.take(), self.clock.take());
        self.scrapes += usize::from(!self.readings.is_empty());
        for reading in self.readings.drain(..) {
            match (reading.seconds.or(scraped).or(clock), reading.place) {
                (Some(seconds), Some(place)) => self.gathered.push(place, seconds, reading.value),
                (Some(_), None) => {}
                (None, _) => self.untimed = self.untimed.or(Some(reading.at)),
            }
        }
    }
}

/// A line `name{labels} value timestamp`.
struct Sample<'t> {
    name: &'t str,
    labels: &'t str,
    value: f64,
    seconds: Option<f64>,
}

fn sample(line: &str) -> Option<Sample<'_>> {
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':')))?;
    let (name, rest) = line.split_at(end);
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(inside) => inside.split_at_checked(labels_end(inside)?)?,
        None => ("", rest),
    };
    let mut words = rest.trim_start_matches('}').split_whitespace();
    let value = words.next()?.parse().ok()?;
    let seconds = words.next().and_then(|ms| ms.parse::<f64>().ok()).map(|ms| ms / 1e3);
    (!name.is_empty()).then_some(Sample { name, labels, value, seconds })
}

/// Returns the offset of the bracket that closes the labels.
fn labels_end(inside: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    inside.bytes().position(|byte| {
        let closes = byte == b'}' && !quoted;
        quoted ^= byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })
}

/// Returns the value of a label, with its escapes resolved.
fn label(labels: &str, name: &str) -> Option<String> {
    let mut rest = labels;
    loop {
        let (known, value) = rest.split_once("=\"")?;
        let mut escaped = false;
        let end = value.bytes().position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })?;
        if known.trim_start_matches([',', ' ']) == name {
            return Some(super::json::plain(&value[..end]));
        }
        rest = &value[end + 1..];
    }
}
