//! Rates limited to a level while requests wait: caps on operations and on bytes, also at depth one (R2b, R3, R4, R6).

use policy::Resource;
use serde::{Deserialize, Serialize};
use statistics::metered::ExactRate;
use statistics::quantile::median;

use crate::device_place::Place;
use crate::finding::{Confidence, FindingOf, Kind, Nature, lowest};
use crate::watch::device::{Device, HeldAt, WAITED};
use crate::watch::firing::{Firing, firings, found_in};
use crate::watch::level::{MeteredQuantity, confidence, is_sure, level};
use crate::watch::pressed::{BusyWindow, Rate, rate_in};
use crate::watch::shape::{Level, LevelOrigin, Waiting};
use crate::watch::ticks::{Sum, Tick, Way};
use crate::watch::watched_run::WatchedRun;
use crate::watch::windows::{USED, Window};

/// Share of the operations up to which a direction is not examined by itself.
const SHARE: f64 = 0.05;
/// Fewest readings of a window that show its evenness.
const TELLING: usize = 8;
/// Share within which two levels are one.
const SAME: f64 = 0.05;
/// Distance from the level, as a share, at which a count is of another level (R3): as far as a level must fall (R6).
const FELL: f64 = 0.2;
/// A window has two levels if more than one count in this many is off by `FELL`.
const OFF_ONE_IN: usize = 10;

/// Operations are limited to a level while requests wait; `depth_one`: even one I/O at a time is limited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOperations {
    pub device: Place,
    pub level: Level,
    pub waiting: Waiting,
    pub depth_one: bool,
    /// Bytes of a request if all have one size, so that a limit on operations and one on bytes look the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_size: Option<f64>,
}

/// Bytes are limited to a level while requests of `size` bytes wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldBytes {
    pub device: Place,
    pub level: Level,
    pub waiting: Waiting,
    pub size: f64,
}

impl Kind for HeldOperations {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 4, device: lowest(&self.device), badness: None, doubt: None, level: true }
    }
}

impl Kind for HeldBytes {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 4, device: lowest(&self.device), badness: None, doubt: None, level: true }
    }
}

/// The two kinds of finding of these rules.
pub(super) enum HeldLevel {
    Operations(HeldOperations),
    Bytes(HeldBytes),
}

/// One window in which the device may be limited.
#[derive(Clone, Debug)]
struct HeldWindow {
    pressed: BusyWindow,
    what: Resource,
    /// Whether the run distinguishes a limit on operations from one on bytes.
    apart: bool,
    /// Whether reads are even and wait; `writes`: the same for writes.
    reads: bool,
    writes: bool,
    /// Whether the rate of the window is even.
    even: bool,
    /// Whether the counts of the window by itself show neither a meter nor its absence.
    unclear: bool,
    /// The exact rate of many counts, where waits make the others uneven.
    exact: Option<ExactRate>,
    /// Operations or bytes per second.
    rate: f64,
}

impl HeldWindow {
    /// Takes the window to be at an exact rate, in requests a second.
    fn holds(&mut self, exact: ExactRate) {
        let sum = &self.pressed.window.sum;
        let nearly_all = |way: Way| way.of(sum.ops) > (1.0 - SHARE) * Way::Both.of(sum.ops);
        (self.reads, self.writes) = (nearly_all(Way::Read), nearly_all(Way::Write));
        self.rate = exact.rate * if self.what == Resource::Bytes { sum.size() } else { 1.0 };
        (self.even, self.exact) = (true, Some(exact));
    }

    /// Returns the rates of the window that show its level.
    fn rates(&self, watch: &WatchedRun<'_>, device: &Device<'_>, way: Way) -> Vec<f64> {
        match self.exact {
            Some(_) => vec![self.rate],
            None => self.pressed.rates(watch, device, Rate { what: self.what, way }),
        }
    }

    fn is_flat(&self, way: Way) -> bool {
        match way {
            Way::Read => self.reads,
            Way::Write => self.writes,
            Way::Both => true,
        }
    }

    fn firing(&self, device: &Device<'_>, weight: f64) -> Firing {
        let mut firing = Firing::of(device, self.pressed.at, weight);
        (firing.evidence.from, firing.evidence.to) = (self.pressed.window.from, self.pressed.window.to);
        firing
    }
}

/// Returns everything that limits `device`, and stores the device's cap and its limited windows. In the phases `taken`,
/// the load's throttle is already reported.
pub(super) fn rule(
    watch: &WatchedRun<'_>,
    device: &mut Device<'_>,
    taken: &[usize],
) -> Vec<FindingOf<HeldLevel>> {
    let told = |window: &Window| taken.contains(&window.span) && watch.carries_load(&device.place.name);
    device.told = device.windows_where(told);
    let mut windows: Vec<HeldWindow> = (0..device.windows.len())
        .filter(|at| !device.told.contains(at))
        .filter_map(|at| held_in(watch, device, at))
        .collect();
    tell_unclear_ones_together(watch, device, &mut windows);
    tell_exact_ones_together((watch, device), &mut windows);
    let groups = groups(&windows);
    assert!(groups.iter().all(|group| !group.is_empty()), "a level is that of some window");
    let mut windows: Vec<HeldWindow> = groups.iter().flatten().cloned().collect();
    windows.sort_by_key(|window| window.pressed.at);
    let at = |held: &HeldWindow| HeldAt { at: held.pressed.at, what: held.what, rate: held.rate };
    device.held = windows.iter().map(at).collect();
    let rates = windows.iter().filter(|window| window.what == Resource::Iops).map(|window| window.rate);
    device.cap = rates.fold(None, |most: Option<f64>, rate| Some(most.map_or(rate, |most| most.max(rate))));
    groups.iter().filter_map(|group| of_group(watch, device, group)).collect()
}

/// Groups windows by level. A level with mostly uneven waiting windows is no limit: any series is even now and then.
fn groups(windows: &[HeldWindow]) -> Vec<Vec<HeldWindow>> {
    let mut groups: Vec<Vec<HeldWindow>> = Vec::new();
    for window in windows.iter().filter(|window| window.even) {
        match groups.iter_mut().find(|group| alike(&group[0], window)) {
            Some(group) => group.push(window.clone()),
            None => groups.push(vec![window.clone()]),
        }
    }
    // A window too short to judge joins the level that others show.
    for window in windows.iter().filter(|window| !window.even && window.pressed.window.count() < TELLING) {
        if let Some(group) = groups.iter_mut().find(|group| alike(&group[0], window)) {
            group.push(window.clone());
        }
    }
    groups.iter_mut().for_each(|group| group.sort_by_key(|window| window.pressed.at));
    let uneven = |group: &Vec<HeldWindow>| -> f64 {
        let others = windows.iter().filter(|window| !window.even && window.pressed.window.count() >= TELLING);
        others.filter(|window| alike(&group[0], window)).map(seconds).sum()
    };
    groups.into_iter().filter(|group| group.iter().map(seconds).sum::<f64>() > uneven(group)).collect()
}

/// Looks for one rate at which counts of several windows agree exactly, beside waits that make each of them uneven.
fn tell_exact_ones_together(on: (&WatchedRun<'_>, &Device<'_>), windows: &mut [HeldWindow]) {
    for what in [Resource::Iops, Resource::Bytes] {
        let open = |held: &HeldWindow| !held.even && held.what == what;
        let pressed: Vec<&BusyWindow> =
            windows.iter().filter(|held| open(held)).map(|held| &held.pressed).collect();
        if let Some(exact) = BusyWindow::exact(&pressed, on, what) {
            windows.iter_mut().filter(|held| open(held)).for_each(|held| held.holds(exact));
        }
    }
}

/// Judges windows of one level that each show nothing by their joint counts.
fn tell_unclear_ones_together(watch: &WatchedRun<'_>, device: &Device<'_>, windows: &mut [HeldWindow]) {
    let unclear: Vec<usize> =
        (0..windows.len()).filter(|&at| windows[at].unclear && !windows[at].even).collect();
    for &first in &unclear {
        let like = |at: &usize| windows[*at].unclear && alike(&windows[first], &windows[*at]);
        let together: Vec<usize> = unclear.iter().copied().filter(like).collect();
        let pressed: Vec<&BusyWindow> = together.iter().map(|&at| &windows[at].pressed).collect();
        let even = BusyWindow::even_together(watch, device, &pressed);
        for at in together {
            let window = &mut windows[at];
            (window.reads, window.writes) = (even.contains(&Way::Read), even.contains(&Way::Write));
            (window.even, window.unclear) = (!even.is_empty(), false);
        }
    }
}

fn seconds(window: &HeldWindow) -> f64 {
    window.pressed.window.sum.seconds
}

fn alike(a: &HeldWindow, b: &HeldWindow) -> bool {
    let near = (a.rate / b.rate - 1.0).abs() <= SAME;
    a.what == b.what && a.pressed.alone == b.pressed.alone && near
}

/// Returns the window at `at`, if its rate is even or its requests wait.
fn held_in(watch: &WatchedRun<'_>, device: &Device<'_>, at: usize) -> Option<HeldWindow> {
    let pressed = BusyWindow::of(watch, device, at)?;
    let even = pressed.even(watch, device);
    let told = pressed.what(watch, device);
    let what = told.what;
    let exact = BusyWindow::exact(&[&pressed], (watch, device), what).filter(|_| even.is_empty());
    if even.is_empty() && exact.is_none() && pressed.waits(watch, device).is_empty() {
        return None;
    }
    let rates = pressed.rates(watch, device, Rate { what, way: Way::Both });
    if rates.is_empty() || !even.is_empty() && of_two_levels(&rates) {
        return None;
    }
    let rate = rates.iter().sum::<f64>() / rates.len() as f64;
    let (reads, writes) = (even.contains(&Way::Read), even.contains(&Way::Write));
    let even = !even.is_empty();
    let unclear = pressed.is_unclear(watch, device, Rate { what, way: Way::Both });
    let mut held =
        HeldWindow { what, apart: told.apart, reads, writes, even, unclear, exact: None, rate, pressed };
    exact.into_iter().for_each(|exact| held.holds(exact));
    Some(held)
}

/// Whether a level begins or ends in a window with these rates.
fn of_two_levels(rates: &[f64]) -> bool {
    let Some(level) = median(rates) else { return false };
    let off = rates.iter().filter(|rate| (*rate / level - 1.0).abs() > FELL).count();
    off > (rates.len() / OFF_ONE_IN).max(1)
}

fn of_group(
    watch: &WatchedRun<'_>,
    device: &Device<'_>,
    group: &[HeldWindow],
) -> Option<FindingOf<HeldLevel>> {
    let first = &group[0];
    let mut sum = Sum::default();
    group.iter().for_each(|held| sum.merge(&held.pressed.window.sum));
    let metered = MeteredQuantity { what: first.what, size: sum.size() };
    let series = Way::ALL.map(|way| {
        let of_flat = group.iter().filter(|held| held.is_flat(way)).map(seconds).sum::<f64>();
        let flat = of_flat * 2.0 > group.iter().map(seconds).sum::<f64>();
        let rates = |held: &HeldWindow| held.rates(watch, device, way);
        flat.then(|| group.iter().flat_map(rates).collect::<Vec<f64>>())
    });
    let each = series.each_ref().map(|rates| rates.as_deref());
    let level = level(watch, &device.place, each, metered)?;
    let sure = match confidence(level.named.as_ref()) {
        // Without a known base latency, a device of even latency serves a full queue as evenly as a meter.
        Confidence::Likely if device.base.is_unknown() => Confidence::Possible,
        named => named,
    };
    let one_size = (!group.iter().any(|held| held.apart)).then(|| sum.size());
    let firings: Vec<Firing> = group.iter().map(|held| held.firing(device, sum.mean_queue())).collect();
    let (device, waiting) = (device.place.clone(), device.waiting(&sum));
    let held = HeldOperations { device, level, waiting, depth_one: first.pressed.alone, one_size };
    found_in(watch, held.by(metered), &firings, sure)
}

impl HeldOperations {
    /// Makes the finding for the limited quantity: operations, or bytes.
    fn by(self, metered: MeteredQuantity) -> HeldLevel {
        let HeldOperations { device, level, waiting, .. } = match metered.what {
            Resource::Iops => return HeldLevel::Operations(self),
            Resource::Bytes => self,
        };
        HeldLevel::Bytes(HeldBytes { device, level, waiting, size: metered.size })
    }
}

/// Returns the rates of windows by direction, if it has its share, and of both together, without idle intervals.
fn used_rates(device: &Device<'_>, windows: &[usize], what: Resource) -> [Option<Vec<f64>>; 3] {
    let ticks = windows.iter().flat_map(|&at| device.within(&device.windows[at]));
    let used: Vec<&Tick> = ticks.filter(|tick| tick.all() >= USED * tick.seconds).collect();
    let rates = |way| -> Vec<f64> { used.iter().map(|tick| rate_in(tick, Rate { what, way })).collect() };
    let all: f64 = rates(Way::Both).iter().sum();
    Way::ALL.map(|way| Some(rates(way)).filter(|rates| rates.iter().sum::<f64>() > SHARE * all))
}

fn used_level(
    watch: &WatchedRun<'_>,
    device: &Device<'_>,
    windows: &[usize],
    what: Resource,
) -> Option<Level> {
    let rates = used_rates(device, windows, what);
    let each = rates.each_ref().map(|rates| rates.as_deref());
    level(watch, &device.place, each, MeteredQuantity { what, size: device.total(windows).size() })
}

/// Returns the windows with one I/O at a time that plimsoll's own load does not pace.
pub(super) fn alone(watch: &WatchedRun<'_>, device: &Device<'_>) -> Vec<usize> {
    device.windows_where(|window| window.is_serial() && !device.is_paced_by_us(watch, window))
}

/// A limit of this machine or of the named policy, on operations or on bytes.
#[derive(PartialEq)]
pub(super) struct Figure {
    what: Resource,
    named: LevelOrigin,
}

/// Returns the limit of this machine or of the named policy that a window is at, if no other rule reports the window.
pub(super) fn declared_figure(watch: &WatchedRun<'_>, device: &Device<'_>, at: usize) -> Option<Figure> {
    let named = |what| {
        let named = used_level(watch, device, &[at], what)?.named.filter(is_sure)?;
        Some(Figure { what, named })
    };
    [Resource::Iops, Resource::Bytes].into_iter().find_map(named).filter(|_| !device.is_held(at))
}

/// Returns caps that limit even one I/O at a time, recognized by their figure (R2b): one finding per figure.
pub(super) fn one_at_a_time(watch: &WatchedRun<'_>, device: &Device<'_>) -> Vec<FindingOf<HeldLevel>> {
    let figures =
        alone(watch, device).into_iter().filter_map(|at| Some((at, declared_figure(watch, device, at)?)));
    let mut of_figures: Vec<(Figure, Vec<usize>)> = Vec::new();
    for (at, figure) in figures {
        match of_figures.iter_mut().find(|(known, _)| *known == figure) {
            Some((_, windows)) => windows.push(at),
            None => of_figures.push((figure, vec![at])),
        }
    }
    let found = |(figure, windows): (Figure, Vec<usize>)| held_alone(watch, device, figure, &windows);
    of_figures.into_iter().filter_map(found).collect()
}

fn held_alone(
    watch: &WatchedRun<'_>,
    device: &Device<'_>,
    Figure { what, named }: Figure,
    windows: &[usize],
) -> Option<FindingOf<HeldLevel>> {
    // An application may by chance be as fast as a policy's limit.
    let sure = if matches!(named, LevelOrigin::Local(_)) { Confidence::Strong } else { Confidence::Likely };
    let level = Level { named: Some(named), ..used_level(watch, device, windows, what)? };
    let sum = device.total(windows);
    let waited = device.base.both.filter(|base| sum.latency() > WAITED * base);
    let waiting = Waiting { usual_latency_ns: waited.map(|seconds| seconds * 1e9), ..device.waiting(&sum) };
    let held =
        HeldOperations { device: device.place.clone(), level, waiting, depth_one: true, one_size: None };
    let firings = firings(device, windows, |window| window.sum.rate());
    found_in(watch, held.by(MeteredQuantity { what, size: sum.size() }), &firings, sure)
}
