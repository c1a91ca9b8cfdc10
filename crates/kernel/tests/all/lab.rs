//! Loop devices and throttles of this kernel, if the test may make them.
#![allow(clippy::unwrap_used)]

use kernel::guard::{AllowDestroy, permit_block_device, permit_unnamed};
use kernel::lab::{
    Limits, LoopDevice, LoopOptions, Throttle, leftover_groups, limits_on, loops, set_max_sectors_kb,
};
use kernel::{Direct, device_chain};
use std::path::Path;
use testbed::{Lack, loop_of, skipped, unnamed};
use workload::Bytes;

#[test]
fn a_loop_is_listed_while_it_lives_and_gone_afterwards() {
    let file = unnamed(Bytes::mib(4));
    let options = LoopOptions { direct: Direct::Yes, size_limit: Some(Bytes::mib(2)), block_size: None };
    let Ok(device) = LoopDevice::attach(&permit_unnamed(&file), options) else {
        skipped(Lack::Kernel, "no loop device can be had here");
        return;
    };
    let number = device.number();
    let listed = || loops(Path::new("/")).into_iter().find(|known| known.number == number);
    let seen = listed().unwrap();
    assert!(seen.direct && seen.size == Bytes::mib(2), "{seen:?}");
    device.detach().unwrap();
    // Another test may have the node open for a moment, and the kernel waits for its last user.
    let still_there = || listed().is_some_and(|known| known.backing == seen.backing);
    let patience = std::iter::repeat_n(std::time::Duration::from_millis(10), 500);
    let gone = patience.inspect(|pause| std::thread::sleep(*pause)).any(|_| !still_there());
    assert!(gone);
}

/// Partitions made by hand stay with the number of a loop device; its next user must not find them.
#[test]
#[ignore = "night: a test beside it may take the number of its device"]
fn a_loop_that_was_cut_into_partitions_before_comes_back_whole() {
    let Some(first) = loop_of(Bytes::mib(4)) else { return };
    let node = first.path().to_owned();
    let part = Path::new("/sys/class/block").join(format!("{}p1", node.file_name().unwrap().display()));
    let added = std::process::Command::new("addpart").arg(&node).args(["1", "8", "64"]).status();
    if !added.is_ok_and(|status| status.success()) {
        return skipped(Lack::Kernel, format!("addpart made no partition of {}", node.display()));
    }
    assert!(part.exists());
    drop(first);
    // The lowest free number is given first, so one of these has it.
    let again = || loop_of(Bytes::mib(4)).unwrap();
    let others: Vec<LoopDevice> = std::iter::repeat_with(again).take(16).collect();
    assert!(!part.exists(), "beside {} others", others.len());
}

#[test]
fn a_stacked_loop_is_read_through_to_the_disk_below() {
    let Some(below) = loop_of(Bytes::mib(4)) else { return };
    let allow = AllowDestroy::devices([below.path().to_owned()]);
    let (permit, _) = permit_block_device(below.path(), &allow).unwrap();
    let options = LoopOptions { direct: Direct::Yes, size_limit: None, block_size: None };
    let above = LoopDevice::attach(&permit, options).unwrap();
    let chain = device_chain(Path::new("/"), above.number());
    assert_eq!(chain[1].number(), below.number());
}

#[test]
fn limits_are_in_force_until_the_throttle_is_dropped() {
    let Some(device) = loop_of(Bytes::mib(4)) else { return };
    let mut throttle = match Throttle::of_this_process() {
        Ok(throttle) => throttle,
        Err(error) => return skipped(Lack::Kernel, error),
    };
    let folder = throttle.folder().to_owned();
    let limits = Limits { read_iops: Some(5000), write_bps: Some(1 << 20), ..Limits::default() };
    if let Err(error) = throttle.limit(device.number(), limits) {
        return skipped(Lack::Kernel, error);
    }
    assert_eq!(limits_on(&folder, device.number()), limits);
    drop(throttle);
    assert_eq!(limits_on(&folder, device.number()), Limits::default());
}

#[test]
fn a_group_of_ours_is_known_by_its_name_and_removed_with_its_members_let_go() {
    let name = format!("test-{}", std::process::id());
    let throttle = match Throttle::create(&name) {
        Ok(throttle) => throttle,
        Err(error) => return skipped(Lack::Kernel, error),
    };
    assert!(leftover_groups().contains(&name));
    let mut sleeper = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let entered = throttle.enter_process(sleeper.id());
    drop(throttle);
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    entered.unwrap();
    assert!(!leftover_groups().contains(&name));
}

#[test]
fn the_request_size_can_be_set_and_is_told() {
    let Some(device) = loop_of(Bytes::mib(4)) else { return };
    let before = set_max_sectors_kb(device.number(), 64).unwrap();
    assert_eq!(device_chain(Path::new("/"), device.number())[0].max_sectors_kb, Some(64));
    assert_eq!(set_max_sectors_kb(device.number(), before).unwrap(), 64);
}
