//! Sides that stray by themselves, as slowly as the comparison lasts: the blocks then repeat each other, and intervals
//! that assume them independent are too narrow.

use statistics::wander::{Level, levels};

use super::ratio::{Basis, Pairs, Ratio};
use super::row::{Measure, Row};
use crate::significance::{ALPHA, POWER_QUANTILE, of_one_load};

/// Probability above which a side is reported to stray.
const LIKELY: f64 = 0.5;

/// One measure of one side under each load, block by block, relative to the first side.
struct Group {
    side: usize,
    /// Indices of the rows with the measure.
    rows: Vec<usize>,
    /// The logarithms of the ratios, one series per row.
    logs: Vec<Vec<f64>>,
}

/// Widens the intervals of `rows` by how much a side may have strayed. The loads of a comparison run on the same
/// volume, so their common movement from block to block distinguishes straying from noise. Rows of several comparisons
/// have their own unit and are left unchanged.
pub(super) fn widen(rows: &mut [Row], looks: usize, loads: usize) {
    let of_look = Look { alpha: ALPHA / looks.max(1) as f64, looks: looks.max(1) as f64, loads };
    for group in groups(rows) {
        let Some(found) = levels(&group.logs) else { continue };
        for (row, level) in group.rows.iter().zip(found) {
            if let Some(ratio) = rows[*row].ratios[group.side].as_mut() {
                of_look.weaken(ratio, &level);
            }
        }
    }
}

fn groups(rows: &[Row]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        for (side, logs) in series(row) {
            let beside = |group: &&mut Group| {
                let same = is_alike(rows[group.rows[0]].measure, row.measure);
                group.side == side && same && group.logs[0].len() == logs.len()
            };
            match groups.iter_mut().find(beside) {
                Some(group) => {
                    group.rows.push(at);
                    group.logs.push(logs);
                }
                None => groups.push(Group { side, rows: vec![at], logs: vec![logs] }),
            }
        }
    }
    groups
}

/// Whether two measures are one figure in two units, as operations and bytes per second are.
fn is_alike(one: Measure, other: Measure) -> bool {
    one == other || !(one.is_latency() || other.is_latency())
}

/// Returns the logarithms of each side's ratios to the first, block by block, with the side's number; none for a ratio
/// of several comparisons, or without noise.
fn series(row: &Row) -> Vec<(usize, Vec<f64>)> {
    let Some(first) = row.figures.first().and_then(Option::as_ref) else { return Vec::new() };
    let of_one = |ratio: &Option<Ratio>| {
        let is_one = |ratio: &Ratio| ratio.pairs.is_some_and(|pairs| pairs.comparisons == 1);
        // An exact rate that held throughout does not stray, whatever its turns do.
        ratio.as_ref().is_some_and(|ratio| is_one(ratio) && ratio.basis != Basis::ExactRates)
    };
    let others = row.figures.iter().zip(&row.ratios).enumerate().filter(|(_, (_, ratio))| of_one(ratio));
    let logs = others.filter_map(|(side, (figure, _))| {
        let runs = &figure.as_ref()?.runs;
        let logs: Vec<f64> = runs.iter().zip(&first.runs).map(|(b, a)| (b / a).ln()).collect();
        let moves = logs.windows(2).any(|pair| pair[0] != pair[1]);
        moves.then_some((side, logs))
    });
    logs.collect()
}

/// One look at the blocks, with its share of the allowed error.
struct Look {
    alpha: f64,
    looks: f64,
    loads: usize,
}

impl Look {
    fn weaken(&self, ratio: &mut Ratio, level: &Level) {
        let wider = |interval: (f64, f64), alpha: f64| {
            let (low, high) = level.within(1.0 - alpha);
            (interval.0.min(low.exp()), interval.1.max(high.exp()))
        };
        ratio.interval = ratio.interval.map(|interval| wider(interval, self.alpha));
        let Some(pairs) = &mut ratio.pairs else { return };
        pairs.equivalence = pairs.equivalence.map(|interval| wider(interval, 2.0 * self.alpha));
        pairs.p = pairs.p.max((level.p() * self.looks).min(1.0));
        (pairs.wanders, pairs.strays_slowly) = (level.wanders(), level.wanders() > LIKELY);
        self.shows(pairs, level);
    }

    /// Raises the detectable difference to half the interval by which one load alone is judged, plus the difference's
    /// straying.
    fn shows(&self, pairs: &mut Pairs, level: &Level) {
        let (low, high) = level.within(1.0 - of_one_load(self.alpha, self.loads));
        let reach = f64::midpoint(high, -low) + POWER_QUANTILE * level.error();
        pairs.detectable = pairs.detectable.map(|share| share.max(reach.exp_m1()));
    }
}
