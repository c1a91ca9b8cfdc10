//! `plimsoll merge`: the runs of several machines as one, by its guide and beyond.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;
use serde_json::Value;

/// Runs a profile on a simulated volume of `iops`; the runs of a folder overlap, as their clocks tell the true time.
fn runs(folder: &Folder, volumes: &[(u32, u32)]) {
    for (iops, seed) in volumes {
        let volume = format!("sim:custom,iops={iops},noise=1%,seed={seed}");
        let done = ended(&mut folder.plimsoll(&["run", "database", &volume, "--out", "@/fleet"]));
        assert_eq!(done.code, Some(0), "{}", done.err);
    }
}

fn run_files(folder: &Folder, within: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.path(within)).unwrap().map(|entry| entry.unwrap().path());
    let runs = entries.filter(|path| path.extension().is_some_and(|end| end == "plimsoll"));
    let mut runs: Vec<String> = runs.map(|path| path.display().to_string()).collect();
    runs.sort();
    runs
}

/// I/Os of all steps and directions.
fn ops(document: &Value) -> u64 {
    let steps = document["steps"].as_array().unwrap().iter();
    let totals = steps.flat_map(|step| step["totals"].as_object().unwrap().values());
    totals.map(|of| of["ops"].as_u64().unwrap()).sum()
}

#[test]
fn the_guide_runs_as_it_is_printed() {
    let folder = Folder::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/merge.md");
    let text = fs::read_to_string(path).unwrap();
    let commands = text.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    for line in commands.lines() {
        let words: Vec<String> = line
            .split(' ')
            .skip(1)
            .map(|word| word.replace("fleet", "@/fleet").replace("merged", "@/merged"))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let done = ended(&mut folder.plimsoll(&words));
        assert_eq!(done.code, Some(0), "{line}: {}{}", done.out, done.err);
        let wide = done.out.lines().find(|line| line.chars().count() > 80 && !line.starts_with(['r']));
        assert!(wide.is_none(), "{wide:?}");
    }
}

#[test]
fn the_sum_is_exact_whatever_the_order_and_the_odd_one_is_named() {
    let folder = Folder::new();
    runs(&folder, &[(3000, 1), (3000, 2), (3000, 3), (2700, 4), (3000, 5), (3000, 6)]);
    let files = run_files(&folder, "fleet");
    let merge = |files: &[String]| {
        let words: Vec<&str> = files.iter().map(String::as_str).collect();
        let words = [&["merge"], words.as_slice(), &["--out", "@/merged", "--format", "json"]].concat();
        ended(&mut folder.plimsoll(&words)).json()
    };
    let merged = merge(&files);
    let mut backwards = files.clone();
    backwards.reverse();
    assert_eq!(merged["answered"]["steps"], merge(&backwards)["answered"]["steps"]);
    let alone =
        |file: &String| ops(&ended(&mut folder.plimsoll(&["report", file, "--format", "json"])).json());
    assert_eq!(ops(&merged), files.iter().map(alone).sum::<u64>());
    let odd: Vec<&Value> =
        merged["answered"]["deviations"].as_array().unwrap().iter().filter(|of| of["odd"] == true).collect();
    let label = |of: &Value| {
        merged["answered"]["machines"][of["side"].as_u64().unwrap() as usize]["label"].to_string()
    };
    assert!(!odd.is_empty() && odd.iter().all(|of| label(of).contains("seed=4")), "{odd:?}");
    let file = run_files(&folder, "merged").remove(0);
    let again = ended(&mut folder.plimsoll(&["report", &file]));
    assert!(again.code == Some(0) && again.out.contains("6 machines together"), "{}", again.out);
    let listed = ended(&mut folder.plimsoll(&["list", "@/merged"]));
    assert!(listed.out.contains("6 machines together"), "{}", listed.out);
    let compared = ended(&mut folder.plimsoll(&["compare", &file, &file, "--format", "json"]));
    let compared = compared.json();
    let rows = compared["rows"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["ratios"][1]["value"] == 1.0), "{rows:#?}");
    assert_ne!(compared["outcome"], "told", "{rows:#?}");
    let nested = ended(&mut folder.plimsoll(&["merge", &file, &files[0]]));
    assert!(nested.code == Some(2) && nested.err.contains("name those instead"), "{}", nested.err);
}

#[test]
fn runs_of_each_machine_alone_show_whether_they_share_a_limit() {
    let folder = Folder::new();
    runs(&folder, &[(2000, 1), (2000, 2), (3000, 3), (3000, 4)]);
    let files = run_files(&folder, "fleet");
    let [slow_a, slow_b, a, b] = [0, 1, 2, 3].map(|at| files[at].as_str());
    let merged = |together: [&str; 2], alone: &[String]| {
        let named: Vec<String> =
            ["a", "b"].iter().zip(together).map(|(name, file)| format!("{name}={file}")).collect();
        let alone = alone.iter().flat_map(|words| ["--alone", words.as_str()]);
        let words: Vec<&str> =
            ["merge"].into_iter().chain(named.iter().map(String::as_str)).chain(alone).collect();
        ended(&mut folder.plimsoll(&[words.as_slice(), &["--out", "@/merged"]].concat()))
    };
    let alone = [format!("a={a}"), format!("b={b}")];
    let shared = merged([slow_a, slow_b], &alone);
    assert!(
        shared.code == Some(0) && shared.out.contains("\nSHARED: 2 machines at once have reads"),
        "{}",
        shared.out
    );
    assert!(
        shared.out.lines().all(|line| line.chars().count() <= 80 || line.starts_with('r')),
        "{}",
        shared.out
    );
    let apart = merged([a, b], &alone);
    assert!(apart.code == Some(0) && apart.out.contains("\nAPART: 2 machines have at once"), "{}", apart.out);
    let open = merged([slow_a, slow_b], &alone[..1]);
    assert!(open.code == Some(4) && open.out.contains("\nCANNOT TELL what 2 machines share"), "{}", open.out);
    let changed = merged([a, b], &[&alone[..], &[format!("b={slow_b}")]].concat());
    assert!(changed.code == Some(4) && changed.out.contains("b alone had another rate"), "{}", changed.out);
    let unknown = merged([a, b], &[slow_a.to_owned()]);
    assert!(unknown.code == Some(2) && unknown.err.contains("say which machine"), "{}", unknown.err);
}

#[test]
fn what_cannot_be_merged_is_refused_with_the_remedy() {
    let folder = Folder::new();
    runs(&folder, &[(3000, 1), (3000, 2)]);
    let files = run_files(&folder, "fleet");
    let refused = |words: &[&str], part: &str| {
        let done = ended(&mut folder.plimsoll(&[&["merge"], words].concat()));
        let said = done.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(done.code == Some(2) && said.contains(part), "{words:?}: {:?} {said}", done.code);
    };
    let (one, two) = (files[0].as_str(), files[1].as_str());
    refused(&[one], "one run has nothing to be merged with");
    refused(&[one, one], "two runs are called");
    refused(&[one, two, "--clock", "c=1s"], "no machine is called 'c'");
    let (a, b) = (format!("a={one}"), format!("b={two}"));
    refused(&[&a, &b, "--clock", "a=1 fortnight"], "--clock a=1 fortnight");
    refused(&[&a, &b, "--clock", "b=+2h"], "ran at different times");
    refused(&["a=@/fleet", one], "a can be one");
    fs::write(folder.path("a.txt"), super::schema::RESULT).unwrap();
    refused(&[one, &folder.path("a.txt").display().to_string()], "holds no I/Os of plimsoll's own");
}

#[test]
fn a_time_to_start_at_must_lie_ahead_and_means_nothing_in_virtual_time() {
    let folder = Folder::new();
    let refused = |words: &[&str], part: &str| {
        let done = ended(&mut folder.plimsoll(words));
        assert!(done.code == Some(2) && done.err.contains(part), "{words:?}: {:?} {}", done.code, done.err);
    };
    let run = ["run", "database", "sim:aws-gp3"];
    refused(&[&run[..], &["--start-at", "2001-09-09T01:46:40Z"]].concat(), "has passed");
    refused(&[&run[..], &["--start-at", "noon"]].concat(), "it is no time");
    refused(&[&run[..], &["--start-at", "2999-01-01T00:00:00Z"]].concat(), "no meaning for sim:aws-gp3");
    refused(&["--start-at", "2999-01-01T00:00:00Z", "ioping", "-c1", "@"], "no meaning for ioping");
    refused(&["--start-at", "soon", "fio", "--name=a"], "--start-at soon: it is no time");
}
