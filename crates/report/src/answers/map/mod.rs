//! The answer of `plimsoll map` in words: the caps and where they meet, the grid, and the recommended depths.

pub(crate) mod charts;

use analysis::map::{
    Basis, BoundAnswer, CapOfMap, Corner, Cost, Crossing, DirectionMap, DisturbedLoad, HeldBy, Knee, MapCell,
    Row,
};
use analysis::{Charge, Confidence, Estimate, LevelUnit, MapAnswer};

use super::sheet::{Block, Section, Sheet};
use crate::words::Table;
use crate::words::numbers::{self, IOPS, Unit};
use crate::words::sentence::{capital, plural};
use crate::words::table::Columns;
use crate::words::tiles::{Tile, TileFigure};

/// Width of the first column of the grid.
const FIRST: usize = 9;
/// Width of every other column of the grid.
const COLUMN: usize = 7;
/// Width of a column of the rows below the grid.
const ROW: usize = 9;
/// Written in place of a missing figure.
const NONE: &str = "-";

/// Returns the whole answer as a sheet; the verdict is the one on the caps.
pub(super) fn sheet(answer: &MapAnswer) -> Sheet {
    let mut sections: Vec<Section> = answer.directions.iter().map(|map| direction(answer, map)).collect();
    let rest = together(answer);
    if !rest.is_empty() {
        let heading = "Reads beside writes, and order".to_owned();
        sections.push(Section { heading, indent: Some(""), blocks: vec![Block::Items("  ", rest)] });
    }
    sections.extend(answer.cost.as_ref().map(|cost| Section::of("", vec![Block::Note(cost_words(cost))])));
    Sheet { command: "map", verdict: None, tiles: tiles(answer), sections }
}

/// Returns the number of cells measured and the time taken, compared with the whole grid.
fn cost_words(cost: &Cost) -> String {
    let of = |cells: usize, seconds: f64| (numbers::count(cells as f64), numbers::span(seconds));
    let ((cells, took), (grid, whole)) =
        (of(cost.cells, cost.seconds), of(cost.grid_cells, cost.grid_seconds));
    match cost.grid_seconds > cost.seconds {
        true => format!(
            "Measured {cells} cells in {took}, where something turns; the whole grid of {grid} would take about {whole}."
        ),
        false => format!("Measured {cells} cells in {took}, the whole grid of {grid} among them."),
    }
}

fn direction(answer: &MapAnswer, map: &DirectionMap) -> Section {
    let rates = grid(answer, map, Shows::Rate);
    let latencies = grid(answer, map, Shows::Latency);
    let titled =
        |title: &str, table, column| Block::Titled(title.to_owned(), table, Columns::Fixed(FIRST, column));
    let legend = "I/Os a second by queue depth (~ follows from what was measured, - unknown)";
    let on_page = "~ follows from the cells that were measured; - is not known.";
    let blocks = vec![
        Block::Items("  ", lines(map)),
        titled(legend, rates.clone(), COLUMN).in_terminal(),
        titled(&rows_heading(answer), rows(map), ROW),
        titled("I/Os a second by queue depth", rates, COLUMN).on_page(),
        titled("Mean latency by queue depth", latencies, COLUMN).on_page(),
        Block::Note(on_page.to_owned()).on_page(),
    ];
    Section { heading: capital(plural(map.direction)), indent: Some(""), blocks }
}

/// Returns sentences on the caps of one direction, one on each line.
fn lines(map: &DirectionMap) -> Vec<String> {
    let mut lines = vec![caps(map)];
    lines.extend(map.unit.map(|unit| {
        let longer = match unit.charge {
            Charge::Ceil => "a longer I/O counts as several, each unit that is begun as a whole one",
            Charge::Proportional => "a longer I/O counts by its size, as a cap on bytes would count it",
            Charge::Unknown => "a longer I/O counts as several",
        };
        format!("An operation is charged for each {}: {longer}.", numbers::block(unit.bytes as f64))
    }));
    lines.push(crossover(map));
    lines.extend(bend(map));
    lines.extend(disturbed(map));
    lines.extend(map.slo.as_ref().map(slo));
    lines
}

fn caps(map: &DirectionMap) -> String {
    let operations = map.operations.map(|cap| cap_words(&cap, |level| numbers::with_unit(level, IOPS)));
    let bytes = map.bytes.map(|cap| cap_words(&cap, numbers::bandwidth_estimate));
    let told: Vec<String> = operations.into_iter().chain(bytes).collect();
    match told.is_empty() {
        true => "No level was measured.".to_owned(),
        false => format!("{}.", told.join("; ")),
    }
}

fn cap_words(cap: &CapOfMap, level: impl Fn(&Estimate) -> String) -> String {
    let least = if cap.at_least { "at least " } else { "" };
    let held = match cap.held_by {
        HeldBy::Meter => "held by a meter",
        HeldBy::Unit => "what operations of the unit come to",
        HeldBy::Device => "held by a busy device",
        HeldBy::Generator => "held by plimsoll's own depth, bytes in flight or CPU",
        HeldBy::Machine => "held by this machine",
        HeldBy::Bytes => "held by bytes at the smallest block",
        HeldBy::Open => "what holds it is not identified",
    };
    let sure =
        if cap.confidence == Confidence::Possible && cap.held_by != HeldBy::Open { "perhaps " } else { "" };
    format!("{least}{} ({sure}{held})", level(&cap.level))
}

fn crossover(map: &DirectionMap) -> String {
    let Some(Crossing { at, confidence }) = map.crossover else {
        return "Where operations give way to bytes: not shown.".to_owned();
    };
    let sure = if confidence == Confidence::Possible { ", as far as the rates show" } else { "" };
    let unit = Unit { name: "KiB", factor: 1024.0 };
    let corner = match map.corner {
        Corner::Hard { .. } => "the corner is hard".to_owned(),
        Corner::Soft { share, exponent } => {
            format!("the corner is soft: {:.0} % of a hard one, p = {exponent:.1}", 100.0 * share.value)
        }
        Corner::Open { .. } => "hard or soft was not told".to_owned(),
        Corner::NotMeasured => "no block beside it was measured".to_owned(),
    };
    format!("Operations give way to bytes at {} KiB{sure}; {corner}.", numbers::estimate(&at, unit))
}

/// Returns how the rate approaches the cap, if the ladder of depths shows it.
fn bend(map: &DirectionMap) -> Option<String> {
    match map.bend {
        Corner::Hard { .. } => Some("The rate rises with the depth up to the cap: a hard corner.".to_owned()),
        Corner::Soft { share, .. } => Some(format!(
            "Near the cap the rate bends: {:.0} % of it at the depth that should just fill it.",
            100.0 * share.value
        )),
        Corner::Open { .. } | Corner::NotMeasured => None,
    }
}

/// Returns a sentence on the loads that are left out of the levels.
fn disturbed(map: &DirectionMap) -> Option<String> {
    let one = |off: &DisturbedLoad| {
        let why = if off.generator { ", while plimsoll waited for a CPU" } else { "" };
        format!("'{}' ({:.0} % of it{why})", off.step, 100.0 * off.share)
    };
    let all: Vec<String> = map.disturbed.iter().map(one).collect();
    (!all.is_empty())
        .then(|| format!("Left out, since they had less than the others at their level: {}.", all.join(", ")))
}

fn slo(slo: &analysis::Headroom) -> String {
    let rate = |rate: f64| numbers::count(rate);
    match slo.bound {
        analysis::HeadroomBound::Between(found) => format!(
            "{} holds up to {} small I/Os a second that arrive by chance ({} to {}).",
            slo.claim,
            rate(found.value),
            rate(found.low),
            rate(found.high)
        ),
        analysis::HeadroomBound::AtLeast(least) => {
            format!("{} holds at {} small I/Os a second that arrive by chance.", slo.claim, rate(least))
        }
        analysis::HeadroomBound::AtMost(most) => {
            format!("{} does not hold even at {} small I/Os a second by chance.", slo.claim, rate(most))
        }
    }
}

/// Returns sentences on budgets, mixes and order, one on each line.
fn together(answer: &MapAnswer) -> Vec<String> {
    let counted = |counted: LevelUnit| match counted {
        LevelUnit::Operations => "operations",
        LevelUnit::Bytes => "bytes",
    };
    let shared = answer.sharing.iter().map(|sharing| {
        let budget = if sharing.shared { "one budget together" } else { "one budget each" };
        format!("Reads and writes have {budget} of {}.", counted(sharing.counted))
    });
    let mixed = answer.mixtures.iter().filter(|mixture| mixture.depth > 1).map(|mixture| {
        format!(
            "{} % reads of {} at depth {}: {} IOPS ({} and {}).",
            mixture.read_percent,
            numbers::block(mixture.block as f64),
            mixture.depth,
            numbers::count(mixture.iops),
            numbers::estimate(&mixture.of_each[0], IOPS),
            numbers::estimate(&mixture.of_each[1], IOPS),
        )
    });
    let ordered = answer.ordered.iter().map(|ordered| {
        format!(
            "{} {} in order: {} IOPS, at random places {}.",
            capital(plural(ordered.direction)),
            numbers::block(ordered.block as f64),
            numbers::estimate(&ordered.sequential, IOPS),
            numbers::estimate(&ordered.random, IOPS)
        )
    });
    let none = answer.sharing.is_empty() && !answer.mixtures.is_empty();
    let unknown = none.then(|| "Whether reads and writes share a budget: the mixes did not tell.".to_owned());
    // A grid has hundreds of mixes, which its table lists.
    shared.chain(unknown).chain(mixed.take(MIXES_MOST)).chain(ordered).collect()
}

/// Most mixes described in sentences.
const MIXES_MOST: usize = 4;

/// Figure that a grid shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    /// I/Os a second.
    Rate,
    /// Mean latency.
    Latency,
}

/// Returns the depths of a grid: powers of two.
fn depths(map: &DirectionMap) -> Vec<u32> {
    let mut depths: Vec<u32> =
        map.cells.iter().map(|cell| cell.depth).filter(|depth| depth.is_power_of_two()).collect();
    depths.sort_unstable();
    depths.dedup();
    depths
}

/// Returns the block sizes of a grid: powers of two from 4 KiB, and the requested one.
fn blocks(answer: &MapAnswer, map: &DirectionMap) -> Vec<u64> {
    let asked = answer.block.map(|block| block.0);
    let mut blocks: Vec<u64> = map.cells.iter().map(|cell| cell.block).collect();
    blocks.dedup();
    blocks.retain(|block| block.is_power_of_two() && *block >= 4096 || Some(*block) == asked);
    blocks
}

/// Returns the grid of block sizes by depths.
fn grid(answer: &MapAnswer, map: &DirectionMap, shows: Shows) -> Table {
    let depths = depths(map);
    let mut head = vec!["block".to_owned()];
    head.extend(depths.iter().map(u32::to_string));
    let cell = |block: u64, depth: u32| {
        let found = map.cells.iter().find(|cell| cell.block == block && cell.depth == depth);
        found.map_or_else(|| NONE.to_owned(), |cell| cell_words(cell, shows))
    };
    let row = |block: u64| {
        let cells = depths.iter().map(|&depth| cell(block, depth));
        std::iter::once(numbers::block(block as f64)).chain(cells).collect()
    };
    Table { head, rows: blocks(answer, map).into_iter().map(row).collect() }
}

/// Formats a cell's figure; a predicted one is marked with `~`.
fn cell_words(cell: &MapCell, shows: Shows) -> String {
    let mark = if cell.basis == Basis::Predicted { "~" } else { "" };
    let words = match shows {
        Shows::Rate => cell.iops.map(|iops| compact(iops.value)),
        Shows::Latency => cell.latency_ns.filter(|_| cell.iops.is_some()).map(numbers::time),
    };
    words.map_or_else(|| NONE.to_owned(), |words| format!("{mark}{words}"))
}

/// Formats a rate in at most five characters: `840`, `5,000`, `12.4k`, `250k`, `1.25M`.
fn compact(rate: f64) -> String {
    let scaled = |factor: f64, letter: &str| {
        let value = rate / factor;
        let decimals = if value >= 99.95 { 0 } else { 1 };
        format!("{value:.decimals$}{letter}")
    };
    match rate {
        small if small < 99.95 => numbers::figure(small),
        middle if middle < 9_999.5 => numbers::count(middle),
        large if large < 999_500.0 => scaled(1e3, "k"),
        _ => scaled(1e6, "M"),
    }
}

/// Returns the heading of the rows below the grid.
fn rows_heading(answer: &MapAnswer) -> String {
    match answer.p99 {
        Some(p99) => format!("How deep each block may go so that p99 < {p99}, and what comes of it"),
        None => "How deep each block must go for nine tenths of its cap, and what comes of it".to_owned(),
    }
}

/// Returns a row for each block size: the recommended depth, and what it yields.
fn rows(map: &DirectionMap) -> Table {
    let mut table = Table::headed(&["block", "depth", "IOPS", "MiB/s", "mean", "p99", "N*", "N90"]);
    for row in map.rows.iter().filter(|row| row.block.is_power_of_two() && row.block >= 4096 || row.asked) {
        let knee = map.knees.iter().find(|knee| knee.block == row.block);
        let mut cells = vec![block_words(row)];
        cells.extend(advised(row));
        cells.extend(knees(knee));
        table.rows.push(cells);
    }
    table
}

fn block_words(row: &Row) -> String {
    let asked = if row.asked { " *" } else { "" };
    format!("{}{asked}", numbers::block(row.block as f64))
}

/// Returns depth, rates and latencies of a row.
fn advised(row: &Row) -> [String; 5] {
    let none = || NONE.to_owned();
    let Some(cell) = row.cell.filter(|cell| cell.iops.is_some()) else {
        let why = match row.bound {
            Some(BoundAnswer::Nowhere { least }) => format!("not at {least}"),
            Some(BoundAnswer::Open) => "open".to_owned(),
            Some(BoundAnswer::NotMeasured | BoundAnswer::Holds { .. }) | None => none(),
        };
        return [why, none(), none(), none(), none()];
    };
    let mark = if cell.basis == Basis::Predicted { "~" } else { "" };
    let rate = cell.iops.map_or(0.0, |iops| iops.value);
    let mib = rate * cell.block as f64 / 1_048_576.0;
    [
        format!("{mark}{}", cell.depth),
        format!("{mark}{}", numbers::figure(rate)),
        format!("{mark}{}", numbers::figure(mib)),
        cell.latency_ns.map_or_else(none, |ns| format!("{mark}{}", numbers::time(ns))),
        cell.p99_ns.map_or_else(none, |ns| numbers::time(ns as f64)),
    ]
}

/// Returns the depths by Little's law and for nine tenths of the cap.
fn knees(knee: Option<&Knee>) -> [String; 2] {
    let words =
        |depth: Option<Estimate>| depth.map_or_else(|| NONE.to_owned(), |depth| numbers::figure(depth.value));
    [words(knee.and_then(|knee| knee.star)), words(knee.and_then(|knee| knee.ninety))]
}

/// Returns where the caps of a map meet, and the depth that fills them; the caps themselves are rows of the
/// verdict.
fn tiles(answer: &MapAnswer) -> Vec<Tile> {
    let crossing = answer.directions.iter().filter_map(|map| {
        let at = map.crossover?.at.value;
        let what = format!("{}: operations bind below, bytes above", plural(map.direction));
        Some(TileFigure::plain(numbers::block(at), what))
    });
    let depth = answer.directions.iter().filter_map(|map| {
        let knee = map.knees.first()?;
        let star = knee.star?.value.ceil();
        let what = format!("fills {} of {}", plural(map.direction), numbers::block(knee.block as f64));
        Some(TileFigure::plain(numbers::count(star), what)).filter(|_| star >= 1.0)
    });
    let tiles = [Tile::of("Crossover", crossing.collect()), Tile::of("Queue depth", depth.collect())];
    tiles.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_takes_five_letters_at_most() {
        let rates = [0.5, 7.3, 99.0, 840.0, 5_000.0, 9_999.4, 12_400.0, 250_000.0, 1_250_000.0];
        let words = rates.map(compact);
        assert_eq!(words, ["0.50", "7.3", "99", "840", "5,000", "9,999", "12.4k", "250k", "1.2M"]);
        assert!(words.iter().all(|words| words.chars().count() < COLUMN - 1), "with a mark and a blank");
    }
}
