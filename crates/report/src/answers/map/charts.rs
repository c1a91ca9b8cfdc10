//! Charts of a map: heat maps of block size by queue depth, where darker is more and measured cells are bold and
//! underlined; and operations and bytes a second of a full queue against block size, measured or predicted.

use analysis::map::{Basis, DirectionMap, Knee, MapCell};
use analysis::{Analysis, Estimate, MapAnswer, ProcedureAnswer};
use record::Unit;
use workload::Direction;

use super::{Shows, blocks, cell_words, depths, grid};
use crate::charts::chart::Chart;
use crate::charts::drawing::{Across, Canvas, Drawing, Paint, Type, Up, stroke};
use crate::charts::engineering;
use crate::charts::ink::{Ink, UNITS};
use crate::charts::joined::Pen;
use crate::charts::ladders::doubling_axis;
use crate::charts::panel::{Dots, Line, Marker, Panel, Shape, Side};
use crate::words::Table;
use crate::words::numbers::{self, IOPS};
use crate::words::sentence::{capital, plural};

/// Width of the chart, in pixels.
const WIDE: i32 = 920;
/// Width of the chart on a phone, in pixels.
const NARROW: i32 = 440;
/// Height of a row, in pixels.
const ROW: i32 = 22;
/// Room for the names of blocks, in pixels.
const NAMES: i32 = 66;
/// Room for the depths, in pixels.
const HEAD: i32 = 40;
/// Gap between two maps, in pixels.
const APART: i32 = 14;
/// Height of letters in pixels.
const LETTER: i32 = 11;
const SMALL: i32 = 10;
/// Opacity in percent at the least and the greatest rate, light enough for words on it to be readable.
const SHADES: (f64, f64) = (4.0, 55.0);

/// Returns the map of a run; `None` if the run has another answer.
fn answer(analysis: &Analysis) -> Option<&MapAnswer> {
    match analysis.answered.as_ref()? {
        ProcedureAnswer::Map(answer) => Some(answer),
        _ => None,
    }
}

/// Returns I/Os a second by block size and depth, with writes below reads; `None` if the analysis has no map.
pub(crate) fn heat(analysis: &Analysis) -> Option<Chart> {
    let answer = answer(analysis)?;
    let title = "I/Os a second by block size and queue depth";
    let mut table = Table::default();
    answer.directions.iter().for_each(|map| add(&mut table, (answer, map)));
    let (mut canvas, high) = all(answer, WIDE);
    canvas.narrowed(all(answer, NARROW).0, (NARROW, high));
    let description = format!(
        "{title}: the darker the more. Measured cells are bold and underlined, ~ marks what follows from them. The table below has the figures."
    );
    let drawing = Drawing { title: title.to_owned(), description, size: (WIDE, high), canvas };
    (high > 0).then(|| Chart::of(title, drawing, table))
}

/// Draws the maps of all directions, one below another, `wide` pixels across, and returns their height too.
fn all(answer: &MapAnswer, wide: i32) -> (Canvas, i32) {
    let mut canvas = Canvas::default();
    let mut high = 0;
    for map in &answer.directions {
        high += one(&mut canvas, &Room { wide, top: high }, (answer, map));
    }
    (canvas, high)
}

/// Appends the grid of one direction to the table, with a column for the direction.
fn add(table: &mut Table, (answer, map): (&MapAnswer, &DirectionMap)) {
    let own = grid(answer, map, Shows::Rate);
    if table.head.len() < own.head.len() + 1 {
        table.head = std::iter::once("direction".to_owned()).chain(own.head.iter().cloned()).collect();
    }
    let wide = table.head.len();
    let row = |row: Vec<String>| {
        let mut cells = vec![plural(map.direction).to_owned()];
        cells.extend(row);
        cells.resize(wide, String::new());
        cells
    };
    table.rows.extend(own.rows.into_iter().map(row));
    table.rows.iter_mut().for_each(|cells| cells.resize(wide, String::new()));
}

/// Space for one direction, in pixels.
struct Room {
    wide: i32,
    top: i32,
}

/// Draws one direction and returns its height.
fn one(canvas: &mut Canvas, room: &Room, (answer, map): (&MapAnswer, &DirectionMap)) -> i32 {
    let (depths, blocks) = (depths(map), blocks(answer, map));
    let top = room.top;
    let wide = (room.wide - NAMES - 8) / depths.len().max(1) as i32;
    let word = Type::beside(Ink::Word, LETTER);
    let heading = format!("{}, I/Os a second by queue depth", plural(map.direction));
    canvas.words(&heading, spot((8, top + 12)), word.bold());
    for (column, depth) in depths.iter().enumerate() {
        let middle = NAMES + column as i32 * wide + wide / 2;
        canvas.words(&depth.to_string(), spot((middle, top + 30)), word.placed(Across::Middle, Up::Centre));
    }
    let span = span(map);
    for (row, &block) in blocks.iter().enumerate() {
        let y = top + HEAD + row as i32 * ROW;
        let name = word.placed(Across::End, Up::Centre);
        canvas.words(&numbers::block(block as f64), spot((NAMES - 6, y + ROW / 2)), name);
        for (column, &depth) in depths.iter().enumerate() {
            let found = map.cells.iter().find(|cell| cell.block == block && cell.depth == depth);
            let left = NAMES + column as i32 * wide;
            Tile { from: (left, y), to: (left + wide - 2, y + ROW - 2), cell: found }.draw(canvas, span);
        }
    }
    HEAD + blocks.len() as i32 * ROW + APART
}

/// Returns the natural logarithms of the least and the greatest rate.
fn span(map: &DirectionMap) -> (f64, f64) {
    let rates = map.cells.iter().filter_map(|cell| cell.iops).map(|iops| iops.value.max(1.0).ln());
    rates.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), rate| (low.min(rate), high.max(rate)))
}

/// A cell between two corners in pixels.
struct Tile<'m> {
    from: (i32, i32),
    to: (i32, i32),
    cell: Option<&'m MapCell>,
}

impl Tile<'_> {
    /// Draws the cell, shaded by its rate on a logarithmic scale from the least to the greatest.
    fn draw(&self, canvas: &mut Canvas, (low, high): (f64, f64)) {
        let (from, to) = (self.from, self.to);
        let paint = match self.cell.and_then(|cell| cell.iops) {
            Some(rate) => {
                let share = (rate.value.max(1.0).ln() - low) / (high - low).max(f64::MIN_POSITIVE);
                let percent = SHADES.0 + share.clamp(0.0, 1.0) * (SHADES.1 - SHADES.0);
                Paint::Tinted(Ink::Read, percent.round() as u8)
            }
            None => Paint::Filled(Ink::Band),
        };
        canvas.rectangle(spot(from), spot(to), paint);
        let is_measured = self.cell.is_some_and(|cell| cell.basis == Basis::Measured);
        if is_measured {
            canvas.ruled(spot((from.0, to.1)), spot(to), stroke(Ink::Word, 12));
        }
        let words = self.cell.map_or_else(|| "-".to_owned(), |cell| cell_words(cell, Shows::Rate));
        let middle = (i32::midpoint(from.0, to.0), i32::midpoint(from.1, to.1));
        let look = Type::beside(Ink::Word, SMALL).placed(Across::Middle, Up::Centre);
        canvas.words(&words, spot(middle), if is_measured { look.bold() } else { look });
    }
}

fn spot((x, y): (i32, i32)) -> (i32, i32) {
    (x * UNITS, y * UNITS)
}

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
    several.then(|| Chart::drawn(title, 300, &panels, table(&rows)))
}

/// Returns each block size at its greatest measured depth. A measurement at depth 1 counts only if the map has a
/// knee for that size; if no measurement counts, the greatest predicted depth is used.
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
/// predicted one. A line through measured sizes alone would not show the predictions between them.
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

/// Returns markers at the sizes from which the cap on bytes limits instead of the cap on operations; only the
/// second graph labels them.
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
