//! Whether sequential reads are faster at the beginning of the volume than at its end, as on spinning disks.

use record::{IoTrace, StepRecord};
use serde::{Deserialize, Serialize};
use statistics::compare::hodges_lehmann;
use statistics::quantile::median;

use super::looks::{Look, Span, look};
use super::regions::{Region, RegionKind};
use crate::estimate::Estimate;

/// Ratio of the beginning to the end above which sequential reads slow down. Spinning disks have 1.5 to 2.5.
const FALLS: f64 = 1.15;
/// Fewest windows in a third of the volume.
const FEW: usize = 4;

/// The rate of one sequence of reads at a place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Start, bytes.
    pub offset: u64,
    /// Bytes per second, without the seek to the first byte.
    pub bytes_per_second: f64,
}

/// How the rate of sequential reads depends on the place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "are", rename_all = "snake_case")]
pub enum TracksObservation {
    /// Too few sequences were read.
    #[default]
    NotLooked,
    /// The rate is the same everywhere.
    Alike {
        /// Bytes per second, the median.
        bytes_per_second: f64,
        /// Ratio of the first third to the last, with its interval.
        ratio: Estimate,
    },
    /// The rate falls from the beginning to the end.
    Falling {
        /// Bytes per second at the first byte, by the line through the thirds.
        outer: f64,
        /// Bytes per second at the last byte, by the line through the thirds.
        inner: f64,
        /// Ratio of the first third to the last, with its interval.
        ratio: Estimate,
    },
    /// Whether the rate falls is open.
    Unclear {
        /// Ratio of the first third to the last, with its interval.
        ratio: Estimate,
    },
    /// The rates differ, but not as tracks do.
    Uneven {
        /// Ratio of the first third to the last, with its interval.
        ratio: Estimate,
    },
}

/// Returns the rate at each place, by offset. `cached` is the span that working sets have read, if a cache may contain
/// it: then only first readings count.
pub(crate) fn windows(steps: &[StepRecord], regions: &[Region], cached: Option<Span>) -> Vec<Window> {
    let mut ios: Vec<IoTrace> = Vec::new();
    for step in steps.iter().filter(|step| look(step) == Some(Look::Tracks)) {
        ios.extend(step.workers.iter().flat_map(|worker| &worker.ios).filter(|io| io.errno == 0));
    }
    ios.sort_by_key(|io| io.issued);
    let mut windows: Vec<Window> = Vec::new();
    for run in ios.chunk_by(|one, next| next.offset == one.offset + u64::from(one.bytes)) {
        let Some(window) = window(run) else { continue };
        let known = windows.iter_mut().find(|known| known.offset == window.offset);
        match known {
            // If the first touch is slow, only later readings show the volume itself.
            Some(known) if cached.is_none() && is_slow_once(regions, known.offset) => *known = window,
            // Without a cache both readings count; with one, the second may come from the cache.
            Some(known) if cached.is_none() => {
                let mean = 2.0 / (1.0 / known.bytes_per_second + 1.0 / window.bytes_per_second);
                known.bytes_per_second = mean;
            }
            Some(_) => {}
            None => windows.push(window),
        }
    }
    windows.sort_by_key(|window| window.offset);
    let plain = |window: &Window| {
        region_of(regions, window.offset).is_none_or(|region| region.kind != RegionKind::Fast)
    };
    windows.retain(plain);
    // With a cache, neither the second reading nor any reading of the working sets' span shows the volume itself.
    if let Some(read) = cached {
        windows.retain(|window| !read.holds(window.offset) && !is_slow_once(regions, window.offset));
    }
    windows
}

fn region_of(regions: &[Region], offset: u64) -> Option<&Region> {
    regions.iter().find(|region| (region.from.value..region.to.value).contains(&(offset as f64)))
}

fn is_slow_once(regions: &[Region], offset: u64) -> bool {
    region_of(regions, offset)
        .is_some_and(|region| matches!(region.kind, RegionKind::FirstTouch | RegionKind::FirstTouchOrCached))
}

/// Returns the rate of reads that follow each other, without the first, which includes a seek.
fn window(run: &[IoTrace]) -> Option<Window> {
    let (first, rest) = run.split_first().filter(|(_, rest)| rest.len() >= 2)?;
    let ns: f64 = rest.iter().map(|io| io.done.since(io.issued).0 as f64).sum();
    let bytes: f64 = rest.iter().map(|io| f64::from(io.bytes)).sum();
    (ns > 0.0).then(|| Window { offset: first.offset, bytes_per_second: bytes / ns * 1e9 })
}

/// Returns the observation that the windows over `volume` give.
pub(crate) fn tracks(windows: &[Window], volume: Span) -> TracksObservation {
    let third = |number: u64| -> Vec<f64> {
        let part = Span {
            from: volume.from + volume.bytes() / 3 * number,
            to: volume.from + volume.bytes() / 3 * (number + 1),
        };
        windows
            .iter()
            .filter(|window| part.holds(window.offset))
            .map(|window| window.bytes_per_second.ln())
            .collect()
    };
    let thirds = [third(0), third(1), third(2)];
    if thirds.iter().any(|third| third.len() < FEW) {
        return TracksObservation::NotLooked;
    }
    told(&thirds, windows).unwrap_or_default()
}

fn told(thirds: &[Vec<f64>; 3], windows: &[Window]) -> Option<TracksObservation> {
    let ratio = |early: usize, late: usize| {
        let shift = hodges_lehmann(&thirds[late], &thirds[early], 0.95)?;
        Some(Estimate { value: shift.shift.exp(), low: shift.lo.exp(), high: shift.hi.exp() })
    };
    let all = ratio(0, 2)?;
    let (first, second) = (ratio(0, 1)?, ratio(1, 2)?);
    let rates: Vec<f64> = windows.iter().map(|window| window.bytes_per_second).collect();
    let middle = median(&rates)?;
    if all.low > FALLS && first.value > 1.0 && second.value > 1.0 {
        // The rate of a third is that at its middle: each end of the volume is a quarter of the distance between the
        // outer middles beyond them.
        let level = |number: usize| median(&thirds[number]).map(f64::exp);
        let (outer, inner) = (level(0)?, level(2)?);
        let beyond = (outer - inner) / 4.0;
        return Some(TracksObservation::Falling { outer: outer + beyond, inner: inner - beyond, ratio: all });
    }
    let uneven = |ratio: &Estimate| ratio.low > FALLS || ratio.high < 1.0 / FALLS;
    if [all, first, second].iter().any(uneven) {
        return Some(TracksObservation::Uneven { ratio: all });
    }
    if all.high > FALLS {
        return Some(TracksObservation::Unclear { ratio: all });
    }
    Some(TracksObservation::Alike { bytes_per_second: middle, ratio: all })
}
