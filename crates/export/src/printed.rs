//! Another tool's output, taken from an imported run: the tool's own figures, in base units.

use record::{Figure, ReportedDirection, ReportedLatency, ReportedPart, ReportedSeries, Run};
use workload::Direction;

use crate::table::{Column, figure, text, whole};
use crate::tables::{PERCENTILES, word};

/// One reported part, with its number from 1, and one direction of it.
type ReportedRow<'r> = ((u64, &'r ReportedPart), &'r ReportedDirection);

/// A point of a log, with the number of the reported part to which it belongs.
type Point<'r> = (u64, &'r ReportedSeries, (u64, f64));

fn parts(run: &Run) -> impl Iterator<Item = (u64, &ReportedPart)> {
    (1..).zip(&run.reported)
}

fn named(direction: Option<Direction>) -> Option<String> {
    direction.map(|direction| direction.name().to_owned())
}

/// Returns one row for each part and direction: single jobs, and sums over jobs that the tool printed, distinguished
/// by `scope`.
pub(crate) fn reported(run: &Run) -> Vec<Column> {
    let rows: Vec<ReportedRow<'_>> = parts(run)
        .flat_map(|part| part.1.directions.iter().map(move |direction| (part, direction)))
        .collect();
    let value = |name, unit, of: fn(&ReportedDirection) -> &Option<Figure>| {
        figure((name, unit), &rows, move |(_, way)| of(way).as_ref().map(|one| one.value))
    };
    let mut columns = vec![
        whole(("reported", ""), &rows, |((number, _), _)| Some(*number)),
        text("scope", &rows, |((_, part), _)| word(&part.scope)),
        text("job", &rows, |((_, part), _)| Some(part.job.clone())),
        text("direction", &rows, |(_, way)| named(way.direction)),
        value("ops", "", |way| &way.ops),
        value("bytes", "B", |way| &way.bytes),
        value("iops", "1/s", |way| &way.iops),
        value("bytes_per_second", "B/s", |way| &way.bytes_per_second),
        text("basis", &rows, |(_, way)| word(&way.basis)),
        value("runtime_ns", "ns", |way| &way.runtime),
    ];
    columns.extend(latencies(&rows));
    columns
}

/// Returns columns of the latencies closest to what a user waits for.
fn latencies(rows: &[ReportedRow<'_>]) -> Vec<Column> {
    let all: Vec<Option<&ReportedLatency>> =
        rows.iter().map(|(_, way)| way.waited().or(way.latencies.first())).collect();
    let value = |name, of: fn(&ReportedLatency) -> &Option<Figure>| {
        figure((name, "ns"), &all, move |one| of((*one)?).as_ref().map(|figure| figure.value))
    };
    let mut columns = vec![
        text("latency_kind", &all, |one| word(&(*one)?.kind)),
        value("latency_ns_mean", |one| &one.mean),
        value("latency_ns_min", |one| &one.min),
    ];
    columns.extend(PERCENTILES.iter().map(|(name, percent)| {
        figure((name, "ns"), &all, |one| (*one)?.percentile(*percent).map(|figure| figure.value))
    }));
    columns.push(value("latency_ns_max", |one| &one.max));
    columns
}

/// Returns one row for each line of a log.
pub(crate) fn points(run: &Run) -> Vec<Column> {
    let rows: Vec<Point<'_>> = parts(run)
        .flat_map(|(number, part)| part.series.iter().map(move |series| (number, series)))
        .flat_map(|(number, series)| series.points.iter().map(move |point| (number, series, *point)))
        .collect();
    vec![
        whole(("reported", ""), &rows, |(number, ..)| Some(*number)),
        text("measure", &rows, |(_, series, _)| word(&series.measure)),
        text("direction", &rows, |(_, series, _)| named(series.direction)),
        text("along", &rows, |(_, series, _)| word(&series.along)),
        whole(("place", ""), &rows, |(.., (place, _))| Some(*place)),
        figure(("value", ""), &rows, |(.., (_, value))| Some(*value)),
        text("source", &rows, |(_, series, _)| Some(series.source.clone())),
    ]
}
