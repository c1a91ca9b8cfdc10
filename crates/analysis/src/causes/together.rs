//! Whether reads and writes share one budget or have one each, from the rates of their mixes.

use statistics::metered::{Metering, metered_at_one_level};
use workload::Direction;

use super::Causes;
use super::alike::same;
use super::cause::{Cause, LevelUnit, LimitedLevel, Tells};
use super::loads::{Load, MixedLoad};
use crate::claims::LASTS_S;
use crate::counts::window;
use crate::estimate::Estimate;
use crate::finding::{Confidence, Evidence};

/// Least ratio of the two predictions at which a mix can decide between them.
const APART: f64 = 1.1;
/// Least multiple of the base latency at which a mix fills the volume.
const FILLS: f64 = 1.5;

/// Whether reads and writes share one budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Together {
    /// They share one budget.
    Shared,
    /// Each has its own budget.
    Separate,
    /// Unknown: no mix showed it.
    Open,
}

/// The evidence of the mixes of one block size.
#[derive(Clone, Debug)]
pub(crate) struct Sharing {
    pub block: u64,
    pub counted: LevelUnit,
    pub together: Together,
    /// Rates of reads and of writes alone, I/Os per second.
    pub alone: (f64, f64),
    /// Rate of the mixes, I/Os per second of both directions: the greatest if each direction has its budget, otherwise the mean.
    pub mixed: Estimate,
    pub tells: Vec<Tells>,
    pub evidence: Vec<Evidence>,
    pub confidence: Confidence,
}

impl Sharing {
    /// Returns the rate of the mixes in the unit counted.
    pub fn level(&self) -> Estimate {
        self.mixed.times(if self.counted == LevelUnit::Bytes { self.block as f64 } else { 1.0 })
    }
}

/// Returns the evidence of the mixes of each block size.
pub(crate) fn sharing(causes: &Causes<'_>) -> Vec<Sharing> {
    let mut blocks: Vec<u64> = causes.loads.mixed.iter().map(|mixed| mixed.block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks.into_iter().filter_map(|block| of_block(causes, block)).collect()
}

fn of_block(causes: &Causes<'_>, block: u64) -> Option<Sharing> {
    let alone = (alone(causes, Direction::Read, block)?, alone(causes, Direction::Write, block)?);
    let mixes: Vec<&MixedLoad<'_>> = causes.loads.mixed.iter().filter(|mixed| mixed.block == block).collect();
    let together = together(causes, &mixes, alone);
    let rates = || mixes.iter().map(|mixed| mixed.rate);
    let low = rates().map(|rate| rate.low).fold(f64::INFINITY, f64::min);
    let high = rates().map(|rate| rate.high).fold(0.0, f64::max);
    let most = rates().map(|rate| rate.value).fold(0.0, f64::max);
    let mean = rates().map(|rate| rate.value).sum::<f64>() / mixes.len() as f64;
    // Of two budgets, a mix reaches as much as its shares let it; of one, all mixes reach the same.
    let value = if together == Together::Separate { most } else { mean };
    let tells = if together == Together::Open { vec![Tells::Mix] } else { Vec::new() };
    Some(Sharing {
        block,
        counted: counted(causes, block),
        together,
        alone,
        mixed: Estimate { value, low, high },
        tells,
        evidence: mixes.iter().map(|mixed| Evidence::of_step(mixed.step, "rate")).collect(),
        confidence: confidence(causes, &mixes, block),
    })
}

/// Returns the unit that limits I/Os of this block size: operations if they reach the level of small ones, or bytes.
fn counted(causes: &Causes<'_>, block: u64) -> LevelUnit {
    let held = causes.of_level(Direction::Read, LevelUnit::Operations);
    let rate = alone(causes, Direction::Read, block);
    // Operations of the block that they are counted in, whatever the moment did to their rate, unless bytes limit them already.
    let is_own = |held: &LimitedLevel| held.from == block && held.cause != Cause::Other;
    match held.zip(rate).is_some_and(|(held, rate)| is_own(held) || same(held.level.value, rate)) {
        true => LevelUnit::Operations,
        false => LevelUnit::Bytes,
    }
}

/// Returns the rate of I/Os of this block size in one direction alone, per second.
fn alone(causes: &Causes<'_>, direction: Direction, block: u64) -> Option<f64> {
    let deepest = causes.loads.deepest(direction);
    deepest.into_iter().find(|load: &&Load<'_>| load.point.block == block).map(|load| load.point.iops.value)
}

/// Returns the joint answer of all mixes that fill the volume; open if they disagree.
fn together(causes: &Causes<'_>, mixes: &[&MixedLoad<'_>], alone: (f64, f64)) -> Together {
    let bases = [Direction::Read, Direction::Write].map(|direction| {
        let latencies = &causes.figures.latencies;
        crate::plateaus::base_latency_ns(latencies, &causes.figures.depths, direction)
    });
    let base = bases.into_iter().flatten().fold(0.0, f64::max);
    let fills = |mixed: &&&MixedLoad<'_>| mixed.latency_ns >= FILLS * base;
    let told: Vec<Together> = mixes.iter().filter(fills).filter_map(|mixed| of_mix(mixed, alone)).collect();
    match told.first() {
        Some(first) if told.iter().all(|other| other == first) => *first,
        _ => Together::Open,
    }
}

/// Returns the answer of one mix. With one budget, each I/O costs what it costs alone; with one each, the fuller budget
/// limits both, because a mix keeps its shares.
fn of_mix(mixed: &MixedLoad<'_>, alone: (f64, f64)) -> Option<Together> {
    let shared = 1.0 / (mixed.reads / alone.0 + (1.0 - mixed.reads) / alone.1);
    let separate = (alone.0 / mixed.reads).min(alone.1 / (1.0 - mixed.reads));
    let apart = separate >= APART * shared;
    match (same(mixed.rate.value, shared), same(mixed.rate.value, separate)) {
        (true, false) if apart => Some(Together::Shared),
        (false, true) if apart => Some(Together::Separate),
        (false, false) => Some(Together::Open),
        _ => None,
    }
}

/// Returns the confidence, likely if the sum of both, measured long enough, or each alone shows a meter: a busy device is
/// shared too, and in a moment the rounds of its queue look as even as a meter.
fn confidence(causes: &Causes<'_>, mixes: &[&MixedLoad<'_>], block: u64) -> Confidence {
    let counted = counted(causes, block);
    let windows: Vec<_> = mixes.iter().map(|mixed| window(mixed.step)).collect();
    let lasted: f64 = windows.iter().map(|window| window.seconds * window.counts.len() as f64).sum();
    let pinned = lasted >= LASTS_S && metered_at_one_level(&windows).answer == Metering::Metered;
    let each = [Direction::Read, Direction::Write].into_iter().all(|way| causes.cap(way, counted).is_some());
    if pinned || each { Confidence::Likely } else { Confidence::Possible }
}
