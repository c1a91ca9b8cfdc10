//! Engines that move no data: ours creates, finds, removes, reserves and truncates what the real fio does.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::machine::*;
use serde_json::Value;

/// Returns the exit code, and for each job its error, its operations and bytes by direction, and how many of them were timed.
fn outcome(ended: &ProgramOutput) -> (Option<i32>, Vec<String>) {
    let text = &ended.out[ended.out.find('{').unwrap_or(0)..];
    let document: Value = serde_json::from_str(text).unwrap_or_default();
    let of = |job: &Value| {
        let ways = ["read", "write", "trim"].map(|way| {
            let found = &job[way];
            [&found["total_ios"], &found["io_bytes"], &found["clat_ns"]["N"]]
                .map(|figure| figure.as_u64().unwrap_or(0))
        });
        format!("{} error {} {ways:?}", job["jobname"], job["error"])
    };
    (ended.code, document["jobs"].as_array().map_or(Vec::new(), |jobs| jobs.iter().map(of).collect()))
}

/// Returns name, kind, length and reserved space of everything in `place`.
fn contents(place: &Path) -> Vec<String> {
    let of = |entry: std::fs::DirEntry| {
        let found = entry.metadata().unwrap();
        let space = if found.is_dir() { 0 } else { found.blocks() * 512 / 32768 };
        let length = if found.is_dir() { 0 } else { found.len() };
        format!("{} {} {length} {space}", entry.file_name().to_string_lossy(), found.is_dir())
    };
    let mut lines: Vec<String> = std::fs::read_dir(place).unwrap().map(|entry| of(entry.unwrap())).collect();
    lines.sort();
    lines
}

/// Returns what `who` does with `words` in a folder that `before` has filled.
fn done(
    peers: &Peers,
    who: Who,
    words: &str,
    before: impl Fn(&Path),
) -> ((Option<i32>, Vec<String>), Vec<String>) {
    let place = peers.folder.make_dir("copy");
    let _ = std::fs::remove_dir_all(&place);
    let place = peers.folder.make_dir("copy");
    before(&place);
    let ended = peers.run_in(&place, who, &format!("--output-format=json --name=a --bs=4k {words}"));
    (outcome(&ended), contents(&place))
}

#[test]
fn files_are_made_looked_up_and_removed_as_by_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    for words in [
        "--ioengine=filecreate --nrfiles=10 --filesize=4k",
        "--ioengine=filecreate --nrfiles=10 --filesize=4k --rw=write --openfiles=1",
        "--ioengine=filecreate --nrfiles=10 --filesize=4k --size=20k",
        "--ioengine=filecreate --nrfiles=10 --filesize=4k --number_ios=3",
        "--ioengine=filecreate --filesize=4k --filename=x:z",
        "--ioengine=filecreate --nrfiles=3 --filesize=4k --numjobs=2 --group_reporting",
        "--ioengine=filestat --nrfiles=4 --filesize=4k --loops=3",
        "--ioengine=filestat --nrfiles=4 --filesize=4k --rw=randwrite",
        "--ioengine=filedelete --nrfiles=4 --filesize=4k",
        "--ioengine=filedelete --nrfiles=4 --filesize=4k --rw=write",
        "--ioengine=filedelete --filename=x --filesize=4k",
        "--ioengine=filedelete --nrfiles=4 --filesize=4k --loops=2",
        "--ioengine=filecreate --nrfiles=3 --filesize=4k --name=b --stonewall --ioengine=filedelete --filesize=4k --filename=a.0.0:a.0.2",
    ] {
        let before = |place: &Path| std::fs::write(place.join("x"), "").unwrap();
        let real = done(&peers, Who::Real, words, before);
        let ours = done(&peers, Who::Command, words, before);
        // Neither which files several loops met twice nor how the layout filled them is compared.
        assert_eq!(real, ours, "{words}");
    }
}

#[test]
fn space_is_reserved_and_cut_as_by_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    for words in [
        "--ioengine=falloc --filename=f --size=256k --rw=write",
        "--ioengine=falloc --filename=f --size=256k --rw=write --fallocate=none",
        "--ioengine=falloc --filename=f --size=256k --rw=randread",
        "--ioengine=falloc --filename=x --size=256k --rw=trim",
        "--ioengine=falloc --filename=x --size=256k --rw=randtrim --number_ios=16",
        "--ioengine=ftruncate --filename=f --size=256k --rw=write",
        "--ioengine=ftruncate --filename=x --size=256k --rw=write --number_ios=10",
        "--ioengine=ftruncate --filename=x --size=256k --rw=read",
        "--ioengine=ftruncate --filename=x --size=256k --rw=trim",
    ] {
        let before = |place: &Path| std::fs::write(place.join("x"), vec![7; 256 << 10]).unwrap();
        let (mut real, ours) =
            (done(&peers, Who::Real, words, before), done(&peers, Who::Command, words, before));
        if real.0.0 == Some(1) && ours.0.0 == Some(1) {
            // fio counts the I/O that failed.
            real.0.1.clone_from(&ours.0.1);
        }
        assert_eq!(real, ours, "{words}");
    }
}

/// Engines that the installed version of fio does not have.
#[test]
fn directories_are_made_looked_up_and_removed() {
    let peers = Peers::alone();
    let folders = |count: usize| (0..count).map(|at| format!("a.0.{at} true 0 0")).collect::<Vec<_>>();
    let ten = "[[10, 40960, 10], [0, 0, 0], [0, 0, 0]]";
    for (words, left) in [
        ("--ioengine=dircreate --nrfiles=10 --filesize=4k", folders(10)),
        ("--ioengine=dirstat --nrfiles=10 --filesize=4k", folders(10)),
        ("--ioengine=dirdelete --nrfiles=10 --filesize=4k", folders(0)),
    ] {
        let ((code, jobs), contents) = done(&peers, Who::Command, words, |_| {});
        assert_eq!((code, jobs, contents), (Some(0), vec![format!("\"a\" error 0 {ten}")], left), "{words}");
    }
    let full = |place: &Path| {
        std::fs::create_dir(place.join("d")).unwrap();
        std::fs::write(place.join("d/kept"), "kept").unwrap();
    };
    let ((code, _), left) =
        done(&peers, Who::Command, "--ioengine=dirdelete --filename=d --filesize=4k", full);
    assert_eq!((code, left), (Some(1), vec!["d true 0 0".to_owned()]));
}

/// Nothing is removed that was not named, and nothing at all if writes are not allowed.
#[test]
fn only_files_that_are_named_are_removed_and_never_a_link_or_a_folder() {
    let peers = Peers::alone();
    let before = |place: &Path| {
        std::fs::write(place.join("x"), "kept").unwrap();
        std::fs::create_dir(place.join("d")).unwrap();
        std::os::unix::fs::symlink("x", place.join("link")).unwrap();
    };
    for (words, why) in [
        ("--ioengine=filedelete --filename=x --filesize=4k --readonly", "readonly"),
        ("--ioengine=filedelete --filename=d --filesize=4k", "directory"),
        ("--ioengine=filedelete --filename=link --filesize=4k", "fio: link is a link or no regular file"),
        ("--ioengine=filecreate --filename=y --filesize=4k --readonly", "readonly"),
        ("--ioengine=filestat --filename=y --filesize=4k --readonly", "readonly"),
        ("--ioengine=filestat --filename=x --filesize=4k --verify=md5", "verify"),
    ] {
        let place = peers.folder.make_dir("copy");
        let _ = std::fs::remove_dir_all(&place);
        let place = peers.folder.make_dir("copy");
        before(&place);
        let ended = peers.run_in(&place, Who::Command, &format!("--name=a {words}"));
        let said = format!("{}{}", ended.out, ended.err);
        assert_eq!((ended.code, said.contains(why)), (Some(1), true), "{words}: {said}");
        let kept = std::fs::read_to_string(place.join("x")).unwrap();
        assert_eq!(
            (kept.as_str(), place.join("d").is_dir(), place.join("link").exists()),
            ("kept", true, true)
        );
        assert!(!place.join("y").exists(), "{words}");
    }
}
