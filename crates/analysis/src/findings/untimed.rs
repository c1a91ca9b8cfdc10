//! A device that is used although the kernel keeps no times for it.

use serde::{Deserialize, Serialize};

use crate::device_place::Place;
use crate::finding::{Confidence, FindingOf, Kind, Layer, Nature, OfDevice};
use crate::watch::device::Device;
use crate::watch::firing::{firings, found_in};
use crate::watch::watched_run::WatchedRun;
use crate::watch::windows::USED;

/// The kernel keeps no times for a device that is used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Untimed {
    pub device: Place,
}

impl Kind for Untimed {
    fn nature(&self) -> Nature<'_> {
        // Nobody waits because of that.
        let device = Some(OfDevice { place: &self.device, layer: Layer::Highest, holds_back: false });
        Nature { weight: 7, device, badness: None, doubt: None, level: false }
    }
}

/// Detects windows in which a device without times is used.
pub(super) fn rule(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<FindingOf<Untimed>> {
    let untimed = device.node.is_some_and(|node| !node.timed);
    let used = device.windows_where(|window| untimed && window.sum.rate() >= USED);
    let meaning = Untimed { device: device.place.clone() };
    found_in(watch, meaning, &firings(device, &used, |window| window.sum.rate()), Confidence::Certain)
}
