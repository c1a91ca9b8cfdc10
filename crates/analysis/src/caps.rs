//! What stops the volume: operations, bytes, where the one gives way to the other, and the depth that fills the cap.

use record::Run;
use workload::Direction;

use crate::{Confidence, Estimate, Evidence, Finding, LatencyRole, LatencyRow, Limiter, Meaning, Point};

/// Points within this share of the best belong to the plateau.
const PLATEAU: f64 = 0.02;
/// An interval wider than this share of the rate is not settled: a verdict at ±3 % could not rest on it.
const UNSETTLED: f64 = 0.03;
/// Below this limiter index something meters (methodology 2.5).
const METERED: f64 = 0.05;
/// Above this one the counts vary as those of a busy device do.
const SATURATED: f64 = 0.5;
/// Queueing this many times the base latency at a flat rate is a meter too, where the index is undefined (methodology 2.5).
pub(crate) const QUEUED: f64 = 2.0;

/// A plateau: its level, and whether it is only known to be at least that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cap {
    pub level: Estimate,
    pub at_least: bool,
}

/// Points of `direction`, rising by `key`.
fn of(points: &[Point], direction: Direction, key: fn(&Point) -> u64) -> Vec<&Point> {
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

/// Whether something meters or a busy device shows: the index where it is defined, else the queueing at a flat rate.
fn limiter(plateau: &[&Point], base_ns: Option<f64>) -> Limiter {
    let indices: Vec<f64> = plateau.iter().filter_map(|point| point.limiter_index).collect();
    let queued =
        base_ns.is_some_and(|base| plateau.iter().any(|point| point.latency_ns_mean > QUEUED * base));
    match statistics::quantile::median(&indices) {
        Some(index) if index < METERED => Limiter::Metered,
        Some(index) if index > SATURATED => Limiter::Saturated,
        None if queued => Limiter::Metered,
        _ => Limiter::Unclear,
    }
}

fn evidence(run: &Run, points: &[&Point]) -> Vec<Evidence> {
    let steps = points.iter().filter_map(|point| run.steps.iter().find(|step| step.plan.name == point.step));
    steps
        .map(|step| Evidence {
            step: step.plan.name.clone(),
            series: "rate".into(),
            from: step.counted_from,
            to: step.ended,
        })
        .collect()
}

fn confidence(limiter: Limiter, at_least: bool) -> Confidence {
    match (limiter, at_least) {
        (Limiter::Metered, false) => Confidence::Likely,
        _ => Confidence::Possible,
    }
}

/// Everything about caps that `direction` shows.
pub(crate) fn findings(run: &Run, figures: &crate::Figures, direction: Direction) -> Vec<Finding> {
    let mut found = Vec::new();
    let base = base_latency_ns(&figures.latencies, &figures.depths, direction);
    let iops = iops_cap(&figures.depths, direction);
    let bandwidth = bandwidth_cap(&figures.blocks, &figures.depths, direction, base)
        .filter(|_| !ops_bind_everywhere(&figures.blocks, direction, iops));
    let mut push = |meaning, points: &[&Point], confidence| {
        found.push(Finding { meaning, evidence: evidence(run, points), confidence });
    };
    if let Some(cap) = iops {
        let on = on_level(&figures.depths, direction, |point| point.iops.value, cap);
        let (limiter, at_least) = (limiter(&on, base), cap.at_least);
        push(
            Meaning::IopsCap { direction, cap: cap.level, limiter, at_least },
            &on,
            confidence(limiter, at_least),
        );
    }
    if let Some(cap) = bandwidth {
        let on = on_level(&figures.blocks, direction, |point| point.bytes_per_second.value, cap);
        let (limiter, at_least) = (limiter(&on, base), cap.at_least);
        let meaning = Meaning::BandwidthCap { direction, cap: cap.level, limiter, at_least };
        push(meaning, &on, confidence(limiter, at_least));
    }
    if let (Some(ops), Some(bytes)) = (iops, bandwidth)
        && !ops.at_least
        && !bytes.at_least
    {
        let meaning = Meaning::Crossover { direction, bytes: bytes.level.value / ops.level.value };
        push(meaning, &[], Confidence::Likely);
    }
    let filled = iops.filter(|cap| !cap.at_least).zip(base).map(|(cap, base)| (cap.level.value, base));
    if let Some((cap, base_latency_ns)) = filled
        && let star = cap * base_latency_ns / 1e9
        && let Some(ninety) = ninety(&figures.depths, direction, cap, star)
    {
        push(Meaning::FillingDepth { direction, star, ninety, base_latency_ns }, &[], Confidence::Likely);
    }
    found
}

/// Whether even the largest block is held by the operations cap: then its bytes say nothing about bandwidth.
fn ops_bind_everywhere(blocks: &[Point], direction: Direction, iops: Option<Cap>) -> bool {
    let largest = of(blocks, direction, |point| point.block).last().copied();
    largest.zip(iops).is_some_and(|(point, cap)| point.iops.value >= cap.level.value * (1.0 - PLATEAU))
}

fn on_level(points: &[Point], direction: Direction, value: fn(&Point) -> f64, cap: Cap) -> Vec<&Point> {
    let least = cap.level.value * (1.0 - PLATEAU);
    points.iter().filter(|point| point.direction == direction && value(point) >= least).collect()
}

/// Least depth with 90 % of the cap, interpolated in the logarithm of the depth; where the first rung already has it, by
/// the base latency, at most that rung.
fn ninety(depths: &[Point], direction: Direction, cap: f64, star: f64) -> Option<f64> {
    let rungs = of(depths, direction, |point| u64::from(point.depth));
    let goal = 0.9 * cap;
    let above = rungs.iter().position(|point| point.iops.value >= goal)?;
    let high = rungs[above];
    let Some(low) = above.checked_sub(1).map(|at| rungs[at]) else {
        return Some((0.9 * star).clamp(1.0, f64::from(high.depth)));
    };
    let share = (goal - low.iops.value) / (high.iops.value - low.iops.value);
    let (from, to) = (f64::from(low.depth).ln(), f64::from(high.depth).ln());
    Some((from + share * (to - from)).exp())
}

/// Plateaus of which not even the best known step had settled when it ended. Lower rungs may swing as they like.
pub(crate) fn unsteady(run: &Run, points: &[&Point]) -> Vec<Finding> {
    let values: [fn(&Point) -> f64; 2] = [|point| point.iops.value, |point| point.bytes_per_second.value];
    let mut found: Vec<Finding> = Vec::new();
    for direction in [Direction::Read, Direction::Write] {
        for value in values {
            let finding = best_of_plateau(points, direction, value)
                .filter(|point| width(point) > UNSETTLED)
                .map(|point| unsettled(run, point));
            found.extend(finding.filter(|finding| !found.contains(finding)));
        }
    }
    found
}

fn width(point: &Point) -> f64 {
    point.iops.half_width() / point.iops.value
}

fn best_of_plateau<'p>(
    points: &[&'p Point],
    direction: Direction,
    value: fn(&Point) -> f64,
) -> Option<&'p Point> {
    let of_direction = || points.iter().copied().filter(move |point| point.direction == direction);
    let best = of_direction().map(value).fold(0.0, f64::max);
    of_direction()
        .filter(|point| value(point) >= (1.0 - PLATEAU) * best)
        .min_by(|a, b| width(a).total_cmp(&width(b)))
}

fn unsettled(run: &Run, point: &Point) -> Finding {
    Finding {
        meaning: Meaning::Unsteady { step: point.step.clone(), half_width: width(point) },
        evidence: evidence(run, &[point]),
        confidence: Confidence::Certain,
    }
}
