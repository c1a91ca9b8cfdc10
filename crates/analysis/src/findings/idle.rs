//! Storage that is not the limit (R1): even the busiest device rests.

use record::DeviceKind;
use serde::{Deserialize, Serialize};

use crate::device_place::Place;
use crate::finding::{Confidence, FindingOf, Kind, Nature, highest};
use crate::watch::device::Device;
use crate::watch::firing::{Firing, firings, found_in};
use crate::watch::limits::reached;
use crate::watch::ticks::known;
use crate::watch::watched_run::WatchedRun;
use crate::watch::windows::Window;

/// Queue below which a device may be idle (R1).
const QUEUE: f64 = 1.0;
/// Share of samples with nothing in flight above which a device rests; busy for less than `BUSY`, it rests too.
const SAMPLES: f64 = 0.5;
const BUSY: f64 = 0.1;
/// Share of the time for which tasks wait for I/O below which a device may be resting.
const WAITING: f64 = 0.05;
/// Share of the time for which tasks wait for I/O above which some program waited.
const WAITED_SHARE: f64 = 0.01;
/// Mean number of waiting tasks above which some program waited for I/O.
const WAITED_TASKS: f64 = 0.1;
/// Share of the time for which every device must rest.
const SHARE: f64 = 0.9;
/// Fewest intervals from which anything is concluded.
const FEWEST: usize = 5;

/// Nothing waited for the storage: its busiest device had nothing in flight for `idle_share` of the time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StorageIdle {
    pub device: Place,
    pub idle_share: f64,
    pub ops_per_second: f64,
    pub queue: f64,
    /// Loop and memory devices that were not watched although some program waited for I/O.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwatched: Vec<String>,
}

impl Kind for StorageIdle {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 7, device: highest(&self.device), badness: None, doubt: None, level: false }
    }
}

/// Figures of the rule for one device.
#[derive(Clone, Debug)]
pub(crate) struct DeviceRest {
    place: Place,
    /// Seconds in which the device rested, of the `seen` seconds in which an application might have used it.
    rested: f64,
    seen: f64,
    idle: f64,
    rate: f64,
    queue: f64,
    some: Option<f64>,
    blocked: Option<f64>,
    /// Whether a limit of this machine is reached: I/O that waits for the limit is not seen at the device.
    limited: bool,
    firings: Vec<Firing>,
}

/// Returns how much `device` rested while only other programs' I/O was watched; `None` if too little was seen.
pub(crate) fn rested(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<DeviceRest> {
    let seen = device.windows_where(|window| watch.passive() && window.sum.mean_queue().is_finite());
    let count: usize = seen.iter().map(|&at| device.windows[at].count()).sum();
    // If devices were left out, a task may have waited for one of them.
    let all_watched = unseen(watch).is_empty();
    let resting = |at: &usize| {
        let window = &device.windows[*at];
        let waited = all_watched && window.some >= WAITING;
        let rests = window.idle > SAMPLES || window.sum.mean_busy() < BUSY;
        window.sum.mean_queue() < QUEUE && rests && !waited
    };
    let rested: Vec<usize> = seen.iter().copied().filter(resting).collect();
    let sum = device.total(&seen);
    let seconds = |windows: &[usize]| device.total(windows).seconds;
    let mean = |of: fn(&Window) -> f64| {
        let each = |&at: &usize| of(&device.windows[at]) * device.windows[at].sum.seconds;
        seen.iter().map(each).sum::<f64>() / sum.seconds
    };
    (count >= FEWEST).then(|| DeviceRest {
        place: device.place.clone(),
        rested: seconds(&rested),
        seen: seconds(&seen),
        idle: mean(|window| window.idle),
        rate: sum.rate(),
        queue: sum.mean_queue(),
        some: known(mean(|window| window.some)),
        blocked: known(mean(|window| window.blocked)),
        limited: seen.iter().any(|&at| reached(watch, device, &device.windows[at]).is_some()),
        firings: firings(device, &rested, |_| 1.0),
    })
}

/// Returns the finding if every device rested for `SHARE` of the time; it is reported for the busiest.
pub(super) fn rule(watch: &WatchedRun<'_>, rests: &[DeviceRest]) -> Option<FindingOf<StorageIdle>> {
    let busiest = rests.iter().min_by(|a, b| a.idle.total_cmp(&b.idle))?;
    let rested = |rest: &DeviceRest| !rest.limited && rest.rested >= SHARE * rest.seen;
    let waited = busiest.some.is_some_and(|some| some > WAITED_SHARE)
        || busiest.blocked.is_some_and(|tasks| tasks > WAITED_TASKS);
    let meaning = StorageIdle {
        device: busiest.place.clone(),
        idle_share: busiest.idle.clamp(0.0, 1.0),
        ops_per_second: busiest.rate,
        queue: busiest.queue,
        unwatched: if waited { unwatched(watch) } else { Vec::new() },
    };
    // What nobody waited for is not the limit of anything; whoever waited may have waited for something else.
    let sure = if waited { Confidence::Possible } else { Confidence::Likely };
    found_in(watch, meaning, &busiest.firings, sure).filter(|_| rests.iter().all(rested))
}

/// Returns the devices of this machine outside the watch, except partitions and layers, which are stacked on others.
fn unseen<'w>(watch: &'w WatchedRun<'_>) -> Vec<&'w str> {
    let names =
        watch.run.devices.iter().filter(|node| node.below.is_empty()).map(|node| node.facts.name.as_str());
    names.filter(|name| !watch.recording.devices().contains(name)).collect()
}

/// Returns the loop and memory devices of this machine that were left out of the watch.
fn unwatched(watch: &WatchedRun<'_>) -> Vec<String> {
    let names = watch.run.devices.iter().map(|node| (&node.facts.name, &node.kind));
    let left_out = names.filter(|(name, kind)| {
        let of_memory = matches!(kind, DeviceKind::Loop | DeviceKind::Zram) || name.starts_with("ram");
        of_memory && !watch.recording.devices().contains(&name.as_str())
    });
    left_out.map(|(name, _)| name.clone()).collect()
}
