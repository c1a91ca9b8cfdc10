//! The page of an imported run: tables of the printed figures, charts if there is data for them, and what is
//! missing.

use analysis::Analysis;
use record::{Figure, LatencyKind, NamedFigure, ReportedPart, ReportedUnit, Run, Scope};

use super::parts::{figure, note, scrolled, section, titled};
use crate::charts::{Part, Source, drawn};
use crate::markup::{Markup, markup};
use crate::words::Table;
use crate::words::imported::{BASIS, contents, in_unit, job_table, origin, rate, way_words};
use crate::words::numbers::{self, Prefix, Unit};

/// Returns the sections of an imported run; `None` if plimsoll measured.
pub(super) fn sections(run: &Run, analysis: &Analysis) -> Option<Markup> {
    // The verdict is followed by what the run lacks.
    let (tool, _) = origin(run)?;
    let charts = drawn(&Source { run, analysis, view: None }, &[Part::Printed]);
    let printed =
        markup![note(contents(run)), scrolled(&job_table(run)), by_latency(run).then(|| note(BASIS))];
    let rest = markup![
        titled("Latency", &latencies(run)),
        titled("What was asked", &words(run, |part| &part.asked)),
        titled("Other words", &words(run, |part| &part.said)),
        titled("Other figures", &others(run)),
    ];
    Some(markup![
        section(&format!("What {tool} printed"), printed),
        section("Charts", charts.iter().map(figure).collect()),
        section("Everything that was printed", rest),
    ])
}

/// Whether any rate was derived from latency, one request after another.
fn by_latency(run: &Run) -> bool {
    let mut ways = run.reported.iter().flat_map(|part| &part.directions);
    ways.any(|way| way.basis == record::RateBasis::Latency)
}

/// Returns the minimum, mean, maximum and standard deviation of every kind of latency that was printed.
fn latencies(run: &Run) -> Table {
    let mut table = Table::headed(&["job", "direction", "from when to when", "min", "mean", "max", "stdev"]);
    let time = |figure: &Option<Figure>| {
        figure.as_ref().map_or_else(String::new, |figure| in_unit(figure, Unit::of_time(figure.value)))
    };
    for part in &run.reported {
        for way in &part.directions {
            for latency in &way.latencies {
                let kind = kind_words(latency.kind);
                let words = [part.job.as_str(), way_words(way.direction), kind].map(str::to_owned);
                let times = [&latency.min, &latency.mean, &latency.max, &latency.stddev].map(time);
                table.rows.push(words.into_iter().chain(times).collect());
            }
        }
    }
    table
}

fn kind_words(kind: LatencyKind) -> &'static str {
    match kind {
        LatencyKind::Submission => "until submitted",
        LatencyKind::Completion => "submitted to done",
        LatencyKind::Total => "whole",
    }
}

fn words(run: &Run, of: fn(&ReportedPart) -> &Vec<(String, String)>) -> Table {
    let mut table = Table::headed(&["job", "what", "value"]);
    for part in &run.reported {
        for (name, value) in of(part) {
            table.rows.push(vec![part.job.clone(), name.clone(), value.clone()]);
        }
    }
    table
}

/// Returns named figures, both in plimsoll's units and as printed.
fn others(run: &Run) -> Table {
    let mut table = Table::headed(&["part", "figure", "value", "printed"]);
    for part in &run.reported {
        for way in &part.directions {
            let name = format!("{}, {}", part_name(part), way_words(way.direction));
            let plain = [
                ("ops", ReportedUnit::Count, &way.ops),
                ("runtime", ReportedUnit::Nanoseconds, &way.runtime),
            ];
            let said =
                plain.into_iter().filter_map(|(what, unit, figure)| Some((what, unit, figure.as_ref()?)));
            table.rows.extend(said.map(|(what, unit, figure)| row(&name, what, unit, figure)));
            table.rows.extend(way.figures.iter().map(|named| named_row(&name, named)));
        }
        let name = part_name(part);
        table.rows.extend(part.figures.iter().map(|named| named_row(&name, named)));
    }
    table
}

fn part_name(part: &ReportedPart) -> String {
    match part.scope {
        Scope::Disk => format!("device {}", part.job),
        _ => part.job.clone(),
    }
}

fn named_row(part: &str, named: &NamedFigure) -> Vec<String> {
    row(part, &named.name, named.unit, &named.figure)
}

fn row(part: &str, name: &str, unit: ReportedUnit, figure: &Figure) -> Vec<String> {
    let value = match unit {
        ReportedUnit::Count => numbers::figure(figure.value),
        ReportedUnit::PerSecond => rate(figure),
        ReportedUnit::Percent => format!("{} %", figure.value),
        ReportedUnit::Bytes => numbers::size(figure.value.max(0.0) as u64),
        ReportedUnit::BytesPerSecond => in_unit(figure, Unit::of_bandwidth(figure.value, Prefix::Binary)),
        ReportedUnit::Nanoseconds => in_unit(figure, Unit::of_time(figure.value)),
    };
    vec![part.to_owned(), name.to_owned(), value, figure.printed.clone()]
}
