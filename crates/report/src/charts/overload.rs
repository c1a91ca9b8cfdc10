//! The effect of overload: the phases of a series side by side on common scales; and rate, latency and queue
//! against the requested rate.

use analysis::{Latency, LoadFlow, Meaning, SeriesRow};
use record::{Metric, PhaseKind, Unit};
use workload::Nanos;

use super::axis::Axis;
use super::chart::Chart;
use super::definitions::{CHARTS, LineDefinition};
use super::drawing::{Canvas, Type};
use super::engineering;
use super::ink::{Ink, UNITS, width};
use super::joined::Pen;
use super::ladders::rising;
use super::over_time::{claimed_latency, range, time_axis, with_levels};
use super::panel::{Dots, LETTER, Level, Line, MARGIN, Panel, Shape, Side, WIDTH};
use super::panels::{Sheet, draw_sheet};
use super::view::View;
use crate::words::Table;
use crate::words::numbers;

/// Least width of the column of one scale, and height of a row of panels, in pixels.
const CELL: (i32, i32) = (230, 170);
/// Height of a row of the key above the panels, in pixels.
const KEY: i32 = 20;

/// A row of panels: lines of the device that carries the load.
struct Row {
    unit: Unit,
    title: &'static str,
    lines: &'static [LineDefinition],
}

/// A phase of the series: the heading above its panels, and its time span.
struct Column {
    scale: String,
    from: Nanos,
    to: Nanos,
}

const ROWS: [Row; 3] = [
    Row {
        unit: Unit::PerSecond,
        title: "IOPS",
        lines: &[
            LineDefinition::Device(Metric::ReadOps, "r/s", Ink::Read),
            LineDefinition::Device(Metric::WriteOps, "w/s", Ink::Write),
        ],
    },
    Row {
        unit: Unit::Seconds,
        title: "latency",
        lines: &[
            LineDefinition::Device(Metric::ReadAwait, "r_await", Ink::Read),
            LineDefinition::Device(Metric::WriteAwait, "w_await", Ink::Write),
        ],
    },
    Row {
        unit: Unit::Count,
        title: "queue",
        lines: &[LineDefinition::Device(Metric::QueueDepth, "aqu-sz", Ink::Queue)],
    },
];

impl View<'_> {
    fn series(&self) -> &[SeriesRow] {
        self.analysis.watched.as_ref().map_or(&[], |watched| &watched.series)
    }

    /// Returns the load phases of the series side by side: a column for each scale, and a row each for rate,
    /// latency and queue, in which the panels share a y axis. `None` without a series.
    pub fn overload(&self) -> Option<Chart> {
        let columns: Vec<Column> = self.series().iter().filter_map(|row| self.column(row)).collect();
        if columns.len() < 2 {
            return None;
        }
        let device = self.analysis.watched.as_ref()?.load_device.as_ref()?.name.clone();
        let panels: Vec<Panel> =
            ROWS.iter().flat_map(|row| self.common_row(row, &columns, &device)).collect();
        let title = format!("{}: each share of the nominal rate side by side", self.name_of(&device));
        let description = format!("{title}, on common scales. The table below has the figures.");
        let all: Vec<Level> = ROWS.iter().flat_map(|row| self.row_levels(row.unit, &device)).collect();
        // At least as wide as other charts: a page scales all charts to one width, which would enlarge a narrow
        // one.
        let column = CELL.0.max(WIDTH / columns.len() as i32);
        let sheet = Sheet {
            title: &title,
            description: &description,
            head: level_key(&all, column * columns.len() as i32),
            cell: (column, CELL.1),
            columns: columns.len(),
        };
        Some(Chart::of(&title, draw_sheet(sheet, &panels), self.series_table()))
    }

    /// Returns the column of a scale, from its first phase.
    fn column(&self, row: &SeriesRow) -> Option<Column> {
        let name = row.phases.first()?;
        let phase = self.run.phases.iter().find(|phase| phase.name == *name)?;
        let scale = match phase.kind {
            PhaseKind::Load { .. } => numbers::share(row.scale),
            _ => phase.name.clone(),
        };
        Some(Column { scale, from: phase.from, to: phase.to })
    }

    fn common_row(&self, row: &Row, columns: &[Column], device: &str) -> Vec<Panel> {
        let lines = |column: &Column| {
            let part = |line| self.part(line, device, (column.from, column.to));
            row.lines.iter().filter_map(part).collect()
        };
        let drawn: Vec<Vec<Line>> = columns.iter().map(lines).collect();
        let top = drawn.iter().map(|lines| Panel::top(lines)).fold(0.0, f64::max);
        // No panel has room for the labels of the levels; the key above all panels has them.
        let levels: Vec<Level> = self
            .row_levels(row.unit, device)
            .into_iter()
            .map(|level| Level { label: String::new(), ..level })
            .collect();
        let top = levels.iter().map(|level| level.value).fold(top, f64::max);
        let panel = |(lines, column): (Vec<Line>, &Column)| Panel {
            heading: format!("{}: {}", column.scale, row.title),
            levels: levels.clone(),
            ..Panel::of(
                Side::new(
                    "seconds of the phase",
                    Axis::linear(0.0, column.to.since(column.from).as_secs_f64(), 4, numbers::figure),
                ),
                Side::new(String::new(), engineering::axis(row.unit, top * 1.08, 4)),
                lines,
            )
        };
        drawn.into_iter().zip(columns).map(panel).collect()
    }

    /// Returns the levels claimed and measured for a row's quantity, the same as in the charts of the device.
    fn row_levels(&self, unit: Unit, device: &str) -> Vec<Level> {
        let id = match unit {
            Unit::PerSecond => "iops",
            Unit::Seconds => "latency",
            _ => return Vec::new(),
        };
        let definition = CHARTS.iter().find(|chart| chart.id == id);
        definition.map_or_else(Vec::new, |definition| self.levels(definition, unit, device))
    }

    /// Returns a line's intervals within a phase, in seconds since the phase started.
    fn part(&self, line: &LineDefinition, device: &str, (from, to): (Nanos, Nanos)) -> Option<Line> {
        let values = line.values(&self.recording, device)?;
        let inside = self.recording.intervals().iter().zip(values);
        let inside = inside.filter(|((start, end), _)| *start >= from && *end <= to);
        let at = |start: Nanos, end: Nanos| (start.since(from) + end.since(from)).as_secs_f64() / 2.0;
        let points: Vec<(f64, f64)> = inside.map(|((start, end), value)| (at(*start, *end), value)).collect();
        let segments = points.split(|point| point.1.is_nan()).map(<[(f64, f64)]>::to_vec);
        Some(Line::of(line.name(), line.ink(), segments.filter(|segment| !segment.is_empty())))
    }

    /// Returns rate, latency and queue against the requested rate; `None` without a series.
    pub fn summary(&self) -> Option<Chart> {
        let series = self.series();
        let asked: Vec<f64> = series.iter().filter_map(|row| row.load.all.asked).collect();
        if asked.len() != series.len() || asked.len() < 2 {
            return None;
        }
        let x = || asked_axis(&asked);
        let panels =
            [self.got_panel(&asked, x()), self.latency_panel(&asked, x())?, self.queue_panel(&asked, x())];
        let title = "What was asked and what came: rate, latency and queue";
        Some(Chart::drawn(title, 280, &panels, self.series_table()))
    }

    fn got_panel(&self, asked: &[f64], x: Axis) -> Panel {
        let got = |flow: &LoadFlow| flow.got.as_ref().map_or(f64::NAN, |got| got.value);
        let none = LoadFlow::default();
        let way = |name: &str, ink, of: &dyn Fn(&SeriesRow) -> f64| self.by_asked(asked, (name, ink), of);
        let lines = vec![
            way("read", Ink::Read, &|row| got(row.load.read.as_ref().unwrap_or(&none))),
            way("write", Ink::Write, &|row| got(row.load.write.as_ref().unwrap_or(&none))),
            way("both", Ink::Queue, &|row| got(&row.load.all)),
        ];
        let device = self.analysis.watched.as_ref().and_then(|watched| watched.load_device.as_ref());
        let levels = device.map_or_else(Vec::new, |place| self.row_levels(Unit::PerSecond, &place.name));
        let mut panel = panel("IOPS", x, rising(&lines, &levels), lines);
        panel.levels = levels;
        panel.lines.retain(|line| !line.is_empty());
        panel
    }

    fn latency_panel(&self, asked: &[f64], x: Axis) -> Option<Panel> {
        let mean = |row: &SeriesRow| row.load.all.due.mean_ns.unwrap_or(f64::NAN);
        let tail = |row: &SeriesRow| row.load.all.due.at(99.0).map_or(f64::NAN, |time| time as f64);
        let device = |row: &SeriesRow| row.await_ns.unwrap_or(f64::NAN);
        let lines = vec![
            self.by_asked(asked, ("mean", Ink::Read), &mean),
            self.by_asked(asked, ("p99", Ink::ReadTail), &tail),
            self.by_asked(asked, ("device", Ink::Flush), &device),
        ];
        let (low, high) = range(lines.iter().flat_map(Line::points).map(|point| point.1))?;
        let levels = claimed_latency(self.run, self.analysis);
        let (low, high) = with_levels((low, high), &levels);
        let panel = panel("latency, from due to done", x, time_axis(low, high), lines);
        Some(Panel { levels, ..panel })
    }

    fn queue_panel(&self, asked: &[f64], x: Axis) -> Panel {
        let lines = vec![
            self.by_asked(asked, ("in flight", Ink::Write), &|row| row.load.in_flight),
            self.by_asked(asked, ("aqu-sz", Ink::Queue), &|row| row.queue.unwrap_or(f64::NAN)),
        ];
        panel("queue", x, rising(&lines, &[]), lines)
    }

    fn by_asked(&self, asked: &[f64], (name, ink): (&str, Ink), of: &dyn Fn(&SeriesRow) -> f64) -> Line {
        let points = asked.iter().zip(self.series()).map(|(at, row)| (*at, of(row)));
        let shape = match ink {
            Ink::Read => Shape::Circle,
            Ink::Write => Shape::Square,
            _ => Shape::Triangle,
        };
        let mut points: Vec<_> = points.filter(|point| point.1.is_finite()).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Line { dots: Dots::Each(shape), ..Line::of(name, ink, Pen::around(self.bends()).strokes(&points)) }
    }

    /// Returns the rates at which the device is throttled: up to such a rate it delivers the requested rate, beyond
    /// it no more.
    fn bends(&self) -> Vec<f64> {
        let held = self.analysis.findings.iter().filter_map(|finding| match &finding.meaning {
            Meaning::ThrottledAboveNominal(found) if !found.bytes => Some(found.level.all.value),
            _ => None,
        });
        held.collect()
    }

    fn series_table(&self) -> Table {
        let mut table = Table::headed(&[
            "of nominal",
            "asked",
            "IOPS",
            "mean latency",
            "p99",
            "within the bound",
            "in flight",
            "aqu-sz",
            "device's latency",
        ]);
        let unknown = || numbers::UNKNOWN.to_owned();
        let figure = |value: Option<f64>| value.map_or_else(unknown, numbers::figure);
        let time = |value: Option<f64>| value.map_or_else(unknown, numbers::time);
        for row in self.series() {
            let all = &row.load.all;
            let due: &Latency = &all.due;
            table.rows.push(vec![
                numbers::share(row.scale),
                all.asked.map_or_else(unknown, numbers::iops),
                all.got.as_ref().map_or_else(unknown, |got| numbers::estimate(got, numbers::IOPS)),
                time(due.mean_ns),
                time(due.at(99.0).map(|time| time as f64)),
                due.within.map_or_else(unknown, numbers::share),
                figure(Some(row.load.in_flight)),
                figure(row.queue),
                time(row.await_ns),
            ]);
        }
        table
    }
}

/// Draws the labels of the levels, each in its ink, in as many rows as they need, and returns their height too.
fn level_key(levels: &[Level], wide: i32) -> (Canvas, i32) {
    let mut key = Canvas::default();
    let (mut left, mut high) = (MARGIN, if levels.is_empty() { 0 } else { KEY });
    for level in levels {
        let words = format!("— {}", level.label);
        let long = width(&words, LETTER);
        if left > MARGIN && left + long > wide - MARGIN {
            (left, high) = (MARGIN, high + KEY);
        }
        key.words(&words, (left * UNITS, (high - 5) * UNITS), Type::from(level.ink, LETTER));
        left += long + 3 * MARGIN;
    }
    (key, high)
}

/// Most labels such as `0.5 k` that fit below a third of a chart.
const TICKS_MAX: usize = 6;
/// Least factor between two such ticks.
const APART_MIN: f64 = 1.6;
/// Factor of empty space beyond the least and the greatest rate.
const SPACE: f64 = 1.3;

/// Returns a logarithmic axis of the requested rates, which rise by factors: a tick at each rate, or at 1, 2 and 5
/// times powers of ten if the rates are too close together.
fn asked_axis(asked: &[f64]) -> Axis {
    let Some((low, high)) = range(asked.iter().copied()) else {
        return Axis::linear(0.0, 1.0, 4, numbers::figure);
    };
    let mut places = asked.to_vec();
    places.sort_by(f64::total_cmp);
    let are_apart = places.len() <= TICKS_MAX && places.windows(2).all(|pair| pair[1] >= pair[0] * APART_MIN);
    if !are_apart {
        let powers = (-3..16).flat_map(|power| [1.0, 2.0, 5.0].map(|step| step * 10f64.powi(power)));
        places = powers.collect();
    }
    let label = |value: f64| match high >= 1e3 {
        true => format!("{} k", numbers::trimmed(value / 1e3)),
        false => numbers::trimmed(value),
    };
    let ticks = places.into_iter().map(|value| (value, label(value))).collect();
    Axis::logarithmic(low / SPACE, high * SPACE, ticks).thinned(TICKS_MAX)
}

fn panel(title: &str, x: Axis, y: Axis, lines: Vec<Line>) -> Panel {
    Panel::of(Side::new("asked, I/Os a second", x), Side::new(title, y), lines)
}
