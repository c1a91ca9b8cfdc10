//! Small sequential I/Os that reach more than random ones: they are merged before they are counted.

use serde::{Deserialize, Serialize};
use workload::Direction;

use crate::causes::Causes;
use crate::causes::cause::{Cause, LevelUnit, LimitedLevel};
use crate::causes::loads::Load;
use crate::finding::{Confidence, Evidence, FindingOf, Kind, Nature};

/// Ratio of the sequential to the random rate above which I/Os are merged.
const MORE: f64 = 1.1;

/// Blocks of `block` bytes reach `sequential` operations per second in order, and `random` at random.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Merging {
    pub direction: Direction,
    pub block: u64,
    pub sequential: f64,
    pub random: f64,
}

impl Kind for Merging {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 6, device: None, badness: None, doubt: None, level: false }
    }
}

/// Returns the sequential loads above the level of the same block at random.
pub(super) fn rule(causes: &Causes<'_>) -> Vec<FindingOf<Merging>> {
    causes.loads.sequential.iter().filter_map(|load| of_load(causes, load)).collect()
}

fn of_load(causes: &Causes<'_>, load: &Load<'_>) -> Option<FindingOf<Merging>> {
    let (direction, block) = (load.point.direction, load.point.block);
    // Where a cache answers reads at random, it may answer these too.
    if direction == Direction::Read && causes.figures.cached.is_some() {
        return None;
    }
    // A lower bound says nothing of what is above it.
    let is_level = |held: &&LimitedLevel| held.from == block && !held.at_least;
    let held = causes.of_level(direction, LevelUnit::Operations).filter(is_level)?;
    let (sequential, random) = (load.point.iops.value, held.level.value);
    let confidence = match held.cause {
        Cause::Meter | Cause::Unit { .. } => Confidence::Likely,
        _ => Confidence::Possible,
    };
    let apart = load.point.iops.low > held.level.high;
    (apart && sequential > MORE * random).then(|| FindingOf {
        meaning: Merging { direction, block, sequential, random },
        evidence: vec![Evidence::of_step(load.step, "rate")],
        confidence,
    })
}
