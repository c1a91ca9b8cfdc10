//! Which way the next I/O goes: a draw for each, and flushes between writes.

use statistics::Stream;
use workload::{Direction, Flush, Mix};

/// Draws directions.
#[derive(Clone, Debug)]
pub(super) struct MixDraw {
    read_percent: u64,
    /// What is no read.
    other: Direction,
    stream: Stream,
}

impl MixDraw {
    pub(super) fn new(mix: Mix, stream: Stream) -> MixDraw {
        let other = if mix.issues(Direction::Write) { Direction::Write } else { Direction::Trim };
        MixDraw { read_percent: u64::from(mix.read_percent()), other, stream }
    }

    /// The next direction: reads with the share asked for, each draw independent of the others.
    #[inline]
    pub(super) fn next(&mut self) -> Direction {
        let read = match self.read_percent {
            100 => true,
            0 => false,
            percent => self.stream.below(100) < percent,
        };
        if read { Direction::Read } else { self.other }
    }
}

/// Counts writes up to the next flush.
#[derive(Clone, Debug)]
pub(super) struct FlushCount {
    every: u32,
    writes: u32,
    /// The file to flush before anything else is issued.
    pending: Option<u32>,
}

impl FlushCount {
    pub(super) fn new(flush: Flush) -> FlushCount {
        let every = match flush {
            Flush::Never => u32::MAX,
            Flush::Every(writes) => writes.max(1),
        };
        FlushCount { every, writes: 0, pending: None }
    }

    /// A write to `file` has been issued.
    #[inline]
    pub(super) fn wrote(&mut self, file: u32) {
        if self.every == u32::MAX {
            return;
        }
        self.writes += 1;
        if self.writes == self.every {
            self.writes = 0;
            self.pending = Some(file);
        }
    }

    /// Whether a flush is to come before anything else.
    pub(super) fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// The file that is to be flushed now.
    #[inline]
    pub(super) fn take(&mut self) -> Option<u32> {
        self.pending.take()
    }
}
