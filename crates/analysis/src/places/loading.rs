//! How fast a volume is read for the first time and again, and whether its blocks load in pieces larger than a read.
//!
//! Blocks loaded on first touch are loaded some hundred KiB at a time: of large reads in a random order, only the first
//! of each piece is slow. A cold cache stores what was read and no more, so all of them are slow.

use record::{Distribution, StepRecord};
use serde::{Deserialize, Serialize};
use workload::{Direction, Ending};

use super::looks::{Look, Span, WARM_BLOCK, look};
use super::readings::Place;
use super::regions::{Region, RegionKind};

/// Greatest share of slow reads among first large reads if pieces are larger than a read; with pieces of twice its
/// size, half are slow.
const PIECES: f64 = 0.7;
/// Least share of slow readings among first readings far from each other if nothing was loaded before.
const MOST: f64 = 0.9;
/// Fewest reads from which a share is taken.
const READS: u64 = 50;

/// Rates of first readings and of later ones, with several large reads at once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loading {
    /// Bytes per second of first readings.
    pub first: f64,
    /// Bytes per second of the readings after them.
    pub again: f64,
    /// Bytes that load as one piece; `None` if that is not more than one read, or not known.
    pub piece: Option<f64>,
}

/// Transfers of the first passes over working sets, and of later passes.
#[derive(Default)]
struct Passes {
    first: TransferSum,
    again: TransferSum,
    first_ns: Distribution,
}

#[derive(Default)]
struct TransferSum {
    bytes: f64,
    seconds: f64,
}

impl TransferSum {
    fn add(&mut self, step: &StepRecord) {
        self.bytes += step.tally(Direction::Read).bytes as f64;
        self.seconds += step.seconds();
    }

    fn rate(&self) -> Option<f64> {
        (self.seconds > 0.0 && self.bytes > 0.0).then(|| self.bytes / self.seconds)
    }
}

fn passes(steps: &[StepRecord]) -> Passes {
    let mut passes = Passes::default();
    let mut read: Option<Span> = None;
    for step in steps {
        let Some(Look::Warm(span)) = look(step) else { continue };
        if read.is_none_or(|read| span.from >= read.to) {
            passes.first.add(step);
            passes.first_ns.merge(&step.latency(Direction::Read));
        } else if read.is_some_and(|read| span.to <= read.to) && step.ending == Ending::Amount {
            passes.again.add(step);
        }
        read = Some(read.map_or(span, |read| Span { from: read.from, to: read.to.max(span.to) }));
    }
    passes
}

/// Returns the bytes per second of the first passes over working sets.
pub(crate) fn first_rate(steps: &[StepRecord]) -> Option<f64> {
    passes(steps).first.rate()
}

/// Returns the rates of first and of later readings, if all of the volume is slow at first.
pub(crate) fn loading(steps: &[StepRecord], places: &[Place], regions: &[Region]) -> Option<Loading> {
    let [region] = regions else { return None };
    if !matches!(region.kind, RegionKind::FirstTouch | RegionKind::FirstTouchOrCached) {
        return None;
    }
    let passes = passes(steps);
    let settled_ns = region.settled_ns?;
    let between_ns = between(steps, (region.first_ns - settled_ns).max(0.0))?;
    let slow = passes.first_ns.share_within(between_ns).map(|fast| 1.0 - fast)?;
    let threshold = (region.first_ns * settled_ns).sqrt();
    let new = places.iter().filter(|place| place.first_ns > threshold).count() as f64 / places.len() as f64;
    let in_pieces = passes.first_ns.count() >= READS && slow <= PIECES && slow > 0.0 && new >= MOST;
    let piece = in_pieces.then(|| WARM_BLOCK.0 as f64 / slow);
    Some(Loading { first: passes.first.rate()?, again: passes.again.rate()?, piece })
}

/// Returns a latency between those of large reads that are repeated and of reads that load, `longer_ns` longer.
fn between(steps: &[StepRecord], longer_ns: f64) -> Option<u64> {
    let mut read = None;
    let again = steps.iter().find(|step| match look(step) {
        Some(Look::Warm(span)) => read.replace(span) == Some(span),
        _ => false,
    })?;
    let again_ns = again.latency(Direction::Read).percentile(50.0)? as f64;
    Some((again_ns + longer_ns / 2.0) as u64)
}
