//! A figure of a trend over the dates of its runs.

use analysis::trend::{Trend, TrendFigure, TrendStanding};

use super::{date, name, value};
use crate::charts::axis::Axis;
use crate::charts::chart::Chart;
use crate::charts::ink::Ink;
use crate::charts::panel::{Dots, Line, Panel, Shape, Side};
use crate::words::Table;

/// Milliseconds of a day.
const DAY_MS: f64 = 86_400_000.0;
/// Room above and below the values, as a share of their range.
const ROOM: f64 = 0.15;
/// Least range of the y axis, as a share of the greatest value, so that noise does not fill the chart.
const RANGE_MIN: f64 = 0.1;
/// Most dates on the x axis.
const DATES: usize = 6;

/// Returns a figure with a point and an interval for each run, and a line for each level.
pub(crate) fn over_time(trend: &Trend, figure: &TrendFigure) -> Chart {
    let first = trend.runs.first().map_or(0, |run| run.started_unix_ms);
    let days: Vec<f64> = trend.runs.iter().map(|run| (run.started_unix_ms - first) as f64 / DAY_MS).collect();
    let known = || days.iter().zip(&figure.values).filter_map(|(day, value)| Some((*day, (*value)?)));
    let points: Vec<Vec<(f64, f64)>> = known().map(|(day, of)| vec![(day, of.value)]).collect();
    let whiskers = known().map(|(day, of)| (day, of.low, of.high)).collect();
    let nights = Line { whiskers, dots: Dots::Each(Shape::Circle), ..Line::of("a run", Ink::Read, points) };
    let level = |of: &analysis::trend::TrendLevel| {
        vec![(days[of.from], of.level.value), (days[of.to], of.level.value)]
    };
    let known_levels = figure.levels.iter().filter(|_| figure.standing != TrendStanding::TooFew);
    let levels = Line::of("level", Ink::Claim, known_levels.map(level));
    let ends = known().flat_map(|(_, of)| [of.low, of.high]);
    let (low, high) = ends.fold((f64::INFINITY, 0.0_f64), |(low, high), end| (low.min(end), high.max(end)));
    let range = (high - low).max(high * RANGE_MIN);
    let middle = f64::midpoint(low, high);
    let (low, high) = ((middle - range * (0.5 + ROOM)).max(0.0), middle + range * (0.5 + ROOM));
    let stride = trend.runs.len().div_ceil(DATES).max(1);
    let ticks =
        trend.runs.iter().zip(&days).step_by(stride).map(|(run, day)| (*day, date(trend, run))).collect();
    let last = days.last().copied().unwrap_or(1.0).max(f64::MIN_POSITIVE);
    let panel = Panel::of(
        Side::new("date", Axis::with_ticks(0.0, last, ticks)),
        Side::new("", Axis::linear(low, high, 6, |at| value(figure.measure, at))),
        vec![levels, nights],
    );
    Chart::drawn(&name(figure), 300, &[panel], table(trend, figure))
}

fn table(trend: &Trend, figure: &TrendFigure) -> Table {
    let mut table = Table::headed(&["run", "date", "value", "from", "to"]);
    let row = |(run, of): (&analysis::trend::NamedRun, &Option<analysis::Estimate>)| {
        let of = (*of)?;
        let words = |at: f64| value(figure.measure, at);
        Some(vec![run.name.clone(), date(trend, run), words(of.value), words(of.low), words(of.high)])
    };
    table.rows = trend.runs.iter().zip(&figure.values).filter_map(row).collect();
    table
}
