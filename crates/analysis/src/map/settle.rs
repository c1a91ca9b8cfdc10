//! Rows and findings of a run, with the levels that its map found without disturbed loads.

use workload::Direction;

use super::{DirectionMap, MapAnswer};
use crate::causes::cause::LevelUnit;
use crate::estimate::Estimate;
use crate::findings::{Finding, Meaning};
use crate::verdict::{ClaimRow, Quantity};

/// Replaces a disturbed level in rows and findings by the level without the disturbed loads.
pub(crate) fn settle(answer: &MapAnswer, rows: &mut [ClaimRow], findings: &mut [Finding]) {
    for map in &answer.directions {
        for (counted, cap) in [(LevelUnit::Operations, map.operations), (LevelUnit::Bytes, map.bytes)] {
            let is_off = map.disturbed.iter().any(|off| off.counted == counted);
            if let Some(cap) = cap.filter(|_| is_off) {
                let of = (map.direction, counted);
                rows.iter_mut().for_each(|row| settle_row(row, of, cap.level));
                findings.iter_mut().for_each(|finding| settle_finding(&mut finding.meaning, of, map));
            }
        }
    }
}

fn settle_row(row: &mut ClaimRow, (direction, counted): (Direction, LevelUnit), level: Estimate) {
    let quantity = match counted {
        LevelUnit::Operations => Quantity::Iops,
        LevelUnit::Bytes => Quantity::BytesPerSecond,
    };
    if (row.direction, row.quantity) == (direction, quantity) {
        row.measured = Some(level);
    }
}

fn settle_finding(meaning: &mut Meaning, (direction, counted): (Direction, LevelUnit), map: &DirectionMap) {
    match meaning {
        Meaning::IopsCap(found) if (found.direction, LevelUnit::Operations) == (direction, counted) => {
            found.cap = map.operations.map_or(found.cap, |cap| cap.level);
        }
        Meaning::BandwidthCap(found) if (found.direction, LevelUnit::Bytes) == (direction, counted) => {
            found.cap = map.bytes.map_or(found.cap, |cap| cap.level);
        }
        Meaning::Crossover(found) if found.direction == direction => {
            found.bytes = map.crossover.map_or(found.bytes, |crossing| crossing.at.value);
        }
        _ => {}
    }
}
