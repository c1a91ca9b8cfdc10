//! Levels that more depth or larger blocks do not raise, although no meter was detected: a device, or a resource behind
//! it, is busy.

use serde::{Deserialize, Serialize};
use workload::Direction;

use crate::cached::CacheShare;
use crate::causes::Causes;
use crate::causes::cause::{Cause, LevelUnit, LimitedLevel};
use crate::estimate::Estimate;
use crate::finding::{Confidence, FindingOf, Kind, Nature};
use crate::metering::Scales;

/// The rate reaches `level` per second, operations or bytes: further I/O only waits, and the counts drift.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saturation {
    pub direction: Direction,
    pub counted: LevelUnit,
    pub level: Estimate,
    pub scales: Scales,
    /// The cache that adds to a lower limit, if another part of the run shows that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheShare>,
}

impl Kind for Saturation {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 4, device: None, badness: None, doubt: None, level: true }
    }
}

/// Returns the levels at which a device is busy.
pub(super) fn rule(causes: &Causes<'_>) -> Vec<FindingOf<Saturation>> {
    let busy = causes.held.iter().filter(|held| held.cause == Cause::Saturated);
    let cached = |held: &LimitedLevel| {
        let of_reads = (held.direction, held.counted) == (Direction::Read, LevelUnit::Operations);
        causes.figures.cached.filter(|_| of_reads).map(|cached| cached.shared())
    };
    let of_level = |held: &LimitedLevel| {
        let cache = cached(held);
        let confidence = cache.as_ref().map_or(held.confidence, |_| Confidence::Likely);
        let scales = Scales::from(&held.meter);
        let LimitedLevel { direction, counted, level, .. } = *held;
        let meaning = Saturation { direction, counted, level, scales, cache };
        FindingOf { meaning, evidence: held.evidence.clone(), confidence }
    };
    busy.map(of_level).collect()
}
