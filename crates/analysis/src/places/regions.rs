//! Regions of the volume: parts between two edges, and what makes each differ from the rest.

use serde::{Deserialize, Serialize};
use statistics::quantile::{median, quantile_interval};

use super::edges::{Edge, Reading, apart, edges, together};
use super::looks::Span;
use super::readings::{Place, SettledReadings};
use crate::estimate::Estimate;

/// Ratio of the first reading to later ones above which blocks are loaded on first touch: blocks touched before differ
/// only by tails and neighbours, which the median of pairs suppresses. A check uses 3, as it probes few blocks
/// (method 5.5).
const ONCE: f64 = 1.5;
/// Ratio of the first reading to later ones above which blocks were loaded by the first, whatever else they are.
const SLOWER: f64 = 1.2;
/// Ratio above which a level differs from the usual one.
const OTHER: f64 = 1.5;
/// Least share of the volume examined that a level must cover to be the usual one.
const USUAL: f64 = 0.1;
/// Fewest places from which anything is concluded about a region.
const FEW: usize = 8;
/// Fewest places of a region between two edges.
const SHORTEST: usize = 12;
/// Number of equal parts of the volume whose medians are compared for its evenness.
const PARTS: usize = 16;

/// How a region differs from the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegionKind {
    /// Not at all: as fast the first time as later, and as fast as most of the volume.
    Usual,
    /// Slow the first time, and as fast as the rest when read again: loaded on first touch.
    FirstTouch,
    /// Slow the first time and fast later; a cache that no working set has filled would look the same.
    FirstTouchOrCached,
    /// Fast each time: never written, zeros, or on a faster medium.
    Fast,
    /// Fast the first time, and as slow as the rest after larger sets were read: it was in a cache at the beginning.
    Cached,
    /// Slow each time.
    Slow,
}

/// A part of the volume that differs from its neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Start in bytes; the interval is what the readings leave open.
    pub from: Estimate,
    /// End in bytes; the interval is what the readings leave open.
    pub to: Estimate,
    /// How the region differs from the rest.
    pub kind: RegionKind,
    /// Median of first readings, nanoseconds.
    pub first_ns: f64,
    /// Median of later readings, nanoseconds; `None` if no such reading counts.
    pub settled_ns: Option<f64>,
    /// Median ratio of the first reading to later ones of the same place.
    pub times: Option<Estimate>,
    /// Number of places that were read.
    pub places: usize,
}

/// What is known about the cache when regions are classified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheState {
    /// There is no cache.
    No,
    /// There is a cache; it contained none of the places when they were read after the working sets.
    Emptied,
    /// The state is unknown.
    Unknown,
}

impl CacheState {
    fn settled(self) -> SettledReadings {
        match self {
            CacheState::Emptied => SettledReadings::Later,
            CacheState::No | CacheState::Unknown => SettledReadings::Any,
        }
    }
}

/// Returns the regions of `volume`, in order and without a gap; none if too little was read.
pub(crate) fn regions(places: &[Place], cached: CacheState, volume: Span) -> Vec<Region> {
    if places.len() < FEW {
        return Vec::new();
    }
    let settled = cached.settled();
    let first: Vec<Reading> =
        places.iter().map(|place| Reading { offset: place.offset, ns: place.first_ns }).collect();
    let later: Vec<Reading> = places
        .iter()
        .filter_map(|place| Some(Reading { offset: place.offset, ns: place.settled_ns(settled)? }))
        .collect();
    let offsets: Vec<u64> = places.iter().map(|place| place.offset).collect();
    let edges = apart(together(&[edges(&first), edges(&later)], volume), &offsets, SHORTEST);
    let parts = parts(places, &edges, volume);
    let usual = usual(&parts, settled);
    let told: Vec<Region> = parts.iter().map(|part| part.told(cached, usual)).collect();
    merged(told)
}

/// A part of the volume before it is classified.
struct Part<'p> {
    from: Estimate,
    to: Estimate,
    places: &'p [Place],
}

fn at(edge: Edge) -> Estimate {
    Estimate { value: edge.middle() as f64, low: edge.after as f64, high: edge.before as f64 }
}

fn parts<'p>(places: &'p [Place], edges: &[Edge], volume: Span) -> Vec<Part<'p>> {
    let mut bounds = vec![Estimate::exactly(volume.from as f64)];
    bounds.extend(edges.iter().map(|edge| at(*edge)));
    bounds.push(Estimate::exactly(volume.to as f64));
    let within = |from: f64, to: f64| {
        let first = places.partition_point(|place| (place.offset as f64) < from);
        let last = places.partition_point(|place| (place.offset as f64) < to);
        &places[first..last.max(first)]
    };
    let part = |pair: &[Estimate]| Part {
        from: pair[0],
        to: pair[1],
        // Places within an edge belong to neither side.
        places: within(pair[0].high, pair[1].low.max(pair[0].high)),
    };
    bounds.windows(2).map(part).filter(|part| !part.places.is_empty()).collect()
}

/// Returns the slowest of the settled levels that a good part of the volume has: a faster part has a reason of its own.
fn usual(parts: &[Part<'_>], settled: SettledReadings) -> Option<f64> {
    let all: f64 = parts.iter().map(Part::bytes).sum();
    let levels =
        parts.iter().filter(|part| part.bytes() >= USUAL * all).filter_map(|part| part.settled(settled));
    levels.reduce(f64::max)
}

impl Part<'_> {
    fn bytes(&self) -> f64 {
        self.to.value - self.from.value
    }

    fn first(&self) -> f64 {
        median(&self.places.iter().map(|place| place.first_ns).collect::<Vec<_>>()).unwrap_or_default()
    }

    fn settled(&self, settled: SettledReadings) -> Option<f64> {
        median(&self.places.iter().filter_map(|place| place.settled_ns(settled)).collect::<Vec<_>>())
    }

    /// Returns the ratio of the first reading to later ones, over the places that have both.
    fn times(&self, settled: SettledReadings) -> Option<Estimate> {
        let ratio = |place: &Place| Some(place.first_ns.max(1.0) / place.settled_ns(settled)?.max(1.0));
        let ratios: Vec<f64> = self.places.iter().filter_map(ratio).collect();
        let interval = quantile_interval(&ratios, 0.5, 0.95)?;
        Some(Estimate { value: median(&ratios)?, low: interval.lo, high: interval.hi })
    }

    fn told(&self, cached: CacheState, usual: Option<f64>) -> Region {
        // If nothing was read again after the sets, readings before them are used, which show less.
        let cached = if self.times(cached.settled()).is_none() { CacheState::Unknown } else { cached };
        let settled = cached.settled();
        let times = self.times(settled);
        let settled_ns = self.settled(settled);
        let over_usual = settled_ns.zip(usual).map_or(1.0, |(own, usual)| own / usual);
        let first_over_usual = usual.map_or(1.0, |usual| self.first() / usual);
        let slower_at_first = times.is_some_and(|times| times.low > SLOWER);
        let once = times.is_some_and(|times| times.low > ONCE);
        let was_cached = times.is_some_and(|times| times.high < 1.0 / ONCE);
        let kind = match cached {
            CacheState::Unknown if once => RegionKind::FirstTouchOrCached,
            _ if once => RegionKind::FirstTouch,
            CacheState::Emptied if was_cached => RegionKind::Cached,
            _ if slower_at_first => RegionKind::FirstTouchOrCached,
            _ if over_usual < 1.0 / OTHER && first_over_usual < 1.0 / OTHER => RegionKind::Fast,
            // Fast now and slow at first: the blocks read in between are in a cache.
            _ if over_usual < 1.0 / OTHER => RegionKind::FirstTouchOrCached,
            _ if over_usual > OTHER => RegionKind::Slow,
            _ => RegionKind::Usual,
        };
        let (from, to) = (self.from, self.to);
        Region { from, to, kind, first_ns: self.first(), settled_ns, times, places: self.places.len() }
    }
}

/// Merges neighbours of one kind and of about one level.
fn merged(regions: Vec<Region>) -> Vec<Region> {
    let mut kept: Vec<Region> = Vec::new();
    for region in regions {
        match kept.last_mut() {
            Some(last) if last.kind == region.kind && is_alike(last.first_ns, region.first_ns) => {
                last.to = region.to;
                last.places += region.places;
            }
            _ => kept.push(region),
        }
    }
    kept
}

fn is_alike(one: f64, other: f64) -> bool {
    one.max(other) <= OTHER * one.min(other)
}

/// Returns the share by which the slowest of equal parts of the volume is slower than the fastest, once touched.
pub(crate) fn spread(places: &[Place], cached: CacheState) -> Option<f64> {
    let settled = cached.settled();
    let ns: Vec<f64> = places.iter().filter_map(|place| place.settled_ns(settled)).collect();
    let parts: Vec<f64> = ns.chunks(ns.len().div_ceil(PARTS).max(FEW)).filter_map(median).collect();
    let (least, most) = (parts.iter().copied().reduce(f64::min)?, parts.iter().copied().reduce(f64::max)?);
    Some(most / least - 1.0)
}
