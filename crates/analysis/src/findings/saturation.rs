//! More depth or longer blocks bring no more, and no meter was seen: a device, or what lies behind it, is busy.

use serde::{Deserialize, Serialize};
use workload::Direction;

use crate::causes::{Cause, Causes, Counted};
use crate::finding::{Found, Kind, Nature};
use crate::{Estimate, Scales};

/// Up to `level` a second, operations or bytes: more only waits, and the counts drift as no meter of an even rate lets them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saturation {
    pub direction: Direction,
    pub counted: Counted,
    pub level: Estimate,
    pub scales: Scales,
}

impl Kind for Saturation {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 4, device: None, badness: None, doubt: None, level: true }
    }
}

/// The levels at which it is so.
pub(super) fn rule(causes: &Causes<'_>) -> Vec<Found<Saturation>> {
    let busy = causes.held.iter().filter(|held| held.cause == Cause::Saturated);
    let found = busy.map(|held| Found {
        meaning: Saturation {
            direction: held.direction,
            counted: held.counted,
            level: held.level,
            scales: Scales::from(&held.meter),
        },
        evidence: held.evidence.clone(),
        confidence: held.confidence,
    });
    found.collect()
}
