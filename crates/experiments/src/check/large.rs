//! The block size that represents large ones: 1 MiB, or less on a volume so slow that too few I/Os of 1 MiB complete in
//! a few seconds.

use record::StepRecord;
use workload::{Bytes, Direction, StepKind};

use super::known::{BYTES_BIND, CheckState, LARGE};

/// Candidates for the large block, in rising order.
const CHOICES: [Bytes; 5] = [Bytes::kib(64), Bytes::kib(128), Bytes::kib(256), Bytes::kib(512), LARGE];
/// I/Os per second from which the rate of a block is precise enough: eight in an interval of a short look (0.3 s),
/// where one more or less is an eighth, and about fifty in the whole look.
const SEVERAL: f64 = 8.0 / 0.3;
/// I/Os per second at which even a look whose block proves too large counts ten I/Os.
const SOME: f64 = 6.0;
/// Factor by which a block's rate must be below the small block's for both the block and half of it to be limited by
/// bytes.
const CLEARLY: f64 = 3.0;

impl CheckState<'_> {
    /// The large block of `direction`; if no rung of it was limited by bytes, that of reads, or else the largest.
    pub fn large(&self, direction: Direction) -> Bytes {
        let own = self.large_as_seen(direction);
        let seen = own.or_else(|| self.large_as_seen(Direction::Read));
        seen.unwrap_or(LARGE)
    }

    /// Whether the ladder of reads has shown which block is large enough: a rung was limited by bytes, a rung moved so
    /// many bytes that I/Os of the largest block cannot be too few, or the ladder ended.
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

    /// The largest block with enough completions, but at least so large that bytes limit both the block and half of it;
    /// `None` if bytes limited no rung.
    fn large_as_seen(&self, direction: Direction) -> Option<Bytes> {
        let bytes = self.bytes_that_bind(direction)?;
        let small = self.best(direction);
        let rate = |block: Bytes| bytes / block.0 as f64;
        let binds = CHOICES.into_iter().find(|&block| rate(block) * CLEARLY <= small).unwrap_or(LARGE);
        let several = CHOICES.into_iter().rfind(|&block| rate(block) >= SEVERAL);
        Some(several.map_or(binds, |block| block.max(binds)))
    }

    /// Highest bytes per second of a rung whose I/Os per second are fewer than those of small blocks.
    fn bytes_that_bind(&self, direction: Direction) -> Option<f64> {
        let small = self.best(direction);
        let of = |record: &StepRecord| {
            let (_, block) = super::known::moves(&record.plan).filter(|(way, _)| *way == direction)?;
            let rate = super::known::rate(record, direction);
            (rate > 0.0 && rate < BYTES_BIND * small).then_some(rate * block.0 as f64)
        };
        self.of_kind(StepKind::BlockLadder).filter_map(of).reduce(f64::max)
    }

    /// The largest block that the ladders of all directions ran; before that, the large block of reads.
    pub fn large_of_both(&self) -> Bytes {
        let ran = |direction: Direction, block: Bytes| self.ran(&format!("{} {block}", direction.name()));
        let common = CHOICES.into_iter().rfind(|&block| self.directions().iter().all(|&way| ran(way, block)));
        common.unwrap_or_else(|| self.large(Direction::Read))
    }
}
