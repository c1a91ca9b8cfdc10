//! The readings of each place of a strip: the first, those soon after it, and those after the working sets were read.

use std::collections::BTreeMap;

use record::StepRecord;
use statistics::quantile::median;

use super::looks::{Look, Span, look};

/// A place of the strip. Times are from issue to completion, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    /// The first reading.
    pub(crate) first_ns: f64,
    /// Readings in the passes before the working sets, after the first.
    pub(crate) again_ns: Vec<f64>,
    /// Readings after the working sets, after the first.
    pub(crate) later_ns: Vec<f64>,
}

/// Which readings say what a place takes once it was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// All but the first.
    Any,
    /// Only those after the working sets, which drove everything else out of a cache.
    Later,
}

impl Place {
    /// What the place takes once it was touched.
    pub(crate) fn settled_ns(&self, settled: Settled) -> Option<f64> {
        match settled {
            Settled::Any => median(&self.again_ns.iter().chain(&self.later_ns).copied().collect::<Vec<_>>()),
            Settled::Later => median(&self.later_ns),
        }
    }
}

/// Everything that was read before a strip's second pass at other places than its own.
pub(crate) fn warmed(steps: &[StepRecord]) -> Option<Span> {
    let spans = steps.iter().filter_map(|step| match look(step) {
        Some(Look::Warm(span) | Look::Set(span)) => Some(span),
        _ => None,
    });
    spans.reduce(|a, b| Span { from: a.from.min(b.from), to: a.to.max(b.to) })
}

/// The places of all strips, by their offset. What working sets have read since is left out: it may lie in a cache for that.
pub(crate) fn places(steps: &[StepRecord]) -> Vec<Place> {
    let mut places: BTreeMap<u64, Place> = BTreeMap::new();
    let mut read: Vec<Span> = Vec::new();
    for step in steps {
        match look(step) {
            Some(Look::Strip) => take_in(step, &read, &mut places),
            Some(Look::Warm(span) | Look::Set(span)) => read.push(span),
            Some(Look::Budget | Look::Tracks) | None => {}
        }
    }
    places.into_values().collect()
}

fn take_in(step: &StepRecord, read: &[Span], places: &mut BTreeMap<u64, Place>) {
    let mut ios: Vec<_> = step.workers.iter().flat_map(|worker| &worker.ios).collect();
    ios.sort_by_key(|io| io.issued);
    let whole = ios.into_iter().filter(|io| io.errno == 0 && io.bytes > 0);
    for io in whole.filter(|io| !read.iter().any(|span| span.holds(io.offset))) {
        let ns = io.done.since(io.issued).0 as f64;
        match places.get_mut(&io.offset) {
            Some(place) if read.is_empty() => place.again_ns.push(ns),
            Some(place) => place.later_ns.push(ns),
            None => {
                let (again_ns, later_ns) = (Vec::new(), Vec::new());
                places.insert(io.offset, Place { offset: io.offset, first_ns: ns, again_ns, later_ns });
            }
        }
    }
}
