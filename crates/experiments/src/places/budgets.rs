//! What a cached volume moves with many reads at once: from its cache, beyond it, and both together.

use analysis::{CacheSeen, Look, SetSeen, Span, WARM_BLOCK, look, places_known};
use record::StepRecord;
use workload::{Access, Bytes, Job, Mix, Order, Repeats, StopRule};

use super::ladder::{SMALLEST, room};
use super::{PlacesAsk, step};
use crate::step::Step;

/// Reads in flight: enough for a cache of 100 µs to show 600,000 a second.
const DEPTH: u32 = 64;
/// Share of the whole time for one of the three loads.
const LOAD: f64 = 1.0 / 40.0;
/// Least region beyond the cache: reads of less would soon come from it.
const BEYOND: u64 = 256 << 20;

/// The next of the three loads; `None` where no cache is seen.
pub(super) fn next(ask: &PlacesAsk, done: &[StepRecord]) -> Option<Step> {
    let known = places_known(done, &ask.asked);
    let (CacheSeen::Seen { .. } | CacheSeen::SizeUnclear { .. }) = known.cache else { return None };
    let room = room(ask, done)?;
    let hot = Span { from: room.from, to: room.from + SMALLEST };
    let beyond = beyond(room, &known.sets);
    let cached = load("cached", hot, Repeats::With);
    let uncached = beyond.map(|span| load("uncached", span, Repeats::Without));
    let ran = |name: &str| done.iter().any(|step| step.plan.name == name);
    let stop = vec![StopRule::Time(ask.share(LOAD))];
    if !ran("from the cache") {
        return Some(warmed(done, hot).unwrap_or_else(|| step("from the cache", vec![cached], stop)));
    }
    let uncached = uncached?;
    if !ran("beyond the cache") {
        return Some(step("beyond the cache", vec![uncached], stop));
    }
    let both = || step("both at once", vec![cached, uncached], stop);
    (!ran("both at once")).then(|| warmed(done, hot).unwrap_or_else(both))
}

/// The hot set is read before it is measured, since larger sets and reads beyond have driven it out.
fn warmed(done: &[StepRecord], hot: Span) -> Option<Step> {
    let is_warm = done.last().and_then(look) == Some(Look::Warm(hot));
    let number = done.len();
    (!is_warm).then(|| {
        let name = format!("warm again ({number})");
        let job = Job {
            blocks: workload::BlockSizes::all(WARM_BLOCK),
            depth: 8,
            offset: Bytes(hot.from),
            size: Some(Bytes(hot.bytes())),
            seed: number as u64,
            ..Job::named(&name)
        };
        step(&name, vec![job], vec![StopRule::BytesEach(Bytes(hot.bytes()))])
    })
}

/// What no working set has read, on the side where there is more of it.
fn beyond(room: Span, sets: &[SetSeen]) -> Option<Span> {
    let largest = sets.iter().map(|set| set.bytes).max()?;
    let span = Span { from: room.from + largest, to: room.to.max(room.from + largest) };
    (span.bytes() >= BEYOND).then_some(span)
}

fn load(name: &str, span: Span, repeats: Repeats) -> Job {
    Job {
        access: Access { order: Order::Random(repeats), ..Access::random(Mix::READ) },
        depth: DEPTH,
        offset: Bytes(span.from),
        size: Some(Bytes(span.bytes())),
        ..Job::named(name)
    }
}
