//! `plimsoll trend`: the newest run against the earlier ones that asked the same, in each form, and what it stores.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::PathBuf;

use crate::machine::*;

/// Runs a profile on a simulated volume of `iops` for each of `nights`.
fn nights(folder: &Folder, iops: u32, nights: std::ops::Range<u32>) {
    for night in nights {
        let volume = format!("sim:custom,iops={iops},noise=1%,seed={night}");
        let done = ended(&mut folder.plimsoll(&["run", "five-figures", &volume, "--out", "@/nights"]));
        assert_eq!(done.code, Some(0), "{}", done.err);
    }
}

fn trend(folder: &Folder, words: &[&str]) -> ProgramOutput {
    ended(&mut folder.plimsoll(&[&["trend", "@/nights"], words].concat()))
}

fn run_files(folder: &Folder) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.path("nights")).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "plimsoll")).collect()
}

#[test]
fn nights_are_too_few_then_steady_then_worse() {
    let folder = Folder::new();
    nights(&folder, 3000, 1..4);
    let few = trend(&folder, &[]);
    let wanted = "CANNOT TELL: 3 runs, and a trend needs 8 to know how they scatter. plimsoll compare OLD NEW tells two runs \
                  apart.";
    assert!(few.code == Some(4) && few.told().contains(wanted), "{:?} {}", few.code, few.out);
    // Each run has its figure, and no level that none of them had.
    let figures = few.out.lines().find(|line| line.trim_start().starts_with("4 KiB")).unwrap();
    assert_eq!(figures.matches("IOPS").count(), 3, "{}", few.out);
    assert!(!few.out.contains('±') && !few.out.contains("level"), "{}", few.out);
    nights(&folder, 3000, 4..13);
    let steady = trend(&folder, &["--by", "5%"]);
    assert!(
        steady.code == Some(0) && steady.out.contains("NOT WORSE by 5 %"),
        "{:?} {}",
        steady.code,
        steady.out
    );
    assert!(steady.out.lines().all(|line| line.chars().count() <= 80), "{}", steady.out);
    // One night alone may be chance; the next shows whether it lasts.
    nights(&folder, 2904, 13..14);
    let first = trend(&folder, &["--no-store"]);
    let yet = "CANNOT TELL yet: ";
    assert!(first.code == Some(4) && first.told().contains(yet), "{:?} {}", first.code, first.out);
    nights(&folder, 2700, 14..16);
    let worse = trend(&folder, &["--format", "json", "--html", "@/trend.html"]);
    let document: serde_json::Value = serde_json::from_str(&worse.out).unwrap();
    assert_eq!(
        (worse.code, &document["trend"]["outcome"]),
        (Some(3), &"worse".into()),
        "{}",
        document["verdict"]
    );
    assert_eq!(document["trend"]["figures"][0]["standing"]["since"], 12, "{}", document["verdict"]);
    assert!(fs::read_to_string(folder.path("trend.html")).unwrap().contains("<strong>WORSE</strong>"));
    // A level that is accepted is that of the last runs alone.
    assert_eq!(trend(&folder, &["--last", "2", "--no-store"]).code, Some(4));
}

#[test]
fn runs_that_asked_something_else_are_named_and_not_compared() {
    let folder = Folder::new();
    let check = ["check", "sim:custom,iops=3000", "--time", "60s", "--out", "@/nights"];
    assert_eq!(ended(&mut folder.plimsoll(&check)).code, Some(0));
    nights(&folder, 3000, 1..3);
    let said = trend(&folder, &["--format", "markdown"]);
    let flat = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.starts_with("**CANNOT TELL**: 2 runs"), "{flat}");
    assert!(flat.contains("asked something else: 1 run (policy custom and plan check, plan quick"), "{flat}");
}

#[test]
fn the_verdict_is_stored_in_the_newest_file_unless_that_is_not_wanted() {
    let folder = Folder::new();
    nights(&folder, 3000, 1..3);
    let holds =
        |path: &PathBuf| String::from_utf8_lossy(&fs::read(path).unwrap()).contains("CANNOT TELL: 2 runs");
    assert_eq!(trend(&folder, &["--no-store"]).code, Some(4));
    assert!(!run_files(&folder).iter().any(holds));
    assert_eq!(trend(&folder, &[]).code, Some(4));
    assert_eq!(run_files(&folder).iter().filter(|path| holds(path)).count(), 1);
}

#[test]
fn what_cannot_be_judged_is_refused_with_the_remedy() {
    let folder = Folder::new();
    folder.make_dir("nights");
    let empty = trend(&folder, &[]);
    assert!(
        empty.code == Some(2) && empty.err.contains("plimsoll check --out"),
        "{:?} {}",
        empty.code,
        empty.err
    );
    let share = trend(&folder, &["--by", "3"]);
    assert!(share.code == Some(2) && share.err.contains("--by 3%"), "{:?} {}", share.code, share.err);
}
