//! Which block stands for the large ones: 1 MiB, or less on a volume so slow that a few seconds hold too few of these to count.

use record::StepRecord;
use workload::{Bytes, Direction, StepKind};

use super::known::{BYTES_BIND, Known, LARGE};

/// Blocks that stand for the large ones, rising.
const CHOICES: [Bytes; 5] = [Bytes::kib(64), Bytes::kib(128), Bytes::kib(256), Bytes::kib(512), LARGE];
/// I/Os a second from which a block is counted well enough: eight in an interval of a short look (0.3 s), of which one more or
/// less is an eighth, and some fifty in the whole of it.
const SEVERAL: f64 = 8.0 / 0.3;
/// I/Os a second of which even a look that turns out to be of too large a block counts ten.
const SOME: f64 = 6.0;
/// A block whose rate is at most one in so many of the small block's is held by its bytes, and so is half of it.
const CLEARLY: f64 = 3.0;

impl Known<'_> {
    /// The large block of `direction`. Nothing known of its bytes: that of reads, and at last the largest there is.
    pub fn large(&self, direction: Direction) -> Bytes {
        let own = self.large_as_seen(direction);
        let seen = own.or_else(|| self.large_as_seen(Direction::Read));
        seen.unwrap_or(LARGE)
    }

    /// Whether the ladder of reads has shown which block is large enough: bytes held one of its rungs, one moved so many that the
    /// largest cannot come very seldom, or it came to its end.
    pub fn knows_large(&self) -> bool {
        let largest = format!("{} {LARGE}", Direction::Read.name());
        let enough = |record: &StepRecord| {
            let bytes = record.tally(Direction::Read).bytes as f64;
            bytes >= SOME * LARGE.0 as f64 * record.seconds()
        };
        self.large_as_seen(Direction::Read).is_some()
            || self.ran(&largest)
            || self.of_kind(StepKind::BlockLadder).any(enough)
    }

    /// The largest block that comes often enough, and so large that bytes hold it and half of it; `None` where no rung was held by
    /// bytes.
    fn large_as_seen(&self, direction: Direction) -> Option<Bytes> {
        let bytes = self.bytes_that_bind(direction)?;
        let small = self.best(direction);
        let rate = |block: Bytes| bytes / block.0 as f64;
        let binds = CHOICES.into_iter().find(|&block| rate(block) * CLEARLY <= small).unwrap_or(LARGE);
        let several = CHOICES.into_iter().rfind(|&block| rate(block) >= SEVERAL);
        Some(several.map_or(binds, |block| block.max(binds)))
    }

    /// The most bytes a second of a rung of blocks that has fewer I/Os than small ones have.
    fn bytes_that_bind(&self, direction: Direction) -> Option<f64> {
        let small = self.best(direction);
        let of = |record: &StepRecord| {
            let (_, block) = super::known::moves(&record.plan).filter(|(way, _)| *way == direction)?;
            let rate = super::known::rate(record, direction);
            (rate > 0.0 && rate < BYTES_BIND * small).then_some(rate * block.0 as f64)
        };
        self.of_kind(StepKind::BlockLadder).filter_map(of).reduce(f64::max)
    }

    /// The largest block that the ladders of all directions ran; the large one of reads before they did.
    pub fn large_of_both(&self) -> Bytes {
        let ran = |direction: Direction, block: Bytes| self.ran(&format!("{} {block}", direction.name()));
        let common = CHOICES.into_iter().rfind(|&block| self.directions().iter().all(|&way| ran(way, block)));
        common.unwrap_or_else(|| self.large(Direction::Read))
    }
}
