//! Answers of CloudWatch: what `aws cloudwatch get-metric-data` prints of EBS volumes.

use std::collections::HashMap;

use jiff::Timestamp;

use super::super::iostat::Reports;
use super::super::trouble::Trouble;
use super::gathered::Gathered;
use super::json::{Step, Walk, plain};
use super::names::{OF_VOLUMES, Row};

/// The form of these results.
const TOOL: &str = "CloudWatch JSON";

/// The list of results.
const RESULTS: &str = "MetricDataResults";

const KNOWN: &str =
    "a result whose 'Label' names a metric of an EBS volume, such as 'vol-0abc VolumeReadOps'";
const TWO: &str = "two timestamps of a result: the time between them is the period of its values";

/// Most results left out that are repeated.
const NAMED_MOST: usize = 20;

/// Whether a text is an answer of CloudWatch.
pub(super) fn is_cloudwatch(text: &str) -> bool {
    text.contains("\"MetricDataResults\"")
}

/// Reads every answer in `text`: several are pages of one.
pub(super) fn read(text: &str, name: &str) -> Reports {
    let mut reader = Reader {
        walk: Walk::of(text),
        gathered: Gathered::default(),
        result: DataResult::default(),
        known: HashMap::new(),
        unknown: Vec::new(),
        twice: Vec::new(),
        first: None,
    };
    while reader.step() {}
    reader.finish();
    reader.reports(name)
}

/// A result, as far as it is read.
#[derive(Default)]
struct DataResult<'t> {
    id: &'t str,
    label: &'t str,
    seconds: Vec<f64>,
    values: Vec<f64>,
}

struct Reader<'t> {
    walk: Walk<'t>,
    gathered: Gathered,
    result: DataResult<'t>,
    /// The id of the result that has each volume's metric.
    known: HashMap<(String, &'static str), String>,
    /// Labels of results without a known metric.
    unknown: Vec<String>,
    /// Labels of results whose volume and metric another result has.
    twice: Vec<String>,
    /// Offset of the first result.
    first: Option<usize>,
}

impl<'t> Reader<'t> {
    /// Takes a step; returns false at the end.
    fn step(&mut self) -> bool {
        let at = self.walk.at();
        match self.walk.next() {
            Step::End => return false,
            Step::Opened('{', RESULTS) => {
                self.first = self.first.or(Some(at));
                self.finish();
            }
            Step::Closed('}', RESULTS) => self.finish(),
            Step::Words("Id", words) => self.result.id = words,
            Step::Words("Label", words) => self.result.label = words,
            Step::Words("Timestamps", words) => self.result.seconds.push(seconds(words)),
            Step::Number("Timestamps", number) => self.result.seconds.push(number),
            Step::Number("Values", number) => self.result.values.push(number),
            _ => {}
        }
        true
    }

    /// Keeps the current result if its metric is known.
    fn finish(&mut self) {
        let result = std::mem::take(&mut self.result);
        let label = plain(result.label);
        if result.id.is_empty() && label.is_empty() {
            return;
        }
        let Some(row) = metric(&label) else {
            return named(&mut self.unknown, label);
        };
        let volume = volume(&label, result.id, row.0);
        let owner = self.known.entry((volume.clone(), row.0)).or_insert_with(|| result.id.to_owned());
        if *owner != result.id {
            return named(&mut self.twice, label);
        }
        if let Some(place) = self.gathered.series(("", &volume), row, self.first.unwrap_or(0)) {
            for (seconds, value) in result.seconds.into_iter().zip(result.values) {
                self.gathered.push(place, seconds, value);
            }
        }
    }

    fn reports(self, name: &str) -> Reports {
        let mut troubles: Vec<Trouble> = self.walk.trouble().into_iter().collect();
        let mut notes: Vec<String> = self.gathered.note().into_iter().collect();
        let quoted = |labels: &[String]| {
            labels.iter().map(|label| format!("'{label}'")).collect::<Vec<_>>().join(", ")
        };
        if !self.unknown.is_empty() {
            notes.push(format!("no figure of a device is known by {}; left out", quoted(&self.unknown)));
        }
        if !self.twice.is_empty() {
            notes.push(format!(
                "{} stands for a volume and a metric that another result has; left out. Name the volume in each label, as in \
                 'vol-0abc VolumeReadOps'",
                quoted(&self.twice)
            ));
        }
        let found = self.gathered.found(TOOL, name);
        if found.is_empty() && troubles.is_empty() {
            let expected = if self.known.is_empty() { KNOWN } else { TWO };
            troubles.push(self.walk.trouble_at(self.first.unwrap_or(0), expected));
        }
        Reports { found, troubles, notes }
    }
}

fn named(list: &mut Vec<String>, label: String) {
    if list.len() < NAMED_MOST && !list.contains(&label) {
        list.push(label);
    }
}

/// Returns the words of a label.
fn words(label: &str) -> impl Iterator<Item = &str> {
    label.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).filter(|word| !word.is_empty())
}

/// Returns the metric that a label names.
fn metric(label: &str) -> Option<Row> {
    words(label).find_map(|word| OF_VOLUMES.into_iter().find(|(known, ..)| known.eq_ignore_ascii_case(word)))
}

/// Returns the volume that a label or an id names, else what the label says besides the metric, else `volume`.
fn volume(label: &str, id: &str, metric: &str) -> String {
    let is_id =
        |word: &str| word.strip_prefix("vol-").is_some_and(|id| id.bytes().all(|b| b.is_ascii_hexdigit()));
    if let Some(word) = words(label).find(|word| is_id(word)) {
        return word.to_owned();
    }
    // An id of a result has no dashes.
    let parts: Vec<&str> = id.split('_').collect();
    let named = parts.windows(2).map(|pair| format!("{}-{}", pair[0], pair[1])).find(|word| is_id(word));
    let rest =
        || words(label).filter(|word| !word.eq_ignore_ascii_case(metric)).collect::<Vec<_>>().join(" ");
    let named = named.unwrap_or_else(rest);
    if named.is_empty() { "volume".to_owned() } else { named }
}

/// Returns the seconds since 1970 of a timestamp; NaN if it is none.
fn seconds(words: &str) -> f64 {
    let time: Option<Timestamp> = words.parse().ok();
    time.map_or(f64::NAN, |time| time.as_millisecond() as f64 / 1e3)
}
