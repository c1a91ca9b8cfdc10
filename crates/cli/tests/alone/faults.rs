//! Failures during a fio run: each job that fails ends alone and is counted as the real fio counts it, and whatever a
//! device does, every I/O is done, failed or held, with the errno that the kernel gave.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::Path;
use std::time::Duration;

use crate::machine::*;
use serde_json::Value;

/// Returns the whole JSON document; the real fio prints complaints around it.
pub fn whole(ended: &ProgramOutput) -> Value {
    let from = ended.out.find("{\n").unwrap_or_else(|| panic!("no JSON: {}{}", ended.out, ended.err));
    let mut documents = serde_json::Deserializer::from_str(&ended.out[from..]).into_iter();
    documents.next().unwrap().unwrap()
}

/// Returns the name of each job, its error, and its number of reads.
fn fates(document: &Value) -> Vec<(String, u64, u64)> {
    let jobs = document["jobs"].as_array().cloned().unwrap_or_default();
    let of = |job: &Value| {
        let name = job["jobname"].as_str().unwrap_or_default().to_owned();
        (name, job["error"].as_u64().unwrap_or(0), job["read"]["total_ios"].as_u64().unwrap_or(0))
    };
    jobs.iter().map(of).collect()
}

/// A checked read of data without seals, which fails at its first block.
const BAD: &str = "--filename=f --size=64k --rw=read --verify=md5 --verify_fatal=1";
/// Reads that last until they are ended.
const LONG: &str = "--filename=f --size=64k --rw=read --time_based --runtime=3";

/// Command lines in which one job of several fails. Each job reads.
const LINES: [&str; 16] = [
    "--name=bad BAD --name=later --stonewall --filename=f --size=64k --rw=read",
    "--name=bad BAD --name=beside --filename=f --size=64k --rw=read",
    "--name=bad BAD --numjobs=3 --name=beside --filename=f --size=64k --rw=read",
    "--name=a --filename=/proc/nonexist --size=64k --name=b --filename=f",
    "--name=a --filename=/proc/nonexist --size=64k --numjobs=3 --name=b --wait_for=a --filename=f",
    "--name=b --filename=f --name=a --stonewall --filename=/proc/nonexist --size=64k --name=c --stonewall --filename=f",
    "--name=a --filename=/proc/nonexist --size=64k --name=b --stonewall --filename=/proc/nonexist --size=64k",
    "--name=a --filename=missing --numjobs=2 --name=b --filename=f --size=64k",
    "--name=a --filename=. --size=64k --name=b --filename=f --size=64k",
    "--exitall_on_error --name=a --filename=/proc/nonexist --size=64k --name=b --filename=f --name=c --stonewall --filename=f",
    "--name=a --filename=f --size=64k --name=b --ioengine=null --size=1m",
    "--name=b --ioengine=null --size=1m --name=a --ioengine=libaio --iodepth=4 --filename=f --size=64k --direct=1",
    // fio reports these with error 0, though its exit code counts them.
    "--name=a --filename=f --offset=2m --name=b --filename=f --size=64k",
    "--name=a --filename=tiny --name=b --filename=f --size=64k",
    "--name=a --filename=tiny --size=50% --name=b --filename=f --size=64k",
    "--allow_file_create=0 --name=a --filename=missing --size=64k --name=b --filename=f --size=64k",
];

/// Lines in which fio reports 0 for a job that did not start, and the right errno.
const UNSAID: [(&str, u64); 4] =
    [("--offset=2m", 22), ("tiny --name", 22), ("tiny --size", 22), ("=missing --size", 2)];

fn place(peers: &Peers) -> std::path::PathBuf {
    let place = peers.folder.make_dir("there");
    write_data(&place.join("f"), 1);
    std::fs::write(place.join("tiny"), "x").unwrap();
    place
}

#[test]
fn one_failed_job_is_one_failed_job_as_in_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    let place = place(&peers);
    for words in LINES {
        let words = format!("--output-format=json {}", words.replace("BAD", BAD));
        let [theirs, ours] = [Who::Real, Who::Command].map(|who| peers.run_in(&place, who, &words));
        let mut wanted = fates(&whole(&theirs));
        if let Some((_, errno)) = UNSAID.iter().find(|(part, _)| words.contains(part)) {
            assert_eq!(wanted[0].1, 0, "{words}: fio says it now");
            wanted[0].1 = *errno;
        }
        assert_eq!(fates(&whole(&ours)), wanted, "{words}: {}{}", ours.out, ours.err);
        assert_eq!(ours.code, theirs.code, "{words}: {}", ours.err);
    }
}

/// How far an error extends when it should extend beyond its job. Jobs already under way did some I/O, the others none.
#[test]
#[ignore = "night: real seconds"]
fn an_error_takes_along_whom_it_is_told_to_take() {
    let Some(peers) = Peers::find() else { return };
    let place = place(&peers);
    for (reach, lasts, follows) in [
        ("", [true, true], true),
        ("--exitall_on_error", [false, true], true),
        ("--exitall_on_error --exit_what=stonewall", [false, false], true),
        ("--exitall_on_error --exit_what=all", [false, false], false),
    ] {
        let words = format!(
            "--output-format=json {reach} --name=bad {BAD} --startdelay=300ms --name=beside {LONG} \
             --name=group --new_group {LONG} --name=later --stonewall --filename=f --size=64k"
        );
        for who in [Who::Real, Who::Command] {
            let ended = peers.run_in(&place, who, &words);
            let document = whole(&ended);
            let jobs = document["jobs"].as_array().unwrap();
            let lasted = |at: usize| jobs[at]["job_runtime"].as_u64().unwrap_or(0) >= 3_000;
            assert_eq!((ended.code, lasts), (Some(1), [lasted(1), lasted(2)]), "{who:?} {reach}");
            let later = jobs[3]["read"]["total_ios"].as_u64();
            assert_eq!(later, Some(if follows { 16 } else { 0 }), "{who:?} {reach}");
        }
    }
}

#[test]
fn what_was_not_run_says_so_in_every_format() {
    let peers = Peers::alone();
    let place = place(&peers);
    let words = format!(
        "--exitall_on_error --exit_what=all --name=gone --filename=/proc/nonexist --size=64k --numjobs=2 \
         --name=bad {BAD} --name=later --stonewall --filename=f --size=64k"
    );
    let notes = [
        "gone was not run, none of 2 clones: it failed before its first I/O (No such file or directory)",
        "later was not run: the run ended before its turn",
    ];
    let text = peers.run_in(&place, Who::Command, &words);
    assert_eq!(text.code, Some(3));
    let document = whole(&peers.run_in(&place, Who::Command, &format!("--output-format=json {words}")));
    for note in notes {
        assert!(text.out.contains(note), "{note}: {}", text.out);
        assert!(document["plimsoll"]["notes"].to_string().contains(note), "{note}: {document}");
    }
    let fine = peers.run_in(&place, Who::Command, "--name=a --filename=f --size=64k");
    assert!(!fine.out.contains("was not run"), "{}", fine.out);
}

/// A log that cannot be created is an error of the jobs that it is for.
#[test]
fn a_log_without_a_place_ends_the_jobs_of_its_step_alone() {
    let peers = Peers::alone();
    let words = "--output-format=json --name=a --filename=f --size=64k --write_lat_log=no/such/place \
                 --name=b --stonewall --filename=f --size=64k";
    let ended = peers.run_in(&place(&peers), Who::Command, words);
    let wanted = [("a".to_owned(), 2, 0), ("b".to_owned(), 0, 16)];
    assert_eq!((fates(&whole(&ended)).as_slice(), ended.code), (wanted.as_slice(), Some(1)), "{}", ended.err);
}

/// Without verification, a mix reads blocks that were never sealed, and none of them is wrong.
#[test]
fn do_verify_0_raises_no_alarm() {
    let Some(peers) = Peers::find() else { return };
    for order in ["randrw", "rw"] {
        for engine in ["psync", "libaio", "io_uring"] {
            let words = format!(
                "--output-format=json --name=a --filename=f --size=1m --bs=4k --rw={order} --ioengine={engine} \
                 --iodepth=4 --verify=crc32c --do_verify=0"
            );
            for who in [Who::Real, Who::Command] {
                let ended = peers.run_in(&place(&peers), who, &words);
                let job = &whole(&ended)["jobs"][0];
                let all =
                    ["read", "write"].iter().filter_map(|way| job[way]["total_ios"].as_u64()).sum::<u64>();
                assert_eq!((ended.code, all, ended.err.as_str()), (Some(0), 256, ""), "{who:?} {words}");
            }
        }
    }
    // What is written without verification is sealed all the same, and a job that only reads checks it.
    let there = place(&peers);
    let words = "--output-format=json --filename=f --size=1m --verify=crc32c --do_verify=0 --name=w --rw=write \
                 --name=r --stonewall --rw=read";
    assert_eq!(peers.run_in(&there, Who::Command, words).code, Some(0));
    let read = "--name=r --filename=f --size=1m --verify=crc32c --do_verify=0 --rw=read";
    std::fs::write(there.join("f"), vec![1; 1 << 20]).unwrap();
    let ended = peers.run_in(&there, Who::Command, read);
    assert!(ended.code == Some(1) && ended.err.contains("bad magic header"), "{}", ended.err);
}

/// Reads past the end of a truncated file are no I/O: they were once counted at 1.8 million a second.
#[test]
#[ignore = "night: every engine for real seconds"]
fn a_file_that_is_cut_ends_its_job_on_every_engine() {
    let peers = Peers::alone();
    for engine in ["psync", "libaio", "io_uring"] {
        let place = place(&peers);
        let words = format!(
            "--output-format=json --name=cut --filename=f --size=1m --bs=4k --rw=randread --ioengine={engine} \
             --iodepth=4 --rate_iops=2000 --time_based --runtime=60"
        );
        let ended = cut(&peers, &place, &words);
        let document = whole(&ended);
        let job = &document["jobs"][0];
        assert_eq!((ended.code, job["error"].as_u64()), (Some(1), Some(5)), "{engine}: {}", ended.err);
        assert!(job["job_runtime"].as_u64().unwrap() < 50_000, "{engine}: it ends by itself");
        let read = &job["read"];
        let of_4k = read["total_ios"].as_u64().map(|ios| ios * 4096);
        assert_eq!(read["io_bytes"].as_u64(), of_4k, "{engine}: what moved nothing is no I/O");
    }
}

/// Starts a job on `place`/f and empties the file once it is under way.
fn cut(peers: &Peers, place: &Path, words: &str) -> ProgramOutput {
    let file = std::fs::OpenOptions::new().write(true).open(place.join("f")).unwrap();
    let running = Running::start(&mut peers.command(place, Who::Command, words));
    let read = || {
        let text = std::fs::read_to_string(format!("/proc/{}/io", running.id())).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("rchar: ")).and_then(|n| n.parse().ok());
        line.unwrap_or(0u64)
    };
    // The program reads its own binary first; a job that does not get any further is cut all the same.
    let first = read();
    comes_true(|| read() > first + (1 << 18));
    std::thread::sleep(Duration::from_millis(300));
    file.set_len(0).unwrap();
    running.wait()
}
