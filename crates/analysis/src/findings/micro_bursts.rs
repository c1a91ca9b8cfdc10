//! Work that comes in bursts shorter than a second and waits in them, while the means of seconds show a calm device (R8).

use serde::{Deserialize, Serialize};
use statistics::quantile::median;

use crate::device_place::Place;
use crate::finding::{Confidence, FindingOf, Kind, Nature, lowest};
use crate::watch::device::{Device, WAITED};
use crate::watch::firing::{firings, found_in};
use crate::watch::ticks::{Sum, Tick};
use crate::watch::watched_run::WatchedRun;

/// Seconds between readings up to which they show a burst from inside.
pub(crate) const FINEST_S: f64 = 0.1;
/// Share of the time above which a device rests between bursts.
const RESTS: f64 = 0.3;
/// Fewest readings in which the device worked all the time.
const FULL: usize = 12;
/// Share of a reading for which the device is busy if it worked all the time.
const BUSY: f64 = 0.95;
/// Least share of all I/Os in these readings.
const SHARE: f64 = 0.2;
/// Least mean queue in these readings; `EACH` is the fewest I/Os per reading.
const QUEUE: f64 = 4.0;
const EACH: f64 = 4.0;
/// Largest mean deviation from the median at which the rate inside is one, as a share; with few I/Os, the root of
/// `EVEN_FANO` over the I/Os of a reading.
const EVEN_SHARE: f64 = 0.1;
const EVEN_FANO: f64 = 0.5;

/// I/Os come in bursts, and wait in them for a rate that the means of seconds do not show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MicroBursts {
    pub device: Place,
    /// Share of the time in which there was work.
    pub busy: f64,
    /// Operations per second over all the time; `inside_per_second` counts only the time with work.
    pub ops_per_second: f64,
    pub inside_per_second: f64,
    pub queue: f64,
    pub latency_ns: f64,
}

impl Kind for MicroBursts {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 5, device: lowest(&self.device), badness: None, doubt: None, level: false }
    }
}

/// Detects bursts inside which the rate is the same again and again.
pub(super) fn rule(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<FindingOf<MicroBursts>> {
    let in_bursts = device.windows_where(|window| {
        let each = window.sum.seconds / window.count() as f64;
        let deep = window.sum.mean_queue() / window.sum.mean_busy() >= QUEUE;
        each <= FINEST_S && window.sum.mean_busy() < 1.0 - RESTS && deep
    });
    let all = device.total(&in_bursts);
    let full: Vec<&Tick> =
        in_bursts.iter().flat_map(|&at| full(device.within(&device.windows[at]))).collect();
    let mut inside = Sum::default();
    full.iter().for_each(|tick| inside.add(tick, 1.0));
    let counts: Vec<f64> = full.iter().map(|tick| tick.all() / tick.seconds).collect();
    let usual = median(&counts)?;
    let spread = counts.iter().map(|rate| (rate - usual).abs()).sum::<f64>() / counts.len() as f64;
    let each = usual * inside.seconds / counts.len() as f64;
    let even = spread / usual <= EVEN_SHARE.max((EVEN_FANO / each).sqrt());
    let share = (inside.ops[0] + inside.ops[1]) / (all.ops[0] + all.ops[1]);
    let waits = device.base.both.is_none_or(|base| all.latency() > WAITED * base);
    let told = counts.len() >= FULL && share >= SHARE && each >= EACH && inside.mean_queue() >= QUEUE;
    let meaning = MicroBursts {
        device: device.place.clone(),
        busy: all.mean_busy(),
        ops_per_second: all.rate(),
        inside_per_second: usual,
        queue: inside.mean_queue(),
        latency_ns: all.latency() * 1e9,
    };
    let firings = firings(device, &in_bursts, |window| window.sum.mean_queue());
    found_in(watch, meaning, &firings, Confidence::Likely).filter(|_| told && even && waits)
}

/// Returns the readings with work from beginning to end.
fn full(ticks: &[Tick]) -> impl Iterator<Item = &Tick> {
    let inside = |pair: &&[Tick]| {
        pair[0].in_flight > 0.0 && pair[1].in_flight > 0.0 && pair[1].busy >= BUSY && pair[1].all() > 0.0
    };
    ticks.windows(2).filter(inside).map(|pair| &pair[1])
}
