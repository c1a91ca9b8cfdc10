//! The plain orders: one block length per direction, in sequence or uniformly at random. The common case, so it has the
//! shortest path of all.

use statistics::Stream;
use workload::{Bytes, Direction, FilePlan, FileTurn, LengthsBy, Order, Repeats, Spread, WorkerPlan};

use super::super::seeds;
use super::pass::Passes;
use crate::worker::error::WorkerError;
use crate::worker::next_io::NextIo;

/// Blocks of one length in the region of one file, with the position reached.
#[derive(Clone, Debug)]
struct Lane {
    /// First byte of the region.
    base: u64,
    block: u64,
    blocks: u64,
    /// The block at which a sequence continues; at most `blocks`.
    cursor: u64,
    passes: Passes,
}

impl Lane {
    fn new(file: &FilePlan, block: Bytes, seed: u64) -> Option<Lane> {
        let blocks = file.size.0.checked_div(block.0)?;
        let passes = Passes::new(blocks, seed)?;
        Some(Lane { base: file.offset.0, block: block.0, blocks, cursor: 0, passes })
    }

    /// Returns the next block, or the first again after the last.
    #[inline]
    fn sequential(&mut self) -> u64 {
        let block = if self.cursor == self.blocks { 0 } else { self.cursor };
        debug_assert!(block < self.blocks, "a sequence goes beyond its region");
        self.cursor = block + 1;
        self.base + block * self.block
    }

    #[inline]
    fn once_each(&mut self) -> u64 {
        self.base + self.passes.next() * self.block
    }

    /// Returns a random block, from which the sequence continues.
    #[inline]
    fn jump(&mut self, stream: &mut Stream) -> u64 {
        let block = stream.below(self.blocks);
        debug_assert!(block < self.blocks, "a random place lies beyond its region");
        self.cursor = block + 1;
        self.base + block * self.block
    }

    #[inline]
    fn anywhere(&self, stream: &mut Stream) -> u64 {
        self.base + stream.below(self.blocks) * self.block
    }
}

/// The lanes of one file: in sequence, reads and writes each have a lane; in random order they share one pass if their
/// blocks have the same length, so that each block is visited once by either.
#[derive(Clone, Debug)]
struct Lanes {
    lanes: [Lane; 2],
    write_lane: usize,
}

/// The order of a worker whose access is plain.
#[derive(Clone, Debug)]
pub(in crate::worker) struct Plain {
    order: Order,
    random_percent: u64,
    files: Box<[Lanes]>,
    /// Length of the longest I/O in bytes.
    longest: u32,
    /// The file of the next I/O; files take turns.
    file: usize,
    stream: Stream,
}

/// Whether `plan` asks for nothing that [`Plain`] lacks.
pub(super) fn is_plain(plan: &WorkerPlan) -> bool {
    let (access, blocks) = (&plan.access, &plan.blocks);
    let one_share = access.random_percent.read == access.random_percent.write;
    let issued = || blocks.lengths.iter().filter(|(direction, _)| access.mix.issues(*direction));
    let own_align =
        |direction| blocks.align.of(direction).is_none_or(|align| align == blocks.longest_of(direction));
    let one_size = plan.files.windows(2).all(|pair| pair[0].size == pair[1].size);
    one_size
        && issued().all(|(direction, lengths)| lengths.fixed().is_some() && own_align(direction))
        && blocks.by == LengthsBy::Direction
        && !access.mix.issues(Direction::Trim)
        && access.spread == Spread::Uniform
        && (access.stride, access.runs, access.pieces) == (0, None, None)
        && access.files == FileTurn::IN_TURN
        && (one_share || access.mix.reads_only() || access.mix.writes_only())
}

impl Plain {
    /// The order that `plan` asks for.
    ///
    /// # Errors
    /// [`WorkerError`] if a region holds no block.
    pub(super) fn new(plan: &WorkerPlan) -> Result<Plain, WorkerError> {
        let mix = plan.access.mix;
        let length = |direction| plan.blocks.longest_of(direction);
        let random = matches!(plan.access.order, Order::Random(_));
        let shared = random && length(Direction::Read) == length(Direction::Write);
        let lanes_of = |(number, file): (usize, &FilePlan)| -> Result<Lanes, WorkerError> {
            let lane = |direction: Direction| {
                let seed = seeds::lane_seed(plan.seed, number as u64, direction);
                Lane::new(file, length(direction), seed).filter(|_| mix.issues(direction))
            };
            // A direction that is never issued need not fit; it takes the other's lane.
            let lanes = match (lane(Direction::Read), lane(Direction::Write)) {
                (Some(read), Some(write)) => [read, write],
                (Some(lane), None) if !mix.issues(Direction::Write) => [lane.clone(), lane],
                (None, Some(lane)) if !mix.issues(Direction::Read) => [lane.clone(), lane],
                _ => return Err(WorkerError::NoBlock { path: file.path.clone(), region: file.size }),
            };
            Ok(Lanes { lanes, write_lane: usize::from(!shared) })
        };
        let percent = plan.access.random_percent;
        let percent = if mix.issues(Direction::Read) { percent.read } else { percent.write };
        Ok(Plain {
            order: plan.access.order,
            random_percent: u64::from(percent.min(100)),
            longest: plan.blocks.longest().0.min(u64::from(u32::MAX)) as u32,
            files: plan.files.iter().enumerate().map(lanes_of).collect::<Result<_, _>>()?,
            file: 0,
            stream: Stream::new(plan.seed, seeds::PLACES),
        })
    }

    /// Length of the longest I/O in bytes.
    #[inline]
    pub(in crate::worker) fn longest(&self) -> u32 {
        self.longest
    }

    /// Whether all I/O goes to one file and an [`OffsetRun`] gives its offsets.
    pub(in crate::worker) fn is_one_run(&self) -> bool {
        let drawn_singly = self.order == Order::Random(Repeats::With)
            || self.order == Order::Sequential && self.random_percent > 0;
        self.files.len() == 1 && !drawn_singly
    }

    /// The offsets and the length of I/O of `kind`; only if [`is_one_run`](Plain::is_one_run).
    #[inline(always)]
    pub(in crate::worker) fn run(&mut self, kind: Direction) -> (OffsetRun<'_>, u32) {
        let sequential = self.order == Order::Sequential;
        let lanes = &mut self.files[0];
        let lane = &mut lanes.lanes[if kind == Direction::Write { lanes.write_lane } else { 0 }];
        let bytes = lane.block as u32;
        (OffsetRun { sequential, lane }, bytes)
    }

    /// The next I/O of `kind`, a read or a write.
    #[inline(always)]
    pub(in crate::worker) fn next(&mut self, kind: Direction) -> NextIo {
        let file = self.file;
        if self.files.len() > 1 {
            self.file = if file + 1 == self.files.len() { 0 } else { file + 1 };
        }
        let lanes = &mut self.files[file];
        let lane = &mut lanes.lanes[if kind == Direction::Write { lanes.write_lane } else { 0 }];
        let bytes = lane.block as u32;
        let offset = match self.order {
            Order::Random(Repeats::Without) => lane.once_each(),
            Order::Random(Repeats::With) => lane.anywhere(&mut self.stream),
            Order::Sequential if self.random_percent == 0 => lane.sequential(),
            Order::Sequential if self.stream.below(100) < self.random_percent => lane.jump(&mut self.stream),
            Order::Sequential => lane.sequential(),
        };
        NextIo { kind, file: file as u32, offset, bytes }
    }
}

/// The offsets of one direction in one file, in sequence or each block once.
pub(in crate::worker) struct OffsetRun<'p> {
    sequential: bool,
    lane: &'p mut Lane,
}

impl OffsetRun<'_> {
    /// The offset of the next I/O.
    #[inline(always)]
    pub(in crate::worker) fn next(&mut self) -> u64 {
        if self.sequential { self.lane.sequential() } else { self.lane.once_each() }
    }
}
