//! The depths that fill the cap of each block (method 4.1): by Little's law, with 90 % of the cap, and with the most
//! power.

use serde::{Deserialize, Serialize};

use super::way::Way;
use crate::estimate::Estimate;
use crate::plateaus::base_latency_ns;
use crate::step_figures::Point;

/// Least share of the cap at which it is filled (method 4.1).
const FILLS: f64 = 0.9;
/// Multiple of the depth that just fills the cap that a block's deepest queue must reach for the block to be full.
const FULL: f64 = 1.5;

/// The depths that fill the cap of one block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Knee {
    /// Bytes of an I/O.
    pub block: u64,
    /// I/Os per second of the deepest queue.
    pub full: Estimate,
    /// Depth of that queue.
    pub deepest: u32,
    /// Latency of one I/O alone, nanoseconds; `None` if not timed.
    pub alone_ns: Option<f64>,
    /// N*: the cap times the latency of one I/O alone, clamped between the depths that do and do not fill the cap.
    pub star: Option<Estimate>,
    /// N90: the least depth with 90 % of the cap; the interval ends are the depths measured on both sides.
    pub ninety: Option<Estimate>,
    /// The measured depth with the greatest rate over latency (Kleinrock's power); its ends are the neighbouring
    /// depths.
    pub power: Option<Estimate>,
}

/// Returns the knee of every block that was measured at several depths, blocks rising.
pub(super) fn knees(points: &[&Point], way: &Way<'_>) -> Vec<Knee> {
    points.chunk_by(|a, b| a.block == b.block).filter_map(|block| knee(block, way)).collect()
}

/// Returns the knee of one block, whose `points` rise in depth.
fn knee(points: &[&Point], way: &Way<'_>) -> Option<Knee> {
    let (first, last) = (points.first()?, points.last()?);
    if first.depth == last.depth {
        return None;
    }
    let full = full(points)?;
    let alone_ns = alone(points, way);
    let (below, above) = bracket(points, FILLS * full.value)?;
    let star = alone_ns.map(|alone| star(full, alone, (below, above)));
    let seen_full = star.is_none_or(|star| f64::from(last.depth) >= FULL * star.value);
    Some(Knee {
        block: first.block,
        full,
        deepest: last.depth,
        alone_ns,
        star: star.filter(|_| seen_full),
        ninety: Some(ninety(below, above, FILLS * full.value)).filter(|_| seen_full),
        power: power(points),
    })
}

/// Returns the rate of the deepest queue.
fn full(points: &[&Point]) -> Option<Estimate> {
    points.last().map(|point| point.iops)
}

/// Returns the latency of one I/O alone, not stretched by a cap, if that is known.
fn alone(points: &[&Point], way: &Way<'_>) -> Option<f64> {
    let one = points.first().filter(|point| point.depth == 1)?;
    let smallest = way.figures.depths.iter().filter(|point| point.direction == way.direction);
    let is_smallest = smallest.map(|point| point.block).min() == Some(one.block);
    let spaced = base_latency_ns(&way.figures.latencies, &way.figures.depths, way.direction);
    spaced.filter(|_| is_smallest).or(Some(one.latency_ns_mean))
}

/// Returns the last point below `goal`, if any, before the first that reaches it, and that one.
fn bracket<'p>(points: &[&'p Point], goal: f64) -> Option<(Option<&'p Point>, &'p Point)> {
    let above = points.iter().position(|point| point.iops.value >= goal)?;
    Some((above.checked_sub(1).map(|at| points[at]), points[above]))
}

/// Returns cap times latency, clamped between the depths that do and do not fill the cap: the moments may differ.
fn star(full: Estimate, alone_ns: f64, (below, above): (Option<&Point>, &Point)) -> Estimate {
    let least = below.map_or(0.0, |point| f64::from(point.depth));
    let most = f64::from(above.depth).max(1.0) / FILLS;
    let bare = |rate: f64| rate * alone_ns / 1e9;
    let value = bare(full.value).clamp(least, most.max(least));
    // If one I/O alone already fills the cap, the cap stretches that latency too.
    let low = if below.is_none() { 0.0 } else { bare(full.low).min(value) };
    Estimate { value, low, high: bare(full.high).max(value) }
}

/// Interpolates between two depths in the logarithm of the depth.
fn ninety(below: Option<&Point>, above: &Point, goal: f64) -> Estimate {
    let high = f64::from(above.depth);
    let Some(below) = below else { return Estimate { value: 1.0, low: 0.0, high: 1.0 } };
    let low = f64::from(below.depth);
    let share = (goal - below.iops.value) / (above.iops.value - below.iops.value);
    Estimate { value: (low.ln() + share.clamp(0.0, 1.0) * (high / low).ln()).exp(), low, high }
}

/// Returns the depth with the greatest rate over latency, which by Little's law is the rate's square over the depth.
fn power(points: &[&Point]) -> Option<Estimate> {
    let of = |point: &Point| point.iops.value.powi(2) / f64::from(point.depth);
    let best = (0..points.len()).max_by(|&a, &b| of(points[a]).total_cmp(&of(points[b])))?;
    let depth = |at: usize| points.get(at).map(|point| f64::from(point.depth));
    let value = f64::from(points[best].depth);
    Some(Estimate {
        value,
        low: best.checked_sub(1).and_then(depth).unwrap_or(value),
        high: depth(best + 1).unwrap_or(value),
    })
}
