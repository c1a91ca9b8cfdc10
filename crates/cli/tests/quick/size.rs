//! `plimsoll size`: recordings of several kinds, what is asked about them, and what is refused.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fmt::Write as _;
use std::fs;

use crate::machine::*;

/// What iostat prints of a disk that reads at these rates of 8 KiB, a second each.
fn iostat(rates: &[u32]) -> String {
    let mut text = "Linux 6.1.0 (host) \t11/20/2026 \t_x86_64_\t(2 CPU)\n\n".to_owned();
    for (at, rate) in rates.iter().enumerate() {
        write!(
            text,
            "11/20/2026 10:{:02}:{:02} AM\nDevice            r/s     rkB/s     w/s     wkB/s  aqu-sz  %util\n\
             vdb          {rate}.00  {}.00    0.00      0.00    0.50  40.00\n\n",
            at / 60,
            at % 60,
            rate * 8
        )
        .unwrap();
    }
    text
}

fn recorded(rates: &[u32]) -> Folder {
    let folder = Folder::new();
    fs::write(folder.path("load.txt"), iostat(rates)).unwrap();
    folder
}

/// Runs plimsoll in the folder.
fn run(folder: &Folder, words: &[&str]) -> ProgramOutput {
    ended(folder.plimsoll(words).current_dir(folder))
}

/// Returns a text without its line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_load_gets_the_cheapest_setting_that_carries_it() {
    let folder = recorded(&[4000; 30]);
    let words = ["size", "load.txt", "--provider", "aws", "--capacity", "100GiB", "--region", "us-east-1"];
    let ended = run(&folder, &words);
    assert_eq!(ended.code, Some(0), "{} {}", ended.out, ended.err);
    // 4,000 and 3 % more, in steps of 100.
    for words in ["CHEAPEST: aws-gp3,size=100GiB,iops=4", "a month in us-east-1", "vdb", "The next cheaper, "]
    {
        assert!(flat(&ended.out).contains(words), "{words}: {}", ended.out);
    }
    assert!(ended.out.lines().all(|line| line.chars().count() <= 80), "{}", ended.out);
    let json = run(&folder, &[&words[..], &["--format", "json"]].concat());
    let document: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let device = &document["devices"][0];
    let cheapest = &device["settings"][device["cheapest"].as_u64().unwrap() as usize];
    assert_eq!(document["schema"], "plimsoll-size");
    assert_eq!(cheapest["carries"], "yes");
    assert!((4000.0..4300.0).contains(&device["load"]["iops_peak"].as_f64().unwrap()), "{}", device["load"]);
}

#[test]
fn what_a_volume_has_now_is_judged_and_its_waste_named() {
    let folder = recorded(&[900; 30]);
    let with = |present: &str| {
        run(&folder, &["size", "load.txt", "--provider", "aws", "--capacity", "500GiB", "--present", present])
    };
    let ample = with("aws-gp3,size=500GiB,iops=9000");
    assert_eq!(ample.code, Some(0), "{} {}", ample.out, ample.err);
    assert!(flat(&ample.out).contains("a month less would do"), "{}", ample.out);
    let scarce = with("aws-st1,size=500GiB");
    assert_eq!(scarce.code, Some(3), "{} {}", scarce.out, scarce.err);
    assert!(flat(&scarce.out).contains("What it has now, aws-st1,size=500GiB"), "{}", scarce.out);
}

#[test]
fn waiting_that_is_allowed_makes_a_cheaper_setting_do() {
    // One second in thirty asks for 6,000.
    let rates: Vec<u32> = (0..60).map(|at| if at % 30 == 7 { 6000 } else { 500 }).collect();
    let folder = recorded(&rates);
    let words = ["size", "load.txt", "--policy", "aws-gp3", "--capacity", "100GiB", "--format", "json"];
    let price = |more: &[&str]| {
        let ended = run(&folder, &[&words[..], more].concat());
        let document: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
        let device = &document["devices"][0];
        device["settings"][device["cheapest"].as_u64().unwrap() as usize]["price"]["amount"].as_f64().unwrap()
    };
    let (never, seconds) = (price(&[]), price(&["--allow", "longest +10s"]));
    assert!(seconds < never, "{seconds} {never}");
}

#[test]
fn own_prices_stand_before_the_built_in_ones() {
    let folder = recorded(&[500; 20]);
    let prices = "[[price]]\npolicies = [\"hetzner-volumes\"]\nregion = \"fsn1\"\ncurrency = \"EUR\"\nas_of = \"2026-11-01\"\n\
                  source = \"our contract\"\nparts = [{ count = { param = \"size\" }, price = 0.01 }]\n";
    fs::write(folder.path("prices.toml"), prices).unwrap();
    let words = "size load.txt --policy hetzner-volumes --capacity 100GiB --prices prices.toml --region fsn1";
    let ended = run(&folder, &words.split(' ').collect::<Vec<_>>());
    assert!(flat(&ended.out).contains("1.00 EUR a month in fsn1"), "{} {}", ended.out, ended.err);
}

#[test]
fn several_recordings_make_one_table() {
    let folder = Folder::new();
    for (name, rate) in [("web", 300), ("db", 5000), ("cron", 10)] {
        fs::write(folder.path(&format!("{name}.txt")), iostat(&[rate; 30])).unwrap();
    }
    let words = ["size", "web.txt", "db.txt", "cron.txt", "--provider", "aws", "--capacity", "100GiB"];
    let present = ["--present", "aws-gp3,size=100GiB,iops=6000"];
    let ended = run(&folder, &[&words[..], &present].concat());
    assert_eq!(ended.code, Some(0), "{} {}", ended.out, ended.err);
    assert!(ended.out.starts_with("3 volumes: 3 paid for more than they can use, "), "{}", ended.out);
    for words in ["vdb of web  ", "vdb of db  ", "vdb of cron  ", "23.00 USD"] {
        assert!(ended.out.contains(words), "{words}: {}", ended.out);
    }
    let all = run(&folder, &[&words[..], &["--all"]].concat());
    assert_eq!(all.out.matches("CHEAPEST: ").count(), 3, "{}", all.out);
}

#[test]
fn mistakes_are_refused_with_what_to_write() {
    let folder = recorded(&[500; 20]);
    for (words, said) in [
        (&["--provider", "amazon"][..], "it has alibaba, aws, azure"),
        (&["--policy", "aws-gp3,size=1GiB"], "name the policy alone"),
        (&["--policy", "aws-gp9"], "did you mean 'aws-gp2'?"),
        (&["--allow", "p98 +1ms"], "p99 +2ms"),
        (&["--region", "us-east-9"], "us-east-1"),
        (&["--instance", "m5.larg"], "m5.large"),
        (&["--device", "sdx"], "the recording has vdb"),
        (&["--capacity", "much"], "much"),
        (&["--prices", "none.toml"], "none.toml: cannot be read"),
    ] {
        let ended = run(&folder, &[&["size", "load.txt"], words].concat());
        assert_eq!(ended.code, Some(2), "{words:?}: {} {}", ended.out, ended.err);
        let err = flat(&ended.err);
        assert!(err.contains(said) && ended.out.is_empty(), "{words:?}: {err}");
    }
    fs::write(folder.path("idle.txt"), iostat(&[0; 20])).unwrap();
    let ended = run(&folder, &["size", "idle.txt"]);
    assert_eq!(ended.code, Some(2), "{} {}", ended.out, ended.err);
    assert!(ended.err.contains("no disk did any I/O"), "{}", ended.err);
}

#[test]
fn credits_that_do_not_return_carry_a_load_for_now() {
    // 2,000 a second from credits that return at 300.
    let folder = recorded(&[2000; 60]);
    let ended = run(&folder, &["size", "load.txt", "--policy", "aws-gp2", "--capacity", "100GiB", "--all"]);
    assert_eq!(ended.code, Some(0), "{} {}", ended.out, ended.err);
    let row = ended.out.lines().find(|line| line.contains("aws-gp2 100GiB")).unwrap();
    assert!(row.contains("once"), "{}", ended.out);
    let all = run(&folder, &["size", "load.txt", "--capacity", "100GiB", "--all"]);
    assert!(!all.out.contains("vmware"), "what an administrator sets is not sold: {}", all.out);
}
