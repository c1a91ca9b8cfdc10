//! Series requested by name, side by side over time.

use record::{Recording, Run};
use schemars::JsonSchema;
use serde::Serialize;
use workload::Nanos;

use super::csv::Csv;
use super::names::{Of, SeriesName};
use crate::words::document::document_json;

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

/// Series side by side: times and values as lists of the same length.
#[derive(Serialize, JsonSchema)]
pub struct SeriesDocument<'s> {
    /// Start of the run: milliseconds since 1970, UTC; 0 if unknown.
    started_unix_ms: u64,
    /// Start of each interval, seconds of the run.
    from_s: Vec<f64>,
    /// End of each interval, seconds of the run.
    to_s: Vec<f64>,
    /// End of each interval as ISO 8601 in UTC; `null` if unknown.
    to_utc: Vec<Option<String>>,
    /// Each series that was asked for.
    series: Vec<Series<'s>>,
}

/// One series.
#[derive(Serialize, JsonSchema)]
struct Series<'s> {
    /// Name as `DEVICE:METRIC`.
    name: &'s str,
    /// Device.
    device: &'s str,
    /// Metric.
    metric: &'s str,
    /// Unit of the values.
    unit: &'s str,
    /// Value of each interval; `null` if there is none.
    #[schemars(with = "Vec<Option<f64>>")]
    values: Vec<f64>,
}

/// Returns the same as one JSON document.
pub fn series_json(run: &Run, wanted: &[SeriesName]) -> String {
    let recording = Recording::of(run);
    let series = wanted.iter().map(|series| {
        let (device, metric) = series.name.rsplit_once(':').unwrap_or(("", &series.name));
        Series { name: &series.name, device, metric, unit: series.unit, values: values(&recording, series) }
    });
    let times = |of: fn(&(Nanos, Nanos)) -> Nanos| -> Vec<f64> {
        recording.intervals().iter().map(|span| of(span).as_secs_f64()).collect()
    };
    let ends =
        recording.intervals().iter().map(|(_, to)| Some(utc(run, *to)).filter(|time| !time.is_empty()));
    let document = SeriesDocument {
        started_unix_ms: run.started_unix_ms,
        from_s: times(|span| span.0),
        to_s: times(|span| span.1),
        to_utc: ends.collect(),
        series: series.collect(),
    };
    document_json("series", &document)
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
