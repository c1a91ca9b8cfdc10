//! `plimsoll burst` on volumes of other makes: QEMU's throttle groups, whose bucket is known, in one run, killed and
//! resumed, and stopped at any second; and a lab volume whose credits drain faster. Needs root.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::machine::*;

/// Operations a second that are left after the burst, and those that pass during it.
const BASE: f64 = 500.0;
const BURST: f64 = 1_500.0;
/// Largest accepted error of a figure, as a share.
const NEAR: f64 = 0.03;
/// Size of the stored file in MiB.
const STORED_MIB: usize = 128;
/// Most tries, because the machine may be too busy to sustain the burst.
const TRIES: usize = 3;

/// A loop device over a file behind a throttle group that passes 1,500 operations a second for `length_s`, and 500
/// when these are spent.
///
/// QEMU's bucket leaks: it holds what passes at the burst rate in `length_s`, and drains at the base rate meanwhile,
/// so that a burst takes `BURST × length_s` above the base and lasts longer than `length_s` (QEMU,
/// docs/throttle.txt).
struct Volume {
    device: LoopOver,
    _throttled: QemuThrottle,
    held: f64,
}

impl Volume {
    fn or_skip(length_s: u64) -> Option<Volume> {
        let limits = [
            ("iops-total", BASE as u64),
            ("iops-total-max", BURST as u64),
            ("iops-total-max-length", length_s),
        ];
        let throttled = QemuThrottle::or_skip(STORED_MIB, &limits)?;
        let device = LoopOver::or_skip(throttled.path(), Through::Direct)?;
        Some(Volume { device, _throttled: throttled, held: BURST * length_s as f64 })
    }

    fn node(&self) -> String {
        text(self.device.path())
    }
}

/// Describes how the answer misses the truth; empty if it does not.
fn misses(document: &Value, truth: [f64; 4]) -> Vec<String> {
    let part = &document["answered"]["parts"][0];
    let told = [&part["burst"], &part["base"], &part["held"]["amount"], &part["refill"]];
    let names = ["burst", "base", "bucket", "refill"];
    let each = names.into_iter().zip(told).zip(truth);
    let near =
        |told: &Value, truth: f64| (told["value"].as_f64().unwrap_or(f64::NAN) / truth - 1.0).abs() <= NEAR;
    let missed = each.filter(|((_, told), truth)| !near(told, *truth));
    let mut missed: Vec<String> =
        missed.map(|((name, told), truth)| format!("{name}: {told} of {truth}")).collect();
    if part["ends"] != "usage" {
        missed.push(format!("ended by {}", part["ends"]));
    }
    missed
}

/// Drains `target` until the answer is right, a few times at most.
fn assert_told(target: &str, truth: [f64; 4], policy: &[&str]) {
    let neighbours = Neighbours::watch();
    let mut missed = Vec::new();
    for number in 1..=TRIES {
        let folder = Folder::new();
        let fixed = ["burst", target, "--of", "operations", "--yes", "--format", "json", "--out", "@/out"];
        let ended = ended(&mut folder.plimsoll(&[&fixed, policy].concat()));
        missed = misses(&ended.json(), truth);
        eprintln!("{target}, try {number}: {:?} {missed:#?}", ended.code);
        if missed.is_empty() {
            return;
        }
    }
    neighbours.excuse_or_fail(format!("{target}: {missed:#?}"));
}

fn qemu(length_s: u64) {
    let Some(volume) = Volume::or_skip(length_s) else { return };
    assert_told(&volume.node(), [BURST, BASE, volume.held, BASE], &["--time", "5m"]);
}

#[test]
#[ignore = "night: real seconds of a throttle"]
fn a_bucket_of_qemu_is_found() {
    qemu(5);
}

#[test]
#[ignore = "night: drains of two to five minutes"]
fn buckets_of_qemu_for_15_to_60_seconds_are_found() {
    [15, 30, 60].into_iter().for_each(qemu);
}

#[test]
#[ignore = "night: a drain of four minutes"]
fn a_lab_volume_begins_with_all_its_credits() {
    if !root_or_skip("a throttled volume") {
        return;
    }
    let truth = [3_000.0, 300.0, 54_000.0, 300.0];
    assert_told("lab:aws-gp2,size=100GiB,speed=100", truth, &[]);
}

/// Killed in the drain, in a rest and in the look after it, and resumed some time later.
#[test]
#[ignore = "night: three drains of two minutes"]
fn a_run_that_was_killed_goes_on_to_the_same_answer() {
    for (seconds, away_s) in [(12, 5), (45, 10), (64, 20)] {
        let Some(volume) = Volume::or_skip(15) else { return };
        let neighbours = Neighbours::watch();
        let folder = Folder::new();
        let node = volume.node();
        let words = ["burst", &node, "--of", "operations", "--time", "5m", "--yes", "--out", "@/out"];
        let running = Running::start(&mut folder.plimsoll(&words));
        std::thread::sleep(Duration::from_secs(seconds));
        running.signal("KILL");
        running.wait();
        std::thread::sleep(Duration::from_secs(away_s));
        let first = run_file(&folder.path("out"));
        let words = ["burst", "--resume", &first, "--yes", "--format", "json", "--out", "@/again"];
        let ended = ended(&mut folder.plimsoll(&words));
        let missed = misses(&ended.json(), [BURST, BASE, volume.held, BASE]);
        eprintln!("killed after {seconds} s: {:?} {missed:#?}", ended.code);
        if !missed.is_empty() {
            neighbours.excuse_or_fail(format!("killed after {seconds} s: {missed:#?} {}", ended.err));
        }
    }
}

/// Stopped in the look, in the drain, in a rest, in what follows it, and at half the excess.
#[test]
#[ignore = "night: five moments of one drain"]
fn stopped_at_any_second_it_says_what_is_known_and_how_to_go_on() {
    for seconds in [2, 7, 22, 30, 50] {
        let Some(volume) = Volume::or_skip(5) else { return };
        let folder = Folder::new();
        let node = volume.node();
        let words = ["burst", &node, "--of", "operations", "--time", "5m", "--yes", "--out", "@/out"];
        let running = Running::start(&mut folder.plimsoll(&words));
        std::thread::sleep(Duration::from_secs(seconds));
        running.signal("INT");
        let ended = running.wait();
        assert_eq!(ended.code, Some(130), "after {seconds} s: {}", ended.err);
        assert!(ended.out.contains("was stopped before it was done"), "after {seconds} s: {}", ended.out);
        assert!(ended.err.contains("plimsoll burst --resume"), "after {seconds} s: {}", ended.err);
        let run = run_file(&folder.path("out"));
        assert!(runfile::read(Path::new(&run)).unwrap().complete, "after {seconds} s");
    }
}
