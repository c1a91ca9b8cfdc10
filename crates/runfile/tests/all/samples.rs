//! Samples of a machine in the file: what users' queries make of resets, wraps and devices that go, and files of version 1.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use std::path::Path;

use crate::runs::plain;
use record::{DiskCounters, Metric, ObservedDevice, ObservedMachine, Recording, Run, Sample};
use runfile::{EntryKind, Recorder, SameDevice, Writer, read, write};
use rusqlite::Connection;
use workload::Nanos;

/// Returns second `n` with devices by name, reads, and milliseconds of reads.
fn second(n: u64, disks: &[(&str, u64, u64)]) -> Sample {
    let disk = |(name, reads, read_ms): &(&str, u64, u64)| {
        let counters =
            DiskCounters { reads: *reads, read_ms: *read_ms, queue_ms: *read_ms, ..DiskCounters::default() };
        ((*name).into(), counters)
    };
    Sample { at: Nanos::from_secs(n), disks: disks.iter().map(disk).collect(), ..Sample::default() }
}

/// Returns a run in which `sda` wraps and is then reset, and `sdb` goes and comes back at another position.
fn eventful() -> Run {
    let mut run = Run::started(vec!["plimsoll".into()], 0);
    run.samples = vec![
        second(0, &[("sda", 10, 4_294_967_000), ("sdb", 500, 5)]),
        second(1, &[("sda", 20, 4_294_967_200), ("sdb", 507, 12)]),
        second(2, &[("sda", 40, 104)]),
        second(4, &[("sdb", 510, 20), ("sda", 5, 110)]),
        second(5, &[("sdb", 512, 21), ("sda", 6, 120)]),
    ];
    run.complete = true;
    run
}

fn rows(path: &Path, sql: &str) -> Vec<(f64, String, Option<f64>, Option<f64>)> {
    let conn = Connection::open(path).unwrap();
    let mut statement = conn.prepare(sql).unwrap();
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    statement.query_map([], row).unwrap().map(Result::unwrap).collect()
}

#[test]
fn the_view_goes_on_over_wraps_and_says_nothing_over_resets_and_gaps() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(runfile::at(&dir.path().join("r.plimsoll")), &eventful()).unwrap();
    let row = |at: f64, disk: &str, reads: Option<f64>, wait: Option<f64>| (at, disk.to_owned(), reads, wait);
    assert_eq!(
        rows(&path, "SELECT at_s, disk, reads_per_s, read_await_ms FROM disk_per_second ORDER BY disk, at_s"),
        [
            row(1.0, "sda", Some(10.0), Some(20.0)),
            row(2.0, "sda", Some(20.0), Some(10.0)),
            row(4.0, "sda", None, None),
            row(5.0, "sda", Some(1.0), Some(10.0)),
            row(1.0, "sdb", Some(7.0), Some(1.0)),
            row(5.0, "sdb", Some(2.0), Some(0.5)),
        ]
    );
}

#[test]
fn the_view_says_what_the_run_says() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(runfile::at(&dir.path().join("r.plimsoll")), &eventful()).unwrap();
    let run = read(&path).unwrap();
    assert_eq!(run, eventful());
    let recording = Recording::of(&run);
    for device in recording.devices() {
        let sql = format!(
            "SELECT at_s, disk, reads_per_s, queue_depth FROM disk_per_second WHERE disk = '{device}'"
        );
        for (at, _, reads, depth) in rows(&path, &sql) {
            let interval = recording.intervals().iter().position(|(_, to)| to.as_secs_f64() == at).unwrap();
            let value = |metric| recording.device(device, metric).unwrap()[interval];
            let same = |stored: Option<f64>, value: f64| match stored {
                Some(stored) => (stored - value).abs() < 1e-9,
                None => value.is_nan(),
            };
            assert!(same(reads, value(Metric::ReadOps)), "{device} at {at}: {reads:?}");
            assert!(same(depth, value(Metric::QueueDepth)), "{device} at {at}: {depth:?}");
        }
    }
}

#[test]
fn names_are_shared_by_all_samples_that_have_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(runfile::at(&dir.path().join("r.plimsoll")), &eventful()).unwrap();
    let samples = read(&path).unwrap().samples;
    assert!(std::sync::Arc::ptr_eq(&samples[0].disks[0].0, &samples[1].disks[0].0));
}

/// Returns enough rows for two threads, which meet within a sample.
fn long() -> Run {
    let names = ["sda", "sda1", "dm-0", "md0", "vdb", "vdc", "zram0"];
    let mut run = Run::started(vec!["plimsoll".into()], 0);
    run.samples = (0..9001)
        .map(|n| {
            let there = names.iter().filter(|name| n % 1000 < 900 || **name != "vdc");
            second(n, &there.map(|name| (*name, n * 3, n)).collect::<Vec<_>>())
        })
        .collect();
    run
}

#[test]
fn a_long_run_comes_back_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(runfile::at(&dir.path().join("r.plimsoll")), &long()).unwrap();
    assert_eq!(read(&path).unwrap(), long());
}

#[test]
fn a_long_run_is_read_while_it_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.plimsoll");
    let mut writer =
        Writer::create(runfile::at(&path), &Run { samples: Vec::new(), ..long() }, SameDevice::No).unwrap();
    long().samples.iter().for_each(|sample| writer.sample(sample).unwrap());
    writer.commit().unwrap();
    assert_eq!(read(&path).unwrap(), long());
}

/// In virtual time a run hands over more in a moment than the queue of the writer's thread holds.
#[test]
fn a_long_run_that_comes_in_a_moment_is_stored_by_a_thread_without_a_gap() {
    let dir = tempfile::tempdir().unwrap();
    let header = Run { samples: Vec::new(), ..long() };
    let path = dir.path().join("r.plimsoll");
    let mut recorder =
        Recorder::start(Writer::create(runfile::at(&path), &header, SameDevice::No).unwrap()).unwrap();
    long().samples.iter().for_each(|sample| recorder.sample(sample));
    recorder.header(&long());
    recorder.commit();
    let outcomes = recorder.settle();
    assert!(outcomes.len() > long().samples.len(), "each entry has an outcome");
    assert!(outcomes.iter().all(|(_, stored)| stored.is_ok()) && !recorder.is_silent());
    assert!(read(recorder.path()).unwrap().samples == long().samples, "settled, all of it can be read");
    assert!(read(&recorder.finish().unwrap()).unwrap() == Run { complete: true, ..long() });
}

#[test]
fn what_the_thread_could_not_store_comes_back_as_its_outcome() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.plimsoll");
    let mut recorder =
        Recorder::start(Writer::create(runfile::at(&path), &plain(), SameDevice::No).unwrap()).unwrap();
    recorder.interval(&plain().steps[0].intervals[0]);
    recorder.sample(&second(0, &[]));
    let outcomes = recorder.settle();
    let [(EntryKind::Other, Err(error)), (EntryKind::Sample, Ok(()))] = &outcomes[..] else {
        panic!("{outcomes:?}");
    };
    assert!(error.to_string().contains("no step is open"), "{error}");
    assert!(recorder.finish().is_ok(), "what was told is not told again");
}

/// Only the last page is missing: what it held is lost, and nothing else.
#[test]
fn a_long_run_that_lost_its_last_page_is_read_up_to_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(runfile::at(&dir.path().join("r.plimsoll")), &long()).unwrap();
    let length = std::fs::metadata(&path).unwrap().len();
    std::fs::File::options().write(true).open(&path).unwrap().set_len(length - 4096).unwrap();
    let (run, troubles) = runfile::read_what_can_be(&path).unwrap();
    assert!(troubles[0].to_string().contains("cut off"), "{}", troubles[0]);
    let rows = |run: &Run| run.samples.iter().map(|sample| sample.disks.len()).sum::<usize>();
    assert!(rows(&run) + 200 > rows(&long()), "{} of {} rows are left", rows(&run), rows(&long()));
}

#[test]
fn what_was_not_printed_stays_unsaid() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = plain();
    let values = vec![1.5, f64::NAN, f64::NAN];
    let device = |name: &str| ObservedDevice {
        name: name.to_owned(),
        metrics: vec![(Metric::Busy, values.clone()), (Metric::ReadAwait, vec![f64::NAN; 3])],
    };
    run.observed = Some(ObservedMachine {
        source: "iostat.json".to_owned(),
        intervals: (0..3).map(|n| (Nanos::from_secs(n), Nanos::from_secs(n + 1))).collect(),
        cpu: Vec::new(),
        devices: vec![device("sda"), device("sdb")],
    });
    let path = write(runfile::at(&dir.path().join("r.plimsoll")), &run).unwrap();
    let back = read(&path).unwrap().observed.unwrap();
    // NaN equals nothing, but it prints.
    assert_eq!(format!("{back:?}"), format!("{:?}", run.observed.unwrap()));
    let view = "SELECT from_s, device, busy, read_await FROM observed_per_interval";
    assert_eq!(rows(&path, view)[1], (0.0, "sdb".to_owned(), Some(1.5), None));
}

#[test]
fn phases_are_there_while_the_run_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.plimsoll");
    let run = Run::started(vec!["plimsoll".into()], 0);
    let mut writer = Writer::create(runfile::at(&path), &run, SameDevice::No).unwrap();
    let phase = |name: &str, from, to| record::Phase {
        name: name.to_owned(),
        kind: record::PhaseKind::Idle,
        from: Nanos::from_secs(from),
        to: Nanos::from_secs(to),
    };
    writer.phases(&[phase("idle 1", 0, 60)]).unwrap();
    writer.phases(&[phase("idle 1", 0, 61), phase("idle 2", 61, 121)]).unwrap();
    assert_eq!(read(&path).unwrap().phases, [phase("idle 1", 0, 61), phase("idle 2", 61, 121)]);
}

/// As version 1 stored it: names in each row, no wall clock, no devices of the machine.
#[test]
fn a_file_of_version_1_is_read_as_it_was_meant() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.plimsoll");
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch(include_str!("../earlier/version-1.sql")).unwrap();
    conn.execute_batch(
        "PRAGMA application_id = 1349282157; PRAGMA user_version = 1;
         INSERT INTO run VALUES ('0.3.0', '[\"plimsoll\"]', 7, 'measured', NULL, '[]', NULL, NULL, 1);
         INSERT INTO sample_cpu VALUES (1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), (2, 1000000000, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10);
         INSERT INTO sample_memory VALUES (1, 0, 5, 4, 3, 2, 1), (2, 1000000000, 5, 4, 3, 2, 1);
         INSERT INTO sample_disk VALUES
           (1, 0, 'vda', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17),
           (2, 1000000000, 'vda', 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);",
    )
    .unwrap();
    drop(conn);
    let run = read(&path).unwrap();
    assert_eq!((run.started_unix_ms, run.samples.len(), run.devices.len()), (7, 2, 0));
    let sample = &run.samples[1];
    assert_eq!((sample.cpu.user, sample.own.system_ns, sample.memory.writeback), (2, 10, 1));
    assert_eq!((sample.wall_unix_ms, sample.blocked, sample.pressure), (0, 0, None));
    assert_eq!((&*sample.disks[0].0, sample.disks[0].1.reads, sample.disks[0].1.flush_ms), ("vda", 2, 17));
}
