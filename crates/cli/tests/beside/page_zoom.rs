//! The zoom of the HTML report in a real browser: what a page shows, does and leaves undone.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // a test may stop at what it did not expect, and prints what it skips

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crate::machine::{Folder, ended};
use report::numbers::{self, Prefix};
use testbed::{Lack, skipped};

/// Returns the part of the repository that contains the zoom.
pub fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web")
}

/// Why no browser can be used; `None` if one can.
static MISSING: LazyLock<Option<String>> = LazyLock::new(|| {
    if let Some(why) = report::zoom_missing() {
        return Some(why.to_owned());
    }
    for program in ["node", "chromium", "sqlite3"] {
        let found =
            Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            return Some(format!("{program} is not installed"));
        }
    }
    if !web().join("node_modules/playwright-core").is_dir() {
        return Some("web/node_modules has no playwright-core: ./dev test fetches it".to_owned());
    }
    let bundled = Command::new("node").current_dir(web()).args(["build.mjs", "tests"]).status();
    assert!(bundled.is_ok_and(|status| status.success()), "the browser's tests do not build");
    None
});

pub fn browser_is_missing() -> bool {
    if let Some(why) = &*MISSING {
        skipped(Lack::Kernel, why);
    }
    MISSING.is_some()
}

/// Makes up a recording of `hours` of `devices` devices; returns its page, made by the program itself, and the run file.
fn recorded(folder: &Folder, hours: &str, devices: &str, every: &str) -> (String, String) {
    let (run, page) = (folder.text("made-up.plimsoll"), folder.text("made-up.html"));
    let mut made = Command::new(env!("CARGO"));
    made.args(["run", "--quiet", "--release", "--package", "runfile", "--example", "day_of_samples", "--"]);
    let made = ended(made.args([&run, hours, devices, every]));
    assert_eq!(made.code, Some(0), "{}", made.err);
    let drawn = ended(&mut folder.plimsoll(&["report", &run, "--html", &page]));
    assert_eq!(drawn.code, Some(0), "{}", drawn.err);
    assert!(!drawn.err.contains("cannot be zoomed"), "{}", drawn.err);
    (page, run)
}

/// Runs the story of that name in the browser; prints its output if it fails.
pub fn tell(story: &str, words: &[&str]) {
    let mut browser = Command::new("node");
    let told = ended(browser.current_dir(web()).args(["out/page.mjs", story]).args(words));
    assert_eq!(told.code, Some(0), "{story}: {}\n{}", told.err, told.out);
    print!("{}", told.out);
}

/// Runs stories on seven devices over most of a day, with every reading in the page: `dm-0` is busy from six o'clock on.
fn tell_of_seven(stories: &[&str]) {
    if browser_is_missing() {
        return;
    }
    let folder = Folder::new();
    // With an hour more, two readings would occasionally share a place.
    let (page, run) = recorded(&folder, "19", "7", "20");
    for story in stories {
        tell(story, &[&page, &run, "dm-0"]);
    }
}

#[test]
#[ignore = "night: a browser"]
fn what_the_crosshair_reads_is_what_the_run_file_holds() {
    tell_of_seven(&["figuresAreTheRunFiles"]);
}

#[test]
#[ignore = "night: a browser"]
fn charts_zoom_together_by_mouse_and_by_keys() {
    tell_of_seven(&["chartsZoomTogether", "keysDoWhatTheMouseDoes"]);
}

#[test]
#[ignore = "night: a browser"]
fn a_page_is_drawn_in_the_dark_on_paper_and_without_script() {
    tell_of_seven(&["coloursFollowTheSystem", "drawingsStandOnPaper", "drawingsStandWithoutScript"]);
}

#[test]
#[ignore = "night: a browser"]
fn a_page_refuses_to_load_anything() {
    tell_of_seven(&["nothingMayBeLoaded"]);
}

#[test]
#[ignore = "night: a minute of drawing"]
fn a_day_of_twenty_devices_is_small_and_stays_fluid() {
    if browser_is_missing() {
        return;
    }
    let folder = Folder::new();
    let (page, run) = recorded(&folder, "24", "20", "1");
    let size = fs::metadata(&page).unwrap().len();
    println!("{:.1} MB", size as f64 / 1e6);
    assert!(size <= 8_000_000, "{size} bytes");
    tell("aDayStaysFluid", &[&page, &run, "vdc"]);
}

#[test]
#[ignore = "night: a browser"]
fn numbers_on_a_page_are_written_as_in_the_report() {
    if browser_is_missing() {
        return;
    }
    let mut rows: Vec<(&str, f64, String)> = Vec::new();
    // No value is half way between two digits, because the two languages round that differently.
    for value in (-9..13).flat_map(|power| [1.0, 1.04, 2.53, 4.42, 9.94, 9.96].map(|m| m * 10f64.powi(power)))
    {
        rows.push(("bytes_per_second", value, numbers::bandwidth(value, Prefix::Binary)));
        rows.push(("seconds", value, numbers::time(value * 1e9)));
        rows.push(("count", value, numbers::figure(value)));
        if value >= 1.0 {
            rows.push(("bytes", value, numbers::block(value)));
        }
        if value <= 1.0 {
            rows.push(("share", value, numbers::share(value)));
        }
    }
    rows.push(("seconds", 0.0, numbers::time(0.0)));
    let mut page = Command::new("node")
        .current_dir(web())
        .arg("out/numbers.mjs")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    page.stdin.take().unwrap().write_all(serde_json::to_string(&rows).unwrap().as_bytes()).unwrap();
    let held = page.wait_with_output().unwrap();
    assert!(held.status.success(), "{}", String::from_utf8_lossy(&held.stderr));
}
