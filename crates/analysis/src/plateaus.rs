//! Plateaus of the ladders: the level at which more depth or larger blocks bring no more.

use record::Run;
use workload::Direction;

use crate::finding::Evidence;
use crate::{Estimate, LatencyRole, LatencyRow, Point};

/// Points within this share of the best belong to the plateau.
pub(crate) const PLATEAU: f64 = 0.02;
/// Queueing this many times the base latency at a flat rate is a meter too, where the index is undefined (methodology 2.5).
pub(crate) const QUEUED: f64 = 2.0;

/// A plateau: its level, and whether it is only known to be at least that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cap {
    pub level: Estimate,
    pub at_least: bool,
}

/// Points of `direction`, rising by `key`.
pub(crate) fn of(points: &[Point], direction: Direction, key: fn(&Point) -> u64) -> Vec<&Point> {
    let mut chosen: Vec<&Point> = points.iter().filter(|point| point.direction == direction).collect();
    chosen.sort_by_key(|point| key(point));
    chosen
}

/// The level of the plateau that `values` share: the mean of those within 2 % of the best, each weighted by how well it is
/// known (inverse variance); the half-width is that of the weighted mean, or the weighted spread where they disagree.
fn plateau(values: &[Estimate]) -> Option<(Estimate, usize)> {
    let best = values.iter().map(|value| value.value).fold(f64::NAN, f64::max);
    let on: Vec<&Estimate> = values.iter().filter(|value| value.value >= best * (1.0 - PLATEAU)).collect();
    let weight = |value: &Estimate| value.half_width().max(1e-9 * best).powi(-2);
    let weights: f64 = on.iter().map(|value| weight(value)).sum();
    if on.is_empty() || weights <= 0.0 {
        return None;
    }
    let weighted = |figure: &dyn Fn(&Estimate) -> f64| {
        on.iter().map(|value| weight(value) * figure(value)).sum::<f64>() / weights
    };
    let mean = weighted(&|value| value.value);
    let spread = weighted(&|value| (value.value - mean).powi(2)).sqrt();
    let half = weights.powf(-0.5).max(spread);
    Some((Estimate { value: mean, low: mean - half, high: mean + half }, on.len()))
}

/// The rung of the plateau whose rate is known best.
pub(crate) fn best_known(depths: &[Point], direction: Direction) -> Option<&Point> {
    let level = iops_cap(depths, direction)?.level;
    let on = depths
        .iter()
        .filter(|point| point.direction == direction && point.iops.value >= level.value * (1.0 - PLATEAU));
    on.min_by(|a, b| a.iops.half_width().total_cmp(&b.iops.half_width()))
}

/// The operations cap of `direction` from the depth ladder.
pub(crate) fn iops_cap(depths: &[Point], direction: Direction) -> Option<Cap> {
    cap(&of(depths, direction, |point| u64::from(point.depth)), |point| point.iops)
}

/// The bandwidth cap of `direction` from the block ladder.
///
/// Where the largest block alone is on the plateau but its I/Os queue, it is the volume that holds the bytes back and not the
/// depth: `base_ns` is the latency of one I/O at a time.
pub(crate) fn bandwidth_cap(
    blocks: &[Point],
    depths: &[Point],
    direction: Direction,
    base_ns: Option<f64>,
) -> Option<Cap> {
    let mut all = of(blocks, direction, |point| point.block);
    if all.is_empty() {
        all = of(depths, direction, |point| point.block);
    }
    let queued = all.last().zip(base_ns).is_some_and(|(point, base)| point.latency_ns_mean >= QUEUED * base);
    cap(&all, |point| point.bytes_per_second).map(|cap| Cap { at_least: cap.at_least && !queued, ..cap })
}

/// The plateau of a ladder, given rising. It is only known to be at least that high where the last rung alone is on it:
/// then the next one might be higher still.
fn cap(rungs: &[&Point], value: fn(&Point) -> Estimate) -> Option<Cap> {
    let rates: Vec<Estimate> = rungs.iter().map(|point| value(point)).collect();
    let (level, on) = plateau(&rates)?;
    let last = rates.last().is_some_and(|rate| rate.value >= level.value * (1.0 - PLATEAU));
    Some(Cap { level, at_least: on == 1 && last })
}

/// Latency of one I/O at a time that no cap has stretched: the spaced step where there is one.
pub(crate) fn base_latency_ns(
    latencies: &[LatencyRow],
    depths: &[Point],
    direction: Direction,
) -> Option<f64> {
    let rows: Vec<&LatencyRow> = latencies.iter().filter(|row| row.direction == direction).collect();
    let spaced = rows.iter().find(|row| row.role == LatencyRole::Spaced).map(|row| row.mean_ns);
    let first = depths.iter().find(|point| point.direction == direction && point.depth == 1);
    spaced.or(rows.first().map(|row| row.mean_ns)).or(first.map(|point| point.latency_ns_mean))
}

/// The steps of these points as evidence, by their rates.
pub(crate) fn evidence(run: &Run, points: &[&Point]) -> Vec<Evidence> {
    let steps = points.iter().filter_map(|point| run.steps.iter().find(|step| step.plan.name == point.step));
    steps.map(|step| Evidence::of_step(step, "rate")).collect()
}
