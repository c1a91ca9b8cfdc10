//! The content of a bucket over time.

use super::stretch::Stretch;
use crate::estimate::Estimate;

/// Most points that are stored of a stretch.
const POINTS: usize = 400;

/// Returns the content of the bucket over time, from the start on: loads take their excess over the base, rests earn.
/// Empty if `base` or `held` is not known.
pub(super) fn against_time(
    all: &[Stretch],
    base: Option<Estimate>,
    held: Option<Estimate>,
    refill: Option<Estimate>,
) -> Vec<(f64, f64)> {
    let (Some(base), Some(held)) = (base, held) else { return Vec::new() };
    let earns = refill.map_or(base.value, |refill| refill.value);
    let mut level = held.value;
    let mut points = Vec::new();
    for stretch in all {
        if let Some(rested) = stretch.rested.filter(|_| !points.is_empty()) {
            level = (level + rested * earns).min(held.value);
        }
        points.push((stretch.from, level));
        let part = stretch.cells.len().div_ceil(POINTS).max(1);
        for cells in stretch.cells.chunks(part) {
            for cell in cells {
                level = (level + base.value * cell.length - cell.amount).clamp(0.0, held.value);
            }
            points.extend(cells.last().map(|last| (last.to(), level)));
        }
    }
    points
}
