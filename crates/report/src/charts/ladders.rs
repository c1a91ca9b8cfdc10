//! Curves against the varied parameter: queue depth, block size, percentile.

use analysis::findings::{Crossover, FillingDepth};
use analysis::{Analysis, Estimate, LatencyRow, LevelUnit, Meaning, Point, Quantity};
use record::Run;
use workload::Direction;

use super::axis::Axis;
use super::chart::Chart;
use super::ink::Ink;
use super::joined::Pen;
use super::modelled;
use super::over_time::{chart_unit, claimed, ink_of, range, time_axis};
use super::panel::{Dots, Level, Line, Marker, Panel, Shape, Side};
use crate::words::Table;
use crate::words::numbers::{self, IOPS, Unit};
use crate::words::progress::ending;
use crate::words::sentence::{capital, plural};
use crate::words::stops::filling_depth;

/// Returns rate and latency by queue depth, with the depth that fills the cap; `None` without a depth ladder.
pub fn depths(run: &Run, analysis: &Analysis) -> Option<Chart> {
    let points = &analysis.depths;
    let x = doubling_axis(points.iter().map(|point| f64::from(point.depth)), numbers::count)?;
    let ladder_of = Ladder {
        points,
        at: &|point| f64::from(point.depth),
        pen: &|direction| Pen::around(filling_depth(analysis, direction)),
    };
    let rates = ladder_of.lines(&|point| point.iops);
    let rate_panel = Panel {
        levels: claimed(run, analysis, Quantity::Iops),
        markers: filling(analysis, Labels::Written),
        ..Panel::of(
            Side::new("queue depth (I/Os in flight)", x.clone()),
            Side::new("operations a second", rising(&rates, &claimed(run, analysis, Quantity::Iops))),
            rates,
        )
    };
    let mut times = ladder_of.lines(&|point| flat(point.latency_ns_p99 as f64));
    for line in &mut times {
        line.ink = tail(line.ink);
        line.name.clear();
    }
    times.extend(ladder_of.lines(&|point| flat(point.latency_ns_mean)));
    let (low, high) = range(values(&times))?;
    let time_panel = Panel {
        markers: filling(analysis, Labels::Left),
        ..Panel::of(
            Side::new("queue depth (I/Os in flight)", x),
            Side::new("mean latency, dashed: 99th percentile", time_axis(low, high)),
            times,
        )
    };
    Some(ladder(
        "Rate and latency by queue depth",
        &[rate_panel, time_panel],
        point_table(run, analysis, points),
    ))
}

/// Returns operations and bytes a second by block size, with the size at which the caps cross; `None` without a
/// block ladder.
pub fn block_sizes(run: &Run, analysis: &Analysis) -> Option<Chart> {
    let points = &analysis.blocks;
    let x = doubling_axis(points.iter().map(|point| point.block as f64), numbers::block)?;
    let unit = chart_unit(run, analysis);
    let ladder_of = Ladder {
        points,
        at: &|point| point.block as f64,
        pen: &|direction| modelled::pen(analysis, direction),
    };
    let mut rates = ladder_of.lines(&|point| point.iops);
    rates.extend(modelled::by_block(analysis, (LevelUnit::Operations, 1.0)));
    let mut bytes = ladder_of.lines(&|point| in_unit(point.bytes_per_second, unit));
    bytes.extend(modelled::by_block(analysis, (LevelUnit::Bytes, unit.factor)));
    let mut levels = claimed(run, analysis, Quantity::BytesPerSecond);
    levels.iter_mut().for_each(|level| level.value /= unit.factor);
    let rate_panel = Panel {
        levels: claimed(run, analysis, Quantity::Iops),
        markers: crossing(analysis, Labels::Left),
        ..Panel::of(
            Side::new("block size", x.clone()),
            Side::new("operations a second", rising(&rates, &claimed(run, analysis, Quantity::Iops))),
            rates,
        )
    };
    let height = rising(&bytes, &levels);
    let byte_panel = Panel {
        levels,
        markers: crossing(analysis, Labels::Written),
        ..Panel::of(
            Side::new("block size", x),
            Side::new(format!("bandwidth ({})", unit.name), height),
            bytes,
        )
    };
    Some(ladder(
        "Rate and bandwidth by block size",
        &[rate_panel, byte_panel],
        point_table(run, analysis, points),
    ))
}

/// Returns latency by percentile, with percentiles spaced by their number of nines; `None` if no latency was
/// measured.
pub fn percentiles(analysis: &Analysis) -> Option<Chart> {
    let lines: Vec<Line> =
        analysis.latencies.iter().map(|row| percentile_line(row, &analysis.latencies)).collect();
    by_percentile("Latency of one I/O at a time by percentile", lines, percentile_table(&analysis.latencies))
}

/// Draws latency by percentile; `None` if there are no points.
pub(super) fn by_percentile(title: &str, lines: Vec<Line>, table: Table) -> Option<Chart> {
    let (low, high) = range(values(&lines))?;
    let deepest = lines.iter().flat_map(Line::points).map(|point| point.0).fold(1.0, f64::max);
    let ticks =
        [0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999].map(|percent| (nines(percent), format!("{percent} %")));
    let ticks = ticks.into_iter().filter(|(place, _)| *place <= deepest * 1.02).collect();
    let panel = Panel::of(
        Side::new("share of I/Os that took no longer", Axis::with_ticks(0.0, deepest * 1.02, ticks)),
        Side::new("latency", time_axis(low, high)),
        lines,
    );
    Some(ladder(title, &[panel], table))
}

fn ladder(title: &str, panels: &[Panel], table: Table) -> Chart {
    Chart::drawn(title, 280, panels, table)
}

/// Whether a panel writes the labels of its markers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Labels {
    Written,
    Left,
}

fn filling(analysis: &Analysis, labels: Labels) -> Vec<Marker> {
    let depth = |meaning: &Meaning| match meaning {
        Meaning::FillingDepth(FillingDepth { direction, star, .. }) => {
            // Prefer the depth that the text names.
            let depth = filling_depth(analysis, *direction).unwrap_or(*star);
            Some((depth, *direction, format!("fill it at {}", numbers::count(depth))))
        }
        _ => None,
    };
    markers(analysis, labels, &depth)
}

fn crossing(analysis: &Analysis, labels: Labels) -> Vec<Marker> {
    let size = |meaning: &Meaning| match meaning {
        Meaning::Crossover(Crossover { direction, bytes }) => {
            Some((*bytes, *direction, format!("cross at {}", numbers::block(*bytes))))
        }
        _ => None,
    };
    markers(analysis, labels, &size)
}

/// Place, direction and label of a marker.
type LadderMark = (f64, Direction, String);

/// Returns a marker for each place; directions with the same label share one.
fn markers(analysis: &Analysis, labels: Labels, of: &dyn Fn(&Meaning) -> Option<LadderMark>) -> Vec<Marker> {
    let found = analysis.findings.iter().filter_map(|finding| of(&finding.meaning));
    let mut marked: Vec<LadderMark> = found.filter(|(at, _, _)| at.is_finite() && *at > 0.0).collect();
    marked.sort_by(|a, b| (&a.2, a.1).cmp(&(&b.2, b.1)));
    let marker = |same: &[LadderMark]| {
        let who: Vec<&str> = same.iter().map(|(_, direction, _)| plural(*direction)).collect();
        let label =
            same.first().map_or_else(String::new, |(_, _, words)| format!("{} {words}", who.join(" and ")));
        Marker {
            at: same.first().map_or(0.0, |(at, _, _)| *at),
            label: if labels == Labels::Written { label } else { String::new() },
        }
    };
    marked.chunk_by(|a, b| a.2 == b.2).map(marker).collect()
}

/// Returns a logarithmic axis with a tick at every power of two, thinned to fit a panel of half the width.
pub(crate) fn doubling_axis(
    values: impl Iterator<Item = f64>,
    label: impl Fn(f64) -> String,
) -> Option<Axis> {
    let (low, high) = range(values)?;
    let (first, last) = (low.log2().ceil() as i32, high.log2().floor() as i32);
    let ticks = (first..=last.min(first + 62))
        .map(|power| 2f64.powi(power))
        .map(|value| (value, label(value)))
        .collect();
    Some(Axis::logarithmic(low / 1.25, high * 1.25, ticks).thinned(TICKS_MAX))
}

/// Most labels such as `256 KiB` that fit side by side below half a chart.
const TICKS_MAX: usize = 7;

/// The points of a ladder, their places on the axis, and the rules for joining them in each direction.
struct Ladder<'l> {
    points: &'l [Point],
    at: &'l dyn Fn(&Point) -> f64,
    pen: &'l dyn Fn(Direction) -> Pen,
}

impl Ladder<'_> {
    /// Returns a line for each direction, drawn only between neighbours.
    fn lines(&self, value: &dyn Fn(&Point) -> Estimate) -> Vec<Line> {
        self.points.chunk_by(|a, b| a.direction == b.direction).map(|same| self.line(same, value)).collect()
    }

    fn line(&self, same: &[Point], value: &dyn Fn(&Point) -> Estimate) -> Line {
        let direction = same.first().map_or(Direction::Read, |point| point.direction);
        let mut points: Vec<_> = same.iter().map(|point| ((self.at)(point), value(point).value)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let whisker = |point: &Point| ((self.at)(point), value(point).low, value(point).high);
        let shape = if direction == Direction::Read { Shape::Circle } else { Shape::Square };
        Line {
            whiskers: same.iter().map(whisker).collect(),
            dots: Dots::Each(shape),
            ..Line::of(plural(direction), ink_of(direction), (self.pen)(direction).strokes(&points))
        }
    }
}

fn flat(value: f64) -> Estimate {
    Estimate { value, low: value, high: value }
}

fn in_unit(estimate: Estimate, unit: Unit) -> Estimate {
    Estimate {
        value: estimate.value / unit.factor,
        low: estimate.low / unit.factor,
        high: estimate.high / unit.factor,
    }
}

fn tail(ink: Ink) -> Ink {
    if ink == Ink::Read { Ink::ReadTail } else { Ink::WriteTail }
}

fn values(lines: &[Line]) -> impl Iterator<Item = f64> {
    lines.iter().flat_map(Line::points).map(|point| point.1)
}

/// Returns an axis from zero to a little above all values.
pub(crate) fn rising(lines: &[Line], levels: &[Level]) -> Axis {
    let all = values(lines).chain(levels.iter().map(|level| level.value));
    let top = all.filter(|value| value.is_finite()).fold(0.0, f64::max);
    Axis::linear(0.0, top * 1.08, 5, |value| {
        if value >= 10.0 { numbers::count(value) } else { numbers::figure(value) }
    })
}

/// Returns the place of a percentile on the axis: its number of nines.
pub(crate) fn nines(percent: f64) -> f64 {
    -(1.0 - percent / 100.0).log10()
}

fn percentile_line(row: &LatencyRow, all: &[LatencyRow]) -> Line {
    let places = row.percentiles.iter();
    let places = places.map(|&(percent, time)| (nines(percent.min(99.9999)), time as f64));
    let alone = all.iter().filter(|other| other.direction == row.direction).count() == 1;
    let name = if alone { plural(row.direction) } else { &row.step };
    let shape = match row.direction {
        Direction::Read => Shape::Circle,
        Direction::Write => Shape::Square,
        Direction::Trim | Direction::Flush => Shape::Triangle,
    };
    Line { dots: Dots::Each(shape), ..Line::of(name, ink_of(row.direction), [places.collect::<Vec<_>>()]) }
}

fn percentile_table(rows: &[LatencyRow]) -> Table {
    let mut percents: Vec<f64> =
        rows.iter().flat_map(|row| row.percentiles.iter().map(|pair| pair.0)).collect();
    percents.retain(|percent| percent.is_finite());
    percents.sort_by(f64::total_cmp);
    percents.dedup();
    let heads: Vec<String> = percents.iter().map(|percent| format!("p{percent}")).collect();
    let words: Vec<&str> = heads.iter().map(String::as_str).collect();
    let mut table =
        Table::headed(&[&["step", "direction", "I/Os", "mean"], words.as_slice(), &["greatest"]].concat());
    for row in rows {
        let first = [
            row.step.clone(),
            capital(plural(row.direction)),
            numbers::count(row.count as f64),
            numbers::time(row.mean_ns),
        ];
        let at = |percent: &f64| {
            let found = row.percentiles.iter().find(|pair| pair.0 == *percent);
            found.map_or_else(String::new, |pair| numbers::time(pair.1 as f64))
        };
        let middle: Vec<String> = percents.iter().map(at).collect();
        table.rows.push([first.to_vec(), middle, vec![numbers::time(row.max_ns as f64)]].concat());
    }
    table
}

fn point_table(run: &Run, analysis: &Analysis, points: &[Point]) -> Table {
    let unit = chart_unit(run, analysis);
    let heads =
        ["step", "direction", "depth", "block", "IOPS", unit.name, "mean", "p50", "p99", "counted", "ended"];
    let mut table = Table::headed(&heads);
    for point in points {
        table.rows.push(vec![
            point.step.clone(),
            capital(plural(point.direction)),
            point.depth.to_string(),
            numbers::block(point.block as f64),
            numbers::estimate(&point.iops, IOPS),
            numbers::estimate(&point.bytes_per_second, unit),
            numbers::time(point.latency_ns_mean),
            numbers::time(point.latency_ns_p50 as f64),
            numbers::time(point.latency_ns_p99 as f64),
            numbers::span(point.seconds),
            ending(point.ending).to_owned(),
        ]);
    }
    table
}
