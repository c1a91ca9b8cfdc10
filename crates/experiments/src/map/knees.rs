//! The depth that fills the cap of each block: one I/O alone predicts it, and depths on both sides confirm it.

use record::StepRecord;
use workload::{Bytes, Direction, Nanos, StepKind};

use super::MapAsk;
use super::cells::cell;
use crate::check::draft::Draft;
use crate::check::known::{CheckState, Rung, depth_of, moves, rate};
use crate::check::ladders::filling;

/// Blocks whose depths are searched, for reads and for writes, besides the requested one: those of the published table
/// (method 4.3) and the largest.
const BLOCKS: [[Bytes; 3]; 2] =
    [[Bytes::kib(64), Bytes::kib(256), Bytes::MIB], [Bytes::kib(256), Bytes::MIB, Bytes::kib(64)]];
/// Share of the cap from which a depth fills it: N90 (method 4.1).
const FILLS: f64 = 0.9;
/// Ratio of the depths on both sides of the knee up to which they are close enough.
const NEAR: f64 = 1.5;
/// Usual number of depths per block, without and with a search for a latency bound.
const DEPTHS_USUAL: [u32; 2] = [3, 5];
/// Most depths that are tried per block, including depth 1.
const DEPTHS_MOST: usize = 4;
/// Most depths per block if a latency bound is searched for too.
const DEPTHS_MOST_BOUND: usize = 8;

/// Completed cells of all blocks, and the next cell of each block.
pub(super) fn all(ask: &MapAsk, known: &CheckState<'_>) -> Vec<Draft> {
    let of = |&direction: &Direction| -> Vec<Draft> {
        blocks(ask, known, direction)
            .into_iter()
            .flat_map(|block| Knee::of(ask, known, (direction, block)).drafts())
            .collect()
    };
    known.directions().iter().flat_map(of).collect()
}

/// As many cells for each block as the search for its knee usually takes, before anything is known.
pub(super) fn usual(ask: &MapAsk, known: &CheckState<'_>) -> Vec<Draft> {
    let bounded = |block: Bytes| ask.p99.is_some() && ask.block.is_none_or(|asked| asked == block);
    let of_block = |direction: Direction, block: Bytes| {
        let count = DEPTHS_USUAL[usize::from(bounded(block))];
        (0..count).map(move |power| cell(known, direction, block, 1 << power))
    };
    let of = |&direction: &Direction| -> Vec<Draft> {
        let blocks = blocks(ask, known, direction).into_iter();
        blocks.flat_map(|block| of_block(direction, block)).collect()
    };
    known.directions().iter().flat_map(of).collect()
}

fn blocks(ask: &MapAsk, known: &CheckState<'_>, direction: Direction) -> Vec<Bytes> {
    let usual = BLOCKS[usize::from(direction == Direction::Write)];
    let large = known.large(direction);
    let mut blocks: Vec<Bytes> = ask.block.into_iter().map(|block| block.max(known.ask.block_min)).collect();
    blocks.push(known.small());
    blocks.extend(usual.into_iter().filter(|&block| block <= large && block > known.small()));
    let mut seen = Vec::new();
    blocks.retain(|block| {
        !seen.contains(block) && {
            seen.push(*block);
            true
        }
    });
    blocks
}

/// State of the search for one block in one direction.
struct Knee<'k> {
    ask: &'k MapAsk,
    known: &'k CheckState<'k>,
    direction: Direction,
    block: Bytes,
    /// Completed depths, in rising order.
    rungs: Vec<Rung>,
}

impl<'k> Knee<'k> {
    fn of(ask: &'k MapAsk, known: &'k CheckState<'k>, (direction, block): (Direction, Bytes)) -> Knee<'k> {
        let here = |record: &&StepRecord| is_of(record, direction, block);
        // The last look at a repeated cell counts.
        let mut rungs: Vec<Rung> = known
            .done
            .iter()
            .rev()
            .filter(here)
            .map(|record| Rung { depth: depth_of(&record.plan), rate: rate(record, direction) })
            .collect();
        rungs.sort_by_key(|rung| rung.depth);
        rungs.dedup_by_key(|rung| rung.depth);
        Knee { ask, known, direction, block, rungs }
    }

    /// Depths that ran as cells, and the next one.
    fn drafts(&self) -> Vec<Draft> {
        let cells =
            self.known.of_kind(StepKind::Cell).filter(|record| is_of(record, self.direction, self.block));
        let mut ran: Vec<u32> = cells.map(|record| depth_of(&record.plan)).collect();
        let mut seen = Vec::new();
        ran.retain(|depth| {
            !seen.contains(depth) && {
                seen.push(*depth);
                true
            }
        });
        let most = if self.bound_wanted().is_some() { DEPTHS_MOST_BOUND } else { DEPTHS_MOST };
        let next = (ran.len() < most).then(|| self.next()).flatten();
        let depths = ran.into_iter().chain(next);
        depths.map(|depth| cell(self.known, self.direction, self.block, depth)).collect()
    }

    /// The next depth, in this order: 1, a depth that fills the cap, the predicted knee, depths between those on both
    /// sides of it, and the depth at which the latency bound is reached.
    fn next(&self) -> Option<u32> {
        if !self.has(1) {
            return Some(1);
        }
        let deep = filling(self.known, self.direction, self.block).depth;
        if self.rungs.len() == 1 && deep > 1 {
            return Some(deep);
        }
        self.filling().or_else(|| self.bound())
    }

    fn has(&self, depth: u32) -> bool {
        self.rungs.iter().any(|rung| rung.depth == depth)
    }

    /// The next depth in the search for the least that fills the cap; `None` if it is known well enough.
    fn filling(&self) -> Option<u32> {
        let (first, last) = (self.rungs.first()?, self.rungs.last()?);
        let goal = FILLS * self.rungs.iter().map(|rung| rung.rate).fold(0.0, f64::max);
        let above = self.rungs.iter().position(|rung| rung.rate >= goal)?;
        let below = self.rungs[above.checked_sub(1)?];
        let guess = (goal / FILLS / first.rate).ceil() as u32;
        if guess > below.depth && guess < last.depth && !self.has(guess) {
            return Some(guess);
        }
        between(below.depth, self.rungs[above].depth)
    }

    /// The latency bound, if it is searched for: at the requested block, or at every block if none was requested.
    fn bound_wanted(&self) -> Option<Nanos> {
        self.ask.p99.filter(|_| self.ask.block.is_none_or(|asked| asked == self.block))
    }

    /// The next depth in the search for the greatest at which the latency bound holds.
    fn bound(&self) -> Option<u32> {
        let bound = self.bound_wanted()?;
        let holds = |rung: &Rung| self.p99(rung.depth).is_some_and(|p99| p99 <= bound);
        let above = self.rungs.iter().position(|rung| !holds(rung))?;
        let below = self.rungs[above.checked_sub(1)?];
        between(below.depth, self.rungs[above].depth)
    }

    /// 99th percentile of the last step at this depth.
    fn p99(&self, depth: u32) -> Option<Nanos> {
        let here = |record: &&StepRecord| {
            is_of(record, self.direction, self.block) && depth_of(&record.plan) == depth
        };
        let step = self.known.done.iter().rev().find(here)?;
        step.latency(self.direction).percentile(99.0).map(Nanos)
    }
}

/// The logarithmic middle between two depths; `None` if they are close enough.
fn between(below: u32, above: u32) -> Option<u32> {
    let middle = (f64::from(below) * f64::from(above)).sqrt().round() as u32;
    let near = f64::from(above) <= NEAR * f64::from(below);
    (!near && middle > below && middle < above).then_some(middle)
}

/// Whether a step ran this block in this direction in a closed loop at random places.
fn is_of(record: &StepRecord, direction: Direction, block: Bytes) -> bool {
    let kind = matches!(record.plan.kind, StepKind::DepthLadder | StepKind::BlockLadder | StepKind::Cell);
    kind && moves(&record.plan) == Some((direction, block)) && record.tally(direction).ops > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_depth_lies_between_until_both_sides_are_near() {
        assert_eq!(between(1, 64), Some(8));
        assert_eq!(between(8, 16), Some(11));
        assert_eq!(between(11, 16), None);
        assert_eq!(between(1, 2), None, "there is nothing between");
    }
}
