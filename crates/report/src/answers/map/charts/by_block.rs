//! The two graphs of a map: operations and bytes a second of a full queue against block size, measured or
//! predicted.

use analysis::map::{Basis, DirectionMap, Knee, MapCell};
use analysis::{Analysis, Estimate};
use record::Unit;
use workload::Direction;

use super::heat::answer;
use crate::charts::chart::{Chart, figures_below};
use crate::charts::engineering;
use crate::charts::ink::Ink;
use crate::charts::joined::Pen;
use crate::charts::ladders::doubling_axis;
use crate::charts::panel::{Dots, Line, Marker, Panel, Shape, Side};
use crate::charts::panels::draw;
use crate::words::Table;
use crate::words::numbers::{self, IOPS};
use crate::words::sentence::{capital, plural};

/// One block size at its greatest depth.
struct Full {
    block: u64,
    depth: u32,
    iops: Estimate,
    basis: Basis,
}

/// Returns the two published graphs against block size (method 4.3); `None` without a map or with only one block
/// size.
pub(crate) fn by_block(analysis: &Analysis) -> Option<Chart> {
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

/// Returns each block size at its greatest measured depth. A measurement at depth 1 counts only if the map has a
/// knee for that size; without one that counts, the greatest predicted depth is taken.
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

/// Returns a line through all neighbouring block sizes, with a dot at each measured one and a ring at each
/// predicted one. A line through the measured ones alone would miss what the map predicts between them.
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

/// Returns markers where the cap on operations gives way to the cap on bytes, labelled in the second graph only.
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
