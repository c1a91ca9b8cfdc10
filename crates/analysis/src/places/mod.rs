//! The answer of `plimsoll where`: how places of a volume differ, and the size and rates of a cache in front of it.

mod budgets;
mod cache;
mod edges;
mod loading;
mod looks;
mod readings;
mod regions;
mod tracks;

use record::{Run, StepRecord};
use serde::{Deserialize, Serialize};
use statistics::quantile::median;
use workload::{Ending, PlacesRequest};

use crate::figures::Figures;

pub use budgets::{Budget, BudgetCause, Joint};
pub use cache::{CacheObservation, SetObservation};
pub use loading::Loading;
pub use looks::{Look, STRIP_BLOCK, Span, TRACK_BLOCK, WARM_BLOCK, look, span};
pub use regions::{Region, RegionKind};
pub use tracks::{TracksObservation, Window};

use readings::{Place, SettledReadings, places, warmed};
use regions::{CacheState, regions, spread};

/// Share by which parts of an uneven volume differ: the level of a region differs by as much.
const UNEVEN: f64 = 0.5;
/// Points of the strip as drawn.
const POINTS: u64 = 160;

/// The answer of `plimsoll where`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlacesAnswer {
    /// Bytes examined, from the beginning of the volume.
    pub size: u64,
    /// Number of places that were read.
    pub places: usize,
    /// Shortest region that would be detected, bytes.
    pub resolution: u64,
    /// The regions in their order; a single one if the volume is the same everywhere.
    pub regions: Vec<Region>,
    /// Share by which the slowest sixteenth is slower than the fastest, once touched.
    pub spread: Option<f64>,
    /// What the working sets show about a cache.
    pub cache: CacheObservation,
    /// The working sets, in the order in which they were read.
    pub sets: Vec<SetObservation>,
    /// Bytes per second at which sets were read for the first time.
    pub warming: Option<f64>,
    /// Rates of first and of later readings, if all of the volume is slow at first.
    #[serde(default)]
    pub loading: Option<Loading>,
    /// Rates from the cache and beyond it.
    pub budgets: Vec<Budget>,
    /// How the rate of sequential reads depends on the place.
    pub tracks: TracksObservation,
    /// The rates of sequences by place.
    pub windows: Vec<Window>,
    /// The strip: medians of short parts.
    pub strip: Vec<StripPoint>,
    /// Whether the run was stopped before its end.
    pub stopped: bool,
}

impl PlacesAnswer {
    /// Whether equal parts of the volume are about equally fast: if not, although there is no edge between them, too
    /// little was read or latencies wandered.
    pub fn is_even(&self) -> bool {
        self.spread.is_none_or(|spread| spread <= UNEVEN)
    }

    /// Whether a cache was seen, and no region that loads when it is touched.
    pub(crate) fn has_only_a_cache(&self) -> bool {
        let loads =
            |region: &Region| matches!(region.kind, RegionKind::FirstTouch | RegionKind::FirstTouchOrCached);
        matches!(self.cache, CacheObservation::Seen { .. }) && !self.regions.iter().any(loads)
    }
}

/// A short part of the volume; times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StripPoint {
    /// First byte of the part.
    pub from: u64,
    /// First byte after the part.
    pub to: u64,
    /// Median of first readings.
    pub first_ns: f64,
    /// Median of later readings.
    pub settled_ns: Option<f64>,
}

/// Returns the answer of `run` to the request.
pub(crate) fn answer(run: &Run, _figures: &Figures, asked: &PlacesRequest) -> PlacesAnswer {
    places_known(&run.steps, asked)
}

/// Returns the answer from the steps so far.
pub fn places_known(steps: &[StepRecord], asked: &PlacesRequest) -> PlacesAnswer {
    // Less than was asked for if the layout of the data ran out of time.
    let first_strip = steps.iter().find(|step| look(step) == Some(Look::Strip));
    let whole = first_strip.and_then(|step| step.plan.workers.first()).map(|worker| span(worker).to);
    let volume = Span { from: 0, to: whole.map_or(asked.size.0, |whole| whole.min(asked.size.0)) };
    let mut places = places(steps);
    let mut sets = cache::sets(steps);
    let before = regions(&places, CacheState::Unknown, volume);
    let loading = loading::loading(steps, &places, &before);
    let cache = match cache::cache(&mut sets, &places, is_slow_everywhere(&before)) {
        // A cache stores no more than was read, so blocks that load in larger pieces show that there is none.
        CacheObservation::LargerOrFirstTouch { up_to }
            if loading.is_some_and(|loading| loading.piece.is_some()) =>
        {
            CacheObservation::None { up_to }
        }
        told => told,
    };
    if let CacheObservation::Seen { hit_ns, miss_ns, .. } = cache {
        places.iter_mut().for_each(|place| place.forget_hits((hit_ns * miss_ns).sqrt()));
    }
    let cached = cached(&cache, warmed(steps));
    let regions = regions(&places, cached, volume);
    let windows = tracks::windows(steps, &regions, warmed(steps).filter(|_| cached != CacheState::No));
    PlacesAnswer {
        size: volume.to,
        places: places.len(),
        resolution: resolution(&places),
        spread: spread(&places, cached),
        budgets: budgets::budgets(steps, warmed(steps), &cache),
        tracks: tracks::tracks(&windows, volume),
        strip: strip(&places, cached, volume),
        warming: loading::first_rate(steps),
        loading,
        stopped: steps.last().is_some_and(|step| matches!(step.ending, Ending::Interrupted | Ending::Failed)),
        windows,
        sets,
        regions,
        cache,
    }
}

/// Whether no region was as fast the first time as later.
fn is_slow_everywhere(regions: &[Region]) -> bool {
    let once = |region: &Region| region.kind == RegionKind::FirstTouchOrCached;
    regions.iter().any(once) && !regions.iter().any(|region| region.kind == RegionKind::Usual)
}

/// Returns the state of the cache, as far as known, when places were read for the last time.
fn cached(cache: &CacheObservation, warmed: Option<Span>) -> CacheState {
    match cache {
        CacheObservation::None { .. } => CacheState::No,
        CacheObservation::Seen { size, .. } if warmed.is_some_and(|span| span.bytes() as f64 > size.high) => {
            CacheState::Emptied
        }
        _ => CacheState::Unknown,
    }
}

/// Returns the length of the shortest region that is reported: twenty places.
fn resolution(places: &[Place]) -> u64 {
    let gaps: Vec<f64> = places.windows(2).map(|pair| (pair[1].offset - pair[0].offset) as f64).collect();
    20 * median(&gaps).unwrap_or_default() as u64
}

fn strip(places: &[Place], cached: CacheState, volume: Span) -> Vec<StripPoint> {
    let settled = if cached == CacheState::Emptied { SettledReadings::Later } else { SettledReadings::Any };
    let point = |number: u64| {
        let edge = |number: u64| {
            volume.from + (u128::from(volume.bytes()) * u128::from(number) / u128::from(POINTS)) as u64
        };
        let part = Span { from: edge(number), to: edge(number + 1) };
        let own: Vec<&Place> = places.iter().filter(|place| part.holds(place.offset)).collect();
        let first = median(&own.iter().map(|place| place.first_ns).collect::<Vec<_>>())?;
        let later: Vec<f64> = own.iter().filter_map(|place| place.settled_ns(settled)).collect();
        Some(StripPoint { from: part.from, to: part.to, first_ns: first, settled_ns: median(&later) })
    };
    (0..POINTS).filter_map(point).collect()
}
