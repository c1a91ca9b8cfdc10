//! The tables of percentiles: one for each target if there are several, and one for all targets together.

use std::fmt::Write as _;

use crate::draft::Compat;
use crate::results::{Section, Side, SpanResult};
use record::Distribution;

/// Rows between the minimum and the maximum.
const ROWS: [(&str, f64); 13] = [
    ("25th", 25.0),
    ("50th", 50.0),
    ("75th", 75.0),
    ("90th", 90.0),
    ("95th", 95.0),
    ("99th", 99.0),
    ("3-nines", 99.9),
    ("4-nines", 99.99),
    ("5-nines", 99.999),
    ("6-nines", 99.9999),
    ("7-nines", 99.99999),
    ("8-nines", 99.999_999),
    ("9-nines", 99.999_999_9),
];

/// Writes all tables.
pub(super) fn write(text: &mut String, result: &SpanResult, compat: Compat) {
    let mut paths: Vec<&str> = Vec::new();
    for target in result.all() {
        if !paths.contains(&target.path.as_str()) {
            paths.push(&target.path);
        }
    }
    if compat != Compat::V22 {
        text.push_str("\n\n");
    }
    if paths.len() > 1 {
        for path in paths {
            let title = if compat == Compat::V22 { "Latency distribution: " } else { "" };
            let _ = writeln!(text, "\n{title}{path}");
            table(text, |section| of_path(result, path, section));
        }
    }
    text.push_str(if compat == Compat::V22 { "\nTotal latency distribution:\n" } else { "\ntotal:\n" });
    table(text, |section| result.sum(section));
}

fn of_path(result: &SpanResult, path: &str, section: Section) -> Side {
    let mut sum = Side::default();
    for target in result.all().filter(|target| target.path == path) {
        sum.merge(&section.of(&target.read, &target.write));
    }
    sum
}

fn table(text: &mut String, of: impl Fn(Section) -> Side) {
    let sides = [Section::Read, Section::Write, Section::Total].map(|section| of(section).latency);
    let _ = writeln!(text, "  %-ile |  Read (ms) | Write (ms) | Total (ms)\n{}", "-".repeat(46));
    row(text, "min", &sides, |latency| latency.ns_min());
    for (label, percent) in ROWS {
        row(text, label, &sides, |latency| latency.percentile(percent));
    }
    row(text, "max", &sides, |latency| latency.ns_max());
}

fn row(
    text: &mut String,
    label: &str,
    sides: &[Distribution; 3],
    value: impl Fn(&Distribution) -> Option<u64>,
) {
    let [read, write, total] = sides;
    let cell = |side: &Distribution| match value(side) {
        Some(ns) => format!("{:10.3}", ns as f64 / 1e6),
        None => "N/A".to_owned(),
    };
    let all = value(total).unwrap_or(0) as f64 / 1e6;
    let _ = writeln!(text, "{label:>7} | {:>10} | {:>10} | {all:10.3}", cell(read), cell(write));
}
