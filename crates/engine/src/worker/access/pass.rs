//! Each block once, in random order, pass after pass; requested one by one, but drawn in runs.

use kernel::{InLanes, in_lanes};
use statistics::Permutation;

use super::super::seeds;

/// Passes over a number of blocks, each in a new order: a volume's cache could learn a repeated one.
#[derive(Clone, Debug)]
pub(super) struct Passes {
    permutation: Permutation,
    /// Position in the pass after the last one drawn.
    drawn: u64,
    number: u64,
    seed: u64,
    /// Blocks drawn; those from `next` to the end have not been requested yet.
    ahead: [u64; Permutation::RUN],
    next: usize,
    end: usize,
}

/// A run of blocks, drawn side by side in place: returned by value they would be copied twice.
struct BlockRun<'p> {
    permutation: &'p Permutation,
    from: u64,
    into: &'p mut [u64; Permutation::RUN],
}

impl InLanes for BlockRun<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        *self.into = self.permutation.run(self.from);
    }
}

impl Passes {
    /// Passes over `0..blocks`; `None` if `blocks` is zero.
    pub(super) fn new(blocks: u64, seed: u64) -> Option<Passes> {
        let permutation = Permutation::new(blocks, seeds::pass_key(seed, 0))?;
        Some(Passes { permutation, drawn: 0, number: 0, seed, ahead: [0; Permutation::RUN], next: 0, end: 0 })
    }

    /// The next block of the pass, or the first of the next pass.
    #[inline]
    pub(super) fn next(&mut self) -> u64 {
        if self.next == self.end {
            self.draw();
        }
        let block = self.ahead[self.next % Permutation::RUN];
        self.next += 1;
        debug_assert!(block < self.permutation.range(), "a place of a pass lies beyond its region");
        block
    }

    /// Abandons the rest of this pass.
    pub(super) fn leave(&mut self) {
        self.drawn = self.permutation.range();
        self.next = self.end;
    }

    /// Draws the next run, which ends with the pass at the latest.
    #[inline(never)]
    fn draw(&mut self) {
        let blocks = self.permutation.range();
        if self.drawn == blocks {
            self.begin_another();
        }
        debug_assert!(self.drawn < blocks, "a pass goes beyond its region");
        in_lanes(BlockRun { permutation: &self.permutation, from: self.drawn, into: &mut self.ahead });
        self.end = (blocks - self.drawn).min(Permutation::RUN as u64) as usize;
        self.next = 0;
        self.drawn += self.end as u64;
    }

    #[cold]
    fn begin_another(&mut self) {
        self.drawn = 0;
        self.number += 1;
        if let Some(next) =
            Permutation::new(self.permutation.range(), seeds::pass_key(self.seed, self.number))
        {
            self.permutation = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The order by definition: position by position, each pass under a separate key.
    fn one_by_one(blocks: u64, seed: u64) -> impl Iterator<Item = u64> {
        (0..).flat_map(move |number| {
            let permutation = Permutation::new(blocks, seeds::pass_key(seed, number)).unwrap();
            (0..blocks).map(move |position| permutation.at(position))
        })
    }

    proptest! {
        #[test]
        fn drawing_by_the_run_gives_the_order_of_drawing_one_by_one(
            exponent in 0u32..40, below: u64, seed: u64, count in 1usize..3_000,
        ) {
            let blocks = (below % (1 << exponent)).max(1);
            let mut passes = Passes::new(blocks, seed).unwrap();
            for (number, expected) in one_by_one(blocks, seed).take(count).enumerate() {
                prop_assert_eq!(passes.next(), expected, "block {} of {}", number, blocks);
            }
        }

        #[test]
        fn a_pass_that_is_left_goes_on_with_the_next_order(blocks in 1u64..500, seed: u64, done in 0usize..500) {
            let done = done % blocks as usize + 1;
            let mut passes = Passes::new(blocks, seed).unwrap();
            (0..done).for_each(|_| {
                passes.next();
            });
            passes.leave();
            let expected = one_by_one(blocks, seed).skip(blocks as usize).take(700);
            prop_assert!(expected.eq((0..700).map(|_| passes.next())));
        }
    }

    #[test]
    fn nothing_is_passed_over_without_blocks() {
        assert!(Passes::new(0, 1).is_none());
    }
}
