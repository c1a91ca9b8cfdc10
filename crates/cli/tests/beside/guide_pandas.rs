//! The guide on pandas, run as printed: on a watch of this machine, and on a made-up one in which counters wrap and
//! are reset, a device disappears, and the kernel keeps no times for another.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::machine::*;
use record::{CpuCounters, DeviceFacts, DeviceNode, DiskCounters, Phase, PhaseKind, Run, Sample};
use workload::Nanos;

/// Returns the guide's code blocks in this language, in order.
fn blocks(language: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/pandas.md");
    let text = fs::read_to_string(path).unwrap();
    let opening = format!("```{language}\n");
    text.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Finds a Python with pandas and matplotlib: the distribution's own first, because others may precede it in the path.
fn python() -> Option<&'static str> {
    let has = |python: &&str| {
        let there = Command::new(python).args(["-c", "import pandas, matplotlib"]).output();
        there.is_ok_and(|ended| ended.status.success())
    };
    let found = ["/usr/bin/python3", "python3"].into_iter().find(has);
    if found.is_none() {
        skipped(
            Lack::Tool,
            "no python3 with pandas and matplotlib here (apt-get install python3-pandas python3-matplotlib)",
        );
    }
    found
}

/// Runs a shell block in `folder`, with plimsoll on the path.
fn typed(test: &Folder, folder: &Path, block: &str) {
    let bin = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let ended = ended(test.through("sh", &["-e", "-c", block]).current_dir(folder).env("PATH", path));
    assert_eq!(ended.code, Some(0), "{block}: {}", ended.err);
}

/// Runs all Python of the guide as one script in `folder`, and checks the picture that it leaves.
fn drawn(python: &str, folder: &Path) {
    fs::write(folder.join("guide.py"), blocks("py").concat()).unwrap();
    let mut script = Command::new(python);
    script.arg("guide.py").current_dir(folder).env("MPLCONFIGDIR", folder.join("matplotlib"));
    let ended = ended(&mut script);
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    let picture = fs::read(folder.join("charts.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 20_000, "{} bytes", picture.len());
}

#[test]
#[ignore = "night: a watch of real seconds"]
fn the_guide_opens_a_watch_of_this_machine_and_its_figures_are_those_of_the_tables() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    let here = folder.make_dir("here");
    let shell = blocks("sh");
    typed(&folder, &here, &shell[0].replace("--for 10s", "--for 4s"));
    typed(&folder, &here, &shell[1]);
    drawn(python, &here);
    assert!(
        fs::read_to_string(here.join("cpu-user.csv"))
            .unwrap()
            .starts_with("from [s],to [s],to [UTC],cpu:user")
    );
}

/// Returns twenty seconds of four devices: one whose milliseconds wrap, one created anew, one absent for a while, and
/// one without times.
fn troubled() -> Run {
    let mut run = Run::started(vec!["plimsoll".into(), "watch".into()], 1_795_222_457_000);
    let node = |name: &str| {
        let facts = DeviceFacts { name: name.into(), ..DeviceFacts::default() };
        DeviceNode { facts, timed: name != "zram0", ..DeviceNode::default() }
    };
    run.devices = ["vda", "vdb", "vdc", "zram0"].map(node).into();
    for second in 0..20_u64 {
        let busy = if (5..10).contains(&second) || second >= 15 { 9 } else { 1 };
        let disk = |start: u64, wraps: u64| DiskCounters {
            reads: start + second * 70 * busy,
            reads_merged: second * 3,
            sectors_read: start * 8 + second * 560 * busy,
            read_ms: (wraps + second * 90 * busy) % (1 << 32),
            writes: second * 30 * busy,
            sectors_written: second * 240 * busy,
            write_ms: second * 40 * busy,
            in_flight: second % 3,
            busy_ms: (wraps + second * 400) % (1 << 32),
            queue_ms: (wraps + second * 5000 * busy) % (1 << 32),
            discards: second / 4,
            sectors_discarded: second / 4 * 2048,
            discard_ms: second / 4 * 7,
            flushes: second / 2,
            flush_ms: second / 2,
            ..Default::default()
        };
        let mut disks = vec![("vda".into(), disk(1000, (1 << 32) - 5000)), ("vdb".into(), disk(1000, 0))];
        if second >= 12 {
            disks[1].1 = disk(0, 0);
        }
        let timeless = DiskCounters { read_ms: 0, write_ms: 0, discard_ms: 0, flush_ms: 0, ..disk(3, 0) };
        disks.push(("zram0".into(), DiskCounters { busy_ms: 0, queue_ms: 0, ..timeless }));
        if !(7..11).contains(&second) {
            disks.push(("vdc".into(), disk(7, 0)));
        }
        let cpu = CpuCounters {
            user: second * 30,
            idle: second * 60,
            iowait: second % 5,
            irq: second,
            ..Default::default()
        };
        let at = Nanos(second * 1_000_400_000 + 37);
        run.samples.push(Sample { at, disks, cpu, ..Default::default() });
    }
    for (name, kind, from, to) in [
        ("idle 1", PhaseKind::Idle, 0, 5),
        ("load 1", PhaseKind::Command { code: Some(0) }, 5, 10),
        ("idle 2", PhaseKind::Idle, 10, 15),
        ("load 2", PhaseKind::Command { code: Some(0) }, 15, 20),
    ] {
        let (from, to) = (Nanos::from_secs(from), Nanos::from_secs(to));
        run.phases.push(Phase { name: name.into(), kind, from, to });
    }
    run.complete = true;
    run
}

#[test]
fn the_guide_is_right_where_counters_wrap_and_fall_and_a_device_goes_away() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    let here = folder.make_dir("here/runs");
    runfile::write(runfile::at(&here.join("troubled.plimsoll")), &troubled()).unwrap();
    let here = folder.path("here");
    typed(&folder, &here, &blocks("sh")[1]);
    drawn(python, &here);
    let devices = fs::read_to_string(here.join("tables/devices.csv")).unwrap();
    let count = |name: &str| devices.matches(&format!(",{name},")).count();
    assert_eq!(
        (count("vda"), count("vdc")),
        (19, 19 - 5),
        "no row where a device was not there at both ends"
    );
    let head: Vec<&str> = devices.lines().next().unwrap().split(',').collect();
    let busy = head.iter().position(|name| *name == "busy_share").unwrap();
    let of =
        |name: &str| devices.lines().find(|line| line.contains(name)).unwrap().split(',').nth(busy).unwrap();
    assert!(of(",zram0,").is_empty() && !of(",vda,").is_empty(), "{devices}");
}
