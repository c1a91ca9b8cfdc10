//! The guide on bursts: its commands run as printed, and their results checked.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;
use serde_json::Value;

/// Returns the commands of the guide, one line each.
fn commands() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/burst.md");
    let text = fs::read_to_string(path).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    blocks.collect::<Vec<_>>().concat().lines().map(str::to_owned).collect()
}

/// Returns the only command that contains these words.
fn command(words: &str) -> String {
    let found: Vec<String> = commands().into_iter().filter(|line| line.contains(words)).collect();
    assert_eq!(found.len(), 1, "{words}: {found:?}");
    found.into_iter().next().unwrap()
}

fn typed(folder: &Folder, line: &str) -> ProgramOutput {
    let bin = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    ended(folder.through("sh", &["-e", "-c", line]).env("PATH", path))
}

/// Runs a command of the guide; returns the first part of its answer as JSON.
fn part(folder: &Folder, line: &str) -> Value {
    let ended = typed(folder, &format!("{line} --format json"));
    assert_eq!(ended.code, Some(0), "{line}: {}", ended.err);
    ended.json()["answered"]["parts"][0].clone()
}

fn within(what: &str, told: &Value, truth: f64) {
    let told = told.as_f64().unwrap_or(f64::NAN);
    assert!((told / truth - 1.0).abs() <= 0.01, "{what}: {told} instead of {truth}");
}

#[test]
fn every_command_runs_as_it_is_printed() {
    let folder = Folder::new();
    for line in commands() {
        let ended = typed(&folder, &line);
        assert_eq!(ended.code, Some(0), "{line}: {}", ended.err);
        let too_long =
            ended.out.lines().find(|line| line.chars().count() > 80 && !line.starts_with("report"));
        assert!(too_long.is_none_or(|line| line.starts_with("run ")), "{too_long:?}");
    }
}

#[test]
fn gp2_is_found_as_it_is_published() {
    let folder = Folder::new();
    let first = commands().into_iter().next().unwrap();
    let gp2 = part(&folder, &first);
    within("burst", &gp2["burst"]["value"], 3000.0);
    within("base", &gp2["base"]["value"], 300.0);
    within("bucket", &gp2["held"]["amount"]["value"], 5.4e6);
    within("refill", &gp2["refill"]["value"], 300.0);
    assert_eq!((gp2["held"]["full"].as_str(), gp2["ends"].as_str()), (Some("as_published"), Some("usage")));
}

#[test]
fn a_bucket_that_was_not_full_is_at_least_what_it_held() {
    let folder = Folder::new();
    let gp2 = part(&folder, &command("credits=40%"));
    within("bucket", &gp2["held"]["amount"]["value"], 0.4 * 5.4e6);
    assert_eq!(gp2["held"]["full"], "unknown");
}

#[test]
fn bytes_have_a_bucket_of_their_own_and_time_ends_a_burst() {
    let folder = Folder::new();
    let bytes = part(&folder, &command("vultr-hdd"));
    within("burst", &bytes["burst"]["value"], 150.0 * 1048576.0);
    within("bucket", &bytes["held"]["amount"]["value"], 60.0 * 50.0 * 1048576.0);
    let timed = part(&folder, &command("do-volumes-standard"));
    within("length", &timed["lasted_s"], 60.0);
    assert_eq!(timed["ends"], "time");
}

#[test]
fn a_report_of_the_run_tells_the_same() {
    let folder = Folder::new();
    let told = typed(&folder, &format!("{} --out {} --format json", command("vultr-hdd"), folder.text(".")));
    let run = run_file(&folder.path("."));
    let again = ended(&mut folder.plimsoll(&["report", &run, "--html", "@/a.html", "--format", "json"]));
    assert_eq!(told.json()["answered"], again.json()["answered"], "{}", again.err);
    let page = fs::read_to_string(folder.path("a.html")).unwrap();
    assert!(page.contains("What the bucket of bytes held against time"), "no chart of the bucket");
}

#[test]
fn a_bucket_of_bytes_is_one_account_for_operations_too_and_one_of_operations_is_not() {
    let folder = Folder::new();
    let told = |volume: &str| ended(&mut folder.plimsoll(&["burst", volume, "--yes"])).told();
    let bytes = "sim:custom,bandwidth=20MiB/s,burst_bandwidth=60MiB/s,byte_bucket=600MiB";
    assert!(told(bytes).contains("Both are one bucket of bytes"), "{}", told(bytes));
    let operations = told("sim:custom,iops=500,burst_iops=1500,bucket=15000,bandwidth=100MiB/s");
    assert!(!operations.contains("one bucket of bytes"), "{operations}");
}
