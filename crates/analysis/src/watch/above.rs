//! A throttle above the device (R10): the application waits while the device is calm.

use record::LocalLimit;

use super::device::Device;
use super::held::WAITED;
use super::level::concerns;
use super::looks::Look;
use super::rules::{findings_of, total};
use super::scene::{Scene, place};
use super::ticks::Tick;
use super::used::{firings, unwatched, windows};
use crate::{Confidence, Finding, Meaning};

/// A device with a smaller queue than this, and latencies as of one with nothing to wait for, is calm.
const CALM: f64 = 2.0;
/// Every task waits for I/O for more than this share of the time (R10).
const ALL_WAIT: f64 = 0.1;
/// Or so many tasks wait in the mean: on a machine with other work for its CPUs, not every task waits.
const BLOCKED: f64 = 0.9;
/// The device's queue holds less than this share of those that wait.
const QUEUE_SHARE: f64 = 0.3;
/// An I/O of ours waits above the device where it takes so many times as long as the device needs for it,
const OWN_TIMES: f64 = 4.0;
/// and longer by so many seconds.
const OWN_LONGER_S: f64 = 0.5e-3;
/// Fewer operations a second are no use of a device.
const USED: f64 = 5.0;
/// A rate of tasks that wait is at a limit from this share of it on.
const AT_LIMIT: f64 = 0.9;
/// By itself a rate shows that a limit is reached within this share of it,
const REACHED_SHARE: f64 = 0.03;
/// or within so many a second.
const REACHED_PER_SECOND: f64 = 1.0;
/// It is so in so many intervals,
const REACHED_INTERVALS: usize = 5;
/// and in this share of those in which the device was used.
const REACHED_OFTEN: f64 = 0.5;

/// Tasks of others wait, and the device that they use does not. Told of the device that a limit is set on, else of the
/// topmost that is used.
pub(crate) fn waiting_application(scene: &Scene<'_>, device: &Device<'_>) -> Vec<Finding> {
    if !topmost(scene, device) {
        return Vec::new();
    }
    let all_watched = unwatched(scene).is_empty();
    let held = windows(device, |look| {
        // Those that wait while the CPUs work may wait for a device that nobody watched.
        let blocked = look.blocked >= BLOCKED && (look.full.is_nan() || all_watched);
        let waits = look.full > ALL_WAIT || blocked || reached(scene, device, look).is_some();
        let elsewhere = look.sum.mean_queue() < QUEUE_SHARE * look.blocked.max(1.0);
        let someone = scene.spans[look.span].step.is_none() && look.count() >= 5;
        someone && waits && elsewhere && calm(device, look) && look.sum.rate() >= USED
    });
    let limit = held.iter().find_map(|&at| {
        let look = &device.looks[at];
        reached(scene, device, look).or_else(|| limit(scene, device, look))
    });
    let mean = |of: fn(&Look) -> f64| {
        held.iter().map(|&at| of(&device.looks[at])).sum::<f64>() / held.len().max(1) as f64
    };
    // A share of the time that hardly anybody waited is no word on those who did.
    let telling = |share: &f64| *share > ALL_WAIT;
    let share = [mean(|look| look.full), mean(|look| look.iowait)].into_iter().find(telling);
    let meaning = meaning(device, &held, (None, share), limit);
    let sure = if limit.is_some() { Confidence::Strong } else { Confidence::Possible };
    findings_of(scene, meaning, &firings(device, &held, |look| look.blocked), sure).into_iter().collect()
}

/// Our own I/Os take far longer than the device needs for them.
pub(crate) fn own_load(scene: &Scene<'_>, device: &Device<'_>) -> Vec<Finding> {
    if scene.load_device.as_deref() != Some(&device.place.name) {
        return Vec::new();
    }
    let waited = |look: &Look| {
        let load = scene.spans[look.span].load.as_ref()?;
        Some((load.all.issued.mean_ns? / 1e9, load.in_flight))
    };
    let held = windows(device, |look| {
        let Some((own, in_flight)) = waited(look) else { return false };
        let device_s = look.sum.latency();
        let longer = own > OWN_TIMES * device_s && own > device_s + OWN_LONGER_S;
        let elsewhere = look.sum.mean_queue() < QUEUE_SHARE * in_flight;
        longer
            && elsewhere
            && calm(device, look)
            && whole_requests(scene, device, look)
            && !starved(scene, look)
    });
    let limit = held.iter().find_map(|&at| limit(scene, device, &device.looks[at]));
    let own: Vec<f64> =
        held.iter().filter_map(|&at| waited(&device.looks[at])).map(|own| own.0 * 1e9).collect();
    let mean = own.iter().sum::<f64>() / own.len().max(1) as f64;
    let meaning = meaning(device, &held, (Some(mean), None), limit);
    let sure = if limit.is_some() { Confidence::Certain } else { Confidence::Strong };
    findings_of(scene, meaning, &firings(device, &held, |look| look.sum.rate()), sure).into_iter().collect()
}

fn meaning(
    device: &Device<'_>,
    held: &[usize],
    (waited_ns, waiting_share): (Option<f64>, Option<f64>),
    limit: Option<&LocalLimit>,
) -> Meaning {
    let sum = total(device, held);
    Meaning::ThrottledAboveDevice {
        device: device.place.clone(),
        waited_ns,
        waiting_share,
        latency_ns: sum.latency() * 1e9,
        queue: sum.mean_queue(),
        limit: limit.cloned(),
    }
}

/// Hardly a queue, and no I/O waits in it.
fn calm(device: &Device<'_>, look: &Look) -> bool {
    let fast = device.base.ways[2].is_none_or(|base| look.sum.latency() <= WAITED * base);
    look.sum.mean_queue() < CALM && fast
}

/// Whether requests reach the device as they were issued: of one that the kernel splits the device sees pieces.
fn whole_requests(scene: &Scene<'_>, device: &Device<'_>, look: &Look) -> bool {
    let longest = device.node.map_or(0, |node| node.facts.request_max.0);
    let step = scene.spans[look.span].step;
    let block = step.and_then(|step| step.plan.workers.iter().map(|worker| worker.blocks.longest().0).max());
    longest == 0 || block.is_none_or(|block| block <= longest)
}

/// A load of ours that lacked CPU waited for that.
fn starved(scene: &Scene<'_>, look: &Look) -> bool {
    let Some(step) = scene.spans[look.span].step else { return false };
    let wall = step.ended.since(step.counted_from).0 as f64;
    let waited = step.workers.iter().map(|worker| worker.run_delay_ns as f64 / wall).fold(0.0, f64::max);
    look.steal > 0.05 || waited > 0.25
}

/// No other device that was sampled stands on it.
fn topmost(scene: &Scene<'_>, device: &Device<'_>) -> bool {
    let stands_on = |node: &record::DeviceNode| node.below.contains(&device.place.name);
    let limited = scene.run.limits.iter().any(|limit| limit.device == device.place.name);
    limited || !scene.run.devices.iter().any(stands_on)
}

/// The limit of this machine's own that the rate of a window reaches.
fn limit<'s>(scene: &Scene<'s>, device: &Device<'_>, look: &Look) -> Option<&'s LocalLimit> {
    let sum = &look.sum;
    let at = |limit: &&LocalLimit| {
        let done = limited(&limit.what, (sum.ops, sum.bytes));
        concerns(&device.place, limit) && done / sum.seconds >= AT_LIMIT * limit.value as f64
    };
    scene.run.limits.iter().find(at)
}

/// What a limit counts, of operations and bytes.
fn limited(what: &str, (ops, bytes): ([f64; 2], [f64; 2])) -> f64 {
    match what {
        "riops" => ops[0],
        "wiops" => ops[1],
        "rbps" => bytes[0],
        _ => bytes[1],
    }
}

/// The limit of this machine's own at which the rate of a window stays while the device is used: one on the device, on one
/// below it, or on one above it that was not watched.
pub(crate) fn reached<'s>(scene: &Scene<'s>, device: &Device<'_>, look: &Look) -> Option<&'s LocalLimit> {
    let used: Vec<&Tick> =
        device.within(look).iter().filter(|tick| tick.all() >= USED * tick.seconds).collect();
    let at = |limit: &LocalLimit| {
        let value = limit.value as f64;
        let near = |tick: &&&Tick| {
            let off = limited(&limit.what, (tick.ops, tick.bytes)) / tick.seconds - value;
            off.abs() <= (REACHED_SHARE * value).max(REACHED_PER_SECOND)
        };
        let count = used.iter().filter(near).count();
        count >= REACHED_INTERVALS && count as f64 >= REACHED_OFTEN * used.len() as f64
    };
    scene.run.limits.iter().find(|limit| holds(scene, device, limit) && at(limit))
}

fn holds(scene: &Scene<'_>, device: &Device<'_>, limit: &LocalLimit) -> bool {
    let unseen = !scene.recording.devices().contains(&limit.device.as_str());
    let above = || place(scene.run, &limit.device).on.iter().flatten().any(|name| *name == device.place.name);
    concerns(&device.place, limit) || unseen && above()
}
