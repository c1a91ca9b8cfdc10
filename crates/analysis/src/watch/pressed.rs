//! A window in which a device always has work: how its I/Os wait, and whether its counts are as even as a meter's.

use std::cell::RefCell;

use policy::Resource;
use statistics::metered::{self, Count, ExactRate, Meter, Metering, exact_rate, metered};
use statistics::quantile::median;

use super::counts::{asked_ticks, counts, of_seconds};
use super::device::{Device, WAITED};
use super::load::seconds_within;
use super::ticks::{Sum, Tick, Way};
use super::watched_run::WatchedRun;
use super::windows::{Window, without_idle_ends};

/// Least share of the time for which such a device is busy, over the readings with as much I/O requested as usual.
const BUSY: f64 = 0.9;
/// Share of its readings at which such a device may have nothing in flight.
const IDLE: f64 = 0.08;
/// Operations per second below which nothing is concluded.
const LEAST: f64 = 3.0;
/// Share of the operations below which a direction is not examined by itself.
const SHARE: f64 = 0.05;
/// Least share of the rate it asks for that plimsoll's own load must get to count as served.
const GETS: f64 = 0.97;
/// Number of counter readings in a window of plimsoll's own load below which its own seconds show more.
const FEW: usize = 10;
/// Mean latency in seconds above which I/Os have waited on any device: twice the time of one I/O on a slow disk.
const LONG_S: f64 = 0.04;
/// Queue above which a load that gets less than it asks for, or whose counts are a meter's, is taken to wait.
const DEEP: f64 = 4.0;
/// Share of a window's rate below which another has less load: windows at one limit agree better (method 12.2).
const LESS: f64 = 0.9;
/// Queue below which I/Os run one at a time.
const ALONE: f64 = 1.5;

/// A window of a device that always has work.
#[derive(Clone, Debug)]
pub(crate) struct BusyWindow {
    /// Index of the window.
    pub at: usize,
    /// The window without idle ends; its totals are those of the readings with as much I/O requested as usual.
    pub window: Window,
    /// Whether I/Os run one at a time.
    pub alone: bool,
    /// What was found of the window by itself.
    meters: RefCell<Vec<(Rate, Meter)>>,
}

impl BusyWindow {
    /// Returns the window at `at`, if the device always has work in it.
    pub fn of(watch: &WatchedRun<'_>, device: &Device<'_>, at: usize) -> Option<BusyWindow> {
        let mut window = without_idle_ends(watch, &device.ticks, &device.windows[at]);
        let mut sum = Sum::default();
        let (mut idle, mut count) = (0usize, 0usize);
        for tick in asked_ticks(device.within(&window)) {
            sum.add(tick, 1.0);
            idle += usize::from(tick.in_flight == 0.0);
            count += 1;
        }
        window.sum = sum;
        let queue = window.sum.mean_queue();
        let rests = window.sum.mean_busy() < BUSY || idle as f64 > IDLE * count as f64;
        let satisfied = gets(watch, device, &window, f64::INFINITY) == Some(true);
        let told = count > 0 && queue.is_finite() && window.sum.rate() >= LEAST;
        let alone = queue < ALONE;
        let single = !alone || window.alone.is_nan() || window.alone >= 1.0 - IDLE;
        (told && !rests && queue >= 0.8 && !satisfied && single).then(|| BusyWindow {
            at,
            window,
            alone,
            meters: RefCell::default(),
        })
    }

    /// Whether the I/Os of the window are known to wait.
    pub fn is_waiting(&self, watch: &WatchedRun<'_>, device: &Device<'_>) -> bool {
        self.waits_of(watch, device, Way::Both)
    }

    /// Returns the ways (reads, writes, both) whose I/Os are known to wait.
    pub fn waits(&self, watch: &WatchedRun<'_>, device: &Device<'_>) -> Vec<Way> {
        Way::ALL.into_iter().filter(|&way| self.waits_of(watch, device, way)).collect()
    }

    fn has_share(&self, way: Way) -> bool {
        let sum = &self.window.sum;
        let ops = way.of(sum.ops);
        ops >= SHARE * Way::Both.of(sum.ops) && ops / sum.seconds >= LEAST
    }

    fn waits_of(&self, watch: &WatchedRun<'_>, device: &Device<'_>, way: Way) -> bool {
        let latency = self.window.sum.latency_of(way);
        let longer = |base: f64| latency > WAITED * base;
        self.has_share(way)
            && !paced(watch, device, &self.window, way)
            && match device.base.of(way).or(device.base.both) {
                Some(base) => longer(base) || refused(watch, device, &self.window) && self.is_deep(),
                None => latency > LONG_S || refused(watch, device, &self.window) && self.is_deep(),
            }
    }

    fn is_deep(&self) -> bool {
        self.window.sum.mean_queue() > DEEP
    }

    /// Returns the ways with a limited, even rate: their counts are a meter's, and their I/Os are known to wait, or may.
    pub fn even(&self, watch: &WatchedRun<'_>, device: &Device<'_>) -> Vec<Way> {
        let unknown = device.base.is_unknown() || self.alone;
        let may_wait = |way: Way| {
            unknown
                && self.has_share(way)
                && (self.alone || self.is_deep() && !self.takes_no_longer(watch, device, way))
        };
        Way::ALL
            .into_iter()
            .filter(|&way| !paced(watch, device, &self.window, way))
            .filter(|&way| {
                let waits = self.waits_of(watch, device, way);
                let meter = (waits || may_wait(way)).then(|| self.meter(watch, device, way));
                let pins = |meter: Meter| {
                    meter.answer == Metering::Metered || !self.alone && waits && meter.if_waiting
                };
                meter.is_some_and(pins)
            })
            .collect()
    }

    /// Whether I/Os take about as long in a window with less load whose counts are no meter's: these here need not wait.
    fn takes_no_longer(&self, watch: &WatchedRun<'_>, device: &Device<'_>, way: Way) -> bool {
        let rate = |sum: &Sum| way.of(sum.ops) / sum.seconds;
        let alike = device.windows.iter().enumerate().filter(|(_, other)| {
            (LEAST..LESS * rate(&self.window.sum)).contains(&rate(&other.sum))
                && self.window.sum.latency_of(way) <= WAITED * other.sum.latency_of(way)
        });
        let least = alike.min_by(|a, b| rate(&a.1.sum).total_cmp(&rate(&b.1.sum)));
        least.is_some_and(|(at, other)| {
            let other = BusyWindow { at, window: other.clone(), alone: false, meters: RefCell::default() };
            other.meter(watch, device, way).answer != Metering::Metered
        })
    }

    /// Returns whether a meter pins a way: its operations, or its bytes if these are evener because sizes vary.
    fn meter(&self, watch: &WatchedRun<'_>, device: &Device<'_>, way: Way) -> Meter {
        let of = |what| self.metered(watch, device, Rate { what, way });
        let (operations, bytes) = (of(Resource::Iops), of(Resource::Bytes));
        if evener(&bytes, &operations) { bytes } else { operations }
    }

    /// Returns whether a meter pins one rate of the window, which takes long to find.
    fn metered(&self, watch: &WatchedRun<'_>, device: &Device<'_>, of: Rate) -> Meter {
        if let Some((_, known)) = self.meters.borrow().iter().find(|(known, _)| *known == of) {
            return known.clone();
        }
        let meter = metered(&[self.counts(watch, device, of)]);
        self.meters.borrow_mut().push((of, meter.clone()));
        meter
    }

    /// Returns the rate of all I/Os at which many counts of these windows agree exactly, if that is a meter's whatever
    /// waits lower the other counts (method 5.1).
    pub fn exact(
        windows: &[&BusyWindow],
        (watch, device): (&WatchedRun<'_>, &Device<'_>),
        what: Resource,
    ) -> Option<ExactRate> {
        if windows.iter().any(|pressed| device.is_paced_by_us(watch, &pressed.window)) {
            return None;
        }
        let parts = EXACT_PARTS.div_ceil(windows.len().max(1));
        let each = windows.iter().flat_map(|pressed| {
            let ticks = device.within(&pressed.window);
            let part = ticks.chunks(ticks.len().div_ceil(parts).max(1));
            part.map(|ticks| exact_window(ticks, pressed, what)).collect::<Vec<_>>()
        });
        let each: Vec<_> = each.collect();
        let found = exact_rate(&each)?;
        let all = each.iter().flat_map(|part| part.counts.iter().map(|count| (count.number, part.seconds)));
        let (on, beside): (Vec<_>, Vec<_>) = all.partition(|(number, seconds)| {
            (number - found.rate * seconds).abs() <= (EXACT * number).max(1.0)
        });
        let many = on.len() as f64 >= EXACT_SHARE * (on.len() + beside.len()) as f64;
        many.then_some(found)
    }

    /// Whether the counts of the window by itself show neither a meter nor its absence.
    pub fn is_unclear(&self, watch: &WatchedRun<'_>, device: &Device<'_>, of: Rate) -> bool {
        self.metered(watch, device, of).answer == Metering::Unclear
    }

    /// Returns the ways in which the counts of several windows at one level, with waiting I/Os, come from one meter.
    pub fn even_together(watch: &WatchedRun<'_>, device: &Device<'_>, windows: &[&BusyWindow]) -> Vec<Way> {
        let is_even = |what: Resource, way: Way| {
            let waiting =
                windows.iter().filter(|window| !window.alone && window.waits_of(watch, device, way));
            let counts: Vec<_> =
                waiting.map(|window| window.counts(watch, device, Rate { what, way })).collect();
            metered(&counts).if_waiting
        };
        let any = |way: &Way| is_even(Resource::Iops, *way) || is_even(Resource::Bytes, *way);
        Way::ALL.into_iter().filter(any).collect()
    }

    /// Returns the counts of a way in units of a request; with few counter readings, the seconds of plimsoll's own
    /// load.
    fn counts(&self, watch: &WatchedRun<'_>, device: &Device<'_>, of: Rate) -> metered::Window {
        let Rate { what, way } = of;
        if let Some(seconds) = own_seconds(watch, device, &self.window, way) {
            return of_seconds(&seconds);
        }
        let size = way.of(self.window.sum.bytes) / way.of(self.window.sum.ops);
        counts(device.within(&self.window), |tick| match what {
            Resource::Iops => way.of(tick.ops),
            Resource::Bytes => way.of(tick.bytes) / size,
        })
    }

    /// Returns the rates of a way per second, over the lengths of its counts.
    pub fn rates(&self, watch: &WatchedRun<'_>, device: &Device<'_>, of: Rate) -> Vec<f64> {
        let size = of.way.of(self.window.sum.bytes) / of.way.of(self.window.sum.ops);
        let each = if of.what == Resource::Iops { 1.0 } else { size };
        self.counts(watch, device, of).usual_rates().into_iter().map(|rate| rate * each).collect()
    }

    /// Returns operations or bytes, whichever is evener; if all requests have one size, the choice follows the policy's
    /// crossover of sizes, or else a fixed one.
    pub fn what(&self, watch: &WatchedRun<'_>, device: &Device<'_>) -> LimitedResource {
        let of = |what| self.metered(watch, device, Rate { what, way: Way::Both });
        let (operations, bytes) = (of(Resource::Iops), of(Resource::Bytes));
        for (what, of, other) in
            [(Resource::Bytes, &bytes, &operations), (Resource::Iops, &operations, &bytes)]
        {
            if evener(of, other) {
                return LimitedResource { what, apart: true };
            }
        }
        let crossing = watch.limits.and_then(|limits| {
            let found = limits.crossover(workload::Direction::Read, policy::Level::Baseline);
            found.map(|workload::Bytes(bytes)| bytes as f64)
        });
        let large = self.window.sum.size() >= crossing.unwrap_or(LARGE);
        LimitedResource { what: if large { Resource::Bytes } else { Resource::Iops }, apart: false }
    }
}

/// Fewest parts of windows in which counts must agree, which are then apart in time.
const EXACT_PARTS: usize = 4;
/// Share of a count by which it may be off the exact rate, and least share of the counts at it: one load shows less
/// than the several of a check do, and without a meter one count in ten agrees by chance (method 12.2).
const EXACT: f64 = 0.001;
const EXACT_SHARE: f64 = 0.35;

/// Returns the counts of a part of a window, in units of a request.
fn exact_window(ticks: &[Tick], pressed: &BusyWindow, what: Resource) -> statistics::metered::Window {
    let sum = &pressed.window.sum;
    let number = |tick: &Tick| match what {
        Resource::Iops => tick.all(),
        Resource::Bytes => Way::Both.of(tick.bytes) / sum.size(),
    };
    let seconds = median(&ticks.iter().map(|tick| tick.seconds).collect::<Vec<f64>>()).unwrap_or(1.0);
    let counts = ticks.iter().map(|tick| Count { number: number(tick), clean: true }).collect();
    statistics::metered::Window { seconds, depth: sum.mean_queue(), unit: 1.0, counts }
}

/// Bytes of a request from which on bytes, and below which operations, are taken to be limited if nothing else decides.
const LARGE: f64 = 96.0 * 1024.0;
/// Ratio of two variances below which the smaller is that of the limited resource.
const EVENER: f64 = 0.5;

/// Whether counts in units of a request vary less than others, over the shortest and the longest windows of both.
fn evener(a: &Meter, b: &Meter) -> bool {
    let mut lengths = a.fano.iter().zip(&b.fano);
    let less = |(a, b): (&(f64, f64), &(f64, f64))| a.1 < EVENER * b.1;
    lengths.next().is_some_and(less) && lengths.next_back().is_none_or(less)
}

/// The limited resource; `apart`: whether the record distinguishes operations from bytes.
#[derive(Clone, Copy)]
pub(crate) struct LimitedResource {
    pub what: Resource,
    pub apart: bool,
}

/// I/Os or bytes per second of a direction, or of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rate {
    pub what: Resource,
    pub way: Way,
}

/// Returns the rate of an interval, per second.
pub(crate) fn rate_in(tick: &Tick, of: Rate) -> f64 {
    match of.what {
        Resource::Iops => of.way.of(tick.ops) / tick.seconds,
        Resource::Bytes => of.way.of(tick.bytes) / tick.seconds,
    }
}

/// Whether plimsoll's own load gets the rate it asks for, so that its pace is the limit, not the device; `any` stands
/// for the rate asked for without a pace. `None` if the window has no such load, or the rate it gets is unknown.
pub(crate) fn gets(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window, any: f64) -> Option<bool> {
    let load = device.own_load(watch, window)?;
    let got = load.all.got?.value;
    Some(got >= GETS * load.all.asked.unwrap_or(any))
}

/// Whether plimsoll's own load gets the rate it asks for in a direction: its rate is even because the load is.
fn paced(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window, way: Way) -> bool {
    let Some(load) = device.own_load(watch, window) else { return false };
    let flow = match way {
        Way::Read => load.read.as_ref(),
        Way::Write => load.write.as_ref(),
        Way::Both => Some(&load.all),
    };
    let rates = flow.and_then(|flow| Some((flow.asked?, flow.got?.value)));
    rates.is_some_and(|(asked, got)| got >= GETS * asked)
}

/// Whether plimsoll's own load asks for more than it gets, and so waits.
pub(crate) fn refused(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window) -> bool {
    gets(watch, device, window, 0.0) == Some(false)
}

/// Returns the counts per second of plimsoll's own load in a window with few counter readings.
fn own_seconds(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window, way: Way) -> Option<Vec<f64>> {
    let step = device.own_step(watch, window).filter(|_| window.count() < FEW)?;
    let found = seconds_within(step, way.direction(), (window.from, window.to));
    Some(found).filter(|seconds| !seconds.is_empty())
}
