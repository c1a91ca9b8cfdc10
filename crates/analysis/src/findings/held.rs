//! Rates that are held at a level while requests wait: caps on operations and on bytes, also at depth one (R2b, R3, R4, R6).

use policy::Resource;
use serde::{Deserialize, Serialize};
use statistics::quantile::{median, median_absolute_deviation};
use workload::{Bytes, Direction, Nanos};

use crate::finding::{Confidence, Found, Kind, Nature, lowest};
use crate::watch::even::{counts, fano, flat};
use crate::watch::level::{Metered, confidence, is_sure, level};
use crate::watch::load::{closed, seconds_within};
use crate::watch::windows::{ALONE, without_idle_ends};
use crate::watch::{
    Device, Firing, Level, Named, Place, Sum, Tick, USED, WAITED, Waiting, WatchedRun, Way, Window, firings,
    found_in,
};

/// A queue below this is that of one I/O at a time.
const QUEUED: f64 = 1.5;
/// What is held is never without work but for this share of the time,
const ALWAYS_BUSY: f64 = 0.95;
/// and the device busy for at least this share of it.
const BUSY: f64 = 0.9;
/// Fewer operations a second say nothing.
const LEAST: f64 = 5.0;
/// Without a latency to compare with, a deeper queue than this at a figure that is known to hold here is taken for waiting.
const DEEP: f64 = 4.0;
/// A direction with a smaller share of the operations is not looked at by itself.
const SHARE: f64 = 0.05;
/// A load of our own that gets this share of what it asks for gets it.
const GETS: f64 = 0.97;
/// Levels within this share are one.
const SAME: f64 = 0.05;
/// A level that falls by this share has fallen (methodology 3.2, R6).
const FELL: f64 = 0.2;
/// Requests below this are held by their number, above it by their bytes, where nothing else tells.
const LARGE: f64 = 96.0 * 1024.0;
/// Where the one varies less than this share of the other, it is what is held.
const STEADIER: f64 = 0.5;
/// Counts as even as this are a meter's, also where nothing tells what an I/O takes by itself.
pub(super) const METERED: f64 = 0.02;
/// Where more seconds than one in so many are off the level by `FELL`, two levels are in the window.
const OFF_ONE_IN: usize = 10;
/// Fewer readings of the counters than this in a window of our own load say less than its own seconds.
const FEW: usize = 10;

/// Operations are held at a level while requests wait; `depth_one` where even one I/O at a time is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOperations {
    pub device: Place,
    pub level: Level,
    pub waiting: Waiting,
    pub depth_one: bool,
}

/// Bytes are held at a level while requests of `size` bytes wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldBytes {
    pub device: Place,
    pub level: Level,
    pub waiting: Waiting,
    pub size: f64,
}

/// A device's held rate fell by a step to another level: what a burst leaves when its credits are spent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldLevelFell {
    pub device: Place,
    pub at: Nanos,
    pub before: f64,
    pub after: f64,
    pub bytes: bool,
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

impl Kind for HeldLevelFell {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 5, device: lowest(&self.device), badness: None, doubt: None, level: false }
    }
}

/// What these rules find.
pub(super) enum Held {
    Operations(HeldOperations),
    Bytes(HeldBytes),
    Fell(HeldLevelFell),
}

/// One window that is held.
#[derive(Clone, Debug)]
struct HeldWindow {
    at: usize,
    /// The window without the ends in which nothing was asked.
    window: Window,
    what: Resource,
    /// Which directions are flat and wait.
    reads: bool,
    writes: bool,
    /// False where it waits at an uneven rate.
    even: bool,
    /// What is held, a second.
    rate: f64,
    alone: bool,
}

impl HeldWindow {
    fn is_flat(&self, way: Way) -> bool {
        match way {
            Way::Read => self.reads,
            Way::Write => self.writes,
            Way::Both => true,
        }
    }

    fn firing(&self, device: &Device<'_>, weight: f64) -> Firing {
        let mut firing = Firing::of(device, self.at, weight);
        (firing.evidence.from, firing.evidence.to) = (self.window.from, self.window.to);
        firing
    }
}

/// Everything that holds `device`, and where a level fell to another; teaches the device its cap and its held windows. In the
/// phases `taken` the load's throttle is told already.
pub(super) fn rule(watch: &WatchedRun<'_>, device: &mut Device<'_>, taken: &[usize]) -> Vec<Found<Held>> {
    let told = |window: &Window| taken.contains(&window.span) && watch.carries_load(&device.place.name);
    let windows: Vec<HeldWindow> = (0..device.windows.len())
        .filter(|&at| !told(&device.windows[at]))
        .filter_map(|at| held_in(watch, device, at))
        .collect();
    let groups = groups(&windows);
    assert!(groups.iter().all(|group| !group.is_empty()), "a level is that of some window");
    let mut windows: Vec<HeldWindow> = groups.iter().flatten().cloned().collect();
    windows.sort_by_key(|window| window.at);
    device.held = windows.iter().map(|window| window.at).collect();
    let falls = falls(watch, device, &windows);
    // The window in which a level falls is served as slowly as the lower level has it, and by nothing else.
    device.held.extend(falls.iter().flat_map(|fall| fall.before + 1..fall.after));
    let rates = windows.iter().filter(|window| window.what == Resource::Iops).map(|window| window.rate);
    device.cap = rates.fold(None, |most: Option<f64>, rate| Some(most.map_or(rate, |most| most.max(rate))));
    let mut found: Vec<Found<Held>> =
        groups.iter().filter_map(|group| of_group(watch, device, group)).collect();
    // One tells it; a bucket that empties every hour is told by the first time.
    found.extend(falls.first().map(|fall| fallen(device, fall)));
    found
}

/// Windows by level. A level at which most windows that wait are uneven is not held: now and then any series is even.
fn groups(windows: &[HeldWindow]) -> Vec<Vec<HeldWindow>> {
    let mut groups: Vec<Vec<HeldWindow>> = Vec::new();
    for window in windows.iter().filter(|window| window.even) {
        match groups.iter_mut().find(|group| alike(&group[0], window)) {
            Some(group) => group.push(window.clone()),
            None => groups.push(vec![window.clone()]),
        }
    }
    let uneven = |group: &Vec<HeldWindow>| {
        windows.iter().filter(|window| !window.even && alike(&group[0], window)).count()
    };
    groups.into_iter().filter(|group| group.len() > uneven(group)).collect()
}

fn alike(a: &HeldWindow, b: &HeldWindow) -> bool {
    let near = (a.rate / b.rate - 1.0).abs() <= SAME;
    a.what == b.what && a.alone == b.alone && near
}

/// The window at `at`, where its rate is held.
fn held_in(watch: &WatchedRun<'_>, device: &Device<'_>, at: usize) -> Option<HeldWindow> {
    let window = without_idle_ends(watch, &device.ticks, &device.windows[at]);
    let (rate, queue) = (window.sum.rate(), window.sum.mean_queue());
    let rests = window.sum.mean_busy() < BUSY || window.idle > 1.0 - ALWAYS_BUSY;
    let satisfied = gets(watch, device, &window, f64::INFINITY) == Some(true);
    if rate < LEAST || rests || queue.is_nan() || queue < *ALONE.start() || satisfied {
        return None;
    }
    let alone = queue < QUEUED;
    if alone && (queue > *ALONE.end() || window.alone < ALWAYS_BUSY) {
        return None;
    }
    let waiting: Vec<Way> = Way::ALL.into_iter().filter(|&way| waits(watch, device, &window, way)).collect();
    if waiting.is_empty() {
        return None;
    }
    let even: Vec<Way> = waiting.into_iter().filter(|&way| is_even(watch, device, &window, way)).collect();
    let (reads, writes) = (even.contains(&Way::Read), even.contains(&Way::Write));
    let even = !even.is_empty();
    let what = what(watch, device, &window);
    let rates = rates(watch, device, &window, Rate { what, way: Way::Both });
    let rate = median(&rates)?;
    if even && of_two_levels(&rates) {
        return None;
    }
    Some(HeldWindow { at, what, reads, writes, even, rate, alone, window })
}

/// Whether a level begins or ends in a window of these rates.
fn of_two_levels(rates: &[f64]) -> bool {
    let Some(level) = median(rates) else { return false };
    let off = rates.iter().filter(|rate| (*rate / level - 1.0).abs() > FELL).count();
    off > (rates.len() / OFF_ONE_IN).max(1)
}

/// Whether a load of our own gets what it asks for, and so is held by its own pace, not by the device; one that asks for as
/// much as it can asks for `any`. `None` where the window carries none, or nobody knows what it gets.
fn gets(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window, any: f64) -> Option<bool> {
    let load = device.own_load(watch, window)?;
    let got = load.all.got?.value;
    Some(got >= GETS * load.all.asked.unwrap_or(any))
}

/// Whether the I/Os of a direction, or of both, take longer than they need.
fn waits(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window, way: Way) -> bool {
    let sum = &window.sum;
    let ops = way.of(sum.ops);
    if ops < SHARE * Way::Both.of(sum.ops) || ops / sum.seconds < LEAST {
        return false;
    }
    match device.base.of(way) {
        Some(base) => sum.latency_of(way) > WAITED * base,
        None => {
            let even = || fano(&series(watch, device, window, way)).is_some_and(|fano| fano < METERED);
            let deep = sum.mean_queue() > DEEP;
            deep && (refused(watch, device, window) || has_a_name(watch, device, window) || even())
        }
    }
}

/// A load of our own that asks for more than it gets waits.
fn refused(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window) -> bool {
    gets(watch, device, window, 0.0) == Some(false)
}

/// Whether the counts of a direction are those of a meter.
fn is_even(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window, way: Way) -> bool {
    flat(&series(watch, device, window, way)) || steady_bytes(device, window, way)
}

/// Requests of changing size may be held by their bytes while their number varies.
fn steady_bytes(device: &Device<'_>, window: &Window, way: Way) -> bool {
    let size = window.sum.size();
    let in_requests = |tick: &Tick| way.of(tick.bytes) / size / tick.seconds;
    size > LARGE / 2.0 && flat(&device.within(window).iter().map(in_requests).collect::<Vec<f64>>())
}

/// Counts by interval; of our own load with few readings of the counters, by its own seconds.
fn series(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window, way: Way) -> Vec<f64> {
    own_seconds(watch, device, window, way).unwrap_or_else(|| counts(device.within(window), way))
}

/// The seconds of our own load in a window with few readings of the counters.
fn own_seconds(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window, way: Way) -> Option<Vec<f64>> {
    let step = device.own_step(watch, window).filter(|_| window.count() < FEW)?;
    Some(seconds_within(step, way.direction(), (window.from, window.to)))
}

fn has_a_name(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window) -> bool {
    let what = what(watch, device, window);
    let rates = rates(watch, device, window, Rate { what, way: Way::Both });
    let metered = Metered { what, size: window.sum.size() };
    let found = level(watch, &device.place, [None, None, Some(&rates)], metered);
    found.and_then(|level| level.named).is_some_and(|named| is_sure(&named))
}

/// I/Os or bytes a second of a direction, or of both.
#[derive(Clone, Copy)]
struct Rate {
    what: Resource,
    way: Way,
}

/// What is held, a second, by interval of a window, or by our own load's seconds in it.
fn rates(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window, of: Rate) -> Vec<f64> {
    let Rate { what, way } = of;
    let sum = &window.sum;
    let each = if what == Resource::Iops { 1.0 } else { way.of(sum.bytes) / way.of(sum.ops) };
    match own_seconds(watch, device, window, way).filter(|seconds| !seconds.is_empty()) {
        Some(seconds) => seconds.into_iter().map(|rate| rate * each).collect(),
        None => device.within(window).iter().map(|tick| rate_in(tick, what, way)).collect(),
    }
}

/// What is held, a second, in an interval.
fn rate_in(tick: &Tick, what: Resource, way: Way) -> f64 {
    match what {
        Resource::Iops => way.of(tick.ops) / tick.seconds,
        Resource::Bytes => way.of(tick.bytes) / tick.seconds,
    }
}

/// Operations or bytes: whichever is steadier; where requests are all of a size, by what the policy says of that size, else
/// by the size itself.
fn what(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window) -> Resource {
    let ticks = device.within(window);
    let spread = |what| {
        let values: Vec<f64> = ticks.iter().map(|tick| rate_in(tick, what, Way::Both)).collect();
        median_absolute_deviation(&values).unwrap_or(f64::NAN) / median(&values).unwrap_or(f64::NAN)
    };
    let (operations, bytes) = (spread(Resource::Iops), spread(Resource::Bytes));
    if bytes < STEADIER * operations {
        return Resource::Bytes;
    }
    if operations < STEADIER * bytes {
        return Resource::Iops;
    }
    let crossing = watch.limits.and_then(|limits| {
        limits.crossover(Direction::Read, policy::Level::Baseline).map(|Bytes(bytes)| bytes as f64)
    });
    match window.sum.size() >= crossing.unwrap_or(LARGE) {
        true => Resource::Bytes,
        false => Resource::Iops,
    }
}

fn of_group(watch: &WatchedRun<'_>, device: &Device<'_>, group: &[HeldWindow]) -> Option<Found<Held>> {
    let first = &group[0];
    let mut sum = Sum::default();
    group.iter().for_each(|held| sum.merge(&held.window.sum));
    let metered = Metered { what: first.what, size: sum.size() };
    let series = Way::ALL.map(|way| {
        let flat = group.iter().filter(|held| held.is_flat(way)).count() * 2 > group.len();
        let rates = |held: &HeldWindow| rates(watch, device, &held.window, Rate { what: first.what, way });
        flat.then(|| group.iter().flat_map(rates).collect::<Vec<f64>>())
    });
    let each = series.each_ref().map(|rates| rates.as_deref());
    let level = level(watch, &device.place, each, metered)?;
    let sure = match confidence(level.named.as_ref()) {
        // Nothing tells what an I/O takes here by itself: a device of even latency serves a full queue as evenly.
        Confidence::Likely if device.base.is_unknown() => Confidence::Possible,
        named => named,
    };
    let firings: Vec<Firing> = group.iter().map(|held| held.firing(device, sum.mean_queue())).collect();
    let (device, waiting) = (device.place.clone(), device.waiting(&sum));
    let held = HeldOperations { device, level, waiting, depth_one: first.alone };
    found_in(watch, held.by(metered), &firings, sure)
}

/// A level that follows directly on a higher one: the places of their windows, and what was served in each a second.
struct Fall {
    before: usize,
    after: usize,
    rate_before: f64,
    rate_after: f64,
    what: Resource,
}

/// Where a held level follows directly on a higher one. The higher one was held as well, or gave a load of ours what it asks for.
fn falls(watch: &WatchedRun<'_>, device: &Device<'_>, windows: &[HeldWindow]) -> Vec<Fall> {
    let of = |after: &HeldWindow| {
        let span = device.windows[after.at].span;
        let rate_at = |at: usize| match windows.iter().find(|held| held.at == at) {
            Some(held) => (held.what == after.what).then_some(held.rate),
            None => served(watch, device, &device.windows[at], after.what),
        };
        let nearest = (after.at.saturating_sub(2)..after.at)
            .rev()
            .filter(|&at| device.windows[at].span == span)
            .find_map(|at| Some((at, rate_at(at)?)));
        let (before, rate_before) = nearest.filter(|(_, rate)| after.rate <= (1.0 - FELL) * rate)?;
        Some(Fall { before, after: after.at, rate_before, rate_after: after.rate, what: after.what })
    };
    windows.iter().filter_map(of).collect()
}

/// The even rate that a load of ours got all through a window.
fn served(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window, what: Resource) -> Option<f64> {
    let step = device.own_step(watch, window)?;
    let asks = refused(watch, device, window) || closed(step);
    let rates = rates(watch, device, window, Rate { what, way: Way::Both });
    let even = flat(&series(watch, device, window, Way::Both)) && asks && !of_two_levels(&rates);
    median(&rates).filter(|_| even)
}

fn fallen(device: &Device<'_>, fall: &Fall) -> Found<Held> {
    assert!(fall.before < fall.after && fall.rate_after <= fall.rate_before, "a fall goes down in time");
    let (from, to) = (&device.windows[fall.before], &device.windows[fall.after]);
    let middle = (fall.rate_before + fall.rate_after) / 2.0;
    let between = &device.ticks[from.ticks.start..to.ticks.end];
    let low = between.iter().find(|tick| rate_in(tick, fall.what, Way::Both) < middle);
    let meaning = HeldLevelFell {
        device: device.place.clone(),
        at: low.map_or(from.to, |tick| tick.from),
        before: fall.rate_before,
        after: fall.rate_after,
        bytes: fall.what == Resource::Bytes,
    };
    let evidence = vec![device.evidence(from.from, to.to)];
    Found { meaning: Held::Fell(meaning), evidence, confidence: Confidence::Likely }
}

impl HeldOperations {
    /// The same by what is metered: operations, or bytes.
    fn by(self, metered: Metered) -> Held {
        let HeldOperations { device, level, waiting, .. } = match metered.what {
            Resource::Iops => return Held::Operations(self),
            Resource::Bytes => self,
        };
        Held::Bytes(HeldBytes { device, level, waiting, size: metered.size })
    }
}

/// The rates of windows by direction, where it has its share, and of both together; intervals without use left out.
fn used_rates(device: &Device<'_>, windows: &[usize], what: Resource) -> [Option<Vec<f64>>; 3] {
    let ticks = windows.iter().flat_map(|&at| device.within(&device.windows[at]));
    let used: Vec<&Tick> = ticks.filter(|tick| tick.all() >= USED * tick.seconds).collect();
    let rates = |way| -> Vec<f64> { used.iter().map(|tick| rate_in(tick, what, way)).collect() };
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
    level(watch, &device.place, each, Metered { what, size: device.total(windows).size() })
}

/// Windows that are used one I/O at a time, and not at the pace of a load of ours.
pub(super) fn alone(watch: &WatchedRun<'_>, device: &Device<'_>) -> Vec<usize> {
    device.windows_where(|window| window.is_serial() && !device.is_paced_by_us(watch, window))
}

/// A limit of this machine or of the declared policy, on operations or on bytes.
#[derive(PartialEq)]
pub(super) struct Figure {
    what: Resource,
    named: Named,
}

/// The limit of this machine or of the declared policy at which a window is that no other rule calls held.
pub(super) fn declared_figure(watch: &WatchedRun<'_>, device: &Device<'_>, at: usize) -> Option<Figure> {
    let named = |what| {
        let named = used_level(watch, device, &[at], what)?.named.filter(is_sure)?;
        Some(Figure { what, named })
    };
    [Resource::Iops, Resource::Bytes].into_iter().find_map(named).filter(|_| !device.held.contains(&at))
}

/// A cap that holds even one I/O at a time, known by its figure (R2b): a finding a figure.
pub(super) fn one_at_a_time(watch: &WatchedRun<'_>, device: &Device<'_>) -> Vec<Found<Held>> {
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
) -> Option<Found<Held>> {
    // An application may by chance be as fast as its limit.
    let sure = if matches!(named, Named::Local(_)) { Confidence::Strong } else { Confidence::Likely };
    let level = Level { named: Some(named), ..used_level(watch, device, windows, what)? };
    let sum = device.total(windows);
    let waited = device.base.both.filter(|base| sum.latency() > WAITED * base);
    let waiting = Waiting { usual_latency_ns: waited.map(|seconds| seconds * 1e9), ..device.waiting(&sum) };
    let held = HeldOperations { device: device.place.clone(), level, waiting, depth_one: true };
    let firings = firings(device, windows, |window| window.sum.rate());
    found_in(watch, held.by(Metered { what, size: sum.size() }), &firings, sure)
}
