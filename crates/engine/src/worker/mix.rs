//! The direction of the next I/O: dealt from a shuffled hundred, with flushes between writes.

use statistics::Stream;
use workload::{Direction, Flush, Mix};

/// Directions in a deck: every hundred I/Os have exactly the share asked for, in random order. With independent draws a
/// short run would miss it by some per cent, and a paced direction with it.
const DECK: u64 = 100;

/// Draws directions.
#[derive(Clone, Debug)]
pub(super) struct MixDraw {
    read_percent: u64,
    /// The direction of all that is not read.
    other: Direction,
    stream: Stream,
    /// Reads and I/Os that are left of the hundred.
    left: (u64, u64),
}

impl MixDraw {
    pub(super) fn new(mix: Mix, stream: Stream) -> MixDraw {
        assert!(mix.read_percent() <= 100, "more than every I/O would be a read");
        let other = if mix.issues(Direction::Write) { Direction::Write } else { Direction::Trim };
        MixDraw { read_percent: u64::from(mix.read_percent()), other, stream, left: (0, 0) }
    }

    /// The direction of all I/O, if there is only one.
    pub(super) fn only(&self) -> Option<Direction> {
        match self.read_percent {
            100 => Some(Direction::Read),
            0 => Some(self.other),
            _ => None,
        }
    }

    /// The next direction.
    #[inline]
    pub(super) fn next(&mut self) -> Direction {
        let read = match self.read_percent {
            100 => true,
            0 => false,
            percent => self.deal(percent),
        };
        if read { Direction::Read } else { self.other }
    }

    #[inline]
    fn deal(&mut self, percent: u64) -> bool {
        if self.left.1 == 0 {
            self.left = (percent, DECK);
        }
        let (reads, all) = self.left;
        debug_assert!(reads <= all && all > 0, "a hundred has more reads left than I/Os");
        let read = self.stream.below(all) < reads;
        self.left = (reads - u64::from(read), all - 1);
        read
    }
}

/// Counts writes until the next flush.
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

    /// Counts a write to `file` that has been issued.
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

    /// Whether there is never a flush.
    pub(super) fn is_never(&self) -> bool {
        self.every == u32::MAX
    }

    /// Whether a flush must come before anything else.
    pub(super) fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// The file to flush now, if any.
    #[inline]
    pub(super) fn take(&mut self) -> Option<u32> {
        self.pending.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hundred_has_its_share_in_an_order_of_its_own() {
        let mut draw = MixDraw::new(Mix::reads(70), Stream::new(7, 1));
        let mut hundred = || -> Vec<bool> { (0..100).map(|_| draw.next() == Direction::Read).collect() };
        let (first, second) = (hundred(), hundred());
        for hundred in [&first, &second] {
            assert_eq!(hundred.iter().filter(|read| **read).count(), 70);
        }
        assert_ne!(first, second);
    }
}
