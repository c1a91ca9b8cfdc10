//! The readings of each place of a strip: the first, those soon after it, and those after the working sets were read.

use std::collections::{BTreeMap, BTreeSet};

use record::StepRecord;
use statistics::quantile::median;

use super::looks::{Look, Span, look};

/// A place of the strip. Times are from issue to completion, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    /// The first reading.
    pub(crate) first_ns: f64,
    /// Later readings with no working set read since the previous reading.
    pub(crate) again_ns: Vec<f64>,
    /// Readings with a working set read since the reading before.
    pub(crate) later_ns: Vec<f64>,
}

/// Which readings show the latency of a place once touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettledReadings {
    /// All but the first.
    Any,
    /// Only those after the working sets, which evicted everything else from a cache.
    Later,
}

impl Place {
    /// Drops later readings faster than `between_ns` of a place that was first read more slowly: a cache may keep a place
    /// that was read twice through all working sets, and says nothing about what is beyond it.
    pub(crate) fn forget_hits(&mut self, between_ns: f64) {
        if self.first_ns > between_ns {
            self.later_ns.retain(|ns| *ns > between_ns);
        }
    }

    /// Returns the latency of the place once touched.
    pub(crate) fn settled_ns(&self, settled: SettledReadings) -> Option<f64> {
        match settled {
            SettledReadings::Any => {
                median(&self.again_ns.iter().chain(&self.later_ns).copied().collect::<Vec<_>>())
            }
            SettledReadings::Later => median(&self.later_ns),
        }
    }
}

/// Returns the span that covers all working sets.
pub(crate) fn warmed(steps: &[StepRecord]) -> Option<Span> {
    let spans = steps.iter().filter_map(|step| match look(step) {
        Some(Look::Warm(span) | Look::Set(span)) => Some(span),
        _ => None,
    });
    spans.reduce(|a, b| Span { from: a.from.min(b.from), to: a.to.max(b.to) })
}

/// Most bytes that usually load as one unit: a place this near to one already read says nothing about a first touch.
pub(crate) const UNIT: u64 = 1 << 20;

/// Returns the places of all strips, by offset, except places that working sets had read before: they may be cached.
pub(crate) fn places(steps: &[StepRecord]) -> Vec<Place> {
    let mut readings = Readings::default();
    for step in steps {
        match look(step) {
            Some(Look::Strip) => readings.take_in(step),
            Some(Look::Warm(span) | Look::Set(span)) => readings.sets.push(span),
            Some(Look::Budget | Look::Tracks) | None => {}
        }
    }
    readings.places.into_values().map(|(place, _)| place).collect()
}

/// The readings so far.
#[derive(Default)]
struct Readings {
    /// Places by offset, each with the number of looks at working sets before its last reading.
    places: BTreeMap<u64, (Place, usize)>,
    /// Every offset that was read.
    touched: BTreeSet<u64>,
    /// Spans that working sets have read.
    sets: Vec<Span>,
}

impl Readings {
    fn take_in(&mut self, step: &StepRecord) {
        let mut ios: Vec<_> = step.workers.iter().flat_map(|worker| &worker.ios).collect();
        ios.sort_by_key(|io| io.issued);
        let whole = ios.into_iter().filter(|io| io.errno == 0 && io.bytes > 0);
        for io in whole {
            if !self.sets.iter().any(|span| span.holds(io.offset)) {
                self.read(io.offset, io.done.since(io.issued).0 as f64);
            }
        }
    }

    fn read(&mut self, offset: u64, ns: f64) {
        let looks = self.sets.len();
        let near = offset.saturating_sub(UNIT)..=offset + UNIT;
        if let Some((place, last)) = self.places.get_mut(&offset) {
            // The previous reading may itself have put the place in a cache, whatever had been evicted before.
            if *last < looks {
                place.later_ns.push(ns)
            } else {
                place.again_ns.push(ns)
            }
            *last = looks;
        } else if self.touched.range(near).next().is_none() {
            let place = Place { offset, first_ns: ns, again_ns: Vec::new(), later_ns: Vec::new() };
            self.places.insert(offset, (place, looks));
        }
        self.touched.insert(offset);
    }
}
