//! Series requested by name, side by side over time.

use record::{Recording, Run};
use serde_json::{Value, json};
use workload::Nanos;

use super::csv::Csv;
use super::names::{Of, SeriesName};

/// Returns a row for each interval: start and end in seconds of the run, the end as a time of day (UTC), and each
/// series, with its unit in the head. A missing value is an empty field.
pub fn series_csv(run: &Run, wanted: &[SeriesName]) -> String {
    let recording = Recording::of(run);
    let heads: Vec<String> =
        wanted.iter().map(|series| format!("{} [{}]", series.name, series.unit)).collect();
    let times = ["from [s]", "to [s]", "to [UTC]"];
    let mut csv = Csv::headed(times.into_iter().chain(heads.iter().map(String::as_str)));
    let columns: Vec<Vec<f64>> = wanted.iter().map(|series| values(&recording, series)).collect();
    for (index, &(from, to)) in recording.intervals().iter().enumerate() {
        csv.number(from.as_secs_f64());
        csv.number(to.as_secs_f64());
        csv.words(&utc(run, to));
        columns.iter().for_each(|column| csv.maybe(column.get(index).copied()));
        csv.end();
    }
    csv.text()
}

/// Returns the series as one JSON document: times and values as lists of the same length, `null` if there is no
/// value.
pub fn series_json(run: &Run, wanted: &[SeriesName]) -> String {
    let recording = Recording::of(run);
    let series = wanted.iter().map(|series| {
        let (device, metric) = series.name.rsplit_once(':').unwrap_or(("", &series.name));
        json!({
            "name": series.name,
            "device": device,
            "metric": metric,
            "unit": series.unit,
            "values": values(&recording, series),
        })
    });
    let times = |of: fn(&(Nanos, Nanos)) -> Nanos| -> Vec<f64> {
        recording.intervals().iter().map(|span| of(span).as_secs_f64()).collect()
    };
    let ends: Vec<Value> = recording.intervals().iter().map(|(_, to)| word_or_null(utc(run, *to))).collect();
    let document = json!({
        "schema": "plimsoll-series",
        "schema_version": 1,
        "started_unix_ms": run.started_unix_ms,
        "from_s": times(|span| span.0),
        "to_s": times(|span| span.1),
        "to_utc": ends,
        "series": series.collect::<Vec<_>>(),
    });
    // A `Value` can always be serialized; figures that are not numbers became null when it was made.
    crate::words::wrap::clean_json(serde_json::to_string_pretty(&document).unwrap_or_default() + "\n")
}

fn word_or_null(word: String) -> Value {
    if word.is_empty() { Value::Null } else { Value::String(word) }
}

pub(super) fn values(recording: &Recording<'_>, series: &SeriesName) -> Vec<f64> {
    match &series.of {
        Of::Device(device, metric) => recording.device(device, *metric).unwrap_or_default(),
        Of::Cpu(metric) => recording.cpu(*metric).unwrap_or_default(),
    }
}

/// Formats a moment of the run as ISO 8601 in UTC with milliseconds; empty if the run's time of day is unknown.
pub(super) fn utc(run: &Run, at: Nanos) -> String {
    if run.started_unix_ms == 0 {
        return String::new();
    }
    let ms = run.started_unix_ms.saturating_add(at.0 / 1_000_000);
    let time = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    time.map_or_else(String::new, |time| time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string())
}
