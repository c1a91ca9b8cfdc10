//! Flushes that programs wait for most of the time (R15).

use serde::{Deserialize, Serialize};

use crate::device_place::Place;
use crate::finding::{Confidence, FindingOf, Kind, Nature, highest};
use crate::watch::device::Device;
use crate::watch::firing::{firings, found_in};
use crate::watch::ticks::{Way, known};
use crate::watch::watched_run::WatchedRun;

/// Share of the time above which waits for flushes fill it (R15).
const FLUSHING: f64 = 0.5;
/// Fewest flushes per second.
const PER_SECOND: f64 = 5.0;
/// Share of the writes above which flushes are many.
const PER_WRITE: f64 = 0.2;
/// Multiple of a write's latency above which a flush is slow.
const OVER_WRITE: f64 = 5.0;

/// Programs wait for flushes more than for their writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlushBound {
    pub device: Place,
    pub flushes_per_second: f64,
    pub flush_ns: f64,
    pub write_ns: Option<f64>,
    pub share: f64,
}

impl Kind for FlushBound {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 5, device: highest(&self.device), badness: None, doubt: None, level: false }
    }
}

/// Detects windows in which programs wait for flushes.
pub(super) fn rule(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<FindingOf<FlushBound>> {
    let bound = device.windows_where(|window| {
        let sum = &window.sum;
        let slow = sum.flush_wait / sum.flushes > OVER_WRITE * sum.latency_of(Way::Write);
        let many = sum.flushes > PER_WRITE * Way::Write.of(sum.ops);
        sum.flush_wait / sum.seconds > FLUSHING && sum.flushes / sum.seconds >= PER_SECOND && (slow || many)
    });
    let sum = device.total(&bound);
    let meaning = FlushBound {
        device: device.place.clone(),
        flushes_per_second: sum.flushes / sum.seconds,
        flush_ns: sum.flush_wait / sum.flushes * 1e9,
        write_ns: known(sum.latency_of(Way::Write) * 1e9),
        share: sum.flush_wait / sum.seconds,
    };
    found_in(watch, meaning, &firings(device, &bound, |window| window.sum.flush_wait), Confidence::Likely)
}
