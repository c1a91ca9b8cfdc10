//! Rates that are held at a level while requests wait: caps on operations and on bytes, also at depth one (R2b, R3, R4, R6).

use std::ops::RangeInclusive;

use workload::{Bytes, Direction};

use super::device::Device;
use super::level::{What, confidence, level};
use super::load::{closed, seconds_within};
use super::looks::{Look, counts, fano, flat, without_idle_ends};
use super::rules::{Firing, findings_of};
use super::scene::Scene;
use super::shape::{Named, Waiting};
use super::ticks::{Sum, Tick};
use crate::{Confidence, Finding, Meaning};

/// An I/O that takes this many times as long as one that need not wait has waited (methodology 3.2, R2, R3).
pub(crate) const WAITED: f64 = 2.0;
/// A queue below this is that of one I/O at a time.
const QUEUED: f64 = 1.5;
/// A queue around one: a program that has one I/O in flight always.
pub(crate) const ALONE: RangeInclusive<f64> = 0.8..=1.2;
/// What is held is never without work but for this share of the time.
const ALWAYS_BUSY: f64 = 0.95;
/// Fewer operations a second say nothing.
const LEAST: f64 = 5.0;
/// Without a latency to compare with, a deeper queue than this at a figure that is known to hold here is taken for waiting.
const DEEP: f64 = 4.0;
/// A direction with a smaller share of the operations is not looked at by itself.
const SHARE: f64 = 0.05;
/// Levels within this share are one.
const SAME: f64 = 0.05;
/// A level that falls by this share has fallen (methodology 3.2, R6).
const FELL: f64 = 0.2;
/// Requests below this are held by their number, above it by their bytes, where nothing else tells.
const LARGE: f64 = 96.0 * 1024.0;
/// Where the one varies less than this share of the other, it is what is held.
const STEADIER: f64 = 0.5;

/// Counts as even as this are a meter's, also where nothing tells what an I/O takes by itself.
const METERED: f64 = 0.02;
/// Where more seconds than one in so many are off the level by `FELL`, two levels are in the window.
const OFF_ONE_IN: usize = 10;
/// Fewer readings of the counters than this in a window of our own load say less than its own seconds.
const FEW: usize = 10;

/// One window that is held.
#[derive(Clone, Debug)]
struct Held {
    look: usize,
    /// The window without the ends in which nothing was asked.
    window: Look,
    what: What,
    /// Which directions are flat and wait.
    ways: [bool; 2],
    /// False where it waits at an uneven rate.
    even: bool,
    /// What is held, a second.
    rate: f64,
    alone: bool,
}

impl Held {
    fn firing(&self, device: &Device<'_>, weight: f64) -> Firing {
        let mut firing = Firing::of(device, self.look, weight);
        (firing.evidence.from, firing.evidence.to) = (self.window.from, self.window.to);
        firing
    }
}

/// Everything that holds `device`, and where a level fell to another.
pub(crate) fn held(scene: &Scene<'_>, device: &mut Device<'_>, taken: &[usize]) -> Vec<Finding> {
    let windows: Vec<Held> = (0..device.looks.len())
        .filter(|&at| !(taken.contains(&device.looks[at].span) && scene.carries_load(&device.place.name)))
        .filter_map(|at| held_in(scene, device, at))
        .collect();
    let groups = groups(&windows);
    let mut windows: Vec<Held> = groups.iter().flatten().cloned().collect();
    windows.sort_by_key(|window| window.look);
    device.held = windows.iter().map(|window| window.look).collect();
    let falls = falls(scene, device, &windows);
    // The window in which a level falls is served as slowly as the lower level has it, and by nothing else.
    device.held.extend(falls.iter().flat_map(|fall| fall.before + 1..fall.after));
    let rates = windows.iter().filter(|window| window.what == What::Operations).map(|window| window.rate);
    device.cap = rates.fold(None, |most: Option<f64>, rate| Some(most.map_or(rate, |most| most.max(rate))));
    let mut found: Vec<Finding> = groups.iter().filter_map(|group| finding(scene, device, group)).collect();
    // One tells it; a bucket that empties every hour is told by the first time.
    found.extend(falls.first().map(|fall| fallen(device, fall)));
    found
}

/// Windows by level. A level at which most windows that wait are uneven is not held: now and then any series is even.
fn groups(windows: &[Held]) -> Vec<Vec<Held>> {
    let mut groups: Vec<Vec<Held>> = Vec::new();
    for window in windows.iter().filter(|window| window.even) {
        match groups.iter_mut().find(|group| alike(&group[0], window)) {
            Some(group) => group.push(window.clone()),
            None => groups.push(vec![window.clone()]),
        }
    }
    let uneven =
        |group: &Vec<Held>| windows.iter().filter(|window| !window.even && alike(&group[0], window)).count();
    groups.into_iter().filter(|group| group.len() > uneven(group)).collect()
}

fn alike(a: &Held, b: &Held) -> bool {
    let near = (a.rate / b.rate - 1.0).abs() <= SAME;
    a.what == b.what && a.alone == b.alone && near
}

/// The window at `at`, where its rate is held.
fn held_in(scene: &Scene<'_>, device: &Device<'_>, at: usize) -> Option<Held> {
    let window = without_idle_ends(scene, &device.ticks, &device.looks[at]);
    let look = &window;
    let (rate, queue) = (look.sum.rate(), look.sum.mean_queue());
    let rests = look.sum.mean_busy() < 0.9 || look.idle > 1.0 - ALWAYS_BUSY;
    if rate < LEAST || rests || queue.is_nan() || queue < *ALONE.start() || satisfied(scene, device, look) {
        return None;
    }
    let alone = queue < QUEUED;
    if alone && (queue > *ALONE.end() || look.alone < ALWAYS_BUSY) {
        return None;
    }
    let waits = [0, 1, 2].map(|way| waits(scene, device, look, way));
    if !waits.contains(&true) {
        return None;
    }
    let even = [0, 1, 2].map(|way| waits[way] && is_even(scene, device, look, way));
    let what = what(scene, device, look);
    let rates = rates(scene, device, (look, what), 2);
    let rate = statistics::quantile::median(&rates)?;
    if even.contains(&true) && of_two_levels(&rates) {
        return None;
    }
    Some(Held { look: at, what, ways: [even[0], even[1]], even: even.contains(&true), rate, alone, window })
}

/// Whether a level begins or ends in a window of these rates.
fn of_two_levels(rates: &[f64]) -> bool {
    let Some(level) = statistics::quantile::median(rates) else { return false };
    let off = rates.iter().filter(|rate| (*rate / level - 1.0).abs() > FELL).count();
    off > (rates.len() / OFF_ONE_IN).max(1)
}

/// A load of our own that gets what it asks for is held by its own pace.
fn satisfied(scene: &Scene<'_>, device: &Device<'_>, look: &Look) -> bool {
    let load = scene.spans[look.span].load.as_ref().filter(|_| scene.carries_load(&device.place.name));
    load.is_some_and(|load| {
        let asked = load.all.asked.unwrap_or(f64::INFINITY);
        load.all.got.is_some_and(|got| got.value >= 0.97 * asked)
    })
}

/// Whether the I/Os of a direction (`2`: of both) take longer than they need.
fn waits(scene: &Scene<'_>, device: &Device<'_>, look: &Look, way: usize) -> bool {
    let sum = &look.sum;
    let ops = if way < 2 { sum.ops[way] } else { sum.ops[0] + sum.ops[1] };
    if ops < SHARE * (sum.ops[0] + sum.ops[1]) || ops / sum.seconds < LEAST {
        return false;
    }
    let latency = if way < 2 { sum.latency_of(way) } else { sum.latency() };
    match device.base.ways[way] {
        Some(base) => latency > WAITED * base,
        None => {
            let even = || fano(&series(scene, device, look, way)).is_some_and(|fano| fano < METERED);
            let deep = sum.mean_queue() > DEEP;
            deep && (refused(scene, device, look) || has_a_name(scene, device, look) || even())
        }
    }
}

/// A load of our own that asks for more than it gets waits.
fn refused(scene: &Scene<'_>, device: &Device<'_>, look: &Look) -> bool {
    let load = scene.spans[look.span].load.as_ref().filter(|_| scene.carries_load(&device.place.name));
    load.is_some_and(|load| {
        let asked = load.all.asked.unwrap_or(0.0);
        load.all.got.is_some_and(|got| got.value < 0.97 * asked)
    })
}

/// Whether the counts of a direction are those of a meter.
fn is_even(scene: &Scene<'_>, device: &Device<'_>, look: &Look, way: usize) -> bool {
    flat(&series(scene, device, look, way)) || steady_bytes(device, look, way)
}

/// Requests of changing size may be held by their bytes while their number varies.
fn steady_bytes(device: &Device<'_>, look: &Look, way: usize) -> bool {
    let ticks = device.within(look);
    let size = look.sum.size();
    let in_requests = |tick: &Tick| {
        let bytes = if way < 2 { tick.bytes[way] } else { tick.bytes[0] + tick.bytes[1] };
        bytes / size / tick.seconds
    };
    size > LARGE / 2.0 && flat(&ticks.iter().map(in_requests).collect::<Vec<f64>>())
}

/// Counts by interval; of our own load with few readings of the counters, by its own seconds.
fn series(scene: &Scene<'_>, device: &Device<'_>, look: &Look, way: usize) -> Vec<f64> {
    own_seconds(scene, device, look, way).unwrap_or_else(|| counts(device.within(look), way))
}

/// The seconds of our own load in a window with few readings of the counters.
fn own_seconds(scene: &Scene<'_>, device: &Device<'_>, look: &Look, way: usize) -> Option<Vec<f64>> {
    let own = scene.spans[look.span].step.filter(|_| scene.carries_load(&device.place.name));
    let step = own.filter(|_| look.count() < FEW)?;
    let way = [Some(Direction::Read), Some(Direction::Write), None][way];
    Some(seconds_within(step, way, (look.from, look.to)))
}

fn has_a_name(scene: &Scene<'_>, device: &Device<'_>, look: &Look) -> bool {
    let what = what(scene, device, look);
    let rates = rates(scene, device, (look, what), 2);
    let found = level(scene, &device.place, [None, None, Some(&rates)], (what, look.sum.size()));
    let sure = |named: &Named| matches!(named, Named::Local(_) | Named::Policy { declared: true, .. });
    found.and_then(|level| level.named).is_some_and(|named| sure(&named))
}

/// What is held, a second, by interval of a window, or by our own load's seconds in it.
fn rates(scene: &Scene<'_>, device: &Device<'_>, (look, what): (&Look, What), way: usize) -> Vec<f64> {
    let sum = &look.sum;
    let of = |values: &[f64; 2]| if way < 2 { values[way] } else { values[0] + values[1] };
    let each = if what == What::Operations { 1.0 } else { of(&sum.bytes) / of(&sum.ops) };
    match own_seconds(scene, device, look, way).filter(|seconds| !seconds.is_empty()) {
        Some(seconds) => seconds.into_iter().map(|rate| rate * each).collect(),
        None => rates_of(device.within(look), what, way),
    }
}

/// What is held, a second, by interval.
fn rates_of(ticks: &[Tick], what: What, way: usize) -> Vec<f64> {
    let of = |values: &[f64; 2]| if way < 2 { values[way] } else { values[0] + values[1] };
    let rate = |tick: &Tick| match what {
        What::Operations => of(&tick.ops) / tick.seconds,
        What::Bytes => of(&tick.bytes) / tick.seconds,
    };
    ticks.iter().map(rate).collect()
}

/// Operations or bytes: whichever is steadier; where requests are all of a size, by what the policy says of that size, else
/// by the size itself.
fn what(scene: &Scene<'_>, device: &Device<'_>, look: &Look) -> What {
    let ticks = device.within(look);
    let spread = |what| {
        let values = rates_of(ticks, what, 2);
        let middle = statistics::quantile::median(&values).unwrap_or(f64::NAN);
        statistics::quantile::median_absolute_deviation(&values).unwrap_or(f64::NAN) / middle
    };
    let (operations, bytes) = (spread(What::Operations), spread(What::Bytes));
    if bytes < STEADIER * operations {
        return What::Bytes;
    }
    if operations < STEADIER * bytes {
        return What::Operations;
    }
    let crossing = scene.limits.and_then(|limits| {
        limits.crossover(Direction::Read, policy::Level::Baseline).map(|Bytes(bytes)| bytes as f64)
    });
    match look.sum.size() >= crossing.unwrap_or(LARGE) {
        true => What::Bytes,
        false => What::Operations,
    }
}

fn finding(scene: &Scene<'_>, device: &Device<'_>, group: &[Held]) -> Option<Finding> {
    let first = &group[0];
    let mut sum = Sum::default();
    group.iter().for_each(|held| sum.merge(&held.window.sum));
    let of = |way: usize| {
        let held = way < 2 && group.iter().filter(|held| held.ways[way]).count() * 2 > group.len();
        let rates = |held: &Held| rates(scene, device, (&held.window, first.what), way);
        (held || way == 2).then(|| group.iter().flat_map(rates).collect::<Vec<f64>>())
    };
    let series = [of(0), of(1), of(2)];
    let level =
        level(scene, &device.place, [0, 1, 2].map(|way| series[way].as_deref()), (first.what, sum.size()))?;
    let waiting = Waiting {
        queue: sum.mean_queue(),
        latency_ns: sum.latency() * 1e9,
        usual_queue: None,
        usual_latency_ns: device.base.ways[2].map(|seconds| seconds * 1e9),
    };
    let sure = match confidence(level.named.as_ref()) {
        // Nothing tells what an I/O takes here by itself: a device of even latency serves a full queue as evenly.
        Confidence::Likely if device.base.ways == [None; 3] => Confidence::Possible,
        named => named,
    };
    let place = device.place.clone();
    let meaning = match first.what {
        What::Bytes => Meaning::HeldBytes { device: place, level, waiting, size: sum.size() },
        What::Operations => Meaning::HeldOperations { device: place, level, waiting, depth_one: first.alone },
    };
    let firings: Vec<Firing> = group.iter().map(|held| held.firing(device, sum.mean_queue())).collect();
    findings_of(scene, meaning, &firings, sure)
}

/// A level that follows directly on a higher one: the places of their windows, and what was served in each a second.
struct Fall {
    before: usize,
    after: usize,
    rates: (f64, f64),
    what: What,
}

/// Where a held level follows directly on a higher one. The higher one was held as well, or gave a load of ours what it asks for.
fn falls(scene: &Scene<'_>, device: &Device<'_>, windows: &[Held]) -> Vec<Fall> {
    let of = |after: &Held| {
        let is_held = |look: usize| windows.iter().find(|held| held.look == look);
        let span = device.looks[after.look].span;
        let nearest = (after.look.saturating_sub(2)..after.look)
            .rev()
            .filter(|&look| device.looks[look].span == span)
            .find_map(|look| match is_held(look) {
                Some(held) => (held.what == after.what).then_some((look, held.rate)),
                None => Some((look, served(scene, device, &device.looks[look], after.what)?)),
            });
        let (before, rate) = nearest.filter(|(_, rate)| after.rate <= (1.0 - FELL) * rate)?;
        Some(Fall { before, after: after.look, rates: (rate, after.rate), what: after.what })
    };
    windows.iter().filter_map(of).collect()
}

/// The even rate that a load of ours got all through a window.
fn served(scene: &Scene<'_>, device: &Device<'_>, look: &Look, what: What) -> Option<f64> {
    let step = scene.spans[look.span].step.filter(|_| scene.carries_load(&device.place.name))?;
    let even = flat(&series(scene, device, look, 2)) && (refused(scene, device, look) || closed(step));
    let rates = rates(scene, device, (look, what), 2);
    if !even || of_two_levels(&rates) { None } else { statistics::quantile::median(&rates) }
}

fn fallen(device: &Device<'_>, fall: &Fall) -> Finding {
    let (from, to) = (&device.looks[fall.before], &device.looks[fall.after]);
    let middle = (fall.rates.0 + fall.rates.1) / 2.0;
    let between = &device.ticks[from.ticks.0..to.ticks.1];
    let rates = rates_of(between, fall.what, 2);
    let at = rates.iter().position(|rate| *rate < middle).map_or(from.to, |at| between[at].from);
    Finding {
        meaning: Meaning::HeldLevelFell {
            device: device.place.clone(),
            at,
            before: fall.rates.0,
            after: fall.rates.1,
            bytes: fall.what == What::Bytes,
        },
        evidence: vec![crate::Evidence {
            step: String::new(),
            series: format!("diskstats {}", device.place.name),
            from: from.from,
            to: to.to,
        }],
        confidence: Confidence::Likely,
    }
}
