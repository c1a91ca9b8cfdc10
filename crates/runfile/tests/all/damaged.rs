//! Run files that are cut off or hold wrong bytes: what is lost is reported, what is left is read, and nothing panics.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use std::path::{Path, PathBuf};

use crate::runs::plain;
use proptest::prelude::*;
use record::{DiskCounters, Run, Sample};
use runfile::{RunfileError, read, read_what_can_be, write};
use workload::Nanos;

/// Returns a run of an hour with five devices.
fn watched() -> Run {
    let disk = |n: u64, name: &str| {
        let counters = DiskCounters { reads: 3000 * n, sectors_read: 24_000 * n, ..DiskCounters::default() };
        (name.into(), counters)
    };
    let sample = |n: u64| Sample {
        at: Nanos::from_secs(n),
        disks: ["sda", "sda1", "sdb", "md0", "dm-0"].map(|name| disk(n, name)).to_vec(),
        ..Sample::default()
    };
    Run { samples: (0..3600).map(sample).collect(), ..plain() }
}

fn stored(dir: &Path) -> (PathBuf, Vec<u8>) {
    let path = write(runfile::at(&dir.join("whole.plimsoll")), &watched()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (dir.join("broken.plimsoll"), bytes)
}

fn words(troubles: &[RunfileError]) -> String {
    troubles.iter().map(|trouble| format!("{trouble}\n")).collect()
}

#[test]
fn a_whole_file_has_no_troubles() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(runfile::at(&dir.path().join("r.plimsoll")), &watched()).unwrap();
    let (run, troubles) = read_what_can_be(&path).unwrap();
    assert_eq!((run, troubles.len()), (watched(), 0));
}

#[test]
fn a_copy_that_was_cut_off_says_so_and_gives_its_first_part() {
    let dir = tempfile::tempdir().unwrap();
    let (path, bytes) = stored(dir.path());
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let (run, troubles) = read_what_can_be(&path).unwrap();
    let expected =
        format!("by its own account it has {} bytes, and {} are there", bytes.len(), bytes.len() / 2);
    assert!(troubles[0].to_string().contains(&expected), "{}", troubles[0]);
    assert!(troubles[0].to_string().contains("broken.plimsoll"));
    assert_eq!(run.steps, watched().steps, "what was written first is whole");
    assert!((100..3600).contains(&run.samples.len()), "{}", run.samples.len());
    let whole = watched().samples;
    assert!(run.samples.iter().all(|sample| whole.iter().any(|other| other.at == sample.at)));
    assert!(matches!(read(&path), Err(RunfileError::CutOff { .. })));
}

/// Returns the bytes of three consecutive pages in the middle of a table, which hold nothing but its rows.
fn pages_in_the_middle(bytes: &[u8]) -> std::ops::Range<usize> {
    let middle = bytes.len() / 2 / 4096;
    middle..middle + 3
}

#[test]
fn pages_that_cannot_be_read_are_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let (path, mut bytes) = stored(dir.path());
    for page in pages_in_the_middle(&bytes) {
        bytes[page * 4096..page * 4096 + 200].fill(0xff);
    }
    std::fs::write(&path, &bytes).unwrap();
    let (run, troubles) = read_what_can_be(&path).unwrap();
    let words = words(&troubles);
    assert!(words.contains("rows were expected after row"), "{words}");
    assert!(words.contains("broken.plimsoll is damaged in table '"), "{words}");
    let whole = watched();
    assert_eq!(run.steps, whole.steps);
    let disks = |run: &Run| run.samples.iter().map(|sample| sample.disks.len()).sum::<usize>();
    assert!(run.samples.len() > 3300, "{} samples are left", run.samples.len());
    assert!(disks(&run) > disks(&whole) * 9 / 10, "{} of {} rows are left", disks(&run), disks(&whole));
    assert_eq!(run.samples.last(), whole.samples.last(), "what stands behind the damage is read");
}

#[test]
fn one_wrong_row_costs_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(runfile::at(&dir.path().join("r.plimsoll")), &watched()).unwrap();
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(
        "UPDATE interval SET direction = 'sideways' WHERE interval = 2;
         UPDATE disk_counters SET reads = 'many' WHERE counters IN (11, 12, 500)",
    )
    .unwrap();
    drop(conn);
    let (run, troubles) = read_what_can_be(&path).unwrap();
    let words = words(&troubles);
    assert!(
        words.contains("row 2: it holds 'sideways' where read, write, trim or flush was expected"),
        "{words}"
    );
    assert!(
        words.contains("'disk_counters': row 11: ") && words.contains("2 more places like it"),
        "{words}"
    );
    assert_eq!(run.steps[0].intervals.len(), 4);
    assert_eq!(run.samples.len(), 3600);
    assert_eq!(run.samples[2].disks.len(), 3);
    assert_eq!(run.samples[3].disks.len(), 5);
}

#[test]
fn a_file_of_which_nothing_is_left_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let (path, bytes) = stored(dir.path());
    std::fs::write(&path, &bytes[..200]).unwrap();
    let error = read_what_can_be(&path).unwrap_err();
    assert!(error.to_string().contains("broken.plimsoll"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    /// Bytes anywhere but in the header's magic are flipped, and the file may end anywhere.
    #[test]
    fn no_damage_makes_it_panic(
        at in proptest::collection::vec((0.0f64..1.0, any::<u8>(), 1usize..64), 1..6),
        end in proptest::option::weighted(0.4, 0.0f64..1.0),
    ) {
        thread_local! {
            static WHOLE: (tempfile::TempDir, PathBuf, Vec<u8>) = {
                let dir = tempfile::tempdir().unwrap();
                let (path, bytes) = stored(dir.path());
                (dir, path, bytes)
            };
        }
        WHOLE.with(|(_, path, whole)| {
            let mut bytes = whole.clone();
            for (place, value, length) in at {
                let from = 16 + ((bytes.len() - 17) as f64 * place) as usize;
                let to = (from + length).min(bytes.len());
                bytes[from..to].fill(value);
            }
            if let Some(end) = end {
                bytes.truncate((bytes.len() as f64 * end) as usize);
            }
            std::fs::write(path, bytes).unwrap();
            match read_what_can_be(path) {
                Ok((run, troubles)) => assert!(run.samples.len() <= 3600 + 64 || !troubles.is_empty()),
                Err(error) => assert!(error.to_string().contains("broken.plimsoll"), "{error}"),
            }
        });
    }
}
