//! What an analysis tells, in the terms of the judgements.

use analysis::findings::{BandwidthCap, Crossover, IopsCap};
use analysis::{Analysis, Confidence, Estimate, LatencyRole, LatencyRow, Meaning};
use workload::Direction;

use crate::judge::{Cause, Figure};

/// A change that was told.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// When, seconds of the run: no earlier than the first, no later than the second.
    pub at: (f64, f64),
    pub before: f64,
    pub after: f64,
    pub confidence: Confidence,
}

fn figure(cap: Estimate, at_least: bool, (cause, confidence): (Cause, Confidence)) -> Figure {
    Figure { value: cap.value, low: cap.low, high: cap.high, at_least, cause, confidence }
}

/// What is told of the greatest rate of small I/Os.
pub fn operations(found: &Analysis, direction: Direction) -> Option<Figure> {
    found.findings.iter().find_map(|finding| match &finding.meaning {
        Meaning::IopsCap(IopsCap { direction: of, cap, at_least, .. }) if *of == direction => {
            Some(figure(*cap, *at_least, (Cause::Operations, finding.confidence)))
        }
        _ => None,
    })
}

/// What is told of the greatest rate of bytes.
pub fn bytes(found: &Analysis, direction: Direction) -> Option<Figure> {
    found.findings.iter().find_map(|finding| match &finding.meaning {
        Meaning::BandwidthCap(BandwidthCap { direction: of, cap, at_least, .. }) if *of == direction => {
            Some(figure(*cap, *at_least, (Cause::Bytes, finding.confidence)))
        }
        _ => None,
    })
}

/// The size above which bytes are said to bind.
pub fn crossover(found: &Analysis, direction: Direction) -> Option<(f64, Confidence)> {
    found.findings.iter().find_map(|finding| match &finding.meaning {
        Meaning::Crossover(Crossover { direction: of, bytes }) if *of == direction => {
            Some((*bytes, finding.confidence))
        }
        _ => None,
    })
}

/// Every change of the rate that is told: falls, rises, and waves with the time over which they were seen.
pub fn changes(found: &Analysis) -> Vec<Change> {
    let of = |finding: &analysis::Finding| {
        let (at, before, after) = match &finding.meaning {
            Meaning::StepDown(fall) => ((fall.from, fall.to), fall.before.value, fall.after.value),
            Meaning::StepUp(rise) => ((rise.from, rise.to), rise.before.value, rise.after.value),
            Meaning::Wave(wave) => {
                let spans = &finding.evidence;
                let (first, last) = (spans.first()?.from, spans.iter().map(|span| span.to).max()?);
                ((first, last), wave.high, wave.low)
            }
            _ => return None,
        };
        let at = (at.0.as_secs_f64(), at.1.as_secs_f64());
        Some(Change { at, before, after, confidence: finding.confidence })
    };
    found.findings.iter().filter_map(of).collect()
}

/// The latency of one I/O alone.
pub fn alone(found: &Analysis, direction: Direction) -> Option<&LatencyRow> {
    let rows = || found.latencies.iter().filter(|row| row.direction == direction);
    rows().find(|row| row.role == LatencyRole::Spaced).or_else(|| rows().next())
}
