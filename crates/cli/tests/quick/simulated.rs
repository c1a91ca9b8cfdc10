//! Simulated volumes on the command line: what is configured is found again, without root, in one JSON document.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;

use crate::machine::*;
use serde_json::Value;

const MIB: f64 = 1048576.0;

/// Base latency of a simulated volume without `latency=`, in seconds.
const BASE_S: f64 = 0.8e-3;

/// Target, operations a second, MiB a second, base latency in seconds.
const VOLUMES: [(&str, f64, f64, f64); 5] = [
    ("sim:aws-gp3", 3_000.0, 125.0, BASE_S),
    ("sim:azure-premium-ssd-large,tier=P30", 5_000.0, 200.0, BASE_S),
    // There is no power of two between its caps, so that such a volume might also count in units.
    ("sim:aws-gp3,iops=8000,throughput=450MiB/s,latency=2ms", 8_000.0, 450.0, 2e-3),
    ("sim:do-volumes-pre-burst", 5_000.0, 200.0, BASE_S),
    ("sim:custom,iops=800,bandwidth=60MiB/s,latency=5ms", 800.0, 60.0, 5e-3),
];

fn checked(folder: &Folder, words: &[&str]) -> ProgramOutput {
    ended(&mut folder.plimsoll(&[&["check"], words, &["--format", "json"]].concat()))
}

/// Returns the finding of `kind` for `direction`; null if there is none.
fn finding<'d>(document: &'d Value, kind: &str, direction: &str) -> &'d Value {
    let all = document["findings"].as_array().unwrap();
    let found = all.iter().find(|finding| finding["kind"] == kind && finding["direction"] == direction);
    found.unwrap_or(&Value::Null)
}

/// Fails if `measured` is not within `share` of `truth`.
fn within(what: &str, measured: &Value, truth: f64, share: f64) {
    let measured = measured.as_f64().unwrap_or(f64::NAN);
    assert!((measured / truth - 1.0).abs() <= share, "{what}: {measured} instead of {truth}");
}

#[test]
fn caps_and_the_depth_that_fills_them_are_recovered() {
    let folder = Folder::new();
    for (target, iops, mib, latency_s) in VOLUMES {
        let ended = checked(&folder, &[target]);
        assert_eq!(ended.code, Some(0), "{target}: {}", ended.err);
        let document = ended.json();
        for direction in ["read", "write"] {
            let what = format!("{target} {direction}");
            within(&what, &finding(&document, "iops_cap", direction)["cap"]["value"], iops, 0.02);
            within(&what, &finding(&document, "bandwidth_cap", direction)["cap"]["value"], mib * MIB, 0.02);
            within(&what, &finding(&document, "crossover", direction)["bytes"], mib * MIB / iops, 0.05);
            within(&what, &finding(&document, "filling_depth", direction)["star"], iops * latency_s, 0.05);
        }
        assert_eq!(document["verdict"]["answer"], "meets", "{target}: {}", document["verdict"]["sentence"]);
    }
}

#[test]
fn stdout_is_one_json_document_and_stderr_is_for_people() {
    let folder = Folder::new();
    let ended = checked(&folder, &["sim:aws-gp3"]);
    let document = ended.json();
    assert_eq!(document["schema"], "plimsoll-report");
    assert!(ended.out.starts_with('{') && ended.out.ends_with("}\n"));
    assert!(ended.err.contains("sim:aws-gp3") && ended.err.contains(".plimsoll"), "{}", ended.err);
    for key in ["verdict", "findings", "depths", "blocks", "latencies", "run", "steps", "horizon_ns"] {
        assert!(!document[key].is_null(), "{key} is missing");
    }
}

/// Words after `check`, the exit code, the answer, and words of the verdict.
const ANSWERS: [(&[&str], i32, &str, &str); 9] = [
    (&["sim:aws-gp3"], 0, "meets", "MEETS aws-gp3"),
    (&["sim:aws-gp3", "--policy", "aws-gp3"], 0, "meets", "MEETS aws-gp3"),
    (&["sim:do-volumes-pre-burst", "--expect", "read 5000 iops, write 190 MiB/s"], 0, "meets", "MEETS"),
    (&["sim:do-volumes-pre-burst", "--expect", "read 6000 iops"], 3, "below", "BELOW"),
    (&["sim:aws-gp3", "--policy", "aws-gp3,iops=4000"], 3, "below", "BELOW aws-gp3,iops=4000"),
    (&["sim:aws-gp3", "--expect", "p99 < 0.1ms"], 3, "below", "BELOW"),
    (&["sim:aws-gp2,size=100GiB"], 4, "consistent_with_burst", "CANNOT TELL beyond the burst"),
    (
        &["sim:custom,iops=3000,bandwidth=128MiB/s", "--policy", "aws-gp2,size=100GiB"],
        4,
        "consistent_with_burst",
        "CANNOT TELL",
    ),
    (&["sim:azure-premium-ssd-credit,tier=P10"], 4, "consistent_with_burst", "CANNOT TELL"),
];

#[test]
fn the_exit_code_is_the_answer() {
    let folder = Folder::new();
    let faults: Vec<String> = ANSWERS
        .iter()
        .filter_map(|(words, code, answer, sentence)| {
            let ended = checked(&folder, words);
            let verdict = ended.json()["verdict"].clone();
            let told = verdict["sentence"].as_str().unwrap_or_default();
            let right = ended.code == Some(*code) && verdict["answer"] == *answer && told.contains(sentence);
            (!right).then(|| format!("{words:?}: {:?} {} {told}", ended.code, verdict["answer"]))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_simulation_needs_no_root() {
    if !is_root() {
        return skipped(Lack::Root, "nobody here is root, so the other tests show it");
    }
    let folder = Folder::for_everybody();
    fs::copy(env!("CARGO_BIN_EXE_plimsoll"), folder.path("plimsoll")).unwrap();
    use std::os::unix::fs::PermissionsExt;
    let state = folder.make_dir("state");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).unwrap();
    for target in ["sim:aws-gp3", "sim:azure-premium-ssd-large,tier=P30"] {
        let who = ["--reuid=65534", "--regid=65534", "--clear-groups", "@/plimsoll", "check", target];
        let ended = ended(&mut folder.through("setpriv", &who));
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        assert!(ended.out.contains("MEETS"), "{}", ended.out);
    }
    assert_eq!(fs::read_dir(state.join("plimsoll")).unwrap().count(), 4, "a run and a report each");
}

#[test]
fn one_seed_gives_one_result_and_the_run_file_holds_it() {
    let folder = Folder::new();
    let target = "sim:aws-gp3,jitter=0.5";
    let [first, again, other] = ["7", "7", "8"]
        .map(|seed| checked(&folder, &[target, "--seed", seed, "--out", &format!("@/{seed}")]));
    let (first, again, other) = (first.json(), again.json(), other.json());
    assert!(first["steps"] == again["steps"] && first["verdict"] == again["verdict"]);
    assert!(first["steps"] != other["steps"], "another seed, the same I/O");
    let drawn = ended(&mut folder.plimsoll(&["report", &run_file(&folder.path("8")), "--format", "json"]));
    assert_eq!(drawn.code, Some(0), "{}", drawn.err);
    for key in ["verdict", "findings", "steps"] {
        assert!(drawn.json()[key] == other[key], "{key} differs between run and run file");
    }
}

#[test]
fn the_answer_fits_eighty_columns_and_has_no_colour_beside_a_terminal() {
    let folder = Folder::new();
    for (words, ..) in ANSWERS {
        let mut command = folder.plimsoll(&[&["check"], words].concat());
        command.env_remove("NO_COLOR");
        let ended = ended(&mut command);
        let long =
            ended.out.lines().chain(ended.err.lines()).find(|line| {
                line.chars().count() > 80 && !line.contains(".plimsoll") && !line.contains(".html")
            });
        assert_eq!(long, None, "{words:?}");
        assert!(!ended.out.contains('\x1b') && !ended.err.contains('\x1b'), "{words:?}");
    }
}

/// A doubt as versions 1 and 2 stored it, and the answer for a volume that delivers what was claimed.
const STORED_DOUBTS: [(&str, &str); 7] = [
    ("nullb0 stores nothing: reads come back empty", "cannot_tell"),
    ("ram0 is memory, not a volume", "cannot_tell"),
    ("the file system knows no direct I/O, so the page cache takes part", "cannot_tell"),
    (
        "nfs4 is a network file system (from nas:/export/memory): the network and the server are measured with it, and no device of this machine shows it",
        "meets",
    ),
    (
        "nfs4 is a network file system (from nas:/export/vol1): the network and the server are measured with it, and no device of this machine shows it",
        "meets",
    ),
    ("/mnt/memory is mounted read-only: only reads can be measured", "meets"),
    ("it holds no data but memory, in a page cache of its own", "meets"),
];

#[test]
fn run_files_of_earlier_versions_are_judged_by_what_their_doubts_say_and_not_by_their_words() {
    let folder = Folder::new();
    let checked = checked(&folder, &["sim:aws-gp3", "--out", "@/out"]);
    assert_eq!(checked.json()["verdict"]["answer"], "meets", "{}", checked.err);
    let file = run_file(&folder.path("out"));
    for (words, answer) in STORED_DOUBTS {
        for version in [1, 2] {
            let doubts = serde_json::json!([words]).to_string().replace('\'', "''");
            let sql = format!("UPDATE target SET doubts = '{doubts}'; PRAGMA user_version = {version};");
            if !run(&["sqlite3", &file, &sql]) {
                return;
            }
            let told = ended(&mut folder.plimsoll(&["report", &file, "--format", "json"])).json();
            assert_eq!(told["verdict"]["answer"], answer, "version {version}: {words}");
            assert_eq!(told["verdict"]["doubts"], serde_json::json!([{"doubt": "target", "why": words}]));
            assert_eq!(told["run"]["target"]["doubts"], serde_json::json!([words]), "as it was stored");
        }
    }
}

#[test]
fn a_check_takes_the_time_that_it_is_given() {
    let folder = Folder::new();
    let took = |time: &str| {
        let document = checked(&folder, &["sim:aws-gp3", "--time", time]).json();
        let steps = document["steps"].as_array().unwrap();
        let (first, last) = (&steps[0]["started_ns"], &steps[steps.len() - 1]["ended_ns"]);
        let seconds = (last.as_f64().unwrap() - first.as_f64().unwrap()) / 1e9;
        (seconds, steps.len(), document["verdict"]["answer"].clone())
    };
    let [short, long] = ["60s", "20m"].map(took);
    assert!(short.0 <= 62.0, "{short:?}");
    assert!(long.0 <= 1_210.0 && long.0 >= 400.0 && long.1 >= short.1, "{long:?}");
    assert_eq!(long.2, "meets");
    let refused = checked(&folder, &["sim:aws-gp3", "--time", "10s"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("too short") && refused.err.contains("45 s"), "{}", refused.err);
}

#[test]
fn a_check_that_only_reads_writes_nothing_and_says_what_holds_nothing_to_read() {
    let folder = Folder::new();
    let document = checked(&folder, &["sim:aws-gp3", "--read-only"]).json();
    let written = document["steps"].as_array().unwrap().iter().any(|step| !step["totals"]["write"].is_null());
    assert!(!written, "nothing is written");
    within("read", &finding(&document, "iops_cap", "read")["cap"]["value"], 3_000.0, 0.02);

    let data = folder.path("data.bin");
    fs::write(&data, vec![7; 1 << 20]).unwrap();
    let refused = checked(&folder, &[&data.parent().unwrap().to_string_lossy(), "--read-only"]);
    assert_eq!(refused.code, Some(2));
    let told = refused.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("is a folder") && told.contains("data.bin"), "{told}");
    let refused = checked(&folder, &["lab:aws-gp3", "--read-only"]);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
}
