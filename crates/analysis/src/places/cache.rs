//! The cache ladder: working sets of growing size, each read before it is measured, and the size of a cache from the
//! share of reads that come from it.
//!
//! Random reads of a set larger than the cache hit it for the share that fits, whatever the replacement policy; so that
//! share times the size of the set is the size of the cache.

use record::{Distribution, StepRecord};
use serde::{Deserialize, Serialize};
use statistics::quantile::quantile;
use workload::Direction;

use super::looks::{Look, look};
use super::readings::Place;
use crate::estimate::Estimate;

/// Ratio of the 75th percentiles of a larger to a smaller set above which a cache contains the smaller one.
const FALLS: f64 = 1.5;
/// Fewest reads of a set.
const READS: u64 = 50;
/// Least share of cache hits at which a set fits the cache: a few reads of the device itself are as fast.
const FITS: f64 = 0.95;
/// Least and greatest share of hits from which a size follows: above, nearly all fits; below, the few hits err too
/// much.
const TELLS: (f64, f64) = (0.2, 0.92);
/// Least half-width of a size, as a share: hits and misses with overlapping latencies are separated with an error that
/// their count does not show (measured: 5.5 % at a coefficient of variation of a half).
const LEAST_ERROR: f64 = 0.07;
/// Ratio of the time of a pass to that of the previous pass below which the cache is still filling.
const STILL: f64 = 0.97;
/// Ratio of the 5th percentile of misses to the 95th of hits from which the two are told apart between these.
const CLEAR: f64 = 1.3;
/// Share of a set that may still be missing from a cache that contains it.
const LACKS: f64 = 0.03;
/// Share within which two sizes do not contradict each other.
const NEAR: f64 = 0.1;

/// A working set, with how it was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetObservation {
    /// Size of the set, bytes.
    pub bytes: u64,
    /// Number of times that the whole set was read before.
    pub passes: u32,
    /// Number of random reads of the set.
    pub reads: u64,
    /// Mean latency of these reads, nanoseconds.
    pub latency_ns_mean: f64,
    /// Median latency of these reads, nanoseconds.
    pub latency_ns_p50: u64,
    /// Share of these reads that came from the cache (0 to 1); `None` if no cache is seen.
    pub hits: Option<Estimate>,
    /// Whether the last pass over the set was faster than the one before: a cache that admits only a part of what is
    /// read does not yet contain all that it will.
    #[serde(default)]
    pub still_warming: bool,
    #[serde(skip)]
    latency: Distribution,
}

/// What the cache ladder shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum CacheObservation {
    /// No working set was tried.
    #[default]
    NotLooked,
    /// There is no cache that holds sets up to this size.
    None {
        /// The largest set, bytes.
        up_to: u64,
    },
    /// Sets up to a size are faster.
    Seen {
        /// Size of the cache, bytes.
        size: Estimate,
        /// Median latency of a read from the cache, nanoseconds.
        hit_ns: f64,
        /// Latency of a read beyond the cache, nanoseconds: the 90th percentile of the largest set.
        miss_ns: f64,
    },
    /// Small sets are faster than large ones, but their shares of hits do not fit a single size.
    SizeUnclear {
        /// The largest set that the cache holds, bytes.
        holds: u64,
        /// The smallest set that it does not hold, bytes.
        less_than: u64,
        /// Median latency of a read from the cache, nanoseconds.
        hit_ns: f64,
        /// Latency of a read beyond the cache, nanoseconds: the 90th percentile of the largest set.
        miss_ns: f64,
    },
    /// Larger sets were slower, but no smaller set was read again after them: the time may be the cause.
    Unconfirmed {
        /// The set that was slower, bytes.
        slower: u64,
    },
    /// Everything is faster when read again: a cache larger than the largest set, or blocks loaded on first touch.
    LargerOrFirstTouch {
        /// The largest set, bytes.
        up_to: u64,
    },
}

/// Returns the working sets that were measured, in their order.
pub(crate) fn sets(steps: &[StepRecord]) -> Vec<SetObservation> {
    let mut sets = Vec::new();
    let mut warmed: Vec<(u64, f64)> = Vec::new();
    for step in steps {
        match look(step) {
            Some(Look::Warm(span)) => {
                warmed.push((span.to, step.latency(Direction::Read).mean().unwrap_or_default()));
            }
            Some(Look::Set(span)) => {
                let latency = step.latency(Direction::Read);
                if latency.count() < READS {
                    continue;
                }
                let passes: Vec<f64> =
                    warmed.iter().filter(|(to, _)| *to == span.to).map(|(_, mean_ns)| *mean_ns).collect();
                sets.push(SetObservation {
                    bytes: span.bytes(),
                    passes: passes.len() as u32,
                    still_warming: passes.len() > 2 && is_faster(&passes),
                    reads: latency.count(),
                    latency_ns_mean: latency.mean().unwrap_or_default(),
                    latency_ns_p50: latency.percentile(50.0).unwrap_or_default(),
                    hits: None,
                    latency,
                });
            }
            _ => {}
        }
    }
    sets
}

/// Whether the last pass took less time than the one before it.
fn is_faster(means_ns: &[f64]) -> bool {
    means_ns.windows(2).last().is_some_and(|pair| pair[1] < STILL * pair[0])
}

/// Whether a larger set had a greater share of hits than a smaller set that was read before it.
fn is_taking_in(sets: &[SetObservation]) -> bool {
    let more = |set: &SetObservation, later: &SetObservation| {
        let (Some(hits), Some(of_later)) = (set.hits, later.hits) else { return false };
        later.bytes > set.bytes && of_later.low > hits.high + LACKS
    };
    (0..sets.len()).any(|at| sets[at + 1..].iter().any(|later| more(&sets[at], later)))
}

/// A step in the ladder: the latencies of hits and misses, and the threshold between them.
struct Step {
    hit_ns: f64,
    miss_ns: f64,
    between_ns: u64,
    /// Whether first readings are misses and lie wholly above the threshold.
    is_clear: bool,
}

fn percentile(set: &SetObservation, percent: f64) -> f64 {
    set.latency.percentile(percent).unwrap_or_default().max(1) as f64
}

fn step(sets: &[SetObservation], places: &[Place]) -> Option<Step> {
    // Of several looks at the smallest set, the last counts: by then the set had been read most often.
    let least = sets.iter().map(|set| set.bytes).min()?;
    let smallest = sets.iter().rfind(|set| set.bytes == least)?;
    let largest = sets.iter().max_by_key(|set| set.bytes)?;
    let (hit_ns, slowest_ns) = (percentile(smallest, 50.0), percentile(largest, 90.0));
    // Reads of a small set may wait for a limit of the cache, which those of a larger one do not reach; so where first readings
    // are surely misses, the threshold lies between all of either.
    let first: Vec<f64> = places.iter().map(|place| place.first_ns).collect();
    let (slow_hit_ns, fast_miss_ns) =
        (percentile(smallest, 95.0), quantile(&first, 0.05).unwrap_or_default());
    let is_clear = (CLEAR * slow_hit_ns..slowest_ns).contains(&fast_miss_ns);
    let (longest_hit, shortest_miss) =
        if is_clear { (slow_hit_ns, fast_miss_ns) } else { (hit_ns, slowest_ns) };
    let between_ns = (longest_hit * shortest_miss).sqrt() as u64;
    // Where the two are apart, a few misses show that the largest set does not fit.
    let does_not_fit = percentile(largest, 75.0) > FALLS * percentile(smallest, 75.0)
        || is_clear && below(largest, between_ns) < TELLS.1;
    does_not_fit.then_some(Step { hit_ns, miss_ns: slowest_ns, between_ns, is_clear })
}

/// Fills in the share of hits of each set, and returns what the ladder shows. `slow_once`: whether every region of the
/// strip was slow at first. `places` are the places of the strip.
pub(crate) fn cache(sets: &mut [SetObservation], places: &[Place], slow_once: bool) -> CacheObservation {
    let Some(up_to) = sets.iter().map(|set| set.bytes).max() else { return CacheObservation::NotLooked };
    let Some(step) = step(sets, places) else {
        return if slow_once {
            CacheObservation::LargerOrFirstTouch { up_to }
        } else {
            CacheObservation::None { up_to }
        };
    };
    let misses = misses_below(places, &step);
    let least = sets.iter().map(|set| set.bytes).min().unwrap_or_default();
    let hits = sets.iter().rfind(|set| set.bytes == least).map_or(1.0, |set| below(set, step.between_ns));
    for set in sets.iter_mut() {
        set.hits = Some(share(set, step.between_ns, (misses, hits)));
    }
    mark_warming(sets);
    told(sets, &step)
}

/// Marks the sets that are still warming. If the smallest set had misses when first looked at, larger sets with as few
/// passes are not fully in the cache either.
fn mark_warming(sets: &mut [SetObservation]) {
    if is_taking_in(sets) {
        let lacking = |set: &&mut SetObservation| set.hits.is_some_and(|hits| hits.value < FITS);
        sets.iter_mut().filter(lacking).for_each(|set| set.still_warming = true);
    }
    // A cache that resists a single pass does not yet hold a set although a larger one was in it before.
    let holds = holds(sets);
    let lacking = |set: &&mut SetObservation| set.bytes <= holds && !fits(set);
    sets.iter_mut().filter(lacking).for_each(|set| set.still_warming = true);
    let Some(least) = sets.iter().map(|set| set.bytes).min() else { return };
    let first = sets.iter().find(|set| set.bytes == least).and_then(|set| set.hits);
    let Some(taken) = first.map(|hits| hits.value).filter(|taken| *taken < TELLS.1) else { return };
    let lacking = |set: &SetObservation| (1.0 - taken).powi(set.passes as i32) > LACKS;
    sets.iter_mut().filter(|set| set.bytes > least).for_each(|set| set.still_warming |= lacking(set));
}

/// Whether a set came from the cache.
fn fits(set: &SetObservation) -> bool {
    set.hits.is_some_and(|hits| hits.value >= FITS)
}

/// Returns the size of the largest set that came from the cache; 0 if none did.
fn holds(sets: &[SetObservation]) -> u64 {
    sets.iter().filter(|set| fits(set)).map(|set| set.bytes).max().unwrap_or(0)
}

/// Returns the share of reads of the set that are faster than `ns`.
fn below(set: &SetObservation, ns: u64) -> f64 {
    set.latency.share_within(ns).unwrap_or_default()
}

/// Returns the share of reads faster than `ns` among places in no cache: first readings, or readings after the sets.
fn misses_below(places: &[Place], step: &Step) -> f64 {
    let ns = step.between_ns;
    let later: Vec<f64> = places.iter().flat_map(|place| place.later_ns.iter().copied()).collect();
    let first = || places.iter().map(|place| place.first_ns).collect();
    // Later readings may have come from a cache that keeps what was read twice.
    let known: Vec<f64> = if later.len() >= READS as usize && !step.is_clear { later } else { first() };
    let fast = known.iter().filter(|reading| **reading <= ns as f64).count();
    // If many are fast, they are no misses: the part was never written, or was already in the cache.
    let share = fast as f64 / known.len().max(1) as f64;
    if share > 0.3 { 0.0 } else { share }
}

/// Returns the share of hits of a set; `misses` and `hits` are the shares of each that are faster than `between_ns`.
fn share(set: &SetObservation, between_ns: u64, (misses, hits): (f64, f64)) -> Estimate {
    let seen = below(set, between_ns);
    let range = (hits - misses).max(0.1);
    let value = ((seen - misses) / range).clamp(0.0, 1.0);
    let error = 1.96 * (seen * (1.0 - seen) / set.reads as f64).sqrt() / range;
    Estimate { value, low: (value - error).max(0.0), high: (value + error).min(1.0) }
}

fn told(sets: &[SetObservation], step: &Step) -> CacheObservation {
    let hits = |set: &SetObservation| set.hits.map_or(0.0, |hits| hits.value);
    let (hit_ns, miss_ns) = (step.hit_ns, step.miss_ns);
    let holds = holds(sets);
    let lacks = |set: &&SetObservation| hits(set) < TELLS.1 && set.bytes > holds && !set.still_warming;
    let less_than = sets.iter().filter(lacks).map(|set| set.bytes).min();
    let Some(less_than) = less_than else {
        return CacheObservation::SizeUnclear { holds, less_than: u64::MAX, hit_ns, miss_ns };
    };
    if !is_confirmed(sets, holds) {
        return CacheObservation::Unconfirmed { slower: less_than };
    }
    match size(sets) {
        Some(size) if agrees(size, holds, less_than) => CacheObservation::Seen { size, hit_ns, miss_ns },
        _ => CacheObservation::SizeUnclear { holds, less_than, hit_ns, miss_ns },
    }
}

/// Whether a set that fits was read after one that does not: then the larger one was not slow because of the time.
fn is_confirmed(sets: &[SetObservation], holds: u64) -> bool {
    let slow =
        sets.iter().position(|set| set.bytes > holds && set.hits.is_some_and(|hits| hits.value < TELLS.1));
    slow.is_some_and(|slow| sets[slow..].iter().any(|set| set.bytes <= holds && fits(set)))
}

/// Returns the size of the cache from the set that shows it best, but no less than what came from it of a set.
pub(crate) fn size(sets: &[SetObservation]) -> Option<Estimate> {
    let of_set = |set: &SetObservation| {
        if set.still_warming {
            return None;
        }
        let hits = set.hits.filter(|hits| (TELLS.0..=TELLS.1).contains(&hits.value))?;
        let error = ((hits.high - hits.low) / (2.0 * hits.value)).max(LEAST_ERROR);
        let value = hits.value * set.bytes as f64;
        Some(Estimate { value, low: value * (1.0 - error), high: value * (1.0 + error) })
    };
    let relative = |size: &Estimate| size.half_width() / size.value;
    let size = sets.iter().filter_map(of_set).min_by(|a, b| relative(a).total_cmp(&relative(b)))?;
    let held = |set: &SetObservation| set.hits.map_or(0.0, |hits| hits.value * set.bytes as f64);
    let least = sets.iter().filter(|set| fits(set)).map(held).fold(0.0, f64::max);
    Some(if size.value < least { size.times(least / size.value) } else { size })
}

fn agrees(size: Estimate, holds: u64, less_than: u64) -> bool {
    holds as f64 <= size.high * (1.0 + NEAR) && less_than as f64 >= size.low * (1.0 - NEAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A set with so many reads of each latency.
    fn set_of(mib: u64, reads: &[(u64, u64)]) -> SetObservation {
        let latency = Distribution::counted(reads, reads[0].0, reads[reads.len() - 1].0);
        SetObservation {
            bytes: mib << 20,
            passes: 1,
            still_warming: false,
            reads: latency.count(),
            latency_ns_mean: latency.mean().unwrap_or_default(),
            latency_ns_p50: latency.percentile(50.0).unwrap_or_default(),
            hits: None,
            latency,
        }
    }

    /// Half of the hits of a small set waited for the cache's own limit, as none of a larger set do.
    #[test]
    fn hits_that_wait_for_the_limit_of_the_cache_do_not_make_it_larger() {
        let waits = [(20_000, 500), (100_000, 300), (170_000, 200)];
        let mut sets = [
            set_of(16, &waits),
            set_of(128, &waits),
            set_of(512, &[(20_000, 465), (1_100_000, 535)]),
            set_of(235, &waits),
        ];
        let first = |number: u64| Place {
            offset: number << 20,
            first_ns: 1_000_000.0,
            again_ns: Vec::new(),
            later_ns: Vec::new(),
        };
        let places: Vec<Place> = (0..100).map(first).collect();
        let CacheObservation::Seen { size, .. } = cache(&mut sets, &places, false) else {
            panic!("{sets:?}");
        };
        assert_eq!((size.value / f64::from(1 << 20)).round(), 238.0);
    }

    /// The page cache of Linux: after a set of 512 MiB came from it, larger ones replace what was read twice only in part, and a
    /// smaller one no longer comes from it wholly; places of the strip that were read twice stay in it.
    #[test]
    fn a_cache_that_resists_a_single_pass_is_no_smaller_than_what_came_from_it() {
        let share = |mib: u64, hits: u64| set_of(mib, &[(50_000, hits), (1_200_000, 1_000 - hits)]);
        let mut sets: Vec<SetObservation> =
            [(16, 999), (256, 999), (512, 990), (1024, 420), (678, 740), (462, 900), (393, 999)]
                .map(|(mib, hits)| share(mib, hits))
                .into();
        let read = |number: u64| Place {
            offset: number << 20,
            first_ns: 1_000_000.0,
            again_ns: vec![50_000.0],
            later_ns: vec![if number.is_multiple_of(5) { 50_000.0 } else { 1_150_000.0 }],
        };
        let places: Vec<Place> = (0..100).map(read).collect();
        let CacheObservation::Seen { size, .. } = cache(&mut sets, &places, false) else {
            panic!("{sets:?}");
        };
        assert_eq!((size.value / f64::from(1 << 20)).round(), 507.0);
        assert!(sets[5].still_warming && !sets[4].still_warming, "{sets:?}");
    }

    /// Three quarters of the largest set came from the cache, so that its upper quartile is still that of a hit.
    #[test]
    fn a_cache_shows_in_the_few_misses_of_a_set_a_little_larger() {
        let share = |mib: u64, hits: u64| set_of(mib, &[(100_000, hits), (1_100_000, 1_000 - hits)]);
        let sizes = [(16, 999), (4096, 999), (8192, 755), (5461, 999)];
        let first = |number: u64| Place {
            offset: number << 20,
            first_ns: 1_000_000.0,
            again_ns: Vec::new(),
            later_ns: Vec::new(),
        };
        let places: Vec<Place> = (0..100).map(first).collect();
        let seen = |sizes: &[(u64, u64)], places: &[Place]| {
            let mut sets: Vec<SetObservation> = sizes.iter().map(|&(mib, hits)| share(mib, hits)).collect();
            cache(&mut sets, places, true)
        };
        let CacheObservation::Seen { size, .. } = seen(&sizes, &places) else { panic!("{sizes:?}") };
        assert_eq!((size.value / f64::from(1 << 20)).round(), 6_191.0);
        // A few slow reads are no misses, and without first readings the quartile decides.
        let up_to = CacheObservation::LargerOrFirstTouch { up_to: 8192 << 20 };
        assert_eq!(seen(&[(16, 999), (4096, 999), (8192, 950), (5461, 999)], &places), up_to);
        assert_eq!(seen(&sizes, &[]), up_to);
    }
}
