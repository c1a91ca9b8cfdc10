//! Loads of real programs, recorded on a volume without limits, sized for policies, and run on volumes that the kernel throttles
//! to these: they take as long as was printed.

use std::fs;
use std::time::Duration;

use crate::machine::*;

/// Policies: rates of reads and writes, rates of both, and bytes. A block of 4 KiB at 1 MiB/s waits a tick of the kernel's clock;
/// at twice the rate, the throttle still holds back many of them for a whole tick.
const POLICIES: [&str; 3] = [
    "custom,read_iops=500,write_iops=250",
    "custom,read_iops=800,write_iops=300",
    "custom,read_bandwidth=4MiB/s,write_bandwidth=1MiB/s",
];
/// What a volume without limits is called: nothing reaches its rate.
const FREE: &str = "custom,iops=1000000";
/// A slice of the kernel's throttle, which may hold back what comes at its end (method 5.1), and the share by which the time of a
/// program differs from run to run, chosen by us.
const SLICE_S: f64 = 0.1;
const DIFFERS: f64 = 0.05;

/// Random reads and writes of 8 KiB, twice, with a rest between.
const FIO: &str = "for part in a b; do fio --name=$part --filename=$PLIMSOLL_DEVICE --rw=randrw --rwmixread=70 --bs=8k --iodepth=8 \
                   --ioengine=libaio --direct=1 --size=128m --number_ios=2500 --output=/dev/null; sleep 1; done";

/// Transactions of a database that writes ahead and flushes each.
const SQLITE: &str = "python3 -c '
import sqlite3, time
file = sqlite3.connect(\"mounted/database\", isolation_level=None)
file.execute(\"PRAGMA journal_mode = WAL\")
file.execute(\"PRAGMA synchronous = FULL\")
file.execute(\"CREATE TABLE one (a, b)\")
for number in range(1200):
    file.execute(\"INSERT INTO one VALUES (?, ?)\", (number, \"x\" * 300))
    if number % 400 == 399:
        time.sleep(1)
'";

/// What comes before the program, whose file system goes with the shell, however it ends. A journal would be written by a thread
/// of the kernel, which a control group of version 1 does not limit. Without `lazytime` each flush also writes the file's inode if
/// the kernel's clock has ticked (every 4 ms) since the flush before: the slower the volume or the machine, the more writes.
const MOUNT: &str = "mkfs.ext4 -q -F -O ^has_journal -E nodiscard,lazy_itable_init=0 $PLIMSOLL_DEVICE; mkdir -p mounted; \
                     mount -o noatime,lazytime $PLIMSOLL_DEVICE mounted; trap 'umount mounted' EXIT; sync -f mounted;";

/// Runs a program on a volume of a policy, through `around`; returns the seconds that it took.
fn seconds(folder: &Folder, policy: &str, [before, around, program]: [&str; 3]) -> Option<f64> {
    let timed =
        format!("begin=$(date +%s%N)\n{program}\necho $(( ($(date +%s%N) - begin) / 1000000 )) > took");
    fs::write(folder.path("timed.sh"), timed).unwrap();
    let script = format!("set -e; {before} {around} sh -e timed.sh");
    let words = ["lab", "run", policy, "--size", "256M", "--", "sh", "-c", &script];
    let mut command = folder.plimsoll(&words);
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let ended = ended(command.current_dir(folder.path(".")).env("PATH", path));
    if ended.code != Some(0) && policy == FREE {
        skipped(Lack::Kernel, &ended.err);
        return None;
    }
    assert_eq!(ended.code, Some(0), "{policy}: {} {}", ended.out, ended.err);
    let took: u64 = fs::read_to_string(folder.path("took")).unwrap().trim().parse().unwrap();
    Some(Duration::from_millis(took).as_secs_f64())
}

/// Returns the least and the most by which a program was said to take longer.
fn said(folder: &Folder, policy: &str) -> [f64; 2] {
    let words = ["size", "recorded", "--provider", "aws", "--present", policy, "--format", "json"];
    let ended = ended(folder.plimsoll(&words).current_dir(folder.path(".")));
    let document: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    // The disk below may have been busier with other programs.
    let devices = document["devices"].as_array().unwrap();
    let is_ours = |device: &&serde_json::Value| device["load"]["device"].to_string().contains("loop");
    let longer = &devices.iter().find(is_ours).unwrap()["present"]["added"]["longer_s"];
    [0, 1].map(|at| longer[at].as_f64().unwrap())
}

#[allow(clippy::print_stdout, reason = "the figures are for people")]
fn takes_as_long_as_was_said([before, program]: [&str; 2]) {
    if !root_or_skip("a throttled volume") {
        return;
    }
    let folder = Folder::new();
    let neighbours = Neighbours::watch();
    let watch = "plimsoll watch --every 250ms --device $PLIMSOLL_DEVICE --out recorded --";
    let Some(free) = seconds(&folder, FREE, [before, watch, program]) else { return };
    let mut off = Vec::new();
    for policy in POLICIES {
        let [least, most] = said(&folder, policy);
        let Some(took) = seconds(&folder, policy, [before, "", program]) else { return };
        let (low, high) = (free + least, free + most);
        println!("{policy}: {took:.2} s, said {low:.2} to {high:.2} s; {free:.2} s without limits");
        let differs = SLICE_S + DIFFERS * took;
        if took < low - differs || took > high + differs {
            off.push(format!("{policy}: {took:.2} s, said {low:.2} to {high:.2} s"));
        }
    }
    if !off.is_empty() {
        neighbours.excuse_or_fail(off.join("; "));
    }
}

#[test]
#[ignore = "night: a minute of load"]
fn fio_takes_as_much_longer_on_a_policy_as_was_said() {
    if has("fio") {
        takes_as_long_as_was_said(["", FIO]);
    }
}

#[test]
#[ignore = "night: a minute of load"]
fn a_database_takes_as_much_longer_on_a_policy_as_was_said() {
    if has("python3") {
        takes_as_long_as_was_said([MOUNT, SQLITE]);
    }
}
