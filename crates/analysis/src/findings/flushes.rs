//! Flushes that somebody waits for most of the time (R15).

use serde::{Deserialize, Serialize};

use crate::finding::{Confidence, Found, Kind, Nature, OfDevice};
use crate::watch::{Device, Place, WatchedRun, Way, firings, found_in, known};

/// Flushes that programs wait for fill this share of the time (R15),
const FLUSHING: f64 = 0.5;
/// are at least so many a second,
const PER_SECOND: f64 = 5.0;
/// and are more than this share of the writes,
const PER_WRITE: f64 = 0.2;
/// or take so many times as long as one.
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
        let device = OfDevice::highest(&self.device);
        Nature { weight: 5, device, badness: None, doubt: None, is_level: false }
    }
}

/// Windows in which it is so.
pub(super) fn rule(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<Found<FlushBound>> {
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
