//! A held level that follows a higher rate: a burst that is over, or somebody who takes a part for a while (R6).

use policy::Resource;
use serde::{Deserialize, Serialize};
use workload::Nanos;

use crate::device_place::Place;
use crate::finding::{Confidence, FindingOf, Kind, Nature, lowest};
use crate::watch::counts::asked_ticks;
use crate::watch::device::{Device, HeldAt, WAITED};
use crate::watch::load::closed;
use crate::watch::pressed::{BusyWindow, Rate, rate_in, refused};
use crate::watch::ticks::{Sum, Tick, Way};
use crate::watch::watched_run::WatchedRun;
use crate::watch::windows::Window;

/// Share by which a level must fall; the smallest published bursts fall by less (R6).
pub(crate) const FELL: f64 = 0.2;
/// Share within which size and mix of requests stay (R6).
const ALIKE: f64 = 0.1;
/// Least queue before the fall, as a share of the queue after it: a smaller one asked for less.
const ASKED: f64 = 0.6;
/// Least queue after the fall, as a share of the queue before it.
const ASKED_NOW: f64 = 0.9;
/// Share of its clean readings for which a device must be busy at a level that is not held, and `BUSY` of all its readings.
const FULL: f64 = 0.97;
const BUSY: f64 = 0.9;
/// Seconds for which a level must last that is not held.
pub(crate) const LASTS_S: f64 = 5.0;
/// Share within which a rate is again the former one.
const BACK: f64 = 0.1;
/// One reading in this many may be off a level.
const OFF_ONE_IN: usize = 10;
/// Most windows between the two levels: the one in which it fell.
const BETWEEN: usize = 1;

/// A device's rate fell by a step to a level at which it is held: what a burst leaves when its credits are spent, or
/// what a neighbour leaves. `back`: when the former rate returned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldLevelFell {
    pub device: Place,
    pub at: Nanos,
    pub before: f64,
    pub after: f64,
    pub bytes: bool,
    #[serde(default)]
    pub back: Option<Nanos>,
}

impl Kind for HeldLevelFell {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 5, device: lowest(&self.device), badness: None, doubt: None, level: false }
    }
}

/// A level that follows a higher rate: the indices of their windows, and what was served in each per second.
struct Fall {
    before: usize,
    after: HeldAt,
    rate_before: f64,
    /// Whether one of the two levels is held at an even rate.
    even: bool,
}

/// Returns the first fall; a bucket that empties every hour is reported once. Also marks the windows of every fall
/// as held at the lower level, so that no other rule explains why they are slow.
pub(super) fn rule(watch: &WatchedRun<'_>, device: &mut Device<'_>) -> Option<FindingOf<HeldLevelFell>> {
    let falls: Vec<Fall> = (0..device.windows.len()).filter_map(|at| fall(watch, device, at)).collect();
    for fall in &falls {
        let between = fall.before + 1..=fall.after.at;
        device.held.extend(between.map(|at| HeldAt { at, ..fall.after }));
    }
    falls.first().map(|fall| fallen(device, fall))
}

/// Returns the fall to the window `after`, if as much was asked for at the higher rate before it.
fn fall(watch: &WatchedRun<'_>, device: &Device<'_>, after: usize) -> Option<Fall> {
    let held = device.held.iter().find(|held| held.at == after).copied();
    let after = held.or_else(|| full(watch, device, after))?;
    let own = &device.windows[after.at];
    let nearest = (after.at.saturating_sub(1 + BETWEEN)..after.at).rev();
    let found = nearest
        .filter(|&at| {
            let window = &device.windows[at];
            window.span == own.span && device.windows[at + 1].from == window.to
        })
        .find_map(|before| {
            let rate_before = served(watch, device, before, after)?;
            let even = held.is_some() || device.is_held(before);
            (after.rate <= (1.0 - FELL) * rate_before).then_some(Fall { before, after, rate_before, even })
        })?;
    // A rate that came back, was not held and took twice as long was slow, for whatever reason.
    let (slow, usual) = (own.sum.latency(), device.windows[found.before].sum.latency());
    let was_slow = held.is_none() && slow >= WAITED * usual && back(device, &found).is_some();
    (!was_slow).then_some(found)
}

/// Returns the level of a window that is not held, but in which the device is busy all the time.
fn full(watch: &WatchedRun<'_>, device: &Device<'_>, at: usize) -> Option<HeldAt> {
    let pressed = BusyWindow::of(watch, device, at)?;
    let sum = &pressed.window.sum;
    let whole = &device.windows[at];
    let told = device.told.contains(&at) || !steady(device, whole, Resource::Iops);
    let full = !told && sum.mean_busy() >= FULL && sum.seconds >= LASTS_S && whole.sum.mean_busy() >= BUSY;
    (full && !pressed.alone).then(|| HeldAt { at, what: Resource::Iops, rate: sum.rate() })
}

/// Returns the rate of a window before the level of `after` that compares with it: held as well, all that a load of
/// ours asks for, or as much as the device could do for a queue as deep.
fn served(watch: &WatchedRun<'_>, device: &Device<'_>, before: usize, after: HeldAt) -> Option<f64> {
    if let Some(held) = device.held.iter().find(|held| held.at == before) {
        return (held.what == after.what).then_some(held.rate);
    }
    let (window, own) = (&device.windows[before], &device.windows[after.at]);
    if !steady(device, window, after.what) {
        return None;
    }
    let rate = rate_of(&window.sum, after.what);
    let step = device.own_step(watch, window);
    if step.is_some_and(|step| refused(watch, device, window) || closed(step)) {
        return Some(rate);
    }
    let pressed = BusyWindow::of(watch, device, before)?;
    let of = BusyWindow::of(watch, device, after.at)?;
    let (then, now) = (pressed.window.sum.mean_queue(), of.window.sum.mean_queue());
    let as_deep = now >= ASKED_NOW * then && then >= ASKED * now;
    (as_deep && alike(&pressed.window.sum, &own.sum)).then(|| rate_of(&pressed.window.sum, after.what))
}

/// Whether most readings of a window are near its rate; otherwise a level begins or ends in it.
fn steady(device: &Device<'_>, window: &Window, what: Resource) -> bool {
    let rate = rate_of(&window.sum, what);
    let far = |tick: &&Tick| (rate_in(tick, Rate { what, way: Way::Both }) / rate - 1.0).abs() > FELL;
    let ticks = device.within(window);
    ticks.iter().filter(far).count() * OFF_ONE_IN <= ticks.len()
}

fn rate_of(sum: &Sum, what: Resource) -> f64 {
    match what {
        Resource::Iops => sum.rate(),
        Resource::Bytes => (sum.bytes[0] + sum.bytes[1]) / sum.seconds,
    }
}

/// Whether requests have the same size and mix.
fn alike(a: &Sum, b: &Sum) -> bool {
    let reads = |sum: &Sum| sum.ops[0] / (sum.ops[0] + sum.ops[1]);
    (a.size() / b.size() - 1.0).abs() <= ALIKE && (reads(a) - reads(b)).abs() <= ALIKE
}

fn fallen(device: &Device<'_>, fall: &Fall) -> FindingOf<HeldLevelFell> {
    let after = fall.after;
    assert!(fall.before < after.at && after.rate <= fall.rate_before, "a fall goes down in time");
    let (from, to) = (&device.windows[fall.before], &device.windows[after.at]);
    let middle = (fall.rate_before + after.rate) / 2.0;
    let between = &device.ticks[from.ticks.start..to.ticks.end];
    let of = Rate { what: after.what, way: Way::Both };
    // Readings before the fall may be low by chance; all those after it are.
    let last = between
        .iter()
        .rposition(|tick| rate_in(tick, of) >= middle && tick.to <= to.from + (to.to.since(to.from)) / 2);
    // The reading of the fall itself has a part of either level.
    let behind = last.and_then(|last| between.get(last + 2..)).unwrap_or_default();
    let (number, seconds) = asked_ticks(behind).fold((0.0, 0.0), |(number, seconds), tick| {
        (number + rate_in(tick, of) * tick.seconds, seconds + tick.seconds)
    });
    let mean = if seconds > 0.0 { number / seconds } else { after.rate };
    let meaning = HeldLevelFell {
        device: device.place.clone(),
        at: last.map_or(to.from, |last| between[last].to),
        before: fall.rate_before,
        after: after.rate.min(mean),
        bytes: after.what == Resource::Bytes,
        back: back(device, fall),
    };
    let evidence = vec![device.evidence(from.from, to.to)];
    let confidence = if fall.even { Confidence::Likely } else { Confidence::Possible };
    FindingOf { meaning, evidence, confidence }
}

/// Returns when the former rate came back.
fn back(device: &Device<'_>, fall: &Fall) -> Option<Nanos> {
    let span = device.windows[fall.before].span;
    let later = device.windows[fall.after.at + 1..].iter().take_while(|window| window.span == span);
    let again = |window: &&Window| rate_of(&window.sum, fall.after.what) >= (1.0 - BACK) * fall.rate_before;
    later.into_iter().find(again).map(|window| window.from)
}
