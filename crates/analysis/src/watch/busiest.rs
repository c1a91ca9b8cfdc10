//! The busiest device of a watch without a command, and who used it (method 12.5).

use record::{ProcessLoad, Run};
use serde::{Deserialize, Serialize};

use super::shape::{DeviceFigures, PhaseFigures};
use super::watched_run::place;
use crate::device_place::Place;

/// Busy share from which a device may be the limit of a program.
const BUSY: f64 = 0.5;
/// Busy share of every device up to which storage is hardly the limit of anything, unless tasks waited for I/O for longer than
/// the busiest device was busy by as much: that is for something that is not watched, or that stands above the devices.
pub(crate) const QUIET: f64 = 0.25;

/// The busiest device of a watch without a command or a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BusiestDevice {
    /// The device.
    pub place: Place,
    /// What its busy share means.
    pub answer: BusyAnswer,
    /// Share of the time in which it was busy.
    pub busy: f64,
    /// Share of the time in which at least one task of the machine waited for I/O; `None` if the kernel does not count it.
    #[serde(default)]
    pub waiting: Option<f64>,
    /// Bytes read a second.
    pub read: f64,
    /// Bytes written a second.
    pub written: f64,
    /// The processes that are known to have used it, those with most bytes first.
    pub used_by: Vec<DeviceUser>,
    /// Whether there were processes that this user may not read.
    pub some_hidden: bool,
}

/// What the busy share of the busiest device means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BusyAnswer {
    /// Busy for half of the time or more.
    Busy,
    /// In use.
    Used,
    /// Hardly in use, and no other device was used more.
    Quiet,
    /// As little in use, and tasks waited for I/O: not for this device or any other that was watched.
    WaitedElsewhere,
}

/// A process that used a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceUser {
    /// Process id.
    pub pid: u32,
    /// Name of the process.
    pub name: String,
    /// Control group; empty for the root group.
    pub group: String,
    /// Share of the bytes of all processes that used the device.
    pub share: f64,
}

/// Returns the busiest device of a phase; `None` if no device's busy time is known. If something held a device back
/// (`held_back`), no device counts as quiet.
pub(crate) fn busiest(run: &Run, phase: &PhaseFigures, held_back: bool) -> Option<BusiestDevice> {
    let known = phase.devices.iter().filter_map(|device| Some((device, device.busy?)));
    // The first of equals, because devices stand after those that they are stacked on.
    let (device, busy) = known.reduce(|most, next| if next.1 > most.1 { next } else { most })?;
    let answer = match busy {
        _ if busy >= BUSY => BusyAnswer::Busy,
        _ if phase.some_waiting.is_some_and(|waiting| waiting > busy + QUIET) => BusyAnswer::WaitedElsewhere,
        _ if phase.some_waiting.is_some_and(|waiting| waiting > QUIET) => BusyAnswer::Used,
        _ if busy <= QUIET && !held_back => BusyAnswer::Quiet,
        _ => BusyAnswer::Used,
    };
    let DeviceFigures { name, read, write, .. } = device;
    let used_by = users(run, name);
    let some_hidden = run.processes.hidden > 0;
    let (place, read, written) = (place(run, name), read.bytes, write.bytes);
    let waiting = phase.some_waiting;
    Some(BusiestDevice { place, answer, busy: busy.min(1.0), waiting, read, written, used_by, some_hidden })
}

/// Returns the processes with files on a device or on one above it, and their shares.
fn users(run: &Run, device: &str) -> Vec<DeviceUser> {
    let uses = |name: &String| name == device || place(run, name).stands_on(device);
    let used: Vec<&ProcessLoad> =
        run.processes.most.iter().filter(|process| process.devices.iter().any(uses)).collect();
    let bytes = |process: &ProcessLoad| (process.read_bytes + process.write_bytes) as f64;
    let all: f64 = used.iter().map(|process| bytes(process)).sum();
    let user = |process: &&ProcessLoad| DeviceUser {
        pid: process.pid,
        name: process.name.clone(),
        group: process.group.clone(),
        share: bytes(process) / all.max(1.0),
    };
    used.iter().map(user).collect()
}
