//! The cause that limits the large blocks of one direction.

use statistics::metered::{Meter, Metering, Window, metered_at_one_level};

use super::alike::same;
use super::bound::{LevelBound, starved};
use super::cause::{Cause, ChargeUnit, LevelUnit, LimitedLevel, Tells};
use super::corner::{self, Shows};
use super::inside::local_limit;
use super::loads::{Load, cpu_bound, evidence, meter};
use super::operations::{bytes_below, open};
use super::unit;
use super::way::{Way, full};
use crate::counts::{scaled, window};
use crate::finding::Confidence;
use crate::plateaus::{Cap, PLATEAU};

/// Least ratio of two loads' bytes in flight for their budgets to differ.
const BUDGETS: f64 = 1.8;
/// Greatest share of the rate that a load with half the bytes in flight reaches if they limit it: half, plus the effect
/// of a queue that is not quite empty.
const HALVED: f64 = 0.65;
/// Least share: a load that reaches less than half lost the rest to something else.
const HALF_LEAST: f64 = 0.4;

/// Greatest ratio of a block's rate to the smallest block's if operations do not limit it.
const OPERATIONS_FREE: f64 = 0.5;

/// Evidence about the level of bytes.
struct BytesEvidence<'s> {
    cap: Cap,
    loads: Vec<&'s Load<'s>>,
    meter: Meter,
}

/// Returns the level of bytes of `way` with its cause, if operations do not limit it; `unit` is that of their charge.
pub(super) fn held(
    way: &Way<'_>,
    operations: Option<&LimitedLevel>,
    unit: Option<&ChargeUnit>,
) -> Option<LimitedLevel> {
    let cap = way.bytes_level()?;
    let largest = *way.loads.deepest(way.direction).last()?;
    if let Some(held) = operations.filter(|held| same(held.level.value, largest.point.iops.value)) {
        return beyond(held, largest);
    }
    let on = |load: &&Load<'_>| load.point.bytes_per_second.value >= cap.level.value * (1.0 - PLATEAU);
    let loads = full(way, way.loads.of_direction(way.direction).filter(on).collect());
    let counted = of_blocks(&loads);
    let answer = if cap.exact { Metering::Metered } else { counted.answer };
    let seen = BytesEvidence { cap, meter: Meter { answer, ..counted }, loads };
    let (cause, confidence) = beside(cause(way, &seen, unit), operations);
    let by_counts =
        matches!(cause, Cause::Meter | Cause::Saturated) && !cap.exact && starved(way, &cap, &seen.loads);
    let (cause, confidence) = if by_counts { open(vec![Tells::MoreSeconds]) } else { (cause, confidence) };
    let bound = || LevelBound::open(way, &cap, &seen.loads, |point| point.bytes_per_second);
    let LevelBound { level, at_least } = LevelBound::of(&cap, &cause, bound);
    Some(LimitedLevel {
        direction: way.direction,
        counted: LevelUnit::Bytes,
        level,
        at_least,
        from: seen.loads.iter().map(|load| load.point.block).min().unwrap_or(largest.point.block),
        cause,
        evidence: evidence(&seen.loads),
        meter: seen.meter,
        confidence,
    })
}

/// Returns a lower bound for bytes if operations limit the largest block too, so that bytes show no level of their own,
/// and if the charge of a random operation is open.
fn beyond(operations: &LimitedLevel, largest: &Load<'_>) -> Option<LimitedLevel> {
    let Cause::Open { tells } = &operations.cause else { return None };
    tells.contains(&Tells::InOrder).then(|| LimitedLevel {
        counted: LevelUnit::Bytes,
        level: largest.point.bytes_per_second,
        at_least: true,
        from: largest.point.block,
        evidence: evidence(&[largest]),
        ..operations.clone()
    })
}

/// Returns the joint answer of the counts of all block sizes: the clear one, unless another block size contradicts it.
fn of_blocks(loads: &[&Load<'_>]) -> Meter {
    let mut blocks: Vec<u64> = loads.iter().map(|load| load.point.block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    let of = |block: &u64| {
        let alike: Vec<&Load<'_>> = loads.iter().copied().filter(|load| load.point.block == *block).collect();
        meter(&alike)
    };
    let all: Vec<Meter> = blocks.iter().map(of).collect();
    let says = |answer: Metering| all.iter().find(|meter| meter.answer == answer);
    match (says(Metering::Metered), says(Metering::NotMetered)) {
        (Some(_), Some(_)) => Meter::default(),
        (Some(meter), None) | (None, Some(meter)) => meter.clone(),
        // Each block size by itself is too short. Together, in units of the largest block, they have one level.
        (None, None) => {
            let largest = blocks.last().copied().unwrap_or(1) as f64;
            let windows: Vec<Window> = loads
                .iter()
                .map(|load| scaled(window(load.step), load.point.block as f64 / largest))
                .collect();
            metered_at_one_level(&windows)
        }
    }
}

/// Returns the first of these causes with evidence: each excludes those after it.
fn cause(way: &Way<'_>, seen: &BytesEvidence<'_>, unit: Option<&ChargeUnit>) -> (Cause, Confidence) {
    ours(way, seen)
        .or_else(|| in_flight(way, seen))
        .or_else(|| in_units(seen, unit))
        .or_else(|| two_blocks(way, seen))
        .or_else(|| by_size(way, seen))
        .unwrap_or_else(|| of_meter(&seen.meter, beside_operations(way)))
}

/// Lowers the confidence in a meter if small operations keep the device busy without one: large ones may do so too,
/// each taking the same time, so that pinned counts are weaker evidence.
fn beside(
    (cause, confidence): (Cause, Confidence),
    operations: Option<&LimitedLevel>,
) -> (Cause, Confidence) {
    let is_busy = operations.is_some_and(|held| held.cause == Cause::Saturated);
    let most = if is_busy && cause == Cause::Meter { Confidence::Possible } else { confidence };
    (cause, confidence.min(most))
}

/// Detects plimsoll's CPU, or a limit of this machine, as the cause.
fn ours(way: &Way<'_>, seen: &BytesEvidence<'_>) -> Option<(Cause, Confidence)> {
    if let Some((step, share)) = cpu_bound(&seen.loads) {
        return Some((Cause::Cpu { step, share }, Confidence::Strong));
    }
    let limit = local_limit(way, LevelUnit::Bytes, seen.cap.level.value)?;
    Some((Cause::Machine { limit }, Confidence::Strong))
}

fn in_flight_of(load: &Load<'_>) -> f64 {
    f64::from(load.point.depth) * load.point.block as f64
}

/// Detects the bytes in flight as the cause; excluded if two different budgets reach the same rate.
fn in_flight(way: &Way<'_>, seen: &BytesEvidence<'_>) -> Option<(Cause, Confidence)> {
    // A load well above the level has another rate.
    let at_level = |load: &&&Load<'_>| load.point.bytes_per_second.value * HALVED <= seen.cap.level.value;
    let budgets = || seen.loads.iter().filter(at_level).map(|load| in_flight_of(load));
    let (least, most) = (budgets().fold(f64::INFINITY, f64::min), budgets().fold(0.0, f64::max));
    if most >= BUDGETS * least {
        return None;
    }
    let Some((full, half)) = halved(way, seen) else { return Some(open(vec![Tells::HalfInFlight])) };
    let share = half.point.bytes_per_second.value / full.point.bytes_per_second.value;
    let surely = half.point.bytes_per_second.high <= HALVED * full.point.bytes_per_second.low;
    if !(HALF_LEAST..=HALVED).contains(&share) || !surely {
        return Some(open(vec![Tells::HalfInFlight, Tells::MoreSeconds]));
    }
    let cause = Cause::InFlight { bytes: in_flight_of(full) as u64, half: share };
    Some((cause, Confidence::Likely))
}

/// Returns a load of the same block size with about half the bytes in flight of those at the level, after the load with all of them
/// that was nearest to it in time, at the level or not: of two moments, the difference may be that of the moments.
fn halved<'s>(way: &'s Way<'_>, seen: &'s BytesEvidence<'_>) -> Option<(&'s Load<'s>, &'s Load<'s>)> {
    let half = |full: &&'s Load<'s>| {
        let alike = |load: &&'s Load<'s>| load.point.block == full.point.block;
        let about_half =
            |load: &&'s Load<'s>| (0.4..=1.0 / BUDGETS).contains(&(in_flight_of(load) / in_flight_of(full)));
        let half = way.loads.of_direction(way.direction).filter(alike).find(about_half)?;
        let apart = |load: &&'s Load<'s>| load.step.started.0.abs_diff(half.step.started.0);
        let as_full = |load: &&'s Load<'s>| in_flight_of(load) == in_flight_of(full);
        let nearest =
            way.loads.of_direction(way.direction).filter(alike).filter(as_full).min_by_key(apart)?;
        Some((nearest, half))
    };
    seen.loads.iter().find_map(half)
}

/// Detects operations charged in units that give exactly these bytes.
fn in_units(seen: &BytesEvidence<'_>, unit: Option<&ChargeUnit>) -> Option<(Cause, Confidence)> {
    let charged = unit.filter(|charged| unit::explains(charged, seen.cap.level.value))?;
    Some((Cause::Unit { unit: charged.unit, charge: charged.charge }, charged.confidence))
}

/// Leaves the cause open, or less certain, without two block sizes at the level: one alone may have any cause. If even
/// the smallest of the ladder is at it, only smaller blocks distinguish bytes from units of that size.
fn two_blocks(way: &Way<'_>, seen: &BytesEvidence<'_>) -> Option<(Cause, Confidence)> {
    let blocks = || seen.loads.iter().map(|load| load.point.block);
    let least = blocks().min()?;
    if seen.cap.at_least {
        let several = blocks().any(|block| block != least);
        return Some(open(vec![if several { Tells::MoreSeconds } else { Tells::LargerBlocks }]));
    }
    let smallest =
        way.depths.iter().filter(|point| point.direction == way.direction).map(|point| point.block).min()?;
    let metered = seen.meter.answer == Metering::Metered;
    let below = bytes_below(way, way.direction, (smallest, seen.cap.level.value));
    (least <= smallest && metered && below != Some(true)).then_some((Cause::Meter, Confidence::Possible))
}

/// Leaves the cause open if blocks that a rule of bytes would limit move fewer bytes than the largest: each takes time
/// besides its bytes, which no meter of bytes counts.
fn by_size(way: &Way<'_>, seen: &BytesEvidence<'_>) -> Option<(Cause, Confidence)> {
    let blocks = way.loads.deepest(way.direction);
    let (largest, smallest) = (&blocks.last()?.point, &blocks.first()?.point);
    let held = |load: &&&Load<'_>| load.point.iops.value <= OPERATIONS_FREE * smallest.iops.value;
    let fewer = |load: &&Load<'_>| {
        let bytes = load.point.bytes_per_second;
        bytes.high < largest.bytes_per_second.low && !same(bytes.value, largest.bytes_per_second.value)
    };
    let metered = seen.meter.answer == Metering::Metered;
    let moves = blocks.iter().filter(held).any(fewer);
    (metered && moves).then(|| open(vec![Tells::LargerBlocks]))
}

/// Returns the kind of corner at which operations give way to these bytes.
fn beside_operations(way: &Way<'_>) -> Shows {
    let operations = way.figures.iops_cap(way.direction);
    operations.map_or(Shows::Nothing, |cap| corner::shows(way, cap.level.value))
}

/// Returns the cause by the counts over several lengths of time, or, if they do not decide, by the corner.
fn of_meter(meter: &Meter, corner: Shows) -> (Cause, Confidence) {
    match meter.answer {
        Metering::NotMetered | Metering::Unclear if corner == Shows::Rules => {
            (Cause::Meter, Confidence::Possible)
        }
        Metering::Metered if corner == Shows::Time => open(vec![Tells::LargerBlocks]),
        Metering::Metered => (Cause::Meter, Confidence::Likely),
        Metering::NotMetered => (Cause::Saturated, Confidence::Possible),
        Metering::Unclear if meter.drifts() => (Cause::Saturated, Confidence::Possible),
        Metering::Unclear => open(vec![Tells::MoreSeconds]),
    }
}
