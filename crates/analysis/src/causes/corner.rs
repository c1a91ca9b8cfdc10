//! Where operations give way to bytes: a rule of each leaves a hard corner, a device that takes time for both rounds it off.
//!
//! At the block where both levels meet, two rules let through what either does; a server that needs as long for the operation as
//! for its bytes serves half of that (method 4.2).

use super::Way;
use crate::Estimate;

/// Blocks this near to the crossover, as the logarithm of their share of it, show the corner.
const BESIDE: f64 = 0.15;
/// A corner with at least this share of a hard one is no server's: that has 0.5 there, and 0.54 at the edge of what is beside.
const RULES: f64 = 0.85;
/// One with at most this share is not that of two rules.
const BLURRED: f64 = 0.75;

/// What a corner shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// Two rules, one of operations and one of bytes.
    Rules,
    /// Something that takes time for the one and for the other.
    Time,
    /// Nothing was measured beside it, or it may be either.
    Nothing,
}

/// What the corner of `way` shows, where small blocks reach `operations`.
pub(super) fn shows(way: &Way<'_>, operations: f64) -> Shows {
    let Some(bytes) = super::bytes::level(way).map(|cap| cap.level.value) else { return Shows::Nothing };
    let at = bytes / operations;
    let loads = way.loads.deepest(way.direction);
    let off = |block: u64| (block as f64 / at).ln().abs();
    let beside = loads.iter().map(|load| &load.point).filter(|point| off(point.block) <= BESIDE);
    let is_between = |block: u64| {
        loads.iter().any(|load| load.point.block < block) && loads.iter().any(|load| load.point.block > block)
    };
    let share = |point: &crate::Point| {
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
