//! `plimsoll compare --against fio`: the installed fio and plimsoll run one job file in turns. Needs fio.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;

use crate::machine::*;

/// Paced, so that both tools must reach the same rate on any machine.
const PACED: &str = "[paced]\nioengine=psync\ndirect=0\nrw=randread\nbs=4k\nsize=4m\nrate_iops=400\ntime_based=1\nruntime=1\n";

#[test]
#[ignore = "night: rates beside fio's"]
fn a_paced_job_comes_to_the_same_rate_through_both_and_leaves_two_run_files() {
    if Peers::find().is_none() {
        return;
    }
    let folder = Folder::new();
    folder.make_file("data", 64);
    fs::write(folder.path("job.fio"), PACED).unwrap();
    let words = [
        "compare",
        "@/data",
        "@/job.fio",
        "--against=fio",
        "--blocks=6",
        "--busy",
        "--out=@/runs",
        "--format=json",
    ];
    let run = ended(&mut folder.plimsoll(&words));
    assert_eq!(run.code, Some(0), "{}", run.err);
    let document = run.json();
    let rate = &document["rows"][0];
    assert_eq!(rate["measure"], "iops", "{rate}");
    // A turn delayed by the machine widens the interval, but the typical difference remains zero.
    let ratio = rate["ratios"][1]["value"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 0.05 && rate["ratios"][1]["answer"] != "differs", "{rate}");
    let tools: Vec<&str> = (0..2).map(|side| document["sides"][side]["tools"][0].as_str().unwrap()).collect();
    assert!(tools[0].starts_with("fio ") && tools[1].contains("of plimsoll"), "{tools:?}");
    let files: Vec<String> = fs::read_dir(folder.path("runs"))
        .unwrap()
        .map(|entry| text(&entry.unwrap().path()))
        .filter(|path| path.ends_with(".plimsoll"))
        .collect();
    let by = |tool: &str| files.iter().find(|path| path.contains(&format!("by-{tool}"))).unwrap().clone();
    let again =
        ended(&mut folder.plimsoll(&["compare", &by("fio"), &by("plimsoll"), "--format=json"])).json();
    assert_eq!(again["rows"], document["rows"], "the two files are the comparison");
}
