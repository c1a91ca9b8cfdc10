//! Folders in which others leave things, targets that must not be read, and files whose server does not answer.

use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use super::{none, stopped_by, watched};
use crate::machine::*;
use testbed::{Device, Ops};

/// Output of ioping.
const PRINTED: &str = "4 KiB <<< . (ext4 /dev/vda 9.74 GiB): request=1 time=161.4 us\n\n\
    --- . (ext4 /dev/vda 9.74 GiB) ioping statistics ---\n\
    1 requests completed in 161.4 us, 4 KiB read, 6.20 k iops, 24.2 MiB/s\n\
    generated 2 requests in 1.00 s, 8 KiB, 1 iops, 8.00 KiB/s\n\
    min/avg/max/mdev = 161.4 us / 161.4 us / 161.4 us / 0 us\n";

/// Makes a folder with two results, one of them a link, among things that somebody planted.
fn archive(folder: &Folder) -> Vec<&'static str> {
    let place = folder.make_dir("archive");
    fs::write(folder.path("elsewhere.txt"), PRINTED).unwrap();
    fs::write(place.join("a.txt"), PRINTED).unwrap();
    symlink(folder.path("elsewhere.txt"), place.join("b.txt")).unwrap();
    symlink("/dev/zero", place.join("zero")).unwrap();
    symlink("nowhere", place.join("nothing")).unwrap();
    drop(UnixListener::bind(place.join("socket")).unwrap());
    assert!(run(&["mkfifo", &text(&place.join("pipe"))]));
    assert!(run(&["truncate", "-s", "16G", &text(&place.join("sparse"))]));
    vec![
        "zero: it is a character device",
        "socket: it is a socket",
        "pipe: it is a pipe",
        "nothing: No such file",
        "sparse: ",
    ]
}

#[test]
fn what_lies_in_a_folder_and_is_no_file_is_passed_over_by_name() {
    let folder = Folder::new();
    let planted = archive(&folder);
    for words in
        [&["import", "@/archive", "--out", "@/out"][..], &["compare", "@/archive", "@/archive/a.txt"]]
    {
        let Some(done) = watched(Running::start(&mut folder.plimsoll(words))) else {
            panic!("{words:?} hangs")
        };
        let said = done.ended.complained();
        // A comparison of a side with itself cannot tell.
        assert!(matches!(done.ended.code, Some(0 | 4)), "{words:?}: {:?}: {said}", done.ended.code);
        let missing: Vec<&&str> = planted.iter().filter(|words| !said.contains(**words)).collect();
        assert!(missing.is_empty(), "{words:?} does not name {missing:?}: {said}");
        assert!(done.peak < 300, "{words:?}: {} MiB", done.peak);
    }
}

#[test]
fn a_folder_full_of_pipes_is_told_of_in_few_words() {
    let folder = Folder::new();
    let place = folder.make_dir("storm");
    let names: Vec<String> =
        (0..200).map(|number| text(&place.join(format!("pipe-{number}.json")))).collect();
    assert!(run(&["mkfifo"].into_iter().chain(names.iter().map(String::as_str)).collect::<Vec<_>>()));
    for words in [["import", "@/storm"], ["report", "@/storm"]] {
        let Some(done) = watched(Running::start(&mut folder.plimsoll(&words))) else {
            panic!("{words:?} hangs")
        };
        assert_eq!(done.ended.code, Some(2), "{words:?}: {}", done.ended.err);
        let named = done.ended.err.matches("/storm/pipe-").count();
        assert!(named <= 20, "{words:?} names {named}: {}", done.ended.err);
        assert!(done.ended.complained().contains("180 more"), "{words:?}: {}", done.ended.err);
    }
}

/// A target must not be read to find out its kind: that takes time in proportion to its size, and warms the cache.
#[test]
fn a_search_for_headroom_does_not_read_its_target() {
    let folder = Folder::new();
    let path = folder.path("data.img");
    let file = fs::File::create(&path).unwrap();
    file.set_len(3 << 30).unwrap();
    let words = ["headroom", "@/data.img", "--p99", "10ms", "--dry-run"];
    let Some(done) = watched(Running::start(&mut folder.plimsoll(&words))) else { panic!("it reads on") };
    // A file of holes is no target; the refusal shows that it was recognised as a file.
    assert!(done.ended.complained().contains("data.img"), "{}", done.ended.err);
    assert!(done.peak < 300, "{} MiB", done.peak);
    let cached = kernel::cached_share(file.as_fd(), 0, workload::Bytes(3 << 30)).unwrap_or_default();
    assert!(cached < 0.001, "{cached} of the target is in the page cache");
}

#[test]
fn a_job_file_in_the_place_of_a_target_is_still_a_job_file() {
    let folder = Folder::new();
    let job = "# goal\n[load]\nrw=randread\nbs=4k\nlatency_target=10ms\nlatency_percentile=99\nsize=64m\n";
    fs::write(folder.path("goal.fio"), job).unwrap();
    let done = ended(folder.plimsoll(&["headroom", "@/goal.fio", "--dry-run"]).current_dir(folder.path(".")));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(
        done.told().contains("10 ms") || done.complained().contains("10 ms"),
        "{} {}",
        done.out,
        done.err
    );
}

/// A small file, which might be an input, on a device that has stopped answering.
#[test]
fn a_silent_file_is_left_when_somebody_asks() {
    let Some(device) = Device::or_skip(32 << 10) else { return };
    let folder = Folder::new();
    device.silence(Ops::DATA);
    let path = text(&device.path());
    let reads: [&[&str]; 6] = [
        &["headroom", "%", "--p99", "10ms"],
        &["watch", "--load", "%"],
        &["import", "%"],
        &["report", "%"],
        &["fio", "%"],
        &["compare", "%", "%"],
    ];
    let mut faults = Vec::new();
    for (number, words) in reads.into_iter().enumerate() {
        let words: Vec<String> = words.iter().map(|word| word.replace('%', &path)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let before = device.tally(Ops::READ).received;
        let running = Running::start(&mut folder.plimsoll(&words));
        let held = comes_true(|| device.tally(Ops::READ).received > before);
        if !held {
            faults.push(format!("{words:?} does not read it: {}", running.wait().err));
            continue;
        }
        faults.extend(
            stopped_by(["INT", "TERM"][number % 2], running).map(|fault| format!("{words:?}: {fault}")),
        );
    }
    let given_up = ["headroom", &path, "--p99", "10ms", "--give-up", "2s"];
    match watched(Running::start(&mut folder.plimsoll(&given_up))) {
        Some(done) if done.ended.complained().contains("is given up") => {}
        Some(done) => faults.push(format!("{given_up:?}: {}", done.ended.err)),
        None => faults.push(format!("{given_up:?} hangs")),
    }
    device.heal();
    none(faults);
}

/// The user never typed the name of the saved state from which a job continues.
#[test]
fn a_state_that_is_no_file_fails_its_job_alone() {
    let folder = Folder::new();
    let states = folder.make_dir("states");
    symlink("/dev/zero", states.join("local-a-0-verify.state")).unwrap();
    assert!(run(&["mkfifo", &text(&states.join("local-b-0-verify.state"))]));
    for (job, kind) in [("--name=a", "a character device"), ("--name=b", "a pipe")] {
        let words = [
            "fio",
            job,
            "--filename=@/data",
            "--size=64k",
            "--rw=write",
            "--verify=crc32c",
            "--verify_only=1",
            "--verify_state_load=1",
            "--aux-path=@/states",
        ];
        let Some(done) = watched(Running::start(&mut folder.plimsoll(&words))) else { panic!("{job} hangs") };
        assert_eq!(done.ended.code, Some(1), "{}", done.ended.err);
        assert!(done.ended.complained().contains(kind), "{job}: {}", done.ended.err);
    }
}
