//! The guide on watching, run as printed, on the throttled volume that it sets up (needs root) and on recordings.
//! Phases and sizes are shortened.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::machine::*;
use serde_json::Value;

/// Words that the guide prints, and those that are run: a minute becomes a few seconds, a gibibyte what such a volume
/// lays out at once.
const SHORTER: [(&str, &str); 7] = [
    ("--cycle 60s", "--cycle 5s"),
    ("--every 10s", "--every 1s"),
    ("--for 60s", "--for 3s"),
    ("--for 24h", "--for 3s"),
    ("JSON 10 30", "JSON 1 3"),
    ("--size 2GiB", "--size 256MiB"),
    ("size=1GB", "size=64MB"),
];
/// The throttle's caps for reads and writes, and the contract's rates.
const CAPS: [f64; 2] = [840.0, 360.0];
const RATES: [f64; 2] = [700.0, 300.0];
/// Largest accepted difference between a figure and what was set, as a share.
const SHARE: f64 = 0.02;
/// Least factor by which queue and latency grow; on an idle machine it is a thousand.
const GROWN: f64 = 5.0;
/// Most tries: if the machine lacks CPU for a moment, the throttle loses a slice, or makes up for one.
const TRIES: usize = 3;

fn shortened(text: &str) -> String {
    SHORTER.iter().fold(text.to_owned(), |text, (long, short)| text.replace(long, short))
}

/// Returns the guide's code blocks in this language.
fn blocks(language: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/watch.md");
    let text = fs::read_to_string(path).unwrap();
    let opening = format!("```{language}\n");
    text.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Returns the only block of commands that contains these words.
fn block(words: &str) -> String {
    let found: Vec<String> = blocks("sh").into_iter().filter(|block| block.contains(words)).collect();
    assert_eq!(found.len(), 1, "{words}: {found:?}");
    found.into_iter().next().unwrap()
}

/// A folder with the guide's job file, in which its commands are run.
struct Desk {
    folder: Folder,
    /// Where the volume is mounted.
    volume: PathBuf,
}

impl Desk {
    fn new() -> Desk {
        let folder = Folder::new();
        fs::write(folder.path("runfio.cfg"), shortened(&blocks("ini")[0])).unwrap();
        let volume = folder.path("volume");
        Desk { folder, volume }
    }

    /// Runs `block`, shortened, to its end.
    fn typed(&self, block: &str) -> ProgramOutput {
        let block = shortened(block).replace("/mnt/volume", &text(&self.volume));
        let bin = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        let mut shell = self.folder.through("sh", &["-e", "-c", &block]);
        ended(shell.current_dir(self.folder.path(".")).env("PATH", path))
    }

    /// Returns the JSON report of the run in this folder.
    fn reported(&self, folder: &str) -> Value {
        let run = run_file(&self.folder.path(folder));
        let page = self.folder.text("again.html");
        ended(&mut self.folder.plimsoll(&["report", &run, "--html", &page, "--format", "json"])).json()
    }

    /// Makes the volume as the guide does; returns `None`, with the reason printed, if this machine cannot.
    fn volume(&self) -> Option<Volume> {
        if !root_or_skip("a throttled volume") {
            return None;
        }
        let made = self.typed(&format!("{}echo \"$device\"\n", block("lab up")));
        let device = made.out.trim().to_owned();
        if made.code != Some(0) {
            skipped(Lack::Kernel, made.err);
            return None;
        }
        let lab = Undo::by(&[env!("CARGO_BIN_EXE_plimsoll"), "lab", "down", &device]);
        let mount = Undo::by(&["umount", &text(&self.volume)]);
        Some(Volume { device, _mount: mount, _lab: lab })
    }
}

/// A mounted volume; removed when dropped.
struct Volume {
    device: String,
    _mount: Undo,
    _lab: Undo,
}

impl Volume {
    fn name(&self) -> String {
        self.device.trim_start_matches("/dev/").to_owned()
    }

    /// Returns the device below it.
    fn below(&self) -> String {
        let file = format!("/sys/block/{}/loop/backing_file", self.name());
        fs::read_to_string(file).unwrap().trim().trim_start_matches("/dev/").to_owned()
    }
}

fn ok(ended: &ProgramOutput) {
    assert_eq!(ended.code, Some(0), "{}\n{}", ended.out, ended.err);
}

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() <= SHARE
}

/// Whether plimsoll itself lacked CPU and gave no verdict: such a machine proves nothing about a latency.
fn short_of_cpu(document: &Value) -> bool {
    let short =
        document["verdict"]["answer"] == "cannot_tell" && finding(document, "generator_bound").is_some();
    if short {
        skipped(Lack::Cpu, format!("the contract, for want of CPU: {}", document["verdict"]["sentence"]));
    }
    short
}

fn alike(found: [f64; 2], expected: [f64; 2]) -> bool {
    // The first second of a phase counts, in which the first requests fill the queue.
    found.iter().zip(expected).all(|(found, expected)| (found / expected - 1.0).abs() <= 0.03)
}

/// Returns reads and writes a second of the load phase `step`.
fn rates(document: &Value, step: &str) -> [f64; 2] {
    let jobs = document["jobs"].as_array().unwrap();
    ["read", "write"].map(|way| {
        let found = jobs.iter().find(|job| job["step"] == step && job["direction"] == way);
        found.unwrap_or_else(|| panic!("{step}, {way}: {jobs:#?}"))["iops"]["value"].as_f64().unwrap()
    })
}

fn finding<'d>(document: &'d Value, kind: &str) -> Option<&'d Value> {
    document["findings"].as_array().unwrap().iter().find(|finding| finding["kind"] == kind)
}

#[test]
#[ignore = "night: two minutes of real cycles"]
fn load_cycles_on_a_throttled_volume_keep_the_contract() {
    let desk = Desk::new();
    let Some(volume) = desk.volume() else { return };
    let neighbours = Neighbours::watch();
    let cycles = desk.typed(&block("--repeat 2"));
    ok(&cycles);
    for phase in ["idle 1", "load 1", "idle 2", "load 2", "idle 3"] {
        assert!(cycles.complained().contains(phase), "{phase}: {}", cycles.err);
    }
    let cycles = desk.reported("cycles");
    let reached = ["load 1", "load 2"].map(|step| rates(&cycles, step));
    // A machine short of CPU issues late for a while, and falls short of the rate in that phase.
    if !reached.iter().any(|found| alike(*found, RATES)) {
        neighbours.excuse_or_fail(format!("{reached:?}"));
    }
    let contract = desk.typed(&block("--repeat 1"));
    eprintln!("{}{}", contract.out, contract.err);
    assert!(contract.told().contains("within 30 ms") && contract.told().contains("p99"));
    if !short_of_cpu(&desk.reported("contract")) {
        ok(&contract);
        assert!(contract.told().contains("MEETS"));
    }
    let (above, below) = (volume.name(), volume.below());
    let named = format!("--device {above} --device {below} --describe {above}=");
    ok(&desk.typed(&block("md0").replace("--describe md0=", &named)));
    let page =
        fs::read_to_string(run_file(&desk.folder.path("stack")).replace(".plimsoll", ".html")).unwrap();
    for words in ["mirror of two", &above, &below] {
        assert!(page.contains(words), "{words} is not on the page");
    }
}

#[test]
#[ignore = "night: a minute of load"]
fn overload_shows_the_throttle_at_its_own_level_and_where_the_wait_goes() {
    let neighbours = Neighbours::watch();
    let mut faults = Vec::new();
    for number in 1..=TRIES {
        let desk = Desk::new();
        let Some(_volume) = desk.volume() else { return };
        let overload = desk.typed(&block("--scale"));
        eprintln!("try {number}: {}", overload.out);
        faults = faults_of(&desk.reported("overload"));
        eprintln!("try {number}: {faults:#?}");
        if faults.is_empty() {
            return assert_drawn(&desk);
        }
    }
    neighbours.excuse_or_fail(format!("{faults:#?}"));
}

/// In virtual time it needs no root, suffers no noise, and every figure is exact.
#[test]
fn the_simulated_volume_of_the_guide_shows_the_same() {
    let desk = Desk::new();
    let simulated = "--on sim:custom,read_iops=840,write_iops=360";
    let overload = desk.typed(&block("--scale").replace("--on /mnt/volume", simulated));
    ok(&overload);
    assert_eq!(faults_of(&desk.reported("overload")), [""; 0], "{}", overload.out);
    let told = overload.told();
    for words in ["MEETS", "within 30 ms", "load 1000% 7,000+3,000 841+360"] {
        assert!(told.contains(words), "{words}: {}", overload.out);
    }
    assert_drawn(&desk);
}

/// Returns how the report differs from what was set up.
fn faults_of(document: &Value) -> Vec<String> {
    let of = |share: f64| RATES.map(|rate| rate * share);
    let expected = [("50%", of(0.5)), ("100%", of(1.0)), ("200%", CAPS), ("500%", CAPS), ("1000%", CAPS)];
    let mut faults = Vec::new();
    for (share, expected) in expected {
        let found = rates(document, &format!("load {share}"));
        if !alike(found, expected) {
            faults.push(format!("{share}: {found:?}, not {expected:?}"));
        }
    }
    if document["verdict"]["answer"] != "meets" && !short_of_cpu(document) {
        faults.push(format!("{:#}", document["verdict"]));
    }
    let Some(throttle) = finding(document, "throttled_above_nominal") else {
        faults.push(format!("nothing names the throttle: {:#}", document["findings"]));
        return faults;
    };
    for (way, cap) in ["read", "write"].into_iter().zip(CAPS) {
        let level = |part: &str| throttle["level"][way][part].as_f64().unwrap();
        let holds = level("low") <= cap && cap <= level("high") && (level("value") / cap - 1.0).abs() <= 0.03;
        if !holds && !close(level("value"), cap) {
            faults.push(format!("level of {way}s: {}, not {cap}", throttle["level"][way]));
        }
    }
    let waiting = |field: &str| throttle["waiting"][field].as_f64().unwrap();
    for (grown, usual) in [("queue", "usual_queue"), ("latency_ns", "usual_latency_ns")] {
        if waiting(grown) < GROWN * waiting(usual) {
            faults.push(format!("{grown} hardly grows: {:#}", throttle["waiting"]));
        }
    }
    faults
}

/// Asserts that the pictures of the run exist and are valid.
fn assert_drawn(desk: &Desk) {
    ok(&desk.typed(&block("--png")));
    let (mut svgs, mut pngs) = (0, 0);
    for path in fs::read_dir(desk.folder.path("pictures")).unwrap().map(|entry| entry.unwrap().path()) {
        let bytes = fs::read(&path).unwrap();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => {
                let text = String::from_utf8(bytes).unwrap();
                let document = roxmltree::Document::parse(&text).unwrap();
                assert!(document.root_element().has_tag_name(("http://www.w3.org/2000/svg", "svg")));
                svgs += 1;
            }
            Some("png") => {
                assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.ends_with(b"IEND\xaeB`\x82"));
                pngs += 1;
            }
            _ => panic!("{} is no picture", path.display()),
        }
    }
    assert!(svgs == pngs && svgs >= 2, "a device each, and the shares side by side: {svgs} and {pngs}");
}

#[test]
fn recordings_of_others_are_drawn_and_a_day_is_watched() {
    let desk = Desk::new();
    fs::write(desk.folder.path("stack.json"), include_str!("../guide_watch/stack.json")).unwrap();
    ok(&desk.typed(&block("stack.json")));
    let page = fs::read_to_string(desk.folder.path("stack.html")).unwrap();
    for device in ["sda", "sdb", "md0", "vg0-root", "vg0-data"] {
        assert!(page.contains(device), "{device} is not on the page");
    }
    ok(&desk.typed(&block("logs/*.json")));
    assert!(fs::read_to_string(desk.folder.path("pages/monday.html")).unwrap().contains("<svg"));
    let day = desk.typed(&block("--for 24h"));
    ok(&day);
    assert!(desk.reported("day")["samples"].as_array().unwrap().len() >= 3);
    let page = fs::read_dir(desk.folder.path("day")).unwrap().map(|entry| entry.unwrap().path());
    assert!(page.filter(|path| path.extension().is_some_and(|end| end == "html")).count() == 1);
}
