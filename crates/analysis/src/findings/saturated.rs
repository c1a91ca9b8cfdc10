//! A device with more I/O than it serves, for an unknown cause: neither an even rate nor another time to compare with.

use serde::{Deserialize, Serialize};
use statistics::metered::metered;

use crate::device_place::Place;
use crate::finding::{Confidence, FindingOf, Kind, Nature, lowest};
use crate::watch::counts::counts;
use crate::watch::device::Device;
use crate::watch::firing::{firings, found_in};
use crate::watch::pressed::BusyWindow;
use crate::watch::shape::Waiting;
use crate::watch::ticks::Tick;
use crate::watch::watched_run::WatchedRun;

/// Share of the time for which a saturated device is busy.
const BUSY: f64 = 0.95;
/// Least total seconds of saturation.
const LASTS_S: f64 = 5.0;
/// Queue below which I/Os run one at a time: only their own program waits.
const QUEUED: f64 = 1.5;

/// A device gets more I/O than it serves, for an unknown cause. `uneven`: variance over mean of its counts, at the
/// greatest length that gives one; for a meter it would fall to nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saturated {
    pub device: Place,
    pub ops_per_second: f64,
    pub bytes_per_second: f64,
    pub waiting: Waiting,
    pub uneven: Option<f64>,
}

impl Kind for Saturated {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 5, device: lowest(&self.device), badness: None, doubt: None, level: false }
    }
}

/// Detects windows with a saturated device that no other rule explains.
pub(super) fn rule(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<FindingOf<Saturated>> {
    let open = |at: &usize| !device.is_held(*at) && !device.slow.contains(at) && !device.told.contains(at);
    let saturated = |at: usize| {
        let pressed = BusyWindow::of(watch, device, at)?;
        let sum = &pressed.window.sum;
        let full = sum.mean_busy() >= BUSY && sum.mean_queue() >= QUEUED;
        (full && pressed.is_waiting(watch, device)).then_some(at)
    };
    let found: Vec<usize> = (0..device.windows.len()).filter(open).filter_map(saturated).collect();
    let sum = device.total(&found);
    let longest = found.iter().copied().max_by_key(|&at| device.windows[at].count())?;
    let counts = counts(device.within(&device.windows[longest]), Tick::all);
    let meaning = Saturated {
        device: device.place.clone(),
        ops_per_second: sum.rate(),
        bytes_per_second: (sum.bytes[0] + sum.bytes[1]) / sum.seconds,
        waiting: device.waiting(&sum),
        uneven: metered(&[counts]).fano.last().map(|(_, fano)| *fano),
    };
    let firings = firings(device, &found, |window| window.sum.mean_queue());
    found_in(watch, meaning, &firings, Confidence::Likely).filter(|_| sum.seconds >= LASTS_S)
}
