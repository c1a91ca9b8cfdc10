//! A full queue of the guest itself (R20): I/O that waits above it is not in the device's counters.

use serde::{Deserialize, Serialize};

use crate::device_place::Place;
use crate::finding::{Confidence, FindingOf, Kind, Nature, lowest};
use crate::watch::device::Device;
use crate::watch::firing::{firings, found_in};
use crate::watch::shape::Waiting;
use crate::watch::watched_run::WatchedRun;

/// Least share of the queue's capacity at which it is full.
const FULL: f64 = 0.95;
/// Multiple of the queue's capacity above which plimsoll's own load exceeds it.
const DEEPER: f64 = 1.1;

/// The guest's own queue is full: I/O that waits above it is not visible below.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueFull {
    pub device: Place,
    pub holds: u32,
    pub waiting: Waiting,
}

impl Kind for QueueFull {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 6, device: lowest(&self.device), badness: None, doubt: None, level: false }
    }
}

/// Detects windows with a full queue. A load of plimsoll's own that just fills the queue does not wait above it.
pub(super) fn rule(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<FindingOf<QueueFull>> {
    let holds = device.node.map(|node| node.facts.queue_requests).filter(|requests| *requests > 1)?;
    let full = device.windows_where(|window| {
        let step = device.own_step(watch, window);
        let depth: Option<u32> = step.map(|step| step.plan.workers.iter().map(|worker| worker.depth).sum());
        window.sum.mean_queue() >= FULL * f64::from(holds)
            && device.waited(window) != Some(false)
            && depth.is_none_or(|depth| f64::from(depth) > DEEPER * f64::from(holds))
    });
    let waiting = device.waiting(&device.total(&full));
    let meaning = QueueFull { device: device.place.clone(), holds, waiting };
    found_in(watch, meaning, &firings(device, &full, |window| window.sum.mean_queue()), Confidence::Likely)
}
