//! `plimsoll headroom` and its guide, on simulated volumes: every command of the guide runs as printed.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;
use serde_json::Value;

/// One server with exponential service times, 1,000 a second: the 99th percentile is ln(100) / (1000 - rate) seconds.
const MM1: &str = "sim:custom,servers=1,service=1ms,service_cv=1,latency=0us,jitter=0";

fn guide() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/headroom.md")).unwrap()
}

/// Returns the guide's code blocks in this language.
fn blocks(language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    let text = guide();
    text.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Returns the words of a command of the guide, without the program.
fn words(command: &str) -> Vec<String> {
    // Text in double quotes is one word.
    let parts = command.split('"').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(|word| word.trim_matches('\'').to_owned()).collect::<Vec<_>>(),
        _ => vec![part.to_owned()],
    });
    words.skip(1).collect()
}

fn answered(document: &Value) -> &Value {
    assert_eq!(document["answered"]["procedure"], "headroom", "{document}");
    &document["answered"]
}

/// Returns the rate that was found.
fn found(document: &Value) -> f64 {
    let greatest = &answered(document)["greatest"];
    assert_eq!(greatest["bound"], "found", "{greatest}");
    greatest["rate"]["value"].as_f64().unwrap()
}

#[test]
fn every_command_of_the_guide_runs_and_fits_a_terminal() {
    let folder = Folder::new();
    fs::write(folder.path("jobs.fio"), &blocks("ini")[0]).unwrap();
    let commands = blocks("sh").concat();
    assert!(commands.lines().count() >= 4, "{commands}");
    for command in commands.lines() {
        let words = words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ended = ended(folder.plimsoll(&words).current_dir(folder.path(".")));
        assert!(matches!(ended.code, Some(0 | 4)), "{command}: {} {}", ended.out, ended.err);
        let paths = |line: &&str| line.starts_with("report ") || line.starts_with("run ");
        let long = ended.out.lines().filter(|line| !paths(line)).find(|line| line.chars().count() > 80);
        assert_eq!(long, None, "{command}");
    }
}

#[test]
fn the_rate_of_a_queue_is_found_and_a_stored_run_gives_the_same_answer() {
    let folder = Folder::new();
    let searched = ended(&mut folder.plimsoll(&["headroom", MM1, "--p99", "24ms", "--format", "json"]));
    assert_eq!(searched.code, Some(0), "{}", searched.err);
    let (document, truth) = (searched.json(), 1000.0 - 100f64.ln() / 0.024);
    assert!((found(&document) / truth - 1.0).abs() < 0.05, "{} of {truth}", found(&document));
    let run = run_file(&folder.path("state/plimsoll"));
    let again = ended(&mut folder.plimsoll(&["report", &run, "--format", "json"])).json();
    assert_eq!(answered(&again), answered(&document));
    let page = fs::read_to_string(Path::new(&run).with_extension("html")).unwrap();
    assert!(
        page.contains("id=\"latency-by-rate\"") && page.contains("p99 ≤ 24 ms"),
        "the curve is not there"
    );
    assert!(!page.contains(">Jobs<"), "steps of a search are no jobs of anybody");
}

#[test]
fn a_job_file_says_what_arrives() {
    let folder = Folder::new();
    let job = "[a]\nrw=randrw\nrate_iops=300,100\nbs=8k\nsize=1g\n";
    fs::write(folder.path("job.fio"), job).unwrap();
    let job = folder.text("job.fio");
    let words = ["headroom", "sim:aws-gp3", "--p99", "5ms", "--load", &job, "--format", "json"];
    let ended = ended(&mut folder.plimsoll(&words));
    let document = ended.json();
    let load = &answered(&document)["load"][0];
    assert_eq!((&load["read_percent"], &load["block"]), (&75.into(), &8192.into()), "{load}");
}

#[test]
fn a_promise_is_met_or_not_and_a_policy_leaves_a_part() {
    let folder = Folder::new();
    let searched = |words: &[&str]| {
        let all = [&["headroom", MM1, "--p99", "24ms", "--format", "json"], words].concat();
        let ended = ended(&mut folder.plimsoll(&all));
        assert_eq!(ended.code.map(i64::from), ended.json()["verdict"]["exit_code"].as_i64());
        (ended.code, ended.json()["answered"]["promised"].clone())
    };
    // The bound holds up to 808 a second.
    let (met, promised) = searched(&["--expect", "500 iops"]);
    assert_eq!(
        (met, &promised[0]["answer"], &promised[0]["iops"]),
        (Some(0), &"meets".into(), &500.0.into())
    );
    assert_eq!(searched(&["--expect", "950 iops"]).0, Some(3));
    let text = ended(&mut folder.plimsoll(&["headroom", MM1, "--p99", "24ms", "--expect", "950 iops"])).out;
    assert!(text.contains("BELOW"), "{text}");
    let (code, promised) = searched(&["--policy", "custom,iops=1000"]);
    // Random arrivals cannot all get the rate that a full queue gets: that is no fault of the volume.
    assert_eq!((code, promised[0]["answer"].is_null()), (Some(0), true), "{promised}");
    assert_eq!(promised[0]["iops"], 1000.0);
    let refused = ended(&mut folder.plimsoll(&["headroom", MM1, "--p99", "24ms", "--expect", "p99 < 1ms"]));
    assert_eq!((refused.code, refused.err.contains("--p99")), (Some(2), true), "{}", refused.err);
}

/// The rate stands on credits: what it says holds until they end, and what is left then is said.
#[test]
fn a_rate_that_burst_credits_pay_for_holds_for_now() {
    let folder = Folder::new();
    let searched = |words: &[&str]| {
        let all = [&["headroom", "sim:aws-gp2,size=100GiB", "--p99", "5ms"], words].concat();
        ended(&mut folder.plimsoll(&all))
    };
    let left = "The policy's burst in operations may have paid for it: at 2,737 IOPS that lasts 37 min from full \
                credits, and how full they were is not known, so that it may end any time within 35 min. After it, \
                aws-gp2,size=100GiB grants 300 IOPS of this load.";
    for words in [&[][..], &["--policy", "aws-gp2,size=100GiB"]] {
        let ended = searched(words);
        assert_eq!(ended.code, Some(4), "{}", ended.out);
        let told = ended.told();
        assert!(told.contains("FOR NOW: p99 ≤ 5 ms holds up to 2,740 (2,620 to 2,780) IOPS"), "{told}");
        assert!(told.contains(left) && !told.contains("912 %"), "{told}");
    }
    let asked = searched(&["--expect", "2000 iops"]);
    assert_eq!((asked.code, asked.told().contains("FOR NOW")), (Some(4), true), "{}", asked.out);
    assert_eq!(searched(&["--expect", "3500 iops"]).code, Some(3));
    // What the policy grants for ever needs no credits.
    assert_eq!(searched(&["--at", "200"]).code, Some(0));
    assert_eq!(searched(&["--at", "2000"]).code, Some(4));
}

#[test]
fn a_volume_whose_credits_end_meanwhile_has_changed() {
    let folder = Folder::new();
    let words = ["headroom", "sim:aws-gp2,size=100GiB,credits=150000", "--p99", "5ms", "--format", "json"];
    let ended = ended(&mut folder.plimsoll(&words));
    let document = ended.json();
    let found = answered(&document);
    assert_eq!((ended.code, &found["changes"]), (Some(4), &1.into()), "{found}");
    assert!(found["doubts"].as_array().unwrap().contains(&"changed".into()), "{found}");
    assert!(found["greatest"]["rate"]["high"].as_f64().unwrap() < 320.0, "{found}");
}

/// At a third of the rate at which the queue is full, no late I/O of 20,000 is no chance.
#[test]
fn rates_that_were_given_are_judged_each_by_itself_and_what_is_open_is_said() {
    let folder = Folder::new();
    let at = |rates: &str| {
        let words = ["headroom", "sim:aws-gp3", "--p99", "5ms", "--at", rates];
        ended(&mut folder.plimsoll(&words))
    };
    let low = at("1000,2000");
    assert_eq!(low.code, Some(0), "{}", low.out);
    assert!(low.told().contains("p99 ≤ 5 ms: holds at 1,005 IOPS, 2,003 IOPS."), "{}", low.out);
    let open = at("1000,2740,2750");
    assert_eq!(
        (open.code, open.told().contains("CANNOT TELL at 2 of 3 rates: ")),
        (Some(4), true),
        "{}",
        open.out
    );
    let why = "Where it only seems so, chance may explain the share of late I/Os; --time 10m narrows it.";
    assert!(open.told().contains(why), "{}", open.out);
    // It serves 2,900 of 3,000: they are late, and none is left behind.
    let late = at("1000,2900");
    assert_eq!((late.code, late.told().contains("BELOW: ")), (Some(3), true), "{}", late.out);
    assert!(late.told().contains("does not hold at 2,900 IOPS."), "{}", late.out);
    assert!(!late.out.contains("falls behind"), "{}", late.out);
}

#[test]
fn a_job_that_fio_would_steer_by_latency_is_a_search_by_itself() {
    let folder = Folder::new();
    let job =
        "[a]\nrw=randread\nbs=4k\nsize=64m\nlatency_target=24ms\nlatency_percentile=99\nlatency_window=1s\n";
    fs::write(folder.path("job.fio"), job).unwrap();
    let job = folder.text("job.fio");
    let document = ended(&mut folder.plimsoll(&["headroom", MM1, "--load", &job, "--format", "json"])).json();
    let bound = &answered(&document)["bounds"][0];
    assert_eq!((&bound["percent"], &bound["most"]), (&99.0.into(), &24_000_000.into()), "{bound}");
    assert!((found(&document) / 808.0 - 1.0).abs() < 0.05, "{}", found(&document));
    // Without a target the load runs on what its jobs name, which here would be this folder.
    let words = ["headroom", &job, "--dry-run", "--size", "64m"];
    let dry = ended(folder.plimsoll(&words).current_dir(folder.path(".")));
    assert_eq!(dry.code, Some(0), "{}", dry.err);
    assert!(dry.err.contains("p99 ≤ 24 ms"), "{}", dry.err);
}

#[test]
fn what_cannot_be_searched_is_refused_with_what_would_do() {
    let folder = Folder::new();
    let refused = |words: &[&str], remedy: &str| {
        let ended = ended(&mut folder.plimsoll(&[&["headroom", MM1], words].concat()));
        assert_eq!((ended.code, ended.err.contains(remedy)), (Some(2), true), "{words:?}: {}", ended.err);
    };
    refused(&[], "--p99 10ms");
    refused(&["--p99", "24ms", "--time", "1s"], "10s or more");
    refused(&["--p99", "0ms"], "no I/O takes no time");
    refused(&["--p99", "24ms", "--mix", "70/40"], "70/40");
    refused(&["--p99", "24ms", "--block", "0"], "4k");
    refused(&["--p99", "24ms", "--load", "a.fio", "--mix", "70/30"], "--mix");
}
