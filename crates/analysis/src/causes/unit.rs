//! In what units operations are charged, by what blocks of several lengths reach.
//!
//! Three models are held against the rate of every block: a cap on bytes beside the one on operations, `min(C, B/b)`; units that
//! count whole once begun, `C / ceil(b/u)`; and both. The first is also what units charged by size give to I/Os of one size, so
//! these two are never told apart by such loads.

use super::operations::same;
use super::{Cause, Charge, Charged, Held, Load, SAME, Way, evidence};
use crate::finding::Confidence;

/// Smallest and largest unit that is thought of, in powers of two.
const UNITS: std::ops::RangeInclusive<u32> = 12..=20;
/// What blocks are off every rule by less than this, beyond whole operations, is no sign that none holds them.
const RESOLVED: f64 = 0.01;
/// Operations by which a count may be off at its two edges.
const EDGES: f64 = 2.0;
/// Time by size holds the blocks where it leaves this share of what the best rule leaves.
const CLEARER: f64 = 0.5;
/// Where a unit counts whole once begun, a block a little above it has half the rate that bytes alone would leave it. What is off these
/// by less may be noise.
const CLEAR: f64 = 0.1;
/// A level of bytes this near to operations of a power of two bytes may be one of units.
const POWER: f64 = SAME;

/// What the blocks say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Told {
    /// A cap on bytes that is no multiple of the operations by a power of two.
    Bytes,
    /// Units, and whether a cap on bytes binds beside them.
    Units { unit: u64, charge: Charge },
    /// Neither fits: no such rule holds the blocks.
    Neither,
}

/// The rates of blocks against the level of small ones.
pub(super) struct Blocks<'b> {
    /// Operations a second of the smallest.
    pub operations: f64,
    /// For each block its deepest load, rising.
    pub loads: &'b [&'b Load<'b>],
    /// Bytes a second of the largest, where they are level.
    pub bytes: Option<f64>,
}

impl Blocks<'_> {
    /// Whether every block has the rate that `model` gives it, as a share of the operations.
    fn fits(&self, model: impl Fn(f64) -> f64) -> bool {
        let off = |load: &&Load<'_>| {
            let expected = model(load.point.block as f64);
            let within = SAME.max(2.0 * load.point.iops.half_width() / load.point.iops.value);
            (load.point.iops.value / self.operations / expected - 1.0).abs() > within
        };
        !self.loads.iter().any(off)
    }

    /// How far the rates are off what `model` gives, beyond what whole operations leave open: that of the worst block.
    fn misfit(&self, model: impl Fn(f64) -> f64) -> f64 {
        let off = |load: &&Load<'_>| {
            let (rate, seconds) = (load.point.iops.value, load.point.seconds);
            let off = (rate / self.operations / model(load.point.block as f64) - 1.0).abs();
            (off - EDGES / (rate * seconds)).max(0.0)
        };
        self.loads.iter().map(off).fold(0.0, f64::max)
    }

    /// Whether each I/O taking time of its own and time by its size, as a server does, makes these rates clearly better than a rule
    /// of bytes or of units: a server of an even pace pins its counts as a meter does.
    pub fn take_time(&self) -> bool {
        let Some((first, last)) = self.loads.first().zip(self.loads.last()) else { return false };
        let (shortest, longest) = (first.point.block as f64, last.point.block as f64);
        let slower = self.operations / last.point.iops.value - 1.0;
        let by_size = |block: f64| 1.0 / (1.0 + slower * (block - shortest) / (longest - shortest).max(1.0));
        let of_unit = |unit: f64| {
            let whole = move |block: f64| 1.0 / (block / unit).ceil();
            self.misfit(whole).min(self.misfit(|block| whole(block).min(self.room(block))))
        };
        let by_bytes = self.misfit(|block| self.room(block).min(1.0));
        let rule = UNITS.map(|power| of_unit((1u64 << power) as f64)).fold(by_bytes, f64::min);
        rule > RESOLVED && self.misfit(by_size) <= CLEARER * rule
    }

    /// The share of the operations that the level of bytes leaves to a block.
    fn room(&self, block: f64) -> f64 {
        self.bytes.map_or(1.0, |bytes| bytes / (block * self.operations))
    }

    /// The units by which every block fits, with a cap on bytes beside them or without.
    fn units(&self) -> Vec<u64> {
        let fits = |unit: f64| {
            let whole = |block: f64| 1.0 / (block / unit).ceil();
            self.fits(whole) || self.fits(|block| whole(block).min(self.room(block)))
        };
        let longest = self.loads.last().map_or(0, |load| load.point.block);
        UNITS.map(|power| 1u64 << power).filter(|unit| *unit < longest && fits(*unit as f64)).collect()
    }

    /// The power of two of which the level of bytes is that many operations.
    pub fn power(&self) -> Option<u64> {
        nearest(self.bytes? / self.operations)
    }

    /// What they say.
    pub fn told(&self) -> Told {
        let by_bytes = self.fits(|block| self.room(block).min(1.0));
        let units = self.units();
        match (by_bytes, self.power(), units.as_slice()) {
            (true, None, _) => Told::Bytes,
            (true, Some(unit), whole) => {
                let charge = if whole.contains(&unit) { Charge::Unknown } else { Charge::Proportional };
                Told::Units { unit, charge }
            }
            (false, _, [unit]) if self.misfit(|block| self.room(block).min(1.0)) > CLEAR => {
                Told::Units { unit: *unit, charge: Charge::Ceil }
            }
            (false, Some(unit), [one]) if unit == *one => Told::Units { unit, charge: Charge::Unknown },
            (false, _, _) => Told::Neither,
        }
    }
}

/// The unit that so many bytes are.
pub(super) fn nearest(bytes: f64) -> Option<u64> {
    UNITS.map(|power| 1u64 << power).find(|unit| (bytes / *unit as f64 - 1.0).abs() <= POWER)
}

/// The unit in which the operations of `way` are charged, where the blocks tell or offer one.
pub(super) fn charged(way: &Way<'_>, operations: &Held) -> Option<Charged> {
    if matches!(
        operations.cause,
        Cause::Depth { .. } | Cause::Cpu { .. } | Cause::Other | Cause::Queue { .. }
    ) {
        return None;
    }
    let told = match operations.cause {
        Cause::Unit { unit, charge } => Told::Units { unit, charge },
        _ => told(way, operations.level.value),
    };
    let Told::Units { unit, charge } = told else { return None };
    let at = |load: &&Load<'_>| load.point.block >= unit;
    let on: Vec<&Load<'_>> = way.loads.deepest(way.direction).into_iter().filter(at).collect();
    let shown = match operations.cause {
        Cause::Meter => charge == Charge::Ceil,
        Cause::Unit { .. } => true,
        _ => false,
    };
    Some(Charged {
        direction: way.direction,
        unit,
        charge,
        operations: operations.level,
        evidence: evidence(&on),
        confidence: if shown { operations.confidence } else { Confidence::Possible },
    })
}

/// Whether units of this kind are all that holds `bytes` a second.
pub(super) fn explains(charged: &Charged, bytes: f64) -> bool {
    same(charged.operations.value * charged.unit as f64, bytes)
}

/// Whether it still stands once the causes of the levels of `way` are known: units that were not seen to count whole are only
/// another reading of them.
pub(super) fn stands(charged: &Charged, held: &[&Held]) -> bool {
    charged.charge == Charge::Ceil || held.iter().any(|held| matches!(held.cause, Cause::Unit { .. }))
}

/// What the blocks of `way` say of units, where small ones reach `operations`.
pub(super) fn told(way: &Way<'_>, operations: f64) -> Told {
    let loads = way.loads.deepest(way.direction);
    Blocks { operations, loads: &loads, bytes: bytes(way) }.told()
}

/// Whether the blocks of `way` take time by their size, where small ones reach `operations`.
pub(super) fn take_time(way: &Way<'_>, operations: f64) -> bool {
    let loads = way.loads.deepest(way.direction);
    Blocks { operations, loads: &loads, bytes: bytes(way) }.take_time()
}

fn bytes(way: &Way<'_>) -> Option<f64> {
    super::bytes::level(way).map(|cap| cap.level.value)
}
