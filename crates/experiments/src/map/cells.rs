//! Cells: one block at one depth, for as long as a short look.

use workload::{Access, BlockSizes, Bytes, Direction, Job, Mix, StepKind};

use crate::check::draft::{Draft, Length, Rank};
use crate::check::known::{Known, moves, rate};
use crate::check::ladders::{filling, job, share};

/// Sizes between which a crossover is looked at: multiples of this, as blocks of data bases are.
const STEP: Bytes = Bytes::kib(4);
/// Weight of a cell of small blocks where what may be written is shared out, and of large ones.
const WEIGHTS: [f64; 2] = [0.4, 1.0];

/// `block` in `direction` at `depth`, at random.
pub(super) fn cell(known: &Known<'_>, direction: Direction, block: Bytes, depth: u32) -> Draft {
    let name = format!("cell {} {block} depth {depth}", direction.name());
    let job = Job { depth, blocks: BlockSizes::all(block), ..job(known, direction) };
    let weight = WEIGHTS[usize::from(block > known.small())];
    looked(known, name, job, share(direction, weight))
}

/// Reads and writes of `block` at once.
pub(super) fn mixed(known: &Known<'_>, read_percent: u8, block: Bytes, depth: u32) -> Draft {
    let name = format!("cell {read_percent}/{} {block} depth {depth}", 100 - read_percent);
    let access = Access::random(Mix::reads(read_percent));
    let job = Job { depth, access, blocks: BlockSizes::all(block), ..job(known, Direction::Read) };
    let written = f64::from(100 - read_percent) / 100.0;
    let weight = WEIGHTS[usize::from(block > known.small())];
    looked(known, name, job, written * weight)
}

fn looked(known: &Known<'_>, name: String, job: Job, share: f64) -> Draft {
    let length = Length::Look(known.ask.effort.look);
    Draft { name, kind: StepKind::Cell, job, length, rank: Rank::May, share }
}

/// Whether a step beside the cells has this block with a full queue.
fn is_on_ladder(known: &Known<'_>, direction: Direction, block: Bytes) -> bool {
    known.last_rate(direction, block).is_some()
}

/// Blocks on both sides of the size at which operations give way to bytes, deep: whether that corner is hard.
pub(super) fn crossing(known: &Known<'_>) -> Vec<Draft> {
    let of = |&direction: &Direction| -> Vec<Draft> {
        let Some(at) = crossover(known, direction) else { return Vec::new() };
        let below = Bytes((at / STEP.0 as f64).floor() as u64 * STEP.0);
        let above = Bytes(below.0 + STEP.0);
        let sides = [below, above].into_iter().filter(|&block| block > known.small());
        let missing = sides.filter(|&block| !is_on_ladder(known, direction, block));
        missing.map(|block| cell(known, direction, block, filling(known, direction, block).depth)).collect()
    };
    known.directions().iter().flat_map(of).collect()
}

/// Bytes at which the best operations and the most bytes meet; `None` where either is not known or they meet at the small
/// block or at the largest.
fn crossover(known: &Known<'_>, direction: Direction) -> Option<f64> {
    // By the rungs alone: what comes between them later shall not move the cells about.
    let rungs = known.of_kind(StepKind::BlockLadder);
    let of_way = rungs.filter_map(|record| Some((moves(&record.plan)?, record)));
    let large = of_way.filter(|((way, _), _)| *way == direction).max_by_key(|((_, block), _)| *block);
    let ((_, large), record) = large?;
    let bytes = rate(record, direction) * large.0 as f64;
    let small = known.best(direction);
    let at = bytes / small;
    (small > 0.0 && at > known.small().0 as f64 && at < large.0 as f64).then_some(at)
}
