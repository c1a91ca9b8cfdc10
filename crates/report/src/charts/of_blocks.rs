//! The two graphs of a map: operations and bytes a second of a full queue against the block size, as measured, with what the
//! caps say between.

use analysis::mapped::{Basis, DirectionMap, Knee, MapCell};
use analysis::{Analysis, Estimate};
use record::Unit;
use workload::Direction;

use super::chart::{Chart, figures_below};
use super::engineering;
use super::heat::answer;
use super::ink::Ink;
use super::joined::Pen;
use super::ladders::doubling_axis;
use super::panel::{Dots, Line, Marker, Panel, Shape, Side};
use super::panels::draw;
use crate::words::Table;
use crate::words::numbers::{self, IOPS};
use crate::words::sentence::{capital, plural};

/// One block at its deepest.
struct Full {
    block: u64,
    depth: u32,
    iops: Estimate,
    basis: Basis,
}

/// The two published graphs, against the block size (method 4.3); `None` without a map or with one block
/// alone.
pub(super) fn by_block(analysis: &Analysis) -> Option<Chart> {
    let answer = answer(analysis)?;
    let rows: Vec<(&DirectionMap, Vec<Full>)> =
        answer.directions.iter().map(|map| (map, full(map))).collect();
    let blocks = || rows.iter().flat_map(|(_, full)| full.iter().map(|full| full.block as f64));
    let x = doubling_axis(blocks(), numbers::block)?;
    let several = rows.iter().any(|(_, full)| full.len() > 1);
    let panel = |unit: Unit, title: &str, each: fn(&Full) -> f64| {
        let lines: Vec<Line> = rows.iter().flat_map(|(map, full)| lines(map, full, each)).collect();
        let top = Panel::top(&lines);
        Panel {
            markers: markers(&rows, unit),
            ..Panel::of(
                Side::new("block size", x.clone()),
                Side::new(title, engineering::axis(unit, top * 1.08, 5)),
                lines,
            )
        }
    };
    let panels = [
        panel(Unit::PerSecond, "operations a second, full queue", |_| 1.0),
        panel(Unit::BytesPerSecond, "bytes a second, full queue", |full| full.block as f64),
    ];
    let title = "Rate and bandwidth of a full queue by block size";
    several.then(|| Chart::of(title, draw(title, &figures_below(title), 300, &panels), table(&rows)))
}

/// Each block at the depth that was measured deepest, or where none was that the map tells deepest.
fn full(map: &DirectionMap) -> Vec<Full> {
    let of_block = |cells: &[MapCell]| {
        let deepest = |basis: Basis| {
            let of_basis = cells.iter().rev().filter(move |cell| cell.basis == basis);
            of_basis.filter_map(|cell| Some((cell, cell.iops?))).next()
        };
        let knee = |cell: &MapCell| map.knees.iter().any(|knee: &Knee| knee.block == cell.block);
        let measured = deepest(Basis::Measured).filter(|(cell, _)| cell.depth > 1 || knee(cell));
        let (cell, iops) = measured.or_else(|| deepest(Basis::Predicted))?;
        Some(Full { block: cell.block, depth: cell.depth, iops, basis: cell.basis })
    };
    map.cells.chunk_by(|a, b| a.block == b.block).filter_map(of_block).collect()
}

/// A line through all blocks that are neighbours, with a dot at each that was measured and a ring at the others: through the measured ones alone it
/// would lead past what follows for those between.
fn lines(map: &DirectionMap, full: &[Full], each: fn(&Full) -> f64) -> Vec<Line> {
    let direction = map.direction;
    let pen = Pen::around(map.crossover.map(|crossing| crossing.at.value));
    let (ink, other, shape, hollow) = match direction {
        Direction::Read => (Ink::Read, Ink::ReadMerged, Shape::Circle, Shape::Ring),
        _ => (Ink::Write, Ink::WriteMerged, Shape::Square, Shape::Frame),
    };
    let of = |basis: Basis| full.iter().filter(move |full| full.basis == basis);
    let at = |full: &Full| (full.block as f64, full.iops.value * each(full));
    let measured: Vec<Vec<(f64, f64)>> = of(Basis::Measured).map(|full| vec![at(full)]).collect();
    let whisker = |full: &Full| (full.block as f64, full.iops.low * each(full), full.iops.high * each(full));
    let mut lines = vec![
        Line { dots: Dots::None, ..Line::of("", ink, pen.strokes(&full.iter().map(at).collect::<Vec<_>>())) },
        Line {
            whiskers: of(Basis::Measured).map(whisker).collect(),
            dots: Dots::Each(shape),
            ..Line::of(plural(direction), ink, measured)
        },
    ];
    let predicted: Vec<Vec<(f64, f64)>> = of(Basis::Predicted).map(|full| vec![at(full)]).collect();
    if !predicted.is_empty() {
        let name = format!("{}, not measured", plural(direction));
        lines.push(Line {
            whiskers: of(Basis::Predicted).map(whisker).collect(),
            dots: Dots::Each(hollow),
            ..Line::of(&name, other, predicted)
        });
    }
    lines
}

/// Where operations give way to bytes, written in the second graph.
fn markers(rows: &[(&DirectionMap, Vec<Full>)], unit: Unit) -> Vec<Marker> {
    let mut markers: Vec<Marker> = Vec::new();
    for (map, _) in rows {
        let Some(at) = map.crossover.map(|crossing| crossing.at) else { continue };
        let label = format!("{} cross at {}", plural(map.direction), numbers::block(at.value));
        let label = if unit == Unit::BytesPerSecond { label } else { String::new() };
        markers.push(Marker { at: at.value, label });
    }
    markers
}

fn table(rows: &[(&DirectionMap, Vec<Full>)]) -> Table {
    let mut table = Table::headed(&["direction", "block", "depth", "IOPS", "MiB/s", "from"]);
    for (map, full) in rows {
        for full in full {
            let basis = if full.basis == Basis::Measured { "measured" } else { "follows" };
            table.rows.push(vec![
                capital(plural(map.direction)),
                numbers::block(full.block as f64),
                full.depth.to_string(),
                numbers::estimate(&full.iops, IOPS),
                numbers::figure(full.iops.value * full.block as f64 / 1_048_576.0),
                basis.to_owned(),
            ]);
        }
    }
    table
}
