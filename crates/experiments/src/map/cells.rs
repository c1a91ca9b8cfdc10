//! Cells: one block size at one depth, for as long as a short look.

use record::StepRecord;
use workload::{Access, BlockSizes, Bytes, Direction, Job, Mix, StepKind};

use crate::check::draft::{Draft, Length, Rank};
use crate::check::known::{CheckState, depth_of, moves, rate};
use crate::check::ladders::{filling, job, share};

/// Granularity of the sizes around a crossover, as database blocks have it.
const STEP: Bytes = Bytes::kib(4);
/// Multiple of the crossover from which a block is limited by bytes whatever the errors of the two caps, and a multiple
/// safely beyond it.
const CLEARLY: (f64, f64) = (1.25, 1.4);
/// Shortfall, as a share, against a load that cannot be faster, from which a load was disturbed: it stays below that on
/// a volume that varies by 5 %.
const OFF: f64 = 0.08;
/// Maximum number of cells that are repeated: if more are off, the volume itself varies.
const AGAIN_MOST: usize = 4;
/// Weights of a cell in sharing out bytes, for small and for large blocks.
const WEIGHTS: [f64; 2] = [0.4, 1.0];

/// Random I/O of `block` in `direction` at `depth`.
pub(super) fn cell(known: &CheckState<'_>, direction: Direction, block: Bytes, depth: u32) -> Draft {
    let name = format!("cell {} {block} depth {depth}", direction.name());
    let job = Job { depth, blocks: BlockSizes::all(block), ..job(known, direction) };
    let weight = WEIGHTS[usize::from(block > known.small())];
    looked(known, name, job, share(direction, weight))
}

/// Reads and writes of `block` at once.
pub(super) fn mixed(known: &CheckState<'_>, read_percent: u8, block: Bytes, depth: u32) -> Draft {
    let name = format!("cell {read_percent}/{} {block} depth {depth}", 100 - read_percent);
    let access = Access::random(Mix::reads(read_percent));
    let job = Job { depth, access, blocks: BlockSizes::all(block), ..job(known, Direction::Read) };
    let written = f64::from(100 - read_percent) / 100.0;
    let weight = WEIGHTS[usize::from(block > known.small())];
    looked(known, name, job, written * weight)
}

fn looked(known: &CheckState<'_>, name: String, job: Job, share: f64) -> Draft {
    let length = Length::Look(known.ask.effort.look);
    Draft { name, kind: StepKind::Cell, job, length, rank: Rank::May, share }
}

/// Whether a step other than a cell ran this block with a full queue.
fn is_on_ladder(known: &CheckState<'_>, direction: Direction, block: Bytes) -> bool {
    known.last_rate(direction, block).is_some()
}

/// Blocks on both sides of the size at which operations give way to bytes, at depth: whether that corner is hard.
pub(super) fn crossing(known: &CheckState<'_>) -> Vec<Draft> {
    let of = |&direction: &Direction| -> Vec<Draft> {
        let Some(at) = crossover(known, direction) else { return Vec::new() };
        let below = Bytes((at / STEP.0 as f64).floor() as u64 * STEP.0);
        let above = Bytes(below.0 + STEP.0);
        let sides = [below, above].into_iter().filter(|&block| block > known.small());
        let beyond = beyond(known, direction, at);
        let missing = sides.chain(beyond).filter(|&block| !is_on_ladder(known, direction, block));
        missing.map(|block| cell(known, direction, block, filling(known, direction, block).depth)).collect()
    };
    known.directions().iter().flat_map(of).collect()
}

/// A block size between the crossover and the largest one, if no rung lies there: one size alone shows no level of
/// bytes.
fn beyond(known: &CheckState<'_>, direction: Direction, at: f64) -> Option<Bytes> {
    let rungs = known.of_kind(StepKind::BlockLadder).filter_map(|record| moves(&record.plan));
    let held = |block: &Bytes| block.0 as f64 >= CLEARLY.0 * at;
    let mut rungs: Vec<Bytes> =
        rungs.filter(|(way, _)| *way == direction).map(|(_, block)| block).filter(held).collect();
    rungs.sort_unstable();
    rungs.dedup();
    let largest = *rungs.last()?;
    let block = Bytes((CLEARLY.1 * at / STEP.0 as f64).ceil() as u64 * STEP.0);
    (rungs.len() == 1 && block < largest).then_some(block)
}

/// Full queues that were clearly slower than a shallower one or one of longer blocks: something disturbed them, and they
/// are repeated.
pub(super) fn again(known: &CheckState<'_>) -> Vec<Draft> {
    let looks = Look::firsts(known);
    let wanted = looks.iter().filter(|look| looks.iter().any(|other| look.is_less_than(other)));
    let again = |look: &Look| {
        let draft = cell(known, look.direction, look.block, look.depth);
        Draft { name: format!("{} again", draft.name), ..draft }
    };
    let mut drafts: Vec<Draft> = wanted.map(again).collect();
    drafts.truncate(AGAIN_MOST);
    drafts
}

/// A random load in one direction, with its rate.
struct Look {
    direction: Direction,
    block: Bytes,
    depth: u32,
    rate: f64,
}

impl Look {
    fn of(record: &StepRecord) -> Option<Look> {
        use StepKind::{BlockLadder, Cell, DepthLadder};
        let (direction, block) = moves(&record.plan)?;
        let is_look = matches!(record.plan.kind, BlockLadder | Cell | DepthLadder);
        let rate = rate(record, direction);
        is_look.then(|| Look { direction, block, depth: depth_of(&record.plan), rate })
    }

    /// The first look at each cell, which decides whether the cell is repeated, even after the repetition.
    fn firsts(known: &CheckState<'_>) -> Vec<Look> {
        let mut firsts: Vec<Look> = Vec::new();
        for look in known.done.iter().filter_map(Look::of) {
            if firsts.iter().all(|first| !first.is_same(&look)) {
                firsts.push(look);
            }
        }
        firsts
    }

    fn is_same(&self, other: &Look) -> bool {
        (self.direction, self.block, self.depth) == (other.direction, other.block, other.depth)
    }

    /// Whether this look is clearly slower than another look that cannot be faster.
    fn is_less_than(&self, other: &Look) -> bool {
        let may_have_more = other.depth > self.depth || other.block < self.block;
        other.direction == self.direction && !may_have_more && self.rate < (1.0 - OFF) * other.rate
    }
}

/// Block size in bytes at which the best operations and the most bytes meet; `None` if either is unknown, or if they meet
/// at the small block or at the largest.
fn crossover(known: &CheckState<'_>, direction: Direction) -> Option<f64> {
    // From the rungs alone, so that later cells between them do not move the crossover.
    let rungs = known.of_kind(StepKind::BlockLadder);
    let of_way = rungs.filter_map(|record| Some((moves(&record.plan)?, record)));
    let large = of_way.filter(|((way, _), _)| *way == direction).max_by_key(|((_, block), _)| *block);
    let ((_, large), record) = large?;
    let bytes = rate(record, direction) * large.0 as f64;
    let small = known.best(direction);
    let at = bytes / small;
    (small > 0.0 && at > known.small().0 as f64 && at < large.0 as f64).then_some(at)
}
