//! The unit in which operations are charged, from the findings of a map's run.

use serde::{Deserialize, Serialize};

use super::way::Way;
use crate::causes::cause::Charge;
use crate::finding::Confidence;
use crate::findings::{Finding, Meaning};

/// The unit in which operations are charged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitOfMap {
    /// Bytes of the unit.
    pub bytes: u64,
    /// How operations longer than the unit are charged.
    pub charge: Charge,
    /// Confidence in the unit.
    pub confidence: Confidence,
}

/// Returns the unit in which the operations of this direction are charged.
pub(super) fn unit(way: &Way<'_>) -> Option<UnitOfMap> {
    let of = |finding: &Finding| match &finding.meaning {
        Meaning::AccountingUnit(found) if found.direction == way.direction => {
            Some(UnitOfMap { bytes: found.unit, charge: found.charge, confidence: finding.confidence })
        }
        _ => None,
    };
    way.findings.iter().find_map(of)
}
