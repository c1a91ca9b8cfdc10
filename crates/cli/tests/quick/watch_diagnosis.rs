//! What a watch reports about volumes whose truth is known: load cycles in virtual time through the command itself.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

const JOB: &str = "[c4y]\nbs=4k\nrw=randrw\nrwmixread=70\ndirect=1\niodepth=256\ntime_based\nsize=1GB\nioengine=libaio\nrate_iops=700,300,\n";
const CONTRACT: &str = "read 700 iops, write 300 iops, latency < 30ms";

/// Watches `on` under the usual load; returns the printed document and the exit code.
fn watch(folder: &Path, on: &str, more: &[&str]) -> (serde_json::Value, i32) {
    let job = folder.join("c4y.fio");
    std::fs::write(&job, JOB).unwrap();
    watch_of(folder, &job, &["--expect", CONTRACT, "--on", on], more)
}

/// Does the same with the load in `job`.
fn watch_of(folder: &Path, job: &Path, on: &[&str], more: &[&str]) -> (serde_json::Value, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["watch", "--format", "json"])
        .args(on)
        .arg("--load")
        .arg(job)
        .arg("--out")
        .arg(folder)
        .args(more)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let document = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}\n{said}"));
    (document, output.status.code().unwrap())
}

fn kinds(document: &serde_json::Value) -> Vec<String> {
    let findings = document["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["kind"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn overload_of_a_simulated_volume_names_the_throttle_at_its_own_level() {
    let folder = tempfile::tempdir().unwrap();
    let series = ["--cycle", "10s", "--scale", "50%,100%,200%,500%,1000%"];
    let (document, code) = watch(folder.path(), "sim:custom,iops=1200", &series);
    assert_eq!((kinds(&document), code), (vec!["throttled_above_nominal".to_owned()], 0));
    // The limit is of all operations; reads and writes share it as they are drawn.
    let level = document["findings"][0]["level"]["all"]["value"].as_f64().unwrap();
    assert!((level / 1200.0 - 1.0).abs() < 0.02, "{level}");
    assert!(document["watched"]["series"][4]["queue_growth"].as_f64().unwrap() > 20.0);
}

#[test]
fn a_load_that_its_own_queue_depth_holds_back_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("one.fio");
    let text = "[one]\nbs=4k\nrw=randread\ndirect=1\niodepth=1\ntime_based\nsize=1GB\nioengine=libaio\nrate_iops=4000\n";
    std::fs::write(&job, text).unwrap();
    let on = ["--on", "sim:custom,iops=9000,latency=800us,jitter=0"];
    let (document, _) = watch_of(folder.path(), &job, &on, &["--cycle", "10s"]);
    assert_eq!(document["watched"]["looked"]["lacked"]["depth"], 1, "{}", document["watched"]["looked"]);
}

#[test]
fn cycles_that_a_simulated_volume_bears_find_nothing_and_meet_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    for cycles in [["--cycle", "60s", "--every", "10s"], ["--cycle", "8s", "--every", "1s"]] {
        let (document, code) = watch(folder.path(), "sim:custom,iops=1200", &cycles);
        assert_eq!((kinds(&document), code), (Vec::new(), 0), "{}", document["findings"]);
        assert_eq!(document["verdict"]["answer"], "meets");
    }
}

#[test]
fn a_simulated_volume_below_the_contract_ends_with_code_three() {
    let folder = tempfile::tempdir().unwrap();
    let (document, code) = watch(folder.path(), "sim:custom,iops=800", &["--cycle", "10s"]);
    assert_eq!(code, 3, "{}", document["verdict"]);
    assert_eq!(document["verdict"]["answer"], "below");
    assert_eq!(
        kinds(&document),
        ["held_operations"],
        "what is asked for and not given shows that something holds it"
    );
}

#[test]
fn a_direction_that_gets_what_our_load_asks_for_is_held_by_the_load_and_by_no_cap() {
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("one-at-a-time.fio");
    // A synchronous engine reads one at a time: 1,400 reads a second would need less than 0.8 ms each.
    let text = "[global]\nbs=4k\ntime_based\nruntime=60\nsize=1g\n[r]\nrw=randread\nrate_iops=700\n\
                [w]\nrw=randwrite\nrate_iops=300\n";
    std::fs::write(&job, text).unwrap();
    let series = ["--cycle", "20s", "--scale", "100%,200%"];
    let (document, _) = watch_of(folder.path(), &job, &["--on", "sim:do-volumes-standard"], &series);
    let got = |phase: &serde_json::Value, way: &str| phase["load"][way]["got"]["value"].as_f64().unwrap();
    let twice =
        document["watched"]["phases"].as_array().unwrap().iter().find(|phase| phase["name"] == "load 200%");
    let twice = twice.unwrap();
    assert!(got(twice, "read") < 1_350.0 && (got(twice, "write") / 600.0 - 1.0).abs() < 0.01, "{twice}");
    let found = kinds(&document);
    assert!(!found.contains(&"held_operations".to_owned()), "600 writes are what was asked for: {document}");
}
