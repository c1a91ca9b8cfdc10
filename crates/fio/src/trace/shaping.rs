//! Turns the events of a trace into the I/Os that a job issues: applies the job's options and sums up the I/Os.

use std::sync::Arc;

use workload::{Bytes, Direction, FlushBy, Nanos, Packer, Replay, TracePieces, TraceRows, TracedIo};

use super::{Action, Event, TraceIo, TraceOptions};

/// How the options of a job change each I/O of its trace.
#[derive(Clone, Debug)]
pub(crate) struct Shaping {
    /// Whether I/Os are left out, by action.
    skipped: [bool; 5],
    one_file: bool,
    scale: u64,
    align: u64,
    time_percent: u64,
    lengths: LengthsAlign,
}

/// Whether lengths are aligned like offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthsAlign {
    /// Lengths are rounded up, as fio does for blktrace.
    Up,
    /// Lengths stay unchanged.
    No,
}

impl Shaping {
    /// Returns the shaping by `options`; `only_reads` leaves out every I/O that would change data.
    pub fn of(options: &TraceOptions, only_reads: OnlyReads) -> Shaping {
        let changes = |action| matches!(action, Action::Write | Action::Trim);
        let skipped = |action| options.skips(action) || only_reads == OnlyReads::Yes && changes(action);
        const ALL: [Action; 5] = [Action::Read, Action::Write, Action::Trim, Action::Sync, Action::Datasync];
        Shaping {
            skipped: ALL.map(skipped),
            one_file: options.redirect.is_some(),
            scale: options.scale.max(1),
            align: options.align.max(1),
            time_percent: options.time_scale.max(1),
            lengths: LengthsAlign::No,
        }
    }

    /// Sets how the lengths of the trace are aligned.
    pub fn with_lengths(self, lengths: LengthsAlign) -> Shaping {
        Shaping { lengths, ..self }
    }

    /// The time at which an event is due that happened at `at` in the trace.
    pub fn time(&self, at: Nanos) -> Nanos {
        let scaled = u128::from(at.0) * 100 / u128::from(self.time_percent);
        Nanos(u64::try_from(scaled).unwrap_or(LATEST).min(LATEST))
    }

    /// The I/O that is issued for an I/O of the trace; `None` if it is left out.
    pub fn io(&self, io: &TraceIo) -> Option<TraceIo> {
        let offset = io.offset / self.scale;
        let bytes = match self.lengths {
            // Rounding up cannot overflow: the length is at most 1 GiB, and the alignment is a power of 2.
            LengthsAlign::Up if self.align <= 1 << 30 => {
                u64::from(io.bytes).next_multiple_of(self.align).min(1 << 30) as u32
            }
            _ => io.bytes,
        };
        let placed = TraceIo {
            bytes,
            file: if self.one_file { 0 } else { io.file },
            offset: offset - offset % self.align,
            ..*io
        };
        (!self.skipped[io.action as usize]).then_some(placed)
    }
}

/// Whether I/Os that would change data are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnlyReads {
    /// They are left out: nothing may be written.
    Yes,
    /// They are issued.
    No,
}

/// The I/Os of a trace so far, with their totals.
#[derive(Clone, Debug)]
pub(crate) struct TraceBuilder {
    shaping: Shaping,
    packer: Packer,
    ios: [u64; 4],
    longest: u32,
    length: Nanos,
    changed: Vec<bool>,
    /// Numbers of flushes of a whole file and of flushes of its data only.
    flushes: [u64; 2],
    /// Number of I/Os that are left out.
    left_out: u64,
}

/// Latest time at which an I/O may be due, in nanoseconds: 73 years, so that adding the clock cannot overflow.
const LATEST: u64 = 1 << 61;

/// Length of a packed piece, in bytes.
const PIECE: usize = 1 << 16;

impl TraceBuilder {
    /// Returns a collection without any I/O.
    pub fn new(shaping: Shaping) -> TraceBuilder {
        TraceBuilder {
            shaping,
            packer: Packer::default(),
            ios: [0; 4],
            longest: 0,
            length: Nanos::ZERO,
            changed: Vec::new(),
            flushes: [0; 2],
            left_out: 0,
        }
    }

    /// Adds one event.
    pub fn take(&mut self, event: &Event) {
        let at = self.shaping.time(event.at);
        self.length = at;
        let Some(io) = &event.io else { return };
        let Some(io) = self.shaping.io(io) else {
            self.left_out += 1;
            return;
        };
        let kind = direction(io.action);
        self.ios[kind.index()] += 1;
        match io.action {
            Action::Sync => self.flushes[0] += 1,
            Action::Datasync => self.flushes[1] += 1,
            // A trim carries no data.
            Action::Trim => {}
            Action::Read | Action::Write => self.longest = self.longest.max(io.bytes),
        }
        let file = io.file as usize;
        if self.changed.len() <= file {
            self.changed.resize(file + 1, false);
        }
        self.changed[file] |= matches!(kind, Direction::Write | Direction::Trim);
        self.packer.push(TracedIo { at, kind, file: io.file, offset: io.offset, bytes: io.bytes });
    }

    /// Returns what has been packed, if it is enough for a piece; packing then starts a new one.
    pub fn piece(&mut self) -> Option<Vec<u8>> {
        (self.packer.len() >= PIECE).then(|| self.packer.take())
    }

    /// Returns what has been packed since the last piece.
    pub fn rest(&mut self) -> Vec<u8> {
        self.packer.take()
    }

    /// Whether there is no I/O except flushes.
    pub fn moves_nothing(&self) -> bool {
        self.ios[..3] == [0; 3]
    }

    /// Number of I/Os that are left out.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The kind of flush to issue: the strongest in the trace, because all flushes of a job are alike.
    pub fn flush(&self) -> FlushBy {
        if self.flushes[0] > 0 { FlushBy::File } else { FlushBy::Data }
    }

    /// Whether the trace has flushes of both kinds.
    pub fn mixes_flushes(&self) -> bool {
        self.flushes[0] > 0 && self.flushes[1] > 0
    }

    /// Returns the replay of the trace `name` on `files` files; if the I/Os are read again, `pieces` takes their place.
    pub fn into_replay(self, (name, files): (String, usize), pieces: Option<Arc<dyn TracePieces>>) -> Replay {
        let mut changed = self.changed;
        changed.resize(files, false);
        Replay {
            name,
            ios: self.ios,
            longest: Bytes(u64::from(self.longest)),
            length: self.length,
            changed,
            rows: pieces.map_or_else(|| TraceRows::of(self.packer), TraceRows::Read),
        }
    }
}

fn direction(action: Action) -> Direction {
    match action {
        Action::Read => Direction::Read,
        Action::Write => Direction::Write,
        Action::Trim => Direction::Trim,
        Action::Sync | Action::Datasync => Direction::Flush,
    }
}
