//! What an analysis reports, in the terms of the judgements.

use analysis::findings::{Crossover, Question};
use analysis::{Analysis, Charge, Confidence, Estimate, LatencyRole, LatencyRow, LevelUnit, Meaning};
use workload::Direction;

use crate::judge::{Cause, Figure};

/// A change that was reported.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// When it happened, in seconds of the run: no earlier than the first, no later than the second.
    pub at: (f64, f64),
    pub likeliest: f64,
    pub before: f64,
    pub after: f64,
    pub confidence: Confidence,
}

/// Returns what is reported of the greatest rate of small I/Os.
pub fn operations(found: &Analysis, direction: Direction) -> Option<Figure> {
    level(found, direction, LevelUnit::Operations)
}

/// Returns what is reported of the greatest rate of bytes.
pub fn bytes(found: &Analysis, direction: Direction) -> Option<Figure> {
    level(found, direction, LevelUnit::Bytes)
}

/// Returns what is reported of one level: its limit, or else how long operations are charged, or else an open
/// level, or else how short operations are charged.
fn level(found: &Analysis, direction: Direction, counted: LevelUnit) -> Option<Figure> {
    let said = |of: fn(&Meaning) -> Option<LevelStatement>| {
        let mut findings = found.findings.iter();
        findings.find_map(|finding| {
            let said =
                of(&finding.meaning).filter(|said| (said.direction, said.counted) == (direction, counted))?;
            let LevelStatement { level, at_least, cause, .. } = said;
            let (value, low, high) = level;
            Some(Figure { value, low, high, at_least, cause, confidence: finding.confidence })
        })
    };
    said(held).or_else(|| said(charged)).or_else(|| said(open)).or_else(|| said(charged_whole))
}

/// One level as a finding reports it.
struct LevelStatement {
    direction: Direction,
    counted: LevelUnit,
    /// Value, low and high end.
    level: (f64, f64, f64),
    at_least: bool,
    cause: Cause,
}

fn held(meaning: &Meaning) -> Option<LevelStatement> {
    let of = |(direction, counted): (Direction, LevelUnit), level: Estimate, cause: Cause| {
        let level = (level.value, level.low, level.high);
        Some(LevelStatement { direction, counted, level, at_least: cause == Cause::InFlight, cause })
    };
    match meaning {
        Meaning::IopsCap(found) => of((found.direction, LevelUnit::Operations), found.cap, Cause::Operations),
        Meaning::BandwidthCap(found) => of((found.direction, LevelUnit::Bytes), found.cap, Cause::Bytes),
        Meaning::Saturation(found) => of((found.direction, found.counted), found.level, Cause::Servers),
        Meaning::DepthBound(found) => {
            of((found.direction, LevelUnit::Operations), found.level, Cause::InFlight)
        }
        Meaning::InFlightBound(found) => {
            of((found.direction, LevelUnit::Bytes), found.level, Cause::InFlight)
        }
        Meaning::CpuBound(found) => of((found.direction, found.counted), found.level, Cause::InFlight),
        _ => None,
    }
}

fn how(charge: Charge) -> Cause {
    match charge {
        Charge::Ceil => Cause::Unit,
        Charge::Proportional | Charge::Unknown => Cause::UnitOrBytes,
    }
}

/// Reads small operations that are charged as a whole unit, used if nothing else is reported of them.
fn charged_whole(meaning: &Meaning) -> Option<LevelStatement> {
    let Meaning::AccountingUnit(found) = meaning else { return None };
    let (direction, counted, cause) = (found.direction, LevelUnit::Operations, how(found.charge));
    let level = (found.operations.value, found.operations.low, found.operations.high);
    Some(LevelStatement { direction, counted, level, at_least: false, cause })
}

/// Reads the bytes that operations of a unit amount to.
fn charged(meaning: &Meaning) -> Option<LevelStatement> {
    let Meaning::AccountingUnit(found) = meaning else { return None };
    let cause = how(found.charge);
    let (unit, operations) = (found.unit as f64, &found.operations);
    let level = (found.bytes, operations.low * unit, operations.high * unit);
    Some(LevelStatement {
        direction: found.direction,
        counted: LevelUnit::Bytes,
        level,
        at_least: false,
        cause,
    })
}

/// Reads a level whose cause is left open.
fn open(meaning: &Meaning) -> Option<LevelStatement> {
    let Meaning::NotIdentifiable(found) = meaning else { return None };
    let cause = match found.question {
        Question::Holds => Cause::Unknown,
        Question::Below => Cause::Bytes,
        Question::Charged | Question::Shared => return None,
    };
    let level = (found.level.value, found.level.low, found.level.high);
    let (direction, counted, at_least) = (found.direction?, found.counted, found.at_least);
    Some(LevelStatement { direction, counted, level, at_least, cause })
}

/// Returns the size above which bytes are said to be the limit.
pub fn crossover(found: &Analysis, direction: Direction) -> Option<(f64, Confidence)> {
    found.findings.iter().find_map(|finding| match &finding.meaning {
        Meaning::Crossover(Crossover { direction: of, bytes }) if *of == direction => {
            Some((*bytes, finding.confidence))
        }
        _ => None,
    })
}

/// Returns every change of the rate that is reported: falls, rises, and waves with the time over which they were
/// seen.
pub fn changes(found: &Analysis) -> Vec<Change> {
    let of = |finding: &analysis::Finding| {
        let mut likeliest = None;
        let (at, before, after) = match &finding.meaning {
            Meaning::StepDown(fall) => {
                likeliest = Some(fall.at);
                ((fall.from, fall.to), fall.before.value, fall.after.value)
            }
            Meaning::StepUp(rise) => {
                likeliest = Some(rise.at);
                ((rise.from, rise.to), rise.before.value, rise.after.value)
            }
            Meaning::Wave(wave) => {
                let spans = &finding.evidence;
                let (first, last) = (spans.first()?.from, spans.iter().map(|span| span.to).max()?);
                ((first, last), wave.high, wave.low)
            }
            _ => return None,
        };
        let at = (at.0.as_secs_f64(), at.1.as_secs_f64());
        let likeliest = likeliest.map_or(f64::midpoint(at.0, at.1), workload::Nanos::as_secs_f64);
        Some(Change { at, likeliest, before, after, confidence: finding.confidence })
    };
    found.findings.iter().filter_map(of).collect()
}

/// Returns the latency of a single I/O.
pub fn alone(found: &Analysis, direction: Direction) -> Option<&LatencyRow> {
    let rows = || found.latencies.iter().filter(|row| row.direction == direction);
    rows().find(|row| row.role == LatencyRole::Spaced).or_else(|| rows().next())
}
