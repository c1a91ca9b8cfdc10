//! Traces as they are read: times, files, what options do to them, and their errors.

use std::io::{BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use fio::{FioError, FioRequest, Trace, TraceInput, TraceWorld, read_traces, steps};
use workload::{Access, Direction, FlushBy, Nanos, Pace, Replay, TraceRows, TracedIo, Unpacker};

use crate::vocabulary::{asked, disk};

const MICROSECOND: u64 = 1000;

/// Traces on the disk of these tests.
fn text_of(path: &str) -> Option<Vec<u8>> {
    let third = |rows: &str| format!("fio version 3 iolog\n{rows}").into_bytes();
    Some(match path {
        "plain" => {
            third("10 x add\n12 x open\n20 x read 0 4096\n1020 y add\n2020 y write 512 512\n3000 x close\n")
        }
        "backwards" => third("5 x add\n10 x read 0 512\n4 x read 0 512\n9 x read 0 512\n"),
        "second" => {
            b"fio version 2 iolog\nx add\nx read 0 512\nx wait 7 0\nx trim 0 512\nx wait 3 0\nx sync 0 0\n"
                .to_vec()
        }
        "clones" => [third("0 x add\n1 x read 0 512\n"), third("0 x add\n2 x read 512 512\n")].concat(),
        "crlf" => b"fio version 3 iolog\r\n1 x add\r\n\r\n2 x read 1 2\r\n".to_vec(),
        "flushes" => third("0 x add\n1 x write 0 512\n2 x datasync 0 0\n3 x sync_file_range 0 0\n"),
        "long-trim" => third("0 x add\n1 x trim 4096 2147483648\n2 x trim 0 10737418240\n3 x read 0 4096\n"),
        "device" => blktrace(&[(5, 8, 4096, 0, 0x1_0001)]),
        "long" => {
            let rows: String = (0..40_000).map(|at| format!("{at} x write {} 4096\n", at * 4096)).collect();
            third(&format!("0 x add\n{rows}"))
        }
        _ => return None,
    })
}

fn open(path: &Path) -> std::io::Result<TraceInput> {
    let bytes = path.to_str().and_then(text_of).ok_or(std::io::ErrorKind::NotFound)?;
    // Pieces of a few bytes, as a pipe gives them.
    Ok(Box::new(BufReader::with_capacity(7, Cursor::new(bytes).chain(std::io::empty()))))
}

fn device(major: u32, minor: u32) -> Option<PathBuf> {
    ((major, minor) == (259, 3)).then(|| PathBuf::from("/dev/nvme0n1"))
}

/// Records of `struct blk_io_trace` on device 259:3: microseconds, sector, bytes, length of the appended data and action.
fn blktrace(records: &[(u64, u64, u32, u32, u32)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, (micros, sector, length, appended, action)) in (0u32..).zip(records) {
        bytes.extend(0x6561_7407_u32.to_le_bytes());
        bytes.extend(number.to_le_bytes());
        bytes.extend((micros * 1000).to_le_bytes());
        bytes.extend(sector.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes.extend(action.to_le_bytes());
        bytes.extend(77u32.to_le_bytes());
        bytes.extend((259u32 << 20 | 3).to_le_bytes());
        bytes.extend([0; 6]);
        bytes.extend((*appended as u16).to_le_bytes());
        bytes.extend(vec![0xff; *appended as usize]);
    }
    bytes
}

fn loaded(words: &str) -> FioRequest {
    let mut asked = asked(words);
    read_traces(&mut asked, TraceWorld { open, device });
    asked
}

fn trace(words: &str) -> Trace {
    let asked = loaded(words);
    let read = asked.jobs[0].trace.as_deref().unwrap_or_else(|| panic!("{words}: no trace is read"));
    read.clone().unwrap_or_else(|error| panic!("{words}: {error}"))
}

fn ios(replay: &Replay) -> Vec<TracedIo> {
    let mut unpacker = Unpacker::default();
    match &replay.rows {
        TraceRows::Held(packed) => std::iter::from_fn(|| unpacker.next(packed)).collect(),
        TraceRows::Read(pieces) => {
            let mut found = Vec::new();
            for piece in pieces.read() {
                let piece = piece.unwrap();
                unpacker.turn_over();
                found.extend(std::iter::from_fn(|| unpacker.next(&piece)));
            }
            found
        }
    }
}

/// Each I/O as microseconds, direction, file, offset and length.
fn rows(words: &str) -> Vec<(u64, Direction, u32, u64, u32)> {
    let replay = trace(&format!("fio --name=a {words}")).replay;
    ios(&replay).iter().map(|io| (io.at.0 / MICROSECOND, io.kind, io.file, io.offset, io.bytes)).collect()
}

use Direction::{Flush, Read as Reads, Trim, Write};

#[test]
fn times_count_from_the_first_row_and_never_go_back() {
    assert_eq!(rows("--read_iolog=plain"), [(10, Reads, 0, 0, 4096), (2010, Write, 1, 512, 512)]);
    assert_eq!(trace("fio --name=a --read_iolog=plain").replay.length, Nanos::from_micros(2990));
    // A time earlier than the one before starts over, without a pause.
    let at: Vec<u64> = rows("--read_iolog=backwards").iter().map(|row| row.0).collect();
    assert_eq!(at, [5, 5, 10]);
    let at: Vec<u64> = rows("--read_iolog=clones").iter().map(|row| row.0).collect();
    assert_eq!(at, [1, 3], "the clock of the second clone begins again");
    assert_eq!(rows("--read_iolog=crlf"), [(1, Reads, 0, 1, 2)]);
}

/// A trim needs no buffer, so that the length of a row has no limit: each I/O has at most 1 GiB.
#[test]
fn a_long_trim_is_several_ios_without_a_gap() {
    let rows = rows("--read_iolog=long-trim");
    assert_eq!(rows[..2], [(1, Trim, 0, 4096, 1 << 30), (1, Trim, 0, 4096 + (1 << 30), 1 << 30)]);
    let (long, rest) = rows[2..].split_at(10);
    assert!(long.iter().all(|row| (row.0, row.1) == (2, Trim)), "{long:?}");
    let end = long.iter().fold(0, |end, row| {
        assert_eq!(row.3, end, "without a gap");
        end + u64::from(row.4)
    });
    assert_eq!((end, rest), (10 << 30, &[(3, Reads, 0, 0, 4096)][..]));
}

#[test]
fn rows_of_version_2_wait_until_a_time_since_the_begin() {
    assert_eq!(
        rows("--read_iolog=second"),
        [(0, Reads, 0, 0, 512), (7000, Trim, 0, 0, 512), (7000, Flush, 0, 0, 0)]
    );
}

#[test]
fn options_move_places_and_times() {
    let plain = |words: &str| rows(&format!("--read_iolog=plain {words}"));
    assert_eq!(plain("--replay_time_scale=50")[1].0, 4020);
    assert_eq!(plain("--replay_time_scale=200")[1].0, 1005);
    assert_eq!(plain("--replay_scale=3")[1].3, 170);
    assert_eq!(plain("--replay_scale=0")[1].3, 512);
    assert_eq!(plain("--replay_scale=3 --replay_align=128")[1].3, 128);
    assert_eq!(plain("--replay_skip=read"), [(2010, Write, 1, 512, 512)]);
    assert_eq!(plain("--replay_redirect=z")[1].2, 0);
    assert_eq!(trace("fio --name=a --read_iolog=plain --replay_redirect=z").files, [PathBuf::from("z")]);
    assert_eq!(plain("--readonly").len(), 1);
}

#[test]
fn what_is_known_before_the_run_is_what_the_rows_do() {
    let Trace { replay, files, flush } = trace("fio --name=a --read_iolog=plain");
    assert_eq!((replay.ios, replay.longest.0, replay.changed), ([1, 1, 0, 0], 4096, vec![false, true]));
    assert_eq!((files, flush), (vec![PathBuf::from("x"), PathBuf::from("y")], FlushBy::Data));
    let second = trace("fio --name=a --read_iolog=second");
    assert_eq!((second.replay.ios, second.flush), ([1, 0, 1, 1], FlushBy::File));
    assert!(
        trace("fio --name=a --read_iolog=plain --readonly").replay.changed.iter().all(|changed| !changed)
    );
    assert_eq!(trace("fio --name=a --read_iolog=flushes").replay.ios, [0, 1, 0, 1]);
}

#[test]
fn a_trace_in_pieces_is_the_same_as_one_that_is_held() {
    let held = trace("fio --name=a --read_iolog=long").replay;
    let read = trace("fio --name=a --read_iolog=long --read_iolog_chunked=1").replay;
    let TraceRows::Read(pieces) = &read.rows else { panic!("it is held") };
    assert!(pieces.read().count() > 1);
    assert_eq!(ios(&held), ios(&read));
    assert_eq!((held.ios, held.length, held.longest), (read.ios, read.length, read.longest));
}

/// Only queued requests count, and the middle bits of the action say what they are: source, the kernel's header.
#[test]
fn a_trace_of_the_kernel_is_its_queued_requests() {
    let (read, write, flush, discard, notify) = (1 << 16, 1 << 17, 1 << 18, 1 << 29, 1 << 26);
    let bytes = blktrace(&[
        (0, 0, 16, 9, notify | 1),
        (5, 8, 4096, 0, read | 1),
        (6, 8, 4096, 0, read | 7),
        (15, 16, 512, 3, write | 1),
        (16, 0, 0, 0, write | flush | 1),
        (17, 24, u32::MAX - 511, 0, write | discard | 1),
    ]);
    let mut big = bytes.clone();
    for record in [0, 57] {
        // The first two records of a machine with the other byte order.
        for (at, length) in
            [(0, 4), (4, 4), (8, 8), (16, 8), (24, 4), (28, 4), (32, 4), (36, 4), (40, 4), (44, 2), (46, 2)]
        {
            big[record + at..record + at + length].reverse();
        }
    }
    let read_all = |bytes: &[u8]| {
        let mut reader = fio::TraceReader::open(BufReader::with_capacity(5, bytes)).unwrap();
        let mut found = Vec::new();
        while let Some(event) = reader.event().unwrap() {
            found.push((event.at.0 / MICROSECOND, event.io.map(|io| (io.action, io.offset, io.bytes))));
        }
        found
    };
    use fio::Action;
    let gib = 1 << 30;
    let expected = [
        (0, Some((Action::Read, 4096, 4096))),
        (10, Some((Action::Write, 8192, 512))),
        (11, Some((Action::Sync, 0, 0))),
        (12, Some((Action::Trim, 12_288, gib))),
        (12, Some((Action::Trim, 12_288 + u64::from(gib), gib))),
        (12, Some((Action::Trim, 12_288 + 2 * u64::from(gib), gib))),
        (12, Some((Action::Trim, 12_288 + 3 * u64::from(gib), gib - 512))),
    ];
    assert_eq!(read_all(&bytes), expected);
    assert_eq!(read_all(&big[..105]), expected[..1]);
    let device = trace("fio --name=a --read_iolog=device");
    assert_eq!(device.files, [PathBuf::from("/dev/nvme0n1")]);
}

#[test]
fn a_binary_trace_that_is_cut_or_damaged_is_an_error_with_its_place() {
    let whole = blktrace(&[(5, 8, 4096, 0, 0x1_0001), (6, 8, 4096, 4, 0x1_0001)]);
    let error = |bytes: &[u8]| {
        let mut reader = fio::TraceReader::open(bytes).unwrap();
        loop {
            match reader.event() {
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(fault) => return Some((fault.at, fault.problem)),
            }
        }
    };
    assert_eq!(error(&whole), None);
    for cut in [49, 95, 97, 99] {
        assert_eq!(error(&whole[..cut]).unwrap().0, fio::FaultPlace::Byte(48), "{cut}");
    }
    let mut other = whole.clone();
    other[48] = 9;
    assert!(error(&other).unwrap().1.contains("version 9"));
    other[51] = 9;
    assert!(error(&other).unwrap().1.contains("where a record begins"));
}

#[test]
fn a_replaying_job_works_on_the_files_of_the_trace() {
    let planned = |words: &str, files: &[(&str, u64)]| {
        let asked = loaded(words);
        steps(&asked, &disk(files)).unwrap()
    };
    let words = "fio --name=a --read_iolog=plain --filename=z --size=1g --rw=randwrite --bs=64k --loops=3";
    let there: &[(&str, u64)] = &[("x", 4096), ("./", 0), (".", 0)];
    let plan = planned(words, there);
    let step = &plan.steps[0];
    let job = &step.workload.jobs[0];
    assert_eq!((job.pace, job.size, job.stop.len()), (Pace::Traced, None, 0));
    assert_eq!(job.files, [PathBuf::from("x"), PathBuf::from("y")]);
    let Access { replay: Some(replay), .. } = &job.access else { panic!("it replays nothing") };
    assert_eq!(replay.ios, [1, 1, 0, 0]);
    let made: Vec<&PathBuf> =
        step.layouts.iter().flat_map(|layout| &layout.files).map(|file| &file.path).collect();
    assert_eq!(made, [Path::new("y")], "only what is written is made");
}

#[test]
fn a_device_in_use_is_not_written_by_a_trace_and_may_be_read() {
    let asked =
        |words: &str| loaded(&format!("fio --name=a --read_iolog=plain --replay_redirect=/dev/held {words}"));
    let files: &[(&str, u64)] = &[("/dev/held", 1 << 20)];
    let refused = steps(&asked(""), &disk(files));
    assert!(matches!(refused, Err(FioError::Mounted { .. })), "{refused:?}");
    let read = steps(&asked("--replay_skip=write"), &disk(files)).unwrap();
    assert_eq!((read.unrunnable.len(), read.steps[0].workload.jobs.len()), (0, 1));
}

#[test]
fn what_does_not_go_beside_a_trace_is_told() {
    let note = |words: &str| {
        let asked = loaded(&format!("fio --name=a --read_iolog=plain {words}"));
        asked.notes.iter().map(|note| note.words.clone()).collect::<Vec<_>>().join("; ")
    };
    assert!(note("--loops=2 --rate_iops=5").contains("loops, rate_iops have no effect"));
    assert!(note("--write_iolog=w").contains("read_iolog overrides write_iolog"));
    assert!(note("--readonly").contains("--readonly: 1 I/Os of plain are left out"));
    assert_eq!(note("--size=1g --bs=4k"), "");
    let refused =
        |words: &str| crate::vocabulary::refused(&format!("fio --name=a --read_iolog=plain {words}"));
    assert!(refused("--verify=crc32c").to_string().contains("verify beside read_iolog"));
    assert!(refused("--replay_align=1000").to_string().contains("a power of 2, such as 512 or 1024"));
    assert!(refused("--replay_skip=wriet").to_string().contains("Did you mean write?"));
}
