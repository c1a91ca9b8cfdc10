//! The guide on whose volume it is, run as printed.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;

/// Returns the guide's code blocks in this language.
fn blocks(language: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/identify.md");
    let text = fs::read_to_string(path).unwrap();
    let opening = format!("```{language}\n");
    text.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

fn typed(folder: &Folder, block: &str) -> ProgramOutput {
    let bin = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = folder.through("sh", &["-e", "-c", block]);
    ended(shell.current_dir(folder.path(".")).env("PATH", path))
}

#[test]
fn a_run_is_matched_as_the_guide_says() {
    let folder = Folder::new();
    let matched = typed(&folder, &blocks("sh")[0]);
    assert_eq!(matched.code, Some(0), "{}", matched.err);
    let first = matched.out.lines().find(|line| line.trim_start().starts_with("1  "));
    assert!(first.is_some_and(|line| line.contains("aws-gp3")), "{}", matched.out);
    assert!(matched.out.contains("What would tell others from"), "{}", matched.out);
    assert!(matched.out.lines().all(|line| line.chars().count() <= 80), "{}", matched.out);
    let json = typed(&folder, "plimsoll policy match first/*.plimsoll --format json").json();
    assert_eq!(json["candidates"][0]["rank"], 1);
    assert_eq!(json["candidates"].as_array().unwrap().len(), json["apart"].as_array().unwrap().len() + 1);
}

#[test]
fn a_run_without_a_level_matches_nothing() {
    let folder = Folder::new();
    let run = typed(
        &folder,
        "plimsoll check sim:custom,iops=4347,bandwidth=77MB/s --out odd; plimsoll policy match odd/*.plimsoll",
    );
    assert_eq!(run.code, Some(4), "{}{}", run.out, run.err);
    assert!(run.out.contains("No published policy gives all"), "{}", run.out);
}

#[test]
fn a_policy_of_ones_own_is_checked() {
    let folder = Folder::new();
    let good = blocks("toml").remove(0);
    fs::write(folder.path("ours.toml"), &good).unwrap();
    let checked = typed(&folder, &blocks("sh")[1]);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    assert!(checked.out.contains("500 IOPS") && checked.out.contains("3,000"), "{}", checked.out);
    fs::write(folder.path("ours.toml"), good.replace("direction = \"total\"", "direction = \"totl\""))
        .unwrap();
    let wrong = typed(&folder, &blocks("sh")[1]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.out);
    let told = wrong.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("ours.toml:13:") && told.contains("did you mean 'total'?"), "{}", wrong.err);
}

#[test]
fn a_policy_of_ones_own_stands_wherever_one_does_and_its_run_outlives_the_file() {
    let folder = Folder::new();
    fs::write(folder.path("ours.toml"), blocks("toml").remove(0)).unwrap();
    let checked =
        typed(&folder, "plimsoll check sim:ours.toml,size=100GiB,credits=0% --format json --out own");
    let document = checked.json();
    assert!(matches!(checked.code, Some(0 | 3 | 4)), "{}{}", checked.out, checked.err);
    let against = typed(
        &folder,
        "plimsoll check sim:custom,iops=400 --policy ours.toml,size=100GiB --format json --out other",
    );
    assert_eq!(against.code, Some(3), "{}{}", against.out, against.err);
    // Further volumes, by other procedures.
    let searched = typed(
        &folder,
        "plimsoll headroom sim:ours.toml,size=100GiB --p99 20ms --policy ours.toml,size=100GiB",
    );
    assert!(matches!(searched.code, Some(0 | 3 | 4)), "{}", searched.err);
    fs::remove_file(folder.path("ours.toml")).unwrap();
    let again = typed(&folder, "plimsoll report own/*.plimsoll --format json");
    assert_eq!(again.json()["verdict"], document["verdict"], "{}", again.err);
    let gone = typed(&folder, "plimsoll check sim:ours.toml,size=100GiB");
    assert_eq!((gone.code, gone.err.contains("ours.toml: cannot be read")), (Some(2), true), "{}", gone.err);
}
