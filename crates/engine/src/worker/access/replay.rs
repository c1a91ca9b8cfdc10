//! The I/Os of a trace, in its order.

use std::sync::Arc;
use std::thread;

use rtrb::{Consumer, Producer, PushError, RingBuffer};
use workload::{Nanos, Pace, Replay, TracePieces, TraceRows, TracedIo, Unpacker, WorkerPlan};

use crate::worker::next_io::NextIo;

/// Number of pieces read ahead, if a trace is read while it is replayed.
const AHEAD: usize = 16;

/// The position in a trace.
#[derive(Debug)]
pub(in crate::worker) struct TracePosition {
    rows: Rows,
    unpacker: Unpacker,
    next: Next,
    /// Time from the start of the trace to its end.
    length: Nanos,
    /// Whether each I/O is issued only when it is due.
    waits: bool,
}

/// The next item of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::worker) enum Next {
    /// An I/O and its due time, counted from the start.
    Io(NextIo, Nanos),
    /// The end.
    Over,
    /// Not known yet: the trace is still being read.
    Unread,
    /// A read error, although the trace was read once before.
    Broken,
}

/// The location of the packed I/Os.
#[derive(Debug)]
enum Rows {
    Held(Arc<[u8]>),
    Read { pieces: Consumer<Result<Vec<u8>, String>>, piece: Vec<u8> },
}

impl Rows {
    fn of(rows: &TraceRows) -> Rows {
        match rows {
            TraceRows::Held(packed) => Rows::Held(Arc::clone(packed)),
            TraceRows::Read(trace) => {
                let (fill, pieces) = RingBuffer::new(AHEAD);
                let trace = Arc::clone(trace);
                // If no thread can be started, the ring is abandoned at once and the trace is broken.
                let _ = thread::Builder::new().name("trace".to_owned()).spawn(move || read(&*trace, fill));
                Rows::Read { pieces, piece: Vec::new() }
            }
        }
    }
}

/// Reads `trace` into the ring until its end, or until the reader is gone.
fn read(trace: &dyn TracePieces, mut fill: Producer<Result<Vec<u8>, String>>) {
    // An empty piece marks the end.
    for piece in trace.read().chain([Ok(Vec::new())]) {
        let mut piece = piece;
        while let Err(PushError::Full(back)) = fill.push(piece) {
            if fill.is_abandoned() {
                return;
            }
            piece = back;
            thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

impl TracePosition {
    pub(super) fn new(plan: &WorkerPlan, replay: &Replay) -> TracePosition {
        let waits = plan.pace == Pace::Traced;
        let length = if waits { replay.length } else { Nanos::ZERO };
        let rows = Rows::of(&replay.rows);
        let mut traced =
            TracePosition { rows, unpacker: Unpacker::default(), next: Next::Unread, length, waits };
        traced.advance();
        traced
    }

    /// The next item.
    #[inline]
    pub(in crate::worker) fn look(&mut self) -> Next {
        if self.next == Next::Unread {
            self.advance();
        }
        self.next
    }

    /// Takes the next item and reads the one after it.
    #[inline]
    pub(in crate::worker) fn advance(&mut self) {
        let io = match &self.rows {
            Rows::Held(packed) => self.unpacker.next(packed),
            Rows::Read { piece, .. } => self.unpacker.next(piece),
        };
        self.next = match io {
            Some(TracedIo { at, kind, file, offset, bytes }) => {
                Next::Io(NextIo { kind, file, offset, bytes }, if self.waits { at } else { Nanos::ZERO })
            }
            None => self.turn_over(),
        };
    }

    /// Goes on to the next piece at the end of the current one.
    #[cold]
    fn turn_over(&mut self) -> Next {
        let Rows::Read { pieces, piece } = &mut self.rows else { return Next::Over };
        match pieces.pop() {
            Ok(Ok(next)) if next.is_empty() => return Next::Over,
            Ok(Ok(next)) => *piece = next,
            Ok(Err(_)) => return Next::Broken,
            // The last piece may have been pushed just before the ring was abandoned.
            Err(_) if pieces.is_abandoned() && pieces.is_empty() => return Next::Broken,
            Err(_) => return Next::Unread,
        }
        self.unpacker.turn_over();
        self.advance();
        self.next
    }

    /// Time from the start of the trace to its end.
    pub(in crate::worker) fn length(&self) -> Nanos {
        self.length
    }
}
