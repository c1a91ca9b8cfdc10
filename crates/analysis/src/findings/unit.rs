//! Operations that are charged in units, so that a long one counts as several.

use serde::{Deserialize, Serialize};
use workload::Direction;

use crate::causes::Causes;
use crate::causes::cause::Charge;
use crate::estimate::Estimate;
use crate::finding::{FindingOf, Kind, Nature};

/// `operations` of `unit` bytes per second: longer ones count as several, as `charge` says. `bytes` is what that
/// comes to per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccountingUnit {
    pub direction: Direction,
    pub operations: Estimate,
    pub unit: u64,
    pub charge: Charge,
    pub bytes: f64,
}

impl Kind for AccountingUnit {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 4, device: None, badness: None, doubt: None, level: true }
    }
}

/// Returns the units of both directions.
pub(super) fn rule(causes: &Causes<'_>) -> Vec<FindingOf<AccountingUnit>> {
    let found = causes.charged.iter().map(|charged| FindingOf {
        meaning: AccountingUnit {
            direction: charged.direction,
            operations: charged.operations,
            unit: charged.unit,
            charge: charged.charge,
            bytes: charged.operations.value * charged.unit as f64,
        },
        evidence: charged.evidence.clone(),
        confidence: charged.confidence,
    });
    found.collect()
}
