//! Caps that a meter was seen to hold: on operations, on bytes, the block size at which they meet, and the depth
//! that fills one.

use serde::{Deserialize, Serialize};
use workload::Direction;

use crate::causes::Causes;
use crate::causes::cause::{LevelUnit, LimitedLevel};
use crate::estimate::Estimate;
use crate::finding::{Confidence, FindingOf, Kind, Nature};
use crate::metering::Scales;
use crate::plateaus::{PLATEAU, base_latency_ns, of};
use crate::step_figures::Point;

/// Share of the cap that a depth must reach to fill it (method 4.1).
const FILLED: f64 = 0.9;

/// A meter limits operations to `cap` per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IopsCap {
    pub direction: Direction,
    pub cap: Estimate,
    pub scales: Scales,
}

/// A meter limits bytes to `cap` per second, for blocks of `from` bytes and more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BandwidthCap {
    pub direction: Direction,
    pub cap: Estimate,
    pub from: u64,
    pub scales: Scales,
}

/// The block size where two caps meet: below `bytes` the operations cap binds, above it the bandwidth cap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crossover {
    pub direction: Direction,
    pub bytes: f64,
}

/// The depth that fills the cap: `star` = cap × base latency, `ninety` = least depth with 90 % of the cap (method 4.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FillingDepth {
    pub direction: Direction,
    pub star: f64,
    pub ninety: f64,
    pub base_latency_ns: f64,
}

const CAP: Nature<'static> = Nature { weight: 4, device: None, badness: None, doubt: None, level: true };
const OF_CAPS: Nature<'static> = Nature { weight: 5, device: None, badness: None, doubt: None, level: false };

impl Kind for IopsCap {
    fn nature(&self) -> Nature<'_> {
        CAP
    }
}

impl Kind for BandwidthCap {
    fn nature(&self) -> Nature<'_> {
        CAP
    }
}

impl Kind for Crossover {
    fn nature(&self) -> Nature<'_> {
        OF_CAPS
    }
}

impl Kind for FillingDepth {
    fn nature(&self) -> Nature<'_> {
        OF_CAPS
    }
}

fn found<K>(held: &LimitedLevel, meaning: K) -> FindingOf<K> {
    FindingOf { meaning, evidence: held.evidence.clone(), confidence: held.confidence }
}

/// Returns the cap on operations.
pub(super) fn operations(causes: &Causes<'_>, direction: Direction) -> Option<FindingOf<IopsCap>> {
    let held = causes.cap(direction, LevelUnit::Operations)?;
    Some(found(held, IopsCap { direction, cap: held.level, scales: Scales::from(&held.meter) }))
}

/// Returns the cap on bytes.
pub(super) fn bandwidth(causes: &Causes<'_>, direction: Direction) -> Option<FindingOf<BandwidthCap>> {
    let held = causes.cap(direction, LevelUnit::Bytes)?;
    let scales = Scales::from(&held.meter);
    Some(found(held, BandwidthCap { direction, cap: held.level, from: held.from, scales }))
}

/// Returns the block size where one cap gives way to the other, if both were shown.
pub(super) fn crossover(causes: &Causes<'_>, direction: Direction) -> Option<FindingOf<Crossover>> {
    let operations = causes.cap(direction, LevelUnit::Operations)?;
    let bytes = causes.cap(direction, LevelUnit::Bytes)?;
    let confidence = operations.confidence.min(bytes.confidence);
    let bytes = bytes.level.value / operations.level.value;
    Some(FindingOf::at_large(Crossover { direction, bytes }, confidence))
}

/// Returns the depth that fills the cap on operations.
pub(super) fn filling_depth(causes: &Causes<'_>, direction: Direction) -> Option<FindingOf<FillingDepth>> {
    let held = causes.cap(direction, LevelUnit::Operations)?;
    let (depths, cap) = (&causes.figures.depths, held.level.value);
    let base_latency_ns = base_latency_ns(&causes.figures.latencies, depths, direction)?;
    let (shallower, deep_enough) = bracket(depths, direction, cap)?;
    let star = (cap * base_latency_ns / 1e9).clamp(shallower, deep_enough);
    let ninety = ninety(depths, direction, cap, star)?;
    let meaning = FillingDepth { direction, star, ninety, base_latency_ns };
    Some(FindingOf::at_large(meaning, held.confidence.min(Confidence::Likely)))
}

/// Returns the depth of the last rung below 90 % of the cap (zero without one) and of the first that reaches all of it: a
/// latency measured at another moment cannot say more than these.
fn bracket(depths: &[Point], direction: Direction, cap: f64) -> Option<(f64, f64)> {
    let rungs = of(depths, direction, |point| u64::from(point.depth));
    let reaches = |share: f64| rungs.iter().position(|point| point.iops.value >= share * cap);
    let below = reaches(FILLED)?.checked_sub(1).map_or(0.0, |at| f64::from(rungs[at].depth));
    let above = reaches(1.0 - PLATEAU).map_or(f64::INFINITY, |at| f64::from(rungs[at].depth));
    Some((below, above))
}

/// Returns the least depth with 90 % of the cap, interpolated in the logarithm of the depth; if the first rung
/// already reaches it, by the base latency, and at most that rung.
fn ninety(depths: &[Point], direction: Direction, cap: f64, star: f64) -> Option<f64> {
    let rungs = of(depths, direction, |point| u64::from(point.depth));
    let goal = FILLED * cap;
    let above = rungs.iter().position(|point| point.iops.value >= goal)?;
    let high = rungs[above];
    let Some(low) = above.checked_sub(1).map(|at| rungs[at]) else {
        return Some((FILLED * star).clamp(1.0, f64::from(high.depth)));
    };
    let share = (goal - low.iops.value) / (high.iops.value - low.iops.value);
    let (from, to) = (f64::from(low.depth).ln(), f64::from(high.depth).ln());
    Some((from + share * (to - from)).exp())
}
