//! Two loop devices whose I/O passes one limiter: their shared budget is found on real devices.
//!
//! Limits of a group of version 1 apply to each device separately, so the shared one is built below both: QEMU's
//! throttle group in front of one file, or a lab volume, with a loop device on each half.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::Path;

use serde_json::Value;

use crate::machine::*;

/// Size of each half in MiB.
const HALF_MIB: usize = 64;
/// Largest accepted error of a budget, as a share.
const NEAR: f64 = 0.03;

/// Makes a loop device on each half of `below`.
fn halves(below: &Path) -> Option<[LoopOver; 2]> {
    let half = (HALF_MIB << 20).to_string();
    let first = LoopOver::with(below, &["--direct-io=on", "--sizelimit", &half])?;
    let other = LoopOver::with(below, &["--direct-io=on", "--offset", &half])?;
    Some([first, other])
}

/// Checks both together; returns the answer as JSON.
fn answered(folder: &Folder, halves: &[LoopOver; 2]) -> Value {
    let [one, other] = halves.each_ref().map(|half| text(half.path()));
    let words = ["check", &one, &other, "--together", "--format", "json", "--out", "@/out"];
    let ended = ended(&mut folder.plimsoll(&words));
    assert!(matches!(ended.code, Some(0 | 4)), "{:?}: {}", ended.code, ended.err);
    ended.json()["answered"].clone()
}

/// Compares the first budget with `truth` operations a second; a difference is a skip if other programs used the processors.
fn holds(answered: &Value, truth: f64, neighbours: &Neighbours) {
    let budget = &answered["budgets"][0];
    let told = budget["operations"]["value"].as_f64().unwrap_or(f64::NAN);
    eprintln!("{told} of {truth}: {budget}");
    let right = (told / truth - 1.0).abs() <= NEAR && budget["counted"] == "operations";
    if !right {
        neighbours.excuse_or_fail(format!("a budget of {truth}: {answered}"));
    }
}

#[test]
#[ignore = "night: real rates"]
fn two_loops_behind_one_throttle_group_share_its_budget() {
    let folder = Folder::new();
    let neighbours = Neighbours::watch();
    if !root_or_skip("a loop device") {
        return;
    }
    let Some(group) = QemuThrottle::or_skip(2 * HALF_MIB, &[("iops-total", 300)]) else { return };
    let Some(halves) = halves(group.path()) else { return };
    let answered = answered(&folder, &halves);
    holds(&answered, 300.0, &neighbours);
    // Nothing that both rest on is a device of this machine.
    assert!(
        answered["budgets"].as_array().unwrap().iter().all(|budget| budget["standing"] == "machine"),
        "{answered}"
    );
}

#[test]
#[ignore = "night: real rates"]
fn two_loops_on_one_throttled_device_share_what_it_lets_through() {
    let folder = Folder::new();
    let neighbours = Neighbours::watch();
    let Some(up) = LabUp::or_skip(&folder, "custom,iops=1500", "256M") else { return };
    let Some(halves) = halves(Path::new(&up.device)) else { return };
    holds(&answered(&folder, &halves), 1500.0, &neighbours);
}
