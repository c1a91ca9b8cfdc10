//! fio's options on places, lengths, data, trims and verifying, run as a user would: amounts equal the real fio's,
//! data on the disk is as asked, damage is found and named, and blocks are really freed.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::collections::HashSet;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use crate::machine::*;
use kernel::guard::permit_named_file;
use kernel::lab::{LoopDevice, LoopOptions};
use serde_json::Value;

fn job(ended: &ProgramOutput) -> Value {
    // fio 3.x may print notes before its JSON.
    let text = &ended.out[ended.out.find('{').unwrap_or(0)..];
    serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{error}: {}{}", ended.out, ended.err))
        ["jobs"][0]
        .clone()
}

/// Returns I/Os and KiB by direction.
fn amounts(job: &Value) -> Vec<(String, u64, u64)> {
    let of = |direction: &str| {
        let part = &job[direction];
        (
            direction.to_owned(),
            part["total_ios"].as_u64().unwrap_or(0),
            part["io_kbytes"].as_u64().unwrap_or(0),
        )
    };
    ["read", "write", "trim"].into_iter().map(of).collect()
}

#[test]
fn amounts_are_those_of_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    for words in [
        "--rw=read:12k --size=8m",
        "--rw=read:-8k --size=8m",
        "--rw=write:512k --bs=1m --size=32m",
        "--rw=randread:8 --size=4m --norandommap",
        "--rw=randread --size=4m --random_distribution=zipf:1.2",
        "--rw=randread --size=4m --random_distribution=zoned:60/10:30/20:10/70",
        "--rw=randwrite --size=4m --ba=2k --bs=8k",
        "--rw=write --size=4m --nrfiles=4 --file_service_type=sequential",
        "--rw=write --filesize=1m --nrfiles=3 --size=3m",
        "--rw=randread --size=4m --io_size=10m",
        "--rw=read --size=4m --number_ios=100",
        "--rw=read --size=2m --loops=3",
        "--rw=write --size=1m --bs=96k --loops=7",
        "--rw=read --size=16m --zonemode=strided --zonesize=64k --zonerange=256k --zoneskip=256k --io_size=1m",
        "--rw=write --size=2m --buffer_compress_percentage=50 --dedupe_percentage=30",
        "--rw=randwrite --size=2m --verify=crc32c --do_verify=0",
    ] {
        let words = format!("--name=a --filename_format=f.$filenum --output-format=json {words}");
        let of = |who| amounts(&job(&peers.run(who, &words)));
        assert_eq!(of(Who::Command), of(Who::Real), "{words}");
    }
}

/// A job that goes backwards begins at the end of its region unless this is the start of the file.
#[test]
fn a_negative_skip_visits_the_blocks_that_the_real_fio_visits() {
    let Some(peers) = Peers::find() else { return };
    let file = peers.folder.make_file("backwards", 64);
    for words in
        ["", "--offset=4m --size=1m", "--offset=1m --size=4m", "--offset=1m --size=1m", "--offset=60m"]
    {
        let [real, ours] = [Who::Real, Who::Command].map(|who| {
            let place = peers.folder.make_dir("copy");
            let line = format!("--name=a --filename={} --rw=read:-8k {words} --number_ios=20", text(&file));
            let ended = peers.run_in(&place, who, &format!("{line} --write_bw_log=l --log_offset=1"));
            assert_eq!(ended.code, Some(0), "{words}: {}", ended.err);
            let rows = std::fs::read_to_string(place.join("l_bw.1.log")).unwrap();
            rows.lines().map(|row| row.split(", ").nth(4).unwrap().to_owned()).collect::<Vec<_>>()
        });
        assert_eq!(real, ours, "{words}");
    }
}

/// The share of blocks of a file that equal an earlier one.
fn duplicates(path: &Path) -> f64 {
    let data = std::fs::read(path).unwrap();
    let different = data.chunks(4096).collect::<HashSet<_>>().len() as f64;
    1.0 - different / (data.len() / 4096) as f64
}

#[test]
fn a_working_set_repeats_as_much_as_in_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    for percent in [5, 20, 30, 40] {
        let line =
            "--name=a --filename=f --rw=write --size=8m --dedupe_percentage=70 --dedupe_mode=working_set";
        let words = format!("{line} --dedupe_working_set_percentage={percent}");
        let [real, ours] = [Who::Real, Who::Command].map(|who| {
            let place = peers.folder.make_dir("copy");
            let code = peers.run_in(&place, who, &words).code;
            (code, if code == Some(0) { duplicates(&place.join("f")) } else { 0.0 })
        });
        assert_eq!(real.0, ours.0, "{percent} %");
        // Four standard deviations of 2048 draws.
        assert!((real.1 - ours.1).abs() < 0.04, "{percent} %: fio {}, ours {}", real.1, ours.1);
    }
}

/// Both draw from 1024 ranks of each file; which file is the likeliest is by chance in fio.
#[test]
fn files_are_chosen_as_unevenly_as_by_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    for (order, tolerance) in
        [("zipf:1.2", 0.06), ("pareto:0.2", 0.06), ("normal:20", 0.03), ("normal:5", 0.03)]
    {
        let words = format!(
            "--name=a --filename_format=f.$filenum --nrfiles=20 --filesize=4m --size=80m --io_size=8m --rw=write \
             --file_service_type={order} --write_iolog=l"
        );
        let [real, ours] = [Who::Real, Who::Command].map(|who| {
            let place = peers.folder.make_dir(&format!("{order}-{who:?}"));
            assert_eq!(peers.run_in(&place, who, &words).code, Some(0), "{words}");
            let rows = std::fs::read_to_string(place.join("l")).unwrap();
            let mut counts = std::collections::HashMap::new();
            let writes = rows.lines().filter(|row| row.contains(" write "));
            writes.for_each(|row| {
                *counts.entry(row.split(' ').find(|word| word.contains("f.")).unwrap()).or_insert(0) += 1
            });
            f64::from(counts.values().copied().max().unwrap()) / f64::from(counts.values().sum::<i32>())
        });
        assert!((real - ours).abs() < tolerance, "{order}: likeliest file {real} in fio, ours {ours}");
    }
}

/// `%o` is the place of the block, whatever the interval: each tool accepts what the other wrote.
#[test]
fn patterns_with_a_place_are_those_of_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    for proof in ["pattern", "crc32c", "meta", "md5"] {
        for (who, other) in
            [(Who::Real, Who::Command), (Who::Command, Who::Real), (Who::Command, Who::Command)]
        {
            let place = peers.folder.make_dir("copy");
            let run = |who, words: &str| {
                let line =
                    format!("--name=a --filename=f --size=1m --bs=8k --verify={proof} --verify_interval=2k");
                peers.run_in(&place, who, &format!("{line} --verify_pattern=0xcafe%o0x616263f4 {words}"))
            };
            assert_eq!(run(who, "--rw=write --do_verify=0").code, Some(0));
            let read = run(other, "--rw=read");
            assert_eq!(read.code, Some(0), "{proof}: {who:?}, then {other:?}: {}", read.err);
        }
    }
}

/// Shares of the lengths of I/Os, by length in bytes.
fn shares_of_lengths(folder: &Path) -> Vec<(u64, f64)> {
    let rows = std::fs::read_to_string(folder.join("l_bw.1.log")).unwrap();
    let lengths: Vec<u64> =
        rows.lines().map(|row| row.split(", ").nth(3).unwrap().parse().unwrap()).collect();
    let each: std::collections::BTreeSet<u64> = lengths.iter().copied().collect();
    let share = |one| lengths.iter().filter(|length| **length == one).count() as f64 / lengths.len() as f64;
    each.into_iter().map(|one| (one, share(one))).collect()
}

/// The end of a range is reached, also where it is no multiple of the start, and as often as by the real fio.
#[test]
fn lengths_of_a_range_are_drawn_as_the_real_fio_draws_them() {
    let Some(peers) = Peers::find() else { return };
    for (range, size) in [("4k-10k", "16m"), ("400k-500k", "256m"), ("3k-10k", "16m"), ("4k-64k", "64m")] {
        let words =
            format!("--name=a --ioengine=null --size={size} --rw=read --bsrange={range} --write_bw_log=l");
        let [real, ours] = [Who::Real, Who::Command].map(|who| {
            let place = peers.folder.make_dir("copy");
            assert_eq!(peers.run_in(&place, who, &words).code, Some(0), "{words}");
            shares_of_lengths(&place)
        });
        assert_eq!(real.len(), ours.len(), "{range}: fio {real:?}, ours {ours:?}");
        for ((length, real), (other, ours)) in real.iter().zip(&ours) {
            assert!(length == other && (real - ours).abs() < 0.06, "{range}: {length}: {real}, ours {ours}");
        }
    }
}

/// A random pass of several lengths leaves nothing of the file out, and shortens as many lengths as fio's does.
#[test]
fn a_random_pass_of_several_lengths_covers_the_file_as_the_real_fio_does() {
    let Some(peers) = Peers::find() else { return };
    for lengths in ["--bssplit=4k/50:16k/50", "--bsrange=4k-16k", "--bsrange=512-4k"] {
        let words = format!("--name=a --filename=f --size=4m --rw=randwrite {lengths} --write_bw_log=l");
        let [real, ours] = [Who::Real, Who::Command].map(|who| {
            let place = peers.folder.make_dir("copy");
            assert_eq!(peers.run_in(&place, who, &words).code, Some(0), "{words}");
            let written = std::fs::read(place.join("f")).unwrap();
            let left_out = written.chunks(512).filter(|sector| sector.iter().all(|byte| *byte == 0)).count();
            assert_eq!((written.len(), left_out), (4 << 20, 0), "{who:?}: {words}");
            shares_of_lengths(&place)
        });
        for ((length, real), (other, ours)) in real.iter().zip(&ours) {
            assert!(length == other && (real - ours).abs() < 0.1, "{lengths}: {length}: {real}, ours {ours}");
        }
    }
}

/// An alignment of places says nothing of what is done in order: the same blocks are verified with and without it.
#[test]
fn blocks_that_were_written_in_order_are_verified_whatever_the_alignment() {
    let Some(peers) = Peers::find() else { return };
    for (who, other) in [(Who::Real, Who::Command), (Who::Command, Who::Real), (Who::Command, Who::Command)] {
        let place = peers.folder.make_dir("copy");
        let run = |who, words: &str| {
            let line = "--name=a --filename=f --size=64k --bs=4k --verify=crc32c";
            peers.run_in(&place, who, &format!("{line} {words}"))
        };
        assert_eq!(run(who, "--rw=write --do_verify=0 --blockalign=512").code, Some(0));
        let read = run(other, "--rw=read");
        assert_eq!(read.code, Some(0), "{who:?}, then {other:?}: {}", read.err);
    }
}

/// fio before 3.34 cuts a pattern file to 512 bytes, for writing and for checking.
#[test]
fn a_long_pattern_file_is_written_and_checked_to_its_end() {
    let peers = Peers::alone();
    let pattern: Vec<u8> = (0..3000u32).map(|at| (at * 7 % 251) as u8).collect();
    let place = peers.folder.make_dir("pattern");
    std::fs::write(place.join("pattern"), &pattern).unwrap();
    let run = |words: &str| {
        let line = "--name=a --filename=f --size=64k --bs=8k --rw=write";
        peers.run_in(&place, Who::Command, &format!("{line} {words}"))
    };
    let wanted: Vec<u8> = pattern.iter().copied().cycle().take(8192).collect();
    for words in ["--buffer_pattern='pattern'", "--verify=pattern --verify_pattern='pattern'"] {
        let ended = run(words);
        assert_eq!(ended.code, Some(0), "{words}: {}", ended.err);
        let data = std::fs::read(place.join("f")).unwrap();
        assert!(data.chunks(8192).all(|block| block == wanted), "{words}");
    }
    let file = std::fs::OpenOptions::new().write(true).open(place.join("f")).unwrap();
    file.write_all_at(&[wanted[2900] ^ 1], 2900).unwrap();
    let found = run("--verify=pattern --verify_pattern='pattern' --verify_only");
    assert_eq!(found.code, Some(1), "the damage lies beyond the first 512 bytes: {}", found.err);
}

#[test]
fn what_is_shared_out_over_lengths_fills_the_amount() {
    let peers = Peers::alone();
    let done = |words: &str| -> (u64, u64) {
        let words = format!("--name=a --filename=f --output-format=json {words}");
        let done = amounts(&job(&peers.run(Who::Command, &words)));
        (done.iter().map(|(_, ios, _)| ios).sum(), done.iter().map(|(.., kib)| kib).sum())
    };
    let (total, kib) = done("--size=64m --rw=randrw --norandommap --bssplit=4k/10:64k/50:32k/40");
    // The mean length is 45.2 KiB; its standard deviation of 20 KiB allows 2 % over 1,450 draws.
    assert!((1_450.0 - total as f64).abs() < 60.0 && kib == 65_536, "{total} I/Os, {kib} KiB");
    for (words, kib) in [
        ("--rw=write --bssplit=1M/90:4k/10 --size=16M", 16_384),
        ("--rw=write --bssplit=1M/90:4k/10 --size=64M --io_size=10M", 10_240),
        ("--rw=rw --bsrange=4k-256k --size=12m", 12_288),
        ("--rw=randread:4 --bssplit=4k/60:1M/40 --size=8M", 8_192),
    ] {
        assert!((1..4).all(|seed| done(&format!("{words} --randseed={seed}")).1 == kib), "{words}");
    }
}

#[test]
fn the_data_on_the_disk_is_what_was_asked_for() {
    let peers = Peers::alone();
    let place = peers.folder.make_dir("data");
    let written = |words: &str| {
        let words = format!("--name=a --filename=f --size=1m --rw=write --output=out {words}");
        assert_eq!(peers.run_in(&place, Who::Command, &words).code, Some(0));
        std::fs::read(place.join("f")).unwrap()
    };
    let pattern = written("--buffer_pattern=0xdeadbeef");
    assert!(pattern.chunks(4).all(|piece| piece == [0xde, 0xad, 0xbe, 0xef]));
    assert!(written("--zero_buffers").iter().all(|&byte| byte == 0));
    let half = written("--buffer_compress_percentage=50");
    assert!(half.chunks(512).all(|chunk| chunk[256..].iter().all(|&byte| byte == 0)));
    let distinct = |data: &[u8]| data.chunks(4096).map(<[u8]>::to_vec).collect::<HashSet<_>>().len();
    assert_eq!(distinct(&written("--refill_buffers")), 256);
    let duplicates = 256 - distinct(&written("--dedupe_percentage=50"));
    assert!((96..=160).contains(&duplicates), "{duplicates} of 256 blocks equal another");
}

/// Flips one bit of the byte at `at`.
fn damage(path: &Path, at: u64) {
    let file = std::fs::File::options().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 1], at).unwrap();
}

#[test]
fn a_flipped_bit_is_named_and_the_exit_code_is_1_also_where_errors_are_passed_over() {
    let peers = Peers::alone();
    let place = peers.folder.make_dir("verified");
    let run = |words: &str| {
        let words = format!(
            "--name=check --filename=f --size=4m --rw=randwrite --verify=crc32c --ioengine=libaio --iodepth=8 {words}"
        );
        peers.run_in(&place, Who::Command, &words)
    };
    assert_eq!(run("").code, Some(0), "{}", run("").err);
    assert_eq!(run("--verify_only").code, Some(0));
    damage(&place.join("f"), 123_456);
    for words in ["--verify_only", "--verify_only --verify_fatal=1"] {
        let ended = run(words);
        assert_eq!(ended.code, Some(1), "{words}: {}", ended.out);
        let said = ended.complained();
        assert!(said.contains("corrupted") && said.contains("offset 122880"), "{said}");
        assert!(ended.out.contains("err=84"), "{}", ended.out);
    }
    // An independent reader of what an earlier run wrote finds it too.
    let reader = peers.run_in(&place, Who::Command, "--name=read --filename=f --rw=read --verify=crc32c");
    assert_eq!(reader.code, Some(1), "{}", reader.out);
}

/// Two blocks of sixteen are damaged. The real fio counts a wrong block as read, stops at the first, and passes over
/// both if asked to.
#[test]
fn reading_stops_at_the_first_wrong_block_as_in_the_real_fio_unless_failed_checks_are_passed_over() {
    let Some(peers) = Peers::find() else { return };
    for who in [Who::Command, Who::Real] {
        let place = peers.folder.make_dir(if who == Who::Real { "real" } else { "ours" });
        let run = |words: &str| {
            let words = format!("--name=a --filename=f --size=64k --bs=4k --verify=crc32c {words}");
            peers.run_in(&place, who, &words)
        };
        assert_eq!(run("--rw=write").code, Some(0));
        [8200, 40964].iter().for_each(|&at| damage(&place.join("f"), at));
        for (words, reads, errors, pids) in [
            ("--rw=read", 3, None, 1),
            ("--rw=read --continue_on_error=read", 3, None, 1),
            ("--rw=read --continue_on_error=verify", 16, Some(2), 0),
        ] {
            let counted = job(&run(&format!("{words} --output-format=json")));
            assert_eq!(amounts(&counted)[0], ("read".to_owned(), reads, 4 * reads), "{who:?} {words}");
            let ended = run(words);
            if errors.is_some() {
                assert_eq!(counted["total_err"].as_u64(), errors, "{words}");
                assert!(ended.out.contains("errors    : total=2, first_error=84/<"), "{}", ended.out);
            }
            assert_eq!(ended.out.matches("fio: pid=").count(), pids, "{words}: {}", ended.out);
            assert!(!ended.err.contains("io_u error"), "{words}: {}", ended.err);
        }
    }
}

#[test]
fn a_character_device_is_refused_with_its_true_kind() {
    let ended = Peers::alone().run(Who::Command, "--name=a --filename=/dev/null --rw=write --size=64k");
    assert_eq!(ended.code, Some(1));
    let said = ended.complained();
    assert!(said.contains("error=Block device required") && !said.contains("directory"), "{said}");
    assert!(said.contains("/dev/null is a character device") && said.contains("ioengine=null"), "{said}");
}

#[test]
fn patterns_are_checked_byte_by_byte() {
    let peers = Peers::alone();
    let place = peers.folder.make_dir("patterned");
    let run = |words: &str| {
        let words =
            format!("--name=check --filename=f --size=1m --verify=pattern --verify_pattern=0xcafe%o {words}");
        peers.run_in(&place, Who::Command, &words)
    };
    assert_eq!(run("--rw=write").code, Some(0));
    let bytes = std::fs::read(place.join("f")).unwrap();
    assert_eq!(bytes[8192..8202], [0xca, 0xfe, 0, 0x20, 0, 0, 0, 0, 0, 0], "the place stands behind 0xcafe");
    assert_eq!(run("--rw=read").code, Some(0));
    damage(&place.join("f"), 300_000);
    let ended = run("--rw=randread");
    assert_eq!(ended.code, Some(1));
    assert!(ended.complained().contains("byte 300000 is"), "{}", ended.err);
}

#[test]
fn trims_give_blocks_back() {
    let peers = Peers::alone();
    let place = peers.folder.make_dir("trimmed");
    let ended = peers.run_in(
        &place,
        Who::Command,
        "--name=t --filename=f --size=8m --io_size=4m --rw=randtrim --bs=64k --output-format=json",
    );
    assert_eq!(amounts(&job(&ended))[2], ("trim".to_owned(), 64, 4096), "{}", ended.err);
    let left = std::fs::metadata(place.join("f")).unwrap().blocks() * 512;
    assert!(left <= (4 << 20) + 65_536, "{left} bytes of 8 MiB are left");
    if !is_root() {
        return skipped(Lack::Root, "a loop device needs root");
    }
    let image = peers.folder.make_file("image", 16);
    let options = LoopOptions { direct: kernel::Direct::No, size_limit: None, block_size: None };
    let device = match LoopDevice::attach(&permit_named_file(&image).unwrap(), options) {
        Ok(device) => device,
        Err(error) => return skipped(Lack::Kernel, error),
    };
    let allocated = || std::fs::metadata(&image).unwrap().blocks() * 512;
    let full = allocated();
    let words = format!("--name=t --filename={} --rw=trim --bs=1m --size=8m", text(device.path()));
    let ended = peers.run_in(&place, Who::Command, &words);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(allocated() + (8 << 20) <= full + 65_536, "{} of {full} bytes are left", allocated());
}

#[test]
fn files_can_be_laid_out_alone() {
    let peers = Peers::alone();
    let place = peers.folder.make_dir("only");
    let ended = peers.run_in(
        &place,
        Who::Command,
        "--name=a --filename=f:g --size=4m --rw=read --create_only=1 --output-format=json",
    );
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let [f, g] = ["f", "g"].map(|name| std::fs::read(place.join(name)).unwrap());
    assert_eq!((f.len(), g.len()), (2 << 20, 2 << 20));
    assert!(f != g, "what looks for duplicates would store both files once");
    assert_eq!(amounts(&job(&ended))[0].1, 0, "nothing was read");
}

const MIB: usize = 1 << 20;

/// What a run left of a file that held 1 MiB, or was missing.
#[derive(Debug, PartialEq)]
struct FileOutcome {
    code: Option<i32>,
    length: Option<usize>,
    /// Blocks of 4 KiB in the first MiB whose data differs from before.
    changed: Vec<usize>,
    /// I/Os and KiB of each clone, sorted, because fio numbers clones from the last.
    done: Vec<Vec<(String, u64, u64)>>,
}

fn left(peers: &Peers, who: Who, (before, words): (Option<&[u8]>, &str)) -> (FileOutcome, ProgramOutput) {
    let place = peers.folder.make_dir(&format!("left-{who:?}"));
    let path = place.join("f");
    let _ = std::fs::remove_file(&path);
    if let Some(bytes) = before {
        std::fs::write(&path, bytes).unwrap();
    }
    let words = format!("--name=a --filename=f --bs=4k {words} --output-format=json --output=out");
    let ended = peers.run_in(&place, who, &words);
    let after = std::fs::read(&path).ok();
    let blocks =
        |bytes: Option<&[u8]>| bytes.unwrap_or_default().chunks(4096).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (old, new) = (blocks(before), blocks(after.as_deref()));
    let changed = (0..old.len().min(new.len())).filter(|&at| old[at] != new[at]).collect();
    let out = std::fs::read_to_string(place.join("out")).unwrap();
    let document: Value = serde_json::from_str(&out[out.find('{').unwrap()..]).unwrap();
    let mut done: Vec<_> = document["jobs"].as_array().unwrap().iter().map(amounts).collect();
    done.sort();
    (FileOutcome { code: ended.code, length: after.map(|bytes| bytes.len()), changed, done }, ended)
}

fn some_data() -> Vec<u8> {
    (0..MIB as u32 / 4).flat_map(|at| at.wrapping_mul(0x9E37_79B9).to_le_bytes()).collect()
}

#[test]
fn filesize_and_offset_bound_every_byte_as_in_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    let data = some_data();
    for words in [
        "--filesize=1m --size=512k --offset=512k --rw=randread",
        "--filesize=512k --size=2m --rw=read",
        "--filesize=512k --size=64k --offset=480k --rw=read",
        "--filesize=512k --offset=128k --rw=randread --io_size=2m",
        "--filesize=512k --offset=128k --rw=randread --io_size=50%",
        "--filesize=512k --offset=128k --rw=read --number_ios=1000",
        "--filesize=512k --offset=128k --rw=read --loops=3",
        "--filesize=512k --offset=10% --size=10% --rw=randread",
        "--filesize=512k --offset=10% --size=10% --rw=write",
        "--filesize=1m --size=512k --offset=256k --rw=write",
        "--filesize=512k --size=1m --offset=256k --rw=write",
        "--filesize=512k --size=1m --offset=256k --rw=randwrite --io_size=4m",
        "--filesize=1m --rw=read --numjobs=4 --offset_increment=256k",
        "--filesize=1m --size=512k --rw=read --numjobs=4 --offset_increment=256k",
        "--filesize=1m --rw=read --numjobs=4 --offset_increment=25%",
        "--filesize=768k --rw=write --numjobs=3 --offset_increment=256k",
        "--rw=read --numjobs=4 --offset_increment=25%",
        "--size=50% --offset=75% --rw=read",
        "--size=0 --rw=read",
    ] {
        let of = |who| left(&peers, who, (Some(&data), words)).0;
        let ours = of(Who::Command);
        assert_eq!(ours, of(Who::Real), "{words}");
        assert_eq!(ours.code, Some(0), "{words}");
    }
    for words in [
        "--filesize=1m --size=512k --offset=256k --rw=write",
        "--filesize=2m --size=1m --offset=1536k --rw=write",
        "--filesize=1m --offset=512k --rw=read",
    ] {
        let of = |who| left(&peers, who, (None, words)).0;
        assert_eq!(of(Who::Command), of(Who::Real), "a missing file: {words}");
    }
    let data: &[u8] = &data;
    let (ours, _) = left(
        &peers,
        Who::Command,
        (Some(data), "--filesize=512k --offset=128k --rw=read --time_based --runtime=1"),
    );
    assert_eq!((ours.code, ours.length, ours.changed.len()), (Some(0), Some(MIB), 0));
    // fio does nothing at all here, and calls it a success.
    let (ours, _) = left(&peers, Who::Command, (Some(data), "--filesize=1m --offset=2m --rw=write"));
    assert_eq!((ours.code, ours.length, ours.changed.len()), (Some(1), Some(MIB), 0));
}

/// On a device, a job ends only by what it asked for.
#[test]
fn a_device_is_written_up_to_filesize_and_no_byte_behind_it() {
    let peers = Peers::alone();
    let Some(disk) = Disk::of(&peers.folder, 64, Through::Cache) else { return };
    let place = peers.folder.make_dir("device");
    let marks = |disk: &Disk| {
        let bytes = std::fs::read(disk.path()).unwrap();
        bytes.chunks(8 * MIB).map(|part| part.iter().any(|&byte| byte != 0)).collect::<Vec<_>>()
    };
    let fixed = format!("--name=a --filename={} --rw=write --bs=1m --output-format=json", disk.node());
    let ended = peers.run_in(&place, Who::Command, &format!("{fixed} --filesize=32m --offset=16m"));
    assert_eq!(amounts(&job(&ended))[1].2, 16 << 10, "{}", ended.err);
    assert_eq!(marks(&disk), [false, false, true, true, false, false, false, false]);
    let words = format!("{fixed} --filesize=32m --numjobs=4 --offset_increment=8m");
    let ended = peers.run_in(&place, Who::Command, &words);
    let document: Value = ended.json();
    let written: Vec<u64> =
        document["jobs"].as_array().unwrap().iter().map(|job| amounts(job)[1].2 >> 10).collect();
    assert_eq!(written, [32, 24, 16, 8]);
    assert_eq!(marks(&disk), [true, true, true, true, false, false, false, false]);
}

#[test]
fn under_readonly_nothing_is_made_or_extended_as_in_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    let data = some_data();
    for (before, rw) in [(Some(&data[..]), "randread"), (Some(&data[..]), "read"), (None, "read")] {
        for who in [Who::Real, Who::Command] {
            for more in ["", "--fio-exact"].iter().filter(|more| more.is_empty() || who == Who::Command) {
                let words = format!("--readonly --rw={rw} --size=4m {more}");
                let (left, ended) = left(&peers, who, (before, &words));
                assert_eq!((left.code, left.length), (Some(1), before.map(<[u8]>::len)), "{who:?} {words}");
                assert!(left.changed.is_empty(), "{who:?} {words}");
                assert!(ended.err.contains("fio: refusing extend of file due to read-only"), "{}", ended.err);
            }
        }
    }
    let fits = |who| left(&peers, who, (Some(&data), "--readonly --rw=read --size=1m")).0;
    assert_eq!(fits(Who::Command), fits(Who::Real));
}

#[test]
fn a_job_that_only_reads_keeps_a_file_that_is_too_short_unless_fio_exact_is_given() {
    let peers = Peers::alone();
    let data = some_data();
    for words in [
        "--rw=read --size=2m",
        "--rw=randread --filesize=2m",
        "--rw=read --size=1m --offset=512k",
        "--rw=write --verify=md5 --verify_only --size=2m",
    ] {
        let (left, ended) = left(&peers, Who::Command, (Some(&data), words));
        assert_eq!((left.code, left.length, left.changed.len()), (Some(1), Some(MIB), 0), "{words}");
        for way in ["give a size", "(rm f)", "--fio-exact"] {
            assert!(ended.complained().contains(way), "{words}: {}", ended.err);
        }
    }
    let empty = left(&peers, Who::Command, (Some(&[]), "--rw=read --size=1m")).0;
    assert_eq!((empty.code, empty.length), (Some(1), Some(0)));
    let exact = left(&peers, Who::Command, (Some(&data), "--rw=read --size=2m --fio-exact")).0;
    assert_eq!((exact.code, exact.length, exact.changed.len()), (Some(0), Some(2 * MIB), MIB / 4096));
}

#[test]
fn a_file_that_was_laid_out_here_is_laid_out_anew_as_long_as_nobody_has_changed_it() {
    let peers = Peers::alone();
    let place = peers.folder.make_dir("marked");
    let path = place.join("f");
    let read = |size: &str| {
        peers.run_in(&place, Who::Command, &format!("--name=a --filename=f --rw=read --size={size}"))
    };
    let length = || std::fs::metadata(&path).unwrap().len() >> 20;
    assert_eq!((read("1m").code, length()), (Some(0), 1));
    let ended = read("2m");
    if ended.code == Some(1) {
        return skipped(Lack::Kernel, format!("no extended attributes here: {}", ended.err));
    }
    assert_eq!((ended.code, length()), (Some(0), 2));
    // The same length as before, and the attribute is kept, because cp leaves it when it overwrites a file.
    std::fs::write(place.join("mine"), [some_data(), some_data()].concat()).unwrap();
    assert!(run(&["cp", &text(&place.join("mine")), &text(&path)]));
    let mine = std::fs::read(&path).unwrap();
    let ended = read("3m");
    assert_eq!(ended.code, Some(1), "{}", ended.out);
    assert!(std::fs::read(&path).unwrap() == mine, "data that was written later is gone");
    assert_eq!(read("2m").code, Some(0));
    std::fs::remove_file(&path).unwrap();
    assert_eq!((read("3m").code, length()), (Some(0), 3));
}
