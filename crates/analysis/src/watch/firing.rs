//! Windows of a device in which a rule fires, merged into the spans that a finding names.

use super::device::Device;
use super::watched_run::WatchedRun;
use super::windows::Window;
use crate::finding::{Confidence, Evidence, FindingOf};

/// Most spans that a finding names: the longest and worst ones.
const SPANS: usize = 8;

/// A window in which a rule fires, with its severity.
#[derive(Clone, Debug)]
pub(crate) struct Firing {
    pub span: usize,
    pub evidence: Evidence,
    pub weight: f64,
}

impl Firing {
    /// Returns the window of `device` with the index `window`.
    pub fn of(device: &Device<'_>, window: usize, weight: f64) -> Firing {
        let window = &device.windows[window];
        Firing { span: window.span, evidence: device.evidence(window.from, window.to), weight }
    }
}

/// Returns the windows of `device` with these indices, each with its severity.
pub(crate) fn firings(device: &Device<'_>, windows: &[usize], weight: fn(&Window) -> f64) -> Vec<Firing> {
    windows.iter().map(|&at| Firing::of(device, at, weight(&device.windows[at]))).collect()
}

/// Makes one finding of the windows in which a rule fires: neighbours are merged, and the longest and worst spans named
/// in the order of time; `None` if the rule fires in no window.
pub(crate) fn found_in<K>(
    watch: &WatchedRun<'_>,
    meaning: K,
    firings: &[Firing],
    confidence: Confidence,
) -> Option<FindingOf<K>> {
    let mut merged: Vec<Firing> = Vec::new();
    for firing in firings {
        match merged.last_mut() {
            Some(last) if last.span == firing.span && last.evidence.to == firing.evidence.from => {
                last.evidence.to = firing.evidence.to;
                last.weight = last.weight.max(firing.weight);
            }
            _ => merged.push(firing.clone()),
        }
    }
    assert!(merged.len() <= firings.len() && merged.is_empty() == firings.is_empty(), "merged, not lost");
    let seconds = |firing: &Firing| firing.evidence.to.since(firing.evidence.from).as_secs_f64();
    merged.sort_by(|a, b| (seconds(b) * b.weight).total_cmp(&(seconds(a) * a.weight)));
    merged.truncate(SPANS);
    merged.sort_by_key(|firing| firing.evidence.from);
    let named = |firing: Firing| {
        let span = &watch.spans[firing.span];
        let step = if span.kind.is_some() { span.name.to_owned() } else { String::new() };
        Evidence { step, ..firing.evidence }
    };
    let evidence: Vec<Evidence> = merged.into_iter().map(named).collect();
    (!evidence.is_empty()).then_some(FindingOf { meaning, evidence, confidence })
}
