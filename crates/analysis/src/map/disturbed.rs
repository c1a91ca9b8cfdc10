//! Loads at one level that had less than the others: reported by name, and left out of the level.
//!
//! A disturbance, such as a generator that waits for a CPU or another program on the volume, only ever lowers a load.
//! So a load clearly below the median of those at the same level was disturbed if such loads are few; if they are many,
//! the level itself moves, and nothing is left out.

use record::Run;
use serde::{Deserialize, Serialize};
use statistics::level::Strays;
use statistics::quantile::{median, robust_deviation};

use super::corner::{self, Corner};
use super::unit::unit;
use super::way::Way;
use crate::causes::alike::SAME;
use crate::causes::cause::LevelUnit;
use crate::estimate::Estimate;
use crate::level::SharedLevel;
use crate::plateaus::base_latency_ns;
use crate::shortage::Shortage;
use crate::step_figures::Point;

/// Share below the median at which a load was disturbed; `DEVIATIONS` decides if it demands more.
const OFF: f64 = 0.05;
/// Standard deviations of the others below the median at which a load was disturbed.
const DEVIATIONS: f64 = 6.0;
/// Share below the median at which a load was disturbed if plimsoll waited for a CPU during it.
const OFF_STARVED: f64 = 0.02;
/// At most one load in this many of a level may be left out.
const ONE_IN: usize = 3;
/// Fewest loads that must remain.
const LEFT: usize = 3;
/// Multiple of the depth that just fills the level at which the queue is nearly always full.
const FULL: f64 = 2.5;
/// Multiples of the crossover: operations limit blocks up to the first, bytes limit those beyond the second.
const SIDES: (f64, f64) = (0.8, 1.25);

/// A load that is left out of a level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisturbedLoad {
    /// Name of the load's step.
    pub step: String,
    /// Unit that the level counts.
    pub counted: LevelUnit,
    /// Ratio of the load's rate to the level.
    pub share: f64,
    /// Whether plimsoll waited for a CPU during the load; otherwise another program, or the volume itself, slowed it.
    pub generator: bool,
}

/// A level without the loads that were disturbed.
#[derive(Clone, Debug)]
pub(super) struct UndisturbedLevel {
    pub level: Estimate,
    pub disturbed: Vec<DisturbedLoad>,
}

/// The loads at a level, as evidence of it.
#[derive(Clone, Debug)]
pub(super) struct Looks {
    /// The level without the loads that were disturbed; `None` if none were.
    pub undisturbed: Option<UndisturbedLevel>,
    /// Whether most loads were not slowed by plimsoll, and their rates do not rise with the depth.
    pub are_of_volume: bool,
}

/// Returns the evidence from the loads at the level of `counted` in the direction of `way`.
fn looks(run: &Run, way: &Way<'_>, counted: LevelUnit) -> Looks {
    let shortage = Shortage::of(run);
    let starved = |point: &Point| {
        let step = run.steps.iter().find(|step| step.plan.name == point.step);
        step.is_some_and(|step| shortage.of_step(step).lost > SAME)
    };
    let at_level = at_level(way, counted);
    let many = at_level.len() > 2 * at_level.iter().filter(|point| starved(point)).count().max(1);
    let are_of_volume = many && !matches!(corner::of_depths(way), Corner::Soft { .. });
    Looks { undisturbed: undisturbed(counted, &at_level, &starved), are_of_volume }
}

/// Returns the level of the loads that were not disturbed; `None` if none were disturbed, or too many.
fn undisturbed(
    counted: LevelUnit,
    at_level: &[&Point],
    starved: &dyn Fn(&Point) -> bool,
) -> Option<UndisturbedLevel> {
    let values: Vec<f64> = at_level.iter().map(|point| value(point, counted)).collect();
    let middle = median(&values).filter(|middle| *middle > 0.0)?;
    let spread = DEVIATIONS * robust_deviation(&values)? / middle;
    let of = |point: &&Point| {
        let (share, generator) = (value(point, counted) / middle, starved(point));
        let off = if generator { OFF_STARVED } else { OFF.max(spread) };
        let step = point.step.clone();
        (share < 1.0 - off).then_some(DisturbedLoad { step, counted, share, generator })
    };
    let disturbed: Vec<DisturbedLoad> = at_level.iter().filter_map(of).collect();
    let is_left = |point: &&Point| !disturbed.iter().any(|off| off.step == point.step);
    let left: Vec<&Point> = at_level.iter().copied().filter(is_left).collect();
    let few = disturbed.len() * ONE_IN <= at_level.len() && left.len() >= LEFT;
    let level = SharedLevel::of(&left, times(counted)).level(&Strays::default())?.estimate;
    (!disturbed.is_empty() && few).then_some(UndisturbedLevel { level, disturbed })
}

fn value(point: &Point, counted: LevelUnit) -> f64 {
    point.iops.value * times(counted)(point)
}

/// Returns the amount of one operation of a point, in the unit counted.
fn times(counted: LevelUnit) -> fn(&Point) -> f64 {
    match counted {
        LevelUnit::Operations => |_| 1.0,
        LevelUnit::Bytes => |point| point.block as f64,
    }
}

/// Returns the loads that kept a full queue of blocks well on one side of the crossover.
fn at_level<'w>(way: &'w Way<'_>, counted: LevelUnit) -> Vec<&'w Point> {
    let all: Vec<&Point> = way.loads.random.iter().filter(|point| point.direction == way.direction).collect();
    let Some(base) = base_latency_ns(&way.figures.latencies, &way.figures.depths, way.direction) else {
        return Vec::new();
    };
    let of_side: Vec<&Point> = all.into_iter().filter(|point| on_side(way, counted, point.block)).collect();
    let full = |rate: f64, point: &Point| f64::from(point.depth) >= FULL * rate * base / 1e9;
    let roughly: Vec<f64> = of_side
        .iter()
        .filter(|point| full(point.iops.value, point))
        .map(|point| value(point, counted))
        .collect();
    let Some(middle) = median(&roughly) else { return Vec::new() };
    // Queues count as full by the rate of the others: by its own rate, a slow load would seem full at a lesser depth.
    of_side.into_iter().filter(|point| full(middle / times(counted)(point), point)).collect()
}

/// Whether `counted` limits blocks of this size, as far as the caps show; if the caps do not meet, or operations are
/// charged in units, only those at the ladder's end are.
fn on_side(way: &Way<'_>, counted: LevelUnit, block: u64) -> bool {
    let of_way = || way.loads.random.iter().filter(|point| point.direction == way.direction);
    let (small, large) = (way.figures.iops_cap(way.direction), way.figures.bandwidth_cap(way.direction));
    let smallest = of_way().map(|point| point.block).filter(|block| *block >= 4096).min();
    let crossover = small.zip(large).map(|(small, large)| large.level.value / small.level.value);
    let unit = unit(way).is_some();
    match (counted, crossover.filter(|_| !unit)) {
        // Blocks below the smallest of the ladder are probes: there, bytes already limit the operations that they test.
        (LevelUnit::Operations, Some(at)) => {
            Some(block) == smallest || (smallest < Some(block) && block as f64 <= SIDES.0 * at)
        }
        (LevelUnit::Operations, None) => Some(block) == smallest,
        (LevelUnit::Bytes, Some(at)) => block as f64 >= SIDES.1 * at,
        (LevelUnit::Bytes, None) => Some(block) == of_way().map(|point| point.block).max(),
    }
}

/// Returns the evidence from the loads at both levels of a direction: operations, then bytes.
pub(super) fn of_levels(run: &Run, way: &Way<'_>) -> [Looks; 2] {
    [LevelUnit::Operations, LevelUnit::Bytes].map(|counted| looks(run, way, counted))
}

/// Returns all disturbed loads, by name.
pub(super) fn names(levels: &[Looks; 2]) -> Vec<DisturbedLoad> {
    let all = levels.iter().filter_map(|looks| looks.undisturbed.as_ref());
    all.flat_map(|level| level.disturbed.iter().cloned()).collect()
}
