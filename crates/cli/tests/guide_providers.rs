//! The guide on comparing providers, run as it is printed: on two throttled volumes set up like the two (needs root), and
//! on two simulated ones. Sizes are shortened.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod machine;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use machine::*;
use serde_json::Value;

/// The published line has 4 GiB and ten requests; so much is moved here in less than three seconds at 3,000 a second.
const SHORTER: [(&str, &str); 2] = [("--size=4G", "--size=32M"), ("ioping -c 10", "ioping -c 3")];
/// What may lie between a figure and the limit, as a share: the steps last three seconds, and the throttle works in
/// slices of a tenth.
const SHARE: f64 = 0.06;

fn guide() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/compare-providers.md");
    fs::read_to_string(path).unwrap()
}

/// The blocks of the guide in this language.
fn blocks(language: &str) -> Vec<String> {
    let text = guide();
    let opening = format!("```{language}\n");
    let found = text.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    found.collect()
}

/// Runs the lines of a block in `folder`, shortened, each to its end.
fn typed(test: &Folder, folder: &Path, line: &str) -> Ended {
    let line = SHORTER.iter().fold(line.to_owned(), |line, (long, short)| line.replace(long, short));
    let bin = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = test.through("sh", &["-c", &line]);
    ended(shell.current_dir(folder).env("PATH", path))
}

fn all_typed(test: &Folder, folder: &Path, block: &str) {
    for line in block.lines() {
        let ended = typed(test, folder, line);
        assert_eq!(ended.code, Some(0), "{line}: {}", ended.err);
    }
}

/// A throttled volume with a file system, gone with the test.
struct Volume {
    point: PathBuf,
    limits: Vec<(PathBuf, String)>,
    _mount: Undo,
    _lab: Undo,
}

const LIMITS: [&str; 2] = ["blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device"];

/// Every limit on operations of any device: file and `major:minor rate`.
fn limits() -> Vec<(PathBuf, String)> {
    let files = LIMITS.map(|name| Path::new("/sys/fs/cgroup/blkio").join(name));
    let of = |file: PathBuf| {
        let text = fs::read_to_string(&file).unwrap_or_default();
        text.lines().map(|line| (file.clone(), line.to_owned())).collect::<Vec<_>>()
    };
    files.into_iter().flat_map(of).collect()
}

impl Volume {
    /// `None`, with the reason printed, where this machine has none.
    fn up(test: &Folder, name: &str, policy: &str) -> Option<Volume> {
        let before = limits();
        let up = ended(&mut test.plimsoll(&["lab", "up", policy, "--size", "256M"]));
        if up.code != Some(0) {
            eprintln!("skipped: {}", up.err);
            return None;
        }
        let device = up.out.trim().to_owned();
        let lab = Undo::by(&[env!("CARGO_BIN_EXE_plimsoll"), "lab", "down", &device]);
        let point = test.make_dir(name);
        if !run(&["mkfs.ext4", "-q", "-E", "nodiscard", &device]) || !run(&["mount", &device, &text(&point)])
        {
            return None;
        }
        let mount = Undo::by(&["umount", &text(&point)]);
        let limits = limits().into_iter().filter(|limit| !before.contains(limit)).collect();
        Some(Volume { point, limits, _mount: mount, _lab: lab })
    }

    /// Holds reads and writes to these shares of what they are held to: the kernel counts each direction by itself, where
    /// the provider counts both together.
    fn share(&self, reads: f64, writes: f64) {
        for (file, line) in &self.limits {
            let (device, rate) = line.split_once(' ').unwrap();
            let share = if file.ends_with(LIMITS[0]) { reads } else { writes };
            let rate = (rate.parse::<f64>().unwrap() * share).round();
            fs::write(file, format!("{device} {rate}")).unwrap();
        }
    }
}

fn figure(document: &Value, row: usize, side: usize) -> f64 {
    document["rows"][row]["figures"][side]["value"].as_f64().unwrap()
}

fn readings(document: &Value, side: u64) -> Vec<&str> {
    let all = document["readings"].as_array().unwrap().iter().filter(|reading| reading["side"] == side);
    all.map(|reading| reading["kind"].as_str().unwrap()).collect()
}

/// The throttle loses slices, or makes up for them, where the machine has no CPU for it.
const TRIES: usize = 3;

#[test]
fn the_guide_runs_on_two_throttled_volumes_and_reaches_what_the_data_support() {
    if !is_root() || !Path::new("/sys/fs/cgroup/blkio").join(LIMITS[0]).exists() {
        eprintln!("skipped: throttled volumes like these need root and the block controller of version 1");
        return;
    }
    let mut faults = Vec::new();
    for number in 1..=TRIES {
        let test = Folder::new();
        let Some(document) = on_throttled_volumes(&test) else { return };
        assert!(test.path("providers.html").exists());
        assert_eq!(document["rows"].as_array().unwrap().len(), 5, "four rates and a latency: {document:#}");
        faults = faults_of(&document);
        eprintln!("try {number}: {faults:#?}");
        if faults.is_empty() {
            return;
        }
    }
    panic!("{faults:#?}");
}

/// Runs the guide's lines on both volumes and compares; `None`, with the reason printed, where there are none.
fn on_throttled_volumes(test: &Folder) -> Option<Value> {
    let first = Volume::up(test, "a", "custom,read_iops=86630,write_iops=8850")?;
    let second = Volume::up(test, "b", "aws-gp2,size=50GiB,rate=burst")?;
    let blocks = blocks("sh");
    all_typed(test, &first.point, &blocks[0]);
    for line in blocks[0].lines() {
        let mixed = line.contains("--rwmixread=75");
        second.share(if mixed { 0.75 } else { 1.0 }, if mixed { 0.25 } else { 1.0 });
        let ended = typed(test, &second.point, line);
        assert_eq!(ended.code, Some(0), "{line}: {}", ended.err);
    }
    let compared = typed(test, &test.path("."), &format!("{} --format json", blocks[1].trim()));
    assert_eq!(compared.code, Some(0), "{}", compared.err);
    Some(compared.json())
}

/// How the comparison differs from what was set up.
fn faults_of(document: &Value) -> Vec<String> {
    let limits = [(0, 2250.0), (1, 750.0), (2, 3000.0), (3, 3000.0)];
    let off = limits.into_iter().filter_map(|(row, limit)| {
        let found = figure(document, row, 1);
        ((found / limit - 1.0).abs() >= SHARE).then(|| format!("row {row}: {found}, not {limit}"))
    });
    let mut faults: Vec<String> = off.collect();
    if readings(document, 1) != ["on_credits", "machine_credits"] {
        faults.push(format!("the second: {:#}", document["readings"]));
    }
    if !readings(document, 0).contains(&"no_cap_seen") {
        faults.push(format!("the first: {:#}", document["readings"]));
    }
    faults
}

#[test]
fn the_guide_runs_on_two_simulated_volumes() {
    let test = Folder::new();
    fs::write(test.path("four.toml"), &blocks("toml")[0]).unwrap();
    let block = &blocks("sh")[2];
    let (runs, compare) = block.trim().rsplit_once('\n').unwrap();
    all_typed(&test, &test.path("."), runs);
    let document = typed(&test, &test.path("."), &format!("{compare} --format json")).json();
    assert_eq!(readings(&document, 1), ["on_credits"], "{:#}", document["readings"]);
    let credits = &document["readings"].as_array().unwrap().iter().find(|found| found["side"] == 1).unwrap();
    assert_eq!((&credits["at_burst"], &credits["baseline_seen"]), (&3.into(), &false.into()), "{credits:#}");
    for (row, wanted) in [(0, (26_550.0, 2_250.0)), (2, (86_630.0, 3_000.0)), (3, (8_850.0, 3_000.0))] {
        let found = (figure(&document, row, 0), figure(&document, row, 1));
        assert!((found.0 / wanted.0 - 1.0).abs() < 0.03, "row {row}: {found:?}, not {wanted:?}");
        assert!((found.1 / wanted.1 - 1.0).abs() < 0.03, "row {row}: {found:?}, not {wanted:?}");
        assert!(document["rows"][row]["ratios"][1]["interval"].is_array());
    }
}

/// What the guide prints as the comparison's table is what the comparison prints.
#[test]
fn the_table_of_the_guide_is_the_one_that_is_printed() {
    let test = Folder::new();
    let sides = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/providers");
    let words =
        [format!("do={}", sides.join("do").display()), format!("aws={}", sides.join("aws").display())];
    let printed = ended(&mut test.plimsoll(&["compare", &words[0], &words[1]])).out;
    let table = blocks("").into_iter().find(|block| block.contains("aws/do")).unwrap();
    assert!(printed.contains(table.trim_end()), "{printed}\nthe guide has\n{table}");
}

/// The installed programs, where they are, take the same lines.
#[test]
fn the_lines_are_those_of_the_tools_they_name() {
    let fio = Command::new("fio").arg("--version").output();
    if fio.is_err() {
        eprintln!("skipped: fio is not installed");
        return;
    }
    for line in blocks("sh")[0].lines().filter(|line| line.starts_with("plimsoll fio")) {
        let words: Vec<&str> =
            line.split_whitespace().skip(2).filter(|word| !word.starts_with("--output")).collect();
        let parsed = Command::new("fio").arg("--parse-only").args(&words).output().unwrap();
        assert!(parsed.status.success(), "{line}: {}", String::from_utf8_lossy(&parsed.stderr));
    }
}
