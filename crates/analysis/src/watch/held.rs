//! Rates that are held at a level while requests wait: caps on operations and on bytes, also at depth one (R2b, R3, R4, R6).

use workload::{Bytes, Direction};

use super::device::Device;
use super::level::{What, confidence, level};
use super::load::seconds_of;
use super::looks::{Look, counts, flat};
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
pub(crate) const ALONE: (f64, f64) = (0.8, 1.2);
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

/// One window that is held.
#[derive(Clone, Debug)]
struct Held {
    look: usize,
    what: What,
    /// Which directions are flat and wait.
    ways: [bool; 2],
    /// False where it waits at an uneven rate.
    even: bool,
    /// What is held, a second.
    rate: f64,
    alone: bool,
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
    let rates = windows.iter().filter(|window| window.what == What::Operations).map(|window| window.rate);
    device.cap = rates.fold(None, |most: Option<f64>, rate| Some(most.map_or(rate, |most| most.max(rate))));
    let mut found: Vec<Finding> = groups.iter().filter_map(|group| finding(scene, device, group)).collect();
    found.extend(fallen(device, &windows));
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
    let look = &device.looks[at];
    let (rate, queue) = (look.sum.rate(), look.sum.mean_queue());
    let rests = look.sum.mean_busy() < 0.9 || look.idle > 1.0 - ALWAYS_BUSY;
    if rate < LEAST || rests || queue.is_nan() || queue < ALONE.0 || satisfied(scene, device, look) {
        return None;
    }
    let alone = queue < QUEUED;
    if alone && (queue > ALONE.1 || look.alone < ALWAYS_BUSY) {
        return None;
    }
    let waits = [0, 1, 2].map(|way| waits(scene, device, look, way));
    if !waits.contains(&true) {
        return None;
    }
    let even = [0, 1, 2].map(|way| waits[way] && is_even(scene, device, look, way));
    let what = what(scene, device, look);
    let rate = if what == What::Operations { rate } else { look.sum.byte_rate() };
    Some(Held { look: at, what, ways: [even[0], even[1]], even: even.contains(&true), rate, alone })
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
        None => sum.mean_queue() > DEEP && (refused(scene, device, look) || has_a_name(scene, device, look)),
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
    let own = scene.spans[look.span].step.filter(|_| scene.carries_load(&device.place.name));
    match own {
        Some(step) if look.count() < 10 => {
            seconds_of(step, [Some(Direction::Read), Some(Direction::Write), None][way])
        }
        _ => counts(device.within(look), way),
    }
}

fn has_a_name(scene: &Scene<'_>, device: &Device<'_>, look: &Look) -> bool {
    let what = what(scene, device, look);
    let rates: Vec<f64> = all_rates(device.within(look), what);
    let found = level(scene, &device.place, [None, None, Some(&rates)], (what, look.sum.size()));
    let sure = |named: &Named| matches!(named, Named::Local(_) | Named::Policy { declared: true, .. });
    found.and_then(|level| level.named).is_some_and(|named| sure(&named))
}

fn all_rates(ticks: &[Tick], what: What) -> Vec<f64> {
    rates(ticks, what, 2)
}

/// What is held, a second, by interval.
fn rates(ticks: &[Tick], what: What, way: usize) -> Vec<f64> {
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
        let values = all_rates(ticks, what);
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
    let ticks: Vec<Tick> =
        group.iter().flat_map(|held| device.within(&device.looks[held.look])).copied().collect();
    let mut sum = Sum::default();
    ticks.iter().for_each(|tick| sum.add(tick, 1.0));
    let of = |way: usize| {
        let held = way < 2 && group.iter().filter(|held| held.ways[way]).count() * 2 > group.len();
        (held || way == 2).then(|| rates(&ticks, first.what, way))
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
    let sure = confidence(level.named.as_ref());
    let place = device.place.clone();
    let meaning = match first.what {
        What::Bytes => Meaning::HeldBytes { device: place, level, waiting, size: sum.size() },
        What::Operations => Meaning::HeldOperations { device: place, level, waiting, depth_one: first.alone },
    };
    let firings: Vec<Firing> =
        group.iter().map(|held| Firing::of(device, held.look, sum.mean_queue())).collect();
    findings_of(scene, meaning, &firings, sure)
}

/// Where one held level follows directly on a higher one.
fn fallen(device: &Device<'_>, windows: &[Held]) -> Vec<Finding> {
    let pair = |pair: &[Held]| {
        let (before, after) = (&pair[0], &pair[1]);
        let (from, to) = (&device.looks[before.look], &device.looks[after.look]);
        let next = after.look - before.look <= 2 && from.span == to.span;
        let fell = before.what == after.what && after.rate <= (1.0 - FELL) * before.rate;
        (next && fell).then(|| Finding {
            meaning: Meaning::HeldLevelFell {
                device: device.place.clone(),
                at: from.to,
                before: before.rate,
                after: after.rate,
                bytes: after.what == What::Bytes,
            },
            evidence: vec![crate::Evidence {
                step: String::new(),
                series: format!("diskstats {}", device.place.name),
                from: from.from,
                to: to.to,
            }],
            confidence: Confidence::Likely,
        })
    };
    // One tells it; a bucket that empties every hour is told by the first time.
    windows.windows(2).find_map(pair).into_iter().collect()
}
