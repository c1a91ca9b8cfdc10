//! The direction of the next I/O: dealt from a shuffled hundred or drawn as in fio, with flushes between writes.

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
    /// Draws as in fio instead of dealing.
    as_fio: Option<FioDraw>,
}

impl MixDraw {
    pub(super) fn new(mix: Mix, stream: Stream) -> MixDraw {
        assert!(mix.read_percent() <= 100, "more than every I/O would be a read");
        let other = if mix.issues(Direction::Write) { Direction::Write } else { Direction::Trim };
        let (read_percent, as_fio) =
            (u64::from(mix.read_percent()), mix.seed().map(|seed| FioDraw::new(seed, mix.read_percent())));
        MixDraw { read_percent, other, stream, left: (0, 0), as_fio }
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
    #[inline(always)]
    pub(super) fn next(&mut self) -> Direction {
        let read = match (&mut self.as_fio, self.read_percent) {
            (Some(draw), _) => draw.next(),
            (None, 100) => true,
            (None, 0) => false,
            (None, percent) => self.deal(percent),
        };
        if read { Direction::Read } else { self.other }
    }

    /// Notes that the last I/O is of `kind`, whatever was drawn, because only that was due.
    pub(super) fn changed_to(&mut self, kind: Direction) {
        if let Some(draw) = &mut self.as_fio {
            draw.changed_to(kind == Direction::Read);
        }
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

/// Directions drawn by fio's rule: each I/O is a draw of its own, except that after a change of direction there is no draw
/// until the new direction has its share of what the other had issued by then.
#[derive(Clone, Debug)]
struct FioDraw {
    random: Tausworthe,
    read_percent: u64,
    /// Random numbers below this draw a read: those whose share of 2^32 is below `read_percent` hundredths.
    reads_below: u64,
    reads: bool,
    /// I/Os issued in this direction.
    issued: u64,
    /// I/Os issued in the other direction.
    other: u64,
    /// Number of `issued` from which on the next direction is drawn.
    enough: u64,
}

impl FioDraw {
    fn new(seed: u32, read_percent: u8) -> FioDraw {
        let read_percent = u64::from(read_percent);
        let (random, reads_below) = (Tausworthe::new(seed), (read_percent << 32).div_ceil(100));
        FioDraw { random, read_percent, reads_below, reads: true, issued: 0, other: 0, enough: 0 }
    }

    /// Whether the next I/O is a read.
    #[inline]
    fn next(&mut self) -> bool {
        if self.issued >= self.enough && (u64::from(self.random.next()) < self.reads_below) != self.reads {
            let percent = if self.reads { 100 - self.read_percent } else { self.read_percent };
            self.enough = self.issued * percent / 100;
            self.turn();
        }
        self.issued += 1;
        self.reads
    }

    fn turn(&mut self) {
        self.reads = !self.reads;
        std::mem::swap(&mut self.issued, &mut self.other);
    }

    fn changed_to(&mut self, reads: bool) {
        if reads != self.reads {
            self.issued -= 1;
            self.turn();
            self.issued += 1;
        }
    }
}

/// The combined Tausworthe generator of L'Ecuyer (Mathematics of Computation 65, 1996), seeded as in fio.
#[derive(Clone, Debug)]
struct Tausworthe([u32; 3]);

impl Tausworthe {
    /// Of each part the number of unused low bits, the shift left and right of its feedback, and that of its state.
    const PARTS: [[u32; 4]; 3] = [[1, 13, 19, 12], [3, 2, 25, 4], [4, 3, 11, 17]];

    fn new(seed: u32) -> Tausworthe {
        let mut last = 53u32;
        let parts = Tausworthe::PARTS.map(|[unused, ..]| {
            let least = (1 << unused) - 1;
            last = last.wrapping_mul(69_069) ^ seed;
            last += if last < least { least } else { 0 };
            last
        });
        let mut random = Tausworthe(parts);
        for _ in 0..6 {
            random.next();
        }
        random
    }

    #[inline]
    fn next(&mut self) -> u32 {
        for (part, [unused, up, down, left]) in self.0.iter_mut().zip(Tausworthe::PARTS) {
            let feedback = ((*part << up) ^ *part) >> down;
            *part = ((*part >> unused << unused) << left) ^ feedback;
        }
        self.0[0] ^ self.0[1] ^ self.0[2]
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

    /// The first I/Os of fio 3.33 with `--rw=randrw --rwmixread=70`, and with `--rw=rw --rwmixwrite=25 --randseed=12345`.
    #[test]
    fn directions_come_in_the_order_of_fio() {
        for (seed, percent, order) in [
            (0x5b78_008d, 70, "rrrwrrwrrrwrwrrrrrrrwwrwrrrwwwrrrwrwwrrwrrwrrwrrww"),
            (0x51f8_303d, 75, "rrrwrwwrrwrrrwrrrrrrrrrrrwrrrwwrrrrrrrrrwwrrrrrwrr"),
        ] {
            let mut draw = MixDraw::new(Mix::reads(percent).drawn(seed), Stream::new(7, 1));
            let drawn = (0..50).map(|_| if draw.next() == Direction::Read { 'r' } else { 'w' });
            assert_eq!(drawn.collect::<String>(), order);
        }
    }

    /// After a change of direction fio draws none until the new one has its share of what the other has issued.
    #[test]
    fn a_direction_that_only_was_due_counts_instead_of_the_drawn_one() {
        let mut draw = MixDraw::new(Mix::reads(50).drawn(0x5b78_008d), Stream::new(7, 1));
        for _ in 0..40 {
            draw.next();
            draw.changed_to(Direction::Write);
        }
        let drawn: Vec<Direction> = (0..20).map(|_| draw.next()).collect();
        let first = drawn.iter().position(|way| *way == Direction::Read).unwrap();
        assert!(
            drawn[first..].iter().all(|way| *way == Direction::Read),
            "20 reads are half of 40 writes: {drawn:?}"
        );
    }

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
