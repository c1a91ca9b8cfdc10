//! Traces: ours replays them as the real fio does, and each tool replays what the other records.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;

/// Returns a trace of version 3 with these rows.
fn version_3(rows: &str) -> String {
    format!("fio version 3 iolog\n1 x add\n2 x open\n{rows}90 x close\n")
}

/// What a replay did.
#[derive(Debug, PartialEq)]
struct ReplayOutcome {
    code: Option<i32>,
    /// Error of each job, with its operations in each direction. The real fio does not number clones in the order of
    /// their start.
    jobs: Vec<(i64, [u64; 3])>,
    /// Direction, length and offset of each I/O of a job, in order.
    places: Vec<String>,
    /// Name and bytes of each file except the logs.
    files: Vec<(String, Vec<u8>)>,
}

/// Files that exist before: their names and lengths in blocks of 4 KiB.
type Before<'b> = &'b [(&'b str, usize)];

/// Names and contents of traces.
type Traces<'t> = &'t [(&'t str, &'t [u8])];

fn prepare(place: &Path, before: Before<'_>, traces: Traces<'_>) {
    let _ = fs::remove_dir_all(place);
    fs::create_dir_all(place).unwrap();
    for (name, blocks) in before {
        fs::write(place.join(name), vec![0x5a; blocks * 4096]).unwrap();
    }
    for (name, text) in traces {
        fs::write(place.join(name), text).unwrap();
    }
}

/// Returns the columns of a latency log that identify each I/O.
fn places(text: &str) -> String {
    let column = |line: &str| -> String {
        let columns: Vec<&str> = line.split(", ").collect();
        format!("{}:{}@{} ", columns[2], columns[3], columns[4])
    };
    text.lines().map(column).collect()
}

fn replay(peers: &Peers, who: Who, (words, before): (&str, Before<'_>), traces: Traces<'_>) -> ReplayOutcome {
    let place = peers.folder.make_dir(&format!("{who:?}"));
    prepare(&place, before, traces);
    let words = format!(
        "--name=a --output-format=json --write_lat_log=o --log_offset=1 --buffer_pattern=0xc3 {words}"
    );
    let ended = peers.run_in(&place, who, &words);
    let document: serde_json::Value =
        serde_json::from_str(&ended.out[ended.out.find('{').unwrap_or(0)..]).unwrap_or_default();
    let of = |job: &serde_json::Value| {
        let ways = ["read", "write", "trim"];
        (job["error"].as_i64().unwrap_or(0), ways.map(|way| job[way]["total_ios"].as_u64().unwrap_or(0)))
    };
    let mut jobs: Vec<_> =
        document["jobs"].as_array().map_or(Vec::new(), |jobs| jobs.iter().map(of).collect());
    jobs.sort();
    let mut names: Vec<String> = fs::read_dir(&place)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let log = |name: &&String| name.starts_with("o_lat.");
    let text = |name: &String| places(&fs::read_to_string(place.join(name)).unwrap());
    let mut places: Vec<String> = names.iter().filter(log).map(text).collect();
    // An empty log may exist or not.
    places.retain(|places| !places.is_empty());
    places.sort();
    let is_file = |name: &&String| !name.ends_with("log");
    let files = names
        .iter()
        .filter(is_file)
        .map(|name| (name.clone(), fs::read(place.join(name)).unwrap()))
        .collect();
    ReplayOutcome { code: ended.code, jobs, places, files }
}

impl ReplayOutcome {
    /// Returns what can be compared with the real fio: it counts an I/O that failed, and its log lacks I/Os at depths
    /// above one.
    fn comparable(self, words: &str) -> ReplayOutcome {
        let failed = self.code != Some(0);
        let places = if failed || words.contains("iodepth=4") { Vec::new() } else { self.places };
        let jobs = self.jobs.into_iter().map(|(error, ops)| (error, if failed { [0; 3] } else { ops }));
        ReplayOutcome { jobs: jobs.collect(), places, ..self }
    }
}

#[test]
fn a_trace_does_the_same_to_the_same_files_as_under_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    let mixed = "3 x read 0 4096\n4 x write 8192 8192\n9 x sync 0 0\n12 x read 12288 512\n13 x datasync 0 0\n\
                 14 x write 4096 512\n";
    let second = "fio version 2 iolog\ny add\ny open\nx add\nx open\ny write 0 4096\nx read 4096 4096\nx wait 120 0\n\
                  y sync 0 0\nx read 0 4096\ny close\nx close\n";
    let [mixed, beyond, back, scaled, new, reads] = [
        mixed,
        "3 x read 4096 4096\n4 x read 61440 8192\n5 x read 0 4096\n",
        "3 x read 0 4096\n50 x read 4096 4096\n20 x read 8192 4096\n60 x write 12288 1024\n",
        "3 x read 40000 4096\n4 x write 20000 4096\n5 x read 65535 1024\n",
        "3 x write 65536 4096\n4 x write 0 512\n5 x read 0 512\n",
        "3 x read 0 4096\n4 x read 8192 4096\n",
    ]
    .map(version_3);
    let doubled = format!("{mixed}{mixed}");
    let x: Before<'_> = &[("x", 16)];
    let rows: [(&str, &str, Before<'_>); 22] = [
        (&mixed, "", x),
        (&mixed, "--replay_no_stall=1", x),
        (&mixed, "--ioengine=libaio --iodepth=4 --replay_no_stall=1", x),
        (&mixed, "--ioengine=io_uring --iodepth=1", x),
        (&mixed, "--ioengine=null", x),
        (&mixed, "--replay_redirect=y", &[("x", 16), ("y", 16)]),
        (&mixed, "--replay_redirect=y", &[("x", 16)]),
        (&mixed, "--readonly", x),
        (&mixed, "--numjobs=2 --replay_no_stall=1", x),
        (&mixed, "--rw=randwrite --bs=512 --size=1m --filename=z --offset=4k", x),
        (&mixed, "--unlink=1", x),
        (&mixed, "--create_only=1", x),
        (&mixed, "--replay_time_scale=1000", x),
        (&doubled, "--replay_time_scale=50", x),
        (second, "", &[("x", 16), ("y", 16)]),
        (&beyond, "", x),
        (&back, "", x),
        (&scaled, "--replay_scale=3", x),
        (&scaled, "--replay_scale=2 --replay_align=512", x),
        (&new, "", &[]),
        (&reads, "", &[]),
        (&reads, "--loops=3", x),
    ];
    for (trace, words, before) in rows {
        let words = format!("--read_iolog=t.log {words}");
        let [real, ours] = [Who::Real, Who::Command]
            .map(|who| replay(&peers, who, (&words, before), &[("t.log", trace.as_bytes())]));
        assert_eq!(real.comparable(&words), ours.comparable(&words), "{words}\n{trace}");
    }
}

/// Returns records of the kernel's `struct blk_io_trace`, for a device that no machine has, from milliseconds,
/// sector, bytes and action.
fn blktrace(records: &[(u64, u64, u32, u32)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, (millis, sector, length, action)) in (0u32..).zip(records) {
        bytes.extend(0x6561_7407_u32.to_le_bytes());
        bytes.extend(number.to_le_bytes());
        bytes.extend((millis * 1_000_000).to_le_bytes());
        bytes.extend(sector.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes.extend(action.to_le_bytes());
        bytes.extend(1u32.to_le_bytes());
        bytes.extend((4000u32 << 20).to_le_bytes());
        bytes.extend([0; 8]);
    }
    bytes
}

#[test]
fn a_trace_of_the_kernel_does_the_same_as_under_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    let (queued, read, write, flush) = (1, 1 << 16, 1 << 17, 1 << 18);
    let trace = blktrace(&[
        (5, 8, 4096, read | queued),
        (6, 8, 4096, read | 7),
        (9, 16, 8192, write | queued),
        (12, 0, 0, write | flush | queued),
        (14, 41, 512, read | queued),
        (16, 3, 1536, write | queued),
    ]);
    for words in [
        "--replay_redirect=x",
        "--replay_redirect=x --replay_no_stall=1 --ioengine=libaio",
        "--replay_redirect=x --replay_scale=2",
        "--replay_redirect=x --replay_align=4096",
        "--replay_redirect=x --replay_scale=3 --replay_align=512 --replay_time_scale=200",
        "--replay_redirect=x --replay_skip=write",
        "--replay_redirect=x --replay_skip=read,sync",
        "--replay_redirect=y",
    ] {
        let words = format!("--read_iolog=t.log {words}");
        let [real, ours] = [Who::Real, Who::Command]
            .map(|who| replay(&peers, who, (&words, &[("x", 16)]), &[("t.log", &trace)]));
        assert_eq!(real.comparable(&words), ours.comparable(&words), "{words}");
    }
    // The real fio's log is unreadable when it reads the trace in pieces, so ours is compared with ours.
    let [whole, pieces] = ["", " --read_iolog_chunked=1"].map(|more| {
        let words = format!("--read_iolog=t.log --replay_redirect=x{more}");
        replay(&peers, Who::Command, (&words, &[("x", 16)]), &[("t.log", &trace)])
    });
    assert_eq!(whole, pieces);
    let unknown = replay(&peers, Who::Command, ("--read_iolog=t.log", &[]), &[("t.log", &trace)]);
    assert_eq!((unknown.code, unknown.files), (Some(1), Vec::new()), "no such device");
}

#[test]
fn clones_have_a_trace_each() {
    let Some(peers) = Peers::find() else { return };
    let (one, two) = (version_3("3 x read 0 4096\n"), version_3("3 x read 4096 512\n4 x read 0 512\n"));
    for clones in [1, 2, 3] {
        let words = format!("--read_iolog=1.log:2.log --numjobs={clones}");
        let traces = [("1.log", one.as_bytes()), ("2.log", two.as_bytes())];
        let [real, ours] =
            [Who::Real, Who::Command].map(|who| replay(&peers, who, (&words, &[("x", 16)]), &traces));
        assert_eq!(real, ours, "{words}");
    }
}

/// fio skips a row that it does not understand and replays the rest; ours says where the trace is wrong.
#[test]
fn a_bad_trace_is_refused_with_its_place_and_writes_nothing() {
    let peers = Peers::alone();
    let (good, mut rows) = (version_3("3 x write 0 4096\n"), Vec::new());
    let row = |text: &str, said: &str| (version_3(text), said.to_owned());
    rows.push(row("3 x wriet 0 4096\n", "t.log, line 4, column 5: 'wriet' is no action"));
    rows.push(row("3 x wriet 0 4096\n", "Did you mean write?"));
    rows.push(row("3 xx write 0 4096\n", "line 4, column 3: no row before this one adds the file 'xx'"));
    rows.push(row("3 x write -1 4096\n", "line 4, column 11: '-1' where an offset in bytes should stand"));
    rows.push(row("3 x write 0\n", "line 4, column 12: the row ends where a length should stand"));
    rows.push(row("3 x write 0 0\n", "line 4, column 13: a write of 0 bytes"));
    rows.push(row("3 x write 0 9999999999\n", "one I/O has at most 1073741824"));
    rows.push(row("now x write 0 4096\n", "line 4, column 1: 'now' where a time in microseconds"));
    rows.push(row("3 x write 0 4096 7\n", "column 18: '7' after the end of the row"));
    rows.push(row("3 x wait 9 0\n", "'wait' is a row of version 2"));
    rows.push((good.replace('3', "4"), "line 1, column 13: a trace of version 4".to_owned()));
    rows.push(("hello\n".to_owned(), "'hello' where a trace begins with".to_owned()));
    rows.push((String::new(), "nothing where a trace begins with".to_owned()));
    rows.push((version_3(""), "it has no read, write or trim".to_owned()));
    for (trace, said) in rows {
        let place = peers.folder.make_dir("bad");
        prepare(&place, &[("x", 1)], &[("t.log", trace.as_bytes())]);
        let ended = peers.run_in(&place, Who::Command, "--name=a --read_iolog=t.log");
        assert_eq!(ended.code, Some(1), "{trace}{}", ended.err);
        assert!(ended.err.contains(&said), "{trace}: {}", ended.err);
        assert_eq!(fs::read(place.join("x")).unwrap(), vec![0x5a; 4096], "{trace}");
    }
    let missing = peers.run(Who::Command, "--name=a --read_iolog=nothing.log");
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains("nothing.log: No such file"), "{}", missing.err);
}

/// Returns the rows of a trace without their times, and without what depends on when files are opened. The offset of
/// a flush is ignored, because the real fio writes that of the last write.
fn actions(text: &str) -> Vec<String> {
    let row = |line: &str| {
        let mut words: Vec<&str> = line.split(' ').skip(1).collect();
        if let [_, "sync" | "datasync", offset, _] = &mut words[..] {
            *offset = "0";
        }
        words.join(" ")
    };
    let is_io = |row: &String| row.split(' ').count() == 4 && !row.ends_with("iolog");
    text.lines().map(row).filter(is_io).collect()
}

#[test]
fn what_one_records_is_what_the_other_records_and_replays() {
    let Some(peers) = Peers::find() else { return };
    for words in [
        "--filename=x --size=64k --bs=4k --rw=write --fsync=5",
        "--filename=x:y --size=64k --bs=8k --rw=read",
        "--filename=x --size=64k --bs=4k --rw=write --fdatasync=3 --ioengine=libaio --iodepth=1",
        "--filename=x --size=64k --bs=4k --rw=write --ioengine=libaio --iodepth=8 --direct=1",
        "--filename=x --size=64k --bs=4k --rw=write --numjobs=2 --thread",
        "--filename=x --size=64k --bs=4k --rw=write --verify=crc32c",
        "--filename=x --size=64k --bs=4k --rw=write --end_fsync=1",
        "--filename=x:y --size=64k --bs=8k --rw=write --fsync_on_close=1",
    ] {
        let record = |who| {
            let place = peers.folder.make_dir(&format!("{who:?}"));
            prepare(&place, &[("x", 16), ("y", 16)], &[]);
            let ended = peers.run_in(&place, who, &format!("--name=a --write_iolog=w.log {words}"));
            assert_eq!(ended.code, Some(0), "{words}: {}", ended.err);
            fs::read_to_string(place.join("w.log")).unwrap()
        };
        let [real, ours] = [Who::Real, Who::Command].map(record);
        assert_eq!(actions(&real), actions(&ours), "{words}");
        for trace in [&real, &ours] {
            let [theirs, mine] = [Who::Real, Who::Command].map(|who| {
                let before: Before<'_> = &[("x", 16), ("y", 16)];
                replay(&peers, who, ("--read_iolog=w.log", before), &[("w.log", trace.as_bytes())])
            });
            assert_eq!(theirs, mine, "{words}\n{trace}");
            assert_eq!(mine.code, Some(0));
        }
    }
}

/// A trace is appended to a file that holds one; a file with any other content is left as it is.
#[test]
fn a_trace_is_written_over_nothing_that_is_none() {
    let peers = Peers::alone();
    let place = peers.folder.make_dir("kept");
    fs::write(place.join("letter"), "dear sir").unwrap();
    let words = |log: &str| format!("--name=a --filename=x --size=8k --rw=write --write_iolog={log}");
    let refused = peers.run_in(&place, Who::Command, &words("letter"));
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    assert!(refused.err.contains("letter is no trace"), "{}", refused.err);
    assert_eq!(fs::read_to_string(place.join("letter")).unwrap(), "dear sir");
    for times in 1..=2 {
        assert_eq!(peers.run_in(&place, Who::Command, &words("w.log")).code, Some(0));
        let text = fs::read_to_string(place.join("w.log")).unwrap();
        assert_eq!(text.matches("fio version 3 iolog").count(), times, "{text}");
    }
}
