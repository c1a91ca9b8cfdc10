//! Prometheus' text format, version 0.0.4.

use std::fmt::Write as _;

use crate::buckets::classic;
use crate::counted::RunCounters;
use crate::families::{Family, Form, Point, Value, families};

/// The MIME type of [`text`].
pub const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Returns all figures, with classic buckets for the histograms.
pub fn text(counted: &RunCounters) -> String {
    let mut text = String::new();
    families(counted).for_each(|family| write(&mut text, &family));
    text
}

/// Appends a family; writing into a string does not fail.
fn write(text: &mut String, family: &Family<'_>) {
    let words = &family.words;
    let form = match words.form {
        Form::Counter => "counter",
        Form::Gauge => "gauge",
        Form::Histogram => "histogram",
    };
    let name = words.name;
    let _ = writeln!(text, "# HELP {name} {}\n# TYPE {name} {form}", words.help);
    for point in &family.points {
        match point.value {
            Value::Number(value) => {
                let _ = writeln!(text, "{name}{} {value}", labels(point, None));
            }
            Value::Latency(latency, sum) => {
                for (edge, count) in classic(latency) {
                    let edge = format!("{}", edge as f64 / 1e9);
                    let _ = writeln!(text, "{name}_bucket{} {count}", labels(point, Some(&edge)));
                }
                let count = latency.count();
                let _ = writeln!(text, "{name}_bucket{} {count}", labels(point, Some("+Inf")));
                let _ = writeln!(text, "{name}_sum{} {sum}", labels(point, None));
                let _ = writeln!(text, "{name}_count{} {count}", labels(point, None));
            }
        }
    }
}

/// Formats the labels, `{device="sda"}`, with the edge of a bucket as the last.
fn labels(point: &Point<'_>, edge: Option<&str>) -> String {
    let of_bucket = edge.map(|edge| ("le", edge));
    let all = point.labels.iter().copied().chain(of_bucket);
    let written: Vec<String> = all.map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    if written.is_empty() { String::new() } else { format!("{{{}}}", written.join(",")) }
}

/// Escapes a backslash, a quote and a line feed, any of which would end the value.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
