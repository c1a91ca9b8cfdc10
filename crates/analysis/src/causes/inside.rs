//! Limits of the machine itself: those of control groups, and the capacity of a device's queue.

use record::LocalLimit;
use workload::Direction;

use super::alike::SAME;
use super::cause::LevelUnit;
use super::way::Way;

/// Greatest distance, as a share, of the rate from that of a full queue at the base latency for the queue to limit it.
const NEAR: f64 = 0.1;

/// Returns the limit of this machine that `level` equals.
pub(super) fn local_limit(way: &Way<'_>, counted: LevelUnit, level: f64) -> Option<LocalLimit> {
    let what = match (way.direction, counted) {
        (Direction::Read, LevelUnit::Operations) => "riops",
        (Direction::Read, LevelUnit::Bytes) => "rbps",
        (_, LevelUnit::Operations) => "wiops",
        (_, LevelUnit::Bytes) => "wbps",
    };
    let on = |name: &String| {
        let target = way.run.target.iter().flat_map(|target| &target.devices);
        target.into_iter().any(|device| device.name == *name)
    };
    let near = |limit: &&LocalLimit| (level / limit.value as f64 - 1.0).abs() <= SAME;
    way.run.limits.iter().filter(|limit| limit.what == what && on(&limit.device)).find(near).cloned()
}

/// Returns the device whose queue has room for fewer requests than `depth`, if these give `level` at the base latency.
pub(super) fn queue(way: &Way<'_>, level: f64, depth: u32) -> Option<(String, u32)> {
    let base_s = way.base_ns? / 1e9;
    let full = |requests: u32| {
        requests > 0 && requests < depth && (level * base_s / f64::from(requests) - 1.0).abs() <= NEAR
    };
    let devices = way.run.target.iter().flat_map(|target| &target.devices);
    let found = devices.into_iter().find(|device| full(device.queue_requests))?;
    Some((found.name.clone(), found.queue_requests))
}
