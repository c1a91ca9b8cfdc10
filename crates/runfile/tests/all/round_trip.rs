//! What is stored comes back: whole runs, live runs, and runs cut off in the middle of a step.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use std::path::Path;

use crate::runs::{plain, plan, sample, second};
use proptest::prelude::*;
use record::{Event, EventKind, Note, Run};
use runfile::{SameDevice, Writer, read, write};
use workload::{Direction, Ending, Mix, Nanos};

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn header() -> Run {
    Run { steps: vec![], samples: vec![], events: vec![], findings: vec![], complete: false, ..plain() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn any_run_comes_back_as_it_was(run in crate::runs::any_run()) {
        let dir = tempfile::tempdir().unwrap();
        let path = write(runfile::at(&dir.path().join("r.plimsoll")), &run).unwrap();
        prop_assert_eq!(read(&path).unwrap(), run);
        prop_assert_eq!(files(dir.path()), ["r.plimsoll"]);
    }
}

#[test]
fn a_run_stored_live_equals_the_run_and_is_one_file() {
    let dir = tempfile::tempdir().unwrap();
    let run = plain();
    let mut writer =
        Writer::create(runfile::at(&dir.path().join("live.plimsoll")), &header(), SameDevice::Yes).unwrap();
    writer.step_started(&run.steps[0].plan, run.steps[0].started).unwrap();
    // All but the last arrive live; the end adds what is missing, and nothing twice.
    run.steps[0].intervals[..4].iter().for_each(|interval| writer.interval(interval).unwrap());
    run.samples.iter().for_each(|sample| writer.sample(sample).unwrap());
    run.events.iter().for_each(|event| writer.event(event).unwrap());
    writer.step_ended(&run.steps[0]).unwrap();
    writer.findings(&[]).unwrap();
    writer.findings(&run.findings).unwrap();
    let path = writer.finish().unwrap();
    assert_eq!(read(&path).unwrap(), run);
    assert_eq!(files(dir.path()), ["live.plimsoll"]);
}

#[test]
fn a_reader_sees_a_run_while_it_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("live.plimsoll");
    let mut writer = Writer::create(runfile::at(&path), &header(), SameDevice::No).unwrap();
    assert_eq!(read(&path).unwrap(), header());
    writer.step_started(&plan("s", Mix::READ, 1), Nanos::ZERO).unwrap();
    (0..3).for_each(|n| writer.interval(&second(n, 10)).unwrap());
    writer.commit().unwrap();
    let seen = read(&path).unwrap();
    assert_eq!(seen.steps[0].intervals.len(), 3);
    assert!(!seen.complete);
    writer.interval(&second(3, 10)).unwrap();
    writer.commit().unwrap();
    assert_eq!(read(&path).unwrap().steps[0].intervals.len(), 4);
}

#[test]
fn somebody_reading_at_the_end_does_not_spoil_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.plimsoll");
    let mut writer = Writer::create(runfile::at(&path), &header(), SameDevice::No).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN").unwrap();
    other.query_row("SELECT count(*) FROM run", [], |row| row.get::<_, i64>(0)).unwrap();
    writer.event(&Event { at: Nanos(1), kind: EventKind::Note, text: "late".into() }).unwrap();
    writer.finish().unwrap();
    let run = read(&path).unwrap();
    assert!(run.complete && run.events.len() == 1);
    drop(other);
    assert_eq!(read(&path).unwrap(), run);
}

#[test]
fn a_writer_dropped_in_the_middle_of_a_step_leaves_what_it_had() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cut.plimsoll");
    let mut writer = Writer::create(runfile::at(&path), &header(), SameDevice::No).unwrap();
    writer.step_started(&plan("depth 4", Mix::READ, 4), Nanos::ZERO).unwrap();
    (0..4).for_each(|n| writer.interval(&second(n, 100)).unwrap());
    writer.sample(&sample(1)).unwrap();
    drop(writer);
    let run = read(&path).unwrap();
    assert!(!run.complete);
    assert_eq!(run.samples.len(), 1);
    let step = &run.steps[0];
    assert_eq!((step.ending, step.ended), (Ending::Interrupted, Nanos::from_secs(4)));
    assert_eq!((step.started, step.counted_from), (Nanos::ZERO, Nanos::SECOND));
    // The first second is ramp and does not count towards the totals.
    assert_eq!(step.tally(Direction::Read).ops, 300);
    assert_eq!(step.latency(Direction::Read).percentile(99.0), Some(1_000_000));
    assert_eq!(step.notes, [Note::CutOff]);
    assert_eq!(step.jobs, ["load"]);
}

#[test]
fn a_stall_is_a_row_of_zeros_and_late_submissions_count_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = plain();
    run.steps[0].plan = plan("mixed", Mix::reads(50), 1);
    run.steps[0].intervals[2].late = 7;
    let path = write(runfile::at(&dir.path().join("r.plimsoll")), &run).unwrap();
    let conn = rusqlite::Connection::open(path).unwrap();
    let rows = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(rows("SELECT count(*) FROM interval WHERE start_ns = 2000000000 AND ops = 0"), 2);
    assert_eq!(rows("SELECT sum(late) FROM interval"), 7);
    assert_eq!(rows("SELECT count(*) FROM per_second WHERE iops = 0"), 1);
}

#[test]
fn other_formats_have_the_buckets_of_a_distribution_in_the_open() {
    let latency = crate::runs::recorded(4096, &[3, 3, 700]).latency;
    let text = serde_json::to_string(&latency).unwrap();
    assert_eq!(text, r#"{"filled":[[3,2],[700,1]],"ns_min":3,"ns_max":700}"#);
    let odd = r#"{"filled":[[65535,2],[700,1],[3,2],[9,0]],"ns_min":3,"ns_max":700}"#;
    for text in [text.as_str(), odd] {
        assert_eq!(serde_json::from_str::<record::Distribution>(text).unwrap(), latency);
    }
}

#[test]
fn a_procedure_is_stored_under_the_name_it_has_in_files_that_exist() {
    let stored = crate::runs::asked::each().map(|asked| serde_json::to_value(asked).unwrap());
    assert_eq!(
        stored.each_ref().map(|request| request["procedure"].as_str().unwrap()),
        ["burst", "headroom", "map", "in_turns", "places", "together", "check", "soak"]
    );
}
