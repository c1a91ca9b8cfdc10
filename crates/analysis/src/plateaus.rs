//! Plateaus of the ladders: the levels that more depth or larger blocks do not raise.

use record::{Run, StepRecord};
use statistics::level::Strays;
use statistics::metered::{ExactRate, Window, exact_rate};
use workload::Direction;

use crate::counts::{scaled, window};
use crate::estimate::Estimate;
use crate::finding::Evidence;
use crate::level::{INTERVALS_MIN, SharedLevel};
use crate::step_figures::{LatencyRole, LatencyRow, Point};

/// Share of the best within which points belong to the plateau.
pub(crate) const PLATEAU: f64 = 0.02;
/// Multiple of the base latency below which an I/O has hardly queued: the depth limits the rate (method 4.1).
pub(crate) const QUEUED: f64 = 2.0;

/// Multiple of the depth that just reaches a cap from which on I/Os nearly always queue, however latencies vary.
const FULL: f64 = 2.5;
/// Share of added depth that turns into waiting if a queue is full, in logarithms; used if no latency of one I/O at
/// a time is known.
const WAITED: f64 = 0.95;
/// Multiple of the crossover beyond which bytes bind, however the two figures err (method 4).
const BYTES_BIND: f64 = 1.25;
/// Greatest half-width of a level, as a share of it, at which it is a cap and not only a lower bound (method 4).
const KNOWN: f64 = 0.1;
/// Fewest steps from which a level is more than a lower bound.
const STEPS_MIN: usize = 2;
/// Most rounds in which the choice of steps and their level are made to agree: two choices may alternate for ever.
const ROUNDS: usize = 8;

/// The level of a plateau, and whether that is only a lower bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cap {
    pub level: Estimate,
    /// The level with the interval of its mean over the measured span.
    pub in_span: Estimate,
    pub at_least: bool,
    /// Whether many counts agree exactly with this level, as only those of a meter do.
    pub exact: bool,
    /// Whether they did so from the first of these loads to the last.
    pub throughout: bool,
    /// Whether the level varies over time by more than its noise explains.
    pub wanders: bool,
}

/// Returns the points of `direction`, rising by `key`.
pub(crate) fn of(points: &[Point], direction: Direction, key: fn(&Point) -> u64) -> Vec<&Point> {
    let mut chosen: Vec<&Point> = points.iter().filter(|point| point.direction == direction).collect();
    chosen.sort_by_key(|point| key(point));
    chosen
}

/// Keeps the points of the last regime that any lies in: points before a change say nothing about the time after.
fn of_last_regime(points: Vec<&Point>) -> Vec<&Point> {
    let last = points.iter().filter_map(|point| point.seen.regime).max();
    points.into_iter().filter(|point| point.seen.regime == last).collect()
}

/// Steps that share a level.
pub(crate) struct Plateau {
    pub shared: SharedLevel,
    /// The names of the steps, each with the amount of one operation.
    steps: Vec<(String, f64)>,
    /// Whether the level is only a lower bound, however well it is known.
    open: bool,
}

impl Plateau {
    pub(crate) fn of(on: &[&Point], times: fn(&Point) -> f64) -> Plateau {
        let steps = on.iter().map(|point| (point.step.clone(), times(point))).collect();
        Plateau { shared: SharedLevel::of(on, times), steps, open: on.len() < STEPS_MIN }
    }

    /// Fits one level over all steps; with few intervals, or with a wide one, the level is only a lower bound.
    pub(crate) fn cap(&self, strays: &Strays) -> Option<Cap> {
        let found = self.shared.level(strays)?;
        let Estimate { value, low, high } = found.estimate;
        let known = found.intervals >= INTERVALS_MIN && (high - low) / 2.0 <= KNOWN * value;
        let at_least = !known || self.open;
        let (level, in_span) = (found.estimate, found.in_span);
        Some(Cap { level, in_span, at_least, exact: false, throughout: false, wanders: found.wanders })
    }

    /// Returns the level with which many counts of these steps agree exactly, whatever else lowered the others.
    pub(crate) fn exact(&self, run: &Run) -> Option<Cap> {
        let unit = self.steps.iter().map(|(_, amount)| *amount).fold(0.0, f64::max);
        let window = |step: &StepRecord| {
            let (_, amount) = self.steps.iter().find(|(name, _)| *name == step.plan.name)?;
            Some(scaled(window(step), amount / unit))
        };
        let windows: Vec<Window> = run.steps.iter().filter_map(window).collect();
        let ExactRate { rate, low, high, throughout } = exact_rate(&windows)?;
        let level = Estimate { value: rate, low, high }.times(unit);
        Some(Cap { level, in_span: level, at_least: false, exact: true, throughout, wanders: false })
    }
}

/// Returns the deepest rungs, at which the queue is full whatever the rate. They are chosen by depth and latency and
/// not by rate, because the best of several rates is above the volume's.
pub(crate) fn full_rungs(depths: &[Point], direction: Direction) -> Vec<&Point> {
    let rungs = of_last_regime(of(depths, direction, |point| u64::from(point.depth)));
    let Some(deepest) = rungs.last() else { return rungs };
    let known = rungs.iter().filter_map(|point| point.seen.base_ns).reduce(f64::min);
    let Some(base) = known else { return waiting_rungs(&rungs) };
    let fastest = rungs.iter().map(|point| point.latency_ns_mean).fold(base, f64::min);
    let mut cap = deepest.iops.value;
    let mut on = Vec::new();
    for _ in 0..ROUNDS {
        let least = FULL * cap * fastest / 1e9;
        let chosen: Vec<&Point> =
            rungs.iter().copied().filter(|point| f64::from(point.depth) >= least).collect();
        if chosen.is_empty() || chosen.len() == on.len() {
            return chosen;
        }
        cap = chosen.iter().map(|point| point.iops.value).sum::<f64>() / chosen.len() as f64;
        on = chosen;
    }
    on
}

/// Whether the load of this point was deep enough to fill the queue at any rate.
pub(crate) fn is_full(point: &Point) -> bool {
    let fills = |base_ns: f64| point.iops.value * base_ns / 1e9;
    point.seen.base_ns.is_some_and(|base_ns| f64::from(point.depth) >= FULL * fills(base_ns))
}

/// Returns the rungs from the first one after which latency grows as the depth does, up to the deepest.
fn waiting_rungs<'p>(rungs: &[&'p Point]) -> Vec<&'p Point> {
    let Some((deepest, others)) = rungs.split_last() else { return Vec::new() };
    let waits = |point: &&Point| {
        let deeper = (f64::from(deepest.depth) / f64::from(point.depth)).ln();
        let slower = (deepest.latency_ns_mean / point.latency_ns_mean).ln();
        deeper > 0.0 && slower >= WAITED * deeper
    };
    let first = others.iter().position(waits);
    first.map_or_else(Vec::new, |first| rungs[first..].to_vec())
}

/// Returns the rung that represents the plateau as one block size among others: the deepest, whose queue is as full as
/// those of the other blocks.
pub(crate) fn best_known(depths: &[Point], direction: Direction) -> Option<&Point> {
    full_rungs(depths, direction)
        .pop()
        .or_else(|| of(depths, direction, |point| u64::from(point.depth)).pop())
}

/// Returns the plateau of operations of `direction`: the depth ladder and other full-queue loads of its block size.
pub(crate) fn operations(depths: &[Point], direction: Direction) -> Option<Plateau> {
    let on = full_rungs(depths, direction);
    if !on.is_empty() {
        return Some(Plateau::of(&on, |_| 1.0));
    }
    let deepest = of_last_regime(of(depths, direction, |point| u64::from(point.depth))).pop()?;
    Some(Plateau { open: true, ..Plateau::of(&[deepest], |_| 1.0) })
}

/// Returns the loads of `direction` that are as deep as the plateau of operations, with blocks of any size that bytes do not limit: under
/// a meter of operations, all of them have one rate.
pub(crate) fn operations_of_any_size(
    blocks: &[Point],
    depths: &[Point],
    direction: Direction,
) -> Option<Plateau> {
    let full = full_rungs(depths, direction);
    let depth = full.iter().map(|point| point.depth).min()?;
    let rate = full.iter().map(|point| point.iops.value).fold(0.0, f64::max);
    let all = of_last_regime(of(blocks, direction, |point| point.block));
    let bytes = all.iter().map(|point| point.bytes_per_second.value).fold(0.0, f64::max);
    let is_small = |point: &&Point| point.depth >= depth && BYTES_BIND * rate * point.block as f64 <= bytes;
    let beside = all.into_iter().filter(is_small);
    let mut on: Vec<&Point> = full.iter().copied().chain(beside).collect();
    on.sort_by_key(|point| &point.step);
    on.dedup_by_key(|point| &point.step);
    Some(Plateau::of(&on, |_| 1.0))
}

/// Returns the plateau of bytes of `direction`, from the block ladder.
///
/// Blocks belong to it from well above the crossover of the two caps. `base_ns` is the latency of one I/O at a time: if
/// that of the largest block is hardly longer, the depth limits the bytes.
pub(crate) fn bytes(
    blocks: &[Point],
    depths: &[Point],
    direction: Direction,
    base_ns: Option<f64>,
) -> Option<Plateau> {
    let all = of_last_regime(of(blocks, direction, |point| point.block));
    // Blocks of one size, of which operations are counted too, show no second limit.
    let largest = *all.last().filter(|largest| depths.iter().all(|rung| rung.block < largest.block))?;
    let rate = operations(depths, direction).and_then(|small| small.shared.mean());
    let on = large_blocks(&all, rate);
    let queued = base_ns.is_none_or(|base| largest.latency_ns_mean >= QUEUED * base);
    let on = if on.is_empty() { vec![largest] } else { on };
    let sizes = on.iter().filter(|point| point.block != largest.block).count();
    let plateau = Plateau::of(&on, bytes_each);
    Some(Plateau { open: plateau.open || sizes == 0 || !queued, ..plateau })
}

/// Returns the level of all loads with the largest block of `direction`, in bytes per second, whatever limits it.
pub(crate) fn largest(blocks: &[Point], direction: Direction) -> Option<Plateau> {
    let all = of_last_regime(of(blocks, direction, |point| point.block));
    let block = all.last()?.block;
    let on: Vec<&Point> = all.into_iter().filter(|point| point.block == block).collect();
    Some(Plateau::of(&on, bytes_each))
}

fn bytes_each(point: &Point) -> f64 {
    point.bytes_per_second.value / point.iops.value
}

/// Returns the blocks that are too large for operations to limit them.
fn large_blocks<'p>(blocks: &[&'p Point], operations: Option<f64>) -> Vec<&'p Point> {
    let (Some(largest), Some(operations)) = (blocks.last(), operations) else { return Vec::new() };
    let mut cap = largest.bytes_per_second.value;
    let mut on: Vec<&Point> = Vec::new();
    for _ in 0..ROUNDS {
        let least = BYTES_BIND * cap / operations;
        let chosen: Vec<&Point> =
            blocks.iter().copied().filter(|point| point.block as f64 >= least).collect();
        if chosen.is_empty() || chosen.len() == on.len() {
            return chosen;
        }
        cap = chosen.iter().map(|point| point.bytes_per_second.value).sum::<f64>() / chosen.len() as f64;
        on = chosen;
    }
    on
}

/// Returns the latency of one I/O at a time that no cap has stretched, of the spaced step if there is one.
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

/// Returns the steps of these points as evidence, each by its rates.
pub(crate) fn evidence(run: &Run, points: &[&Point]) -> Vec<Evidence> {
    let steps = points.iter().filter_map(|point| run.steps.iter().find(|step| step.plan.name == point.step));
    steps.map(|step| Evidence::of_step(step, "rate")).collect()
}
