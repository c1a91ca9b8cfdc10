//! The guide on maps, run as printed, and its statements compared with the results.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;
use serde_json::Value;

fn guide() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/map.md")).unwrap()
}

/// Returns the guide's code blocks in this language.
fn blocks(language: &str) -> Vec<String> {
    let (text, opening) = (guide(), format!("```{language}\n"));
    text.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Returns the words after `plimsoll` of the command that contains these.
fn command(holds: &str) -> Vec<String> {
    let found: Vec<String> = blocks("sh").into_iter().filter(|block| block.contains(holds)).collect();
    assert_eq!(found.len(), 1, "{holds}: {found:?}");
    found[0].split_whitespace().skip(1).map(str::to_owned).collect()
}

/// Runs the command with `more` words, in a folder of its own.
fn ran(words: &[String], more: &[&str]) -> (Folder, ProgramOutput) {
    let folder = Folder::new();
    let mut all: Vec<&str> = words.iter().map(String::as_str).collect();
    all.extend(more);
    let ended = ended(&mut folder.plimsoll(&all));
    assert_eq!(ended.code, Some(0), "{words:?}: {}", ended.err);
    (folder, ended)
}

fn direction<'d>(document: &'d Value, direction: &str) -> &'d Value {
    let all = document["answered"]["directions"].as_array().unwrap();
    all.iter().find(|map| map["direction"] == direction).unwrap()
}

fn near(value: &Value, truth: f64, share: f64) {
    let measured = value.as_f64().unwrap_or(f64::NAN);
    assert!((measured / truth - 1.0).abs() <= share, "{measured} instead of {truth}");
}

#[test]
fn every_command_of_the_guide_fits_80_columns_and_prints_what_it_shows() {
    for block in blocks("sh") {
        let words: Vec<String> = block.split_whitespace().skip(1).map(str::to_owned).collect();
        let (_folder, ended) = ran(&words, &[]);
        for line in ended.out.lines().filter(|line| !line.contains(".plimsoll") && !line.contains(".html")) {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert!(!ended.out.contains('\u{1b}') && ended.out.contains("Reads\n"), "{}", ended.out);
    }
    let (_folder, ended) = ran(&command("latency=800us\n"), &[]);
    for block in blocks("text") {
        assert!(ended.out.contains(&block), "the guide shows\n{block}and it prints\n{}", ended.out);
    }
}

#[test]
fn a_map_has_both_caps_their_crossover_and_the_depth_that_fills_them() {
    let (_folder, ended) = ran(&command("latency=800us\n"), &["--format", "json"]);
    let document = ended.json();
    for way in ["read", "write"] {
        let map = direction(&document, way);
        near(&map["operations"]["level"]["value"], 5_000.0, 0.01);
        near(&map["bytes"]["level"]["value"], 200.0 * 1048576.0, 0.01);
        near(&map["crossover"]["at"]["value"], 200.0 * 1048576.0 / 5_000.0, 0.01);
        assert_eq!(map["corner"]["corner"], "hard", "{way}");
        let small = map["knees"].as_array().unwrap().iter().find(|knee| knee["block"] == 4096).unwrap();
        near(&small["star"]["value"], 4.0, 0.05);
    }
    let shared: Vec<&Value> = document["answered"]["sharing"].as_array().unwrap().iter().collect();
    assert!(shared.len() == 2 && shared.iter().all(|sharing| sharing["shared"] == true), "{shared:?}");
}

#[test]
fn the_published_table_is_measured_again() {
    // 4K 5000, 16K 5000, 32K 5000, 64K 3200 and 256K 800 (method 4.3).
    let words = ["map", "sim:do-volumes-pre-burst"].map(str::to_owned);
    let (_folder, ended) = ran(&words, &["--format", "json"]);
    let document = ended.json();
    for (kib, rate) in [(4, 5_000.0), (16, 5_000.0), (32, 5_000.0), (64, 3_200.0), (256, 800.0)] {
        let cells = direction(&document, "read")["cells"].as_array().unwrap();
        let of_block = cells.iter().filter(|cell| cell["block"] == kib * 1024 && cell["basis"] == "measured");
        let deepest = of_block.max_by_key(|cell| cell["depth"].as_u64()).unwrap();
        near(&deepest["iops"]["value"], rate, 0.01);
    }
}

#[test]
fn the_bound_of_a_block_is_answered_with_a_depth() {
    let (_folder, ended) = ran(&command("--p99"), &["--format", "json"]);
    let document = ended.json();
    let rows = direction(&document, "read")["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["asked"] == true).unwrap();
    assert_eq!(row["block"], 16_384);
    // With N I/Os in the queue at 5,000 a second, each waits N/5,000 s: the bound is met up to a depth of 25.
    let depth = row["bound"]["depth"].as_u64().unwrap();
    let fails = row["bound"]["fails"].as_u64().unwrap();
    assert!((13..=25).contains(&depth) && (24..=38).contains(&fails), "{row}");
    assert!(direction(&document, "read")["slo"]["claim"].is_string(), "arrivals by chance were tried");
}

#[test]
fn a_unit_is_told_and_no_crossover() {
    let (_folder, ended) = ran(&command("unit=32KiB"), &["--format", "json"]);
    let document = ended.json();
    let map = direction(&document, "read");
    assert_eq!(map["unit"]["bytes"], 32_768);
    assert_eq!(map["unit"]["charge"], "ceil");
    assert!(map["crossover"].is_null(), "{}", map["crossover"]);
}

#[test]
fn report_tells_the_same_from_the_run_file() {
    let (folder, first) = ran(&command("latency=800us\n"), &["--out", "@"]);
    let run = run_file(&folder.path("."));
    let again = ended(&mut folder.plimsoll(&["report", &run]));
    let body = |out: &str| out.split("report  ").next().unwrap().trim().to_owned();
    assert_eq!(body(&again.out), body(&first.out));
}

#[test]
fn what_cannot_be_asked_is_refused_with_the_remedy() {
    let folder = Folder::new();
    for (words, says) in [
        (["--block", "2MiB"], "512 B to 1 MiB"),
        (["--block", "5000"], "multiples of"),
        (["--p99", "10ns"], "10ms"),
    ] {
        let ended = ended(&mut folder.plimsoll(&[&["map", "sim:aws-gp3"], &words[..]].concat()));
        assert_eq!(ended.code, Some(2), "{words:?}");
        assert!(ended.err.contains(says), "{words:?}: {}", ended.err);
    }
}

/// Returns the words that map a volume such as the guide's, with further parameters.
fn volume(more: &str) -> Vec<String> {
    let target = format!("sim:custom,iops=5000,bandwidth=200MiB/s,latency=800us{more}");
    vec!["map".to_owned(), target]
}

/// Returns the seconds of virtual time and the number of cells.
fn cost(document: &Value) -> (f64, u64) {
    let cost = &document["answered"]["cost"];
    (cost["seconds"].as_f64().unwrap(), cost["cells"].as_u64().unwrap())
}

#[test]
fn a_map_takes_a_quarter_of_what_the_grid_takes_and_says_what_that_would_be() {
    let (_folder, ended) = ran(&volume(""), &["--format", "json"]);
    let document = ended.json();
    let (seconds, cells) = cost(&document);
    let foreseen = document["answered"]["cost"]["grid_seconds"].as_f64().unwrap();
    let (_folder, ended) = ran(&volume(""), &["--format", "json", "--full", "--write-most", "500GiB"]);
    let (whole, all) = cost(&ended.json());
    assert_eq!(document["answered"]["cost"]["grid_cells"], 231);
    assert!(all >= 231 && cells < 60, "{cells} of {all}");
    assert!(seconds <= 0.25 * whole, "{seconds} s of {whole} s");
    assert!((foreseen / whole - 1.0).abs() <= 0.15, "foreseen {foreseen} s, and it took {whole} s");
}

#[test]
fn loads_that_a_neighbour_disturbed_are_named_and_leave_the_level_alone() {
    let neighbour = ",neighbour=60%,neighbour_for=2s,neighbour_every=30s";
    let (_folder, ended) = ran(&volume(neighbour), &["--format", "json"]);
    let document = ended.json();
    let map = direction(&document, "read");
    let disturbed = map["disturbed"].as_array().unwrap();
    assert!(!disturbed.is_empty() && disturbed.iter().all(|off| off["share"].as_f64().unwrap() < 0.95));
    near(&map["operations"]["level"]["value"], 5_000.0, 0.005);
    // On a volume that nobody else uses, no load is disturbed.
    let (_folder, ended) = ran(&volume(""), &["--format", "json"]);
    let document = ended.json();
    for way in ["read", "write"] {
        assert_eq!(direction(&document, way)["disturbed"].as_array().unwrap().len(), 0);
    }
}

#[test]
fn a_block_between_keeps_the_depth_that_a_longer_one_keeps() {
    let (_folder, ended) = ran(&command("--p99"), &["--format", "json"]);
    let document = ended.json();
    let rows = direction(&document, "read")["rows"].as_array().unwrap();
    let depth =
        |block: u64| rows.iter().find(|row| row["block"] == block).unwrap()["bound"]["depth"].as_u64();
    assert_eq!(depth(8 << 10), depth(16 << 10), "{rows:?}");
}
