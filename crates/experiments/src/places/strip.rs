//! The strip: reads of single places all over the volume, of the edges between regions, and of sequences.

use analysis::{Look, STRIP_BLOCK, TRACK_BLOCK, look, places_known, span};
use record::StepRecord;
use statistics::{Permutation, Stream};
use workload::{
    Access, BlockSizes, Bytes, Iops, Job, Mix, Nanos, Pace, PlacesRequest, Spread, StopRule, Totals,
    WorkerPlan,
};

use super::{AGAIN, EDGES, PlacesAsk, STRIP, TRACKS, step};
use crate::step::Step;

/// Most places of a strip: a region of a fiftieth of the volume then has forty of them.
const PLACES: u64 = 2048;
/// Least distance between two places: more than a snapshot loads at a time.
const APART: Bytes = Bytes::MIB;
/// Divisor of the number of places: a place is read again after this part of all others.
const LAG: usize = 8;
/// Queue depth of a strip: several reads for a volume that waits for a remote store; at the strip's pace most volumes
/// have one in flight.
const DEPTH: u32 = 4;
/// Share of a strip's time over which its reads are spread, so that the strip ends by itself.
pub(super) const PACED: f64 = 0.9;
/// Uncertainty in bytes at which an edge is known well enough.
const EDGE_KNOWN: u64 = 4 << 20;
/// Places that are read between the two sides of an edge.
const EDGE_PLACES: u64 = 24;
/// Most looks at edges, all together.
const EDGES_MOST: usize = 16;
/// Most looks at one edge.
const ONE_EDGE_MOST: usize = 3;
/// Windows of sequences over the volume.
const WINDOWS: u64 = 48;
/// Reads in each window.
const WINDOW_READS: u64 = 4;

/// A job that reads these blocks of `block` in turn and keeps the time of each.
fn listed(name: &str, block: Bytes, blocks: Vec<u64>) -> Job {
    Job {
        access: Access { spread: Spread::Listed(blocks), ..Access::random(Mix::READ) },
        blocks: BlockSizes::all(block),
        totals: Totals::WorkerAndEachIo,
        ..Job::named(name)
    }
}

/// One place in each of equal parts of the volume, at random within it, in the order of the volume, as block numbers.
fn places(ask: &PlacesAsk, pass: u64) -> Vec<u64> {
    let size = ask.asked.size.0;
    let parts = (size / APART.0 / 2).clamp(1, PLACES);
    let mut random = Stream::new(ask.asked.seed, pass);
    let length = size / parts / STRIP_BLOCK.0;
    (0..parts).map(|part| part * length + random.below(length)).collect()
}

/// `list` in a pseudorandom order.
fn shuffled(list: &[u64], seed: u64) -> Vec<u64> {
    let Some(order) = Permutation::new(list.len() as u64, seed) else { return Vec::new() };
    (0..list.len() as u64).map(|at| list[order.at(at) as usize]).collect()
}

/// Each block of `list`, and each once more after a part of the others.
fn twice(list: &[u64]) -> Vec<u64> {
    let lag = (list.len() / LAG).max(1);
    let mut all = Vec::with_capacity(2 * list.len());
    for at in 0..list.len() + lag {
        all.extend(list.get(at));
        all.extend(at.checked_sub(lag).and_then(|before| list.get(before)));
    }
    all
}

/// A strip of these reads in a share of the time.
fn strip(ask: &PlacesAsk, name: &str, (blocks, share): (Vec<u64>, f64)) -> Option<Step> {
    let reads = blocks.len() as u64;
    let time = ask.share(share);
    let job = Job {
        depth: DEPTH,
        pace: paced(reads, time),
        size: Some(ask.asked.size),
        ..listed(name, STRIP_BLOCK, blocks)
    };
    (reads > 0).then(|| step(name, vec![job], vec![StopRule::OpsEach(reads), StopRule::Time(time)]))
}

/// A pace for `reads` reads, evenly spread over `time`.
fn paced(reads: u64, time: Nanos) -> Pace {
    Pace::Fixed(Iops(reads as f64 / (PACED * time.as_secs_f64())))
}

/// The first reading of every place.
pub(super) fn first(ask: &PlacesAsk) -> Option<Step> {
    let list = shuffled(&places(ask, 0), ask.asked.seed);
    strip(ask, "strip", (twice(&list), STRIP))
}

/// Every other place once more, mixed with unread places: places that are slow only at the first read then differ from
/// the unread ones at the same time.
pub(super) fn again(ask: &PlacesAsk, done: &[StepRecord]) -> Option<Step> {
    // Without working sets no block has been displaced from a cache.
    done.iter().find(|step| matches!(look(step), Some(Look::Set(_))))?;
    let old = places(ask, 0).into_iter().step_by(2);
    let fresh = places(ask, 1).into_iter().skip(1).step_by(2);
    let both: Vec<u64> = old.chain(fresh).collect();
    strip(ask, "strip again", (shuffled(&both, ask.asked.seed + 1), AGAIN))
}

/// Places between the two sides of the least precisely known edge.
pub(super) fn edge(ask: &PlacesAsk, done: &[StepRecord]) -> Option<Step> {
    let looks: Vec<&StepRecord> = done.iter().filter(|step| is_edge(step, &ask.asked)).collect();
    let spent: f64 = looks.iter().map(|step| step.ended.since(step.started).as_secs_f64()).sum();
    if looks.len() >= EDGES_MOST || spent > ask.share(EDGES).as_secs_f64() {
        return None;
    }
    let known = places_known(done, &ask.asked);
    let edges = known.regions.iter().skip(1).map(|region| (region.from.low as u64, region.from.high as u64));
    let tried = |from: u64, to: u64| {
        let looked = |step: &&&StepRecord| {
            step.plan.workers.iter().any(|worker| {
                worker.files.iter().any(|file| file.offset.0 < to && file.offset.0 + file.size.0 > from)
            })
        };
        looks.iter().filter(looked).count()
    };
    let open = edges.filter(|(from, to)| to - from > EDGE_KNOWN && tried(*from, *to) < ONE_EDGE_MOST);
    let (from, to) = open.max_by_key(|(from, to)| to - from)?;
    Some(edge_step(ask, (from, to), looks.len() + 1))
}

fn is_edge(step: &StepRecord, asked: &PlacesRequest) -> bool {
    let whole = |worker: &WorkerPlan| span(worker).bytes() == asked.size.0;
    look(step) == Some(Look::Strip) && !step.plan.workers.iter().any(whole)
}

fn edge_step(ask: &PlacesAsk, (from, to): (u64, u64), number: usize) -> Step {
    let region = (to - from) / STRIP_BLOCK.0;
    let count = EDGE_PLACES.min((to - from) / APART.0).max(2);
    let within: Vec<u64> = (1..=count).map(|at| region * at / (count + 1)).collect();
    let list = twice(&shuffled(&within, ask.asked.seed + number as u64));
    let reads = list.len() as u64;
    let name = format!("edge {number}");
    // No faster than a strip: waiting for a rate limiter would look like a slower place.
    let time = ask.share(EDGES / EDGES_MOST as f64);
    let job = Job {
        depth: DEPTH,
        pace: paced(reads, time),
        offset: Bytes(from),
        size: Some(Bytes(to - from)),
        ..listed(&name, STRIP_BLOCK, list)
    };
    step(&name, vec![job], vec![StopRule::OpsEach(reads), StopRule::Time(ask.share(EDGES / 4.0))])
}

/// Sequences at several places, each twice.
pub(super) fn tracks(ask: &PlacesAsk) -> Option<Step> {
    let blocks = ask.asked.size.0 / TRACK_BLOCK.0;
    let windows = WINDOWS.min(blocks / (2 * WINDOW_READS));
    let part = blocks.checked_div(windows)?;
    let mut random = Stream::new(ask.asked.seed, 2);
    let starts: Vec<u64> =
        (0..windows).map(|window| window * part + random.below(part - WINDOW_READS)).collect();
    let list: Vec<u64> = twice(&shuffled(&starts, ask.asked.seed + 2))
        .into_iter()
        .flat_map(|start| start..start + WINDOW_READS)
        .collect();
    let reads = list.len() as u64;
    let job = Job { size: Some(ask.asked.size), ..listed("tracks", TRACK_BLOCK, list) };
    Some(step("tracks", vec![job], vec![StopRule::OpsEach(reads), StopRule::Time(ask.share(TRACKS))]))
}
