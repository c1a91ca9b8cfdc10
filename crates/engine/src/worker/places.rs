//! Where the next I/O goes: which file, which block of its region, and how long it is.
//!
//! A family of orders is a file of its own in `places/` and a variant of [`Places`]. The plain family is looked at first,
//! so that it pays one branch that is always foreseen; the others are boxed and called.

mod plain;

use workload::{Direction, WorkerPlan};

use crate::WorkerError;
use plain::Plain;

/// What one I/O is, before it has a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Which way. Mostly the direction that was drawn; an order that pairs or draws directions itself may change it.
    pub(super) kind: Direction,
    /// Index into the worker's files.
    pub(super) file: u32,
    /// Byte offset in that file.
    pub(super) offset: u64,
    /// Length in bytes.
    pub(super) bytes: u32,
}

/// Places of a worker.
#[derive(Clone, Debug)]
pub(super) enum Places {
    /// One length a direction, in order or uniformly at random.
    Plain(Plain),
}

impl Places {
    /// Places as `plan` says.
    ///
    /// # Errors
    /// [`WorkerError`] where a region holds no block.
    pub(super) fn new(plan: &WorkerPlan) -> Result<Places, WorkerError> {
        if plan.files.is_empty() {
            return Err(WorkerError::NoFile { job: plan.job.clone() });
        }
        debug_assert!(plain::is_plain(plan));
        Plain::new(plan).map(Places::Plain)
    }

    /// The next I/O, where the mix has drawn `kind`.
    #[inline]
    pub(super) fn next(&mut self, kind: Direction) -> Place {
        match self {
            Places::Plain(plain) => plain.next(kind),
        }
    }
}
