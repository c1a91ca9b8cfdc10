//! Results of the completed steps on which the next ones depend: rates, depths, bytes written, time spent.

use analysis::Regimes;
use record::{Interval, StepRecord};
use workload::{Access, Bytes, Direction, Job, Nanos, StepKind, StepPlan};

use super::asks::CheckAsk;
use crate::step::Writes;

/// Small block, for which operations and not bytes are the limit.
pub(crate) const SMALL: Bytes = Bytes::kib(4);
/// Largest block of the ladders.
pub(crate) const LARGE: Bytes = Bytes::MIB;
/// The deepest rung.
pub(crate) const DEPTH_MAX: u32 = 256;
/// Gain in rate, as a share, up to which a greater depth counts as no gain: over two doublings for reads, over one for
/// writes (method 4.1).
pub(crate) const GAIN: f64 = 0.02;
/// Factor over the filling depth at which the queue stays full despite variations of the latency.
pub(crate) const DEPTH_MARGIN: u32 = 4;
/// Share of the best rate from which a rung fills the cap.
const FILLS: f64 = 0.97;
/// Depth assumed to fill an unknown cap.
const DEPTH_GUESS: u32 = 32;
/// Factor by which writes may be faster than reads of the same size and depth, as into a cache.
const WRITES_OVER_READS: f64 = 2.0;

/// Share of the small block's rate below which a block is limited by bytes.
pub(crate) const BYTES_BIND: f64 = 0.9;
/// Factor by which a block's bytes per second may exceed those of another block that is limited by bytes.
const BYTES_OVER: f64 = 2.0;

/// A rung of the depth ladder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rung {
    /// I/Os in flight.
    pub depth: u32,
    /// I/Os per second.
    pub rate: f64,
}

/// Rate of a full queue of one block size.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Level {
    block: Bytes,
    /// I/Os per second.
    rate: f64,
}

/// State of a check so far.
pub(crate) struct CheckState<'a> {
    /// Request for the check.
    pub ask: &'a CheckAsk,
    /// Completed steps, in their order.
    pub done: &'a [StepRecord],
    /// Spans of time in which the volume did not change.
    pub regimes: Regimes,
}

/// Wait before the next step, in durations of one I/O of the last step.
const OWED: f64 = 1.2;
/// Longest wait for the last step's I/O, in seconds.
const OWED_MOST_S: f64 = 4.0;

impl<'a> CheckState<'a> {
    pub fn of(ask: &'a CheckAsk, done: &'a [StepRecord]) -> CheckState<'a> {
        CheckState { ask, done, regimes: Regimes::of(done) }
    }

    pub fn writes(&self) -> bool {
        self.ask.writes == Writes::Measured
    }

    /// Directions that are measured.
    pub fn directions(&self) -> &'static [Direction] {
        if self.writes() { &[Direction::Read, Direction::Write] } else { &[Direction::Read] }
    }

    /// Small block that the target accepts.
    pub fn small(&self) -> Bytes {
        SMALL.max(self.ask.block_min)
    }

    pub fn step(&self, name: &str) -> Option<&'a StepRecord> {
        self.done.iter().find(|record| record.plan.name == name)
    }

    pub fn ran(&self, name: &str) -> bool {
        self.step(name).is_some()
    }

    /// Completed steps of `kind`.
    pub fn of_kind(&self, kind: StepKind) -> impl Iterator<Item = &'a StepRecord> {
        self.done.iter().filter(move |record| record.plan.kind == kind)
    }

    /// Time from the start of the first step to the end of the last, without gaps between sittings.
    pub fn elapsed(&self) -> Nanos {
        analysis::in_sittings(self.done)
    }

    /// Time for which a limit may still be charging the last I/O of the previous step: if the limit counts a large I/O
    /// as several, the next step would be delayed.
    pub fn owed(&self) -> Nanos {
        let Some(last) = self.done.last() else { return Nanos::ZERO };
        let ops = last.tally(Direction::Read).ops + last.tally(Direction::Write).ops;
        let each = last.seconds() / (ops.max(1) as f64);
        Nanos::from_secs_f64((OWED * each).min(OWED_MOST_S))
    }

    /// Bytes written by all steps, ramps and drains included.
    pub fn written(&self) -> u64 {
        let intervals = self.done.iter().flat_map(|record| &record.intervals);
        intervals.map(|interval| interval.of(Direction::Write).tally.bytes).sum()
    }

    /// Bytes that may still be written.
    pub fn left_to_write(&self) -> u64 {
        self.ask.write_most.0.saturating_sub(self.written())
    }

    /// Completed rungs of `direction`, in rising order of depth.
    pub fn rungs(&self, direction: Direction) -> Vec<Rung> {
        let ladder = self.of_kind(StepKind::DepthLadder).filter(|record| record.tally(direction).ops > 0);
        let mut rungs: Vec<Rung> = ladder
            .map(|record| Rung { depth: depth_of(&record.plan), rate: rate(record, direction) })
            .collect();
        rungs.sort_by_key(|rung| rung.depth);
        rungs
    }

    /// Best rate of small I/Os of `direction` on its ladder; 0 before the first rung.
    pub fn best(&self, direction: Direction) -> f64 {
        self.rungs(direction).iter().map(|rung| rung.rate).fold(0.0, f64::max)
    }

    /// Least depth of the read ladder that nearly reached its best rate.
    fn filling_depth(&self) -> u32 {
        let rungs = self.rungs(Direction::Read);
        let best = self.best(Direction::Read);
        rungs.iter().find(|rung| rung.rate >= FILLS * best).map_or(DEPTH_GUESS, |rung| rung.depth)
    }

    /// A depth that saturates the cap of small I/Os. The write ladder ended when a doubling gained nothing, so its last
    /// rung saturates the cap of slower writes too.
    pub fn deep(&self, direction: Direction) -> u32 {
        let margin = self.filling_depth() * DEPTH_MARGIN;
        let written = self.rungs(Direction::Write).last().map_or(1, |rung| rung.depth);
        let depth = if direction == Direction::Write { margin.max(written) } else { margin };
        depth.clamp(4, DEPTH_MAX)
    }

    /// A depth that saturates the caps with blocks of this size, within the limit on bytes in flight.
    pub fn deep_with(&self, block: Bytes) -> u32 {
        let deep = self.deep(Direction::Read).max(self.deep(Direction::Write));
        deep.clamp(8, in_flight(block, CheckAsk::IN_FLIGHT_USUAL.min(self.ask.in_flight_most)))
    }

    /// Rate in I/Os per second of the last closed step that moved only `block` in only `direction`, at depth.
    pub fn last_rate(&self, direction: Direction, block: Bytes) -> Option<f64> {
        let fits = |record: &&StepRecord| {
            matches!(
                record.plan.kind,
                StepKind::DepthLadder | StepKind::BlockLadder | StepKind::Reference | StepKind::Again
            ) && moves(&record.plan) == Some((direction, block))
                && record.tally(direction).ops > 0
        };
        let of_ladder = self.done.iter().rev().find(fits).map(|record| rate(record, direction));
        let best = self.best(direction);
        if block == self.small() && best > 0.0 { of_ladder.map(|last| last.min(best)) } else { of_ladder }
    }

    /// I/Os of `block` per second that a full queue of `direction` will reach, estimated high rather than low; infinite if
    /// nothing is known.
    pub fn foreseen_rate(&self, direction: Direction, block: Bytes) -> f64 {
        let own = self.bounded_rate(direction, block);
        let reads = WRITES_OVER_READS * self.bounded_rate(Direction::Read, block);
        if direction == Direction::Write { own.min(reads) } else { own }
    }

    /// Estimate of [`CheckState::foreseen_rate`] from steps of `direction` alone.
    fn bounded_rate(&self, direction: Direction, block: Bytes) -> f64 {
        let levels = self.levels(direction);
        let same =
            levels.iter().filter(|level| level.block == block).map(|level| level.rate).fold(0.0, f64::max);
        if same > 0.0 {
            return same;
        }
        let small = self.best(direction);
        levels.into_iter().map(|level| bound(level, block, small)).fold(f64::INFINITY, f64::min)
    }

    /// Levels of full queues of `direction`; for the small block its best one.
    fn levels(&self, direction: Direction) -> Vec<Level> {
        let of = |record: &StepRecord| {
            let (_, block) = moves(&record.plan).filter(|(way, _)| *way == direction)?;
            let rate =
                if block == self.small() { self.best(direction) } else { full_rate(record, direction) };
            Some(Level { block, rate }).filter(|level| level.rate > 0.0)
        };
        let full = |record: &&StepRecord| {
            matches!(
                record.plan.kind,
                StepKind::DepthLadder | StepKind::BlockLadder | StepKind::Reference | StepKind::Again
            )
        };
        self.done.iter().filter(full).filter_map(of).collect()
    }

    /// Bytes per second that `job` will move with `block` in `direction` if it does nothing else, estimated high rather
    /// than low; 0 if nothing is known.
    pub fn foreseen_bytes_per_second(&self, direction: Direction, block: Bytes, job: &Job) -> f64 {
        let known = |direction, depth_least: u32| {
            // A deeper queue may move more in proportion to its depth.
            let deeper = |record: &StepRecord| {
                let times = f64::from(job.depth) / f64::from(depth_of(&record.plan).max(1));
                full_rate(record, direction) * times.max(1.0)
            };
            let fits = |record: &&StepRecord| {
                moves(&record.plan) == Some((direction, block))
                    && record.plan.workers.iter().all(|worker| worker.access.order == job.access.order)
                    && depth_of(&record.plan) >= depth_least
            };
            self.done.iter().filter(fits).map(deeper).fold(0.0, f64::max) * block.0 as f64
        };
        let own = known(direction, job.depth / 2);
        if own > 0.0 {
            return own;
        }
        // Writes are seldom faster than reads; if they are, the layout or other writes show it. The layout's large
        // blocks say little about small ones at low depth, for which reads of that size give a bound.
        let layout =
            self.of_kind(StepKind::Layout).map(|record| rate(record, Direction::Write) * LARGE.0 as f64);
        let read = known(Direction::Read, job.depth / 2);
        let bound = if read > 0.0 { WRITES_OVER_READS * read } else { f64::INFINITY };
        let most = layout.fold(read, |most, layout| most.max(layout.min(bound)));
        // Sequential I/Os may be merged before they are counted, so random operations say nothing about them.
        let is_random = job.access.order == Access::random(job.access.mix).order;
        let own =
            if is_random { self.bounded_rate(direction, block) } else { f64::INFINITY } * block.0 as f64;
        match (own.is_finite(), most > 0.0) {
            (true, true) => most.min(own),
            (true, false) => own,
            (false, _) => most,
        }
    }
}

/// Upper bound on another block's rate from a measured level of the same direction: operations per second do not increase
/// with block size, nor bytes per second as blocks get smaller.
fn bound(level: Level, block: Bytes, small: f64) -> f64 {
    let bytes = level.rate * level.block.0 as f64 / block.0 as f64;
    match level.block < block {
        true if level.rate < BYTES_BIND * small => BYTES_OVER * bytes,
        true => level.rate,
        false => BYTES_OVER * bytes,
    }
}

/// Number of blocks of this size that `bytes` in flight allow.
pub(crate) fn in_flight(block: Bytes, bytes: Bytes) -> u32 {
    ((bytes.0 / block.0.max(1)) as u32).clamp(8, DEPTH_MAX)
}

/// I/Os per second of `direction`.
pub(crate) fn rate(record: &StepRecord, direction: Direction) -> f64 {
    let seconds = record.seconds();
    if seconds > 0.0 { record.tally(direction).ops as f64 / seconds } else { 0.0 }
}

/// I/Os per second of `direction` while the queue was full, without the last, short interval, in which it drains.
fn full_rate(record: &StepRecord, direction: Direction) -> f64 {
    let whole = |interval: &&Interval| {
        interval.counted && interval.end.since(interval.start) >= record.plan.interval && interval.job == 0
    };
    let (ops, seconds) = record.intervals.iter().filter(whole).fold((0, 0.0), |(ops, seconds), interval| {
        (ops + interval.of(direction).tally.ops, seconds + interval.seconds())
    });
    if ops > 0 { (ops as f64 / seconds).max(rate(record, direction)) } else { rate(record, direction) }
}

/// I/Os in flight of a step.
pub(crate) fn depth_of(plan: &StepPlan) -> u32 {
    plan.workers.iter().map(|worker| worker.depth).sum()
}

/// The only direction and block of a step; `None` for a mix.
pub(crate) fn moves(plan: &StepPlan) -> Option<(Direction, Bytes)> {
    let worker = plan.workers.first()?;
    let direction = match worker.access.mix {
        mix if mix.reads_only() => Direction::Read,
        mix if mix.writes_only() => Direction::Write,
        _ => return None,
    };
    Some((direction, worker.blocks.longest_of(direction)))
}
