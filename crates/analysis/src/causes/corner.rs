//! The corner at which operations give way to bytes: two rules leave it hard, a device that takes time for both softens
//! it.
//!
//! At the block size at which both levels meet, two rules allow what either does alone; a server that takes as long for
//! the operation as for its bytes serves half of that (method 4.2).

use super::way::Way;
use crate::estimate::Estimate;
use crate::step_figures::Point;

/// Distance from the crossover within which a block shows the corner, in the natural logarithm of the block size.
const BESIDE: f64 = 0.15;
/// Least share of a hard corner that shows two rules: a server has 0.5, and 0.54 at the edge of `BESIDE`.
const RULES: f64 = 0.85;
/// Share of a hard corner up to which it is not that of two rules (method 4.2).
const BLURRED: f64 = 0.75;

/// The mechanism that a corner shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// Two rules, one of operations and one of bytes.
    Rules,
    /// A server that takes time both for each operation and for its bytes.
    Time,
    /// Unknown: nothing was measured near the corner, or the measurements leave it open.
    Nothing,
}

/// Returns the mechanism that the corner of `way` shows, if small blocks reach `operations`.
pub(super) fn shows(way: &Way<'_>, operations: f64) -> Shows {
    let Some(bytes) = way.bytes_level().map(|cap| cap.level.value) else { return Shows::Nothing };
    let at = bytes / operations;
    let loads = way.loads.deepest(way.direction);
    let off = |block: u64| (block as f64 / at).ln().abs();
    let beside = loads.iter().map(|load| &load.point).filter(|point| off(point.block) <= BESIDE);
    let is_between = |block: u64| {
        loads.iter().any(|load| load.point.block < block) && loads.iter().any(|load| load.point.block > block)
    };
    let share = |point: &Point| {
        let hard = operations.min(bytes / point.block as f64);
        let Estimate { value, low, high } = point.iops;
        Estimate { value: value / hard, low: low / hard, high: high / hard }
    };
    let nearest = beside
        .filter(|point| is_between(point.block))
        .min_by(|a, b| off(a.block).total_cmp(&off(b.block)))
        .map(share);
    match nearest {
        Some(share) if share.low >= RULES => Shows::Rules,
        Some(share) if share.high <= BLURRED => Shows::Time,
        _ => Shows::Nothing,
    }
}
