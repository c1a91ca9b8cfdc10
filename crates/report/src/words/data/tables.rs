//! Everything that a run holds as tables: one CSV file each.

use analysis::Analysis;
use record::{CpuMetric, Metric, PhaseKind, Recording, ReportedUnit, Run, StepRecord};
use workload::{Direction, Nanos};

use super::csv::Csv;
use super::names::{column, metrics};
use super::series::utc;
use crate::words::sentence::{confidence, sentence};

/// A table of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvTable {
    /// Name of the file: `devices.csv`.
    pub file: &'static str,
    /// Description of the contents, for people.
    pub about: &'static str,
    /// Number of rows below the head.
    pub rows: usize,
    /// The whole file.
    pub text: String,
}

/// Returns the tables of `run` that have any rows.
pub fn csv_tables(run: &Run, analysis: &Analysis) -> Vec<CsvTable> {
    let table = |file, about, csv: Csv| CsvTable { file, about, rows: csv.rows, text: csv.text() };
    let all = [
        table("devices.csv", "a row an interval and device", devices(run)),
        table("cpu.csv", "a row an interval", cpu(run)),
        table("phases.csv", "a row a phase of the watch", phases(run)),
        table("intervals.csv", "a row an interval of our own load", intervals(run)),
        table("latency.csv", "percentiles of our own load, a row a step and direction", latency(run)),
        table("reported.csv", "a row a figure that another tool printed", reported(run)),
        table("findings.csv", "a row a finding and span of evidence", findings(run, analysis)),
    ];
    all.into_iter().filter(|table| table.rows > 0).collect()
}

const TIMES: [&str; 3] = ["from_s", "to_s", "to_utc"];

fn times(csv: &mut Csv, run: &Run, (from, to): (Nanos, Nanos)) {
    csv.number(from.as_secs_f64());
    csv.number(to.as_secs_f64());
    csv.words(&utc(run, to));
}

/// Returns a row for each interval and device; a device that is absent in an interval has no row for it.
fn devices(run: &Run) -> Csv {
    let recording = Recording::of(run);
    let mut shown: Vec<Metric> = recording.devices().iter().flat_map(|device| metrics(run, device)).collect();
    shown.sort_unstable();
    shown.dedup();
    let names = shown.iter().map(|metric| column(*metric));
    let mut csv = Csv::headed(TIMES.into_iter().chain(["device"]).chain(names));
    let columns: Vec<(&str, Vec<Option<Vec<f64>>>)> = recording
        .devices()
        .iter()
        .map(|&device| (device, shown.iter().map(|metric| recording.device(device, *metric)).collect()))
        .collect();
    for (index, &span) in recording.intervals().iter().enumerate() {
        for (device, columns) in &columns {
            let cell =
                |column: &Option<Vec<f64>>| column.as_ref().and_then(|column| column.get(index)).copied();
            if columns.iter().any(|column| cell(column).is_some_and(|value| !value.is_nan())) {
                times(&mut csv, run, span);
                csv.words(device);
                columns.iter().for_each(|column| csv.maybe(cell(column)));
                csv.end();
            }
        }
    }
    csv
}

fn cpu(run: &Run) -> Csv {
    let recording = Recording::of(run);
    let names = CpuMetric::ALL.map(|metric| format!("{}_share", metric.column()));
    let mut csv = Csv::headed(TIMES.into_iter().chain(names.iter().map(String::as_str)));
    let columns = CpuMetric::ALL.map(|metric| recording.cpu(metric));
    if columns.iter().all(Option::is_none) {
        return csv;
    }
    for (index, &span) in recording.intervals().iter().enumerate() {
        times(&mut csv, run, span);
        columns
            .iter()
            .for_each(|column| csv.maybe(column.as_ref().and_then(|column| column.get(index)).copied()));
        csv.end();
    }
    csv
}

fn phases(run: &Run) -> Csv {
    let mut csv = Csv::headed(["from_s", "to_s", "to_utc", "phase", "kind", "step", "scale", "exit_code"]);
    for phase in &run.phases {
        times(&mut csv, run, (phase.from, phase.to));
        csv.words(&phase.name);
        let (kind, step, scale, code) = match &phase.kind {
            PhaseKind::Idle => ("idle", "", None, None),
            PhaseKind::Load { step, scale } => ("load", step.as_str(), *scale, None),
            PhaseKind::Command { code } => ("command", "", None, *code),
        };
        csv.words(kind);
        csv.words(step);
        csv.maybe(scale);
        csv.maybe(code.map(f64::from));
        csv.end();
    }
    csv
}

/// Returns the intervals of each job by direction; a direction that a job never uses has no rows.
fn intervals(run: &Run) -> Csv {
    let own = [
        "step",
        "job",
        "direction",
        "counted",
        "ops",
        "bytes",
        "errors",
        "late",
        "latency_mean_s",
        "latency_p50_s",
        "latency_p99_s",
        "latency_max_s",
    ];
    let mut csv = Csv::headed(TIMES.into_iter().chain(own));
    for step in &run.steps {
        let goes = Direction::ALL.map(|direction| {
            step.intervals.iter().any(|interval| {
                let tally = &interval.of(direction).tally;
                tally.ops + tally.errors > 0
            })
        });
        for interval in &step.intervals {
            for direction in Direction::ALL.into_iter().filter(|direction| goes[direction.index()]) {
                let part = interval.of(direction);
                times(&mut csv, run, (interval.start, interval.end));
                csv.words(&step.plan.name);
                csv.words(step.jobs.get(usize::from(interval.job)).map_or("", String::as_str));
                csv.words(direction.name());
                csv.number(f64::from(u8::from(interval.counted)));
                let counts = [part.tally.ops, part.tally.bytes, part.tally.errors, interval.late];
                counts.iter().for_each(|count| csv.number(*count as f64));
                csv.maybe(part.tally.latency_ns_mean().map(|ns| ns / 1e9));
                let latency = &part.latency;
                let seconds = [latency.percentile(50.0), latency.percentile(99.0), latency.ns_max()];
                seconds.iter().for_each(|ns| csv.maybe(ns.map(|ns| ns as f64 / 1e9)));
                csv.end();
            }
        }
    }
    csv
}

/// Percentiles, with the names of their columns.
const PERCENTILES: [(f64, &str); 8] = [
    (1.0, "p1_s"),
    (25.0, "p25_s"),
    (50.0, "p50_s"),
    (90.0, "p90_s"),
    (95.0, "p95_s"),
    (99.0, "p99_s"),
    (99.9, "p99.9_s"),
    (99.99, "p99.99_s"),
];

fn latency(run: &Run) -> Csv {
    let own = ["step", "direction", "ops", "bytes", "errors", "mean_s", "min_s"];
    let names = PERCENTILES.iter().map(|(_, name)| *name);
    let mut csv =
        Csv::headed(["from_s", "to_s", "to_utc"].into_iter().chain(own).chain(names).chain(["max_s"]));
    for step in &run.steps {
        Direction::ALL.into_iter().for_each(|direction| percentiles(&mut csv, run, (step, direction)));
    }
    csv
}

fn percentiles(csv: &mut Csv, run: &Run, (step, direction): (&StepRecord, Direction)) {
    let (tally, latency) = (step.tally(direction), step.latency(direction));
    if tally.ops + tally.errors == 0 {
        return;
    }
    let seconds = |ns: Option<u64>| ns.map(|ns| ns as f64 / 1e9);
    times(csv, run, (step.counted_from, step.ended));
    csv.words(&step.plan.name);
    csv.words(direction.name());
    [tally.ops, tally.bytes, tally.errors].iter().for_each(|count| csv.number(*count as f64));
    csv.maybe(tally.latency_ns_mean().map(|ns| ns / 1e9));
    csv.maybe(seconds(latency.ns_min()));
    PERCENTILES.iter().for_each(|(percent, _)| csv.maybe(seconds(latency.percentile(*percent))));
    csv.maybe(seconds(latency.ns_max()));
    csv.end();
}

/// Returns the figures of another tool by their names, as the reference of imports lists them.
fn reported(run: &Run) -> Csv {
    let mut csv = Csv::headed(["part", "scope", "direction", "figure", "value", "unit", "printed"]);
    for part in &run.reported {
        let scope = format!("{:?}", part.scope).to_lowercase();
        for (direction, name, unit, figure) in part.directions.iter().flat_map(|way| {
            let of = way.direction.map_or("all", Direction::name);
            let own = [
                ("ops", ReportedUnit::Count, &way.ops),
                ("bytes", ReportedUnit::Bytes, &way.bytes),
                ("iops", ReportedUnit::PerSecond, &way.iops),
                ("bandwidth", ReportedUnit::BytesPerSecond, &way.bytes_per_second),
                ("runtime", ReportedUnit::Nanoseconds, &way.runtime),
            ];
            let own = own.into_iter().filter_map(move |(name, unit, figure)| {
                figure.as_ref().map(|figure| (of, name.to_owned(), unit, figure))
            });
            let latencies = way.latencies.iter().flat_map(move |latency| {
                let kind = format!("latency.{:?}", latency.kind).to_lowercase();
                let own = [
                    ("min", &latency.min),
                    ("mean", &latency.mean),
                    ("max", &latency.max),
                    ("stddev", &latency.stddev),
                ];
                own.into_iter().filter_map(move |(name, figure)| {
                    let figure = figure.as_ref()?;
                    Some((of, format!("{kind}.{name}"), ReportedUnit::Nanoseconds, figure))
                })
            });
            let named =
                way.figures.iter().map(move |named| (of, named.name.clone(), named.unit, &named.figure));
            own.chain(latencies).chain(named)
        }) {
            figure_row(&mut csv, [&part.job, &scope, direction, &name], unit, figure);
        }
        for named in &part.figures {
            figure_row(&mut csv, [&part.job, &scope, "", &named.name], named.unit, &named.figure);
        }
    }
    csv
}

fn figure_row(csv: &mut Csv, words: [&str; 4], unit: ReportedUnit, figure: &record::Figure) {
    words.iter().for_each(|word| csv.words(word));
    csv.number(figure.value);
    csv.words(match unit {
        ReportedUnit::Count => "count",
        ReportedUnit::PerSecond => "1/s",
        ReportedUnit::Percent => "%",
        ReportedUnit::Bytes => "B",
        ReportedUnit::BytesPerSecond => "B/s",
        ReportedUnit::Nanoseconds => "ns",
    });
    csv.words(&figure.printed);
    csv.end();
}

/// Returns the name of a finding's kind as documents have it: `iops_cap`.
pub(crate) fn kind_name(finding: &analysis::Finding) -> String {
    let document = serde_json::to_value(finding).ok();
    let kind = document.as_ref().and_then(|value| value.get("kind")?.as_str());
    kind.unwrap_or_default().to_owned()
}

fn findings(run: &Run, analysis: &Analysis) -> Csv {
    let head = ["from_s", "to_s", "to_utc", "finding", "kind", "confidence", "series", "step", "sentence"];
    let mut csv = Csv::headed(head);
    for (number, finding) in (1_u32..).zip(&analysis.findings) {
        let kind = kind_name(finding);
        let mut row = |span: Option<&analysis::Evidence>| {
            match span {
                Some(span) => times(&mut csv, run, (span.from, span.to)),
                None => ["", "", ""].iter().for_each(|empty| csv.words(empty)),
            }
            csv.number(f64::from(number));
            csv.words(&kind);
            csv.words(confidence(finding));
            csv.words(span.map_or("", |span| &span.series));
            csv.words(span.map_or("", |span| &span.step));
            csv.words(&sentence(finding));
            csv.end();
        };
        match finding.evidence.as_slice() {
            [] => row(None),
            spans => spans.iter().for_each(|span| row(Some(span))),
        }
    }
    csv
}
