//! Where the next I/O goes: which file, and which block of its region.

use statistics::{Permutation, Stream};
use workload::{Bytes, Direction, FilePlan, Order, Repeats, WorkerPlan};

use super::seeds;
use crate::WorkerError;

/// Blocks that are looked up ahead. The look-ups do not depend on each other, so a processor does several at a time, which
/// it cannot between two readings of the clock.
const AHEAD: usize = 8;

/// Blocks of one length in the region of one file, with the place reached.
#[derive(Clone, Debug)]
struct Lane {
    /// First byte of the region.
    base: u64,
    block: u64,
    blocks: u64,
    /// Blocks visited in this pass; at most `blocks`.
    cursor: u64,
    pass: u64,
    seed: u64,
    permutation: Permutation,
    /// Blocks at the positions from `cursor` rounded down to a multiple of `AHEAD`, once one of them has been asked for.
    ahead: [u64; AHEAD],
}

impl Lane {
    fn new(file: &FilePlan, block: Bytes, seed: u64) -> Option<Lane> {
        let blocks = file.size.0.checked_div(block.0)?;
        let permutation = Permutation::new(blocks, seeds::pass_key(seed, 0))?;
        Some(Lane {
            base: file.offset.0,
            block: block.0,
            blocks,
            cursor: 0,
            pass: 0,
            seed,
            permutation,
            ahead: [0; AHEAD],
        })
    }

    /// Moves to the next block of the pass, or to the first of the next.
    #[inline]
    fn step(&mut self) -> u64 {
        if self.cursor == self.blocks {
            self.next_pass();
        }
        self.cursor += 1;
        self.cursor - 1
    }

    /// Each pass has its own order; a repeated order would let a cache of the volume learn it.
    #[cold]
    fn next_pass(&mut self) {
        self.cursor = 0;
        self.pass += 1;
        if let Some(next) = Permutation::new(self.blocks, seeds::pass_key(self.seed, self.pass)) {
            self.permutation = next;
        }
    }

    #[inline]
    fn sequential(&mut self) -> u64 {
        let block = self.step();
        self.base + block * self.block
    }

    #[inline]
    fn once_each(&mut self) -> u64 {
        let position = self.step();
        let place = position as usize % AHEAD;
        if place == 0 {
            self.look_ahead(position);
        }
        self.base + self.ahead[place] * self.block
    }

    #[inline(never)]
    fn look_ahead(&mut self, position: u64) {
        for (block, position) in self.ahead.iter_mut().zip(position..) {
            // Beyond the end of the pass this looks up what is not used.
            *block = self.permutation.at(position);
        }
    }

    #[inline]
    fn anywhere(&self, stream: &mut Stream) -> u64 {
        self.base + stream.below(self.blocks) * self.block
    }
}

/// The lanes of one file: reads and writes go their own sequential ways; in random order they share one pass where
/// their blocks are equally long, so that each block is visited once by either.
#[derive(Clone, Debug)]
struct Lanes {
    lanes: [Lane; 2],
    write_lane: usize,
}

/// Places of a worker.
#[derive(Clone, Debug)]
pub(super) struct Places {
    order: Order,
    random_percent: u64,
    files: Box<[Lanes]>,
    /// The file of the next I/O; files take turns.
    file: usize,
    stream: Stream,
}

impl Places {
    /// Places as `plan` says.
    ///
    /// # Errors
    /// [`WorkerError`] where a region holds no block.
    pub(super) fn new(plan: &WorkerPlan) -> Result<Places, WorkerError> {
        let shared = matches!(plan.access.order, Order::Random(_)) && plan.blocks.read == plan.blocks.write;
        let lanes_of = |(number, file): (usize, &FilePlan)| -> Result<Lanes, WorkerError> {
            let lane = |direction: Direction| {
                let block = plan.blocks.of(direction);
                let seed = seeds::lane_seed(plan.seed, number as u64, direction);
                Lane::new(file, block, seed)
            };
            let used = |direction| match direction {
                Direction::Read => !plan.access.mix.writes_only(),
                _ => !plan.access.mix.reads_only(),
            };
            // A direction that is never issued need not fit; it takes the other's lane.
            let read = lane(Direction::Read).filter(|_| used(Direction::Read));
            let write = lane(Direction::Write).filter(|_| used(Direction::Write));
            let lanes = match (read, write) {
                (Some(read), Some(write)) => [read, write],
                (Some(lane), None) if !used(Direction::Write) => [lane.clone(), lane],
                (None, Some(lane)) if !used(Direction::Read) => [lane.clone(), lane],
                _ => return Err(WorkerError::NoBlock { path: file.path.clone(), region: file.size }),
            };
            Ok(Lanes { lanes, write_lane: usize::from(!shared) })
        };
        let files: Box<[Lanes]> = plan.files.iter().enumerate().map(lanes_of).collect::<Result<_, _>>()?;
        if files.is_empty() {
            return Err(WorkerError::NoFile { job: plan.job.clone() });
        }
        Ok(Places {
            order: plan.access.order,
            random_percent: u64::from(plan.access.random_percent.min(100)),
            files,
            file: 0,
            stream: Stream::new(plan.seed, seeds::PLACES),
        })
    }

    /// File and byte offset of the next I/O of `direction`, which reads or writes.
    #[inline]
    pub(super) fn next(&mut self, direction: Direction) -> (u32, u64) {
        let file = self.file;
        if self.files.len() > 1 {
            self.file = if file + 1 == self.files.len() { 0 } else { file + 1 };
        }
        let lanes = &mut self.files[file];
        let lane = &mut lanes.lanes[if direction == Direction::Write { lanes.write_lane } else { 0 }];
        let offset = match self.order {
            Order::Random(Repeats::Without) => lane.once_each(),
            Order::Random(Repeats::With) => lane.anywhere(&mut self.stream),
            Order::Sequential if self.random_percent == 0 => lane.sequential(),
            Order::Sequential if self.stream.below(100) < self.random_percent => {
                lane.anywhere(&mut self.stream)
            }
            Order::Sequential => lane.sequential(),
        };
        (file as u32, offset)
    }
}
