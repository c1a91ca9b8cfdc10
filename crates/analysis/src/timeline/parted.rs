//! A fall that loads of one shape show by two levels that do not overlap, where waits for a CPU leave too few samples for a
//! level.

use statistics::parted::{Bounded, Parting, parted};
use statistics::quantile::median;
use statistics::segments::{Rule, Segment};

use super::level_change::Move;
use super::levels::Levels;
use super::moves::{LoadRate, by_bytes};
use super::spells::Spell;

/// Quartiles of normal noise are so many standard deviations apart.
const QUARTILES_APART: f64 = 1.349;
/// Share within which a cell is at the lower level.
const AT: f64 = 0.1;

/// Returns the fall that loads of one shape show best, and the noise of the lower level.
pub(crate) fn parting(levels: &Levels<'_>, rule: &Rule) -> Option<(Move, f64)> {
    let spells = levels.spells;
    let alike = |a: &Spell, b: &Spell| a.shape == b.shape && a.direction == b.direction && b.comparable;
    let first = |number: &usize| spells[..*number].iter().all(|one| !alike(&spells[*number], one));
    let of_shape = |number: usize| {
        let of: Vec<&Spell> = spells.iter().filter(|one| alike(&spells[number], one)).collect();
        let cells: Vec<Bounded> = of.iter().flat_map(|spell| spell.bounded.iter().copied()).collect();
        let found = parted(&cells, rule.least)?;
        Some((as_move(&cells, &found, of.first()?), found))
    };
    let all = (0..spells.len()).filter(first).filter_map(of_shape);
    let (one, found) = all.max_by(|a, b| a.0.ratio.abs().total_cmp(&b.0.ratio.abs()))?;
    let [low, _, high] = found.lower;
    let noise = (high / low.max(f64::MIN_POSITIVE)).ln() / QUARTILES_APART;
    Some((Move { bytes: by_bytes(spells.iter().filter_map(load_rate), &one), ..one }, noise))
}

fn load_rate(spell: &Spell) -> Option<LoadRate> {
    let (first, last) = (spell.bounded.first()?, spell.bounded.last()?);
    let rates: Vec<f64> = spell.bounded.iter().map(|cell| cell.low).collect();
    let (rate, bytes_each, direction) = (median(&rates)?, spell.bytes_each, spell.direction);
    Some(LoadRate { from: first.from, to: last.to, direction, bytes_each, rate, bytes: rate * bytes_each })
}

fn as_move(cells: &[Bounded], found: &Parting, of: &Spell) -> Move {
    let (before, after) = cells.split_at(found.at);
    let is_upper = |cell: &&Bounded| found.shows(cell.depth) && cell.high > found.middle;
    // What a load gets before that, beside waits of all processors, may be of either level.
    let [least, _, most] = found.lower;
    let is_lower = |cell: &&Bounded| cell.high >= least * (1.0 - AT) && cell.low <= most * (1.0 + AT);
    let last = before.iter().rev().find(is_upper).unwrap_or(&cells[found.at - 1]);
    let first = after.iter().find(is_lower).unwrap_or(&cells[found.at]);
    let levels = [
        level(before.iter().filter(is_upper), found.upper),
        level(after.iter().filter(|cell| cell.low < found.middle), found.lower),
    ];
    let share = |level: &Segment| level.half_width / level.level.max(f64::MIN_POSITIVE);
    Move {
        at: 0.5 * (last.to + first.from),
        low: last.from,
        high: first.to,
        ratio: (levels[1].level / levels[0].level).ln(),
        error: share(&levels[0]).hypot(share(&levels[1])),
        levels,
        bytes_each: of.bytes_each,
        bytes: false,
        direction: of.direction,
    }
}

/// Returns the mean of the cells of a level, known as well as these are even.
fn level<'c>(cells: impl Iterator<Item = &'c Bounded>, [low, middle, high]: [f64; 3]) -> Segment {
    let cells: Vec<&Bounded> = cells.collect();
    let seconds = |cell: &&Bounded| cell.to - cell.from;
    let whole: f64 = cells.iter().map(seconds).sum();
    let sum: f64 = cells.iter().map(|cell| cell.low * seconds(cell)).sum();
    let from = cells.first().map_or(0.0, |cell| cell.from);
    let to = cells.last().map_or(from, |cell| cell.to);
    Segment { from, to, level: if whole > 0.0 { sum / whole } else { middle }, half_width: high - low }
}
