//! Charts of the series and percentiles that another tool printed, if it printed any.

use record::{Along, Measure, ReportedPart, ReportedSeries, Run};
use workload::Direction;

use super::axis::Axis;
use super::chart::Chart;
use super::ink::Ink;
use super::ladders::{by_percentile, nines};
use super::over_time::{ink_of, range, thinned, time_axis};
use super::panel::{Dots, Line, Panel, Shape, Side};
use crate::words::Table;
use crate::words::imported::{series_words, way_words};
use crate::words::numbers::{self, Prefix, Unit};

/// Most rows of a table of points; the run file has every point.
const ROWS: usize = 500;

/// A quantity with the series that measure it.
struct Group {
    title: &'static str,
    measures: &'static [Measure],
    along: &'static [Along],
}

const RATE: Group = Group {
    title: "Operations a second against time, as logged",
    measures: &[Measure::Iops],
    along: &[Along::Time, Along::UnixTime],
};
const BANDWIDTH: Group = Group {
    title: "Bandwidth against time, as logged",
    measures: &[Measure::BytesPerSecond],
    along: &[Along::Time, Along::UnixTime],
};
const LATENCY: Group = Group {
    title: "Latency against time, as logged",
    measures: &[Measure::TotalLatency, Measure::CompletionLatency, Measure::SubmissionLatency],
    along: &[Along::Time, Along::UnixTime],
};
const REQUESTS: Group = Group {
    title: "Latency of each request, as printed",
    measures: &[Measure::TotalLatency],
    along: &[Along::Request],
};

/// Returns the operations a second that another tool logged; `None` if it logged none.
pub(super) fn rate(run: &Run) -> Option<Chart> {
    series(run, &RATE)
}

/// Returns the bandwidth that another tool logged; `None` if it logged none.
pub(super) fn bandwidth(run: &Run) -> Option<Chart> {
    series(run, &BANDWIDTH)
}

/// Returns the latency that another tool logged; `None` if it logged none.
pub(super) fn latency(run: &Run) -> Option<Chart> {
    series(run, &LATENCY)
}

/// Returns the latency of each request that another tool printed; `None` if it printed none.
pub(super) fn requests(run: &Run) -> Option<Chart> {
    series(run, &REQUESTS)
}

fn ink(direction: Option<Direction>, index: usize) -> Ink {
    match direction {
        Some(direction) if index == 0 => ink_of(direction),
        Some(Direction::Read) => Ink::ReadTail,
        Some(Direction::Write) => Ink::WriteTail,
        _ => Ink::Flush,
    }
}

fn series(run: &Run, group: &Group) -> Option<Chart> {
    let fits = |series: &&ReportedSeries| {
        group.measures.contains(&series.measure)
            && group.along.contains(&series.along)
            && !series.points.is_empty()
    };
    let found: Vec<&ReportedSeries> =
        run.reported.iter().flat_map(|part| &part.series).filter(fits).collect();
    let first = found.iter().flat_map(|series| &series.points).map(|point| point.0).min()?;
    let most = found.iter().flat_map(|series| &series.points).map(|point| point.1).fold(0.0, f64::max);
    let unit = match group.measures {
        [Measure::BytesPerSecond] => Unit::of_bandwidth(most, Prefix::Binary),
        [Measure::Iops] => numbers::IOPS,
        _ => Unit::of_time(most),
    };
    let by_request = group.along.contains(&Along::Request);
    let dated = found.iter().any(|series| series.along == Along::UnixTime);
    let origin = if dated { first } else { 0 };
    let place =
        |place: u64| if by_request { place as f64 } else { place.saturating_sub(origin) as f64 / 1e9 };
    let is_time = !matches!(group.measures, [Measure::BytesPerSecond] | [Measure::Iops]);
    let scale = if is_time { 1.0 } else { unit.factor };
    let lines: Vec<Line> = found
        .iter()
        .enumerate()
        .map(|(index, series)| {
            let earlier = found[..index].iter().filter(|other| other.direction == series.direction).count();
            let points = series.points.iter().map(|&(at, value)| (place(at), value / scale));
            let ink = ink(series.direction, earlier);
            let line = Line::of(way_words(series.direction), ink, thinned(vec![points.collect()]));
            if by_request { Line { dots: Dots::Each(Shape::Circle), ..line } } else { line }
        })
        .collect();
    let end = lines.iter().flat_map(Line::points).map(|point| point.0).fold(0.0, f64::max);
    let y = match is_time {
        true => range(lines.iter().flat_map(Line::points).map(|point| point.1))
            .map(|(low, high)| time_axis(low, high))?,
        false => Axis::linear(0.0, most / scale * 1.06, 4, numbers::figure),
    };
    let x_title = if by_request { "request" } else { "time (s)" };
    let y_title = if is_time { "latency".to_owned() } else { unit.name.to_owned() };
    let panel = Panel::of(
        Side::new(x_title, Axis::linear(0.0, end.max(1e-9) * 1.01, 8, numbers::figure)),
        Side::new(y_title, y),
        lines,
    );
    Some(Chart::drawn(group.title, 230, &[panel], points_table(&found, x_title, unit)))
}

fn points_table(found: &[&ReportedSeries], x_title: &str, unit: Unit) -> Table {
    let mut table = Table::headed(&["series", x_title, unit.name]);
    for series in found {
        for &(at, value) in series.points.iter().take(ROWS) {
            let place = match series.along {
                Along::Request => numbers::count(at as f64),
                Along::Time | Along::UnixTime => numbers::fixed(at as f64 / 1e9, 3),
            };
            table.rows.push(vec![series_words(series), place, numbers::figure(value / unit.factor)]);
        }
    }
    table
}

/// Returns latency by percentile, with a line for each job and direction that has percentiles.
pub(super) fn percentiles(run: &Run) -> Option<Chart> {
    let mut lines: Vec<Line> = Vec::new();
    let mut table = Table::headed(&["job", "direction", "percentile", "latency"]);
    for part in &run.reported {
        percentile_lines(part, &mut lines, &mut table);
    }
    by_percentile("Latency by percentile, as printed", lines, table)
}

fn percentile_lines(part: &ReportedPart, lines: &mut Vec<Line>, table: &mut Table) {
    for way in &part.directions {
        let Some(latency) = way.with_percentiles() else { continue };
        let words = way_words(way.direction);
        let earlier = lines.iter().filter(|line| line.name.ends_with(words)).count();
        let points = latency.percentiles.iter();
        let points =
            points.map(|(percent, figure)| (nines(percent.min(99.999_99)), figure.value)).collect::<Vec<_>>();
        lines.push(Line {
            name: format!("{} {words}", part.job.chars().take(12).collect::<String>()),
            ink: ink(way.direction, earlier),
            segments: vec![points.into()],
            whiskers: Vec::new(),
            dots: Dots::None,
        });
        for (percent, figure) in &latency.percentiles {
            let time = numbers::time(figure.value);
            table.rows.push(vec![part.job.clone(), words.to_owned(), format!("{percent} %"), time]);
        }
    }
}
