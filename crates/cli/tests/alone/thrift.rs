//! A check writes no more to a real file than it announced, and announces no more than twice the region.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use crate::machine::*;
use workload::Direction;

/// Returns the bytes that reached the target, by the intervals of the run file, including those of ramps and drains.
fn written(file: &str) -> u64 {
    let run = runfile::read(std::path::Path::new(file)).unwrap();
    let intervals = run.steps.iter().flat_map(|step| &step.intervals);
    intervals.map(|interval| interval.of(Direction::Write).tally.bytes).sum()
}

#[test]
#[ignore = "night: a check of real seconds"]
fn a_check_of_a_folder_writes_no_more_than_it_said() {
    let folder = Folder::new();
    folder.make_dir("data");
    let words = ["check", "@/data", "--size", "64M", "--effort", "brief", "--busy", "--out", "@/out"];
    let checked = ended(&mut folder.plimsoll(&words));
    assert!(checked.err.contains("Writes at most 128 MiB."), "{}", checked.err);
    let wrote = written(&run_file(&folder.path("out")));
    assert!((64 << 20..=128 << 20).contains(&wrote), "{wrote} bytes");
    let more = ended(&mut folder.plimsoll(&[&words[..4], &["--write-most", "1G", "--dry-run"]].concat()));
    assert!(more.err.contains("Writes at most 1.0 GiB."), "{}", more.err);
    let less = ended(&mut folder.plimsoll(&[&words[..4], &["--write-most", "32M", "--dry-run"]].concat()));
    assert_eq!(less.code, Some(2), "{}", less.err);
}
