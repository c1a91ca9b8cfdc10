//! Devices that now and then do nothing for a while although they have work.

use serde::{Deserialize, Serialize};
use statistics::quantile::{median, robust_deviation};
use workload::Nanos;

use crate::device_place::Place;
use crate::finding::{Confidence, FindingOf, Kind, Nature, lowest};
use crate::watch::device::Device;
use crate::watch::firing::{Firing, found_in};
use crate::watch::ticks::Tick;
use crate::watch::watched_run::WatchedRun;
use crate::watch::windows::Window;

/// Shortest stall that is reported, in seconds.
pub(crate) const SHORTEST_S: f64 = 0.3;
/// Fewest I/Os that must be missing from a stall: fewer are missing by chance.
const MISSING: f64 = 12.0;
/// Multiple of an I/O's latency for a stall on a device that is not always in use.
const TIMES: f64 = 5.0;
/// Share of the time for which a device is busy if it is always in use.
const BUSY: f64 = 0.9;
/// Share of the usual rate below which a reading contains a stall, if as much was requested as usual.
const DONE: f64 = 0.75;
/// Standard deviations by which such a reading must also be below the usual rate.
const DEVIATIONS: f64 = 5.0;
/// Least share of the usual queue if as much was requested; `ASKED_BUSY`: least share of the time with work.
const ASKED: f64 = 0.9;
const ASKED_BUSY: f64 = 0.98;
/// Fewest stalls to report if none was seen whole.
const SEVERAL: usize = 3;
/// Most readings that a stall touches.
const TOUCHES: usize = 3;
/// Share within which most times between stalls must agree for a period.
const PERIODIC: f64 = 0.25;

/// The device did nothing for a while with work in flight. `seen`: whole readings were without a completion, so that
/// the length is counted and not inferred. `period_s`: time from one stall to the next, if about constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stalls {
    pub device: Place,
    pub count: usize,
    pub longest_s: f64,
    pub mean_s: f64,
    pub period_s: Option<f64>,
    pub first: Nanos,
    pub seen: bool,
}

impl Kind for Stalls {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 4, device: lowest(&self.device), badness: None, doubt: None, level: false }
    }
}

/// One stall.
#[derive(Clone, Copy, Debug)]
struct Stall {
    span: usize,
    from: Nanos,
    to: Nanos,
    seconds: f64,
    seen: bool,
}

/// Detects stalls that were seen whole, and those that several readings show by missing I/Os.
pub(super) fn rule(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<FindingOf<Stalls>> {
    let windows = || device.windows.iter().filter(|window| window.sum.rate() > 0.0);
    let mut found: Vec<Stall> = windows().flat_map(|window| silent(device, window)).collect();
    let lacking: Vec<Stall> = windows().flat_map(|window| lacking(device, window)).collect();
    if lacking.len() >= SEVERAL {
        let new = |stall: &&Stall| found.iter().all(|known| known.to <= stall.from || stall.to <= known.from);
        let more: Vec<Stall> = lacking.iter().filter(new).copied().collect();
        found.extend(more);
    }
    found.sort_by_key(|stall| stall.from);
    let lengths: Vec<f64> = found.iter().map(|stall| stall.seconds).collect();
    let seen = found.iter().any(|stall| stall.seen);
    let meaning = Stalls {
        device: device.place.clone(),
        count: found.len(),
        longest_s: lengths.iter().copied().fold(0.0, f64::max),
        mean_s: lengths.iter().sum::<f64>() / lengths.len().max(1) as f64,
        period_s: period(&found),
        first: found.first()?.from,
        seen,
    };
    let firing = |stall: &Stall| Firing {
        span: stall.span,
        evidence: device.evidence(stall.from, stall.to),
        weight: stall.seconds,
    };
    let firings: Vec<Firing> = found.iter().map(firing).collect();
    let sure = if seen { Confidence::Likely } else { Confidence::Possible };
    found_in(watch, meaning, &firings, sure)
}

/// Returns the stalls seen as consecutive readings without a completion, with work in flight at both ends.
fn silent(device: &Device<'_>, window: &Window) -> Vec<Stall> {
    let ticks = device.within(window);
    let is_silent = |at: usize| {
        let before = at.checked_sub(1).map_or(0.0, |before| ticks[before].in_flight);
        ticks[at].is_silent() && ticks[at].in_flight > 0.0 && before > 0.0
    };
    let mut found: Vec<Stall> = Vec::new();
    for at in (0..ticks.len()).filter(|&at| is_silent(at)) {
        let tick = &ticks[at];
        match found.last_mut() {
            Some(last) if last.to == tick.from => {
                (last.to, last.seconds) = (tick.to, last.seconds + tick.seconds)
            }
            _ => found.push(Stall {
                span: window.span,
                from: tick.from,
                to: tick.to,
                seconds: tick.seconds,
                seen: true,
            }),
        }
    }
    let sum = &window.sum;
    let always = sum.mean_busy() >= BUSY;
    let rate = sum.rate() / sum.mean_busy().min(1.0);
    let long = |stall: &Stall| {
        let missing = stall.seconds * rate >= MISSING;
        missing && stall.seconds >= SHORTEST_S && (always || stall.seconds >= TIMES * sum.latency())
    };
    found.retain(long);
    found
}

/// Returns the stalls inferred from readings with far fewer completions than the others although as much was requested;
/// their length is that of the missing I/Os, in seconds.
fn lacking(device: &Device<'_>, window: &Window) -> Vec<Stall> {
    let ticks = device.within(window);
    if window.sum.mean_busy() < BUSY {
        return Vec::new();
    }
    let rates: Vec<f64> = ticks.iter().map(|tick| tick.all() / tick.seconds).collect();
    let queues: Vec<f64> = ticks.iter().map(|tick| tick.queue).collect();
    let (Some(usual), Some(spread), Some(queue)) =
        (median(&rates), robust_deviation(&rates), median(&queues))
    else {
        return Vec::new();
    };
    let least = (DONE * usual).min(usual - DEVIATIONS * spread);
    let lacks = |tick: &Tick| {
        let asked = tick.queue >= ASKED * queue && tick.busy >= ASKED_BUSY;
        asked && tick.all() / tick.seconds < least && usual * tick.seconds >= MISSING
    };
    let mut found: Vec<(Stall, usize)> = Vec::new();
    for tick in ticks.iter().filter(|tick| lacks(tick)) {
        let lost = (1.0 - tick.all() / tick.seconds / usual) * tick.seconds;
        let stall = Stall { span: window.span, from: tick.from, to: tick.to, seconds: lost, seen: false };
        match found.last_mut() {
            Some((last, count)) if last.to == tick.from => {
                (last.to, last.seconds, *count) = (tick.to, last.seconds + lost, *count + 1);
            }
            _ => found.push((stall, 1)),
        }
    }
    let short = |(stall, count): &(Stall, usize)| *count <= TOUCHES && stall.seconds >= SHORTEST_S;
    found.into_iter().filter(short).map(|(stall, _)| stall).collect()
}

/// Returns the time from one stall to the next, if about constant.
fn period(stalls: &[Stall]) -> Option<f64> {
    let between: Vec<f64> =
        stalls.windows(2).map(|pair| pair[1].from.since(pair[0].from).as_secs_f64()).collect();
    let usual = median(&between).filter(|_| between.len() + 1 >= SEVERAL)?;
    let near = between.iter().filter(|time| (*time / usual - 1.0).abs() < PERIODIC).count();
    (near * 4 >= between.len() * 3).then_some(usual)
}
