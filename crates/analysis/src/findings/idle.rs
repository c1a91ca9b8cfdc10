//! Storage is not the limit (R1): even the busiest device rests.

use record::DeviceKind;
use serde::{Deserialize, Serialize};

use crate::finding::{Confidence, Found, Kind, Nature, highest};
use crate::watch::limits::reached;
use crate::watch::{Device, Firing, Place, WatchedRun, Window, firings, found_in, known};

/// Storage that is idle has a queue below this (R1),
const QUEUE: f64 = 1.0;
/// nothing in flight in more than this share of the samples, or work for less than this share of the time,
const SAMPLES: f64 = 0.5;
const BUSY: f64 = 0.1;
/// and tasks that wait for I/O for less than this share of the time.
const WAITING: f64 = 0.05;
/// Somebody waited for I/O: for this share of the time,
const WAITED_SHARE: f64 = 0.01;
/// or so many tasks in the mean.
const WAITED_TASKS: f64 = 0.1;
/// The machine is called idle where it is for this share of the time.
const SHARE: f64 = 0.9;
/// Fewer intervals say little.
const FEWEST: usize = 5;

/// Nothing waited for the storage: its busiest device had nothing in flight for `idle_share` of the time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StorageIdle {
    pub device: Place,
    pub idle_share: f64,
    pub ops_per_second: f64,
    pub queue: f64,
    pub waiting_share: Option<f64>,
    /// Loop and memory devices that were not watched although somebody waited for I/O.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwatched: Vec<String>,
}

impl Kind for StorageIdle {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 7, device: highest(&self.device), badness: None, doubt: None, level: false }
    }
}

/// What the idlest look at a machine knows of one device.
#[derive(Clone, Debug)]
pub(crate) struct Rested {
    place: Place,
    /// Seconds in which it rested, of all in which an application might have used it.
    rested: f64,
    seen: f64,
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
pub(crate) fn rested(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<Rested> {
    let seen = device.windows_where(|window| watch.passive() && window.sum.mean_queue().is_finite());
    let count: usize = seen.iter().map(|&at| device.windows[at].count()).sum();
    // Where devices were left out, whoever waited may have waited for one of them.
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
    (count >= FEWEST).then(|| Rested {
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

/// Whether every device rested in nine of ten windows; told of the busiest.
pub(super) fn rule(watch: &WatchedRun<'_>, rests: &[Rested]) -> Option<Found<StorageIdle>> {
    let busiest = rests.iter().min_by(|a, b| a.idle.total_cmp(&b.idle))?;
    let rested = |rest: &Rested| !rest.limited && rest.rested >= SHARE * rest.seen;
    let waited = busiest.some.is_some_and(|some| some > WAITED_SHARE)
        || busiest.blocked.is_some_and(|tasks| tasks > WAITED_TASKS);
    let meaning = StorageIdle {
        device: busiest.place.clone(),
        idle_share: busiest.idle.clamp(0.0, 1.0),
        ops_per_second: busiest.rate,
        queue: busiest.queue,
        waiting_share: busiest.some,
        unwatched: if waited { unwatched(watch) } else { Vec::new() },
    };
    found_in(watch, meaning, &busiest.firings, Confidence::Certain).filter(|_| rests.iter().all(rested))
}

/// Devices of this machine that were left out of the watch, whatever they are; partitions and layers stand on others.
fn unseen<'w>(watch: &'w WatchedRun<'_>) -> Vec<&'w str> {
    let names =
        watch.run.devices.iter().filter(|node| node.below.is_empty()).map(|node| node.facts.name.as_str());
    names.filter(|name| !watch.recording.devices().contains(name)).collect()
}

/// Loop and memory devices of this machine that were left out of the watch.
pub(super) fn unwatched(watch: &WatchedRun<'_>) -> Vec<String> {
    let names = watch.run.devices.iter().map(|node| (&node.facts.name, &node.kind));
    let left_out = names.filter(|(name, kind)| {
        let of_memory = matches!(kind, DeviceKind::Loop | DeviceKind::Zram) || name.starts_with("ram");
        of_memory && !watch.recording.devices().contains(&name.as_str())
    });
    left_out.map(|(name, _)| name.clone()).collect()
}
