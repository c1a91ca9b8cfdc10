//! The order of accesses by DiskSpd's rules: one generator for files, offsets and directions, drawn from in DiskSpd's order, so
//! that a seed gives the same stream in both programs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use statistics::Jenkins;
use workload::{Direction, DiskSpdMode, DiskSpdOrder, DiskSpdWalk, FilePlan, WorkerPlan};

use crate::worker::error::WorkerError;
use crate::worker::next_io::NextIo;

/// The order of a worker of DiskSpd's kind.
#[derive(Clone, Debug)]
pub(in crate::worker) struct DiskSpd {
    generator: Jenkins,
    walks: Box<[Walk]>,
    weights: Box<[u32]>,
    /// The walker of the last drawn I/O; only used if walkers are parallel.
    walker: u32,
    /// The walker of each slot in flight; empty unless walkers are parallel.
    walker_of: Box<[u32]>,
    /// Free walkers; the one freed last goes first, as DiskSpd first issues what has just come back.
    free: Vec<u32>,
}

/// The walk over one file.
#[derive(Clone, Debug)]
struct Walk {
    rule: DiskSpdWalk,
    base: u64,
    block: u64,
    size: u64,
    /// Bytes in which aligned I/O fits.
    aligned: u64,
    /// Sum of the shares of the ranges.
    shares: u64,
    /// Next offset of a sequence; with parallel walkers one for each.
    next: Box<[u64]>,
    last: Direction,
    counter: Arc<AtomicU64>,
}

impl DiskSpd {
    /// The order that `order` describes for the files of `plan`; at most `slots` I/Os are in flight.
    ///
    /// # Errors
    /// [`WorkerError::NoBlock`] if a region does not hold the first I/O.
    pub(super) fn new(plan: &WorkerPlan, order: &DiskSpdOrder, slots: u32) -> Result<DiskSpd, WorkerError> {
        let mut generator = Jenkins::new(order.seed);
        let mut walks = Vec::with_capacity(plan.files.len());
        for (file, rule) in plan.files.iter().zip(&order.walks) {
            let mut walk = Walk::new(plan, file, rule)?;
            walk.begin(&mut generator);
            walks.push(walk);
        }
        if walks.len() != plan.files.len() {
            return Err(WorkerError::NoFile { job: plan.job.clone() });
        }
        let parallel = order.walks.iter().any(|walk| walk.mode == DiskSpdMode::Parallel);
        let walkers = if parallel { plan.depth } else { 0 };
        Ok(DiskSpd {
            generator,
            walks: walks.into_boxed_slice(),
            weights: order.weights.clone().into_boxed_slice(),
            walker: 0,
            walker_of: vec![0; if parallel { slots as usize } else { 0 }].into_boxed_slice(),
            free: (0..walkers).rev().collect(),
        })
    }

    /// Numbers of the counters that the walks share with those of other workers, in the order of the files.
    pub(super) fn shared(order: &DiskSpdOrder) -> impl Iterator<Item = Option<u32>> + '_ {
        order.walks.iter().map(|walk| match walk.mode {
            DiskSpdMode::Interlocked(number) => Some(number),
            _ => None,
        })
    }

    /// Uses a counter for file `file` that is shared with other workers.
    pub(super) fn share(&mut self, file: usize, counter: &Arc<AtomicU64>) {
        if let Some(walk) = self.walks.get_mut(file) {
            walk.counter = Arc::clone(counter);
        }
    }

    /// The next I/O.
    pub(super) fn next(&mut self) -> NextIo {
        self.walker = self.free.pop().unwrap_or(0);
        let file = self.file();
        let walk = &mut self.walks[file];
        let (offset, random) = walk.place(self.walker, &mut self.generator);
        let kind = walk.direction(random, &mut self.generator);
        if kind == Direction::Write {
            self.generator.skip(walk.rule.draws_a_write);
        }
        NextIo { kind, file: file as u32, offset: walk.base + offset, bytes: walk.block as u32 }
    }

    fn file(&mut self) -> usize {
        let files = self.walks.len();
        if files == 1 {
            return 0;
        }
        let equal = self.weights.iter().all(|weight| *weight == self.weights[0]);
        if equal || self.weights.len() != files {
            return self.generator.next_u32() as usize % files;
        }
        let total: u64 = self.weights.iter().map(|&weight| u64::from(weight)).sum();
        let mut drawn = self.generator.next_u64() % total.max(1);
        let chosen = self.weights.iter().position(|&weight| {
            let here = drawn < u64::from(weight);
            drawn = drawn.saturating_sub(u64::from(weight));
            here
        });
        chosen.unwrap_or(0)
    }

    /// Notes that the last drawn I/O is in `slot`.
    #[inline]
    pub(super) fn took(&mut self, slot: u32) {
        if let Some(walker) = self.walker_of.get_mut(slot as usize) {
            *walker = self.walker;
        }
    }

    /// Notes that the I/O in `slot` has come back.
    #[inline]
    pub(super) fn freed(&mut self, slot: u32) {
        if let Some(&walker) = self.walker_of.get(slot as usize) {
            // There are as many walkers as can be in flight, so this never grows.
            self.free.push(walker);
        }
    }
}

impl Walk {
    fn new(plan: &WorkerPlan, file: &FilePlan, rule: &DiskSpdWalk) -> Result<Walk, WorkerError> {
        let block = plan.blocks.longest().0;
        let (size, step) = (file.size.0, rule.step.max(1));
        if block == 0 || block > size || rule.start > size - block {
            return Err(WorkerError::NoBlock { path: file.path.clone(), region: file.size });
        }
        let walkers = if rule.mode == DiskSpdMode::Parallel { plan.depth as usize } else { 1 };
        Ok(Walk {
            base: file.offset.0,
            block,
            size,
            aligned: (size - block) / step * step + step,
            shares: rule.ranges.iter().map(|range| u64::from(range.io)).sum(),
            next: vec![rule.start; walkers].into_boxed_slice(),
            last: Direction::Read,
            counter: Arc::default(),
            rule: DiskSpdWalk { step, ..rule.clone() },
        })
    }

    /// Starts a walk: a mixed one at a random offset, and the first direction is drawn although nothing is issued.
    fn begin(&mut self, generator: &mut Jenkins) {
        if let DiskSpdMode::Mixed(_) = self.rule.mode {
            self.next[0] = self.random(generator);
        }
        self.direction(true, generator);
    }

    /// The next offset, and whether it is random.
    fn place(&mut self, walker: u32, generator: &mut Jenkins) -> (u64, bool) {
        match self.rule.mode {
            DiskSpdMode::Sequential => (self.sequential(0), false),
            DiskSpdMode::Parallel => (self.sequential(walker as usize), false),
            DiskSpdMode::Interlocked(_) => {
                let reached = self.counter.fetch_add(self.rule.step, Ordering::Relaxed);
                (reached % self.aligned, false)
            }
            DiskSpdMode::Random => (self.random(generator), true),
            DiskSpdMode::Mixed(percent) => {
                let random = by_chance(generator, percent);
                if random {
                    self.next[0] = self.random(generator);
                }
                // The sequence goes on from the random offset; an I/O always fits there.
                (self.sequential(0), random)
            }
        }
    }

    fn sequential(&mut self, walker: usize) -> u64 {
        let next = &mut self.next[walker];
        if next.saturating_add(self.block) > self.size {
            *next = self.rule.start % self.rule.step;
        }
        let place = *next;
        *next = place + self.rule.step;
        place
    }

    fn random(&self, generator: &mut Jenkins) -> u64 {
        let drawn = generator.next_u64();
        let aligned = drawn - drawn % self.rule.step;
        if self.shares == 0 {
            return aligned % self.aligned;
        }
        let mut share = generator.next_u64() % self.shares;
        let chosen = self.rule.ranges.iter().find(|range| {
            let here = share < u64::from(range.io);
            share = share.saturating_sub(u64::from(range.io));
            here
        });
        // The shares add up to the total, so one is always found.
        let place = chosen.map_or(0, |range| range.start + aligned % range.length.max(1));
        // If a range's length is not a multiple of the step, an I/O at an offset near its end would leave the region; DiskSpd
        // then reads past the end of the file. The last offset that fits is taken instead.
        place.min((self.size - self.block) / self.rule.step * self.rule.step)
    }

    /// The direction of the next I/O; in a mixed walk the sequence after a random offset keeps its direction.
    fn direction(&mut self, random: bool, generator: &mut Jenkins) -> Direction {
        match self.rule.write_percent {
            0 => Direction::Read,
            100.. => Direction::Write,
            percent => {
                if random || !matches!(self.rule.mode, DiskSpdMode::Mixed(_)) {
                    let write = by_chance(generator, percent);
                    self.last = if write { Direction::Write } else { Direction::Read };
                }
                self.last
            }
        }
    }
}

fn by_chance(generator: &mut Jenkins, percent: u8) -> bool {
    generator.next_u32() % 100 < u32::from(percent)
}
