//! A throttle above the device (R10): the application waits while the device is calm.

use record::{DeviceNode, LocalLimit};
use serde::{Deserialize, Serialize};

use crate::device_place::Place;
use crate::finding::{Confidence, FindingOf, Kind, Nature, highest};
use crate::watch::busiest::QUIET;
use crate::watch::command::{CommandTime, command_time};
use crate::watch::device::Device;
use crate::watch::firing::{firings, found_in};
use crate::watch::limits::{is_set_on, near, reached};
use crate::watch::ticks::Sum;
use crate::watch::watched_run::WatchedRun;
use crate::watch::windows::{ALONE, USED, Window};

/// Queue below which a device is calm, if its latencies are those without a queue.
const CALM: f64 = 2.0;
/// Ratio of the device's queue to the I/Os that wait below which they wait elsewhere.
const QUEUE_SHARE: f64 = 0.3;
/// Multiple of the device's latency above which plimsoll's own I/Os wait above the device.
const OWN_TIMES: f64 = 4.0;
/// Seconds by which plimsoll's own I/Os must also take longer than the device needs for them.
const OWN_LONGER_S: f64 = 0.5e-3;
/// Share of the time taken by the hypervisor above which plimsoll's own load lacked CPU.
const STEAL: f64 = 0.05;
/// Share of the time for which a worker was ready but not running above which plimsoll's own load lacked CPU.
const RUN_DELAY: f64 = 0.25;
/// Fewest intervals from which anything is concluded about the tasks of other programs.
const FEWEST: usize = 5;

/// The application waits while the device is calm: a throttle above the device delays I/O.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThrottledAboveDevice {
    pub device: Place,
    pub waited_ns: Option<f64>,
    pub latency_ns: f64,
    pub queue: f64,
    pub limit: Option<LocalLimit>,
}

impl Kind for ThrottledAboveDevice {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 3, device: highest(&self.device), badness: None, doubt: None, level: false }
    }
}

/// Detects that a limit of this machine holds other programs back while their device is calm. Reported for the device
/// that has the limit, or else for the topmost one in use. That tasks of the machine wait shows nothing by itself: they may
/// wait for other devices.
pub(super) fn waiting_application(
    watch: &WatchedRun<'_>,
    device: &Device<'_>,
) -> Option<FindingOf<ThrottledAboveDevice>> {
    if !topmost(watch, device) {
        return None;
    }
    let time = command_time(watch);
    let wait = |time: &CommandTime| {
        time.long_waits().find(|wait| wait.place.name == device.place.name).map(|wait| wait.share)
    };
    let waited = time.as_ref().and_then(wait);
    let at_limit = |window: &Window| {
        let busy = window.sum.mean_busy();
        // The device was idle for most of the waits: of the command, which are counted, or else of any task.
        let in_front = match waited {
            Some(waited) => busy * 2.0 < waited,
            None => time.is_none() && busy + QUIET < window.waited,
        };
        let reached = || reached(watch, device, window).filter(|_| calm(device, window));
        if in_front { near(watch, device, window).or_else(reached) } else { reached() }
    };
    let held = device.windows_where(|window| {
        let someone = watch.spans[window.span].step.is_none() && window.count() >= FEWEST;
        let elsewhere = window.sum.mean_queue() < *ALONE.start() && window.sum.rate() >= USED;
        someone && elsewhere && at_limit(window).is_some()
    });
    let limit = held.iter().find_map(|&at| at_limit(&device.windows[at]));
    let meaning = meaning(device, &held, limit);
    let sure = if waited.is_some() { Confidence::Certain } else { Confidence::Strong };
    found_in(watch, meaning, &firings(device, &held, |window| window.sum.rate()), sure)
}

/// Detects that plimsoll's own I/Os take far longer than the device needs for them.
pub(super) fn own_load(
    watch: &WatchedRun<'_>,
    device: &Device<'_>,
) -> Option<FindingOf<ThrottledAboveDevice>> {
    if watch.load_device.as_deref() != Some(&device.place.name) {
        return None;
    }
    let waited = |window: &Window| {
        let load = watch.spans[window.span].load.as_ref()?;
        Some((load.all.issued.mean_ns? / 1e9, load.in_flight))
    };
    // The figures of plimsoll's own load cover the whole phase, so they are compared with the whole phase.
    let phases: Vec<Sum> = device.sums(watch);
    let held = device.windows_where(|window| {
        let Some((own, in_flight)) = waited(window) else { return false };
        let phase = &phases[window.span];
        let device_s = phase.latency();
        let longer = own > OWN_TIMES * device_s && own > device_s + OWN_LONGER_S;
        let elsewhere = phase.mean_queue().max(window.sum.mean_queue()) < QUEUE_SHARE * in_flight;
        let whole = whole_requests(watch, device, window);
        longer && elsewhere && calm(device, window) && whole && !starved(watch, window)
    });
    let limit = held.iter().find_map(|&at| near(watch, device, &device.windows[at]));
    let own: Vec<f64> =
        held.iter().filter_map(|&at| waited(&device.windows[at])).map(|own| own.0 * 1e9).collect();
    let mean = own.iter().sum::<f64>() / own.len().max(1) as f64;
    let meaning = ThrottledAboveDevice { waited_ns: Some(mean), ..meaning(device, &held, limit) };
    let sure = if limit.is_some() { Confidence::Certain } else { Confidence::Strong };
    found_in(watch, meaning, &firings(device, &held, |window| window.sum.rate()), sure)
}

fn meaning(device: &Device<'_>, held: &[usize], limit: Option<&LocalLimit>) -> ThrottledAboveDevice {
    let sum = device.total(held);
    ThrottledAboveDevice {
        device: device.place.clone(),
        waited_ns: None,
        latency_ns: sum.latency() * 1e9,
        queue: sum.mean_queue(),
        limit: limit.cloned(),
    }
}

/// Whether the device has hardly a queue, and no I/O waits in it.
fn calm(device: &Device<'_>, window: &Window) -> bool {
    window.sum.mean_queue() < CALM && device.waited(window) != Some(true)
}

/// Whether requests reach the device as issued: if the kernel splits one, the device counts its pieces.
fn whole_requests(watch: &WatchedRun<'_>, device: &Device<'_>, window: &Window) -> bool {
    let longest = device.node.map_or(0, |node| node.facts.request_max.0);
    let step = watch.spans[window.span].step;
    let block = step.and_then(|step| step.plan.workers.iter().map(|worker| worker.blocks.longest().0).max());
    longest == 0 || block.is_none_or(|block| block <= longest)
}

/// Whether plimsoll's own load lacked CPU.
fn starved(watch: &WatchedRun<'_>, window: &Window) -> bool {
    let Some(step) = watch.spans[window.span].step else { return false };
    let wall = step.ended.since(step.counted_from).0 as f64;
    let waited = step.workers.iter().map(|worker| worker.run_delay_ns as f64 / wall).fold(0.0, f64::max);
    window.steal > STEAL || waited > RUN_DELAY
}

/// Whether a limit is set on the device, or no other sampled device is stacked on it.
fn topmost(watch: &WatchedRun<'_>, device: &Device<'_>) -> bool {
    let stands_on = |node: &DeviceNode| node.below.contains(&device.place.name);
    is_set_on(watch.run, device) || !watch.run.devices.iter().any(stands_on)
}
