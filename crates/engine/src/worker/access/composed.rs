//! All other orders: lengths that vary, separate alignment, skewed and zoned offsets, runs, strides, pieces, trims, and
//! files that are not simply taken in turn. Each of these is one value, combined as the plan asks.

use statistics::Stream;
use workload::{
    BlockSizes, Direction, FilePlan, Follow, LengthsBy, Mix, Order, Pieces, Repeats, Runs, Spread, WorkerPlan,
};

use super::super::seeds;
use super::cover::Cover;
use super::lengths::LengthDraw;
use super::pass::Passes;
use super::spread::{BlockRange, SpreadDraw};
use super::turn::{Rounds, Turn};
use crate::worker::error::WorkerError;
use crate::worker::next_io::NextIo;

/// Number of directions with offsets: reads, writes and trims.
const WAYS: usize = 3;

/// The order of a worker whose access is composed.
#[derive(Clone, Debug)]
pub(in crate::worker) struct ComposedOrder {
    order: Order,
    random_percent: [u64; WAYS],
    runs: Option<Runs>,
    /// Whether each write is preceded by a trim of its place.
    pairs: bool,
    by: LengthsBy,
    lengths: [LengthDraw; WAYS],
    length_stream: Stream,
    files: Box<[[Lane; WAYS]]>,
    /// The lane of each direction; in random order without repeats directions may share one.
    lane_of: [usize; WAYS],
    turn: Turn,
    stream: Stream,
    /// The second I/O of a pair.
    pending: Option<NextIo>,
}

/// The offsets of one direction in one file, counted from the region's first byte.
#[derive(Clone, Debug)]
struct Lane {
    base: u64,
    size: u64,
    shortest: u64,
    align: u64,
    stride: i64,
    /// The part where I/O goes now: the region, or a piece of it.
    window: Window,
    pieces: Option<Pieces>,
    /// Bytes of the piece that have been covered.
    done: u64,
    /// Bytes of the region covered since its last complete round.
    done_once: u64,
    uniform: bool,
    spread: SpreadDraw,
    pass: Option<Passes>,
    /// Passes by I/Os of several lengths.
    cover: Option<Cover>,
    /// Start and end of the last I/O, from the window's start; `None` before the first.
    last: Option<(u64, u64)>,
    /// Number of I/Os left of a run.
    run_left: u32,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    start: u64,
    length: u64,
}

impl ComposedOrder {
    /// The order that `plan` asks for.
    ///
    /// # Errors
    /// [`WorkerError`] if a region does not hold the longest I/O.
    pub(super) fn new(plan: &WorkerPlan) -> Result<ComposedOrder, WorkerError> {
        let (access, blocks) = (&plan.access, &plan.blocks);
        let lanes_of = |(number, file): (usize, &FilePlan)| -> Result<[Lane; WAYS], WorkerError> {
            let lane = |direction| Lane::new(plan, file, number as u64, direction);
            let fits = |direction| !access.mix.issues(direction) || blocks.longest_of(direction) <= file.size;
            if file.size.0 == 0 || !DIRECTIONS.into_iter().all(fits) {
                return Err(WorkerError::NoBlock { path: file.path.clone(), region: file.size });
            }
            Ok(DIRECTIONS.map(lane))
        };
        let percent = access.random_percent;
        let files: Box<[_]> = plan.files.iter().enumerate().map(lanes_of).collect::<Result<_, _>>()?;
        Ok(ComposedOrder {
            order: access.order,
            random_percent: [percent.read, percent.write, percent.trim].map(u64::from),
            runs: access.runs,
            pairs: access.mix == Mix::TRIM_WRITE,
            by: blocks.by,
            lengths: DIRECTIONS.map(|direction| LengthDraw::new(blocks.of(direction))),
            length_stream: Stream::new(plan.seed, seeds::LENGTHS),
            lane_of: lane_of(plan),
            turn: Turn::new(access.files, (files.len(), rounds(plan)), Stream::new(plan.seed, seeds::FILES)),
            files,
            stream: Stream::new(plan.seed, seeds::PLACES),
            pending: None,
        })
    }

    /// The next I/O of `kind`.
    pub(super) fn next(&mut self, kind: Direction) -> NextIo {
        if let Some(second) = self.pending.take() {
            return second;
        }
        let file = self.turn.next();
        let way = kind.index().min(WAYS - 1);
        let lane = &mut self.files[file as usize][self.lane_of[way]];
        let jumps = match self.order {
            _ if lane.run_left > 0 => false,
            Order::Random(_) => true,
            Order::Sequential => {
                self.random_percent[way] > 0 && self.stream.below(100) < self.random_percent[way]
            }
        };
        let lengths = match self.by {
            LengthsBy::Direction => &self.lengths[way],
            LengthsBy::Sequence => &self.lengths[usize::from(jumps)],
        };
        let mut length = lengths.next(&mut self.length_stream);
        let start = if jumps {
            lane.run_left = self.runs.map_or(0, |runs| runs.length.max(1) - 1);
            match &mut lane.cover {
                Some(cover) => {
                    let (first, count) = cover.next(length.div_ceil(lane.align), &mut self.stream);
                    length = length.min(count * lane.align);
                    first * lane.align
                }
                None => lane.jump(length, &mut self.stream),
            }
        } else {
            lane.run_left = lane.run_left.saturating_sub(1);
            if matches!(self.runs, Some(Runs { follow: Follow::Same, .. })) {
                lane.stay(length)
            } else {
                length = lane.fitting(length, |room| lengths.within(room, &mut self.length_stream));
                lane.follow(length)
            }
        };
        let offset = lane.take(start, length);
        if lane.is_done_once() {
            self.turn.done_once();
        }
        let place = NextIo { kind, file, offset, bytes: length as u32 };
        if self.pairs && kind == Direction::Write {
            self.pending = Some(place);
            return NextIo { kind: Direction::Trim, ..place };
        }
        place
    }

    /// Returns `place`, the last one drawn, with another length of at most `room` bytes; `None` if no length is as short.
    pub(super) fn shortened(&mut self, place: NextIo, room: u64) -> Option<NextIo> {
        if self.pairs || self.by == LengthsBy::Sequence {
            return None;
        }
        let way = place.kind.index().min(WAYS - 1);
        let length = self.lengths[way].within(room, &mut self.length_stream)?;
        self.files[place.file as usize][self.lane_of[way]]
            .leave(u64::from(place.bytes).saturating_sub(length));
        Some(NextIo { bytes: length as u32, ..place })
    }
}

const DIRECTIONS: [Direction; WAYS] = [Direction::Read, Direction::Write, Direction::Trim];

/// The lane of each direction: in random order without repeats, reads and writes with blocks of the same lengths share one
/// pass, so that each block is visited once by either.
fn lane_of(plan: &WorkerPlan) -> [usize; WAYS] {
    let without = plan.access.order == Order::Random(Repeats::Without);
    let same = |a: Direction, b: Direction| {
        plan.blocks.of(a) == plan.blocks.of(b) && plan.blocks.align_of(a) == plan.blocks.align_of(b)
    };
    if without && same(Direction::Read, Direction::Write) { [0, 0, 2] } else { [0, 1, 2] }
}

/// Whether files are done in rounds: if one lane visits each block of a file once before visiting any again.
fn rounds(plan: &WorkerPlan) -> Rounds {
    let (access, [read, write, _]) = (&plan.access, lane_of(plan));
    let once = match access.order {
        Order::Sequential => access.random_percent.iter().all(|(_, &percent)| percent == 0),
        Order::Random(Repeats::Without) => {
            access.spread == Spread::Uniform
                && access.mix.directions().all(|direction| is_one_length(&plan.blocks, direction))
        }
        Order::Random(Repeats::With) => false,
    };
    let mixed = access.mix.issues(Direction::Read) && access.mix.issues(Direction::Write);
    let in_parts = access.pieces.is_some() || access.runs.is_some() || access.stride != 0;
    if once && !in_parts && (!mixed || read == write) { Rounds::EachOnce } else { Rounds::None }
}

impl Lane {
    fn new(plan: &WorkerPlan, file: &FilePlan, number: u64, direction: Direction) -> Lane {
        let (access, blocks) = (&plan.access, &plan.blocks);
        let seed = seeds::lane_seed(plan.seed, number, direction);
        let pieces = access.pieces.filter(|pieces| pieces.range.0 > 0 && pieces.range <= file.size);
        let window = Window { start: 0, length: pieces.map_or(file.size.0, |pieces| pieces.range.0) };
        let align = blocks.align_of(direction).0.max(1);
        let count = window.length / align;
        let uniform = access.spread == Spread::Uniform;
        let once = access.order == Order::Random(Repeats::Without) && uniform;
        let one_length = is_one_length(blocks, direction);
        let used = access.mix.directions().any(|other| lane_of(plan)[other.index()] == direction.index());
        // In steps of the shortest length nothing is shortened below it.
        let in_steps = access.runs.is_none() && align == blocks.shortest_of(direction).0;
        Lane {
            base: file.offset.0,
            size: file.size.0,
            shortest: blocks.shortest_of(direction).0.max(1),
            align,
            stride: access.stride,
            window,
            pieces,
            done: 0,
            done_once: 0,
            uniform,
            spread: SpreadDraw::new(
                &access.spread,
                direction,
                BlockRange { blocks: count, block: align },
                seeds::pass_key(seed, u64::MAX),
            ),
            pass: if once && is_spaced(blocks, direction) { Passes::new(count, seed) } else { None },
            cover: if once && !one_length && used && in_steps { Cover::new(count) } else { None },
            last: None,
            run_left: 0,
        }
    }

    /// A random offset for `length` bytes, from the window's start.
    fn jump(&mut self, length: u64, stream: &mut Stream) -> u64 {
        let most = self.window.length.saturating_sub(length) / self.align;
        let block = match &mut self.pass {
            Some(pass) => pass.next(),
            None if self.uniform => stream.below(most + 1),
            // The last blocks may leave too little room after them.
            None => self.spread.next(stream).min(most),
        };
        block * self.align
    }

    /// Returns the offset of the last I/O again.
    fn stay(&self, length: u64) -> u64 {
        let start = self.last.map_or(0, |(start, _)| start);
        start.min(self.window.length.saturating_sub(length))
    }

    /// Returns the offset after the last I/O and the stride, or starts from the other end if that leaves the window.
    fn follow(&self, length: u64) -> u64 {
        let next = match self.last {
            None if self.stride < 0 && self.base > 0 => self.first_backwards(),
            None => Some(0),
            Some((_, end)) if self.stride < 0 => self.before(end).or_else(|| self.before(self.window.length)),
            Some((_, end)) => Some(end.saturating_add(self.stride.unsigned_abs())),
        };
        next.filter(|start| start + length <= self.window.length).unwrap_or(0)
    }

    /// The first offset of a negative stride in a region that does not begin with its file: fio goes back from the end of the
    /// region, or, if the region is longer than what precedes it, from as much before its end.
    fn first_backwards(&self) -> Option<u64> {
        match self.size.checked_sub(self.base) {
            Some(0) => Some(0),
            end => end.and_then(|end| self.before(end)).or_else(|| self.before(self.window.length)),
        }
    }

    /// A negative stride back from `end`; `None` if that is before the window.
    fn before(&self, end: u64) -> Option<u64> {
        end.checked_sub(self.stride.unsigned_abs())
    }

    /// Returns `length`, or, if it does not fit before the window's end but a shorter one may, what `within` draws of those
    /// that fit.
    fn fitting(&self, length: u64, within: impl FnOnce(u64) -> Option<u64>) -> u64 {
        let end = self.last.map_or(0, |(_, end)| end);
        let room = self.window.length.saturating_sub(end);
        if length <= room || self.shortest > room || self.stride != 0 {
            return length;
        }
        within(room).unwrap_or(length)
    }

    /// Notes an I/O of `length` at `start` and returns its byte offset in the file.
    fn take(&mut self, start: u64, length: u64) -> u64 {
        let mut place = self.window.start + start;
        if place + length > self.size {
            // A piece may be shorter than the block, but the region's end is never passed.
            place = self.size.saturating_sub(length) / self.align * self.align;
        }
        let offset = self.base + place;
        self.last = Some((start, start + length));
        self.done += length;
        self.done_once += length;
        if let Some(pieces) = self.pieces
            && self.done >= pieces.size.0
        {
            self.next_piece(pieces);
        }
        offset
    }

    /// Takes back the last `bytes` of the last I/O.
    fn leave(&mut self, bytes: u64) {
        self.last = self.last.map(|(start, end)| (start, end.saturating_sub(bytes)));
        self.done = self.done.saturating_sub(bytes);
        self.done_once = self.done_once.saturating_sub(bytes);
    }

    fn next_piece(&mut self, pieces: Pieces) {
        let start = self.window.start.saturating_add(pieces.range.0).saturating_add(pieces.skip.0);
        let fits = start.checked_add(pieces.range.0).is_some_and(|end| end <= self.size);
        self.window.start = if fits { start } else { 0 };
        self.done = 0;
        self.last = None;
        self.run_left = 0;
        if let Some(pass) = &mut self.pass {
            // Each piece has separate blocks.
            pass.leave();
        }
        if let Some(cover) = &mut self.cover {
            cover.leave();
        }
    }

    /// Whether the region has been covered once since this was last true.
    fn is_done_once(&mut self) -> bool {
        let over = self.done_once + self.shortest > self.size;
        if over {
            self.done_once = 0;
        }
        over
    }
}

/// Whether all I/O of `direction` has one length and no two of its places overlap.
fn is_spaced(blocks: &BlockSizes, direction: Direction) -> bool {
    let fixed = blocks.of(direction).fixed();
    blocks.by == LengthsBy::Direction && fixed.is_some_and(|length| length <= blocks.align_of(direction))
}

/// Whether all I/O of `direction` has one length and lies at multiples of it.
fn is_one_length(blocks: &BlockSizes, direction: Direction) -> bool {
    let fixed = blocks.of(direction).fixed();
    blocks.by == LengthsBy::Direction && fixed.is_some_and(|length| length == blocks.align_of(direction))
}
