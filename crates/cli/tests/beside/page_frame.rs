//! What surrounds the charts of a page, in a real browser: the first screen, links, keys, phones, and what axe-core finds.
#![allow(clippy::unwrap_used)] // a test may stop at what it did not expect

use std::fs;

use crate::machine::{Folder, ended};
use crate::page_zoom::{browser_is_missing, tell};

/// Most bytes of a check's page, which is sent by mail.
const CHECK_MAX: u64 = 500_000;

/// Runs a command on a simulated volume; returns its page, in a folder called `name`.
fn made(folder: &Folder, name: &str, words: &[&str]) -> String {
    let out = format!("@/{name}");
    let done = ended(&mut folder.plimsoll(&[words, &["--out", &out]].concat()));
    assert!(matches!(done.code, Some(0 | 3 | 4)), "{words:?}: {}", done.err);
    let mut files = fs::read_dir(folder.path(name)).unwrap().map(|entry| entry.unwrap().path());
    let page = files.find(|path| path.extension().is_some_and(|end| end == "html")).unwrap();
    page.to_str().unwrap().to_owned()
}

fn check(folder: &Folder) -> String {
    made(folder, "check", &["check", "sim:aws-gp2,size=100GiB"])
}

/// Returns the page of five load phases checked against a contract.
fn overload(folder: &Folder) -> String {
    let job = "[a]\nioengine=libaio\ndirect=1\nbs=4k\nrw=randrw\nrwmixread=70\nrate_iops=700,300\niodepth=16\nsize=1G\n";
    fs::write(folder.path("load.fio"), job).unwrap();
    let contract = "read 700 iops, write 300 iops, latency < 30ms";
    let words = ["watch", "--load", "@/load.fio", "--on", "sim:do-volumes-pre-burst", "--cycle", "60s"];
    let scaled = ["--scale", "50%,100%,1000%", "--expect", contract];
    made(folder, "overload", &[&words[..], &scaled].concat())
}

#[cfg_attr(test, allow(dead_code, reason = "a witness"))]
pub fn the_first_screen_answers_and_links_lead_to_what_they_speak_of() {
    if browser_is_missing() {
        return;
    }
    let folder = Folder::new();
    let page = check(&folder);
    let bytes = fs::metadata(&page).unwrap().len();
    assert!(bytes <= CHECK_MAX, "{bytes} bytes");
    tell("theFirstScreenAnswers", &[&page]);
    tell("keysReachEverything", &[&page]);
    tell("panelsStackOnAPhone", &[&page]);
    tell("theCrosshairNamesTheStep", &[&page, "of 43: read depth 16, 4 KiB"]);
}

#[test]
#[ignore = "night: a browser"]
fn a_page_leaves_nobody_out() {
    if browser_is_missing() {
        return;
    }
    let folder = Folder::new();
    tell("nobodyIsLeftOut", &[&check(&folder)]);
}

#[test]
#[ignore = "night: a minute of browsing"]
fn pages_of_every_kind_leave_nobody_out_and_answer_first() {
    if browser_is_missing() {
        return;
    }
    let folder = Folder::new();
    let volume = "sim:do-volumes-pre-burst";
    let pages = [
        overload(&folder),
        made(&folder, "burst", &["burst", "sim:aws-gp2,size=100GiB"]),
        made(&folder, "map", &["map", volume]),
        made(&folder, "headroom", &["headroom", volume, "--p99", "10ms"]),
        made(&folder, "where", &["where", "sim:aws-gp2,size=100GiB"]),
        made(&folder, "run", &["run", "database", volume]),
        made(&folder, "quick", &["quick", "@/.", "--time", "1s", "--size", "64M", "--busy"]),
    ];
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    tell("nobodyIsLeftOut", &pages);
    let figured: Vec<&str> = pages.iter().copied().filter(|page| !page.contains("/where/")).collect();
    tell("theFirstScreenAnswers", &figured);
}
