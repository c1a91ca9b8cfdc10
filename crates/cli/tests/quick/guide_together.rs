//! The guide on several volumes at once: its commands run as printed, and their results checked.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;
use serde_json::Value;

/// Returns the commands of the guide, one line each.
fn commands() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/together.md");
    let text = fs::read_to_string(path).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    blocks.collect::<Vec<_>>().concat().lines().map(str::to_owned).collect()
}

/// Runs the first command of the guide that contains these words, with more of them.
fn told(folder: &Folder, words: &str, more: &[&str]) -> ProgramOutput {
    let found: Vec<String> = commands().into_iter().filter(|line| line.contains(words)).collect();
    let line = found.first().unwrap_or_else(|| panic!("{words} is not in the guide"));
    let words: Vec<&str> = line.split(' ').skip(1).chain(more.iter().copied()).collect();
    ended(&mut folder.plimsoll(&words))
}

fn within(what: &str, told: &Value, truth: f64) {
    let told = told["value"].as_f64().unwrap_or(f64::NAN);
    assert!((told / truth - 1.0).abs() <= 0.03, "{what}: {told} instead of {truth}");
}

#[test]
fn every_command_runs_as_it_is_printed_in_80_columns() {
    let folder = Folder::new();
    for line in commands() {
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        let ended = ended(&mut folder.plimsoll(&words));
        assert_eq!(ended.code, Some(0), "{line}: {}{}", ended.out, ended.err);
        let too_long =
            ended.out.lines().find(|line| line.chars().count() > 80 && !line.starts_with("report"));
        assert!(too_long.is_none_or(|line| line.starts_with("run ")), "{too_long:?}");
    }
}

#[test]
fn two_volumes_behind_one_machine_share_its_budget_of_operations() {
    let folder = Folder::new();
    let ended = told(&folder, "machine_iops=4000", &["--format", "json"]);
    let budget = &ended.json()["answered"]["budgets"][0];
    within("budget", &budget["operations"], 4000.0);
    assert_eq!((&budget["counted"], &budget["standing"]), (&"operations".into(), &"machine".into()));
    assert_eq!(budget["passed_on"], "whole");
}

#[test]
fn the_budget_is_held_against_what_is_published_for_the_machine() {
    let folder = Folder::new();
    let ended = told(&folder, "m5.large", &["--format", "json"]);
    let rows = &ended.json()["answered"]["machine"]["rows"];
    assert_eq!(rows[0]["answer"], "baseline", "{rows}");
    let below = ["check", "sim:custom,iops=3000,machine_iops=2000", "sim:custom,iops=3000", "--together"];
    let below = ended_of(&folder, &[&below[..], &["--instance", "m5.large"]].concat());
    assert_eq!(below.code, Some(3), "{}", below.out);
}

#[test]
fn who_is_filled_starves_a_modest_neighbour_and_the_answer_says_so() {
    let folder = Folder::new();
    let ended = told(&folder, "machine_bandwidth", &["--format", "json"]);
    let answered = &ended.json()["answered"];
    assert_eq!(answered["budgets"][0]["counted"], "bytes", "{answered}");
    within("budget", &answered["budgets"][0]["bytes"], 20.0 * 1048576.0);
    let beside = answered["beside"].as_array().unwrap();
    assert!(beside.iter().all(|one| one["beside"].as_f64() < one["alone"].as_f64()), "{beside:?}");
}

#[test]
fn volumes_with_nothing_in_common_are_told_apart() {
    let folder = Folder::new();
    let ended = ended_of(&folder, &["check", "sim:custom,iops=3000", "sim:custom,iops=500", "--together"]);
    assert_eq!(ended.code, Some(0), "{}", ended.out);
    assert!(ended.out.contains("APART"), "{}", ended.out);
}

#[test]
fn a_report_of_the_run_tells_the_same_and_draws_it() {
    let folder = Folder::new();
    let first = told(&folder, "machine_iops=4000", &["--out", &folder.text("."), "--format", "json"]);
    let run = run_file(&folder.path("."));
    let again = ended(&mut folder.plimsoll(&["report", &run, "--html", "@/a.html", "--format", "json"]));
    assert_eq!(first.json()["answered"], again.json()["answered"], "{}", again.err);
    let page = fs::read_to_string(folder.path("a.html")).unwrap();
    assert!(page.contains("Each volume alone and beside the others"), "no chart of the volumes");
}

#[test]
fn what_makes_no_sense_is_refused_with_what_to_do() {
    let folder = Folder::new();
    let (one, other) = ("sim:custom,iops=3000", "sim:custom,iops=500");
    for (words, says) in [
        (vec!["check", one, other], "--together"),
        (vec!["check", one, "--together"], "two volumes"),
        (vec!["check", one, other, "--together", "--instance", "m5.larg"], "m5.large"),
        (vec!["check", one, ".", "--together"], "virtual time"),
        (vec!["check", one, other, "--together", "--policy", "aws-gp3"], "--policy"),
        (vec!["check", "A=.", "B=.", "--together"], "twice"),
        (vec!["check", one, other, "--together", "--time", "3s"], "too short"),
    ] {
        let ended = ended_of(&folder, &words);
        assert_eq!(ended.code, Some(2), "{words:?}: {}{}", ended.out, ended.err);
        assert!(ended.err.contains(says), "{words:?}: {}", ended.err);
    }
}

fn ended_of(folder: &Folder, words: &[&str]) -> ProgramOutput {
    ended(&mut folder.plimsoll(words))
}
