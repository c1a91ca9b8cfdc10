//! What stops the volume: operations, bytes, where the one gives way to the other, and the depth that fills the cap.

use record::Run;
use serde::{Deserialize, Serialize};
use statistics::quantile::median;
use workload::Direction;

use crate::figures::Figures;
use crate::finding::{Confidence, Found, Kind, Nature};
use crate::plateaus::{Cap, PLATEAU, QUEUED, base_latency_ns, evidence, of, on_level};
use crate::{Estimate, Point};

/// Below this limiter index something meters (methodology 2.5).
const METERED: f64 = 0.05;
/// Above this one the counts vary as those of a busy device do.
const SATURATED: f64 = 0.5;
/// The share of the cap that a depth must reach to fill it but for the last.
const FILLED: f64 = 0.9;

/// What pins a plateau.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limiter {
    /// Counts are far steadier than latencies allow of a busy device: something meters.
    Metered,
    /// Counts vary as those of a busy device do.
    Saturated,
    /// The record does not tell the two apart.
    Unclear,
}

/// More depth brings no more small I/Os: operations are capped at `cap`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IopsCap {
    pub direction: Direction,
    pub cap: Estimate,
    pub limiter: Limiter,
    pub at_least: bool,
}

/// Larger blocks bring no more bytes: bandwidth is capped at `cap` bytes a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BandwidthCap {
    pub direction: Direction,
    pub cap: Estimate,
    pub limiter: Limiter,
    pub at_least: bool,
}

/// Below `bytes` the operations cap binds, above it the bandwidth cap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crossover {
    pub direction: Direction,
    pub bytes: f64,
}

/// The depth that fills the cap: `star` = cap × base latency, `ninety` = least depth with 90 % of the cap.
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

/// The caps that one direction shows, with what they are told by.
pub(super) struct Caps<'f> {
    run: &'f Run,
    figures: &'f Figures,
    direction: Direction,
    /// Latency of one I/O at a time.
    base_ns: Option<f64>,
    operations: Option<Cap>,
    bytes: Option<Cap>,
}

/// The caps of `direction`.
pub(super) fn caps<'f>(run: &'f Run, figures: &'f Figures, direction: Direction) -> Caps<'f> {
    let base_ns = base_latency_ns(&figures.latencies, &figures.depths, direction);
    let operations = figures.iops_cap(direction);
    let bytes = figures
        .bandwidth_cap(direction)
        .filter(|_| !ops_bind_everywhere(&figures.blocks, direction, operations));
    Caps { run, figures, direction, base_ns, operations, bytes }
}

/// Whether even the largest block is held by the operations cap: then its bytes say nothing about bandwidth.
fn ops_bind_everywhere(blocks: &[Point], direction: Direction, iops: Option<Cap>) -> bool {
    let largest = of(blocks, direction, |point| point.block).last().copied();
    largest.zip(iops).is_some_and(|(point, cap)| point.iops.value >= cap.level.value * (1.0 - PLATEAU))
}

/// The cap on operations.
pub(super) fn operations(caps: &Caps<'_>) -> Option<Found<IopsCap>> {
    let Cap { level, at_least, .. } = caps.operations?;
    let on = on_level(&caps.figures.depths, caps.direction, |point| point.iops.value, level);
    let limiter = limiter(&on, caps.base_ns);
    let meaning = IopsCap { direction: caps.direction, cap: level, limiter, at_least };
    Some(found(caps, meaning, &on, confidence(limiter, at_least)))
}

/// The cap on bytes.
pub(super) fn bandwidth(caps: &Caps<'_>) -> Option<Found<BandwidthCap>> {
    let Cap { level, at_least, .. } = caps.bytes?;
    let on = on_level(&caps.figures.blocks, caps.direction, |point| point.bytes_per_second.value, level);
    let limiter = limiter(&on, caps.base_ns);
    let meaning = BandwidthCap { direction: caps.direction, cap: level, limiter, at_least };
    Some(found(caps, meaning, &on, confidence(limiter, at_least)))
}

/// Where the one cap gives way to the other.
pub(super) fn crossover(caps: &Caps<'_>) -> Option<Found<Crossover>> {
    let known = |cap: Option<Cap>| cap.filter(|cap| !cap.at_least).map(|cap| cap.level.value);
    let (operations, bytes) = known(caps.operations).zip(known(caps.bytes))?;
    let meaning = Crossover { direction: caps.direction, bytes: bytes / operations };
    Some(Found::at_large(meaning, Confidence::Likely))
}

/// The depth that fills the cap on operations.
pub(super) fn filling_depth(caps: &Caps<'_>) -> Option<Found<FillingDepth>> {
    let cap = caps.operations.filter(|cap| !cap.at_least)?.level.value;
    let base_latency_ns = caps.base_ns?;
    let star = cap * base_latency_ns / 1e9;
    let ninety = ninety(&caps.figures.depths, caps.direction, cap, star)?;
    let meaning = FillingDepth { direction: caps.direction, star, ninety, base_latency_ns };
    Some(Found::at_large(meaning, Confidence::Likely))
}

fn found<K>(caps: &Caps<'_>, meaning: K, on: &[&Point], confidence: Confidence) -> Found<K> {
    Found { meaning, evidence: evidence(caps.run, on), confidence }
}

/// Whether something meters or a busy device shows: the index where it is defined, else the queueing at a flat rate.
fn limiter(plateau: &[&Point], base_ns: Option<f64>) -> Limiter {
    let indices: Vec<f64> = plateau.iter().filter_map(|point| point.limiter_index).collect();
    let queued =
        base_ns.is_some_and(|base| plateau.iter().any(|point| point.latency_ns_mean > QUEUED * base));
    match median(&indices) {
        Some(index) if index < METERED => Limiter::Metered,
        Some(index) if index > SATURATED => Limiter::Saturated,
        None if queued => Limiter::Metered,
        Some(_) | None => Limiter::Unclear,
    }
}

fn confidence(limiter: Limiter, at_least: bool) -> Confidence {
    match (limiter, at_least) {
        (Limiter::Metered, false) => Confidence::Likely,
        (Limiter::Metered, true) | (Limiter::Saturated | Limiter::Unclear, _) => Confidence::Possible,
    }
}

/// Least depth with 90 % of the cap, interpolated in the logarithm of the depth; where the first rung already has it, by
/// the base latency, at most that rung.
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
