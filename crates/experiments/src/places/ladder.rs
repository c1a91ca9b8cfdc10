//! Working sets that grow until one no longer fits into the cache, or until their time is over.

use analysis::{
    CacheObservation, Look, PlacesAnswer, RegionKind, SetObservation, Span, WARM_BLOCK, look, places_known,
};
use record::StepRecord;
use workload::{Access, BlockSizes, Bytes, Ending, Job, Mix, Nanos, Order, Repeats, StopRule};

use super::{LADDER, PlacesAsk, step};
use crate::step::Step;

/// Smallest working set, in bytes: a disk's own cache is no larger.
pub(super) const SMALLEST: u64 = 16 << 20;
/// Reads in flight while a set is warmed.
const WARM_DEPTH: u32 = 8;
/// Share of the whole time for reads of one set.
pub(super) const SET: f64 = 1.0 / 80.0;
/// Ratio of read times below which another pass over the smallest set shows a cache that fills slowly.
const FASTER: f64 = 0.85;
/// Most passes over a set.
const PASSES: u32 = 6;
/// Precision, as a share, at which the size of a cache is known well enough.
const KNOWN: f64 = 0.08;
/// Size of the set that shows the cache's size best, as a multiple of that size.
const LARGER: f64 = 1.4;
/// Size of the set that confirms the cache's size, as a multiple of that size.
const SMALLER: f64 = 0.9;
/// Maximum number of sets from the first one that the cache did not serve.
const BEYOND: usize = 5;

/// Returns the part of the volume for working sets: the largest suitable region; `None` if none is large enough.
pub(super) fn room(ask: &PlacesAsk, done: &[StepRecord]) -> Option<Span> {
    let strips = done.iter().position(|step| matches!(look(step), Some(Look::Warm(_)))).unwrap_or(done.len());
    let known = places_known(&done[..strips], &ask.asked);
    let length = |kind: fn(RegionKind) -> bool| {
        let regions = known.regions.iter().filter(move |region| kind(region.kind));
        let spans = regions.map(|region| Span {
            from: (region.from.high as u64).next_multiple_of(WARM_BLOCK.0),
            to: (region.to.low.max(region.from.high) as u64) / WARM_BLOCK.0 * WARM_BLOCK.0,
        });
        spans.filter(|span| span.to > span.from).max_by_key(|span| span.bytes())
    };
    // In usual regions the first read is as fast as later ones, so a cache is not confused with blocks that are
    // loaded when first touched.
    let usual = length(|kind| kind == RegionKind::Usual).filter(|span| span.bytes() >= ask.asked.size.0 / 10);
    let span = usual.or_else(|| length(|kind| kind != RegionKind::Fast))?;
    (span.bytes() >= 2 * SMALLEST).then_some(span)
}

/// The next step of the ladder; `None` when it is over.
pub(super) fn next(ask: &PlacesAsk, done: &[StepRecord]) -> Option<Step> {
    if done.iter().any(|step| matches!(look(step), Some(Look::Budget | Look::Tracks))) || strips(done) > 1 {
        return None;
    }
    let room = room(ask, done)?;
    let largest = Span { to: room.to.min(room.from + ask.asked.largest.0), ..room };
    let number = done.iter().filter(|step| look(step).is_some()).count();
    let ladder = Ladder { ask, done, room: largest, number };
    match done.last().and_then(look) {
        // A set that could not be read completely in its time shows nothing.
        Some(Look::Warm(_)) if done.last().is_some_and(|step| step.ending != Ending::Amount) => None,
        Some(Look::Warm(span)) => ladder.after_warming(span),
        _ => ladder.next_set(),
    }
}

fn strips(done: &[StepRecord]) -> usize {
    done.iter().filter(|step| look(step) == Some(Look::Strip)).count()
}

struct Ladder<'a> {
    ask: &'a PlacesAsk,
    done: &'a [StepRecord],
    room: Span,
    /// Number of steps of the procedure so far, so that names differ.
    number: usize,
}

impl Ladder<'_> {
    fn smallest(&self) -> u64 {
        self.room.from + SMALLEST
    }

    fn known(&self) -> PlacesAnswer {
        places_known(self.done, &self.ask.asked)
    }

    /// A step that reads every block of `span` once.
    fn warm(&self, span: Span) -> Step {
        let name = format!("warm {} ({})", Bytes(span.bytes()), self.number);
        let job = Job {
            access: Access::random(Mix::READ),
            blocks: BlockSizes::all(WARM_BLOCK),
            depth: WARM_DEPTH,
            offset: Bytes(span.from),
            size: Some(Bytes(span.bytes())),
            seed: self.ask.asked.seed + self.number as u64,
            ..Job::named(&name)
        };
        let stop = vec![StopRule::BytesEach(Bytes(span.bytes())), StopRule::Time(self.ask.share(LADDER))];
        step(&name, vec![job], stop)
    }

    /// A step that reads random places of the set that ends at `to`.
    fn set(&self, to: u64) -> Step {
        let bytes = Bytes(to - self.room.from);
        let name = format!("set of {bytes} ({})", self.number);
        let job = Job {
            access: Access { order: Order::Random(Repeats::With), ..Access::random(Mix::READ) },
            offset: Bytes(self.room.from),
            size: Some(bytes),
            seed: self.ask.asked.seed + self.number as u64,
            ..Job::named(&name)
        };
        step(&name, vec![job], vec![StopRule::Time(self.ask.share(SET))])
    }

    /// One more warming pass if the smallest set needed several, else the reads of the set.
    fn after_warming(&self, warmed: Span) -> Option<Step> {
        let same = |step: &&StepRecord| matches!(look(step), Some(Look::Warm(span)) if span.to == warmed.to);
        let passes = self.done.iter().rev().take_while(same).count() as u32;
        let needed = if warmed.to == self.smallest() { 1 } else { self.passes() };
        Some(if passes < needed { self.warm(warmed) } else { self.set(warmed.to) })
    }

    /// Mean latencies of the looks at the smallest set.
    fn first_looks(&self, sets: &[SetObservation]) -> Vec<f64> {
        sets.iter().filter(|set| set.bytes == SMALLEST).map(|set| set.latency_ns_mean).collect()
    }

    /// Number of passes after which the smallest set became no faster.
    fn passes(&self) -> u32 {
        let looks = self.first_looks(&self.known().sets);
        let faster = |pair: &&[f64]| pair[1] < FASTER * pair[0];
        1 + looks.windows(2).take_while(faster).count() as u32
    }

    fn next_set(&self) -> Option<Step> {
        let known = self.known();
        let looks = self.first_looks(&known.sets);
        let still = looks.last().zip(looks.len().checked_sub(2).map(|before| looks[before]));
        let slowly = still.is_some_and(|(last, before)| *last < FASTER * before);
        let is_first = known.sets.iter().all(|set| set.bytes == SMALLEST);
        if is_first && (looks.len() < 2 || slowly) && (looks.len() as u32) < PASSES {
            return Some(self.warm(Span { from: self.room.from, to: self.smallest() }));
        }
        match known.cache {
            CacheObservation::NotLooked => None,
            CacheObservation::None { up_to } | CacheObservation::LargerOrFirstTouch { up_to } => {
                self.grow(&known, up_to)
            }
            CacheObservation::Seen { size, .. } if size.half_width() <= KNOWN * size.value => None,
            CacheObservation::Seen { .. }
            | CacheObservation::SizeUnclear { .. }
            | CacheObservation::Unconfirmed { .. } => self.around(&known),
        }
    }

    /// The warming pass of the next set, which is twice as large; only its new part is read.
    fn grow(&self, known: &PlacesAnswer, up_to: u64) -> Option<Step> {
        let to = (self.room.from + 2 * up_to).min(self.room.to);
        let span = Span { from: self.room.from + up_to, to };
        (span.bytes() >= SMALLEST && self.has_time(known, span.bytes())).then(|| self.warm(span))
    }

    /// Whether there is time to read `bytes` and then a set.
    fn has_time(&self, known: &PlacesAnswer, bytes: u64) -> bool {
        let own = |step: &&StepRecord| matches!(look(step), Some(Look::Warm(_) | Look::Set(_)));
        let spent: Nanos =
            self.done.iter().filter(own).fold(Nanos::ZERO, |sum, step| sum + step.ended.since(step.started));
        let passes = f64::from(self.passes());
        let reading = known.warming.map_or(0.0, |rate| passes * bytes as f64 / rate);
        let all = self.ask.share(LADDER).as_secs_f64();
        spent.as_secs_f64() + reading + self.ask.share(SET).as_secs_f64() <= all
    }

    /// A set that shows the size of the cache, or that confirms it.
    fn around(&self, known: &PlacesAnswer) -> Option<Step> {
        let slow =
            |set: &SetObservation| set.hits.is_some_and(|hits| hits.value < 0.92) && set.bytes > SMALLEST;
        let first = known.sets.iter().position(slow)?;
        let beyond = &known.sets[first..];
        let size = estimate(beyond)?;
        let tells = |set: &SetObservation| (0.5..=0.9).contains(&set.hits.map_or(0.0, |hits| hits.value));
        let factor = match beyond {
            _ if beyond.len() > BEYOND => return None,
            sets if !sets.iter().any(tells) => LARGER,
            sets if !sets.iter().any(|set| (set.bytes as f64) < size) => SMALLER,
            // One more set of each kind if the two do not agree yet.
            sets if sets.len() % 2 == 0 => LARGER * 1.1,
            _ => SMALLER * 0.85,
        };
        let bytes = ((size * factor) as u64 / WARM_BLOCK.0 * WARM_BLOCK.0).max(SMALLEST);
        let to = (self.room.from + bytes).min(self.room.to);
        Some(self.warm(Span { from: self.room.from, to }))
    }
}

/// Estimated size of the cache, from the set that shows it best.
fn estimate(sets: &[SetObservation]) -> Option<f64> {
    let of = |set: &SetObservation| Some((set.hits?.value, set.bytes as f64));
    let best = |a: &(f64, f64), b: &(f64, f64)| (a.0 - 0.7).abs().total_cmp(&(b.0 - 0.7).abs());
    sets.iter().filter_map(of).min_by(best).map(|(hits, bytes)| hits * bytes)
}
