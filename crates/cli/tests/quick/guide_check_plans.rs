//! The guide on the plans of a check: its commands run as printed, and their results checked.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;

/// Returns the commands of the guide, one line each.
fn commands() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/check-plans.md");
    let text = fs::read_to_string(path).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    blocks.collect::<Vec<_>>().concat().lines().map(str::to_owned).collect()
}

fn typed(folder: &Folder, line: &str) -> ProgramOutput {
    let bin = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = folder.through("sh", &["-e", "-c", line]);
    ended(shell.current_dir(folder.path(".")).env("PATH", path))
}

/// Returns a text with its line breaks and indents replaced by single blanks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_command_runs_as_it_is_printed() {
    let folder = Folder::new();
    let said = |words: &str| -> String {
        let line = commands().into_iter().find(|line| line.contains(words)).unwrap();
        let ended = typed(&folder, &line);
        assert_eq!(ended.code, Some(0), "{line}: {}", ended.err);
        let too_long =
            ended.out.lines().find(|line| line.chars().count() > 80 && !line.starts_with("report"));
        assert!(too_long.is_none_or(|line| line.starts_with("run ")), "{too_long:?}");
        flat(&ended.out)
    };
    let standard = said("--plan standard");
    for part in ["MEETS aws-gp3", "headroom: MEASURED", "where: "] {
        assert!(standard.contains(part), "{part}: {standard}");
    }
    let burst = said("--plan burst");
    assert!(burst.contains("MEETS aws-gp2") && burst.contains("after the burst"), "{burst}");
    let soak = said("sim:aws-gp3 --plan soak");
    assert!(
        soak.contains("MEETS aws-gp3")
            && soak.contains("90 % of 3,000 IOPS for 99 % of the time is promised"),
        "{soak}"
    );
    let missed = said("neighbour_every");
    assert!(missed.contains("BELOW aws-gp3"), "{missed}");
    let day = said("sway=10%");
    assert!(
        day.contains("With the time of day it swings by 10.") || day.contains("it swings by 9."),
        "{day}"
    );
    assert_eq!(commands().len(), 5, "a command of the guide that is not looked at");
}

#[test]
fn a_volume_whose_policy_has_no_burst_is_measured_and_said_once() {
    let folder = Folder::new();
    let ended = typed(&folder, "plimsoll check sim:aws-gp3 --plan burst");
    let out = flat(&ended.out);
    assert_eq!(ended.code, Some(0), "{out}");
    assert_eq!(out.matches("MEASURED: ").count(), 1, "{out}");
    assert!(out.contains("IOPS without a fall for 6.1 h: no burst, as the policy says."), "{out}");
}

#[test]
fn what_has_no_room_is_named_and_what_is_too_short_refused() {
    let folder = Folder::new();
    let short = typed(&folder, "plimsoll check sim:custom,iops=500 --plan standard --time 100s");
    assert_eq!(short.code, Some(0), "{}", short.err);
    assert!(
        flat(&short.err).contains("for lack of time") && flat(&short.err).contains("where"),
        "{}",
        short.err
    );
    let refused = typed(&folder, "plimsoll check sim:custom,iops=500 --plan soak --time 1m");
    assert_eq!(refused.code, Some(2));
    assert!(flat(&refused.err).contains("too short for a soak"), "{}", refused.err);
}

#[test]
fn a_run_that_came_to_its_end_does_not_go_on_and_others_are_none_of_a_check() {
    let folder = Folder::new();
    let done = typed(&folder, "plimsoll check sim:custom,iops=500 --time 45s --out .");
    assert_eq!(done.code, Some(0), "{}", done.err);
    let run = run_file(&folder.path("."));
    let again = typed(&folder, &format!("plimsoll check --resume {run}"));
    assert_eq!(again.code, Some(2));
    assert!(flat(&again.err).contains("came to its end"), "{}", again.err);
    let report = typed(&folder, &format!("plimsoll report {run}"));
    assert_eq!(report.code, Some(0), "{}", report.err);
    let both = typed(&folder, &format!("plimsoll check --resume {run} --time 1m"));
    assert_eq!(both.code, Some(2), "what it was asked is stored");
}
