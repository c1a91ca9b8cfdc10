//! The units in which operations are charged, from the rates of blocks of several sizes.
//!
//! Three models are compared with the rate of every block: a cap on bytes beside the one on operations, `min(C, B/b)`;
//! units that count in full once begun, `C / ceil(b/u)`; and both. Units charged by size give I/Os of one size the same
//! rates as the first, so such loads never distinguish these two.

use super::alike::{SAME, same};
use super::cause::{Cause, Charge, ChargeUnit, LimitedLevel};
use super::loads::{Load, evidence};
use super::way::Way;
use crate::finding::Confidence;

/// Smallest and largest unit considered, as powers of two: 4 KiB to 1 MiB.
const UNITS: std::ops::RangeInclusive<u32> = 12..=20;
/// Misfit, beyond whole operations, up to which blocks do not show that no rule of bytes or units limits them.
const RESOLVED: f64 = 0.01;
/// Possible error of a count at its two edges, in operations.
const EDGES: f64 = 2.0;
/// Ratio of the misfit of time by size to that of the best rule up to which it explains the blocks better.
const CLEARER: f64 = 0.5;
/// Misfit of bytes alone above which a unit is clear. A block a little above a unit that counts in full has half the
/// rate that bytes alone would allow; a smaller misfit may be noise.
const CLEAR: f64 = 0.1;
/// Share within which a level of bytes is the level of operations times a power of two, and may follow from units.
const POWER: f64 = SAME;

/// The rule that the rates of blocks show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum UnitAnswer {
    /// A cap on bytes that is not the operations times a power of two.
    Bytes,
    /// Units, charged as `charge` says; a cap on bytes may bind besides.
    Units { unit: u64, charge: Charge },
    /// Neither fits: no such rule limits the blocks.
    Neither,
}

/// The rates of blocks, compared with the level of small ones.
pub(super) struct Blocks<'b> {
    /// Operations per second of the smallest block.
    pub operations: f64,
    /// The deepest load of each block size, sizes rising.
    pub loads: &'b [&'b Load<'b>],
    /// Bytes per second of the largest block, if they have a level.
    pub bytes: Option<f64>,
}

impl Blocks<'_> {
    /// Whether every block has the rate of `model`, as a share of the operations.
    fn fits(&self, model: impl Fn(f64) -> f64) -> bool {
        let off = |load: &&Load<'_>| {
            let expected = model(load.point.block as f64);
            let within = SAME.max(2.0 * load.point.iops.half_width() / load.point.iops.value);
            (load.point.iops.value / self.operations / expected - 1.0).abs() > within
        };
        !self.loads.iter().any(off)
    }

    /// Returns the greatest distance of a block from the rate of `model`, beyond the error of whole operations.
    fn misfit(&self, model: impl Fn(f64) -> f64) -> f64 {
        let off = |load: &&Load<'_>| {
            let (rate, seconds) = (load.point.iops.value, load.point.seconds);
            let off = (rate / self.operations / model(load.point.block as f64) - 1.0).abs();
            (off - EDGES / (rate * seconds)).max(0.0)
        };
        self.loads.iter().map(off).fold(0.0, f64::max)
    }

    /// Whether a server, which takes time for each I/O and time by its size, explains these rates clearly better than a
    /// rule of bytes or of units: a server of even pace pins its counts as a meter does.
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

    /// Returns the share of the operations that the level of bytes allows a block.
    fn room(&self, block: f64) -> f64 {
        self.bytes.map_or(1.0, |bytes| bytes / (block * self.operations))
    }

    /// Returns the units with which every block fits, with or without a cap on bytes.
    fn units(&self) -> Vec<u64> {
        let fits = |unit: f64| {
            let whole = |block: f64| 1.0 / (block / unit).ceil();
            self.fits(whole) || self.fits(|block| whole(block).min(self.room(block)))
        };
        let longest = self.loads.last().map_or(0, |load| load.point.block);
        UNITS.map(|power| 1u64 << power).filter(|unit| *unit < longest && fits(*unit as f64)).collect()
    }

    /// Returns the level of bytes per operation, if it is a power of two.
    pub fn power(&self) -> Option<u64> {
        nearest(self.bytes? / self.operations)
    }

    /// Whether blocks of `unit` have the rate of small ones, and blocks a little above it half of that.
    fn is_probed(&self, unit: u64) -> bool {
        let has = |blocks: std::ops::RangeInclusive<u64>, share: f64| {
            let at = |load: &&&Load<'_>| same(load.point.iops.value, share * self.operations);
            self.loads.iter().filter(|load| blocks.contains(&load.point.block)).any(|load| at(&load))
        };
        has(unit..=unit, 1.0) && has(unit + 1..=unit + unit / 2, 0.5)
    }

    /// Whether a block above `unit` has a lower rate than small ones.
    fn is_slower_above(&self, unit: u64) -> bool {
        let slower = |load: &&&Load<'_>| !same(load.point.iops.value, self.operations);
        self.loads.iter().filter(|load| load.point.block > unit).any(|load| slower(&load))
    }

    /// Returns the rule that the blocks show.
    pub fn told(&self) -> UnitAnswer {
        let by_bytes = self.fits(|block| self.room(block).min(1.0));
        let units = self.units();
        match (by_bytes, self.power(), units.as_slice()) {
            (true, None, _) => UnitAnswer::Bytes,
            // Larger blocks with the rate of small ones are charged no more.
            (true, Some(unit), _) if !self.is_slower_above(unit) => UnitAnswer::Bytes,
            (true, Some(unit), whole) => {
                let charge = if whole.contains(&unit) { Charge::Unknown } else { Charge::Proportional };
                UnitAnswer::Units { unit, charge }
            }
            (false, _, [unit])
                if self.is_probed(*unit) && self.misfit(|block| self.room(block).min(1.0)) > CLEAR =>
            {
                UnitAnswer::Units { unit: *unit, charge: Charge::Ceil }
            }
            (false, Some(unit), [one]) if unit == *one => UnitAnswer::Units { unit, charge: Charge::Unknown },
            (false, _, _) => UnitAnswer::Neither,
        }
    }
}

/// Returns the unit that is `bytes` long, within `POWER`.
pub(super) fn nearest(bytes: f64) -> Option<u64> {
    UNITS.map(|power| 1u64 << power).find(|unit| (bytes / *unit as f64 - 1.0).abs() <= POWER)
}

/// Returns the unit in which the operations of `way` are charged, if the blocks show or suggest one.
pub(super) fn charged(way: &Way<'_>, operations: &LimitedLevel) -> Option<ChargeUnit> {
    if matches!(
        operations.cause,
        Cause::Depth { .. } | Cause::Cpu { .. } | Cause::Other | Cause::Queue { .. }
    ) {
        return None;
    }
    let told = match operations.cause {
        Cause::Unit { unit, charge } => UnitAnswer::Units { unit, charge },
        _ => told(way, operations.level.value),
    };
    let UnitAnswer::Units { unit, charge } = told else { return None };
    let shown = charge == Charge::Ceil;
    if shown && !matches!(operations.cause, Cause::Meter | Cause::Unit { .. }) {
        return None;
    }
    // As many bytes at the smallest block as at any other are a limit in bytes.
    if !shown && unit <= operations.from {
        return None;
    }
    let at = |load: &&Load<'_>| load.point.block >= unit;
    let on: Vec<&Load<'_>> = way.loads.deepest(way.direction).into_iter().filter(at).collect();
    let is_sure = match operations.cause {
        Cause::Meter => shown,
        Cause::Unit { .. } => true,
        _ => false,
    };
    Some(ChargeUnit {
        direction: way.direction,
        unit,
        charge,
        operations: operations.level,
        evidence: evidence(&on),
        confidence: if is_sure { operations.confidence } else { Confidence::Possible },
    })
}

/// Whether units of this kind alone give `bytes` per second.
pub(super) fn explains(charged: &ChargeUnit, bytes: f64) -> bool {
    same(charged.operations.value * charged.unit as f64, bytes)
}

/// Whether a unit remains once the causes of the levels of `way` are known: units not shown to count in full are only
/// another reading of these levels.
pub(super) fn stands(charged: &ChargeUnit, held: &[&LimitedLevel]) -> bool {
    charged.charge == Charge::Ceil || held.iter().any(|held| matches!(held.cause, Cause::Unit { .. }))
}

/// Returns the rule that the blocks of `way` show, if small ones reach `operations`.
pub(super) fn told(way: &Way<'_>, operations: f64) -> UnitAnswer {
    let loads = way.loads.deepest(way.direction);
    Blocks { operations, loads: &loads, bytes: bytes(way) }.told()
}

/// Whether the blocks of `way` take time by their size, if small ones reach `operations`.
pub(super) fn take_time(way: &Way<'_>, operations: f64) -> bool {
    let loads = way.loads.deepest(way.direction);
    Blocks { operations, loads: &loads, bytes: bytes(way) }.take_time()
}

fn bytes(way: &Way<'_>) -> Option<f64> {
    way.bytes_level().map(|cap| cap.level.value)
}
