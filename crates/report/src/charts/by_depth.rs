//! Operations and bytes a second against queue depth, with a line for each block size. The charts show from which
//! depth on more depth no longer helps.

use analysis::{Cell, Point, cells};
use record::{Run, Unit};
use workload::Direction;

use super::chart::Chart;
use super::engineering;
use super::ink::Ink;
use super::joined::Pen;
use super::ladders::doubling_axis;
use super::panel::{Dots, Line, Panel, Shape, Side};
use crate::words::Table;
use crate::words::numbers;
use crate::words::sentence::plural;

/// Line styles, as many as a reader can distinguish.
const STYLES: [(Ink, Shape); 6] = [
    (Ink::Read, Shape::Circle),
    (Ink::Write, Shape::Square),
    (Ink::Discard, Shape::Triangle),
    (Ink::ReadMerged, Shape::Ring),
    (Ink::WriteMerged, Shape::Frame),
    (Ink::DiscardMerged, Shape::Cross),
];

/// Block sizes of the published graphs (method 4.3): the last to be dropped if there are too many lines.
const PUBLISHED: [u64; 2] = [4 << 10, 256 << 10];

/// Work that the points of a line share. A mix is kept apart from pure reads or writes, because it is not the work
/// of one direction alone.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Work {
    block: u64,
    direction: Direction,
    sequential: bool,
    read_percent: u8,
    /// Whether the I/O bypasses the page cache.
    direct: bool,
}

/// One kind of work at several depths.
struct Row {
    work: Work,
    /// Depth, operations a second and bytes a second, in ascending order of depth.
    points: Vec<(f64, f64, f64)>,
}

/// Returns the two graphs of a run that tried several block sizes at several depths. `None` if there is only one
/// block size, which has its ladder chart, or if no block size has two neighbouring depths: the cells of a profile
/// are not a ladder, and their table has everything.
pub fn by_depth(run: &Run) -> Option<Chart> {
    let rows = rows(&cells(run));
    let climbs =
        |row: &Row| Pen::default().strokes(&places(row, |_| 0.0)).iter().any(|stroke| stroke.len() > 1);
    if rows.iter().all(|row| row.work.block == rows[0].work.block) || !rows.iter().any(climbs) {
        return None;
    }
    let depths = || rows.iter().flat_map(|row| row.points.iter().map(|point| point.0));
    let x = doubling_axis(depths(), numbers::count)?;
    let panel = |unit: Unit, title: &str, of: fn(&(f64, f64, f64)) -> f64| {
        let lines: Vec<Line> = rows.iter().zip(STYLES).map(|(row, style)| line(row, style, of)).collect();
        let values = lines.iter().flat_map(Line::points).map(|point| point.1);
        let top = values.fold(0.0, f64::max);
        Panel::of(
            Side::new("queue depth (I/Os in flight)", x.clone()),
            Side::new(title, engineering::axis(unit, top * 1.08, 5)),
            lines,
        )
    };
    let panels = [
        panel(Unit::PerSecond, "operations a second", |point| point.1),
        panel(Unit::BytesPerSecond, "bytes a second", |point| point.2),
    ];
    let title = "Rate and bandwidth by queue depth and block size";
    Some(Chart::drawn(title, 300, &panels, table(&rows)))
}

fn name(row: &Row) -> String {
    let Work { block, direction, sequential, read_percent, direct } = row.work;
    let order = if sequential { "sequential " } else { "" };
    let cached = if direct { "" } else { ", page cache" };
    let mix = match read_percent {
        0 | 100 => String::new(),
        percent => format!(" of {percent}/{}", 100 - percent),
    };
    format!("{} {order}{}{mix}{cached}", numbers::block(block as f64), plural(direction))
}

/// Groups the unpaced cells without flushes by block size, direction and order.
fn rows(cells: &[Cell]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let closed =
        cells.iter().filter(|cell| cell.pattern.offered.is_none() && cell.pattern.flush_every.is_none());
    for cell in closed {
        cell.directions.iter().for_each(|point| add(&mut rows, cell, point));
    }
    rows.iter_mut().for_each(|row| row.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    rows.retain(|row| row.points.windows(2).any(|pair| pair[0].0 < pair[1].0));
    rows.sort_by_key(|row| (!PUBLISHED.contains(&row.work.block), row.work.direction, row.work.block));
    rows.truncate(STYLES.len());
    rows.sort_by_key(|row| (row.work.direction, row.work.block));
    rows
}

fn add(rows: &mut Vec<Row>, cell: &Cell, point: &Point) {
    let work = Work {
        block: point.block,
        direction: point.direction,
        sequential: cell.pattern.sequential,
        read_percent: cell.pattern.read_percent,
        direct: cell.pattern.direct,
    };
    let value = (f64::from(point.depth), point.iops.value, point.bytes_per_second.value);
    match rows.iter_mut().find(|row| row.work == work) {
        Some(row) => row.points.push(value),
        None => rows.push(Row { work, points: vec![value] }),
    }
}

fn line(row: &Row, (ink, shape): (Ink, Shape), of: fn(&(f64, f64, f64)) -> f64) -> Line {
    Line { dots: Dots::Each(shape), ..Line::of(&name(row), ink, Pen::default().strokes(&places(row, of))) }
}

fn places(row: &Row, of: fn(&(f64, f64, f64)) -> f64) -> Vec<(f64, f64)> {
    row.points.iter().map(|point| (point.0, of(point))).collect()
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::headed(&["work", "depth", "IOPS", "bandwidth"]);
    for row in rows {
        for (depth, iops, bytes) in &row.points {
            table.rows.push(vec![
                name(row),
                numbers::count(*depth),
                numbers::figure(*iops),
                numbers::bandwidth(*bytes, numbers::Prefix::Binary),
            ]);
        }
    }
    table
}
