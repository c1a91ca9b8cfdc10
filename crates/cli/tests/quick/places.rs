//! `plimsoll where`: the commands of its guide as printed, and what they must find, on simulated volumes.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;
use serde_json::Value;

const MIB: f64 = 1048576.0;
const GIB: f64 = 1024.0 * MIB;

/// Returns the targets of the guide's commands, in order.
fn targets() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/where.md");
    let text = fs::read_to_string(path).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    let words = |block: String| block.trim().strip_prefix("plimsoll where ").unwrap().to_owned();
    blocks.map(words).collect()
}

fn looked(target: &str) -> (Value, ProgramOutput) {
    let folder = Folder::new();
    let ended = ended(&mut folder.plimsoll(&["where", target, "--format", "json"]));
    assert_eq!(ended.code, Some(0), "{target}: {}", ended.err);
    (ended.json()["answered"].clone(), ended)
}

/// Checks kind, beginning and end of a region: the true places must lie within the reported intervals.
fn holds(answer: &Value, number: usize, (kind, from, to): (&str, f64, f64)) {
    let region = &answer["regions"][number];
    assert_eq!(region["kind"], kind, "{answer}");
    for (side, truth) in [("from", from), ("to", to)] {
        let (low, high) = (region[side]["low"].as_f64().unwrap(), region[side]["high"].as_f64().unwrap());
        assert!((low..=high).contains(&truth), "{side} of {number}: {low} to {high} instead of {truth}");
        assert!(high - low <= 32.0 * MIB, "{side} of {number}: {low} to {high}");
    }
}

#[test]
fn the_commands_of_the_guide_find_what_the_volumes_have() {
    let targets = targets();
    let [snapshot, lazy, thin, cached, tracks] = targets.as_slice() else { panic!("{targets:?}") };

    let (answer, _) = looked(snapshot);
    holds(&answer, 0, ("usual", 0.0, 8.0 * GIB));
    holds(&answer, 1, ("first_touch", 8.0 * GIB, 20.0 * GIB));
    assert_eq!(answer["cache"]["is"], "none");

    let (answer, _) = looked(lazy);
    holds(&answer, 0, ("first_touch", 0.0, 20.0 * GIB));
    assert_eq!(answer["regions"].as_array().unwrap().len(), 1, "{answer}");
    let loading = |name: &str| answer["loading"][name].as_f64().unwrap();
    assert!((loading("piece") / MIB - 1.0).abs() < 0.2, "{answer}");
    assert!(loading("again") > 2.0 * loading("first"), "{answer}");

    let (answer, _) = looked(thin);
    holds(&answer, 1, ("fast", 6.0 * GIB, 14.0 * GIB));

    let (answer, _) = looked(cached);
    let size = answer["cache"]["size"]["value"].as_f64().unwrap();
    assert!((size / GIB - 1.0).abs() < 0.1, "{size}");
    let budget = |name: &str| answer["budgets"][0][name]["value"].as_f64().unwrap();
    assert!((budget("cached") / 77_000.0 - 1.0).abs() < 0.05, "{answer}");
    assert!((budget("uncached") / 12_800.0 - 1.0).abs() < 0.05, "{answer}");
    let bytes = |name: &str| 524_288.0 * answer["budgets"][1][name]["value"].as_f64().unwrap() / MIB;
    assert!((bytes("cached") / 485.0 - 1.0).abs() < 0.05, "{answer}");
    assert!((bytes("uncached") / 192.0 - 1.0).abs() < 0.05, "{answer}");

    let (answer, _) = looked(tracks);
    let rate = |name: &str| answer["tracks"][name].as_f64().unwrap() / MIB;
    assert!(rate("outer") / rate("inner") > 1.3, "{answer}");
}

#[test]
fn a_volume_that_is_alike_everywhere_is_said_to_be() {
    let (answer, _) = looked("sim:custom,iops=3000,size=20GiB,jitter=0.1");
    assert_eq!(answer["regions"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!((&answer["regions"][0]["kind"], &answer["cache"]["is"]), (&"usual".into(), &"none".into()));
    assert_eq!(answer["tracks"]["are"], "alike", "{answer}");
}

#[test]
fn a_report_of_the_run_file_says_the_same_in_80_columns() {
    let folder = Folder::new();
    let target = "sim:custom,iops=3000,size=8GiB,first_touch=20ms,first_touch_to=2GiB";
    let told = ended(&mut folder.plimsoll(&["where", target, "--out", "@"]));
    assert!(told.out.contains("loads on touch"), "{}", told.out);
    let mut files = fs::read_dir(folder.path(".")).unwrap().map(|entry| entry.unwrap().path());
    let run = files.find(|path| path.extension().is_some_and(|ending| ending == "plimsoll")).unwrap();
    let again = ended(&mut folder.plimsoll(&["report", run.to_str().unwrap(), "--format", "text"]));
    assert!(again.out.contains("loads on touch"), "{}{}", again.out, again.err);
    for line in told.out.lines().filter(|line| !line.starts_with("report") && !line.starts_with("run")) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_the_remedy() {
    let folder = Folder::new();
    for (words, remedy) in [
        (["--time", "1s"], "give 20.0 s or more"),
        (["--largest", "1MiB"], "name a working set of 64 MiB or more"),
        (["--size", "200GiB"], "name a smaller size"),
    ] {
        let ended = ended(&mut folder.plimsoll(&["where", "sim:aws-gp3", words[0], words[1]]));
        assert_eq!(ended.code, Some(2), "{words:?}");
        assert!(ended.err.replace('\n', " ").contains(remedy), "{words:?}: {}", ended.err);
    }
}
