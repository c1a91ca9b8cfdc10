//! Data with fio's headers, written by either tool and verified by the other: sound data passes, and both find damage.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::machine::*;

/// A job with a file of its own: its options besides `rw` and `filename`, and the offset of the byte that is damaged.
type Job = (&'static str, u64);

/// Returns the words that run all `jobs` with `common`.
fn words(jobs: &[Job], common: &str) -> String {
    let mut words = format!("--size=64k --verify_state_save=0 --output-format=json {common}");
    for (number, (job, _)) in jobs.iter().enumerate() {
        words += &format!(" --name=j{number} --filename=f{number} {job}");
    }
    words
}

/// Returns the exit code and each job's error.
fn errors(peers: &Peers, place: &Path, who: Who, words: &str) -> (Option<i32>, Vec<i64>) {
    let ended = peers.run_in(place, who, words);
    // fio 3.x may print notes before its JSON.
    let text = &ended.out[ended.out.find('{').unwrap_or(0)..];
    let document: serde_json::Value = serde_json::from_str(text)
        .unwrap_or_else(|error| panic!("{words}: {error}: {}{}", ended.out, ended.err));
    let jobs = document["jobs"].as_array().unwrap();
    (ended.code, jobs.iter().map(|job| job["error"].as_i64().unwrap()).collect())
}

fn flip(path: &Path, at: u64) {
    let file = File::options().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 0x40], at).unwrap();
}

/// Lets each tool write what both verify; then damages a byte of every file, which both must find in each.
fn go_both_ways(jobs: &[Job]) {
    let Some(peers) = Peers::find() else { return };
    for writer in [Who::Real, Who::Command] {
        let place = peers.folder.make_dir(&format!("by {writer:?}"));
        let sound = (Some(0), vec![0; jobs.len()]);
        assert_eq!(errors(&peers, &place, writer, &words(jobs, "--rw=write --do_verify=0")), sound);
        let read = words(jobs, "--rw=read");
        for reader in [Who::Real, Who::Command] {
            assert_eq!(errors(&peers, &place, reader, &read), sound, "{writer:?} to {reader:?}: {read}");
        }
        for (number, (_, damaged)) in jobs.iter().enumerate() {
            flip(&place.join(format!("f{number}")), *damaged);
        }
        for reader in [Who::Real, Who::Command] {
            // fio's exit code is the number of jobs that failed.
            let (code, found) = errors(&peers, &place, reader, &read);
            assert_eq!(found, vec![84; jobs.len()], "{writer:?} to {reader:?}: {read}");
            assert_ne!(code, Some(0), "{writer:?} to {reader:?}: {read}");
        }
    }
}

#[test]
fn what_either_tool_wrote_the_other_verifies_by_every_checksum() {
    go_both_ways(&[
        ("--verify=md5", 20_000),
        ("--verify=crc64", 20_000),
        ("--verify=crc32c-intel", 20_000),
        ("--verify=crc32c", 20_000),
        ("--verify=crc32", 20_000),
        ("--verify=crc16", 20_000),
        ("--verify=crc7", 20_000),
        ("--verify=sha1", 20_000),
        ("--verify=sha256", 20_000),
        // The part of a SHA-512 that fio 3.33 stores does not cover the middle.
        ("--verify=sha512", 8_190),
        ("--verify=sha3-224", 20_000),
        ("--verify=sha3-256", 20_000),
        ("--verify=sha3-384", 20_000),
        ("--verify=sha3-512", 20_000),
        ("--verify=xxhash", 20_000),
        // Only the header of these blocks is checked.
        ("--verify=meta", 12_288 + 17),
    ]);
}

#[test]
fn patterns_intervals_and_moved_headers_go_both_ways() {
    // fio 3.33 reports success if the last interval of a block is sound, so the last one is damaged.
    go_both_ways(&[
        ("--verify=pattern --verify_pattern=0xdeadbeef11", 20_000),
        ("--verify=pattern --verify_pattern=\"abc\"%o-120xdeadface --bs=8k", 20_000),
        ("--verify=crc32c --verify_pattern=0xdeadbeef11", 20_000),
        ("--verify_pattern=0xdeadbeef11 --bs=8k", 20_000),
        ("--verify=crc32c --verify_interval=512", 65_535),
        ("--verify=crc64 --verify_interval=1536", 65_535),
        ("--verify=md5 --bs=8k --verify_interval=1000", 65_535),
        ("--verify=crc32c --verify_offset=101", 20_000),
        ("--verify=sha1 --bs=8k --verify_interval=2k --verify_offset=1000", 65_535),
        ("--verify=crc32c --bssplit=8k/50:16k/50", 65_535),
        ("--verify=xxhash --bs=512", 20_000),
        ("--verify=sha256 --bs=1160", 1_159),
        ("--verify=sha512 --bs=1136", 1_135),
    ]);
}

#[test]
fn damage_that_fio_does_not_see_is_found_in_what_was_written_here() {
    let peers = Peers::alone();
    let place = peers.folder.make_dir("sha512");
    let jobs = [("--verify=sha512", 5 * 4096 + 2000)];
    let written = errors(&peers, &place, Who::Command, &words(&jobs, "--rw=write --do_verify=0"));
    assert_eq!(written, (Some(0), vec![0]));
    flip(&place.join("f0"), jobs[0].1);
    let read = errors(&peers, &place, Who::Command, &words(&jobs, "--rw=read"));
    assert_eq!(read, (Some(1), vec![84]), "the middle of a block is covered too");
}
