//! Answers of Prometheus' HTTP API: series of `query_range`, and values of `query` at different times.

use super::super::iostat::Reports;
use super::super::trouble::Trouble;
use super::gathered::{Gathered, Place};
use super::json::{Step, Walk, plain};
use super::names::{COLLECTED, collected};

/// The form of these results.
const TOOL: &str = "Prometheus JSON";

const NAMED: &str = "a series with its name ('__name__'): what rate() and other functions return has lost it, so query the \
                     counter itself, such as node_disk_reads_completed_total";
const KNOWN: &str =
    "a series of node_exporter or of the EBS CSI driver, such as node_disk_reads_completed_total";
const TWO: &str =
    "two readings of a counter, as query_range returns them: one alone tells only what happened since boot";

/// Most unknown names repeated.
const UNKNOWN_MOST: usize = 20;

/// Whether a text is an answer of the API, or a list of series taken out of one.
pub(super) fn is_matrix(text: &str) -> bool {
    let has = |key: &str| text.contains(key);
    has("\"resultType\"") || (has("\"metric\"") && has("\"__name__\""))
}

/// Reads every answer in `text`.
pub(super) fn read(text: &str, name: &str) -> Reports {
    let mut reader = Reader {
        walk: Walk::of(text),
        gathered: Gathered::default(),
        labels: Vec::new(),
        place: None,
        time: None,
        nameless: None,
        unknown: Vec::new(),
        first: None,
    };
    while reader.step() {}
    reader.reports(name)
}

struct Reader<'t> {
    walk: Walk<'t>,
    gathered: Gathered,
    /// Labels of the current series.
    labels: Vec<(&'t str, &'t str)>,
    /// The current series, if it is kept.
    place: Option<Place>,
    /// The time of the current reading.
    time: Option<f64>,
    /// Offset of the first series without a name.
    nameless: Option<usize>,
    unknown: Vec<&'t str>,
    /// Offset of the first series.
    first: Option<usize>,
}

impl<'t> Reader<'t> {
    /// Takes a step; returns false at the end.
    fn step(&mut self) -> bool {
        let at = self.walk.at();
        match self.walk.next() {
            Step::End => return false,
            Step::Opened('{', "metric") => {
                self.first = self.first.or(Some(at));
                (self.place, self.time) = (None, None);
                self.labels.clear();
            }
            Step::Closed('}', "metric") => self.begin(at),
            Step::Words(key, words) if self.walk.within() == "metric" => self.labels.push((key, words)),
            Step::Opened('[', "values" | "value") => {
                self.time = None;
                let (gathered, place) = (&mut self.gathered, self.place);
                self.walk.pairs(|time, value| {
                    if let Some(place) = place {
                        gathered.push(place, time, value);
                    }
                });
            }
            Step::Number("values" | "value", number) => self.reading(number),
            Step::Words("values" | "value", words) => {
                self.reading(words.parse().unwrap_or(f64::NAN));
            }
            _ => {}
        }
        true
    }

    /// Takes the time of a reading, or its value.
    fn reading(&mut self, number: f64) {
        match (self.time.take(), self.place) {
            (None, _) => self.time = Some(number),
            (Some(time), Some(place)) => self.gathered.push(place, time, number),
            (Some(_), None) => {}
        }
    }

    /// Begins the series that the labels name.
    fn begin(&mut self, at: usize) {
        let label =
            |name: &str| self.labels.iter().find(|(known, _)| *known == name).map(|(_, words)| *words);
        let Some(name) = label("__name__") else {
            self.nameless = self.nameless.or(Some(at));
            return;
        };
        let Some(row) = collected(name) else {
            if self.unknown.len() < UNKNOWN_MOST && !self.unknown.contains(&name) {
                self.unknown.push(name);
            }
            return;
        };
        let device = label("device").or(label("volume_id")).unwrap_or_default();
        let host = label("instance_id").or(label("instance")).unwrap_or_default();
        self.place = self.gathered.series((&plain(host), &plain(device)), COLLECTED[row], at);
    }

    fn reports(self, name: &str) -> Reports {
        let mut troubles: Vec<Trouble> =
            self.nameless.map(|at| self.walk.trouble_at(at, NAMED)).into_iter().collect();
        troubles.extend(self.walk.trouble());
        let mut notes: Vec<String> = self.gathered.note().into_iter().collect();
        if !self.unknown.is_empty() {
            let names: Vec<String> = self.unknown.iter().map(|name| format!("'{}'", plain(name))).collect();
            notes.push(format!("no figure of a device is known by {}; left out", names.join(", ")));
        }
        let found = self.gathered.found(TOOL, name);
        if found.is_empty() && troubles.is_empty() {
            let expected = if self.unknown.is_empty() && self.first.is_some() { TWO } else { KNOWN };
            troubles.push(self.walk.trouble_at(self.first.unwrap_or(0), expected));
        }
        Reports { found, troubles, notes }
    }
}
