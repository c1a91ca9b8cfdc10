//! Whether reads and writes have one budget together or one each.

use serde::{Deserialize, Serialize};
use workload::Direction;

use crate::causes::Causes;
use crate::causes::cause::LevelUnit;
use crate::causes::together::{Sharing, Together, sharing};
use crate::estimate::Estimate;
use crate::finding::{FindingOf, Kind, Nature};

/// Reads and writes of `block` bytes together reach `total` I/Os per second, as one budget for both gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharedBudget {
    pub counted: LevelUnit,
    pub block: u64,
    pub read: f64,
    pub write: f64,
    pub total: Estimate,
}

/// Reads and writes of `block` bytes together reach `total` I/Os per second, as one budget for each gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeparateBudgets {
    pub counted: LevelUnit,
    pub block: u64,
    pub read: f64,
    pub write: f64,
    pub total: Estimate,
}

const BUDGET: Nature<'static> = Nature { weight: 5, device: None, badness: None, doubt: None, level: false };

impl Kind for SharedBudget {
    fn nature(&self) -> Nature<'_> {
        BUDGET
    }
}

impl Kind for SeparateBudgets {
    fn nature(&self) -> Nature<'_> {
        BUDGET
    }
}

fn of<K>(causes: &Causes<'_>, together: Together, meaning: fn(&Sharing) -> K) -> Vec<FindingOf<K>> {
    let told = sharing(causes).into_iter().filter(|sharing| sharing.together == together);
    let found = |sharing: Sharing| FindingOf {
        meaning: meaning(&sharing),
        confidence: sharing.confidence,
        evidence: sharing.evidence,
    };
    told.map(found).collect()
}

/// Returns the mixes that show one budget.
pub(super) fn shared(causes: &Causes<'_>) -> Vec<FindingOf<SharedBudget>> {
    let mut found =
        of(causes, Together::Shared, |Sharing { counted, block, alone: (read, write), mixed, .. }| {
            SharedBudget { counted: *counted, block: *block, read: *read, write: *write, total: *mixed }
        });
    for budget in found.iter_mut().map(|found| &mut found.meaning) {
        if budget.counted == LevelUnit::Operations {
            budget.total = best_known(causes, budget.total);
        }
    }
    found
}

/// Returns the narrowest estimate of a budget of operations: of its mixes, or of a direction that it caps alone.
fn best_known(causes: &Causes<'_>, mixed: Estimate) -> Estimate {
    let caps = [Direction::Read, Direction::Write].map(|way| causes.cap(way, LevelUnit::Operations));
    let levels = caps.into_iter().flatten().map(|cap| cap.level);
    let agree = levels.filter(|level| level.low <= mixed.high && mixed.low <= level.high);
    agree.fold(mixed, |best, level| if level.half_width() < best.half_width() { level } else { best })
}

/// Returns the mixes that show one budget for each direction.
pub(super) fn separate(causes: &Causes<'_>) -> Vec<FindingOf<SeparateBudgets>> {
    of(causes, Together::Separate, |Sharing { counted, block, alone: (read, write), mixed, .. }| {
        SeparateBudgets { counted: *counted, block: *block, read: *read, write: *write, total: *mixed }
    })
}
