//! Levels that this machine, and not the volume, sets: limits of control groups, and the requests that a kernel queue holds.

use record::LocalLimit;
use serde::{Deserialize, Serialize};
use workload::Direction;

use crate::causes::Causes;
use crate::causes::cause::{Cause, LevelUnit, LimitedLevel};
use crate::estimate::Estimate;
use crate::finding::{FindingOf, Kind, Nature};

/// A level that equals a limit this machine sets on the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineLimit {
    pub direction: Direction,
    pub counted: LevelUnit,
    pub level: Estimate,
    pub limit: LocalLimit,
}

/// The kernel's queue of `device` holds `requests`: more were asked to be in flight, and waited above it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelQueue {
    pub direction: Direction,
    pub level: Estimate,
    pub device: String,
    pub requests: u32,
}

const MACHINE: Nature<'static> = Nature { weight: 4, device: None, badness: None, doubt: None, level: true };

impl Kind for MachineLimit {
    fn nature(&self) -> Nature<'_> {
        MACHINE
    }
}

impl Kind for KernelQueue {
    fn nature(&self) -> Nature<'_> {
        MACHINE
    }
}

/// Returns the levels that are limits of this machine.
pub(super) fn limits(causes: &Causes<'_>) -> Vec<FindingOf<MachineLimit>> {
    let of = |held: &LimitedLevel| match &held.cause {
        Cause::Machine { limit } => {
            let (direction, counted, level) = (held.direction, held.counted, held.level);
            let meaning = MachineLimit { direction, counted, level, limit: limit.clone() };
            Some(FindingOf { meaning, evidence: held.evidence.clone(), confidence: held.confidence })
        }
        _ => None,
    };
    causes.held.iter().filter_map(of).collect()
}

/// Returns the levels that a queue's requests set.
pub(super) fn queues(causes: &Causes<'_>) -> Vec<FindingOf<KernelQueue>> {
    let of = |held: &LimitedLevel| match &held.cause {
        Cause::Queue { device, requests } => {
            let (direction, level) = (held.direction, held.level);
            let meaning = KernelQueue { direction, level, device: device.clone(), requests: *requests };
            Some(FindingOf { meaning, evidence: held.evidence.clone(), confidence: held.confidence })
        }
        _ => None,
    };
    causes.held.iter().filter_map(of).collect()
}
