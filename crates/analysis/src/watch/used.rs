//! How a device is used: one I/O at a time, flush after flush, with a full queue, without times, or hardly at all
//! (R1, R2, R15, R20).

use super::device::Device;
use super::held::{ALONE, WAITED};
use super::load::closed;
use super::looks::Look;
use super::rules::{Firing, findings_of, total};
use super::scene::Scene;
use super::shape::{Place, Waiting};
use super::ticks::known;
use crate::{Confidence, Finding, Meaning};

/// A device that is used one I/O at a time is in use nearly always.
const SERIAL_BUSY: f64 = 0.8;
/// Share of intervals at whose end at most one request was in flight.
const SERIAL_ALONE: f64 = 0.95;
/// Below this share of what the device can do the rate is the application's own.
const SERIAL_SHARE: f64 = 0.5;
/// Storage that is idle: a queue below this, nothing in flight in more than half of the samples, and tasks waiting for less
/// than this share (methodology 3.2, R1).
const IDLE: (f64, f64, f64) = (1.0, 0.5, 0.05);
/// The machine is called idle where it is in this share of its windows.
const IDLE_WINDOWS: f64 = 0.9;
/// Flushes that fill this share of the time, at least so many a second, with more than this share of the writes or so many
/// times as long as one (R15).
const FLUSHES: (f64, f64, f64, f64) = (0.5, 5.0, 0.2, 5.0);
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

/// One I/O at a time (R2): a queue of one, never two in flight, and no slower than an I/O need be.
pub(crate) fn serial(scene: &Scene<'_>, device: &Device<'_>) -> Vec<Finding> {
    let can = device.cap.or_else(|| {
        let limits = scene.limits?;
        limits.enforced_iops(workload::Direction::Read).map(|rate| rate.0)
    });
    let alone = windows(device, |look| {
        let (queue, busy) = (look.sum.mean_queue(), look.sum.mean_busy());
        let fast = device.base.ways[2].is_none_or(|base| look.sum.latency() <= WAITED * base);
        let serial = (ALONE.0..=ALONE.1).contains(&queue) && busy > SERIAL_BUSY;
        let free = can.is_none_or(|can| look.sum.rate() < SERIAL_SHARE * can);
        serial
            && (look.alone.is_nan() || look.alone >= SERIAL_ALONE)
            && fast
            && free
            && look.sum.rate() >= USED
            && look.count() >= 5
            && !paced_by_us(scene, device, look)
    });
    let sum = total(device, &alone);
    let meaning = Meaning::SerialApplication {
        device: device.place.clone(),
        ops_per_second: sum.rate(),
        latency_ns: sum.latency() * 1e9,
        cap: can,
    };
    let sure = if device.looks.iter().all(|look| look.alone.is_nan()) {
        Confidence::Possible
    } else {
        Confidence::Likely
    };
    findings_of(scene, meaning, &firings(device, &alone, |look| look.sum.rate()), sure).into_iter().collect()
}

/// Flushes that somebody waits for most of the time (R15).
pub(crate) fn flushes(scene: &Scene<'_>, device: &Device<'_>) -> Vec<Finding> {
    let bound = windows(device, |look| {
        let sum = &look.sum;
        let share = sum.flush_wait / sum.seconds;
        let slow = sum.flush_wait / sum.flushes > FLUSHES.3 * sum.latency_of(1);
        let many = sum.flushes > FLUSHES.2 * sum.ops[1];
        share > FLUSHES.0 && sum.flushes / sum.seconds >= FLUSHES.1 && (slow || many)
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
    firings: Vec<Firing>,
}

/// How much `device` rested while somebody else's work was watched; `None` where nobody could tell.
pub(crate) fn rest(scene: &Scene<'_>, device: &Device<'_>) -> Option<Rest> {
    let seen =
        windows(device, |look| scene.passive() && look.sum.mean_queue().is_finite() && look.count() >= 5);
    let resting = |at: &usize| {
        let look = &device.looks[*at];
        look.sum.mean_queue() < IDLE.0 && look.idle > IDLE.1 && (look.some.is_nan() || look.some < IDLE.2)
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
        firings: firings(device, &rested, |_| 1.0),
    })
}

/// Storage is not the limit (R1): even the busiest device rests in nine of ten windows.
pub(crate) fn idle(scene: &Scene<'_>, rests: &[Rest]) -> Option<Finding> {
    let busiest = rests.iter().min_by(|a, b| a.idle.total_cmp(&b.idle))?;
    let all = rests.iter().all(|rest| rest.rested as f64 >= IDLE_WINDOWS * rest.seen as f64);
    let meaning = Meaning::StorageIdle {
        device: busiest.place.clone(),
        idle_share: busiest.idle.clamp(0.0, 1.0),
        ops_per_second: busiest.rate,
        queue: busiest.queue,
        waiting_share: busiest.some,
    };
    let found = findings_of(scene, meaning, &busiest.firings, Confidence::Certain)?;
    all.then_some(found)
}
