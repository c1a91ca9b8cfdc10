//! Data that compresses and repeats as requested, and patterns.

use statistics::{Stream, random::mix};
use workload::{Duplicates, Pattern, Shape};

use super::unique;

/// Stream of the choice between fresh and duplicate blocks.
const CHOICES: u64 = 0x6475_7065;

/// Bit set in the key of each block that is not a duplicate.
const FRESH: u64 = 1 << 63;
/// Seed of a set of blocks that all workers share.
const COMMON: u64 = 0x636f_6d6d_6f6e;

/// Repeats `pattern` over `buffer`, which goes to byte `offset` of its file.
pub fn repeat(buffer: &mut [u8], pattern: &Pattern, offset: u64) {
    if pattern.bytes.is_empty() {
        return buffer.fill(0);
    }
    for piece in buffer.chunks_mut(pattern.bytes.len()) {
        piece.copy_from_slice(&pattern.bytes[..piece.len()]);
        for &at in &pattern.offsets {
            let rest = piece.get_mut(at as usize..).unwrap_or_default();
            let bytes = rest.len().min(8);
            rest[..bytes].copy_from_slice(&offset.to_le_bytes()[..bytes]);
        }
    }
}

/// Makes the blocks of one worker.
#[derive(Clone, Debug)]
pub(super) struct Shaper {
    shape: Shape,
    seed: u64,
    choices: Stream,
    /// Key of the last block.
    last: u64,
    /// Number of blocks so far that are no duplicates.
    fresh: u64,
}

impl Shaper {
    pub(super) fn new(shape: Shape, seed: u64) -> Shaper {
        Shaper { shape, seed, choices: Stream::new(seed, CHOICES), last: mix(seed), fresh: 0 }
    }

    /// Fills `buffer`, the worker's write number `generation`, for byte `offset` of its file.
    pub(super) fn fill(&mut self, buffer: &mut [u8], offset: u64, generation: u64) {
        let key = self.key(generation);
        // The offset must not enter, or duplicates would differ.
        let is_common = matches!(self.shape.duplicates, Duplicates::OfACommonSet(_)) && key & FRESH == 0;
        unique(buffer, if is_common { COMMON } else { self.seed }, 0, key);
        let chunk = match self.shape.chunk.0 as usize {
            0 => buffer.len().max(1),
            bytes => bytes,
        };
        for piece in buffer.chunks_mut(chunk) {
            let random = piece.len() * usize::from(100 - self.shape.compressible_percent.min(100)) / 100;
            match &self.shape.rest {
                Some(pattern) => repeat(&mut piece[random..], pattern, offset),
                None => piece[random..].fill(0),
            }
        }
    }

    /// The key of the next block: equal keys make equal blocks.
    fn key(&mut self, generation: u64) -> u64 {
        let duplicate = self.choices.below(100) < u64::from(self.shape.duplicate_percent);
        let fresh = self.fresh;
        self.fresh += u64::from(!duplicate);
        self.last = match (duplicate, self.shape.duplicates) {
            (true, Duplicates::OfTheLast) => self.last,
            // Never equal to the key of a fresh block, which is a mixed generation number with `FRESH` set.
            (true, Duplicates::OfASet(blocks) | Duplicates::OfACommonSet(blocks)) => {
                self.choices.below(blocks.max(1))
            }
            // The first blocks that are no duplicates are those of the set.
            (false, Duplicates::OfASet(blocks)) if fresh < blocks => fresh,
            (false, _) => mix(generation) | FRESH,
        };
        self.last
    }
}
