//! OTLP's JSON (`ExportMetricsServiceRequest`): sums and exponential histograms, cumulative from the start.

use serde_json::{Value as Json, json};

use crate::buckets::{SCHEMA, native};
use crate::counted::RunCounters;
use crate::families::{Family, Form, Point, Value, families};
use record::Distribution;

/// OTLP's number for cumulative aggregation temporality.
const CUMULATIVE: u32 = 2;

/// Source of the figures, and the time that they cover.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource<'r> {
    /// Name of the machine.
    pub host: &'r str,
    /// Version of plimsoll.
    pub version: &'r str,
    /// Start of counting: nanoseconds since 1970, UTC.
    pub began_unix_ns: u64,
    /// Time at which the figures were read: nanoseconds since 1970, UTC.
    pub now_unix_ns: u64,
}

/// Returns all figures, as the body of a request to `/v1/metrics`.
pub fn otlp(counted: &RunCounters, resource: &Resource<'_>) -> Json {
    let metrics: Vec<Json> = families(counted).map(|family| metric(&family, resource)).collect();
    json!({
        "resourceMetrics": [{
            "resource": { "attributes": [
                attribute("service.name", "plimsoll"),
                attribute("service.version", resource.version),
                attribute("host.name", resource.host),
            ] },
            "scopeMetrics": [{ "scope": { "name": "plimsoll", "version": resource.version }, "metrics": metrics }],
        }]
    })
}

fn attribute(key: &str, value: &str) -> Json {
    json!({ "key": key, "value": { "stringValue": value } })
}

fn metric(family: &Family<'_>, resource: &Resource<'_>) -> Json {
    let words = &family.words;
    let points: Vec<Json> = family.points.iter().map(|point| data_point(point, resource)).collect();
    let mut metric = json!({ "name": words.name, "description": words.help, "unit": words.unit });
    let (key, data) = match words.form {
        Form::Counter => (
            "sum",
            json!({ "aggregationTemporality": CUMULATIVE, "isMonotonic": true, "dataPoints": points }),
        ),
        Form::Gauge => ("gauge", json!({ "dataPoints": points })),
        Form::Histogram => {
            ("exponentialHistogram", json!({ "aggregationTemporality": CUMULATIVE, "dataPoints": points }))
        }
    };
    metric[key] = data;
    metric
}

/// Integers of 64 bits are strings in OTLP's JSON, because JSON's numbers are floating point.
fn data_point(point: &Point<'_>, resource: &Resource<'_>) -> Json {
    let attributes: Vec<Json> = point.labels.iter().map(|(name, value)| attribute(name, value)).collect();
    let mut data = match point.value {
        Value::Number(value) => json!({ "asDouble": value }),
        Value::Latency(latency, sum) => exponential(latency, sum),
    };
    data["attributes"] = json!(attributes);
    data["startTimeUnixNano"] = json!(resource.began_unix_ns.to_string());
    data["timeUnixNano"] = json!(resource.now_unix_ns.to_string());
    data
}

/// Bucket `n` of OTLP begins where Prometheus' bucket `n` ends, so OTLP's numbers are one less.
fn exponential(latency: &Distribution, sum: f64) -> Json {
    let native = native(latency);
    let first = native.filled.first().map_or(0, |(bucket, _)| *bucket);
    let last = native.filled.last().map_or(first - 1, |(bucket, _)| *bucket);
    let mut counts = vec![0u64; usize::try_from(last + 1 - first).unwrap_or_default()];
    for (bucket, count) in &native.filled {
        if let Some(of) = usize::try_from(bucket - first).ok().and_then(|place| counts.get_mut(place)) {
            *of = *count;
        }
    }
    let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
    json!({
        "count": latency.count().to_string(),
        "sum": sum,
        "scale": SCHEMA,
        "zeroCount": native.zero.to_string(),
        "positive": { "offset": first - 1, "bucketCounts": counts },
        "min": latency.ns_min().unwrap_or_default() as f64 / 1e9,
        "max": latency.ns_max().unwrap_or_default() as f64 / 1e9,
    })
}
