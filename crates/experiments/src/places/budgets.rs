//! Throughput of a cached volume with many reads at once: from its cache, beyond it, and both together.

use analysis::{CacheObservation, SetObservation, Span, places_known};
use record::StepRecord;
use workload::{
    Access, BlockSizes, ByDirection, Bytes, Direction, Job, Mix, Nanos, Order, Repeats, StopRule,
};

use super::ladder::{SMALLEST, room};
use super::{PlacesAsk, step};
use crate::step::Step;

/// Share of the whole time for one of the loads.
const LOAD: f64 = 1.0 / 40.0;
/// Share of the whole time for the ramp of such a load.
const RAMP: f64 = 1.0 / 120.0;
/// Smallest region beyond the cache, in bytes: a smaller one would soon be served from the cache.
const BEYOND: u64 = 1 << 30;
/// Least distance between places beyond the cache: a cache fetches no larger unit at once.
const LINE: Bytes = Bytes::kib(64);

/// Reads of one size.
struct Size {
    block: Bytes,
    /// Reads in flight.
    depth: u32,
    /// Names of the loads: from the cache, beyond it, both at once.
    names: [&'static str; 3],
}

/// First small reads, which are capped by a limit on operations, with enough in flight that a cache of 100 µs shows
/// 600,000 per second. Then large ones, which are capped by a limit on bytes, of a size other than that of the reads
/// that warm a set, because the size identifies a step.
const SIZES: [Size; 2] = [
    Size { block: Bytes::kib(4), depth: 64, names: ["from the cache", "beyond the cache", "both at once"] },
    Size {
        block: Bytes::kib(512),
        depth: 16,
        names: ["from the cache, large", "beyond the cache, large", "both at once, large"],
    },
];

/// The next of the loads; `None` if no cache was seen.
pub(super) fn next(ask: &PlacesAsk, done: &[StepRecord]) -> Option<Step> {
    let known = places_known(done, &ask.asked);
    let (CacheObservation::Seen { .. } | CacheObservation::SizeUnclear { .. }) = known.cache else {
        return None;
    };
    let room = room(ask, done)?;
    let hot = Span { from: room.from, to: room.from + SMALLEST };
    let beyond = beyond(room, &known.sets);
    let ran = |name: &str| done.iter().any(|step| step.plan.name == name);
    let of_size = |(number, size): (usize, &Size)| {
        let cached = size.job("cached", hot, Repeats::With);
        let [hits, misses, both] = size.names;
        if !ran(hits) {
            return Some(loads(ask, hits, vec![cached]));
        }
        // Blocks read by one load may be in the cache for the next, so each load has its own places.
        let uncached =
            |load: u64| Some(size.job("uncached", part(beyond?, 2 * number as u64 + load), Repeats::Without));
        if !ran(misses) {
            return Some(loads(ask, misses, vec![uncached(0)?]));
        }
        if !ran(both) { Some(loads(ask, both, vec![cached, uncached(1)?])) } else { None }
    };
    SIZES.iter().enumerate().find_map(of_size)
}

/// Returns one of four equal parts of `span`.
fn part(span: Span, number: u64) -> Span {
    let length = span.bytes() / 4 / Bytes::MIB.0 * Bytes::MIB.0;
    Span { from: span.from + number * length, to: span.from + (number + 1) * length }
}

/// A step that runs these loads at once. During the ramp the cached places are loaded into the cache. A load beyond the
/// cache alone ends when all its places have been read, each once.
fn loads(ask: &PlacesAsk, name: &str, jobs: Vec<Job>) -> Step {
    let once = jobs.iter().find(|job| job.access.order == Order::Random(Repeats::Without));
    let places = once.and_then(|job| Some(job.size?.0 / job.blocks.align_of(Direction::Read).0));
    let mut stop = vec![StopRule::Time(ask.share(LOAD))];
    if let (Some(places), [_]) = (places, jobs.as_slice()) {
        stop.push(StopRule::OpsEach(places));
    }
    let warms = jobs.iter().any(|job| job.access.order == Order::Random(Repeats::With));
    let mut step = step(name, jobs, stop);
    step.workload.ramp = if warms { ask.share(RAMP) } else { Nanos::ZERO };
    step
}

/// Returns the region that no working set has read, if it is large enough.
fn beyond(room: Span, sets: &[SetObservation]) -> Option<Span> {
    let largest = sets.iter().map(|set| set.bytes).max()?;
    let span = Span { from: room.from + largest, to: room.to.max(room.from + largest) };
    (span.bytes() >= BEYOND).then_some(span)
}

impl Size {
    fn align(&self, repeats: Repeats) -> Bytes {
        if repeats == Repeats::Without { self.block.max(LINE) } else { self.block }
    }

    fn job(&self, name: &str, span: Span, repeats: Repeats) -> Job {
        Job {
            access: Access { order: Order::Random(repeats), ..Access::random(Mix::READ) },
            blocks: BlockSizes {
                align: ByDirection::all(Some(self.align(repeats))),
                ..BlockSizes::all(self.block)
            },
            depth: self.depth,
            offset: Bytes(span.from),
            size: Some(Bytes(span.bytes())),
            ..Job::named(name)
        }
    }
}
