//! Files, engines and passes of fio jobs: ours does what the real fio does to copies of the same files.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::machine::*;
use serde_json::Value;
use testbed::MountGuard;

/// Granularity in which reserved space is compared, in bytes.
const EXTENTS: u64 = 32 << 10;

/// Returns lengths and reserved space of the files in `place`, one a line, sorted by name.
fn files(place: &Path) -> String {
    let of = |entry: std::fs::DirEntry| {
        let found = entry.metadata().unwrap();
        // With many extents, the file system takes another block for their list.
        let reserved = found.blocks() * 512 / EXTENTS;
        format!("{} {} {reserved}\n", entry.file_name().to_string_lossy(), found.len())
    };
    let mut lines: Vec<String> = std::fs::read_dir(place).unwrap().map(|entry| of(entry.unwrap())).collect();
    lines.sort();
    lines.concat()
}

/// Returns operations by direction, and the error, of each job.
fn jobs(ended: &ProgramOutput) -> Vec<String> {
    let text = &ended.out[ended.out.find('{').unwrap_or(0)..];
    let document: Value = serde_json::from_str(text).unwrap_or_default();
    let of = |job: &Value| {
        let ways = ["read", "write", "trim"].map(|way| job[way]["total_ios"].as_u64().unwrap_or(0));
        format!("{} {ways:?} error {}", job["jobname"], job["error"])
    };
    document["jobs"].as_array().map_or(Vec::new(), |jobs| jobs.iter().map(of).collect())
}

/// Returns what `who` did with `words` in a folder of its own: exit code, jobs, files.
fn effect(peers: &Peers, who: Who, words: &str) -> (Option<i32>, Vec<String>, String) {
    let ended = peers.run(who, &format!("--output-format=json {words}"));
    (ended.code, jobs(&ended), files(&peers.folder.path(&format!("{who:?}"))))
}

#[test]
fn files_end_as_long_and_as_full_as_those_of_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    for words in [
        "--name=a --filename=g --size=1m --io_size=64k --bs=4k --rw=write --fallocate=keep",
        "--name=a --filename=g --size=1m --io_size=64k --bs=4k --rw=write --fallocate=none",
        "--name=a --nrfiles=4 --size=1m --bs=4k --rw=randwrite --file_service_type=random --fallocate=none",
        "--name=a --nrfiles=4 --size=1m --bs=4k --rw=randwrite --file_service_type=random:8 --fallocate=none",
        "--name=a --nrfiles=3 --size=1m --bs=4k --rw=write --file_service_type=roundrobin:7 --fallocate=none",
        "--name=a --filename=g --size=1m --rw=randwrite --norandommap --random_generator=lfsr --fallocate=none",
        "--name=a --filename=g --size=1m --rw=write --ioengine=posixaio --iodepth=8",
        "--name=a --filename=g --size=1m --rw=randwrite --ioengine=mmap --fsync_on_close=1",
        "--name=a --filename=g --size=256k --rw=write --mem=mmap --lockmem=64k --iomem_align=8k",
    ] {
        let (real, ours) = (effect(&peers, Who::Real, words), effect(&peers, Who::Command, words));
        assert_eq!(real, ours, "{words}");
    }
}

/// Surface scans and preconditioning of thin pools end when no space is left, and that is no error.
#[test]
fn a_volume_is_filled_until_no_space_is_left() {
    let Some(peers) = Peers::find() else { return };
    let place = peers.folder.make_dir("small");
    let Some(_small) = MountGuard::at(place.clone(), &["-t", "tmpfs", "-o", "size=4m", "none"]) else {
        return;
    };
    for words in [
        "--rw=write --bs=64k",
        "--rw=write --bs=64k --nrfiles=2",
        "--rw=write --bs=64k --size=2m",
        "--rw=write --bs=64k --size=20m",
        "--rw=write --bs=1m --ioengine=libaio --iodepth=4",
    ] {
        let of = |who| {
            let words = format!("--name=a --fill_device=1 --output-format=json {words}");
            let ended = peers.run_in(&place, who, &words);
            let (errors, left) = (job_errors(&ended), files(&place));
            std::fs::read_dir(&place)
                .unwrap()
                .for_each(|file| std::fs::remove_file(file.unwrap().path()).unwrap());
            (ended.code, errors, left)
        };
        assert_eq!(of(Who::Command), of(Who::Real), "{words}");
    }
}

/// Errors that are passed over are counted in a line of their own, and each is named if `error_dump` asks for it.
#[test]
fn errors_that_are_passed_over_are_counted_and_named_on_demand() {
    let Some(peers) = Peers::find() else { return };
    let place = peers.folder.make_dir("full");
    let Some(_full) = MountGuard::at(place.clone(), &["-t", "tmpfs", "-o", "size=256k", "none"]) else {
        return;
    };
    for words in ["--ignore_error=,ENOSPC", "--ignore_error=,ENOSPC --error_dump=1"] {
        let of = |who| {
            let words =
                format!("--name=a --filename=f --size=512k --bs=64k --rw=write --fallocate=none {words}");
            let ended = peers.run_in(&place, who, &words);
            std::fs::remove_file(place.join("f")).unwrap();
            let line =
                |text: &str| text.lines().find(|line| line.contains("errors    : ")).map(str::to_owned);
            let named: Vec<String> =
                ended.err.lines().filter(|line| line.contains("io_u error")).map(str::to_owned).collect();
            (ended.code, line(&ended.out), named)
        };
        let ours = of(Who::Link);
        assert_eq!(ours, of(Who::Real), "{words}");
        assert_eq!((ours.1.is_some(), ours.2.len()), (true, if words.contains("dump") { 4 } else { 0 }));
    }
}

/// Returns the errors of all jobs, without their counts: only fio counts the write that found no space.
fn job_errors(ended: &ProgramOutput) -> Vec<String> {
    jobs(ended).iter().map(|job| job[job.find("error").unwrap()..].to_owned()).collect()
}

#[test]
fn wishes_that_go_along_with_calls_change_nothing_of_what_is_done() {
    let Some(peers) = Peers::find() else { return };
    for words in [
        "--rw=write --fsync=4",
        "--rw=write --sync_file_range=wait_before,write:8",
        "--rw=write --sync_file_range=write --ioengine=io_uring --iodepth=4",
        "--rw=write --sync_file_range=write,wait_after:4 --ioengine=libaio --iodepth=4",
        "--rw=write --fsync=8 --ioengine=io_uring --iodepth=4 --force_async=2",
        "--rw=randread --ioengine=libaio --pre_read=1 --nowait=1",
        "--rw=randread --ioengine=pvsync2 --pre_read=1 --nowait=1",
    ] {
        let words = format!("--name=a --filename=g --size=256k {words}");
        assert_eq!(effect(&peers, Who::Command, &words), effect(&peers, Who::Real, &words), "{words}");
    }
}

/// The share of reads that go to the most read 5 and 20 % of the blocks.
#[test]
fn places_of_a_normal_distribution_are_as_uneven_as_in_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    for percent in [1, 5, 20, 40] {
        let words = format!(
            "--name=a --filename=f --size=1m --io_size=40m --bs=4k --rw=randread --norandommap \
             --random_distribution=normal:{percent} --write_iolog=l"
        );
        let [real, ours] = [Who::Real, Who::Command].map(|who| {
            let place = peers.folder.make_dir(&format!("normal-{percent}-{who:?}"));
            assert_eq!(peers.run_in(&place, who, &words).code, Some(0), "{words}");
            let mut counts = std::collections::BTreeMap::new();
            for row in std::fs::read_to_string(place.join("l")).unwrap().lines() {
                if let Some((_, place)) = row.split_once(" read ") {
                    *counts.entry(place.to_owned()).or_insert(0_u32) += 1;
                }
            }
            let mut counts: Vec<u32> = counts.into_values().collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            let all = f64::from(counts.iter().sum::<u32>());
            [13, 51].map(|most: usize| f64::from(counts.iter().take(most).sum::<u32>()) / all)
        });
        for (real, ours) in real.into_iter().zip(ours) {
            assert!((real - ours).abs() < 0.06, "normal:{percent}: {real} in fio, ours {ours}");
        }
    }
}
