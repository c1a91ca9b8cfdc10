//! Writes that wait in memory for a device that takes them slowly (R17).

use serde::{Deserialize, Serialize};

use crate::device_place::Place;
use crate::finding::{Confidence, FindingOf, Kind, Nature, lowest};
use crate::watch::device::Device;
use crate::watch::firing::{firings, found_in};
use crate::watch::pressed::BusyWindow;
use crate::watch::shape::Waiting;
use crate::watch::ticks::Way;
use crate::watch::watched_run::WatchedRun;

/// Least mean bytes of memory being written back for that to be the device's work.
const WRITING: f64 = 1048576.0;
/// Least mean bytes of memory waiting to be written.
const WAITING: f64 = 16.0 * 1048576.0;
/// Least share of writes in the bytes of the device.
const WRITES: f64 = 0.9;

/// Written data accumulates in memory, and is written to the device as fast as the device allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WriteBack {
    pub device: Place,
    /// Mean bytes of memory waiting to be written.
    pub dirty: f64,
    pub bytes_per_second: f64,
    pub waiting: Waiting,
}

impl Kind for WriteBack {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 6, device: lowest(&self.device), badness: None, doubt: None, level: false }
    }
}

/// Detects windows in which writes wait in memory.
pub(super) fn rule(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<FindingOf<WriteBack>> {
    let mut dirty = (0.0, 0.0);
    let behind = |at: &usize| {
        let Some(pressed) = BusyWindow::of(watch, device, *at) else { return false };
        let window = &device.windows[*at];
        let written = Way::Write.of(window.sum.bytes) >= WRITES * Way::Both.of(window.sum.bytes);
        let waits = pressed.is_waiting(watch, device) || device.is_held(*at);
        let lies = window.dirty >= WAITING && window.writeback >= WRITING;
        if written && waits && lies {
            dirty = (dirty.0 + window.dirty * window.sum.seconds, dirty.1 + window.sum.seconds);
        }
        written && waits && lies
    };
    let found: Vec<usize> = (0..device.windows.len()).filter(behind).collect();
    let sum = device.total(&found);
    let meaning = WriteBack {
        device: device.place.clone(),
        dirty: dirty.0 / dirty.1,
        bytes_per_second: Way::Write.of(sum.bytes) / sum.seconds,
        waiting: device.waiting(&sum),
    };
    found_in(watch, meaning, &firings(device, &found, |window| window.dirty), Confidence::Likely)
}
