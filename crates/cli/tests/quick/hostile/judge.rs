//! What must hold for every call, whatever its input.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testbed::{Lack, skipped};

/// Timeout far beyond any call: it stands for "never".
const SECONDS: &str = "120";
/// Limit of the address space in KiB, which includes what is mapped and never touched.
const ADDRESSES: &str = "1500000";

/// Whether `program` cannot be called, in which case the skip is recorded.
pub fn is_missing(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output();
    if found.is_ok_and(|output| output.status.success()) {
        return false;
    }
    skipped(Lack::Tool, format!("{program} is not installed"));
    true
}

/// Calls plimsoll with `words`; returns what it printed, with its lines joined.
pub fn judge(words: &[&str]) -> String {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    called(&words)
}

/// Does the same as [`judge`] with a name after the words that may not be UTF-8.
pub fn judge_os(words: &[&str], name: &OsStr) -> String {
    let mut all: Vec<OsString> = words.iter().map(OsString::from).collect();
    all.push(name.to_owned());
    called(&all)
}

fn called(words: &[OsString]) -> String {
    let mut call = Command::new("timeout");
    call.args(["-k", "5", SECONDS, "sh", "-c", &format!("ulimit -v {ADDRESSES}; exec \"$@\""), "sh"]);
    call.arg(env!("CARGO_BIN_EXE_plimsoll")).args(words).env("XDG_STATE_HOME", std::env::temp_dir());
    let before = Instant::now();
    let output = call.stdin(std::process::Stdio::null()).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let code = output.status.code();
    let told = || format!("{words:?}: {:?} after {:?}\n{err}", output.status, before.elapsed());
    assert!(code != Some(124) && code != Some(137), "hung: {}", told());
    assert!(code.is_some_and(|code| code < 100), "ended badly: {}", told());
    assert!(!err.contains("panicked at"), "panicked: {}", told());
    for (name, text) in [("stdout", &out), ("stderr", &err)] {
        let clean = report::clean_lines(text);
        assert!(*clean == **text, "{name} steers the terminal: {words:?}: {:?}", steering(text));
    }
    if before.elapsed() > Duration::from_secs(10) {
        println!("{:?} for {words:?}", before.elapsed());
    }
    let both = format!("{out} {err}");
    both.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns plimsoll's peak memory for these words in bytes, as the kernel accounts it.
pub fn peak_memory(words: &[&str]) -> u64 {
    let mut call = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    call.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = call.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let told = std::fs::read_to_string(&status).unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kib.unwrap_or_default() << 10);
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(peak > 0, "{words:?} told nothing");
    peak
}

/// Returns the first characters that would steer a terminal, with some that follow.
fn steering(text: &str) -> String {
    let at = text.find(|letter: char| *report::clean_lines(&letter.to_string()) != *letter.to_string());
    let at = at.unwrap_or(0);
    text[at..].chars().take(60).collect()
}

/// Checks what was drawn and written in `folder`: no script from the file, no ill-formed drawing, no escape sequence.
pub fn judge_pages(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let end = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_owned();
        if path.is_dir() {
            judge_pages(&path);
        } else if matches!(end.as_str(), "html" | "svg" | "csv") {
            let text = String::from_utf8(std::fs::read(&path).unwrap()).unwrap();
            judge_page(&path, &end, &text);
        }
    }
}

fn judge_page(path: &Path, end: &str, text: &str) {
    let place = path.display();
    assert!(!text.contains('\u{1b}'), "{place} holds an escape");
    if end != "csv" {
        assert!(*report::clean_lines(text) == *text, "{place} steers: {:?}", steering(text));
    }
    if end == "html" {
        for mark in ["<img src=x", "<script>document.", "<svg onload"] {
            assert!(!text.contains(mark), "{place} holds {mark}");
        }
    }
    if end == "svg" {
        let options = roxmltree::ParsingOptions { nodes_limit: u32::MAX, ..Default::default() };
        if let Err(error) = roxmltree::Document::parse_with_options(text, options) {
            panic!("{place} is no XML: {error}");
        }
    }
}

/// A stream of numbers from a seed (splitmix64, Vigna 2015), the same on every machine.
pub struct Random(u64);

impl Random {
    pub fn of(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }

    pub fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}
