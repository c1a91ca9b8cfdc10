//! `plimsoll report` on a damaged run file: the damage is named, and what can be read is drawn.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use std::path::Path;
use std::process::{Command, Output};

use record::{DeviceFacts, DeviceNode, DiskCounters, Run, Sample};
use workload::Nanos;

/// Returns an hour of `sda` at a hundred reads a second.
fn an_hour() -> Run {
    let sample = |n: u64| {
        let counters = DiskCounters {
            reads: 100 * n,
            sectors_read: 800 * n,
            read_ms: 50 * n,
            busy_ms: 50 * n,
            queue_ms: 50 * n,
            ..DiskCounters::default()
        };
        Sample { at: Nanos::from_secs(n), disks: vec![("sda".into(), counters)], ..Sample::default() }
    };
    let facts = DeviceFacts { name: "sda".to_owned(), ..DeviceFacts::default() };
    Run {
        devices: vec![DeviceNode { facts, timed: true, ..DeviceNode::default() }],
        samples: (0..3600).map(sample).collect(),
        complete: true,
        ..Run::started(vec!["plimsoll".to_owned(), "watch".to_owned()], 1_795_000_000_000)
    }
}

fn report(path: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plimsoll")).arg("report").arg(path).output().unwrap()
}

#[test]
fn a_copy_that_was_cut_off_is_drawn_as_far_as_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let path = runfile::write(runfile::at(&dir.path().join("hour.plimsoll")), &an_hour()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() * 2 / 3]).unwrap();

    let output = report(&path);
    let told = String::from_utf8(output.stderr).unwrap();
    // Messages are wrapped for people, so lines are joined before they are compared.
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("hour.plimsoll is cut off"), "{told}");
    assert!(
        told.contains(&format!("it has {} bytes, and {} are there", bytes.len(), bytes.len() * 2 / 3)),
        "{told}"
    );
    assert!(told.contains("the rest was read"), "{told}");
    assert!(output.status.success(), "{told}");
    let page = std::fs::read_to_string(dir.path().join("hour.html")).unwrap();
    assert!(page.contains("sda") && page.contains("is cut off"));
}

#[test]
fn a_file_of_which_nothing_is_left_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = runfile::write(runfile::at(&dir.path().join("hour.plimsoll")), &an_hour()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..1000]).unwrap();
    let output = report(&path);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && told.contains("hour.plimsoll"), "{told}");
    assert!(!dir.path().join("hour.html").exists());
}
