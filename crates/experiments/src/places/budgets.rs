//! Throughput of a cached volume with many I/Os at once: reads from its cache, reads beyond it, writes, and two of these
//! at once.

use analysis::{Budget, CacheObservation, PlacesAnswer, Span, places_known};
use record::StepRecord;
use workload::{
    Access, BlockSizes, ByDirection, Bytes, Direction, Job, Mix, Nanos, Order, Repeats, StopRule,
};

use super::ladder::{SMALLEST, room};
use super::{PlacesAsk, step};
use crate::step::{Step, Writes};

/// Share of the whole time for one of the loads.
const LOAD: f64 = 1.0 / 60.0;
/// Share of the whole time for the ramp of a load with reads from the cache.
const RAMP: f64 = 1.0 / 240.0;
/// Share of its places that a load beyond the cache may read beside another: a place read twice may come from the cache.
const READ: f64 = 0.9;
/// The same for a load alone, past its ramp.
const READ_ALONE: f64 = 0.75;
/// Number of intervals of a load, enough for the spread of its rate.
const INTERVALS: u64 = 12;
/// Smallest region beyond the cache, in bytes: a part of it holds hundreds of places.
const BEYOND: u64 = 256 << 20;
/// Distance of the region beyond the cache from the beginning of the sets, as a multiple of the cache's size: the last sets
/// filled the cache with what lies before.
const PAST: f64 = 1.2;
/// Least distance between places beyond the cache: a cache fetches no larger unit at once.
const LINE: Bytes = Bytes::kib(64);
/// Greatest number of bytes written by one load.
const WRITTEN: Bytes = Bytes::GIB;
/// The same as a part of the volume.
const WRITTEN_PART: u64 = 8;

/// One of the loads that run at once.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// Reads from the cache.
    Cached,
    /// Reads beyond the cache, in this part of the region there, from its end. Blocks read by one load may be in the cache for
    /// the next, so each load has its own places.
    Uncached(u64),
    Written,
}

/// I/Os of one size.
struct Size {
    block: Bytes,
    /// I/Os in flight.
    depth: u32,
    /// The loads by name, in their order.
    loads: &'static [(&'static str, &'static [Part])],
}

/// First small I/Os, which are capped by a limit on operations, with enough in flight that a cache of 100 µs shows
/// 600,000 per second. Then large ones, which are capped by a limit on bytes, of a size other than that of the reads
/// that warm a set, because the size identifies a step.
const SIZES: [Size; 2] = [
    Size {
        block: Bytes::kib(4),
        depth: 64,
        loads: &[
            ("from the cache", &[Part::Cached]),
            ("beyond the cache", &[Part::Uncached(0)]),
            ("both at once", &[Part::Cached, Part::Uncached(2)]),
            ("writes", &[Part::Written]),
            ("cache and writes", &[Part::Cached, Part::Written]),
            ("beyond and writes", &[Part::Uncached(4), Part::Written]),
        ],
    },
    Size {
        block: Bytes::kib(512),
        depth: 16,
        loads: &[
            ("from the cache, large", &[Part::Cached]),
            ("beyond the cache, large", &[Part::Uncached(1)]),
            ("both at once, large", &[Part::Cached, Part::Uncached(3)]),
            ("writes, large", &[Part::Written]),
            ("beyond and writes, large", &[Part::Uncached(5), Part::Written]),
        ],
    },
];

/// The next of the loads; `None` if no cache was seen.
pub(super) fn next(ask: &PlacesAsk, done: &[StepRecord]) -> Option<Step> {
    let known = places_known(done, &ask.asked);
    let (CacheObservation::Seen { .. } | CacheObservation::SizeUnclear { .. }) = known.cache else {
        return None;
    };
    let room = room(ask, done)?;
    let spans =
        Spans { hot: Span { from: room.from, to: room.from + SMALLEST }, beyond: beyond(room, &known), ask };
    let ran = |name: &str| done.iter().any(|step| step.plan.name == name);
    let of_size = |size: &Size| {
        let left_out = |parts: &[Part]| ask.writes == Writes::LeftOut && parts.contains(&Part::Written);
        let (name, parts) = size.loads.iter().find(|(name, parts)| !ran(name) && !left_out(parts))?;
        let jobs: Option<Vec<Job>> = parts.iter().map(|part| size.job(*part, &spans)).collect();
        let budget = known.budgets.iter().find(|budget| budget.block == size.block.0);
        Some(loads(ask, name, (jobs?, budget)))
    };
    SIZES.iter().find_map(of_size)
}

/// A step that runs these loads at once. During the ramp the cached places are loaded into the cache. A load beyond the
/// cache ends before all its places have been read.
fn loads(ask: &PlacesAsk, name: &str, (jobs, known): (Vec<Job>, Option<&Budget>)) -> Step {
    let is_cached = |job: &Job| job.name == CACHED;
    // A throttle that was idle lets through more at first.
    let ramp = ask.share(if jobs.iter().any(is_cached) { RAMP } else { LOAD / INTERVALS as f64 });
    let once = jobs.iter().find(|job| job.access.order == Order::Random(Repeats::Without));
    let places = once.and_then(|job| Some(job.size?.0 / job.blocks.align_of(Direction::Read).0));
    let mut time = ask.share(LOAD);
    let mut stop = Vec::new();
    match (places, known.and_then(|budget| budget.uncached)) {
        (Some(places), _) if jobs.len() == 1 => {
            stop.push(StopRule::OpsEach((READ_ALONE * places as f64) as u64))
        }
        (Some(places), Some(rate)) => {
            let lasts = Nanos::from_secs_f64(READ * places as f64 / rate.value.max(1.0));
            time = time.min(lasts.since(ramp).max(ask.share(LOAD / INTERVALS as f64)));
        }
        _ => {}
    }
    if jobs.iter().any(|job| job.access.mix.issues(Direction::Write)) {
        stop.push(StopRule::WrittenEach(written(ask)));
    }
    stop.push(StopRule::Time(time));
    let mut step = step(name, jobs, stop);
    step.workload.ramp = ramp;
    step.interval = Some(Nanos(time.0 / INTERVALS));
    step
}

/// Greatest number of bytes that one load writes.
fn written(ask: &PlacesAsk) -> Bytes {
    WRITTEN.min(Bytes(ask.asked.size.0 / WRITTEN_PART))
}

/// Greatest number of bytes that all loads write.
pub fn places_written(ask: &PlacesAsk) -> Bytes {
    if ask.writes == Writes::LeftOut {
        return Bytes(0);
    }
    let loads = SIZES.iter().flat_map(|size| size.loads).filter(|(_, parts)| parts.contains(&Part::Written));
    Bytes(written(ask).0 * loads.count() as u64)
}

/// Returns the region that is not in the cache after the last set, if it is large enough: what no set has read, or what lies
/// past the cache's size.
fn beyond(room: Span, known: &PlacesAnswer) -> Option<Span> {
    let largest = known.sets.iter().map(|set| set.bytes).max()?;
    let past = match known.cache {
        CacheObservation::Seen { size, .. } => largest.min((PAST * size.high) as u64),
        _ => largest,
    };
    let from = (room.from + past).next_multiple_of(Bytes::MIB.0);
    let span = Span { from, to: room.to.max(from) };
    (span.bytes() >= BEYOND).then_some(span)
}

/// Name of the job that reads from the cache.
const CACHED: &str = "cached";

/// Where the loads go.
struct Spans<'a> {
    /// Bytes that lie in the cache.
    hot: Span,
    /// Bytes beyond it, if there are enough.
    beyond: Option<Span>,
    ask: &'a PlacesAsk,
}

impl Spans<'_> {
    /// Returns one of the equal parts of the region beyond the cache, from its end, where no set was read; writes go to the
    /// first part of it.
    fn part(&self, number: u64) -> Option<Span> {
        let span = self.beyond?;
        let length = span.bytes() / self.parts() / Bytes::MIB.0 * Bytes::MIB.0;
        let to = span.to / Bytes::MIB.0 * Bytes::MIB.0 - number * length;
        Some(Span { from: to - length, to })
    }

    fn parts(&self) -> u64 {
        let all = SIZES.iter().flat_map(|size| size.loads).flat_map(|(_, parts)| *parts);
        let read = all.filter(|part| matches!(part, Part::Uncached(_))).count() as u64;
        // Without writes, the last two loads are left out.
        if self.ask.writes == Writes::LeftOut { read - 2 } else { read + 1 }
    }
}

impl Size {
    /// The job of `part`; `None` if nothing lies beyond the cache.
    fn job(&self, part: Part, spans: &Spans<'_>) -> Option<Job> {
        let (name, mix, repeats, span) = match part {
            Part::Cached => (CACHED, Mix::READ, Repeats::With, spans.hot),
            Part::Uncached(number) => ("uncached", Mix::READ, Repeats::Without, spans.part(number)?),
            Part::Written => ("written", Mix::WRITE, Repeats::With, spans.part(spans.parts() - 1)?),
        };
        let align = if repeats == Repeats::Without { self.block.max(LINE) } else { self.block };
        Some(Job {
            access: Access { order: Order::Random(repeats), ..Access::random(mix) },
            blocks: BlockSizes { align: ByDirection::all(Some(align)), ..BlockSizes::all(self.block) },
            depth: self.depth,
            offset: Bytes(span.from),
            size: Some(Bytes(span.bytes())),
            ..Job::named(name)
        })
    }
}
