//! What a cached volume moves with many reads at once: from its cache, beyond it, and both together.

use analysis::{CacheSeen, SetSeen, Span, places_known};
use record::StepRecord;
use workload::{Access, Bytes, Job, Mix, Order, Repeats, StopRule};

use super::ladder::{SMALLEST, room};
use super::{PlacesAsk, step};
use crate::step::Step;

/// Reads in flight: enough for a cache of 100 µs to show 600,000 a second.
const DEPTH: u32 = 64;
/// Share of the whole time for one of the three loads.
const LOAD: f64 = 1.0 / 40.0;
/// Share of the whole time before such a load is counted.
const RAMP: f64 = 1.0 / 120.0;
/// Names of the three loads.
const CACHED: &str = "from the cache";
const UNCACHED: &str = "beyond the cache";
const BOTH: &str = "both at once";
/// Least region beyond the cache: reads of less would soon come from it.
const BEYOND: u64 = 256 << 20;

/// The next of the three loads; `None` where no cache is seen.
pub(super) fn next(ask: &PlacesAsk, done: &[StepRecord]) -> Option<Step> {
    let known = places_known(done, &ask.asked);
    let (CacheSeen::Seen { .. } | CacheSeen::SizeUnclear { .. }) = known.cache else { return None };
    let room = room(ask, done)?;
    let hot = Span { from: room.from, to: room.from + SMALLEST };
    let ran = |name: &str| done.iter().any(|step| step.plan.name == name);
    let cached = load("cached", hot, Repeats::With);
    if !ran(CACHED) {
        return Some(loads(ask, CACHED, vec![cached]));
    }
    let uncached = load("uncached", beyond(room, &known.sets)?, Repeats::Without);
    if !ran(UNCACHED) {
        return Some(loads(ask, UNCACHED, vec![uncached]));
    }
    (!ran(BOTH)).then(|| loads(ask, BOTH, vec![cached, uncached]))
}

/// These loads at once. In the ramp the cache takes in what is to be read from it.
fn loads(ask: &PlacesAsk, name: &str, jobs: Vec<Job>) -> Step {
    let mut step = step(name, jobs, vec![StopRule::Time(ask.share(LOAD))]);
    step.workload.ramp = ask.share(RAMP);
    step
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
