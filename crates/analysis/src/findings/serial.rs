//! An application that has one I/O in flight at a time (R2).

use serde::{Deserialize, Serialize};

use super::held::{alone, declared_figure};
use crate::device_place::Place;
use crate::finding::{Confidence, FindingOf, Kind, Nature, highest};
use crate::watch::device::Device;
use crate::watch::firing::{firings, found_in};
use crate::watch::watched_run::WatchedRun;
use crate::watch::windows::Window;

/// Share of the device's capability below which the rate is the application's own.
const SHARE: f64 = 0.5;

/// One I/O at a time: the rate is one over the latency; `cap` is the highest limited rate seen on the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SerialApplication {
    pub device: Place,
    pub ops_per_second: f64,
    pub latency_ns: f64,
    pub cap: Option<f64>,
}

impl Kind for SerialApplication {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 6, device: highest(&self.device), badness: None, doubt: None, level: false }
    }
}

/// Detects windows with a queue of one, never two in flight, and I/Os that need not wait. If the rate is that of a
/// limit, the limit is reported (R2b), not the application.
pub(super) fn rule(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<FindingOf<SerialApplication>> {
    let can = device.cap.or_else(|| {
        let limits = watch.limits?;
        limits.enforced_iops(workload::Direction::Read).map(|rate| rate.0)
    });
    let free = |window: &Window| {
        device.waited(window) != Some(true) && can.is_none_or(|can| window.sum.rate() < SHARE * can)
    };
    let own = |at: &usize| {
        !device.is_held(*at) && free(&device.windows[*at]) && declared_figure(watch, device, *at).is_none()
    };
    let alone: Vec<usize> = alone(watch, device).into_iter().filter(own).collect();
    let sum = device.total(&alone);
    let meaning = SerialApplication {
        device: device.place.clone(),
        ops_per_second: sum.rate(),
        latency_ns: sum.latency() * 1e9,
        // The measured cap; a policy's figure is only a promise.
        cap: device.cap,
    };
    let sure = match device.windows.iter().all(|window| window.alone.is_nan()) {
        true => Confidence::Possible,
        false => Confidence::Likely,
    };
    found_in(watch, meaning, &firings(device, &alone, |window| window.sum.rate()), sure)
}
