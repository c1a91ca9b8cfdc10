//! The cause that limits the small blocks of one direction.

use statistics::metered::{Meter, Metering};
use workload::Direction;

use super::alike::{same, same_within};
use super::bound::{LevelBound, have_more, starved};
use super::cause::{Cause, Charge, LevelUnit, LimitedLevel, Tells};
use super::corner::{self, Shows};
use super::inside::{local_limit, queue};
use super::loads::{Load, cpu_bound, evidence, meter};
use super::unit;
use super::way::{Way, full};
use crate::estimate::Estimate;
use crate::finding::Confidence;
use crate::plateaus::{Cap, PLATEAU, of};
use crate::step_figures::Point;

/// Share within which a level is a round figure: of one digit, or of two digits with a five as the second. One level in
/// twelve is round by chance.
const ROUND: f64 = 0.002;
/// Half-width, as a share of the level, above which a level can be round only by chance.
const FLAT: f64 = 0.005;
/// Share by which the deepest rung exceeds the previous one if the rate still rises.
const RISES: f64 = 0.02;
/// Multiple of the latency of one I/O alone above which an I/O has waited.
const WAITS: f64 = 1.5;
/// Multiple of the latency at half the depth, or alone, up to which an I/O has not waited longer.
const AS_LONG: f64 = 1.1;
/// Least depth at which I/Os would wait longer for a limit that one I/O alone waited for, however the limit changed.
const MANY: u32 = 16;
/// Number of depths with equal latencies that exclude a queue, in which latency grows with the number of I/Os.
const DEPTHS: usize = 3;
/// Multiple of the smallest size up to which an equal rate shows that no time by size is in it: at the bandwidth of any disk,
/// 64 KiB take longer than 4 KiB by more than `FLAT` of an I/O's time.
const SIZES: u64 = 16;
/// Number of servers, as far as latencies and shallow queues show it, above which there are several.
const SERVERS: f64 = 1.5;
/// Multiple of the random rate above which sequential I/Os are charged less each.
const MERGED: f64 = 1.1;

/// Returns the level of operations of `way` with its cause; `None` if no ladder was run.
pub(super) fn held(way: &Way<'_>) -> Option<LimitedLevel> {
    let cap = way.figures.iops_cap(way.direction)?;
    let rungs = of(way.depths, way.direction, |point| u64::from(point.depth));
    let block = rungs.first()?.block;
    let at_level = |load: &&Load<'_>| {
        load.point.block == block && load.point.iops.value >= cap.level.value * (1.0 - PLATEAU)
    };
    let loads = full(way, way.loads.of_direction(way.direction).filter(at_level).collect());
    let all =
        full(way, way.loads.of_direction(way.direction).filter(|load| load.point.block == block).collect());
    let counted = meter(&loads);
    let answer = if cap.exact { Metering::Metered } else { counted.answer };
    let seen = Meter { answer, ..counted };
    let one_rate = has_one_rate(way, block, &rungs);
    let (cause, confidence) =
        cause(way, &OperationsEvidence { cap, block, rungs: &rungs, loads: &loads, meter: &seen, one_rate });
    let by_counts = matches!(cause, Cause::Meter | Cause::Saturated) && !one_rate;
    let more = have_more(&cap, &all, |point| point.iops) || still_rises(&all);
    let (cause, confidence) = match by_counts && !cap.exact && (more || starved(way, &cap, &all)) {
        true => open(vec![Tells::MoreSeconds]),
        false => (cause, confidence),
    };
    if let Some(held) = below(way, block).filter(|_| cause == Cause::Other) {
        return Some(held);
    }
    let open = || LevelBound::open(way, &cap, &all, |point| point.iops);
    let LevelBound { level, at_least } = LevelBound::of(&cap, &cause, open);
    Some(LimitedLevel {
        direction: way.direction,
        counted: LevelUnit::Operations,
        level,
        at_least,
        from: block,
        meter: seen,
        cause,
        evidence: evidence(&loads),
        confidence,
    })
}

/// Evidence about the level of operations.
struct OperationsEvidence<'s> {
    cap: Cap,
    block: u64,
    rungs: &'s [&'s Point],
    loads: &'s [&'s Load<'s>],
    meter: &'s Meter,
    /// Whether I/Os of several sizes have one rate.
    one_rate: bool,
}

/// Returns the first of these causes with evidence: each excludes those after it.
fn cause(way: &Way<'_>, seen: &OperationsEvidence<'_>) -> (Cause, Confidence) {
    ours(way, seen)
        .or_else(|| of_one_rate(way, seen))
        .or_else(|| deeper(way, seen))
        .or_else(|| bytes_bind(way, seen))
        .or_else(|| charged_whole(way, seen))
        .unwrap_or_else(|| of_meter(way, seen))
}

/// Returns the cause if I/Os of several sizes have one rate: a limiter of operations, or of units that all of them fit in.
fn of_one_rate(way: &Way<'_>, seen: &OperationsEvidence<'_>) -> Option<(Cause, Confidence)> {
    let meter = || charged_whole(way, seen).unwrap_or((Cause::Meter, Confidence::Likely));
    seen.one_rate.then(meter)
}

/// Whether I/Os of the smallest size and of many times that have one rate, with half the depth too, so evenly that neither waits
/// nor the time of a server explain it. Only servers that all take equally long do the same, whatever the size: one I/O
/// alone then takes as long as a whole number of them need for their rate.
fn has_one_rate(way: &Way<'_>, block: u64, rungs: &[&Point]) -> bool {
    let loads = way.loads.deepest(way.direction);
    let Some(first) = loads.iter().find(|load| load.point.block == block) else { return false };
    let rate = first.point.iops.value;
    let from = loads.iter().map(|load| &load.point).filter(|point| point.block >= block);
    let alike: Vec<&Point> = from.take_while(|point| same_within(point.iops.value, rate, FLAT)).collect();
    let longest = alike.last().map_or(0, |point| point.block);
    let of_rungs = rungs.iter().rev().take(2).all(|rung| same_within(rung.iops.value, rate, FLAT));
    let by_latency = way.base_ns.map_or(0.0, |base| rate * base / 1e9);
    // Waits only lower the rate of a shallow queue: no more servers than that shows.
    let at_most = |rung: &&Point| rate * f64::from(rung.depth) / rung.iops.value;
    let by_rungs = rungs.iter().map(at_most).fold(f64::INFINITY, f64::min);
    let are_servers = by_latency.min(by_rungs) > SERVERS && same(by_latency, by_latency.round());
    alike.len() > DEPTHS && longest >= SIZES * block && of_rungs && rungs.len() > 1 && !are_servers
}

/// Detects plimsoll itself, or this machine, as the cause.
fn ours(way: &Way<'_>, seen: &OperationsEvidence<'_>) -> Option<(Cause, Confidence)> {
    let level = seen.cap.level.value;
    if let Some((step, share)) = cpu_bound(seen.loads) {
        return Some((Cause::Cpu { step, share }, Confidence::Strong));
    }
    if let Some(limit) = local_limit(way, LevelUnit::Operations, level) {
        return Some((Cause::Machine { limit }, Confidence::Strong));
    }
    let deepest = seen.rungs.last().map_or(0, |point| point.depth);
    let (device, requests) = queue(way, level, deepest)?;
    Some((Cause::Queue { device, requests }, Confidence::Likely))
}

/// Detects the depth as the cause: only the deepest rung is at the level, so the next might be above it.
///
/// The depth limits the level if nothing waits at the volume (an I/O takes as long as one alone) and if the volume did
/// not change: a rung separated from the others by a change or a wave is higher because of its moment and not of its
/// depth. Even if the volume changed since one I/O alone was timed, the depth limits the level if an I/O takes no
/// longer than on the previous rung.
fn deeper(way: &Way<'_>, seen: &OperationsEvidence<'_>) -> Option<(Cause, Confidence)> {
    if let Some(cause) = unqueued(way, seen) {
        return Some((cause, Confidence::Likely));
    }
    let last = seen.rungs.last()?;
    let shallower = seen.rungs.iter().rev().find(|point| point.depth < last.depth);
    let is_highest = last.iops.value >= seen.cap.level.value * (1.0 - PLATEAU);
    let rises = shallower.is_some_and(|before| last.iops.value > before.iops.value * (1.0 + RISES))
        && seen
            .rungs
            .iter()
            .filter(|rung| rung.depth < last.depth)
            .all(|rung| last.iops.low > rung.iops.high)
        && seen.loads.iter().all(|load| load.point.depth <= last.depth);
    let cause = Cause::Depth { depth: last.depth, latency_ns: last.latency_ns_mean };
    if is_highest && rises && shallower.is_some_and(|before| takes_as_long(last, before)) {
        return Some((cause, Confidence::Likely));
    }
    if !seen.cap.at_least {
        return None;
    }
    let waits = way.base_ns.is_none_or(|base| last.latency_ns_mean > WAITS * base);
    let is_one = way.figures.regimes.changes.is_empty() && !seen.cap.wanders;
    let is_depth = is_highest && rises && !waits && is_one;
    Some(if is_depth { (cause, Confidence::Likely) } else { open(vec![Tells::MoreSeconds]) })
}

/// Returns the depth of the loads at the level as their cause, if there is no queue: with that many in flight an I/O
/// takes as long as one alone, and there is no load of lesser depth; or all I/Os of this direction take equally long at
/// several depths. Then the depth determines the rate, whatever the moment: before a cache fills, or after.
fn unqueued(way: &Way<'_>, seen: &OperationsEvidence<'_>) -> Option<Cause> {
    let deepest = &seen.loads.iter().max_by_key(|load| load.point.depth)?.point;
    let (depth, latency_ns) = (deepest.depth, deepest.latency_ns_mean);
    let shallower = |load: &Load<'_>| load.point.block == seen.block && 2 * load.point.depth <= depth;
    let one_depth = !way.loads.of_direction(way.direction).any(shallower);
    let as_alone = depth >= MANY && way.base_ns.is_some_and(|base| latency_ns <= AS_LONG * base);
    ((one_depth && as_alone) || all_as_long(way, deepest)).then_some(Cause::Depth { depth, latency_ns })
}

/// Whether a deeper queue surely had more, although the shallower one was full by its depth: the corner is soft, and
/// the level is above both.
fn still_rises(loads: &[&Load<'_>]) -> bool {
    let rises = |deep: &Point, shallow: &Point| {
        deep.depth >= 2 * shallow.depth && deep.iops.low > shallow.iops.high * (1.0 + RISES)
    };
    let Some(deepest) = loads.iter().max_by_key(|load| load.point.depth) else { return false };
    let of_rungs = |load: &&&Load<'_>| load.step.plan.kind == workload::StepKind::DepthLadder;
    loads.iter().filter(of_rungs).any(|load| rises(&deepest.point, &load.point))
}

/// Whether I/Os of this direction take equally long at several depths.
fn all_as_long(way: &Way<'_>, deepest: &Point) -> bool {
    let points = || way.loads.of_direction(way.direction).map(|load| &load.point);
    let as_long = |point: &Point| {
        let share = point.latency_ns_mean / deepest.latency_ns_mean;
        (1.0 / AS_LONG..=AS_LONG).contains(&share)
    };
    let mut depths: Vec<u32> = points().map(|point| point.depth).collect();
    depths.sort_unstable();
    depths.dedup();
    depths.len() >= DEPTHS && points().all(as_long)
}

/// Whether an I/O took no longer with at least twice as many in flight.
fn takes_as_long(deep: &Point, shallow: &Point) -> bool {
    deep.depth >= 2 * shallow.depth && deep.latency_ns_mean <= AS_LONG * shallow.latency_ns_mean
}

/// Detects that operations do not bind: the small block moves the bytes of a larger one, and no smaller has its rate.
fn bytes_bind(way: &Way<'_>, seen: &OperationsEvidence<'_>) -> Option<(Cause, Confidence)> {
    let bytes = seen.cap.level.value * seen.block as f64;
    // A load that did not wait was limited by its own depth, and has these bytes by chance.
    let waited = |load: &Load<'_>| way.base_ns.is_none_or(|base| load.point.latency_ns_mean > WAITS * base);
    let of_bytes = |load: &Load<'_>| if waited(load) { load.point.bytes_per_second.value } else { 0.0 };
    let longer: Vec<f64> = longer(way, seen.block).map(of_bytes).collect();
    if longer.is_empty() {
        return Some(open(vec![Tells::LargerBlocks]));
    }
    let small = |load: &&Load<'_>| load.point.block < seen.block;
    let mut small = way.loads.of_direction(way.direction).filter(small);
    let by_operations = small.any(|load| same(load.point.iops.value, seen.cap.level.value));
    let by_bytes = longer.iter().any(|other| same(*other, bytes)) && !by_operations;
    by_bytes.then_some((Cause::Other, Confidence::Likely))
}

/// Detects units from blocks of every size with one rate at random while small sequential ones reach more: a random I/O
/// may be one operation, or be charged as a fixed number of bytes. If sequential I/Os move a unit's bytes for each
/// random one, they give the unit.
fn charged_whole(way: &Way<'_>, seen: &OperationsEvidence<'_>) -> Option<(Cause, Confidence)> {
    let level = seen.cap.level.value;
    let alike = longer(way, seen.block).all(|load| same(load.point.iops.value, level));
    if !alike || seen.meter.answer != Metering::Metered {
        return None;
    }
    let in_order = |load: &&Load<'_>| load.point.direction == way.direction && load.point.block == seen.block;
    let in_order = way.loads.sequential.iter().filter(in_order).map(|load| load.point.iops.value);
    let best = in_order.reduce(f64::max).filter(|best| *best > MERGED * level)?;
    let charged = best / level * seen.block as f64;
    let largest = longer(way, seen.block).map(|load| load.point.block).max()?;
    let unit = unit::nearest(charged).filter(|unit| *unit >= largest);
    Some(unit.map_or_else(
        || open(vec![Tells::InOrder]),
        |unit| (Cause::Unit { unit, charge: Charge::Unknown }, Confidence::Likely),
    ))
}

/// Returns the loads of at least twice the block size.
fn longer<'r>(way: &'r Way<'_>, block: u64) -> impl Iterator<Item = &'r Load<'r>> {
    way.loads.of_direction(way.direction).filter(move |load| load.point.block >= 2 * block)
}

/// Returns the cause by the counts over several lengths of time, or, if they do not decide, by the corner at which
/// bytes take over.
fn of_meter(way: &Way<'_>, seen: &OperationsEvidence<'_>) -> (Cause, Confidence) {
    let corner = corner::shows(way, seen.cap.level.value);
    match seen.meter.answer {
        // A limiter whose own rate varies drifts as a busy device does, but leaves a hard corner.
        Metering::NotMetered | Metering::Unclear if corner == Shows::Rules => {
            (Cause::Meter, Confidence::Possible)
        }
        Metering::Metered if corner == Shows::Time => open(vec![Tells::LargerBlocks]),
        // Servers of an even pace pin the counts of one block size too; only other sizes distinguish them from a meter.
        Metering::Metered if moves_with_size(way, seen) == Moves::WithSize => open(vec![Tells::LargerBlocks]),
        Metering::Metered if unit::take_time(way, seen.cap.level.value) => open(vec![Tells::LargerBlocks]),
        Metering::Metered => (Cause::Meter, Confidence::Likely),
        Metering::NotMetered => (Cause::Saturated, of_drift(way, seen)),
        Metering::Unclear if seen.meter.drifts() => (Cause::Saturated, Confidence::Possible),
        Metering::Unclear if flat_and_round(way, seen) => (Cause::Meter, Confidence::Possible),
        Metering::Unclear => open(vec![Tells::MoreSeconds]),
    }
}

/// Whether larger blocks have other rates, by no rule of units or bytes: a server's time by size does that, no meter.
fn moves_with_size(way: &Way<'_>, seen: &OperationsEvidence<'_>) -> Moves {
    match unit::told(way, seen.cap.level.value) {
        unit::UnitAnswer::Neither => Moves::WithSize,
        unit::UnitAnswer::Bytes | unit::UnitAnswer::Units { .. } => Moves::NotShown,
    }
}

/// Whether the level differs between block sizes, which it would not under a meter of operations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    WithSize,
    NotShown,
}

/// Returns the confidence that drifting counts come from a busy device. A limiter with a varying rate drifts too, but
/// limits I/Os of every size alike, as far as its noise shows. Loads before and after a change may differ by their
/// moment instead of their size: blocks never written are answered without the volume, and fewer remain.
fn of_drift(way: &Way<'_>, seen: &OperationsEvidence<'_>) -> Confidence {
    let is_one = way.figures.regimes.changes.is_empty();
    match moves_with_size(way, seen) {
        Moves::WithSize if is_one && unit::take_time(way, seen.cap.level.value) => Confidence::Likely,
        Moves::WithSize | Moves::NotShown => Confidence::Possible,
    }
}

/// Whether the level is flat and round, and also limits a larger block: evidence if the series is too short for more.
fn flat_and_round(way: &Way<'_>, seen: &OperationsEvidence<'_>) -> bool {
    let level = seen.cap.level;
    let flat = level.half_width() <= FLAT * level.value;
    flat && is_round(&level) && longer(way, seen.block).any(|load| same(load.point.iops.value, level.value))
}

fn is_round(level: &Estimate) -> bool {
    let step = 10f64.powf(level.value.log10().floor()) / 2.0;
    let round = (level.value / step).round() * step;
    same_within(level.value, round, ROUND)
}

/// Returns the cause and confidence of a level that is left open.
pub(super) fn open(tells: Vec<Tells>) -> (Cause, Confidence) {
    (Cause::Open { tells }, Confidence::Possible)
}

/// Returns the operations cap shown by two blocks below the ladder's smallest, at one rate, if bytes bind at that one.
fn below(way: &Way<'_>, block: u64) -> Option<LimitedLevel> {
    let small = |load: &&Load<'_>| load.point.block < block;
    let loads: Vec<&Load<'_>> = way.loads.of_direction(way.direction).filter(small).collect();
    let best = loads.iter().max_by(|a, b| a.point.iops.value.total_cmp(&b.point.iops.value))?;
    let level = best.point.iops;
    let on: Vec<&Load<'_>> =
        loads.iter().copied().filter(|load| same(load.point.iops.value, level.value)).collect();
    let blocks = on.iter().any(|load| load.point.block != best.point.block);
    let seen = meter(&on);
    // If an I/O takes no longer than one alone, the depth limits these loads, and they have no level.
    let most = way.base_ns.map_or(0.0, |base| WAITS * base);
    let queue = on.iter().any(|load| load.point.latency_ns_mean > most);
    let cause = if seen.answer == Metering::Metered && blocks && queue { Cause::Meter } else { return None };
    let from = on.iter().map(|load| load.point.block).min()?;
    Some(LimitedLevel {
        direction: way.direction,
        counted: LevelUnit::Operations,
        level,
        at_least: false,
        from,
        meter: seen,
        cause,
        evidence: evidence(&on),
        confidence: Confidence::Likely,
    })
}

/// Whether a block below `block` moves as many bytes, so that bytes bind and not units of that block; `None` without
/// such blocks.
pub(super) fn bytes_below(way: &Way<'_>, direction: Direction, (block, bytes): (u64, f64)) -> Option<bool> {
    let mut small = way.loads.of_direction(direction).filter(|load| load.point.block < block).peekable();
    small.peek()?;
    Some(small.any(|load| same(load.point.bytes_per_second.value, bytes)))
}
