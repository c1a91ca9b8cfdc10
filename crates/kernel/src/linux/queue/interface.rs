//! The interface of every I/O queue.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use workload::{BackendKind, Completion, Io, Wait};

use crate::linux::memory::NoMemory;

/// Why a queue could not be made or stopped working.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// A depth of zero.
    #[error("a queue needs a depth of at least 1")]
    NoDepth,
    /// There is no memory for the buffers.
    #[error(
        "{depth} buffers of {slot_bytes} bytes cannot be had: {source}; ask for less depth or smaller blocks"
    )]
    Buffers {
        /// Number of slots.
        depth: u32,
        /// Bytes per slot.
        slot_bytes: usize,
        /// The kernel's error.
        source: io::Error,
    },
    /// The buffers would take too much of the memory left.
    #[error(transparent)]
    Memory(#[from] NoMemory),
    /// The kernel does not support such a queue here.
    #[error("{} cannot be used: {reason}", backend.name())]
    Setup {
        /// The backend.
        backend: BackendKind,
        /// The reason and the remedy.
        reason: String,
    },
    /// A [`NamesQueue`](super::NamesQueue) may not work on a name.
    #[error("{reason}")]
    Name {
        /// The name and the reason.
        reason: String,
    },
    /// The kernel refused a call while I/O was running.
    #[error("{call} failed while I/O was running: {source}; this is a fault of the machine or of plimsoll")]
    Call {
        /// The system call.
        call: &'static str,
        /// The kernel's error.
        source: io::Error,
    },
}

/// Why an I/O was not queued. Nothing has reached the kernel, and the slot is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueRefusal {
    /// The slot is not below the depth.
    #[error("the slot is beyond the queue's depth")]
    NoSuchSlot,
    /// The slot's last I/O has not completed.
    #[error("the slot's last I/O has not ended")]
    SlotBusy,
    /// The file index is beyond the files of the queue.
    #[error("the queue has no such file")]
    NoSuchFile,
    /// The I/O is longer than a slot's buffer.
    #[error("the I/O is longer than the slot's buffer")]
    TooLong,
    /// A write or a trim to a file that was opened without a permit.
    #[error("the file was opened without a permit to write; ask the guard for one")]
    NoPermit,
    /// Nothing more can be queued before a completion is reaped.
    #[error("the queue is full; reap first")]
    Full,
}

/// Number of I/Os, since this process started, that the kernel still held a second after their queue was closed. Their
/// buffers are never unmapped.
pub fn abandoned() -> usize {
    ABANDONED.load(Ordering::Relaxed)
}

pub(super) static ABANDONED: AtomicUsize = AtomicUsize::new(0);

/// Longest time for which a closing queue waits for the I/Os that the kernel still owns.
pub(super) const DRAIN: workload::Nanos = workload::Nanos::SECOND;

/// A queue with room for a number of I/Os, each in a slot with its own buffer; only the thread that made the queue uses
/// it. Loops that must be fast are compiled for each implementation; all other code uses the box that
/// [`open_queue`](super::open_queue) returns.
pub trait Queue: std::fmt::Debug {
    /// Number of I/Os that can still be queued now.
    fn room(&self) -> usize;

    /// Number of I/Os queued or owned by the kernel.
    fn in_flight(&self) -> usize;

    /// The buffer of a slot, unless the kernel owns it.
    fn buffer_mut(&mut self, slot: u32) -> Option<&mut [u8]>;

    /// Queues one I/O; the kernel sees it at the next [`submit`](Queue::submit) or
    /// [`submit_and_reap`](Queue::submit_and_reap).
    ///
    /// # Errors
    /// [`QueueRefusal`] if the I/O must not reach the kernel.
    fn queue(&mut self, io: Io) -> Result<(), QueueRefusal>;

    /// Submits queued I/Os and returns; those that could not be started or complete at once are appended to `done`.
    ///
    /// # Errors
    /// The errors of [`submit_and_reap`](Queue::submit_and_reap).
    fn submit(&mut self, done: &mut Vec<Completion>) -> Result<(), QueueError>;

    /// Submits queued I/Os, waits as `wait` says, and appends completions to `done`, never beyond its capacity.
    ///
    /// # Errors
    /// [`QueueError::Call`] if the kernel refuses the call itself; a failed I/O is not an error but a negative result.
    fn submit_and_reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), QueueError>;

    /// Describes which features of the queue are in use.
    fn features(&self) -> &str;

    /// Stops the queue, waits up to a second for the kernel, and returns how many I/Os the kernel still holds. Nothing may be
    /// queued afterwards.
    fn close(&mut self) -> usize;

    /// Whether submission is a separate step whose time is recorded.
    #[inline]
    fn submits_apart(&self) -> bool {
        false
    }

    /// Whether an I/O completes as soon as it is queued, so that there is no device to keep busy.
    #[inline]
    fn ends_at_once(&self) -> bool {
        false
    }
}
