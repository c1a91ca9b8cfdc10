//! Backends that serve the same load worse than at other times (R11), and guests that lack CPU (R16).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use statistics::metered::{Metering, metered};

use crate::device_place::Place;
use crate::finding::{Confidence, FindingOf, Kind, Nature, lowest};
use crate::watch::counts::counts;
use crate::watch::device::{Device, WAITED};
use crate::watch::firing::{firings, found_in};
use crate::watch::pressed::BusyWindow;
use crate::watch::shape::Waiting;
use crate::watch::ticks::{Tick, Way};
use crate::watch::watched_run::WatchedRun;
use crate::watch::windows::Window;

/// Share of the CPUs' time taken by the hypervisor above which the guest lacked CPU (R16).
const STEAL: f64 = 0.05;
/// Share of the CPUs' time taken by the hypervisor up to which the guest is not to blame (R11).
const STEAL_SLIGHT: f64 = 0.02;
/// Share of the CPUs' time without work up to which they, and not the backend, may have been slow (R11).
const CPUS_REST: f64 = 0.1;
/// Least share of the cap at which a rate is limited by the cap.
const BELOW_CAP: f64 = 0.9;
/// Seconds for which windows of one kind must have been served well before another is called slow.
const KNOWN_S: f64 = 9.0;
/// Time for which they must have been served well, as a share of the time for which they were not.
const KNOWN_SHARE: f64 = 0.5;
/// Share of a kind's time, fastest windows first, at which the usual latency is taken.
const USUAL: f64 = 0.25;
/// Operations per second below which latencies show little.
const USED: f64 = 10.0;
/// Share of the time for which a device must be busy to be compared.
const BUSY: f64 = 0.2;
/// Seconds up to which a rise in latency may be due to caches and clocks.
const RISE: f64 = 0.3e-3;
/// Queue, while there is work, below which a device counts as having none.
const QUEUED: f64 = 0.5;
/// Busy share of the time below which a device rests between its I/Os.
const RESTS: f64 = 0.9;
/// Multiple of the usual latency below which windows are near it.
const NEAR: f64 = WAITED / 1.4;
/// Steps into which the share of reads is rounded to find comparable windows.
const MIX_STEPS: f64 = 4.0;
/// Steps per doubling into which the size is rounded.
const SIZE_STEPS: f64 = 1.5;
/// Steps per doubling into which the depth is rounded.
const DEPTH_STEPS: f64 = 2.0;

/// The same load is served worse than at other times of this record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackendSlow {
    pub device: Place,
    pub waiting: Waiting,
    pub ops_per_second: f64,
}

/// The hypervisor took CPU while latencies rose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuStarved {
    pub device: Place,
    pub steal_share: f64,
    pub waiting: Waiting,
}

impl Kind for BackendSlow {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 4, device: lowest(&self.device), badness: None, doubt: None, level: false }
    }
}

impl Kind for CpuStarved {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 5, device: lowest(&self.device), badness: None, doubt: None, level: false }
    }
}

/// The two kinds of finding of this rule.
pub(super) enum Slow {
    Backend(BackendSlow),
    Starved(CpuStarved),
}

/// The common features of comparable windows, each figure in coarse steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Alike {
    mix: i32,
    size: i32,
    load: Load,
}

/// The load on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Load {
    /// I/Os per second, for plimsoll's own load with a pace.
    Paced(u64),
    /// Depth while the device is busy, in steps, for any other load.
    Depth(i32),
}

fn alike(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window) -> Option<Alike> {
    let sum = &window.sum;
    if sum.rate() < USED || !sum.latency().is_finite() {
        return None;
    }
    let mix = (Way::Read.of(sum.ops) / Way::Both.of(sum.ops) * MIX_STEPS).round() as i32;
    let size = (sum.size().log2() * SIZE_STEPS).round() as i32;
    if device.is_paced_by_us(watch, window) {
        let asked = watch.spans[window.span].load.as_ref()?.all.asked?;
        return Some(Alike { mix, size, load: Load::Paced(asked.round() as u64) });
    }
    let busy = sum.mean_busy().min(1.0);
    let depth = sum.mean_queue() / busy;
    let load = Load::Depth((depth.log2() * DEPTH_STEPS).round() as i32);
    // A lightly used device is counted as busy for longer than it is: the kernel counts in ticks of its clock.
    (busy > BUSY && depth >= QUEUED).then_some(Alike { mix, size, load })
}

/// Detects windows that are served at least twice as slowly as is usual for their kind; those of a guest that lacked
/// CPU are a separate finding.
pub(super) fn rule(watch: &WatchedRun<'_>, device: &mut Device<'_>) -> Vec<FindingOf<Slow>> {
    let mut kinds: BTreeMap<Alike, Vec<usize>> = BTreeMap::new();
    for (at, window) in device.windows.iter().enumerate() {
        if let Some(kind) = alike(watch, device, window) {
            kinds.entry(kind).or_default().push(at);
        }
    }
    let mut usual: BTreeMap<usize, f64> = BTreeMap::new();
    for (kind, windows) in &kinds {
        let known = usual_latency(device, windows, kind.load);
        usual.extend(windows.iter().filter_map(|&at| Some((at, known?))));
    }
    let is_slow = |at: usize, usual: f64| !device.is_held(at) && is_slow(watch, device, at, usual);
    let slow: Vec<usize> =
        usual.iter().filter(|(at, usual)| is_slow(**at, **usual)).map(|(at, _)| *at).collect();
    device.slow = slow.clone();
    let steal = |at: &usize| device.windows[*at].steal;
    let (starved, slow): (Vec<usize>, Vec<usize>) = slow.into_iter().partition(|at| steal(at) > STEAL_SLIGHT);
    // Without a processor to spare, programs and the kernel's own workers are late, not the backend.
    let busy = |at: &usize| device.windows[*at].rests < CPUS_REST;
    let slow: Vec<usize> = slow.into_iter().filter(|at| !busy(at)).collect();
    let starved: Vec<usize> = starved.into_iter().filter(|at| steal(at) > STEAL).collect();
    let found = [slow, starved].map(|windows| of_windows(watch, device, &windows, &usual));
    found.into_iter().flatten().collect()
}

/// Returns the usual latency of windows of one kind: their lower quartile by time, if enough time is near it.
fn usual_latency(device: &Device<'_>, windows: &[usize], load: Load) -> Option<f64> {
    let of = |at: &usize| (device.windows[*at].sum.latency(), device.windows[*at].sum.seconds);
    let mut latencies: Vec<(f64, f64)> = windows.iter().map(of).collect();
    latencies.sort_by(|a, b| a.0.total_cmp(&b.0));
    let whole: f64 = latencies.iter().map(|one| one.1).sum();
    let mut sooner = 0.0;
    let usual = latencies.iter().find(|one| {
        sooner += one.1;
        sooner >= USUAL * whole
    })?;
    let near: f64 = latencies.iter().filter(|one| one.0 < NEAR * usual.0).map(|one| one.1).sum();
    let known = match load {
        // Any phase of plimsoll's own load suffices for comparison: the load is the same.
        Load::Paced(_) => true,
        Load::Depth(_) => near >= KNOWN_S && near >= KNOWN_SHARE * (whole - near),
    };
    known.then_some(usual.0)
}

fn is_slow(watch: &WatchedRun<'_>, device: &Device<'_>, at: usize, usual: f64) -> bool {
    let window = &device.windows[at];
    let latency = window.sum.latency();
    let capped = device.cap.is_some_and(|cap| window.sum.rate() >= BELOW_CAP * cap);
    let within = device.within(window);
    let is_metered =
        || metered(&[counts(within, Tick::all)]).answer == Metering::Metered && !is_paced(within);
    let exact = || {
        let pressed = BusyWindow::of(watch, device, at)?;
        let told = pressed.what(watch, device);
        BusyWindow::exact(&[&pressed], (watch, device), told.what)
    };
    let exact = || exact().is_some();
    latency >= WAITED * usual && latency > usual + RISE && !capped && !is_metered() && !exact()
}

/// Whether flat counts come from a paced program and not from a meter: the device rests between I/Os.
fn is_paced(ticks: &[Tick]) -> bool {
    let busy = ticks.iter().map(|tick| tick.busy).sum::<f64>() / ticks.len().max(1) as f64;
    busy < RESTS
}

fn of_windows(
    watch: &WatchedRun<'_>,
    device: &Device<'_>,
    slow: &[usize],
    usual: &BTreeMap<usize, f64>,
) -> Option<FindingOf<Slow>> {
    let sum = device.total(slow);
    let weight = |at: usize| device.windows[at].sum.seconds;
    let whole: f64 = slow.iter().map(|&at| weight(at)).sum();
    let mean = |of: &dyn Fn(usize) -> f64| slow.iter().map(|&at| of(at) * weight(at)).sum::<f64>() / whole;
    let usual_ns = mean(&|at| usual.get(&at).copied().unwrap_or(f64::NAN)) * 1e9;
    let waiting = Waiting { usual_latency_ns: Some(usual_ns), ..device.waiting(&sum) };
    let place = device.place.clone();
    let steal_share = mean(&|at| device.windows[at].steal);
    let meaning = match steal_share > STEAL {
        true => Slow::Starved(CpuStarved { device: place, steal_share, waiting }),
        false => Slow::Backend(BackendSlow { device: place, waiting, ops_per_second: sum.rate() }),
    };
    let firings = firings(device, slow, |window| window.sum.latency());
    found_in(watch, meaning, &firings, Confidence::Possible)
}
