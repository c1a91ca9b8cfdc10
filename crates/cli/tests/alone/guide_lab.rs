//! The guide on lab volumes, run as printed (needs root), and what `lab run` and a volume whose credits drain leave behind.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::lab_check::Traces;
use crate::machine::*;

/// Words that the guide prints, and those that are run instead.
const SHORTER: [(&str, &str); 1] = [("--runtime=10", "--runtime=3")];

/// Returns the guide's blocks of commands.
fn blocks() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/lab.md");
    let text = fs::read_to_string(path).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    blocks.collect()
}

/// Returns the only block that contains these words, shortened.
fn block(words: &str) -> String {
    let found: Vec<String> = blocks().into_iter().filter(|block| block.contains(words)).collect();
    assert_eq!(found.len(), 1, "{words}: {found:?}");
    SHORTER.iter().fold(found[0].clone(), |text, (long, short)| text.replace(long, short))
}

/// Runs a block of the guide in a folder of its own.
fn typed(folder: &Folder, block: &str) -> ProgramOutput {
    let bin = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = folder.through("sh", &["-e", "-c", block]);
    ended(shell.current_dir(folder.path(".")).env("PATH", path))
}

fn has(tool: &str) -> bool {
    let found = std::process::Command::new("sh").args(["-c", &format!("command -v {tool}")]).output();
    let found = found.is_ok_and(|out| out.status.success());
    if !found {
        skipped(Lack::Tool, format!("{tool} is not installed"));
    }
    found
}

fn can_run(folder: &Folder) -> bool {
    if !root_or_skip("a throttled volume") {
        return false;
    }
    let made = ended(&mut folder.plimsoll(&["lab", "run", "custom,iops=100", "--size", "16M", "--", "true"]));
    if made.code != Some(0) {
        skipped(Lack::Kernel, made.err);
        return false;
    }
    true
}

/// Returns the reads a second that fio reports for one job.
fn reads(told: &str) -> f64 {
    let words = told.split("IOPS=").nth(1).unwrap_or_default();
    let word = words.split([',', ' ']).next().unwrap_or_default();
    match word.strip_suffix('k') {
        Some(thousands) => thousands.parse::<f64>().unwrap_or(f64::NAN) * 1000.0,
        None => word.parse().unwrap_or(f64::NAN),
    }
}

#[test]
#[ignore = "night: volumes of the lab"]
fn a_command_runs_on_a_volume_that_is_gone_afterwards() {
    let folder = Folder::new();
    if !can_run(&folder) || !has("fio") || !has("mkfs.ext4") || !has("blkid") {
        return;
    }
    let before = Traces::now();
    let neighbours = Neighbours::watch();
    let loaded = typed(&folder, &block("do-volumes-pre-burst"));
    assert_eq!(loaded.code, Some(0), "{}", loaded.err);
    if (reads(&loaded.out) / 5000.0 - 1.0).abs() > 0.03 {
        neighbours.excuse_or_fail(loaded.out);
    }
    let made = typed(&folder, &block("mkfs.ext4"));
    assert_eq!((made.code, made.out.trim()), (Some(0), "ext4"), "{}", made.err);
    assert!(comes_true(|| left_of("custom,iops=500", &before).is_empty()), "{:?}", Traces::now());
}

/// Returns traces of this policy's volumes that are new since `before`. Other programs may make and remove theirs meanwhile.
fn left_of(policy: &str, before: &Traces) -> Vec<String> {
    let now = Traces::now().0;
    now.difference(&before.0).filter(|trace| trace.contains(policy)).cloned().collect()
}

/// 20 s at 3,000 a second, then 300.
#[test]
#[ignore = "night: volumes of the lab"]
fn credits_drain_as_the_guide_says() {
    let folder = Folder::new();
    if !can_run(&folder) || !has("fio") {
        return;
    }
    let neighbours = Neighbours::watch();
    let loaded = typed(&folder, &block("--runtime=30"));
    assert_eq!(loaded.code, Some(0), "{}", loaded.err);
    let expected = (20.0 * 3000.0 + 10.0 * 300.0) / 30.0;
    if (reads(&loaded.out) / expected - 1.0).abs() > 0.04 {
        neighbours.excuse_or_fail(format!("{} of {expected}: {}", reads(&loaded.out), loaded.out));
    }
}

/// Returns the note files of keepers.
fn notes() -> Vec<String> {
    let all = fs::read_dir("/run").unwrap().flatten().map(|entry| text(&entry.path()));
    all.filter(|path| path.contains("plimsoll-lab-")).collect()
}

#[cfg_attr(test, allow(dead_code, reason = "a witness"))]
pub fn a_volume_that_stays_is_kept_until_it_is_taken_down() {
    let folder = Folder::new();
    if !can_run(&folder) {
        return;
    }
    let (before, others) = (Traces::now(), notes());
    let stayed = typed(&folder, &block("lab up"));
    assert_eq!(stayed.code, Some(0), "{}", stayed.err);
    assert!(stayed.out.contains("% of its credits left"), "{}", stayed.out);
    assert!(comes_true(|| left_of("speed=100", &before).is_empty()), "{:?}", Traces::now());
    let left: Vec<String> = notes().into_iter().filter(|note| !others.contains(note)).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Whether the keeper of a lower loop device is running: it locks the note with the device's number.
fn has_keeper(device: &kernel::lab::AttachedLoop) -> bool {
    let note = fs::File::open(format!("/run/plimsoll-lab-{}", device.number));
    note.is_ok_and(|note| note.try_lock().is_err())
}

/// A volume whose credits nobody keeps would burst for ever.
#[test]
#[ignore = "night: volumes of the lab"]
fn killed_at_any_moment_a_volume_with_credits_is_kept_or_gone() {
    let folder = Folder::new();
    if !can_run(&folder) {
        return;
    }
    for (number, moment) in [100, 200, 250, 300, 350, 400, 500, 800].into_iter().enumerate() {
        let policy = format!("aws-gp2,size={}GiB", 101 + number);
        let (before, others) = (Traces::now(), notes());
        let words = ["lab", "up", &policy, "--speed", "100", "--size", "32M"];
        let running = Running::start(&mut folder.plimsoll(&words));
        std::thread::sleep(std::time::Duration::from_millis(moment));
        running.signal("KILL");
        running.wait();
        let is_clean =
            || left_of(&policy, &before).is_empty() && notes().iter().all(|note| others.contains(note));
        let lower = || {
            let mut all = kernel::lab::loops(Path::new("/")).into_iter();
            all.find(|device| text(&device.backing).contains(&policy))
        };
        let kept = || lower().is_some_and(|lower| has_keeper(&lower));
        assert!(comes_true(|| is_clean() || kept()), "{moment} ms: {:?}", left_of(&policy, &before));
        if let Some(lower) = lower() {
            let node = text(&Path::new("/dev").join(&lower.name));
            let down = ended(&mut folder.plimsoll(&["lab", "down", &node]));
            assert_eq!(down.code, Some(0), "{}", down.err);
        }
        assert!(comes_true(is_clean), "{moment} ms: {:?} {:?}", left_of(&policy, &before), notes());
    }
}

#[test]
#[ignore = "night: volumes of the lab"]
fn the_exit_code_is_that_of_the_command() {
    let folder = Folder::new();
    if !can_run(&folder) {
        return;
    }
    let run = |words: &[&str]| {
        let fixed = ["lab", "run", "custom,iops=100", "--size", "16M", "--"];
        ended(&mut folder.plimsoll(&[&fixed, words].concat()))
    };
    assert_eq!(run(&["sh", "-c", "test {} = $PLIMSOLL_DEVICE && exit 7"]).code, Some(7));
    assert_eq!(run(&["sh", "-c", "kill -9 $$"]).code, Some(137));
    let missing = run(&["no-such-command"]);
    assert_eq!(missing.code, Some(127), "{}", missing.err);
}

/// Ctrl-C and kill -9, with a controller at work.
#[test]
#[ignore = "night: volumes of the lab"]
fn an_interrupted_or_killed_run_leaves_nothing() {
    let folder = Folder::new();
    if !can_run(&folder) {
        return;
    }
    for signal in ["INT", "TERM", "KILL"] {
        let before = Traces::now();
        let words =
            ["lab", "run", "aws-gp2,size=100GiB", "--speed", "100", "--size", "32M", "--", "sleep", "5"];
        let mut running = Running::start(&mut folder.plimsoll(&words));
        assert!(running.has_said("The data lies in"), "{}", running.wait().err);
        std::thread::sleep(std::time::Duration::from_millis(300));
        running.signal(signal);
        let ended = running.wait();
        if signal != "KILL" {
            assert!(matches!(ended.code, Some(130 | 143)), "{signal}: {:?} {}", ended.code, ended.err);
        }
        let gone = comes_true(|| left_of("speed=100", &before).is_empty());
        assert!(gone, "{signal} leaves {:?}", Traces::now());
    }
}
