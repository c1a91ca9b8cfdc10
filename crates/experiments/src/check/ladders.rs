//! Latency at depth 1, the ladders of depths, and the ladder of block sizes.

use workload::{Access, BlockSizes, Bytes, Direction, Flush, Job, Mix, Nanos, StepKind, Think};

use super::draft::{Draft, Length, Rank};
use super::known::{CheckState, DEPTH_MARGIN, DEPTH_MAX, GAIN, LARGE, Rung};

/// Block sizes of the read ladder beside the small one: the sizes in published tables.
const READ_BLOCKS: [Bytes; 5] = [Bytes::kib(16), Bytes::kib(32), Bytes::kib(64), Bytes::kib(256), LARGE];
/// Block sizes of the write ladder: two, so that a bandwidth cap shows as one level at both.
const WRITE_BLOCKS: [Bytes; 2] = [Bytes::kib(256), LARGE];
/// Longest backlog of a queue at the known rate: a longer one would only cost time.
const QUEUED_MOST: Nanos = Nanos::from_secs(2);
/// Share of the cap from which depth 1 already reaches it.
const BOUND_AT_ONE: f64 = 0.9;
/// Pause between spaced I/Os, in intervals of the limiting rate.
const SPACED: f64 = 4.0;

/// Random I/O of the small block in one direction, at depth 1.
pub(crate) fn job(known: &CheckState<'_>, direction: Direction) -> Job {
    let mix = if direction == Direction::Write { Mix::WRITE } else { Mix::READ };
    Job {
        access: Access::random(mix),
        blocks: BlockSizes::all(known.small()),
        ..Job::named(direction.name())
    }
}

/// Weight of writes in the division of the bytes that may be written; 0 for reads.
pub(crate) fn share(direction: Direction, weight: f64) -> f64 {
    if direction == Direction::Write { weight } else { 0.0 }
}

/// Read, write, and write with a flush, one I/O at a time.
pub(crate) fn latency(known: &CheckState<'_>) -> Vec<Draft> {
    let draft = |name: &str, job: Job, share: f64| Draft {
        name: name.to_owned(),
        kind: StepKind::Latency,
        job,
        length: Length::Time(known.ask.effort.latency),
        rank: Rank::Must,
        share,
    };
    let mut drafts = vec![draft("latency read", job(known, Direction::Read), 0.0)];
    if known.writes() {
        let write = job(known, Direction::Write);
        let flushed = Job { flush: Flush::Every(1), ..write.clone() };
        drafts.push(draft("latency write", write, 0.5));
        drafts.push(draft("latency flush", flushed, 0.5));
    }
    drafts
}

/// Latency with spaced I/Os, if the cap already binds at depth 1: each starts a fixed pause, longer than the cap
/// requires, after the previous one has completed, because at a fixed pace it would wait behind a slow one.
pub(crate) fn spaced(known: &CheckState<'_>, direction: Direction) -> Option<Draft> {
    let one = known.step(&format!("latency {}", direction.name()))?;
    let (first, best) = (super::known::rate(one, direction), known.best(direction));
    if first < BOUND_AT_ONE * best || best <= 0.0 {
        return None;
    }
    let think = Some(Think::each(1, Nanos::from_secs_f64(SPACED / first)));
    Some(Draft {
        name: format!("latency {} spaced", direction.name()),
        kind: StepKind::Latency,
        job: Job { think, ..job(known, direction) },
        length: Length::Time(known.ask.effort.latency),
        rank: Rank::Must,
        share: share(direction, 0.2),
    })
}

/// Completed rungs of a depth ladder, and the next one.
pub(crate) fn depths(known: &CheckState<'_>, direction: Direction) -> Vec<Draft> {
    let rungs = known.rungs(direction);
    let next = if direction == Direction::Write { next_write(known, &rungs) } else { next_read(&rungs) };
    let all = rungs.iter().map(|rung| rung.depth).chain(next);
    all.map(|depth| depth_rung(known, direction, depth)).collect()
}

/// Twice the last depth, until two doublings gain no more than 2 %.
fn next_read(rungs: &[Rung]) -> Option<u32> {
    let Some(last) = rungs.last() else { return Some(1) };
    let flat = rungs.len() >= 3 && last.rate <= rungs[rungs.len() - 3].rate * (1.0 + GAIN);
    (!flat && last.depth < DEPTH_MAX).then_some(last.depth * 2)
}

/// Writes start at a depth that keeps the read cap full, and continue while a doubling still gains.
fn next_write(known: &CheckState<'_>, rungs: &[Rung]) -> Option<u32> {
    let Some(last) = rungs.last() else {
        return Some(known.deep(Direction::Read).clamp(DEPTH_MARGIN, DEPTH_MAX / 2));
    };
    let flat = rungs.len() >= 2 && last.rate <= rungs[rungs.len() - 2].rate * (1.0 + GAIN);
    (!flat && last.depth < DEPTH_MAX).then_some(last.depth * 2)
}

fn depth_rung(known: &CheckState<'_>, direction: Direction, depth: u32) -> Draft {
    Draft {
        name: format!("{} depth {depth}", direction.name()),
        kind: StepKind::DepthLadder,
        job: Job { depth, ..job(known, direction) },
        length: Length::Known(known.ask.effort.rung),
        rank: Rank::Must,
        share: share(direction, 1.0),
    }
}

/// Closed-loop I/O of `block` at a depth that keeps the caps full.
pub(crate) fn filling(known: &CheckState<'_>, direction: Direction, block: Bytes) -> Job {
    let depth = if block <= known.small() { known.deep(direction) } else { known.deep_with(block) };
    let queued = known.foreseen_rate(direction, block) * QUEUED_MOST.as_secs_f64();
    let depth = depth.min((queued.ceil() as u32).max(2));
    Job { depth, blocks: BlockSizes::all(block), ..job(known, direction) }
}

/// The block ladder of one direction; the depth ladder is its small end.
pub(crate) fn blocks(known: &CheckState<'_>, direction: Direction) -> Vec<Draft> {
    let usual: &[Bytes] = if direction == Direction::Write { &WRITE_BLOCKS } else { &READ_BLOCKS };
    let large = known.large(direction);
    let mut blocks: Vec<Bytes> = usual.iter().copied().filter(|&block| block < large).collect();
    // Both this block and half of it are limited by bytes, so that they show as one level. The need for the half is
    // known only after the rung that showed the size of the large block.
    blocks.push(large);
    let half = Bytes(large.0 / 2);
    if large < LARGE && !blocks.contains(&half) {
        blocks.push(half);
    }
    blocks.retain(|&block| block > known.small());
    blocks.into_iter().map(|block| block_rung(known, direction, block)).collect()
}

fn block_rung(known: &CheckState<'_>, direction: Direction, block: Bytes) -> Draft {
    Draft {
        name: format!("{} {block}", direction.name()),
        kind: StepKind::BlockLadder,
        job: filling(known, direction, block),
        length: Length::Known(known.ask.effort.rung),
        // If time is short, other loads say more than the rate at intermediate sizes.
        rank: if WRITE_BLOCKS.contains(&block) || block == known.large(direction) {
            Rank::Must
        } else {
            Rank::May
        },
        share: share(direction, if block == known.large(direction) { 4.0 } else { 3.0 }),
    }
}
