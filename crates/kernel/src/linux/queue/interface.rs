//! What every queue of I/O is to those who use it.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use workload::{BackendKind, Done, Io, Wait};

use crate::linux::memory::NoMemory;

/// Why a queue could not be made or went down.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// Room for no I/O at all.
    #[error("a queue needs a depth of at least 1")]
    NoDepth,
    /// No memory for the buffers.
    #[error(
        "{depth} buffers of {slot_bytes} bytes cannot be had: {source}; ask for less depth or smaller blocks"
    )]
    Buffers {
        /// Slots that were asked for.
        depth: u32,
        /// Bytes of each.
        slot_bytes: usize,
        /// What the kernel said.
        source: io::Error,
    },
    /// The buffers would take too much of what is left.
    #[error(transparent)]
    Memory(#[from] NoMemory),
    /// The kernel makes no such queue.
    #[error("{} cannot be used: {reason}", backend.name())]
    Setup {
        /// Which one.
        backend: BackendKind,
        /// Why, with the remedy.
        reason: String,
    },
    /// What works on names has nothing that it may work on.
    #[error("{reason}")]
    Name {
        /// Which name, and what stands in the way.
        reason: String,
    },
    /// The kernel refused while I/O was running.
    #[error("{call} failed while I/O was running: {source}; this is a fault of the machine or of plimsoll")]
    Call {
        /// The system call.
        call: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
}

/// Why an I/O was not queued. Nothing has reached the kernel and the slot is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The slot is not below the depth.
    #[error("the slot is beyond the queue's depth")]
    NoSuchSlot,
    /// The slot's last I/O has not ended.
    #[error("the slot's last I/O has not ended")]
    SlotBusy,
    /// The file index is beyond the files of the queue.
    #[error("the queue has no such file")]
    NoSuchFile,
    /// The I/O is longer than a slot's buffer.
    #[error("the I/O is longer than the slot's buffer")]
    TooLong,
    /// A write or a trim of a file that was opened without a permit.
    #[error("the file was opened without a permit to write; ask the guard for one")]
    NoPermit,
    /// Nothing can be queued before something is reaped.
    #[error("the queue is full; reap first")]
    Full,
}

/// I/Os of closed queues that the kernel had not let go of within a second, since this process began. Their buffers
/// are never unmapped.
pub fn abandoned() -> usize {
    ABANDONED.load(Ordering::Relaxed)
}

pub(super) static ABANDONED: AtomicUsize = AtomicUsize::new(0);

/// How long a queue that is closed waits for what the kernel still owns.
pub(super) const DRAIN: workload::Nanos = workload::Nanos::SECOND;

/// A means of I/O with room for a number of I/Os, each in a slot with a buffer of its own; used by the thread that made it.
/// Loops that must be fast are compiled for each of its types, everybody else takes a box of what
/// [`open_queue`](super::open_queue) gives.
pub trait Queue: std::fmt::Debug {
    /// How many more I/Os can be queued now.
    fn room(&self) -> usize;

    /// I/Os that are queued or that the kernel owns.
    fn in_flight(&self) -> usize;

    /// The buffer of a slot that the kernel does not own.
    fn buffer(&self, slot: u32) -> Option<&[u8]>;

    /// The buffer of a slot that the kernel does not own, for filling.
    fn buffer_mut(&mut self, slot: u32) -> Option<&mut [u8]>;

    /// Queues one I/O; the kernel sees it at the next [`submit`](Queue::submit) or
    /// [`submit_and_reap`](Queue::submit_and_reap).
    ///
    /// # Errors
    /// [`Refused`] where it must not reach the kernel.
    fn queue(&mut self, io: Io) -> Result<(), Refused>;

    /// Hands over what is queued and returns; what could not be started, and what is done at once, is appended to `done`.
    ///
    /// # Errors
    /// As [`submit_and_reap`](Queue::submit_and_reap).
    fn submit(&mut self, done: &mut Vec<Done>) -> Result<(), QueueError>;

    /// Hands over what is queued, waits as told, and appends what has ended to `done`, never beyond its capacity.
    ///
    /// # Errors
    /// [`QueueError::Call`] where the kernel refuses the queue itself; a failed I/O is no error but a negative result.
    fn submit_and_reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<(), QueueError>;

    /// What of it is in use, in words.
    fn features(&self) -> &str;

    /// Stops, waits up to a second for the kernel to let go, and says how many I/Os it still holds. Nothing is queued
    /// afterwards.
    fn close(&mut self) -> usize;

    /// Whether handing over is a step of its own, whose time is recorded as submission.
    #[inline]
    fn submits_apart(&self) -> bool {
        false
    }

    /// Whether an I/O ends as soon as it is queued, so that there is no device to be kept busy.
    #[inline]
    fn ends_at_once(&self) -> bool {
        false
    }
}
