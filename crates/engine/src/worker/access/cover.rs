//! Each block once, in random order, by I/Os of several lengths: what would reach a block that was visited in this pass is
//! shortened, as with fio's random map.

use statistics::Stream;

/// Blocks in a word of the map.
const WORD: u64 = 64;

/// Passes over a number of blocks by I/Os of one block or more.
#[derive(Clone, Debug)]
pub(super) struct Cover {
    blocks: u64,
    /// Blocks that this pass has not visited.
    free: u64,
    /// In the first, a bit for each block that this pass has visited; in each of the others, one for each full word of the
    /// one before. The last is one word.
    visited: Vec<Box<[u64]>>,
}

impl Cover {
    /// Passes over `0..blocks`; `None` if `blocks` is zero.
    pub(super) fn new(blocks: u64) -> Option<Cover> {
        let mut visited = Vec::new();
        let mut bits = blocks;
        while visited.is_empty() || bits > 1 {
            bits = bits.div_ceil(WORD);
            visited.push(vec![0; usize::try_from(bits).ok()?].into_boxed_slice());
        }
        (blocks > 0).then_some(Cover { blocks, free: blocks, visited })
    }

    /// Returns the first block of the next I/O and its number of blocks, which is at least one and at most `most`. It begins at
    /// a random block, or, if that was visited, at the next one that was not.
    pub(super) fn next(&mut self, most: u64, stream: &mut Stream) -> (u64, u64) {
        if self.free == 0 {
            self.leave();
        }
        let first = self.free_from(stream.below(self.blocks)).or_else(|| self.free_from(0)).unwrap_or(0);
        let end = first.saturating_add(most.max(1)).min(self.blocks);
        let count = (first..end).take_while(|&block| !self.is_set(0, block)).count() as u64;
        debug_assert!(count > 0, "an I/O has no block");
        (first..first + count).for_each(|block| self.visit(block));
        self.free -= count;
        (first, count)
    }

    /// Abandons the rest of this pass.
    pub(super) fn leave(&mut self) {
        self.visited.iter_mut().for_each(|level| level.fill(0));
        self.free = self.blocks;
    }

    fn is_set(&self, level: usize, bit: u64) -> bool {
        self.visited[level][(bit / WORD) as usize] >> (bit % WORD) & 1 == 1
    }

    fn visit(&mut self, block: u64) {
        let mut bit = block;
        for level in &mut self.visited {
            let word = &mut level[(bit / WORD) as usize];
            *word |= 1 << (bit % WORD);
            if *word != u64::MAX {
                break;
            }
            bit /= WORD;
        }
    }

    /// The first block from `block` on that this pass has not visited.
    fn free_from(&self, block: u64) -> Option<u64> {
        // Up to the word that has a bit left, then down to the first one in it.
        let (mut level, mut bit) = (0, block);
        loop {
            let word = self.visited.get(level)?.get((bit / WORD) as usize)?;
            let left = !word & (u64::MAX << (bit % WORD));
            match left {
                0 => (level, bit) = (level + 1, bit / WORD + 1),
                _ if level == 0 => {
                    let found = bit / WORD * WORD + u64::from(left.trailing_zeros());
                    return (found < self.blocks).then_some(found);
                }
                _ => {
                    let found = bit / WORD * WORD + u64::from(left.trailing_zeros());
                    (level, bit) = (level - 1, found * WORD);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_pass_visits_each_block_once(exponent in 0u32..14, below: u64, seed: u64, most in 1u64..70) {
            let blocks = (below % (1 << exponent)).max(1);
            let (mut cover, mut stream) = (Cover::new(blocks).unwrap(), Stream::new(seed, 1));
            for _ in 0..2 {
                let mut visits = vec![0; blocks as usize];
                let mut number = 0;
                while number < blocks {
                    let (first, count) = cover.next(most, &mut stream);
                    prop_assert!((1..=most).contains(&count));
                    visits[first as usize..(first + count) as usize].iter_mut().for_each(|visits| *visits += 1);
                    number += count;
                }
                prop_assert!(visits.iter().all(|&visits| visits == 1));
            }
        }
    }

    #[test]
    fn nothing_is_covered_without_blocks() {
        assert!(Cover::new(0).is_none());
    }
}
