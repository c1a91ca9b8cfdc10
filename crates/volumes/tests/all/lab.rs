//! Lab volumes on the real machine: limits apply, and nothing is left, even after a crash. Needs root, and fio to measure.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use crate::machine::{Peer, crash, free_of, lab_turn, leftovers, up};
use testbed::{Lack, skipped};
use volumes::lab::{self, InForce, LabError, LabVolume, Lifetime, Removal};
use workload::{Bytes, PolicyName};

/// The volume's published table: below 40 KiB operations are the limit, above it bytes.
const PUBLISHED: [(&str, &str, f64); 4] = [
    ("randread", "4k", 5_000.0),
    ("randread", "64k", 3_200.0),
    ("randread", "256k", 800.0),
    ("randwrite", "4k", 5_000.0),
];

fn assert_published(rows: &[(&str, &str, f64)]) {
    let _turn = lab_turn();
    let Some(volume) = up("do-volumes-pre-burst", Lifetime::ThisRun) else { return };
    let Some(peer) = Peer::find() else { return };
    for (mode, block, expected) in rows {
        peer.assert_serves(volume.device(), (mode, block), *expected);
    }
}

#[test]
#[ignore = "night: real seconds of a throttle"]
fn a_volume_serves_its_policy_and_no_more() {
    assert_published(&PUBLISHED[..2]);
}

#[test]
#[ignore = "night: the rest of the published table"]
fn a_volume_serves_every_row_of_its_policy() {
    assert_published(&PUBLISHED[2..]);
}

#[test]
#[ignore = "night: real seconds of a throttle"]
fn an_operation_is_charged_by_the_unit_of_the_policy() {
    let _turn = lab_turn();
    let Some(volume) = up("vmware-vmdk-limit,limit=1000", Lifetime::ThisRun) else { return };
    let Some(peer) = Peer::find() else { return };
    for (block, expected) in [("32k", 1_000.0), ("36k", 500.0)] {
        peer.assert_serves(volume.device(), ("randread", block), expected);
    }
}

#[test]
#[ignore = "night: two peers at once"]
fn two_volumes_keep_to_their_own_policies() {
    let _turn = lab_turn();
    let Some(slow) = up("custom,iops=700", Lifetime::ThisRun) else { return };
    let Some(fast) = up("custom,iops=3000", Lifetime::ThisRun) else { return };
    let Some(peer) = Peer::find() else { return };
    let read = ("randread", "4k");
    std::thread::scope(|scope| {
        scope.spawn(|| peer.assert_serves(slow.device(), read, 700.0));
        peer.assert_serves(fast.device(), read, 3_000.0);
    });
    drop(slow);
    peer.assert_serves(fast.device(), read, 3_000.0);
}

#[test]
fn reads_read_real_data() {
    let _turn = lab_turn();
    let Some(volume) = up("custom,bandwidth=1GiB/s", Lifetime::ThisRun) else { return };
    let bytes = std::fs::read(volume.device()).unwrap();
    assert_eq!(bytes.len() as u64, volume.size().0);
    let empty = bytes.chunks(4096).filter(|block| block.iter().all(|&byte| byte == 0)).count();
    assert_eq!(empty, 0);
}

#[test]
fn a_volume_of_a_run_vanishes_with_it() {
    let _turn = lab_turn();
    let Some(volume) = up("aws-gp3", Lifetime::ThisRun) else { return };
    let entry = lab::list().into_iter().find(|entry| entry.device == volume.device()).unwrap();
    assert_eq!((entry.policy.as_str(), entry.lifetime), ("aws-gp3", Lifetime::ThisRun));
    assert_eq!((entry.in_force, entry.size), (volume.in_force(), volume.size()));
    assert!(!volume.backing().exists(), "the file has no name while it is used");
    let refused = lab::down(volume.device()).unwrap_err();
    assert!(matches!(refused, LabError::OfARun { .. }), "{refused}");
    drop(volume);
    assert_eq!(leftovers(&entry), Vec::<String>::new());
}

#[test]
fn a_lasting_volume_stays_until_it_is_taken_down() {
    let _turn = lab_turn();
    let Some(volume) = up("custom,iops=700,write_bandwidth=10MiB/s", Lifetime::UntilDown) else { return };
    let device = volume.device().to_owned();
    drop(volume);
    let entry = lab::list().into_iter().find(|entry| entry.device == device).unwrap();
    assert_eq!(entry.policy, "custom,iops=700,write_bandwidth=10MiB/s");
    let expected =
        InForce { read_iops: Some(700), write_iops: Some(700), read_bps: None, write_bps: Some(10 << 20) };
    assert_eq!(entry.in_force, expected);
    assert!(entry.backing.exists());
    assert_eq!(lab::down(&device).unwrap(), Removal::Complete);
    assert_eq!(leftovers(&entry), Vec::<String>::new());
    assert!(matches!(lab::down(&device), Err(LabError::NoLab { .. })));
}

#[test]
fn a_device_that_somebody_built_on_is_not_taken_down() {
    let _turn = lab_turn();
    let Some(volume) = up("aws-gp3", Lifetime::UntilDown) else { return };
    let device = volume.device().to_owned();
    let Some(upon) = crate::machine::loop_on(&device) else {
        lab::down(&device).unwrap();
        return;
    };
    let refused = lab::down(&device);
    drop(upon);
    crate::machine::wait_until(|| lab::down(&device).is_ok());
    assert!(matches!(refused, Err(LabError::InUse { .. })), "{refused:?}");
}

/// The process is killed when it can clear up nothing; what it made to last is found by its file.
#[test]
fn a_lasting_volume_of_a_killed_process_is_cleared_up() {
    let _turn = lab_turn();
    let Some(entry) = crash("until-down") else { return };
    assert!(lab::list().contains(&entry), "it outlives its maker");
    let taken = lab::down_own().unwrap();
    assert!(taken.iter().any(|(down, removal)| *down == entry && *removal == Removal::Complete));
    assert_eq!(leftovers(&entry), Vec::<String>::new());
}

/// The kernel removes devices and data with the process; limits and queue settings stay with a device's
/// number unless somebody removes them.
#[test]
fn a_volume_of_a_killed_run_is_gone_with_its_limits_and_queue_settings() {
    let _turn = lab_turn();
    let Some(entry) = crash("this-run") else { return };
    crate::machine::wait_until(|| free_of(&entry));
    assert!(!entry.backing.exists());
    crate::machine::wait_until(|| leftovers(&entry).is_empty());
}

/// A provider's volume does not charge a flush; and if flushes were never sent, the device's next user would have none.
#[test]
#[ignore = "night: real seconds of a throttle"]
fn flushes_go_all_the_way_down_and_are_not_charged() {
    let _turn = lab_turn();
    let Some(volume) = up("custom,iops=200", Lifetime::ThisRun) else { return };
    let below = lab::list().into_iter().find(|entry| entry.device == volume.device()).unwrap().below;
    let before = crate::machine::flushes(&below);
    std::fs::OpenOptions::new().write(true).open(volume.device()).unwrap().sync_all().unwrap();
    assert!(crate::machine::flushes(&below) > before, "{} gets no flushes", below.display());
    let Some(peer) = Peer::find() else { return };
    // A flush waits for its write and the next write for the flush, so not every slice is full. If flushes
    // were charged, they would take every second place and leave 100.
    let peer = peer.with("--fdatasync=1");
    let rates: Vec<f64> = (0..3).map(|_| peer.iops(volume.device(), ("randwrite", "4k"), 32)).collect();
    assert!(rates.iter().any(|rate| (150.0..205.0).contains(rate)), "{rates:.0?} of 200");
}

/// The state in which a volume of an earlier version, or one detached by hand, leaves a device.
#[test]
fn a_free_device_gets_the_queue_of_a_new_one() {
    let _turn = lab_turn();
    let Some(device) = testbed::loop_of(Bytes::mib(4)) else { return };
    let name = device.path().file_name().unwrap().to_str().unwrap().to_owned();
    let queue = Path::new("/sys/class/block").join(&name).join("queue");
    std::fs::write(queue.join("write_cache"), "write through").unwrap();
    std::fs::write(queue.join("max_sectors_kb"), "32").unwrap();
    lab::lift_leftovers();
    assert_eq!(crate::machine::queue_of_ours(&name).len(), 2, "what is in use is not touched");
    drop(device);
    crate::machine::wait_until(|| {
        lab::lift_leftovers();
        crate::machine::queue_of_ours(&name).is_empty()
    });
}

/// 13,500 operations: five seconds at 3,000 while 300 are earned. A load at full depth gets the burst, then
/// the baseline, and after a rest what it has earned.
#[test]
#[ignore = "night: real seconds of a throttle"]
fn credits_drain_and_refill() {
    let _turn = lab_turn();
    let Some(volume) = up("aws-gp2,size=100GiB,speed=400", Lifetime::ThisRun) else { return };
    let Some(peer) = Peer::find() else { return };
    let neighbours = testbed::Neighbours::watch();
    let (whole, read) = (peer.with("--ramp_time=0"), ("randread", "4k"));
    let rates: Vec<f64> = (0..3).map(|_| whole.iops(volume.device(), read, 32)).collect();
    std::thread::sleep(std::time::Duration::from_secs(10));
    let rested = whole.iops(volume.device(), read, 32);
    // Each start of the peer earns some tenths of a second.
    let expected = [(2_950.0, 3_050.0), (2_000.0, 2_400.0), (290.0, 480.0), (1_250.0, 1_600.0)];
    let seen = rates.iter().copied().chain([rested]).collect::<Vec<f64>>();
    let fits = seen.iter().zip(expected).all(|(rate, (low, high))| (low..high).contains(rate));
    if !fits {
        neighbours.excuse_or_fail(format!("{seen:.0?} of {expected:.0?} a second"));
    }
}

/// What the killed processes of these tests do; does nothing by itself.
#[test]
fn crash_victim() {
    crate::machine::be_the_victim();
}

#[test]
fn nothing_is_left_of_a_volume_that_could_not_be_made() {
    let _turn = lab_turn();
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let name = PolicyName::parse("aws-gp3").unwrap();
    let before = lab::list();
    for (name, size, dir, part) in [
        (name.clone(), Bytes(1 << 60), dir.path(), "--size"),
        (name.clone(), Bytes::gib(1), Path::new("/nowhere/at/all"), "/nowhere/at/all"),
        (PolicyName::parse("aws-gp9").unwrap(), Bytes::gib(1), dir.path(), "aws-gp9"),
    ] {
        let error = LabVolume::up(&name, size, dir, Lifetime::UntilDown).unwrap_err();
        if matches!(error, LabError::Throttle(_) | LabError::Loop(_)) {
            return skipped(Lack::Kernel, error);
        }
        assert!(error.to_string().contains(part), "{error}");
        assert_eq!(std::fs::read_dir(dir).map_or(0, Iterator::count), 0);
    }
    assert_eq!(lab::list(), before);
}

/// A device number is used again: what a crash left in force on it must not limit the next volume.
#[test]
#[ignore = "night: real seconds of a throttle"]
fn limits_left_on_a_device_number_do_not_bind_the_next_volume() {
    let _turn = lab_turn();
    let Some(entry) = crash("this-run") else { return };
    crate::machine::wait_until(|| free_of(&entry));
    let Some(next) = up("custom,iops=3000", Lifetime::ThisRun) else { return };
    let Some(peer) = Peer::find() else { return };
    peer.assert_serves(next.device(), ("randread", "4k"), 3_000.0);
    drop(next);
    lab::down_own().unwrap();
}
