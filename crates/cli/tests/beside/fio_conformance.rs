//! What fio's own tests demand of it, on small files: the same command lines for the real fio and for ours, in
//! separate places.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::Path;

use crate::machine::*;
use serde_json::Value;

const BOTH: [Who; 2] = [Who::Real, Who::Command];

/// Returns what a run printed as JSON.
fn document(ended: &ProgramOutput) -> Value {
    let text = &ended.out[ended.out.find('{').unwrap_or(0)..];
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {} {}", ended.out, ended.err))
}

/// Returns the I/Os of all jobs in the direction `way`.
fn ios(ended: &ProgramOutput, way: &str) -> u64 {
    let jobs = document(ended)["jobs"].as_array().unwrap().clone();
    jobs.iter().map(|job| job[way]["total_ios"].as_u64().unwrap()).sum()
}

/// Returns direction, length and offset of each row of the log of rates in `place`.
fn rows(place: &Path) -> Vec<[u64; 3]> {
    let text = std::fs::read_to_string(place.join("s_iops.1.log")).unwrap();
    let row = |line: &str| {
        let cells: Vec<u64> = line.split(", ").map(|cell| cell.trim().parse().unwrap()).collect();
        [cells[2], cells[3], cells[4]]
    };
    text.lines().map(row).collect()
}

/// Scripts compare what was read with what was written to see that all of it was checked.
#[test]
fn what_is_read_back_at_the_end_counts_as_reads() {
    let Some(peers) = Peers::find() else { return };
    for words in [
        "--rw=write --verify=crc32c",
        "--rw=randwrite --verify=md5 --ioengine=libaio --iodepth=16",
        "--rw=write --verify=md5 --verify_backlog=24",
        "--rw=write --verify=crc32c --filename=f:g",
        "--rw=write --verify=crc32c --loops=3",
        "--rw=write --verify=pattern --verify_pattern=0xa5 --do_verify=0",
    ] {
        let named = if words.contains("filename") { "" } else { "--filename=f" };
        let [real, ours] = BOTH.map(|who| {
            let place = peers.folder.make_dir("copy");
            let line = format!("--output-format=json --name=a {named} --size=256k --bs=4k {words}");
            let ended = peers.run_in(&place, who, &line);
            (ended.code, ios(&ended, "read"), ios(&ended, "write"))
        });
        assert_eq!(ours, real, "{words}");
    }
    // In a mix, each written block is read once more at the end: all blocks are read.
    for who in BOTH {
        let place = peers.folder.make_dir("copy");
        let line = "--output-format=json --name=a --filename=f --size=1m --bs=4k --rw=rw --verify=crc32c";
        let ended = peers.run_in(&place, who, line);
        let (reads, writes) = (ios(&ended, "read"), ios(&ended, "write"));
        assert_eq!(ended.code, Some(0), "{who:?}: {}", ended.err);
        assert!(reads == 256 && (64..192).contains(&writes), "{who:?}: {reads} reads, {writes} writes");
    }
}

/// The time of the writes is theirs alone, and reads have a time and latencies of their own.
#[test]
fn what_is_read_back_has_a_time_of_its_own() {
    let Some(peers) = Peers::find() else { return };
    // A file each: a clone that still writes would overwrite what the other reads back.
    let line = "--output-format=json --name=a --size=4m --bs=4k --rw=write --verify=sha512 --numjobs=2 --group_reporting";
    let ended = peers.run(Who::Command, line);
    let job = document(&ended)["jobs"][0].clone();
    assert_eq!(
        (job["read"]["total_ios"].as_u64(), job["write"]["total_ios"].as_u64()),
        (Some(2048), Some(2048))
    );
    assert_eq!(job["read"]["clat_ns"]["N"], 2048);
    for way in ["read", "write"] {
        assert!(job[way]["runtime"].as_u64() > Some(0) && job[way]["bw"].as_u64() > Some(0), "{way}: {job}");
    }
}

/// Readers add slat and clat up, and fio's lat is their sum.
#[test]
fn submission_and_completion_make_up_the_latency() {
    let Some(peers) = Peers::find() else { return };
    for words in
        ["--ioengine=libaio --iodepth=16", "--ioengine=null --iodepth=16", "--ioengine=posixaio --iodepth=4"]
    {
        for who in BOTH {
            let line =
                format!("--output-format=json --name=a --filename=f --size=1m --bs=4k --rw=read {words}");
            let read = document(&peers.run(who, &line))["jobs"][0]["read"].clone();
            let [slat, clat, lat] =
                ["slat_ns", "clat_ns", "lat_ns"].map(|kind| read[kind]["mean"].as_f64().unwrap());
            assert!((slat + clat - lat).abs() <= 1.0, "{who:?} {words}: {slat} + {clat} is not {lat}");
        }
    }
}

#[test]
fn a_seed_holds_whatever_is_said_of_repeating() {
    let Some(peers) = Peers::find() else { return };
    for (words, same) in [
        ("--randrepeat=0", false),
        ("--allrandrepeat=0 --randseed=12345", true),
        ("--randrepeat=0 --randseed=12345", true),
        ("--randrepeat=1", true),
    ] {
        for who in BOTH {
            let [first, second] = [(); 2].map(|()| {
                let place = peers.folder.make_dir("copy");
                let line = "--name=a --ioengine=null --filesize=256k --rw=randread --write_iops_log=s --log_offset=1";
                peers.run_in(&place, who, &format!("{line} {words}"));
                rows(&place)
            });
            assert_eq!(first.len(), 64, "{who:?} {words}");
            assert_eq!(first == second, same, "{who:?} {words}");
        }
    }
}

#[test]
fn a_job_on_nothing_keeps_to_its_offset_and_file_size() {
    let Some(peers) = Peers::find() else { return };
    for words in [
        "--offset=32k --size=64k --filesize=64k",
        "--offset=32k --size=64k",
        "--offset=32k --filesize=64k",
        "--size=16k --numjobs=2 --offset_increment=16k",
    ] {
        let [real, ours] = BOTH.map(|who| {
            let place = peers.folder.make_dir("copy");
            let line =
                "--output-format=json --name=a --ioengine=null --rw=read --write_iops_log=s --log_offset=1";
            let ended = peers.run_in(&place, who, &format!("{line} {words}"));
            (ended.code, ios(&ended, "read"), rows(&place))
        });
        assert_eq!(ours, real, "{words}");
    }
    let beyond = "--name=a --ioengine=null --rw=read --filesize=64k --offset=64k";
    assert_eq!(peers.run(Who::Command, beyond).code, Some(1));
}

/// The write of a pair has the offset and length of its trim.
#[test]
fn a_write_that_follows_a_trim_is_as_long() {
    let Some(peers) = Peers::find() else { return };
    for words in ["--rw=randtrimwrite --bs=4k,4k,8k", "--rw=trimwrite --bs=16k,4k,8k"] {
        let place = peers.folder.make_dir("copy");
        let line = "--name=a --ioengine=null --filesize=1m --write_iops_log=s --log_offset=1";
        let ended = peers.run_in(&place, Who::Command, &format!("{line} {words}"));
        let rows = rows(&place);
        assert_eq!((ended.code, rows.len()), (Some(0), 256), "{words}: {}", ended.err);
        for pair in rows.chunks(2) {
            let ([way, bytes, offset], [then, long, at]) = (pair[0], pair[1]);
            assert_eq!((way, then, bytes, long, offset), (2, 1, 8192, 8192, at), "{words}");
        }
    }
}

/// Each pass is checked before the next overwrites it.
#[test]
fn each_pass_is_read_back() {
    let Some(peers) = Peers::find() else { return };
    let line =
        "--output-format=json --name=a --filename=f --size=256k --bs=4k --rw=write --verify=md5 --loops=4";
    let ended = peers.run(Who::Command, line);
    assert_eq!((ended.code, ios(&ended, "read"), ios(&ended, "write")), (Some(0), 256, 256));
    // What is already being written again cannot be checked: in each pass but the last, at most as many blocks as are
    // in flight.
    let ended = peers.run(Who::Command, &format!("{line} --rw=randwrite --ioengine=libaio --iodepth=4"));
    let reads = ios(&ended, "read");
    assert!(ended.code == Some(0) && (256 - 3 * 4..=256).contains(&reads), "{reads} reads: {}", ended.err);
}

/// A job that reads loads the saved state too, checks what was written by then, and finds what is wrong with it.
#[test]
fn a_saved_state_is_loaded_by_a_job_that_reads() {
    let Some(peers) = Peers::find() else { return };
    for (writes, reads) in [("write", "read"), ("randwrite", "randread")] {
        for who in BOTH {
            let place = peers.folder.make_dir("copy");
            let run = |words: &str| {
                let line = "--output-format=json --name=a --filename=f --size=256k --bs=4k --verify=crc32c";
                peers.run_in(&place, who, &format!("{line} {words}"))
            };
            let wrote = run(&format!("--rw={writes} --verify_state_save=1 --do_verify=0"));
            assert_eq!(wrote.code, Some(0), "{who:?}: {}", wrote.err);
            let read = run(&format!("--rw={reads} --verify_state_load=1"));
            assert_eq!((read.code, ios(&read, "read")), (Some(0), 64), "{who:?} {reads}: {}", read.err);
            let mut bytes = std::fs::read(place.join("f")).unwrap();
            bytes[100_000] ^= 1;
            std::fs::write(place.join("f"), bytes).unwrap();
            let found = run(&format!("--rw={reads} --verify_state_load=1"));
            assert_eq!(found.code, Some(1), "{who:?} {reads}");
        }
    }
}

/// Random blocks that may repeat leave holes, which the same blocks never read: nothing is to be said of them.
#[test]
fn holes_that_a_check_does_not_meet_are_not_told() {
    let Some(peers) = Peers::find() else { return };
    for who in BOTH {
        let place = peers.folder.make_dir("copy");
        for rw in ["randwrite", "randread"] {
            let line =
                "--name=a --filename=f --fallocate=truncate --size=1m --bs=4k --norandommap=1 --verify=md5";
            let ended = peers.run_in(&place, who, &format!("{line} --rw={rw}"));
            assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{who:?} {rw}");
        }
    }
}
