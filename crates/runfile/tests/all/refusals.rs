//! What is refused, and whether the words name the remedy.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use std::path::Path;

use crate::runs::{plain, second};
use record::Run;
use runfile::{RunfileError, SCHEMA_VERSION, SameDevice, WriteError, Writer, read, write};
use testbed::{Lack, skipped};

fn header() -> Run {
    Run::started(vec!["plimsoll".into()], 0)
}

fn stored(dir: &Path) -> std::path::PathBuf {
    write(runfile::at(&dir.join("r.plimsoll")), &plain()).unwrap()
}

fn change(path: &Path, sql: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_run_file_is_never_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path());
    let before = std::fs::read(&path).unwrap();
    let error = Writer::create(runfile::at(&path), &header(), SameDevice::No).unwrap_err();
    assert!(matches!(error, WriteError::Exists { .. }));
    assert!(error.to_string().contains("choose another name"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// The state after a kill in the first moment: the bytes that the file is made of, and nothing beside them.
#[test]
fn a_run_file_is_readable_from_its_first_moment_without_anything_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.plimsoll");
    let born = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let run = read(&path).unwrap();
        assert_eq!((run.words, run.complete), (header().words, false));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "reading left something behind");
        // SQLite's own tools may open it and write to it.
        let copy = dir.path().join("copy");
        std::fs::write(&copy, bytes).unwrap();
        change(&copy, "DELETE FROM run");
        Ok(path.clone())
    };
    let writer = Writer::create(born, &header(), SameDevice::No).unwrap();
    assert_eq!(read(&path).unwrap().words, header().words);
    writer.finish().unwrap();
    assert!(read(&path).unwrap().complete);
}

#[test]
fn a_link_in_the_place_of_a_run_file_is_not_written_through() {
    let dir = tempfile::tempdir().unwrap();
    let victim = stored(dir.path());
    let before = std::fs::read(&victim).unwrap();
    let path = dir.path().join("link.plimsoll");
    let born = |_: &[u8]| {
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        Ok(path.clone())
    };
    Writer::create(born, &header(), SameDevice::No).unwrap_err();
    assert_eq!(std::fs::read(&victim).unwrap(), before);
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let error = Writer::create(runfile::at(&dir.path().join("no/r.plimsoll")), &header(), SameDevice::No)
        .unwrap_err();
    assert!(error.to_string().contains("choose a directory that exists"), "{error}");
}

#[test]
fn rows_without_a_step_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer =
        Writer::create(runfile::at(&dir.path().join("r.plimsoll")), &header(), SameDevice::No).unwrap();
    assert!(matches!(writer.interval(&second(0, 1)), Err(WriteError::NoStep { .. })));
    assert!(matches!(writer.step_ended(&plain().steps[0]), Err(WriteError::NoStep { .. })));
}

#[test]
fn what_is_no_run_file_is_called_by_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.plimsoll");
    for (contents, name) in [
        (&b""[..], "empty"),
        (b"{\"fio version\": \"fio-3.33\"}", "JSON"),
        (b"<Results>", "XML"),
        (b"plain words", "text"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"\x7fELF\xff\xfe\x00", "binary"),
        (b"SQLite format 3\0", "another program"),
    ] {
        std::fs::write(&path, contents).unwrap();
        let error = read(&path).unwrap_err();
        assert!(matches!(error, RunfileError::NotARunFile { .. }), "{name}: {error}");
        assert!(error.to_string().contains(name), "{name}: {error}");
    }
    assert!(read(dir.path()).unwrap_err().to_string().contains("a directory"));
    assert!(read(Path::new("/dev/null")).unwrap_err().to_string().contains("a device"));
    assert!(matches!(read(&dir.path().join("none")), Err(RunfileError::NotFound { .. })));
}

#[test]
fn another_programs_database_and_a_later_version_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path());
    change(&path, &format!("PRAGMA user_version = {}", SCHEMA_VERSION + 1));
    let error = read(&path).unwrap_err();
    assert!(
        matches!(error, RunfileError::Newer { .. }) && error.to_string().contains("update plimsoll"),
        "{error}"
    );
    change(&path, "PRAGMA application_id = 1");
    assert!(matches!(read(&path), Err(RunfileError::NotARunFile { .. })));
}

#[test]
fn damage_names_its_table() {
    for (table, sql) in [
        ("run", "DELETE FROM run"),
        ("step", "UPDATE step SET plan = 'nonsense'"),
        ("interval", "UPDATE interval SET direction = 'sideways'"),
        ("interval", "UPDATE interval SET step = 9"),
        ("interval", "UPDATE interval_histogram SET due_to_done = x'ff'"),
        ("worker_direction", "DROP TABLE worker_direction"),
        ("disk_counters", "UPDATE disk_counters SET sample = 99"),
        ("phase", "INSERT INTO phase VALUES (1, 'p', 'party', NULL, NULL, NULL, 0, 1)"),
        ("event", "UPDATE event SET kind = 'party'"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = stored(dir.path());
        change(&path, sql);
        match read(&path) {
            Err(RunfileError::Damaged { table: named, .. }) => assert_eq!(named, table, "{sql}"),
            other => panic!("{sql}: {other:?}"),
        }
    }
}

#[test]
fn random_damage_never_panics() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path());
    let whole = std::fs::read(&path).unwrap();
    let broken = dir.path().join("broken.plimsoll");
    for n in 0..200usize {
        let mut bytes = whole.clone();
        // A fixed walk over the file after its first page's header: the same places on every machine.
        let at = 100 + n.wrapping_mul(7919) % (bytes.len() - 100);
        bytes[at] ^= 0xff;
        bytes.truncate(if n % 5 == 0 { at } else { bytes.len() });
        std::fs::write(&broken, bytes).unwrap();
        let _ = read(&broken);
    }
}

/// A mount that is also unmounted when the test fails.
struct SmallMount(std::path::PathBuf);

impl Drop for SmallMount {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

/// Mounts a tmpfs of this size on `dir`; `None`, with the reason printed, if that is impossible.
fn small_disk(dir: &Path, size: &str) -> Option<SmallMount> {
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", &format!("size={size}"), "plimsoll-test"])
        .arg(dir)
        .stderr(std::process::Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        skipped(Lack::Root, "a small tmpfs cannot be mounted here (needs root)");
        return None;
    }
    Some(SmallMount(dir.to_owned()))
}

#[test]
fn a_full_disk_is_named_and_what_was_written_stays_readable() {
    let dir = tempfile::tempdir().unwrap();
    let Some(guard) = small_disk(dir.path(), "2m") else { return };
    let path = dir.path().join("r.plimsoll");
    let run = plain();
    let mut writer = Writer::create(runfile::at(&path), &header(), SameDevice::No).unwrap();
    writer.step_started(&run.steps[0].plan, run.steps[0].started).unwrap();
    writer.interval(&second(0, 10)).unwrap();
    writer.commit().unwrap();
    let many: Vec<u64> = (0..20_000).map(|n| n * 7919).collect();
    let mut interval = second(1, 0);
    interval.directions[0] = crate::runs::recorded(4096, &many);
    let error =
        (0..1000).find_map(|_| writer.interval(&interval).and_then(|()| writer.commit()).err()).unwrap();
    assert!(matches!(error, WriteError::Full { .. }), "{error}");
    assert!(error.to_string().contains("Make room"), "{error}");
    drop(writer);
    let run = read(&path).unwrap();
    assert!(!run.steps[0].intervals.is_empty() && !run.complete);
    drop(guard);
}

#[test]
fn a_file_from_before_there_were_imports_stays_readable() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.plimsoll");
    Writer::create(runfile::at(&path), &header(), SameDevice::No).unwrap().finish().unwrap();
    change(&path, "DROP VIEW reported_direction; DROP TABLE reported; DROP TABLE reported_point");
    assert!(read(&path).unwrap().reported.is_empty());
}

/// Returns sample `n` with twenty devices.
fn wide(n: u64) -> record::Sample {
    let one = crate::runs::sample(n);
    let disks = (0..20).map(|disk| (format!("sd{disk}").into(), one.disks[0].1)).collect();
    record::Sample { disks, ..one }
}

#[test]
fn a_watch_goes_on_over_a_full_disk_and_when_there_is_room_again_so_does_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let Some(guard) = small_disk(dir.path(), "2m") else { return };
    let ballast = dir.path().join("ballast");
    std::fs::write(&ballast, vec![1; 1 << 20]).unwrap();
    let path = dir.path().join("r.plimsoll");
    let mut writer = Writer::create(runfile::at(&path), &header(), SameDevice::No).unwrap();
    let mut keep = |n: u64| writer.sample(&wide(n)).and_then(|()| writer.commit());
    let full = (0..5000).find(|n| keep(*n).is_err()).expect("the disk never filled");
    let refused = (full + 1..full + 20).filter(|n| keep(*n).is_err()).count();
    assert!(refused > 0, "it was full for one sample only");
    // What is there is readable meanwhile.
    assert!(read(&path).unwrap().samples.len() >= full as usize - 1);

    std::fs::remove_file(&ballast).unwrap();
    (full + 20..full + 30).for_each(|n| keep(n).unwrap());
    writer.finish().unwrap();
    let run = read(&path).unwrap();
    assert!(run.complete);
    assert!(
        run.samples.iter().all(|sample| *sample == wide(sample.at.0 / 1_000_000_000)),
        "a sample is torn"
    );
    assert_eq!(run.samples.last(), Some(&wide(full + 29)));
    // In the rates that people query, the gap shows as a longer span or as no rate, never as a false one.
    let conn = rusqlite::Connection::open(&path).unwrap();
    let rate = "SELECT min(reads_per_s), max(reads_per_s) FROM disk_per_second";
    let rates = conn.query_row(rate, [], |row| Ok((row.get::<_, f64>(0)?, row.get::<_, f64>(1)?))).unwrap();
    assert_eq!(rates, (3000.0, 3000.0));
    drop((conn, guard));
}
