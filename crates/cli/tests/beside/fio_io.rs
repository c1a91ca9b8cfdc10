//! Files, engines and passes in fio's words: what the real fio does to copies of the same files, ours does.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::machine::*;
use serde_json::Value;

/// Lengths and reserved blocks of the files in `place`, by name; a line a file.
fn files(place: &Path) -> String {
    let of = |entry: std::fs::DirEntry| {
        let found = entry.metadata().unwrap();
        format!("{} {} {}\n", entry.file_name().to_string_lossy(), found.len(), found.blocks())
    };
    let mut lines: Vec<String> = std::fs::read_dir(place).unwrap().map(|entry| of(entry.unwrap())).collect();
    lines.sort();
    lines.concat()
}

/// Operations by direction, and the error, of each job.
fn jobs(ended: &Ended) -> Vec<String> {
    let text = &ended.out[ended.out.find('{').unwrap_or(0)..];
    let document: Value = serde_json::from_str(text).unwrap_or_default();
    let of = |job: &Value| {
        let ways = ["read", "write", "trim"].map(|way| job[way]["total_ios"].as_u64().unwrap_or(0));
        format!("{} {ways:?} error {}", job["jobname"], job["error"])
    };
    document["jobs"].as_array().map_or(Vec::new(), |jobs| jobs.iter().map(of).collect())
}

/// What `who` did with `words` in a folder of its own: exit code, jobs, files.
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
