//! From the events of a trace to the I/Os that a job issues: what its options change, and what is known of all of them.

use std::sync::Arc;

use workload::{Bytes, Direction, FlushBy, Nanos, Packer, Replay, TracePieces, TraceRows, TracedIo};

use super::{Action, Event, TraceIo, TraceOptions};

/// What the options of a job make of each I/O.
#[derive(Clone, Debug)]
pub struct Shaping {
    /// By action: whether it is left out.
    skipped: [bool; 5],
    one_file: bool,
    scale: u64,
    align: u64,
    time_percent: u64,
    lengths: LengthsAlign,
}

/// Whether lengths are aligned as offsets are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthsAlign {
    /// They are rounded up, as fio does with those of blktrace.
    Up,
    /// They stay.
    No,
}

impl Shaping {
    /// As `options` say; `only_reads` leaves out what would change anything.
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

    /// The same for a trace whose lengths are aligned so.
    pub fn with_lengths(self, lengths: LengthsAlign) -> Shaping {
        Shaping { lengths, ..self }
    }

    /// When something is due that was at `at` in the trace.
    pub fn time(&self, at: Nanos) -> Nanos {
        let scaled = u128::from(at.0) * 100 / u128::from(self.time_percent);
        Nanos(u64::try_from(scaled).unwrap_or(LATEST).min(LATEST))
    }

    /// The I/O that is issued for one of the trace; `None` where that is left out.
    pub fn io(&self, io: &TraceIo) -> Option<TraceIo> {
        let offset = io.offset / self.scale;
        let bytes = match self.lengths {
            // No length is so near the most that this runs over: it is at most 1 GiB, and the alignment is a power of 2.
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

/// Whether what changes something is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnlyReads {
    /// It is: nothing may be written.
    Yes,
    /// It is not.
    No,
}

/// What is known of the I/Os so far, with the I/Os themselves.
#[derive(Clone, Debug)]
pub struct Gathered {
    shaping: Shaping,
    packer: Packer,
    ios: [u64; 4],
    longest: u32,
    length: Nanos,
    changed: Vec<bool>,
    /// Flushes of all that is known of a file, and of its data alone.
    flushes: [u64; 2],
    /// I/Os that are left out.
    left_out: u64,
}

/// Nothing is due later than this, a hundred years after the begin, so that the run's clock can be added to it.
const LATEST: u64 = 1 << 61;

/// Bytes of a packed piece.
const PIECE: usize = 1 << 16;

impl Gathered {
    /// Nothing yet.
    pub fn new(shaping: Shaping) -> Gathered {
        Gathered {
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

    /// Takes in one event.
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

    /// What has been packed, where it is enough for a piece. What follows is packed behind it.
    pub fn piece(&mut self) -> Option<Vec<u8>> {
        (self.packer.len() >= PIECE).then(|| self.packer.take())
    }

    /// What has been packed since the last piece.
    pub fn rest(&mut self) -> Vec<u8> {
        self.packer.take()
    }

    /// Whether there is no I/O to issue but flushes.
    pub fn moves_nothing(&self) -> bool {
        self.ios[..3] == [0; 3]
    }

    /// I/Os that are left out.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// How a flush is done: as the strongest of the trace, since all flushes of a job are alike.
    pub fn flush(&self) -> FlushBy {
        if self.flushes[0] > 0 { FlushBy::File } else { FlushBy::Data }
    }

    /// Whether it has flushes of both kinds.
    pub fn mixes_flushes(&self) -> bool {
        self.flushes[0] > 0 && self.flushes[1] > 0
    }

    /// All of it, as the trace `name` on so many files; `pieces` are the I/Os where they are read again.
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
