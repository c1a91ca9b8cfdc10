//! `plimsoll fio --check-against`: a shortened copy through the real fio and ours, on files that are nobody's.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::machine::*;

/// Runs the comparison in a folder of its own, and checks that nothing is left behind in it.
fn checked(peers: &Peers, fio: &str, words: &str) -> ProgramOutput {
    let place = peers.folder.make_dir("place");
    let names = || fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    let before = names();
    let ended = peers.run_in(&place, Who::Command, &format!("--check-against={fio} {words}"));
    assert_eq!(names(), before, "{words}: {} {}", ended.out, ended.err);
    ended
}

fn verdict(ended: &ProgramOutput) -> &str {
    ended.out.trim_end().rsplit("\n\n").next().unwrap()
}

/// Writes a program that stands for fio, and returns its path.
fn script(peers: &Peers, commands: &str) -> String {
    let path = peers.folder.path("script");
    fs::write(&path, format!("#!/bin/sh\n{commands}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

#[test]
fn a_plain_job_does_not_differ() {
    let Some(peers) = Peers::find() else { return };
    let ended = checked(&peers, "fio", "--name=a --rw=randwrite --bs=4k --size=100g --rate_iops=300");
    assert_eq!(ended.code, Some(0), "{} {}", ended.out, ended.err);
    for words in ["--size=16m", "--io_size=2400k", "size=100g is 16m", "No difference in 10 figures."] {
        assert!(ended.out.contains(words), "{words}: {}", ended.out);
    }
}

#[test]
fn jobs_of_a_file_are_compared_and_a_documented_difference_has_its_reason() {
    let Some(peers) = Peers::find() else { return };
    let place = peers.folder.make_dir("place");
    let file = "[global]\nsize=1g\nexec_prerun=touch /nowhere\n\n[mix]\nrw=randwrite\nnorandommap\nbssplit=4k/50:8k/50\nio_size=8m\n
[log]\nstonewall\nrw=write\nbs=64k\nfsync=1\n";
    fs::write(place.join("two.fio"), file).unwrap();
    let ended = checked(&peers, "fio", "two.fio");
    assert_eq!(ended.code, Some(3), "{} {}", ended.out, ended.err);
    let flushes = ended.out.lines().find(|line| line.contains("flushes")).unwrap();
    assert!(flushes.contains("255") && flushes.contains("256"), "{flushes}");
    assert!(
        ended.out.contains("the flush that falls on the last write of a job is left out"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("left out  exec_prerun"), "{}", ended.out);
    assert!(verdict(&ended).contains("log: flushes (documented)"), "{}", ended.out);
}

#[test]
fn a_device_becomes_a_file_and_clones_are_compared_by_their_numbers() {
    let Some(peers) = Peers::find() else { return };
    let device = "--filename=/dev/nvme9n9 --rw=read --bs=64k --size=10g --offset_increment=10g --numjobs=3";
    let ended = checked(&peers, "fio", &format!("--name=a {device}"));
    assert_eq!(ended.code, Some(0), "{} {}", ended.out, ended.err);
    assert!(ended.out.contains("_dev_nvme9n9 with 16,777,216 bytes"), "{}", ended.out);
    assert!(!Path::new("/dev/nvme9n9").exists());
}

#[test]
fn a_job_that_is_renamed_reads_a_copy_of_its_own_file() {
    let Some(peers) = Peers::find() else { return };
    let place = peers.folder.make_dir("place");
    fs::write(place.join("job1.0.0"), vec![7; 1 << 20]).unwrap();
    fs::write(place.join("job"), "[job1]\nname=check\nrw=read\nbs=64k\n").unwrap();
    let ended = checked(&peers, "fio", "job");
    assert_eq!(ended.code, Some(0), "{} {}", ended.out, ended.err);
    assert!(ended.out.contains("check.0.0 with 1,048,576 bytes"), "{}", ended.out);
}

#[test]
fn files_of_the_user_stay_as_they_are() {
    let Some(peers) = Peers::find() else { return };
    let place = peers.folder.make_dir("place");
    fs::write(place.join("mine"), vec![7; 1 << 20]).unwrap();
    let ended = checked(&peers, "fio", "--name=a --filename=mine --rw=write --size=1m --bs=4k --unlink=1");
    assert_eq!(ended.code, Some(0), "{} {}", ended.out, ended.err);
    assert_eq!(fs::read(place.join("mine")).unwrap(), vec![7; 1 << 20]);
    for words in ["--read_iolog=mine", "--zonemode=strided --zonesize=1m", "--filesize=1m-2m"] {
        let ended = checked(&peers, "fio", &format!("--name=a --rw=read --size=1m {words}"));
        assert!(ended.code == Some(1) && ended.err.contains("no shortened copy"), "{words}: {}", ended.err);
    }
}

#[test]
fn what_is_not_fio_is_refused_and_one_that_does_something_else_is_caught() {
    let Some(peers) = Peers::find() else { return };
    for (program, why) in [("/bin/ls", "that is not fio"), ("/nowhere/fio", "there is no such program")] {
        let ended = checked(&peers, program, "--name=a --rw=write --size=1m");
        assert!(ended.code == Some(1) && ended.err.contains(why), "{}", ended.err);
    }
    let fake = script(
        &peers,
        "for word; do shift; case $word in --bs=*) ;; *) set -- \"$@\" \"$word\";; esac; done\nexec fio \"$@\"",
    );
    let ended = checked(&peers, &fake, "--name=a --rw=write --bs=8k --size=1m");
    assert_eq!(ended.code, Some(3), "{} {}", ended.out, ended.err);
    let writes = ended.out.lines().find(|line| line.contains("a: write I/Os")).unwrap();
    assert_eq!(writes.split_whitespace().skip(3).collect::<Vec<_>>(), ["256", "128", "differs"]);
    assert!(ended.out.contains("may be a fault of plimsoll"), "{}", ended.out);
    let own = script(&peers, &format!("exec {} fio \"$@\"", env!("CARGO_BIN_EXE_plimsoll")));
    let ended = checked(&peers, &own, "--name=a --rw=write --size=1m");
    assert!(ended.code == Some(1) && ended.err.contains("plimsoll itself"), "{}", ended.err);
}
