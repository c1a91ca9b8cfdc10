//! Limits that this machine sets itself, and whether a rate reaches them.

use record::{LocalLimit, Run};

use super::device::Device;
use super::ticks::Tick;
use super::watched_run::{WatchedRun, place};
use super::windows::{USED, Window};
use crate::device_place::Place;

/// Least share of a limit at which a rate counts as at the limit while tasks wait.
const AT_LIMIT: f64 = 0.9;
/// Share of a limit within which a rate by itself shows that the limit is reached.
const REACHED_SHARE: f64 = 0.03;
/// Distance from a limit, in operations or bytes per second, within which a rate also shows that the limit is reached.
const REACHED_PER_SECOND: f64 = 1.0;
/// Fewest intervals at a limit for it to be reached.
const REACHED_INTERVALS: usize = 5;
/// Least share of the intervals with I/O that must be at the limit.
const REACHED_OFTEN: f64 = 0.5;

/// Whether a limit is set on the device or on one below it.
pub(crate) fn concerns(place: &Place, limit: &LocalLimit) -> bool {
    limit.device == place.name || place.stands_on(&limit.device)
}

/// Returns the count that `limit` applies to, from operations, merged ones and bytes. The block controller counts requests as
/// they are issued, before neighbours are merged.
fn limited(limit: &LocalLimit, [ops, merged, bytes]: [[f64; 2]; 3]) -> f64 {
    match limit.what.as_str() {
        "riops" => ops[0] + merged[0],
        "wiops" => ops[1] + merged[1],
        "rbps" => bytes[0],
        _ => bytes[1],
    }
}

/// Returns the limit of this machine that the rate of a window comes near, and does not exceed, as it would if most of it were
/// of programs that the limit is not set for.
pub(crate) fn near<'s>(
    watch: &WatchedRun<'s>,
    device: &Device<'_>,
    window: &Window,
) -> Option<&'s LocalLimit> {
    let sum = &window.sum;
    let at = |limit: &&LocalLimit| {
        let done = limited(limit, [sum.ops, sum.merged, sum.bytes]) / sum.seconds;
        let value = limit.value as f64;
        concerns(&device.place, limit) && (AT_LIMIT * value..=(2.0 - AT_LIMIT) * value).contains(&done)
    };
    watch.run.limits.iter().find(at)
}

/// Returns the limit of this machine at which the rate of a window stays while the device is used: one on the
/// device, on one below it, or on one above it that was not watched.
pub(crate) fn reached<'s>(
    watch: &WatchedRun<'s>,
    device: &Device<'_>,
    window: &Window,
) -> Option<&'s LocalLimit> {
    let used: Vec<&Tick> =
        device.within(window).iter().filter(|tick| tick.all() >= USED * tick.seconds).collect();
    let at = |limit: &LocalLimit| {
        let value = limit.value as f64;
        let near = |tick: &&&Tick| {
            let off = limited(limit, [tick.ops, tick.merged, tick.bytes]) / tick.seconds - value;
            off.abs() <= (REACHED_SHARE * value).max(REACHED_PER_SECOND)
        };
        let count = used.iter().filter(near).count();
        count >= REACHED_INTERVALS && count as f64 >= REACHED_OFTEN * used.len() as f64
    };
    watch.run.limits.iter().find(|limit| holds(watch, device, limit) && at(limit))
}

fn holds(watch: &WatchedRun<'_>, device: &Device<'_>, limit: &LocalLimit) -> bool {
    let unseen = !watch.recording.devices().contains(&limit.device.as_str());
    concerns(&device.place, limit) || unseen && place(watch.run, &limit.device).stands_on(&device.place.name)
}

/// Whether a limit is set on the device itself.
pub(crate) fn is_set_on(run: &Run, device: &Device<'_>) -> bool {
    run.limits.iter().any(|limit| limit.device == device.place.name)
}
