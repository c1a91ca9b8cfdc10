//! Run files with far more rows than a run has: as much is read as the file may take memory, and the rest is
//! reported as left out.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use std::path::{Path, PathBuf};

use crate::runs::plain;
use record::{Event, EventKind, Metric, ObservedDevice, ObservedMachine, ReportedPart, Run, Scope};
use runfile::{RunfileError, read, read_what_can_be, write};
use workload::Nanos;

/// Returns the memory that the file may take: 40 MiB and four times its length.
fn worth(path: &Path) -> u64 {
    (40 << 20) + 4 * std::fs::metadata(path).unwrap().len()
}

fn stored(dir: &Path, run: &Run) -> PathBuf {
    write(runfile::at(&dir.join("r.plimsoll")), run).unwrap()
}

/// Returns what is reported of `table`; tables after it may be left out too.
fn told(troubles: &[RunfileError], table: &str) -> String {
    let words = troubles.iter().map(|trouble| trouble.to_string());
    let mut of_it = words.filter(|words| words.contains(&format!("'{table}'")));
    of_it.next().unwrap_or_else(|| panic!("nothing of {table}: {troubles:?}"))
}

/// Inserts `count` rows into a table; `row` gives the values of row `n`.
fn multiplied(path: &Path, table: &str, (count, row): (u64, &str)) {
    let conn = rusqlite::Connection::open(path).unwrap();
    let numbers =
        format!("WITH RECURSIVE rows(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < {count})");
    conn.execute_batch(&format!(
        "{numbers} INSERT INTO {table} SELECT {row} FROM rows, {table} LIMIT {count}"
    ))
    .unwrap();
}

fn iostat(devices: usize) -> Run {
    let device = |n: usize| ObservedDevice {
        name: format!("sd{n}"),
        metrics: vec![(Metric::Busy, vec![0.5]), (Metric::ReadAwait, vec![1e6])],
    };
    let observed = ObservedMachine {
        source: "iostat.json".to_owned(),
        intervals: vec![(Nanos::ZERO, Nanos::SECOND)],
        cpu: Vec::new(),
        devices: (0..devices).map(device).collect(),
    };
    Run { observed: Some(observed), ..plain() }
}

#[test]
fn a_thousand_devices_of_iostat_are_all_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path(), &iostat(1000));
    assert_eq!(read(&path).unwrap().observed.unwrap().devices.len(), 1000);
}

#[test]
fn of_more_devices_than_the_file_is_worth_the_first_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path(), &iostat(20_000));
    let (run, troubles) = read_what_can_be(&path).unwrap();
    let devices = run.observed.unwrap().devices;
    assert!((1000..=4096).contains(&devices.len()), "{} devices", devices.len());
    assert!(devices.len() as u64 * 12_000 <= worth(&path), "{} devices", devices.len());
    told(&troubles, "observed_series");
}

#[test]
fn a_device_that_names_a_metric_again_and_again_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path(), &iostat(3));
    let conn = rusqlite::Connection::open(&path).unwrap();
    let many = format!("[{}]", vec!["\"busy\""; 10_000].join(","));
    conn.execute("UPDATE observed_series SET metrics = ? WHERE device = 'sd2'", [many]).unwrap();
    drop(conn);
    let (run, troubles) = read_what_can_be(&path).unwrap();
    assert_eq!(run.observed.unwrap().devices.len(), 2);
    let words = troubles[0].to_string();
    assert!(words.contains("10000 metrics of a device, more than"), "{words}");
}

/// Returns a run of parts of an imported result with a megabyte of words each.
fn imported(parts: usize) -> Run {
    let part = |n: usize| ReportedPart {
        said: vec![("description".to_owned(), "w".repeat(1 << 20))],
        ..ReportedPart::named(Scope::Job, format!("job {n}"), 1)
    };
    Run { reported: (0..parts).map(part).collect(), ..plain() }
}

#[test]
fn of_an_import_as_much_is_read_as_the_file_is_worth() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path(), &imported(40));
    let (run, troubles) = read_what_can_be(&path).unwrap();
    // Seven bytes for each byte of text: 200 MiB hold 28 parts.
    assert_eq!(run.reported.len(), 28);
    assert!(told(&troubles, "reported").contains("can need memory for"), "{troubles:?}");
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path(), &imported(10));
    assert_eq!(read(&path).unwrap().reported.len(), 10);
}

#[test]
fn totals_of_workers_that_are_not_there_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path(), &plain());
    let row =
        "n + 1000, direction, ops, bytes, errors, short, latency_ns_sum, latency_ns_min, latency_ns_max,
               due_to_done, issued_to_done, due_to_issued";
    multiplied(&path, "worker_direction", (2000, row));
    let (run, troubles) = read_what_can_be(&path).unwrap();
    assert_eq!(run, plain());
    let words = told(&troubles, "worker_direction");
    assert!(words.contains("it belongs to worker 1001, which does not exist"), "{words}");
    assert!(words.contains("1999 more places like it"), "{words}");
}

#[test]
fn of_more_steps_than_the_file_is_worth_the_first_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path(), &plain());
    let row = "n + 1, name || n, kind, plan || printf('%2000s', ''), jobs, started_ns, counted_from_ns, ended_ns, ending, notes";
    multiplied(&path, "step", (20_000, row));
    let (run, troubles) = read_what_can_be(&path).unwrap();
    let kept = run.steps.len() as u64;
    assert!(kept > 5000 && kept * 7 * 2000 < worth(&path), "{kept} steps");
    told(&troubles, "step");
}

#[test]
fn of_more_events_than_the_file_is_worth_the_first_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let event = |n| Event { at: Nanos(n), kind: EventKind::Warning, text: "the volume stalled".repeat(3) };
    let many = |count| Run { events: (0..count).map(event).collect(), ..plain() };
    let path = stored(dir.path(), &many(200_000));
    let (run, troubles) = read_what_can_be(&path).unwrap();
    let kept = run.events.len() as u64;
    assert!(kept > 50_000 && kept * 7 * 54 < worth(&path), "{kept} events");
    told(&troubles, "event");
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path(), &many(50_000));
    assert_eq!(read(&path).unwrap().events.len(), 50_000);
}
