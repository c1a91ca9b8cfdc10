//! The order of accesses: the file of the next I/O, the block in its region, and the length.
//!
//! Each family of orders is a file in `access/` and a variant of [`AccessOrder`]. The plain family is checked first, at
//! the cost of one branch that is always predicted; the others are boxed and called.

mod composed;
mod cover;
mod diskspd;
mod lengths;
mod pass;
mod plain;
mod replay;
mod spread;
mod turn;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use workload::{Direction, WorkerPlan};

use super::error::WorkerError;
use super::next_io::NextIo;
use super::slots::SlotPlan;
use composed::ComposedOrder;
use diskspd::DiskSpd;
use plain::Plain;
pub(super) use replay::Next;
use replay::TracePosition;

/// The order in which a worker goes through its files.
#[derive(Debug)]
pub(super) enum AccessOrder {
    /// One length per direction, in sequence or uniformly at random.
    Plain(Plain),
    /// All other orders that [`workload::Access`] can express.
    Composed(Box<ComposedOrder>),
    /// DiskSpd's rules.
    DiskSpd(Box<DiskSpd>),
    /// A trace, which determines more of an I/O than its offset: the worker reads the trace itself.
    Traced(Box<TracePosition>),
}

/// Counters that workers of a step advance together: for each worker, the counters of its files.
pub(crate) fn counters(workers: &[WorkerPlan]) -> Vec<Vec<Option<Arc<AtomicU64>>>> {
    let mut known: Vec<(u32, Arc<AtomicU64>)> = Vec::new();
    let mut counter = |number: u32| match known.iter().find(|(other, _)| *other == number) {
        Some((_, counter)) => Arc::clone(counter),
        None => {
            known.push((number, Arc::default()));
            Arc::clone(&known[known.len() - 1].1)
        }
    };
    let of_worker = |worker: &WorkerPlan| match &worker.access.diskspd {
        Some(order) => DiskSpd::shared(order).map(|number| number.map(&mut counter)).collect(),
        None => Vec::new(),
    };
    workers.iter().map(of_worker).collect()
}

impl AccessOrder {
    /// The order that `plan` asks for.
    ///
    /// # Errors
    /// [`WorkerError`] if a region holds no block.
    pub(super) fn new(plan: &WorkerPlan) -> Result<AccessOrder, WorkerError> {
        if plan.files.is_empty() {
            return Err(WorkerError::NoFile { job: plan.job.clone() });
        }
        if let Some(replay) = &plan.access.replay {
            return Ok(AccessOrder::Traced(Box::new(TracePosition::new(plan, replay))));
        }
        if let Some(order) = &plan.access.diskspd {
            let slots = SlotPlan::of(plan).count();
            return Ok(AccessOrder::DiskSpd(Box::new(DiskSpd::new(plan, order, slots)?)));
        }
        if plain::is_plain(plan) {
            return Plain::new(plan).map(AccessOrder::Plain);
        }
        Ok(AccessOrder::Composed(Box::new(ComposedOrder::new(plan)?)))
    }

    /// Returns the next I/O, for which the mix has drawn `kind`.
    #[inline]
    pub(super) fn next(&mut self, kind: Direction) -> NextIo {
        match self {
            AccessOrder::Plain(plain) => plain.next(kind),
            other => other.next_of_another(kind),
        }
    }

    /// Returns the next I/O of any other family; out of line, so that the plain path stays short.
    #[inline(never)]
    fn next_of_another(&mut self, kind: Direction) -> NextIo {
        match self {
            AccessOrder::Plain(plain) => plain.next(kind),
            AccessOrder::Composed(composed) => composed.next(kind),
            AccessOrder::DiskSpd(diskspd) => diskspd.next(),
            AccessOrder::Traced(_) => {
                unreachable!("a worker that replays asks for no place: fill_singly turns it off")
            }
        }
    }

    /// Returns `place`, the last one drawn, with another length of at most `room` bytes, if its job has one as short.
    pub(super) fn shortened(&mut self, place: NextIo, room: u64) -> Option<NextIo> {
        match self {
            AccessOrder::Composed(composed) => composed.shortened(place, room),
            _ => None,
        }
    }

    /// Notes that the last drawn I/O is in `slot`.
    #[inline]
    pub(super) fn took(&mut self, slot: u32) {
        if let AccessOrder::DiskSpd(diskspd) = self {
            diskspd.took(slot);
        }
    }

    /// Notes that the I/O in `slot` has completed.
    #[inline]
    pub(super) fn freed(&mut self, slot: u32) {
        if let AccessOrder::DiskSpd(diskspd) = self {
            diskspd.freed(slot);
        }
    }

    /// Makes the order advance these counters, one per file, together with other workers.
    pub(super) fn share(&mut self, counters: &[Option<Arc<AtomicU64>>]) {
        let AccessOrder::DiskSpd(diskspd) = self else { return };
        for (file, counter) in counters.iter().enumerate() {
            if let Some(counter) = counter {
                diskspd.share(file, counter);
            }
        }
    }
}
