//! The caps of a map in one direction, from the findings of its run, each with what limits it.

use serde::{Deserialize, Serialize};
use workload::Direction;

use super::disturbed::{Looks, UndisturbedLevel};
use super::unit::UnitOfMap;
use super::way::Way;
use crate::causes::cause::{Charge, LevelUnit};
use crate::estimate::Estimate;
use crate::finding::Confidence;
use crate::findings::Meaning;
use crate::findings::open_question::Question;
use crate::plateaus::Cap;
use crate::step_figures::Point;

/// What limits a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldBy {
    /// A meter of the level's unit: a cap.
    Meter,
    /// Operations that are charged by their size.
    Unit,
    /// The device is busy.
    Device,
    /// plimsoll's own depth, bytes in flight or CPU: more may be possible.
    Generator,
    /// A limit or a queue of this machine.
    Machine,
    /// The bytes of small blocks, which limit the operations.
    Bytes,
    /// Unknown: no probe decided it.
    Open,
}

/// A level that more depth or larger blocks do not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapOfMap {
    /// Operations or bytes per second.
    pub level: Estimate,
    /// Whether the level is only a lower bound.
    pub at_least: bool,
    /// What limits the level.
    pub held_by: HeldBy,
    /// Confidence in what limits the level.
    pub confidence: Confidence,
}

/// One finding's statement about one level.
struct LevelStatement {
    direction: Direction,
    counted: LevelUnit,
    level: Estimate,
    held_by: HeldBy,
    at_least: bool,
}

/// Returns the greatest rate of small I/Os.
pub(super) fn operations(way: &Way<'_>, looks: &Looks) -> Option<CapOfMap> {
    let own = way.figures.iops_cap(way.direction);
    level(way, LevelUnit::Operations).map(|cap| without(of_all(cap, own, looks), looks.undisturbed.as_ref()))
}

/// Returns the greatest rate of bytes per second.
pub(super) fn bytes(way: &Way<'_>, looks: &Looks) -> Option<CapOfMap> {
    let own = way.figures.bandwidth_cap(way.direction);
    // The level computed from units is only as precise as rules can be distinguished; the measured one is more precise.
    let as_measured = |cap: CapOfMap| match own.filter(|own| !own.at_least && cap.held_by == HeldBy::Unit) {
        Some(own) => CapOfMap { level: own.level, ..cap },
        None => cap,
    };
    let cap = level(way, LevelUnit::Bytes).map(as_measured)?;
    Some(without(of_all(cap, own, looks), looks.undisturbed.as_ref()))
}

/// Replaces a lower bound by the level. If the cause of a level is open, the least rate of any load is reported; a map
/// measures it often enough to know the mean, unless the rate still rises with depth, or plimsoll slowed most loads.
fn of_all(cap: CapOfMap, own: Option<Cap>, looks: &Looks) -> CapOfMap {
    let known = |own: &Cap| !own.at_least && own.level.half_width() <= KNOWN * own.level.value;
    let is_least = cap.held_by == HeldBy::Open && cap.at_least && looks.are_of_volume;
    match own.filter(|own| is_least && known(own)) {
        Some(own) => CapOfMap { level: own.level, at_least: false, ..cap },
        None => cap,
    }
}

/// Returns the level without disturbed loads. If only these made it a lower bound, it is not one any more.
fn without(cap: CapOfMap, undisturbed: Option<&UndisturbedLevel>) -> CapOfMap {
    let Some(UndisturbedLevel { level, .. }) = undisturbed.filter(|_| cap.held_by != HeldBy::Generator)
    else {
        return cap;
    };
    let at_least = cap.at_least && level.half_width() > KNOWN * level.value;
    CapOfMap { level: *level, at_least, ..cap }
}

/// Returns a level by what limits it, or else by how operations are charged, or else as left open.
fn level(way: &Way<'_>, counted: LevelUnit) -> Option<CapOfMap> {
    let said = |of: fn(&Meaning) -> Option<LevelStatement>| {
        way.findings.iter().find_map(|finding| {
            let said = of(&finding.meaning)
                .filter(|said| said.direction == way.direction && said.counted == counted)?;
            let LevelStatement { level, held_by, at_least, .. } = said;
            // A finding that a question is open is certain about nothing but that.
            let most = if held_by == HeldBy::Bytes { Confidence::Possible } else { Confidence::Certain };
            let most = if level.half_width() > EVEN * level.value { Confidence::Possible } else { most };
            Some(CapOfMap { level, at_least, held_by, confidence: finding.confidence.min(most) })
        })
    };
    said(held).or_else(|| said(charged)).or_else(|| said(open)).or_else(|| said(charged_whole))
}

fn held(meaning: &Meaning) -> Option<LevelStatement> {
    use LevelUnit::{Bytes, Operations};
    let (direction, counted, level, held_by) = match meaning {
        Meaning::IopsCap(found) => (found.direction, Operations, found.cap, HeldBy::Meter),
        Meaning::BandwidthCap(found) => (found.direction, Bytes, found.cap, HeldBy::Meter),
        Meaning::Saturation(found) => (found.direction, found.counted, found.level, HeldBy::Device),
        Meaning::DepthBound(found) => (found.direction, Operations, found.level, HeldBy::Generator),
        Meaning::InFlightBound(found) => (found.direction, Bytes, found.level, HeldBy::Generator),
        Meaning::CpuBound(found) => (found.direction, found.counted, found.level, HeldBy::Generator),
        Meaning::MachineLimit(found) => (found.direction, found.counted, found.level, HeldBy::Machine),
        Meaning::KernelQueue(found) => (found.direction, Operations, found.level, HeldBy::Machine),
        _ => return None,
    };
    let at_least = matches!(held_by, HeldBy::Generator);
    Some(LevelStatement { direction, counted, level, held_by, at_least })
}

/// Returns the bytes that follow from the operations of a unit.
fn charged(meaning: &Meaning) -> Option<LevelStatement> {
    let Meaning::AccountingUnit(found) = meaning else { return None };
    let (unit, operations) = (found.unit as f64, found.operations);
    let level = Estimate { value: found.bytes, low: operations.low * unit, high: operations.high * unit };
    let (direction, counted) = (found.direction, LevelUnit::Bytes);
    Some(LevelStatement { direction, counted, level, held_by: HeldBy::Unit, at_least: false })
}

/// Returns small operations that are charged as a whole unit, if no other finding states their level.
fn charged_whole(meaning: &Meaning) -> Option<LevelStatement> {
    let Meaning::AccountingUnit(found) = meaning else { return None };
    let (direction, counted, level) = (found.direction, LevelUnit::Operations, found.operations);
    Some(LevelStatement { direction, counted, level, held_by: HeldBy::Unit, at_least: false })
}

/// Returns a level whose cause is open.
fn open(meaning: &Meaning) -> Option<LevelStatement> {
    let Meaning::NotIdentifiable(found) = meaning else { return None };
    let held_by = match found.question {
        Question::Holds => HeldBy::Open,
        Question::Below => HeldBy::Bytes,
        Question::Charged | Question::Shared => return None,
    };
    let (direction, counted, level) = (found.direction?, found.counted, found.level);
    Some(LevelStatement { direction, counted, level, held_by, at_least: found.at_least })
}

/// The block size at which operations give way to bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crossing {
    /// Bytes of the block at which both levels meet; its interval is that of the quotient of two levels that were
    /// measured separately.
    pub at: Estimate,
    /// The lower of both caps' confidences; possible if only the rates turn there, whatever limits them.
    pub confidence: Confidence,
}

/// The caps and the unit that determine the corner.
#[derive(Clone, Copy)]
pub(super) struct Caps<'c> {
    pub operations: Option<&'c CapOfMap>,
    pub bytes: Option<&'c CapOfMap>,
    pub unit: Option<&'c UnitOfMap>,
}

/// Distance of a block from the model of both levels, beyond its interval, as a share, for another limit to apply.
const FITS: f64 = 0.04;
/// Half-width, as a share of the level, above which a pace is not even: what limits it may change with time.
const EVEN: f64 = 0.03;
/// Block sizes a little above a unit, as multiples of it: charged as two units, they have half the rate.
const JUST_ABOVE: std::ops::Range<f64> = 1.01..1.5;
/// Half-width, as a share of the level, above which a level is not precise enough to give a size.
const KNOWN: f64 = 0.15;

/// Returns the block size at which the caps meet, if there is no unit below it: with a unit, operations limit the
/// bytes, and there is no such block.
pub(super) fn crossover(way: &Way<'_>, caps: Caps<'_>, points: &[&Point]) -> Option<Crossing> {
    let (operations, bytes) = (caps.operations?, caps.bytes?);
    let at = Estimate {
        value: bytes.level.value / operations.level.value,
        low: bytes.level.low / operations.level.high,
        high: bytes.level.high / operations.level.low.max(f64::MIN_POSITIVE),
    };
    // Units charged by size turn the rate where bytes would; units charged in full leave no such block. Blocks a little
    // above one unit distinguish the two.
    let above = points.iter().any(|point| JUST_ABOVE.contains(&(point.block as f64 / at.value)));
    let whole = caps.unit.is_none_or(|unit| match unit.charge {
        Charge::Proportional => true,
        Charge::Unknown => above,
        Charge::Ceil => unit.bytes as f64 >= at.value && bytes.held_by != HeldBy::Unit,
    });
    let told = way.findings.iter().any(
        |finding| matches!(&finding.meaning, Meaning::Crossover(found) if found.direction == way.direction),
    );
    let confidence = match told {
        true => operations.confidence.min(bytes.confidence),
        false if turns((operations, bytes), at.value, points) => Confidence::Possible,
        false => return None,
    };
    (whole && at.high.is_finite()).then_some(Crossing { at, confidence })
}

/// Whether the rates themselves turn where two levels meet: the deepest load of every block has the smaller of both,
/// and there are blocks well on either side.
fn turns((operations, bytes): (&CapOfMap, &CapOfMap), at: f64, points: &[&Point]) -> bool {
    let known = |cap: &CapOfMap| !cap.at_least && cap.level.half_width() <= KNOWN * cap.level.value;
    let full: Vec<&Point> =
        points.chunk_by(|a, b| a.block == b.block).filter_map(|block| block.last().copied()).collect();
    let fits = |point: &&Point| {
        let expected = operations.level.value.min(bytes.level.value / point.block as f64);
        let within = FITS + point.iops.half_width() / point.iops.value;
        (point.iops.value / expected - 1.0).abs() <= within
    };
    let beside =
        |least: f64, most: f64| full.iter().any(|point| (least..most).contains(&(point.block as f64 / at)));
    let both = beside(0.0, 0.8) && beside(1.25, f64::INFINITY) && beside(0.5, 2.0);
    known(operations) && known(bytes) && both && full.iter().all(fits)
}
