//! Work that comes in bursts shorter than a second and waits in them, while the means of seconds show a calm device (R8).

use serde::{Deserialize, Serialize};
use statistics::quantile::median;

use crate::finding::{Confidence, Found, Kind, Nature, lowest};
use crate::watch::{Device, Place, Sum, Tick, WAITED, WatchedRun, firings, found_in};

/// Readings further apart than this, in seconds, show no burst from inside.
pub(crate) const FINEST_S: f64 = 0.1;
/// The device rests for more than this share of the time: else it is no burst.
const RESTS: f64 = 0.3;
/// Readings in which it worked all the time, so many at least,
const FULL: usize = 12;
/// for this share of each,
const BUSY: f64 = 0.95;
/// with this share of all I/Os in them,
const SHARE: f64 = 0.2;
/// of a queue of so many in the mean, of which each did so many.
const QUEUE: f64 = 4.0;
const EACH: f64 = 4.0;
/// The rate inside is one where the counts of such readings vary by no more than this share, or than this times their mean.
const EVEN_SHARE: f64 = 0.1;
const EVEN_FANO: f64 = 0.5;

/// I/Os come in bursts, and wait in them for a rate that the means of seconds do not show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MicroBursts {
    pub device: Place,
    /// Share of the time in which there was work.
    pub busy: f64,
    /// Operations a second over all the time, and while there was work.
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

/// Bursts in whose inside the rate is the same again and again.
pub(super) fn rule(watch: &WatchedRun<'_>, device: &Device<'_>) -> Option<Found<MicroBursts>> {
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

/// Readings from whose beginning to whose end there was work.
fn full(ticks: &[Tick]) -> impl Iterator<Item = &Tick> {
    let inside = |pair: &&[Tick]| {
        pair[0].in_flight > 0.0 && pair[1].in_flight > 0.0 && pair[1].busy >= BUSY && pair[1].all() > 0.0
    };
    ticks.windows(2).filter(inside).map(|pair| &pair[1])
}
