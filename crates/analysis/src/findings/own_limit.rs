//! Loads that were the limit themselves instead of the volume: by depth, bytes in flight, or plimsoll's CPU.

use serde::{Deserialize, Serialize};
use workload::Direction;

use crate::causes::Causes;
use crate::causes::cause::{Cause, LevelUnit, LimitedLevel};
use crate::estimate::Estimate;
use crate::finding::{FindingOf, Kind, Nature};

/// The rate still rose at the deepest rung, `depth`, at which an I/O takes `latency_ns`: the depth, not the volume,
/// limits the rate to `level` operations per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthBound {
    pub direction: Direction,
    pub level: Estimate,
    pub depth: u32,
    pub latency_ns: f64,
}

/// plimsoll keeps at most `in_flight` bytes in flight, and reached `half` of the rate with about half of them: that
/// maximum, not the volume, limits the rate to `level` bytes per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InFlightBound {
    pub direction: Direction,
    pub level: Estimate,
    pub in_flight: u64,
    pub half: f64,
}

/// A worker of plimsoll was on its CPU for `share` of `step`: the CPU, not the volume, limits the rate to `level`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuBound {
    pub direction: Direction,
    pub counted: LevelUnit,
    pub level: Estimate,
    pub step: String,
    pub share: f64,
}

const OWN: Nature<'static> = Nature { weight: 4, device: None, badness: None, doubt: None, level: false };

impl Kind for DepthBound {
    fn nature(&self) -> Nature<'_> {
        OWN
    }
}

impl Kind for InFlightBound {
    fn nature(&self) -> Nature<'_> {
        OWN
    }
}

impl Kind for CpuBound {
    fn nature(&self) -> Nature<'_> {
        OWN
    }
}

fn found<K>(held: &LimitedLevel, meaning: K) -> FindingOf<K> {
    FindingOf { meaning, evidence: held.evidence.clone(), confidence: held.confidence }
}

/// Returns findings for the levels that the depth limits.
pub(super) fn depth(causes: &Causes<'_>) -> Vec<FindingOf<DepthBound>> {
    let of = |held: &LimitedLevel| match held.cause {
        Cause::Depth { depth, latency_ns } => {
            let meaning = DepthBound { direction: held.direction, level: held.level, depth, latency_ns };
            Some(found(held, meaning))
        }
        _ => None,
    };
    causes.held.iter().filter_map(of).collect()
}

/// Returns findings for the levels that the bytes in flight limit.
pub(super) fn in_flight(causes: &Causes<'_>) -> Vec<FindingOf<InFlightBound>> {
    let of = |held: &LimitedLevel| match held.cause {
        Cause::InFlight { bytes, half } => {
            let (direction, level) = (held.direction, held.level);
            Some(found(held, InFlightBound { direction, level, in_flight: bytes, half }))
        }
        _ => None,
    };
    causes.held.iter().filter_map(of).collect()
}

/// Returns findings for the levels that a worker's CPU limits.
pub(super) fn cpu(causes: &Causes<'_>) -> Vec<FindingOf<CpuBound>> {
    let of = |held: &LimitedLevel| match &held.cause {
        Cause::Cpu { step, share } => {
            let (direction, counted, level) = (held.direction, held.counted, held.level);
            Some(found(held, CpuBound { direction, counted, level, step: step.clone(), share: *share }))
        }
        _ => None,
    };
    causes.held.iter().filter_map(of).collect()
}
