//! A throttle above the device: an application in a control group that this kernel throttles, and a watch beside it.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::process::Stdio;

use crate::machine::*;

/// Reads a second that the group may make on its device.
const HELD: u64 = 150;

#[test]
#[ignore = "night: real seconds of a throttle"]
fn a_group_that_is_held_back_waits_above_a_calm_device() {
    let folder = Folder::new();
    let Some(mut group) = Throttle::or_skip("above") else { return };
    let Some(disk) = Disk::of(&folder, 128, Through::Cache) else { return };
    disk.write_at(0, &vec![7; 128 << 20]);
    group.limit_ios(&disk, [Some(HELD), None]);
    let words =
        "fio --name=application --rw=randread --bs=4k --direct=1 --ioengine=libaio --iodepth=64 --runtime=12";
    let mut words: Vec<&str> = words.split_whitespace().collect();
    let target = format!("--filename={}", disk.node());
    words.extend(["--time_based", &target]);
    let mut application = folder.plimsoll(&words).stdout(Stdio::null()).spawn().unwrap();
    group.holds(application.id());
    let watch = ["watch", "--for", "8s", "--device", &disk.name(), "--format", "json", "--out", "@"];
    let seen = ended(&mut folder.plimsoll(&watch));
    application.kill().unwrap();
    application.wait().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.err);
    let document: serde_json::Value = serde_json::from_str(&seen.out).unwrap();
    let findings = document["findings"].as_array().unwrap();
    let above = findings.iter().find(|finding| finding["kind"] == "throttled_above_device");
    assert!(above.is_some(), "{findings:#?}");
    let told = above.unwrap().to_string();
    assert!(
        told.contains("plimsoll-above") && told.contains("150"),
        "the group and its limit are named: {told}"
    );
    assert_ne!(document["watched"]["busiest"]["answer"], "quiet", "a device that is held back is not quiet");
}
