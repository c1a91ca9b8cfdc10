//! Smallest effects that the rules would have detected: without these, the absence of a finding means nothing.

use statistics::quantile::{median, robust_deviation};

use crate::findings::fell::{FELL as FALL_LEAST, LASTS_S as FALL_LASTS_S};
use crate::findings::stalls::SHORTEST_S as STALL_SHORTEST_S;
use crate::watch::counts::least_s;
use crate::watch::device::Device;
use crate::watch::shape::{DetectionLimits, LoadShortfall};
use crate::watch::ticks::Tick;
use crate::watch::timeline;
use crate::watch::watched_run::{Span, WatchedRun};
use crate::watch::windows::USED;

/// Standard deviations of its mean by which a level must differ to be another one.
const DEVIATIONS: f64 = 5.0;
/// Share of its requested rate below which plimsoll's own load falls short.
const NEARLY_ALL: f64 = 0.99;

/// Returns the smallest effects that would have been detected on a device; `None` if it was never used.
pub(crate) fn looked(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<DetectionLimits> {
    let used: Vec<&Tick> = device.ticks.iter().filter(|tick| tick.all() >= USED * tick.seconds).collect();
    let each = median(&used.iter().map(|tick| tick.seconds).collect::<Vec<f64>>())?;
    let rates: Vec<f64> = used.iter().map(|tick| (tick.all() / tick.seconds).ln()).collect();
    let steps: Vec<f64> = rates.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let noise = robust_deviation(&steps).unwrap_or(0.0) / 2f64.sqrt();
    let readings = (FALL_LASTS_S / each).max(1.0);
    let seen = 1.0 - (-DEVIATIONS * noise / readings.sqrt()).exp();
    let slow_s = timeline::LEAST_S.max(timeline::LEAST as f64 * each);
    Some(DetectionLimits {
        device: device.place.clone(),
        used_s: used.iter().map(|tick| tick.seconds).sum(),
        caps_s: least_s(each),
        falls: seen.max(FALL_LEAST),
        falls_s: FALL_LASTS_S.max(slow_s),
        slow_s,
        stalls_s: each.max(STALL_SHORTEST_S),
        lacked: lacked(watch),
    })
}

/// Returns the load of plimsoll's own with the least share of its requested rate.
fn lacked(watch: &WatchedRun<'_>) -> Option<LoadShortfall> {
    let share = |span: &Span<'_>| {
        let load = span.load.as_ref()?;
        let share = load.all.got?.value / load.all.asked?;
        let depth: u32 = span.step?.plan.workers.iter().map(|worker| worker.depth).sum();
        let is_full = |depth: &u32| *depth > 0 && load.in_flight >= NEARLY_ALL * f64::from(*depth);
        let depth = Some(depth).filter(is_full);
        (share < NEARLY_ALL).then(|| LoadShortfall { phase: span.name.to_owned(), share, depth })
    };
    let lacking = watch.spans.iter().filter_map(share);
    lacking.min_by(|a, b| a.share.total_cmp(&b.share))
}
