//! Traces that fio's jobs replay.

use std::cell::RefCell;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fio::{TraceInput, TraceWorld};
use workload::{Direction, Replay, TraceRows, TracedIo, Unpacker};

thread_local! {
    /// What is read under whatever name.
    static INPUT: RefCell<Arc<[u8]>> = RefCell::new(Arc::from([]));
}

/// A trace, text or binary: as it is, moved about, and read in pieces, which must come to the same.
pub fn trace(bytes: &[u8]) {
    INPUT.with(|input| *input.borrow_mut() = Arc::from(bytes));
    let moved =
        "--replay_scale=3 --replay_align=4k --replay_time_scale=7 --replay_redirect=x --replay_skip=sync";
    for words in ["", moved] {
        let whole = replay(words);
        let pieces = replay(&format!("{words} --read_iolog_chunked=1"));
        match (whole, pieces) {
            (Some(whole), Some(pieces)) => agree(&whole, &pieces),
            (None, None) => {}
            _ => panic!("a trace is read in one way and not in the other"),
        }
    }
    INPUT.with(|input| *input.borrow_mut() = Arc::from([]));
}

fn replay(words: &str) -> Option<Replay> {
    let words: Vec<String> =
        format!("--name=a --read_iolog=t {words}").split_whitespace().map(str::to_owned).collect();
    let around = fio::Surroundings {
        read: &|_| Err(io::ErrorKind::NotFound.into()),
        bytes: &|_| Err(io::ErrorKind::NotFound.into()),
        below: &|_| Ok(Vec::new()),
        variable: &|_| None,
        entropy: 7,
        cpus: 64,
        memory: workload::Bytes::gib(2),
        page: workload::Bytes(4096),
    };
    let Ok(fio::Request::Run(mut asked)) = fio::parse(&words, &around) else {
        panic!("the line is not understood");
    };
    fio::read_traces(&mut asked, TraceWorld { open, device });
    match asked.jobs[0].trace.as_deref() {
        Some(Ok(trace)) => {
            assert_eq!(trace.files.len(), trace.replay.changed.len());
            Some(trace.replay.clone())
        }
        Some(Err(error)) => {
            let _ = (error.to_string(), error.hint());
            None
        }
        None => panic!("no trace was read"),
    }
}

fn open(_: &Path) -> io::Result<TraceInput> {
    Ok(Box::new(Cursor::new(INPUT.with(|input| Arc::clone(&input.borrow())))))
}

fn device(major: u32, minor: u32) -> Option<PathBuf> {
    (!major.is_multiple_of(3)).then(|| PathBuf::from(format!("/dev/d{major}-{minor}")))
}

/// Calls `each` with each I/O.
fn walk(replay: &Replay, mut each: impl FnMut(TracedIo)) {
    let mut unpacker = Unpacker::default();
    match &replay.rows {
        TraceRows::Held(packed) => std::iter::from_fn(|| unpacker.next(packed)).for_each(each),
        TraceRows::Read(pieces) => {
            for piece in pieces.read() {
                let piece = piece.unwrap_or_else(|problem| panic!("read once and not again: {problem}"));
                unpacker.turn_over();
                std::iter::from_fn(|| unpacker.next(&piece)).for_each(&mut each);
            }
        }
    }
}

/// What is known before is what the rows do, read either way.
fn agree(whole: &Replay, pieces: &Replay) {
    let of = |replay: &Replay| {
        let (mut sum, mut ios, mut last) = (0u64, [0; 4], workload::Nanos::ZERO);
        walk(replay, |io| {
            assert!(io.at >= last && io.at <= replay.length, "times go back");
            last = io.at;
            ios[io.kind.index()] += 1;
            let carries = matches!(io.kind, Direction::Read | Direction::Write);
            assert!(!carries || u64::from(io.bytes) <= replay.longest.0, "an I/O is longer than the longest");
            assert!(io.offset.checked_add(u64::from(io.bytes)).is_some_and(|end| end <= i64::MAX as u64));
            let changes = matches!(io.kind, Direction::Write | Direction::Trim);
            assert!(!changes || replay.changed[io.file as usize], "a file is written that nobody spoke of");
            let place = io.offset ^ u64::from(io.bytes) << 32 ^ u64::from(io.file) << 17 ^ io.at.0;
            sum = sum.rotate_left(5).wrapping_add(place);
        });
        assert_eq!(ios, replay.ios);
        sum
    };
    assert_eq!(of(whole), of(pieces), "read in pieces it is another");
    assert_eq!(
        (whole.length, whole.longest, &whole.changed),
        (pieces.length, pieces.longest, &pieces.changed)
    );
}
