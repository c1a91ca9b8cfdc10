//! `plimsoll check` of a volume that this kernel really throttles: both caps, the published block-size table, the
//! verdict on three promises, and nothing left behind. Needs root.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::machine::*;
use record::Run;
use serde_json::Value;
use workload::{Expectation, PolicyName};

/// 5,000 operations and 200 MiB a second in each direction.
const TARGET: &str = "lab:do-volumes-pre-burst";
const POLICY: &str = "do-volumes-pre-burst";
const IOPS: f64 = 5_000.0;
const BYTES_PER_SECOND: f64 = 200.0 * 1048576.0;

/// The provider's table: block size in KiB, reads a second.
const PUBLISHED: [(u64, f64); 5] = [(4, 5_000.0), (16, 5_000.0), (32, 5_000.0), (64, 3_200.0), (256, 800.0)];

/// Largest accepted difference between a figure and the truth, as a share.
const SHARE: f64 = 0.01;

/// Most tries: if the machine lacks CPU, the throttle loses slices of 100 ms, and the volume really is slower.
const TRIES: usize = 3;

/// Whether this machine can make throttled volumes; if not, prints the reason.
fn can_throttle(folder: &Folder) -> bool {
    if !root_or_skip("a throttled volume") {
        return false;
    }
    let planned = ended(&mut folder.plimsoll(&["check", TARGET, "--dry-run"]));
    if planned.code != Some(0) {
        skipped(Lack::Kernel, planned.err);
    }
    planned.code == Some(0)
}

/// What lab volumes leave on a machine while they exist.
#[derive(Debug)]
pub struct Traces(pub BTreeSet<String>);

impl Traces {
    pub fn now() -> Traces {
        let loops = kernel::lab::loops(Path::new("/")).into_iter();
        let shown = loops.map(|device| format!("{} shows {}", device.name, device.backing.display()));
        let stored = ["/dev/shm", "/var/tmp", "/tmp"].into_iter().flat_map(fs::read_dir).flatten().flatten();
        let stored = stored.map(|entry| text(&entry.path()));
        let ours = |trace: &String| trace.contains("plimsoll-lab");
        Traces(shown.chain(stored).filter(ours).chain(limits()).collect())
    }
}

/// Returns limits on loop devices, of either version of the control groups.
fn limits() -> Vec<String> {
    let names = ["blkio/blkio.throttle.read_bps_device", "blkio/blkio.throttle.write_bps_device"];
    let names = names.into_iter().chain([
        "blkio/blkio.throttle.read_iops_device",
        "blkio/blkio.throttle.write_iops_device",
        "plimsoll-lab/io.max",
    ]);
    let files = names.map(|name| (name, fs::read_to_string(Path::new("/sys/fs/cgroup").join(name))));
    let lines = files.flat_map(|(name, text)| {
        let lines: Vec<String> =
            text.unwrap_or_default().lines().map(|line| format!("{name}: {line}")).collect();
        lines
    });
    lines.filter(|line| line.contains(": 7:")).collect()
}

/// Describes how `measured` misses `truth`; `None` if it does not.
fn miss(what: &str, measured: &Value, truth: f64) -> Option<String> {
    let measured = measured.as_f64().unwrap_or(f64::NAN);
    let close = (measured / truth - 1.0).abs() <= SHARE;
    (!close).then(|| format!("{what}: {measured:.1} instead of {truth}"))
}

/// Describes how the answer differs from the wanted one.
fn other_answer(document: &Value, ended: Option<i32>, (answer, code): (&str, i32)) -> Option<String> {
    let told = document["verdict"]["answer"].as_str().unwrap_or_default();
    let right = told == answer && ended == Some(code);
    (!right).then(|| format!("{told} with exit code {ended:?} instead of {answer} with {code}"))
}

fn missed_caps(document: &Value) -> Vec<String> {
    let all = document["findings"].as_array().unwrap();
    let cap = |kind: &str, direction: &str| {
        let found = all.iter().find(|finding| finding["kind"] == kind && finding["direction"] == direction);
        found.map_or(Value::Null, |finding| finding["cap"]["value"].clone())
    };
    let wanted = [("iops_cap", IOPS), ("bandwidth_cap", BYTES_PER_SECOND)];
    let both = wanted.into_iter().flat_map(|(kind, truth)| {
        ["read", "write"].map(|direction| miss(&format!("{direction} {kind}"), &cap(kind, direction), truth))
    });
    both.flatten().collect()
}

fn missed_blocks(document: &Value) -> Vec<String> {
    let rows = document["blocks"].as_array().unwrap();
    let reads = |kib: u64| {
        let row = rows.iter().find(|row| row["direction"] == "read" && row["block"] == kib * 1024);
        row.map_or(Value::Null, |row| row["iops"]["value"].clone())
    };
    let table: Vec<String> = PUBLISHED.iter().map(|(kib, _)| format!("{kib} KiB {}", reads(*kib))).collect();
    eprintln!("reads a second: {}", table.join(", "));
    PUBLISHED.iter().filter_map(|(kib, iops)| miss(&format!("{kib} KiB"), &reads(*kib), *iops)).collect()
}

/// The policy's credits outlast the run, so that what was measured may have been paid from them.
#[test]
#[ignore = "night: volumes of the lab"]
fn inside_a_burst_a_brief_check_cannot_tell() {
    assert_check(&["--effort", "brief"], |_, _, run| faults_in_a_burst(run).into_iter().collect());
}

/// The volume is measured once, and the run compared with three promises.
#[test]
#[ignore = "night: two minutes of one check"]
fn a_check_meets_its_policy_is_below_a_greater_claim_and_cannot_tell_inside_a_burst() {
    assert_check(&[], |ended, document, run| {
        let mut all = faults(ended, document);
        all.extend(faults_of_a_greater_claim(run));
        all.extend(faults_in_a_burst(run));
        all
    });
}

/// Checks the volume with `words` until `faults` finds none, a few times at most.
fn assert_check(words: &[&str], faults: impl Fn(&ProgramOutput, &Value, &Run) -> Vec<String>) {
    let folder = Folder::new();
    if !can_throttle(&folder) {
        return;
    }
    let before = Traces::now();
    let neighbours = Neighbours::watch();
    let mut found = Vec::new();
    for number in 1..=TRIES {
        let out = format!("out-{number}");
        let fixed = ["check", TARGET, "--policy", POLICY, "--format", "json", "--out", &format!("@/{out}")];
        let ended = ended(&mut folder.plimsoll(&[&fixed, words].concat()));
        assert!(comes_true(|| Traces::now().0.is_subset(&before.0)), "left behind: {:?}", Traces::now());
        let document = ended.json();
        let run = runfile::read(Path::new(&run_file(&folder.path(&out)))).unwrap();
        found = faults(&ended, &document, &run);
        eprintln!("try {number}: {} {found:#?}", document["verdict"]["sentence"]);
        if found.is_empty() {
            return;
        }
    }
    neighbours.excuse_or_fail(format!("{TARGET} {words:?}: {found:#?}"));
}

fn faults(ended: &ProgramOutput, document: &Value) -> Vec<String> {
    let mut faults = missed_caps(document);
    faults.extend(missed_blocks(document));
    faults.extend(other_answer(document, ended.code, ("meets", 0)));
    faults
}

/// Compares the same run with a claim beyond what was measured; returns how the answer is wrong.
fn faults_of_a_greater_claim(run: &Run) -> Option<String> {
    let (document, code) = answered(run, (None, Some("read 6000 iops")));
    other_answer(&document, code, ("below", 3))
}

/// Compares the same run with a policy whose credits outlast it; returns how the answer is wrong.
fn faults_in_a_burst(run: &Run) -> Option<String> {
    let (document, code) = answered(run, (Some("azure-premium-ssd-credit,tier=P20"), None));
    let told = document["verdict"]["sentence"].as_str().unwrap_or_default();
    let right = code == Some(4) && told.starts_with("CANNOT TELL") && told.contains("lasts 30 min");
    (!right).then(|| format!("{code:?} {told}"))
}

/// Returns the report of `run` and the exit code, as if this policy or expectation had been asked for.
fn answered(run: &Run, (policy, expected): (Option<&str>, Option<&str>)) -> (Value, Option<i32>) {
    let limits = policy.map(|words| policy::evaluate(&PolicyName::parse(words).unwrap()).unwrap());
    let expectation = expected.map(|words| Expectation::parse(words).unwrap());
    let run =
        Run { policy: policy.map(str::to_owned), expectation: expected.map(str::to_owned), ..run.clone() };
    let analysis = analysis::analyse(&run, limits.as_ref(), expectation.as_ref());
    let code = i32::from(analysis.exit_code());
    (serde_json::from_str(&report::json(&run, &analysis)).unwrap(), Some(code))
}

/// Returns a policy that no other test on this machine names, and that sets everything a lab volume can set.
fn policy_of_ours(number: u32) -> String {
    format!("custom,iops={},unit=32KiB", 100_000 + u64::from(std::process::id()) * 10 + u64::from(number))
}

/// Returns the loop devices of a policy: the lower one by its file, the upper one by the device that it shows.
fn devices_of(policy: &str) -> Vec<kernel::lab::AttachedLoop> {
    let all = kernel::lab::loops(Path::new("/"));
    let of_policy = |device: &&kernel::lab::AttachedLoop| text(&device.backing).contains(policy);
    let lower: Vec<_> = all.iter().filter(of_policy).cloned().collect();
    let shown = |path: &Path| lower.iter().any(|below| path == Path::new("/dev").join(&below.name));
    let upper = all.iter().filter(|device| shown(&device.backing)).cloned();
    lower.iter().cloned().chain(upper).collect()
}

/// Returns what is left of a volume of `policy` that had `devices`.
fn left_of(policy: &str, devices: &[kernel::lab::AttachedLoop]) -> Vec<String> {
    let mut left: Vec<String> = devices_of(policy).into_iter().map(|device| device.name).collect();
    let stored = ["/dev/shm", "/var/tmp"].into_iter().flat_map(fs::read_dir).flatten().flatten();
    left.extend(stored.map(|entry| text(&entry.path())).filter(|path| path.contains(policy)));
    let iops = policy.split(['=', ',']).nth(2).unwrap();
    for device in devices {
        let request = format!("/sys/class/block/{}/queue/max_sectors_kb", device.name);
        if fs::read_to_string(&request).is_ok_and(|kib| kib.trim() == "32") {
            left.push(request);
        }
    }
    let files = ["", "plimsoll-lab/"].map(|group| format!("blkio/{group}blkio.throttle.read_iops_device"));
    for file in files.into_iter().chain(["plimsoll-lab/io.max".to_owned()]) {
        let limits = fs::read_to_string(Path::new("/sys/fs/cgroup").join(&file)).unwrap_or_default();
        let ours = |line: &&str| line.ends_with(iops) || line.contains(&format!("riops={iops}"));
        left.extend(limits.lines().filter(ours).map(|line| format!("{file}: {line}")));
    }
    left
}

/// Whether a volume is complete: both devices of the policy, the limits, and the setting that the devices outlive
/// their maker.
fn is_whole(policy: &str) -> bool {
    let devices = devices_of(policy);
    let lasts = |device: &kernel::lab::AttachedLoop| {
        let word = format!("/sys/class/block/{}/loop/autoclear", device.name);
        fs::read_to_string(word).is_ok_and(|word| word.trim() == "0")
    };
    let limited = left_of(policy, &[]).iter().any(|left| left.contains(": "));
    devices.len() == 2 && lasts(&devices[1]) && limited
}

/// Killed at any moment, even while it is being made, a temporary volume leaves nothing: loop devices, data, limits,
/// queue settings are all removed. A permanent one becomes complete in a single step.
#[test]
#[ignore = "night: volumes of the lab"]
fn killed_at_any_moment_a_volume_leaves_nothing() {
    let folder = Folder::new();
    if !can_throttle(&folder) {
        return;
    }
    let moments = [30, 100, 200, 300, 400, 600, 900, 1500, 2500];
    for (number, moment) in moments.into_iter().enumerate() {
        for words in [
            &["lab", "up", "POLICY", "--size", "32M"][..],
            &["check", "lab:POLICY", "--size", "32M", "--busy"],
        ] {
            let policy = policy_of_ours(number as u32);
            let words: Vec<String> = words.iter().map(|word| word.replace("POLICY", &policy)).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let running = Running::start(&mut folder.plimsoll(&words));
            std::thread::sleep(std::time::Duration::from_millis(moment));
            let devices = devices_of(&policy);
            running.signal("KILL");
            running.wait();
            let is_clean = || left_of(&policy, &devices).is_empty();
            comes_true(|| is_clean() || is_whole(&policy));
            if words[0] == "lab" && is_whole(&policy) {
                let above = Path::new("/dev").join(&devices_of(&policy).last().unwrap().name);
                let down = ended(&mut folder.plimsoll(&["lab", "down", &text(&above)]));
                assert_eq!(down.code, Some(0), "{}", down.err);
            }
            assert!(
                comes_true(is_clean),
                "{words:?} killed after {moment} ms left {:?}",
                left_of(&policy, &devices)
            );
        }
    }
}

/// A gigabyte takes a while to make.
#[test]
#[ignore = "night: volumes of the lab"]
fn an_interrupt_is_heard_while_a_volume_is_filled() {
    let folder = Folder::new();
    if !can_throttle(&folder) {
        return;
    }
    let policy = policy_of_ours(9);
    let target = format!("lab:{policy}");
    for words in [&["lab", "up", &policy, "--size", "2G"][..], &["check", &target, "--size", "2G", "--busy"]]
    {
        let running = Running::start(&mut folder.plimsoll(words));
        std::thread::sleep(std::time::Duration::from_millis(200));
        running.signal("INT");
        let ended = running.wait();
        assert_eq!(ended.code, Some(130), "{}", ended.err);
        assert!(ended.err.contains("stopped while the volume was made"), "{}", ended.err);
        assert!(comes_true(|| left_of(&policy, &[]).is_empty()), "{:?}", left_of(&policy, &[]));
    }
}

#[test]
#[ignore = "night: volumes of the lab"]
fn down_without_a_name_leaves_what_others_have_made() {
    let folder = Folder::new();
    if !can_throttle(&folder) {
        return;
    }
    let policy = policy_of_ours(8);
    let up = ended(folder.plimsoll(&["lab", "up", &policy, "--size", "16M"]).env("SUDO_UID", "4242"));
    assert_eq!(up.code, Some(0), "{}", up.err);
    let device = up.out.trim().to_owned();
    let nobody = ended(folder.plimsoll(&["lab", "down"]).env("SUDO_UID", "4243"));
    let stays = devices_of(&policy).len() == 2;
    let own = ended(folder.plimsoll(&["lab", "down"]).env("SUDO_UID", "4242"));
    assert!(nobody.err.contains(&format!("{device} stays: user 4242 has made it")), "{}", nobody.err);
    assert!(stays && own.err.contains(&device), "{}", own.err);
    assert_eq!(left_of(&policy, &[]), Vec::<String>::new());
}
