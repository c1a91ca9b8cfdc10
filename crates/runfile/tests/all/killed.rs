//! A run whose process is killed with SIGKILL: nothing can be tidied up, and the file must still be readable.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::runs::{plain, plan, sample, second};
use record::Run;
use runfile::{SameDevice, Writer, read};
use workload::{Ending, Mix, Nanos};

/// Environment variable of the child that plays the victim: the path of its run file.
const VICTIM: &str = "PLIMSOLL_TEST_VICTIM";
/// Environment variable of the child that watches: the path of its run file.
const WATCHER: &str = "PLIMSOLL_TEST_WATCHER";

/// Not a test: the child's part when the other test starts this binary again. It ends one step (and so
/// checkpoints), goes on writing the next, reports that, and waits to be killed.
#[test]
fn victim() {
    let Some(path) = std::env::var_os(VICTIM) else { return };
    let whole = plain();
    let header = Run { steps: vec![], samples: vec![], events: vec![], findings: vec![], ..whole.clone() };
    let mut writer = Writer::create(runfile::at(Path::new(&path)), &header, SameDevice::Yes).unwrap();
    writer.step_started(&whole.steps[0].plan, Nanos::ZERO).unwrap();
    writer.step_ended(&whole.steps[0]).unwrap();
    writer.step_started(&plan("next", Mix::READ, 8), Nanos::from_secs(5)).unwrap();
    (5..9).for_each(|n| writer.interval(&second(n, 50)).unwrap());
    writer.commit().unwrap();
    // These stay in the open transaction and are lost with the process.
    writer.interval(&second(9, 50)).unwrap();
    // The harness writes the test's name in front, on the same line.
    println!("\nwaiting");
    std::io::stdout().flush().unwrap();
    std::thread::park();
}

/// Not a test: stores a sample a second, as a watch does, and prints which it has stored.
#[test]
fn watching_victim() {
    let Some(path) = std::env::var_os(WATCHER) else { return };
    let mut writer =
        Writer::create(runfile::at(Path::new(&path)), &Run::started(vec![], 0), SameDevice::No).unwrap();
    for n in 0.. {
        writer.sample(&sample(n)).unwrap();
        println!("\nstored {n}");
        std::io::stdout().flush().unwrap();
        // A little early, as ticks on a grid sometimes are.
        std::thread::sleep(std::time::Duration::from_millis(980));
    }
}

struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(path: &Path) -> Victim {
    start_and_wait(("killed::victim", VICTIM), path, "waiting")
}

/// Starts a victim by name and variable, and waits until it prints `word`.
fn start_and_wait((name, variable): (&str, &str), path: &Path, word: &str) -> Victim {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(variable, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let victim = Victim(child);
    assert!(
        lines.map_while(Result::ok).any(|line| line == word),
        "the child ended before it could be killed"
    );
    victim
}

#[test]
fn after_sigkill_the_file_holds_the_last_commit_and_its_copy_the_last_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.plimsoll");
    drop(start(&path));

    // The main file, copied alone: everything up to the checkpoint at the first step's end.
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("copy.plimsoll");
    std::fs::copy(&path, &copy).unwrap();
    let run = read(&copy).unwrap();
    assert_eq!(run.steps, plain().steps);
    assert!(!run.complete);
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1, "reading left something behind");

    // With the -wal beside it: everything up to the last commit, the second step rebuilt.
    let run = read(&path).unwrap();
    assert_eq!(run.steps.len(), 2);
    assert_eq!(run.steps[0], plain().steps[0]);
    let cut = &run.steps[1];
    assert_eq!((cut.intervals.len(), cut.ending, cut.ended), (4, Ending::Interrupted, Nanos::from_secs(9)));

    // Any SQLite also opens the copy, and may write to it.
    let other = rusqlite::Connection::open(&copy).unwrap();
    let ops: i64 = other.query_row("SELECT sum(ops) FROM interval", [], |row| row.get(0)).unwrap();
    assert_eq!(ops, 9900);
}

#[test]
fn a_killed_run_is_readable_while_others_may_not_write_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.plimsoll");
    drop(start(&path));
    let before = std::fs::read(&path).unwrap();
    assert_eq!(read(&path).unwrap(), read(&path).unwrap());
    assert_eq!(std::fs::read(&path).unwrap(), before, "reading changed the file");
}

#[test]
fn a_killed_watch_has_kept_every_sample_up_to_the_last_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r.plimsoll");
    drop(start_and_wait(("killed::watching_victim", WATCHER), &path, "stored 3"));
    let run = read(&path).unwrap();
    assert_eq!(run.samples, (0..4).map(sample).collect::<Vec<_>>());
    assert!(!run.complete);
}
