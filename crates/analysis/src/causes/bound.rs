//! What is told of a level whose cause is open: no more than the same load had at any time, and where plimsoll waited for a CPU
//! no more than that the level is at least so much.

use super::loads::{Load, ever};
use super::{Cause, SAME, Way};
use crate::clean::{judged_intervals, touched};
use crate::level::INTERVALS_MIN;
use crate::plateaus::Cap;
use crate::shortage::Shortage;
use crate::{Estimate, Point};

/// What plimsoll's own want of a CPU may have cost a level that is told as it is: a third of the 3 % by which a claim may be
/// missed.
const LOST: f64 = 0.01;
/// A level known as well as this, as a share of it, is that of a pace and not of accidents.
const FLAT: f64 = 0.005;
/// One load above a level may be an accident of its moment.
const MOMENTS: usize = 2;

/// A level, and whether it is only known to be at least that.
pub(super) struct Bound {
    pub level: Estimate,
    pub at_least: bool,
}

impl Bound {
    /// The level of `cap` where `cause` holds it.
    pub fn of(cap: &Cap, cause: &Cause, open: impl FnOnce() -> Bound) -> Bound {
        let held = Bound { level: cap.level, at_least: cap.at_least };
        if matches!(cause, Cause::Open { .. }) { open() } else { held }
    }

    /// The level of `cap`, which `loads` show and of which the cause is open; `of` is the figure of a load that it is of.
    pub fn open(way: &Way<'_>, cap: &Cap, loads: &[&Load<'_>], of: fn(&Point) -> Estimate) -> Bound {
        let at_least = cap.at_least || lost(way, loads) > LOST || have_more(cap, loads, of);
        let least = if at_least { least_ever(way, loads, of) } else { None };
        let level = least.filter(|least| least.value < cap.level.value).unwrap_or(cap.level);
        Bound { level, at_least }
    }
}

/// Whether a level that is told by its counts is not that of the volume: plimsoll may have lost more of it than a figure may be off.
/// What this machine serves itself loses time with plimsoll, and how much cannot be told from the queue; waits that come as they
/// please leave no level known as well as this.
pub(super) fn starved(way: &Way<'_>, cap: &Cap, loads: &[&Load<'_>]) -> bool {
    let is_flat = cap.level.half_width() <= FLAT * cap.level.value;
    let served_here = Shortage::of(way.run).is_local();
    lost(way, loads) > SAME && !(served_here && is_flat)
}

/// Whether loads that should be at the level surely had more than it: a corner that is soft, or moments that differ.
pub(super) fn have_more(cap: &Cap, loads: &[&Load<'_>], of: fn(&Point) -> Estimate) -> bool {
    let high = cap.level.high * (1.0 + LOST);
    // A map has so many cells that some have more by the chance of their moment: its ladders and what came again tell.
    let is_cell = |load: &Load<'_>| load.step.plan.kind == workload::StepKind::Cell;
    let more =
        |load: &&&Load<'_>| intervals(load) >= INTERVALS_MIN && !is_cell(load) && of(&load.point).low > high;
    loads.iter().filter(more).count() >= MOMENTS
}

/// Intervals in which a load was seen.
fn intervals(load: &Load<'_>) -> usize {
    load.point.seen.moments.iter().map(|(_, rates)| rates.len()).sum()
}

/// The mean share of their rate that these loads may have lost to a CPU that plimsoll waited for, in the intervals by which they are
/// judged.
fn lost(way: &Way<'_>, loads: &[&Load<'_>]) -> f64 {
    let shortage = Shortage::of(way.run);
    let of = |load: &&Load<'_>| {
        let is_clean = judged_intervals(load.step).iter().all(|interval| touched(interval) <= LOST);
        if is_clean { 0.0 } else { shortage.of_step(load.step).lost }
    };
    loads.iter().map(of).sum::<f64>() / loads.len().max(1) as f64
}

/// The least that the load of one of these, or a deeper one of its block, had in the whole run: what came back, and may come
/// back again, is no level.
fn least_ever(way: &Way<'_>, loads: &[&Load<'_>], of: fn(&Point) -> Estimate) -> Option<Estimate> {
    let asks_as_much = |other: &Load<'_>| {
        let same =
            |load: &&Load<'_>| load.point.block == other.point.block && load.point.depth <= other.point.depth;
        intervals(other) >= INTERVALS_MIN && loads.iter().any(same)
    };
    let all = ever(way.run, way.direction).filter(asks_as_much).map(|load| of(&load.point));
    all.min_by(|a, b| a.value.total_cmp(&b.value))
}
