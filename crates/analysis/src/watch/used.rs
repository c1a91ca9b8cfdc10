//! How a device is used: one I/O at a time, flush after flush, with a full queue, without times, or hardly at all
//! (R1, R2, R15, R20).

use record::DeviceKind;

use super::above::reached;
use super::device::Device;
use super::held::{ALONE, WAITED};
use super::level::{What, level};
use super::load::closed;
use super::looks::Look;
use super::rules::{Firing, findings_of, total};
use super::scene::Scene;
use super::shape::{Level, Named, Place, Waiting};
use super::ticks::{Tick, known};
use crate::{Confidence, Finding, Meaning};

/// A device that is used one I/O at a time is in use nearly always.
const SERIAL_BUSY: f64 = 0.8;
/// Share of intervals at whose end at most one request was in flight.
const SERIAL_ALONE: f64 = 0.95;
/// Below this share of what the device can do the rate is the application's own.
const SERIAL_SHARE: f64 = 0.5;
/// A direction with a smaller share of the operations is not looked at by itself.
const ONE_WAY: f64 = 0.05;
/// Storage that is idle has a queue below this (methodology 3.2, R1),
const IDLE_QUEUE: f64 = 1.0;
/// nothing in flight in more than this share of the samples,
const IDLE_SAMPLES: f64 = 0.5;
/// and tasks that wait for I/O for less than this share of the time.
const IDLE_WAITING: f64 = 0.05;
/// Somebody waited for I/O: for this share of the time,
const WAITED_SHARE: f64 = 0.01;
/// or so many tasks in the mean.
const WAITED_TASKS: f64 = 0.1;
/// The machine is called idle where it is in this share of its windows.
const IDLE_WINDOWS: f64 = 0.9;
/// Flushes that programs wait for fill this share of the time (R15),
const FLUSHING: f64 = 0.5;
/// are at least so many a second,
const FLUSHES_PER_SECOND: f64 = 5.0;
/// and are more than this share of the writes,
const FLUSHES_PER_WRITE: f64 = 0.2;
/// or take so many times as long as one.
const FLUSH_OVER_WRITE: f64 = 5.0;
/// A queue that is filled to this share is full.
const FULL: f64 = 0.95;
/// Operations a second below which a device is not used.
const USED: f64 = 5.0;

/// Places of the windows that `test` holds for.
pub(crate) fn windows(device: &Device<'_>, test: impl Fn(&Look) -> bool) -> Vec<usize> {
    (0..device.looks.len()).filter(|&at| test(&device.looks[at])).collect()
}

pub(crate) fn firings(device: &Device<'_>, looks: &[usize], weight: fn(&Look) -> f64) -> Vec<Firing> {
    looks.iter().map(|&at| Firing::of(device, at, weight(&device.looks[at]))).collect()
}

/// True where the pace of the window is our own load's, not an application's.
pub(crate) fn paced_by_us(scene: &Scene<'_>, device: &Device<'_>, look: &Look) -> bool {
    let step = scene.spans[look.span].step;
    scene.carries_load(&device.place.name) && step.is_some_and(|step| !closed(step))
}

/// One I/O at a time (R2): a queue of one, never two in flight, and no slower than an I/O need be. Where the rate is that of
/// a limit it is the limit that shows (R2b), not the application.
pub(crate) fn serial(scene: &Scene<'_>, device: &Device<'_>) -> Vec<Finding> {
    let can = device.cap.or_else(|| {
        let limits = scene.limits?;
        limits.enforced_iops(workload::Direction::Read).map(|rate| rate.0)
    });
    let alone = windows(device, |look| one_at_a_time(scene, device, look));
    let (capped, rest): (Vec<_>, Vec<_>) =
        alone.into_iter().map(|at| (at, figure(scene, device, at))).partition(|one| one.1.is_some());
    let free = |look: &Look| {
        let fast = device.base.ways[2].is_none_or(|base| look.sum.latency() <= WAITED * base);
        fast && can.is_none_or(|can| look.sum.rate() < SERIAL_SHARE * can)
    };
    let alone: Vec<usize> = rest.into_iter().map(|one| one.0).filter(|&at| free(&device.looks[at])).collect();
    let sum = total(device, &alone);
    let meaning = Meaning::SerialApplication {
        device: device.place.clone(),
        ops_per_second: sum.rate(),
        latency_ns: sum.latency() * 1e9,
        // What was seen; a policy's figure is a promise.
        cap: device.cap,
    };
    let sure = if device.looks.iter().all(|look| look.alone.is_nan()) {
        Confidence::Possible
    } else {
        Confidence::Likely
    };
    let found = findings_of(scene, meaning, &firings(device, &alone, |look| look.sum.rate()), sure);
    let capped = capped.into_iter().filter_map(|(at, named)| Some((at, named?))).collect();
    found.into_iter().chain(capped_alone(scene, device, capped)).collect()
}

fn one_at_a_time(scene: &Scene<'_>, device: &Device<'_>, look: &Look) -> bool {
    let serial = ALONE.contains(&look.sum.mean_queue()) && look.sum.mean_busy() > SERIAL_BUSY;
    serial
        && (look.alone.is_nan() || look.alone >= SERIAL_ALONE)
        && look.sum.rate() >= USED
        && look.count() >= 5
        && !paced_by_us(scene, device, look)
}

/// The rates of windows by direction, where it has its share, and of both together; intervals without use left out.
fn rates(device: &Device<'_>, looks: &[usize], what: What) -> [Option<Vec<f64>>; 3] {
    let of = |tick: &Tick, way: usize| {
        let values = if what == What::Operations { tick.ops } else { tick.bytes };
        (if way < 2 { values[way] } else { values[0] + values[1] }) / tick.seconds
    };
    let ticks = || looks.iter().flat_map(|&at| device.within(&device.looks[at]));
    let used = || ticks().filter(|tick| tick.all() >= USED * tick.seconds);
    let all: f64 = used().map(|tick| of(tick, 2)).sum();
    [0, 1, 2].map(|way| {
        let rates: Vec<f64> = used().map(|tick| of(tick, way)).collect();
        (rates.iter().sum::<f64>() > ONE_WAY * all).then_some(rates)
    })
}

fn level_of(scene: &Scene<'_>, device: &Device<'_>, looks: &[usize], what: What) -> Option<Level> {
    let rates = rates(device, looks, what);
    let [read, write, all] = &rates;
    let each = [read.as_deref(), write.as_deref(), all.as_deref()];
    level(scene, &device.place, each, (what, total(device, looks).size()))
}

/// The limit of this machine or of the declared policy at which a window is that no other rule calls held.
fn figure(scene: &Scene<'_>, device: &Device<'_>, at: usize) -> Option<(What, Named)> {
    let sure = |named: &Named| matches!(named, Named::Local(_) | Named::Policy { declared: true, .. });
    let named = |what| Some((what, level_of(scene, device, &[at], what)?.named.filter(sure)?));
    [What::Operations, What::Bytes].into_iter().find_map(named).filter(|_| !device.held.contains(&at))
}

/// A cap that holds even one I/O at a time, known by its figure (R2b): a finding a figure.
fn capped_alone(
    scene: &Scene<'_>,
    device: &Device<'_>,
    mut windows: Vec<(usize, (What, Named))>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    while let Some((what, named)) = windows.first().map(|window| window.1.clone()) {
        let (same, others): (Vec<_>, Vec<_>) =
            windows.into_iter().partition(|window| window.1 == (what, named.clone()));
        windows = others;
        let looks: Vec<usize> = same.iter().map(|window| window.0).collect();
        let Some(level) = level_of(scene, device, &looks, what) else { continue };
        let level = Level { named: Some(named.clone()), ..level };
        let sum = total(device, &looks);
        let base = device.base.ways[2].filter(|base| sum.latency() > WAITED * base);
        let waiting = Waiting {
            queue: sum.mean_queue(),
            latency_ns: sum.latency() * 1e9,
            usual_queue: None,
            usual_latency_ns: base.map(|seconds| seconds * 1e9),
        };
        let place = device.place.clone();
        let meaning = match what {
            What::Bytes => Meaning::HeldBytes { device: place, level, waiting, size: sum.size() },
            What::Operations => Meaning::HeldOperations { device: place, level, waiting, depth_one: true },
        };
        // An application may by chance be as fast as its limit.
        let sure = if matches!(named, Named::Local(_)) { Confidence::Strong } else { Confidence::Likely };
        found.extend(findings_of(scene, meaning, &firings(device, &looks, |look| look.sum.rate()), sure));
    }
    found
}

/// Flushes that somebody waits for most of the time (R15).
pub(crate) fn flushes(scene: &Scene<'_>, device: &Device<'_>) -> Vec<Finding> {
    let bound = windows(device, |look| {
        let sum = &look.sum;
        let share = sum.flush_wait / sum.seconds;
        let slow = sum.flush_wait / sum.flushes > FLUSH_OVER_WRITE * sum.latency_of(1);
        let many = sum.flushes > FLUSHES_PER_WRITE * sum.ops[1];
        share > FLUSHING && sum.flushes / sum.seconds >= FLUSHES_PER_SECOND && (slow || many)
    });
    let sum = total(device, &bound);
    let meaning = Meaning::FlushBound {
        device: device.place.clone(),
        flushes_per_second: sum.flushes / sum.seconds,
        flush_ns: sum.flush_wait / sum.flushes * 1e9,
        write_ns: known(sum.latency_of(1) * 1e9),
        share: sum.flush_wait / sum.seconds,
    };
    let found = firings(device, &bound, |look| look.sum.flush_wait);
    findings_of(scene, meaning, &found, Confidence::Likely).into_iter().collect()
}

/// The guest's own queue is full (R20): what waits beyond it is not in the device's counters. A load of ours that has just
/// so much in flight is not behind it.
pub(crate) fn full_queue(scene: &Scene<'_>, device: &Device<'_>) -> Vec<Finding> {
    let Some(node) = device.node.filter(|node| node.facts.queue_requests > 1) else { return Vec::new() };
    let holds = node.facts.queue_requests;
    let full = windows(device, |look| {
        let step = scene.spans[look.span].step.filter(|_| scene.carries_load(&device.place.name));
        let depth: Option<u32> = step.map(|step| step.plan.workers.iter().map(|worker| worker.depth).sum());
        let waits = device.base.ways[2].is_none_or(|base| look.sum.latency() > WAITED * base);
        look.sum.mean_queue() >= FULL * f64::from(holds)
            && waits
            && depth.is_none_or(|depth| f64::from(depth) > 1.1 * f64::from(holds))
    });
    let sum = total(device, &full);
    let waiting = Waiting {
        queue: sum.mean_queue(),
        latency_ns: sum.latency() * 1e9,
        usual_queue: None,
        usual_latency_ns: device.base.ways[2].map(|seconds| seconds * 1e9),
    };
    let meaning = Meaning::QueueFull { device: device.place.clone(), holds, waiting };
    let found = firings(device, &full, |look| look.sum.mean_queue());
    findings_of(scene, meaning, &found, Confidence::Likely).into_iter().collect()
}

/// A device that is used although the kernel keeps no times for it.
pub(crate) fn untimed(scene: &Scene<'_>, device: &Device<'_>) -> Vec<Finding> {
    let untimed = device.node.is_some_and(|node| !node.timed);
    let used = windows(device, |look| untimed && look.sum.rate() >= USED);
    let meaning = Meaning::Untimed { device: device.place.clone() };
    let found = firings(device, &used, |look| look.sum.rate());
    findings_of(scene, meaning, &found, Confidence::Certain).into_iter().collect()
}

/// What the idlest look at a machine knows of one device.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    place: Place,
    /// Windows in which it rested, of all in which an application might have used it.
    rested: usize,
    seen: usize,
    idle: f64,
    rate: f64,
    queue: f64,
    some: Option<f64>,
    blocked: Option<f64>,
    /// A limit of this machine's own is reached: what waits for it is not seen at the device.
    limited: bool,
    firings: Vec<Firing>,
}

/// How much `device` rested while somebody else's work was watched; `None` where nobody could tell.
pub(crate) fn rest(scene: &Scene<'_>, device: &Device<'_>) -> Option<Rest> {
    let seen =
        windows(device, |look| scene.passive() && look.sum.mean_queue().is_finite() && look.count() >= 5);
    let resting = |at: &usize| {
        let look = &device.looks[*at];
        look.sum.mean_queue() < IDLE_QUEUE
            && look.idle > IDLE_SAMPLES
            && (look.some.is_nan() || look.some < IDLE_WAITING)
    };
    let rested: Vec<usize> = seen.iter().copied().filter(resting).collect();
    let sum = total(device, &seen);
    let mean =
        |of: fn(&Look) -> f64| seen.iter().map(|&at| of(&device.looks[at])).sum::<f64>() / seen.len() as f64;
    (!seen.is_empty()).then(|| Rest {
        place: device.place.clone(),
        rested: rested.len(),
        seen: seen.len(),
        idle: mean(|look| look.idle),
        rate: sum.rate(),
        queue: sum.mean_queue(),
        some: known(mean(|look| look.some)),
        blocked: known(mean(|look| look.blocked)),
        limited: seen.iter().any(|&at| reached(scene, device, &device.looks[at]).is_some()),
        firings: firings(device, &rested, |_| 1.0),
    })
}

/// Storage is not the limit (R1): even the busiest device rests in nine of ten windows.
pub(crate) fn idle(scene: &Scene<'_>, rests: &[Rest]) -> Option<Finding> {
    let busiest = rests.iter().min_by(|a, b| a.idle.total_cmp(&b.idle))?;
    let rested = |rest: &Rest| !rest.limited && rest.rested as f64 >= IDLE_WINDOWS * rest.seen as f64;
    let all = rests.iter().all(rested);
    let waited = busiest.some.is_some_and(|some| some > WAITED_SHARE)
        || busiest.blocked.is_some_and(|tasks| tasks > WAITED_TASKS);
    let meaning = Meaning::StorageIdle {
        device: busiest.place.clone(),
        idle_share: busiest.idle.clamp(0.0, 1.0),
        ops_per_second: busiest.rate,
        queue: busiest.queue,
        waiting_share: busiest.some,
        unwatched: if waited { unwatched(scene) } else { Vec::new() },
    };
    let found = findings_of(scene, meaning, &busiest.firings, Confidence::Certain)?;
    all.then_some(found)
}

/// Loop and memory devices of this machine that were left out of the watch.
pub(crate) fn unwatched(scene: &Scene<'_>) -> Vec<String> {
    let names = scene.run.devices.iter().map(|node| (&node.facts.name, &node.kind));
    let left_out = names.filter(|(name, kind)| {
        let of_memory = matches!(kind, DeviceKind::Loop | DeviceKind::Zram) || name.starts_with("ram");
        of_memory && !scene.recording.devices().contains(&name.as_str())
    });
    left_out.map(|(name, _)| name.clone()).collect()
}
