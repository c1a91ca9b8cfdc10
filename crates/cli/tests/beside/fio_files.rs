//! Which files a fio job has, their lengths and contents: beside the real fio on copies of the same files.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::machine::*;

/// Returns the lengths of the files in `place`, by name.
fn lengths(place: &Path) -> BTreeMap<String, u64> {
    let of = |entry: std::fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), entry.metadata().unwrap().len())
    };
    std::fs::read_dir(place).unwrap().map(|entry| of(entry.unwrap())).collect()
}

/// Returns operations and bytes of the first job over all directions.
fn done(ended: &ProgramOutput) -> (u64, u64) {
    done_by_each(ended)[0]
}

/// Returns operations and bytes of each job over all directions.
fn done_by_each(ended: &ProgramOutput) -> Vec<(u64, u64)> {
    // fio prints on stdout how many files `opendir` has found.
    let text = &ended.out[ended.out.find('{').unwrap_or(0)..];
    let document: serde_json::Value = serde_json::from_str(text).unwrap();
    let of = |job: &serde_json::Value| {
        let sum = |what: &str| -> u64 {
            ["read", "write", "trim"].iter().map(|way| job[way][what].as_u64().unwrap()).sum()
        };
        (sum("total_ios"), sum("io_bytes"))
    };
    document["jobs"].as_array().unwrap().iter().map(of).collect()
}

/// With a range of sizes, each file gets one within it, in whole blocks; each is processed once, as far as `size` goes.
#[test]
fn sizes_of_files_are_drawn_and_each_file_is_done_once() {
    let Some(peers) = Peers::find() else { return };
    for (words, files, most) in [
        ("--nrfiles=4 --filesize=16k-256k --rw=write", 4, u64::MAX),
        (
            "--nrfiles=4 --filesize=16k-256k --rw=randwrite --direct=1 --ioengine=libaio --iodepth=4",
            4,
            u64::MAX,
        ),
        ("--nrfiles=4 --filesize=16k:256k --rw=read", 4, u64::MAX),
        ("--nrfiles=40 --filesize=16k-160k --size=256k --rw=write", 40, 256 << 10),
        ("--nrfiles=6 --filesize=16k-17k --rw=randread --file_service_type=random", 6, u64::MAX),
    ] {
        for who in [Who::Real, Who::Command] {
            let ended = peers.run(who, &format!("--output-format=json --name=a --bs=4k {words}"));
            let lengths = lengths(&peers.folder.path(&format!("{who:?}")));
            let lengths: Vec<u64> = lengths.into_values().collect();
            assert_eq!((ended.code, lengths.len()), (Some(0), files), "{who:?} {words}: {}", ended.err);
            let within = |bytes: &&u64| (16 << 10..=256 << 10).contains(*bytes) && bytes.is_multiple_of(4096);
            assert_eq!(lengths.iter().filter(within).count(), files, "{who:?} {words}: {lengths:?}");
            let all: u64 = lengths.iter().sum();
            assert_eq!(done(&ended), (all.min(most) / 4096, all.min(most)), "{who:?} {words}: {lengths:?}");
            let differ = lengths.iter().any(|bytes| *bytes != lengths[0]);
            assert_eq!(differ, !words.contains("17k"), "{who:?} {words}: {lengths:?}");
        }
    }
}

/// A file whose length is within the range keeps it; without a given size, each file is processed at its own length.
#[test]
fn files_that_are_there_are_as_long_as_they_are() {
    let Some(peers) = Peers::find() else { return };
    for words in [
        "--filename=f:g --filesize=8k-64k --rw=read",
        "--filename=f:g --rw=randread",
        // A repeated option adds to the files.
        "--filename=f --filename=g --rw=read",
        "--filename=f:g --rw=write",
        "--opendir=. --rw=read",
        "--opendir=. --rw=randwrite --size=12k",
    ] {
        let [real, ours] = [Who::Real, Who::Command].map(|who| {
            let place = peers.folder.make_dir("copy");
            for (name, bytes) in [("f", 12288), ("g", 40960)] {
                std::fs::write(place.join(name), vec![7; bytes]).unwrap();
            }
            let ended = peers.run_in(&place, who, &format!("--output-format=json --name=a --bs=4k {words}"));
            (ended.code, done(&ended), lengths(&place))
        });
        assert_eq!(real, ours, "{words}");
    }
}

/// A writer that reserves no space may end before its file is as long as planned.
#[test]
fn a_later_job_never_reads_past_what_an_earlier_one_has_written() {
    let Some(peers) = Peers::find() else { return };
    for (there, writer, later) in [
        // With a size, the later job has its data laid out.
        (0, "--size=1m --fallocate=none --number_ios=16", "--size=1m --rw=read"),
        (0, "--size=1m --fallocate=none --number_ios=16", "--size=1m --rw=randrw"),
        (0, "--size=1m --fallocate=none --number_ios=16", "--size=1m --rw=write"),
        (0, "--size=1m --fallocate=keep --number_ios=16", "--size=1m --rw=randread"),
        (0, "--size=1m --fallocate=truncate --number_ios=16", "--size=1m --rw=read"),
        (0, "--size=1m --number_ios=16", "--size=1m --rw=read"),
        (0, "--size=1m --fill_device=1 --number_ios=16", "--size=1m --rw=read"),
        // Without one, it uses the file as it is by then.
        (0, "--size=1m --fallocate=none --number_ios=16", "--rw=read --create_serialize=0"),
        (0, "--size=1m --fallocate=none --number_ios=16", "--rw=randread --loops=2 --create_serialize=0"),
        (0, "--size=1m --fallocate=none --number_ios=16", "--rw=read --size=50% --create_serialize=0"),
        (0, "--size=1m --fallocate=none --number_ios=16", "--rw=read --offset=16k --create_serialize=0"),
        (1 << 20, "--size=2m --io_size=1m --fallocate=none", "--rw=read --create_serialize=0"),
    ] {
        let words = format!(
            "--output-format=json --filename=f --bs=4k --name=w --rw=write {writer} --name=l --stonewall {later}"
        );
        let [real, ours] = [Who::Real, Who::Command].map(|who| {
            let place = peers.folder.make_dir("later");
            let _ = std::fs::remove_file(place.join("f"));
            if there > 0 {
                std::fs::write(place.join("f"), vec![7; there]).unwrap();
            }
            let ended = peers.run_in(&place, who, &words);
            (ended.code, done_by_each(&ended), lengths(&place))
        });
        assert_eq!(ours, real, "{words}");
        assert_eq!(real.0, Some(0), "{words}");
    }
}

/// Somebody's file is laid out for a reader only where the job before it is sure to write over all of it. fio overwrites it.
#[test]
fn a_writer_that_ends_early_does_not_hand_somebodys_file_to_a_reader() {
    let Some(peers) = Peers::find() else { return };
    for (writer, most) in [
        ("--rw=write --number_ios=16", 16),
        ("--rw=randwrite --number_ios=1", 1),
        ("--rw=randwrite --runtime=1 --rate_iops=10", 20),
    ] {
        let words = format!(
            "--filename=f --bs=4k --size=1m --fallocate=none --name=w {writer} --name=l --stonewall --rw=read"
        );
        let [real, ours] = [Who::Real, Who::Command].map(|who| {
            let place = peers.folder.make_dir("theirs");
            std::fs::write(place.join("f"), vec![7; 262_144]).unwrap();
            let ended = peers.run_in(&place, who, &words);
            let blocks = std::fs::read(place.join("f")).unwrap();
            let lost = blocks[..262_144].chunks(4096).filter(|block| *block != [7; 4096]).count();
            (ended, lost)
        });
        assert!(ours.1 <= most, "{words}: {} blocks", ours.1);
        assert_eq!(ours.0.code, Some(1), "{words}: {}", ours.0.err);
        assert!(ours.0.err.contains("holds 262144 bytes of the 1048576"), "{words}: {}", ours.0.err);
        assert_eq!((real.0.code, real.1), (Some(0), 64), "{words}: {}", real.0.err);
    }
}

/// fio's own surface scan: what has filled the volume is read, and only that.
#[test]
fn a_job_after_one_that_fills_the_volume_uses_what_that_has_written() {
    let Some(peers) = Peers::find() else { return };
    let place = peers.folder.make_dir("small");
    let Some(_small) = MountGuard::at(place.clone(), &["-t", "tmpfs", "-o", "size=4m", "none"]) else {
        return;
    };
    for later in ["read", "randread", "randwrite", "write", "randrw", "read --verify=md5"] {
        let verify = if later.contains("verify") { "--verify=md5 --do_verify=0" } else { "" };
        let words = format!(
            "--output-format=json --filename=f --bs=64k --verify_state_save=0 --name=w --fill_device=1 --rw=write {verify} \
             --name=l --stonewall --create_serialize=0 --rw={later}"
        );
        let [real, ours] = [Who::Real, Who::Command].map(|who| {
            let ended = peers.run_in(&place, who, &words);
            std::fs::remove_file(place.join("f")).unwrap();
            assert!(!ended.err.contains("never written"), "{words}: {}", ended.err);
            (ended.code, done_by_each(&ended)[1])
        });
        assert_eq!(ours, real, "{words}");
        assert_eq!(real, (Some(0), (64, 4 << 20)), "{words}");
    }
}

#[test]
fn patterns_stand_in_files() {
    let Some(peers) = Peers::find() else { return };
    let long: Vec<u8> = (0..512).map(|at| (at % 251) as u8).collect();
    for words in [
        "--buffer_pattern='p'",
        "--buffer_pattern='long'",
        "--buffer_pattern='p'12\"x'y\"0xbeef",
        "--zero_buffers --buffer_pattern='p'",
        "--buffer_pattern='p' --zero_buffers",
        "--verify=pattern --verify_pattern='p' --verify_state_save=0",
        "--verify=pattern --verify_pattern='p'%o --verify_state_save=0",
    ] {
        let [real, ours] = [Who::Real, Who::Command].map(|who| {
            let place = peers.folder.make_dir("copy");
            for (name, bytes) in [("p", &b"from a file"[..]), ("long", &long)] {
                std::fs::write(place.join(name), bytes).unwrap();
            }
            let ended =
                peers.run_in(&place, who, &format!("--name=a --filename=f --size=16k --rw=write {words}"));
            (ended.code, std::fs::read(place.join("f")).unwrap())
        });
        assert_eq!(real.0, Some(0));
        assert!(real == ours, "{words}: {:?} instead of {:?}", &ours.1[..32], &real.1[..32]);
    }
    let place = peers.folder.make_dir("copy");
    std::fs::write(place.join("empty"), "").unwrap();
    for (name, why) in [("nope", "No such file or directory"), ("empty", "is empty"), ("..", "a folder")] {
        let words = format!("--name=a --filename=g --size=4k --rw=write --buffer_pattern='{name}'");
        let ended = peers.run_in(&place, Who::Command, &words);
        assert_eq!((ended.code, ended.err.contains(why)), (Some(1), true), "{}", ended.err);
        assert!(!place.join("g").exists());
    }
}

/// The real fio restarts a pattern with each I/O; with an interval of that length, longer I/Os of ours leave the same
/// bytes, and each tool finds them right.
#[test]
fn patterns_begin_anew_where_their_interval_says() {
    let Some(peers) = Peers::find() else { return };
    let place = peers.folder.make_dir("copy");
    let words =
        "--name=a --filename=f --size=64k --verify=pattern --verify_pattern=%o0xabcdef --verify_state_save=0";
    let [real, ours] = [(Who::Real, "--bs=4k"), (Who::Command, "--bs=16k --verify_pattern_interval=4k")].map(
        |(who, more)| {
            let ended = peers.run_in(&place, who, &format!("{words} --rw=write {more}"));
            (ended.code, std::fs::read(place.join("f")).unwrap())
        },
    );
    assert!(
        real == ours && real.0 == Some(0),
        "{:?} instead of {:?}",
        &ours.1[4090..4120],
        &real.1[4090..4120]
    );
    let read = |who, more: &str| peers.run_in(&place, who, &format!("{words} --rw=read {more}")).code;
    assert_eq!(read(Who::Real, "--bs=4k"), Some(0));
    assert_eq!(read(Who::Command, "--bs=32k --verify_pattern_interval=4k"), Some(0));
    assert_eq!(read(Who::Command, "--bs=32k --verify_pattern_interval=8k"), Some(1));
}

/// An atomic write is submitted as such, or fails as on a device that cannot guarantee it; it is never done without.
#[test]
fn atomic_writes_ask_the_kernel_for_it() {
    if !has("strace") {
        return;
    }
    let peers = Peers::alone();
    for engine in ["psync", "libaio"] {
        let place = peers.folder.make_dir("copy");
        let words =
            format!("--name=a --filename=f --size=16k --bs=4k --rw=write --atomic=1 --ioengine={engine}");
        let plain = peers.command(&place, Who::Command, &words);
        let mut traced = Command::new("strace");
        traced.args(["-f", "-o", "calls", "-e", "trace=pwritev2,io_submit"]);
        traced.arg(plain.get_program()).args(plain.get_args()).current_dir(&place);
        let ended = traced.output().unwrap();
        let calls = std::fs::read_to_string(place.join("calls")).unwrap();
        let asked = calls.lines().any(|line| line.contains("RWF_ATOMIC") || line.contains("0x40"));
        assert!(asked, "{engine}: {calls}");
        assert!(matches!(ended.status.code(), Some(0 | 1)), "{engine}");
    }
}

/// Counts the calls of each kind that flush data.
fn stores(peers: &Peers, who: Who, words: &str) -> BTreeMap<&'static str, usize> {
    let place = peers.folder.make_dir(&format!("{who:?}"));
    std::fs::write(place.join("f"), vec![7; 16384]).unwrap();
    std::fs::write(place.join("g"), vec![7; 16384]).unwrap();
    let plain = peers.command(&place, who, words);
    let mut traced = Command::new("strace");
    traced.args(["-f", "-o", "calls", "-e", "trace=fsync,fdatasync"]);
    traced.arg(plain.get_program()).args(plain.get_args()).current_dir(&place);
    for (name, value) in plain.get_envs() {
        traced.env(name, value.unwrap_or_default());
    }
    let ended = traced.output().unwrap();
    assert!(ended.status.success(), "{words}: {}", String::from_utf8_lossy(&ended.stderr));
    let calls = std::fs::read_to_string(place.join("calls")).unwrap();
    let count = |call: &str| calls.lines().filter(|line| line.contains(&format!(" {call}("))).count();
    ["fsync", "fdatasync"].into_iter().map(|call| (call, count(call))).collect()
}

#[test]
fn what_is_stored_at_the_end_is_stored_by_the_call_that_fio_makes() {
    if !has("strace") {
        return;
    }
    let Some(peers) = Peers::find() else { return };
    for words in [
        "--filename=f --rw=write --end_fsync=1",
        "--filename=f:g --rw=write --end_fsync=1 --ioengine=libaio",
        "--filename=f --rw=write --end_fsync=1 --fdatasync=3",
        "--filename=f --rw=read --end_fsync=1",
    ] {
        // Other flushes happen before the page cache is dropped, which is switched off here.
        let words = format!("--name=a --bs=4k --invalidate=0 {words}");
        assert_eq!(stores(&peers, Who::Real, &words), stores(&peers, Who::Command, &words), "{words}");
    }
}

/// `filename` lies in the first directory that is known when it is read, and a job's own files are named after its section.
#[test]
fn files_lie_where_the_real_fio_puts_them() {
    let Some(peers) = Peers::find() else { return };
    for (words, job) in [
        ("--directory=d --name=a --filename=x --size=4k --rw=write", ""),
        ("--name=a --filename=x --size=4k --rw=write --directory=d", ""),
        ("--filename=x --size=4k --rw=write --name=a --directory=d", ""),
        ("--directory=d:e --filename=x:y --size=8k --rw=write --name=a --numjobs=2", ""),
        ("--directory=d:e --size=4k --rw=write --name=a --numjobs=2", ""),
        ("--directory=d --filename=/x --size=4k --rw=write --name=a", ""),
        ("job", "[a]\nfilename=x\nsize=4k\nrw=write\ndirectory=d\n"),
        ("job", "[global]\nfilename=x\nsize=4k\nrw=write\n[a]\ndirectory=d\n"),
        ("job", "[global]\ndirectory=d\nsize=4k\nrw=write\n[a]\nname=b\n[c]\nfilename=x\n"),
    ] {
        let [real, ours] = [Who::Real, Who::Command].map(|who| {
            let place = peers.folder.make_dir(&format!("where-{who:?}"));
            let folders = ["d", "e"].map(|name| place.join(name));
            folders.iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
            std::fs::write(place.join("job"), job).unwrap();
            let ended = peers.run_in(&place, who, &format!("{words} --output=out"));
            let files = [&place, &folders[0], &folders[1]]
                .map(|folder| lengths(folder).into_keys().collect::<Vec<_>>());
            std::fs::remove_dir_all(&place).unwrap();
            (ended.code, files)
        });
        assert_eq!(real.0, Some(0), "{words} {job}");
        assert_eq!(real, ours, "{words} {job}");
    }
}
