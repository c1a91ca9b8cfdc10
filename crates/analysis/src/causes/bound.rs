//! The reported level if its cause is open: only a lower bound if plimsoll waited for a CPU, or if loads exceeded it.

use super::alike::SAME;
use super::cause::Cause;
use super::loads::{Load, ever};
use super::way::Way;
use crate::clean::{judged_intervals, touched};
use crate::estimate::Estimate;
use crate::level::INTERVALS_MIN;
use crate::plateaus::Cap;
use crate::shortage::Shortage;
use crate::step_figures::Point;

/// Share of a level lost to plimsoll's own lack of CPU above which the level is only a lower bound: a third of the 3 %
/// by which a claim may be missed.
const LOST: f64 = 0.01;
/// Half-width, as a share of the level, up to which a level has a steady pace and not an accidental one.
const FLAT: f64 = 0.005;
/// Fewest loads above a level that refute it; a single one may be an accident of its moment.
const MOMENTS: usize = 2;

/// A level, and whether it is only a lower bound.
pub(super) struct LevelBound {
    pub level: Estimate,
    pub at_least: bool,
}

impl LevelBound {
    /// Returns the level of `cap` as measured, or the result of `open` if `cause` is open.
    pub fn of(cap: &Cap, cause: &Cause, open: impl FnOnce() -> LevelBound) -> LevelBound {
        let held = LevelBound { level: cap.level, at_least: cap.at_least };
        if matches!(cause, Cause::Open { .. }) { open() } else { held }
    }

    /// Returns the bound for the level of `cap`, whose cause is open and which `loads` show; `of` selects the figure of
    /// a load that the level concerns.
    pub fn open(way: &Way<'_>, cap: &Cap, loads: &[&Load<'_>], of: fn(&Point) -> Estimate) -> LevelBound {
        let at_least = cap.at_least || lost(way, loads) > LOST || have_more(cap, loads, of);
        let least = if at_least { least_ever(way, loads, of) } else { None };
        let level = least.filter(|least| least.value < cap.level.value).unwrap_or(cap.level);
        LevelBound { level, at_least }
    }
}

/// Whether a level whose cause was detected by its counts is not that of the volume, because plimsoll may have lost
/// more of it than the error of a figure. A target that this machine serves itself loses time with plimsoll, and the
/// queue does not show how much; but waits at random moments would not leave a level as precise as `FLAT`.
pub(super) fn starved(way: &Way<'_>, cap: &Cap, loads: &[&Load<'_>]) -> bool {
    let is_flat = cap.level.half_width() <= FLAT * cap.level.value;
    let served_here = Shortage::of(way.run).is_local();
    lost(way, loads) > SAME && !(served_here && is_flat)
}

/// Whether loads that should be at the level surely exceeded it: the corner is soft, or the moments differ.
pub(super) fn have_more(cap: &Cap, loads: &[&Load<'_>], of: fn(&Point) -> Estimate) -> bool {
    let high = cap.level.high * (1.0 + LOST);
    // A map has so many cells that some exceed the level by chance: its ladders and repeats decide.
    let is_cell = |load: &Load<'_>| load.step.plan.kind == workload::StepKind::Cell;
    let more =
        |load: &&&Load<'_>| intervals(load) >= INTERVALS_MIN && !is_cell(load) && of(&load.point).low > high;
    loads.iter().filter(more).count() >= MOMENTS
}

/// Counts the intervals in which a load was measured.
fn intervals(load: &Load<'_>) -> usize {
    load.point.seen.moments.iter().map(|(_, rates)| rates.len()).sum()
}

/// Returns the mean share of their rate that these loads may have lost while plimsoll waited for a CPU, in the
/// intervals by which they are judged.
fn lost(way: &Way<'_>, loads: &[&Load<'_>]) -> f64 {
    let shortage = Shortage::of(way.run);
    let of = |load: &&Load<'_>| {
        let is_clean = judged_intervals(load.step).iter().all(|interval| touched(interval) <= LOST);
        if is_clean { 0.0 } else { shortage.of_step(load.step).lost }
    };
    loads.iter().map(of).sum::<f64>() / loads.len().max(1) as f64
}

/// Returns the least rate of any of these loads, or of a deeper one of the same block size, in the whole run: a rate
/// below which the run fell, and may fall again, is no level. If nothing changed, the level is that of all moments.
fn least_ever(way: &Way<'_>, loads: &[&Load<'_>], of: fn(&Point) -> Estimate) -> Option<Estimate> {
    if way.figures.regimes.changes.is_empty() {
        return None;
    }
    let asks_as_much = |other: &Load<'_>| {
        let same =
            |load: &&Load<'_>| load.point.block == other.point.block && load.point.depth <= other.point.depth;
        intervals(other) >= INTERVALS_MIN && loads.iter().any(same)
    };
    let all = ever(way.run, way.direction).filter(asks_as_much).map(|load| of(&load.point));
    all.min_by(|a, b| a.value.total_cmp(&b.value))
}
