//! pread and pwrite as a queue with room for one I/O.

use std::io;
use std::marker::PhantomData;

use workload::{Calls, Completion, Direction, Io, Nanos, Wait};

use super::calls;
use super::interface::{Queue, QueueError, QueueRefusal};
use super::slot_table::SlotTable;
use crate::linux::call::retry;
use crate::linux::clock::Clock;
use crate::linux::file::OpenFile;

/// Flags of one read or write call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallFlags {
    /// Fail with `EAGAIN` rather than wait (`RWF_NOWAIT`).
    pub nowait: bool,
    /// Poll for the completion of a direct I/O (`RWF_HIPRI`).
    pub hipri: bool,
}

impl CallFlags {
    fn bits(self) -> libc::c_int {
        let nowait = if self.nowait { libc::RWF_NOWAIT } else { 0 };
        nowait | if self.hipri { libc::RWF_HIPRI } else { 0 }
    }
}

/// pread and pwrite. An I/O is performed inside [`PreadQueue::submit_and_reap`], so there is room for one at a time.
#[derive(Debug)]
pub struct PreadQueue {
    slots: SlotTable,
    queued: Option<Io>,
    // Flags of the call, if each I/O is exactly one call.
    once: Option<CallFlags>,
    clock: Clock,
    // Bound to its thread like the other queues, so that code written for one of them works with all.
    _thread: PhantomData<*const ()>,
}

impl PreadQueue {
    /// Makes a queue with `depth` buffers of `slot_bytes` each; only one is in use at a time.
    ///
    /// # Errors
    /// [`QueueError`] if there is no memory for the buffers.
    pub fn open(
        files: &[OpenFile],
        depth: u32,
        slot_bytes: usize,
        clock: Clock,
    ) -> Result<PreadQueue, QueueError> {
        let slots = SlotTable::open(files, depth, slot_bytes)?;
        Ok(PreadQueue { slots, queued: None, once: None, clock, _thread: PhantomData })
    }

    /// Makes a queue with one buffer, in which each I/O is one call with `flags`; its result may be short.
    ///
    /// # Errors
    /// [`QueueError`] if there is no memory for the buffer.
    pub fn open_for_calls(
        files: &[OpenFile],
        slot_bytes: usize,
        clock: Clock,
        flags: CallFlags,
    ) -> Result<PreadQueue, QueueError> {
        Ok(PreadQueue { once: Some(flags), ..PreadQueue::open(files, 1, slot_bytes, clock)? })
    }

    /// Applies `calls` to each I/O of this queue.
    pub fn taking_along(mut self, calls: Calls) -> PreadQueue {
        self.slots.take_along(calls);
        self
    }

    /// Performs all of `io`: if the kernel moves only a part, the rest is requested again, so that the reason for the
    /// stop (a full disk, the end of a truncated file) becomes the result.
    fn perform(&self, io: &Io) -> i32 {
        if let Some(done) = calls::change(self.slots.fd(io), self.slots.calls().act, io) {
            return done.map_or_else(negated, |()| io.bytes as i32);
        }
        if self.once.is_some() || !matches!(io.kind, Direction::Read | Direction::Write) {
            return self.move_rest(io, 0).unwrap_or_else(negated);
        }
        let mut moved = 0;
        while moved < io.bytes {
            match self.move_rest(io, moved) {
                Ok(0) => return if moved == 0 { 0 } else { -libc::EIO },
                Ok(more) => moved += more.unsigned_abs(),
                // If a direct I/O stopped at an unaligned position, its rest cannot be requested, and a nowait I/O
                // stops where it would block: both stay short.
                Err(error)
                    if moved > 0 && matches!(error.raw_os_error(), Some(libc::EINVAL | libc::EAGAIN)) =>
                {
                    break;
                }
                Err(error) => return negated(error),
            }
        }
        moved as i32
    }

    /// Makes one call for the rest of `io` after its first `moved` bytes.
    fn move_rest(&self, io: &Io, moved: u32) -> io::Result<i32> {
        let (fd, address) = (self.slots.fd(io), self.slots.address(io.slot));
        let (bytes, offset) = (io.bytes.saturating_sub(moved) as usize, io.offset + u64::from(moved));
        let offset = offset as libc::off_t;
        let flags = self.once.map_or(0, CallFlags::bits) | self.slots.bits(io.kind);
        retry(|| {
            // SAFETY: `admit` has checked that the slot exists and holds the bytes of `io`, of which `moved` are at most
            // all, so that `bytes` from there on, which the vector names too, lie within it; while the slot is taken
            // nothing borrows its buffer; the slot table keeps `fd` open.
            let moved = unsafe {
                let address = address.add(moved as usize);
                let vector = libc::iovec { iov_base: address.cast(), iov_len: bytes };
                match io.kind {
                    Direction::Read if flags != 0 => libc::preadv2(fd, &vector, 1, offset, flags),
                    Direction::Write if flags != 0 => libc::pwritev2(fd, &vector, 1, offset, flags),
                    Direction::Read => libc::pread(fd, address.cast(), bytes, offset),
                    Direction::Write => libc::pwrite(fd, address.cast(), bytes, offset),
                    Direction::Flush => return Ok(self.slots.flush_now(io)),
                    Direction::Trim => return Ok(self.slots.trim_now(io)),
                }
            };
            if moved < 0 { Err(io::Error::last_os_error()) } else { Ok(moved as i32) }
        })
    }
}

impl Queue for PreadQueue {
    #[inline]
    fn buffer_mut(&mut self, slot: u32) -> Option<&mut [u8]> {
        self.slots.buffer_mut(slot)
    }

    /// One if nothing is queued, otherwise zero.
    #[inline]
    fn room(&self) -> usize {
        usize::from(self.queued.is_none())
    }

    #[inline]
    fn in_flight(&self) -> usize {
        self.slots.taken_count()
    }

    #[inline]
    fn queue(&mut self, io: Io) -> Result<(), QueueRefusal> {
        if self.queued.is_some() {
            return Err(QueueRefusal::Full);
        }
        self.slots.admit(&io)?;
        self.queued = Some(io);
        Ok(())
    }

    /// Performs the queued I/O and appends its result to `done`, which must have room for one. If nothing is queued,
    /// sleeps until the time of [`Wait::Until`], or returns at once for any other wait.
    #[inline]
    fn submit_and_reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), QueueError> {
        if done.len() == done.capacity() {
            return Ok(());
        }
        match (self.queued.take(), wait) {
            (Some(io), _) => {
                let result = self.perform(&io);
                debug_assert!(i64::from(result) <= i64::from(io.bytes), "more was moved than asked for");
                self.slots.settle(io.slot);
                done.push(Completion { slot: io.slot, result, at: Nanos::ZERO });
            }
            (None, Wait::Until(at)) => self.clock.sleep_until(at),
            (None, Wait::Poll | Wait::One | Wait::Several { .. }) => {}
        }
        Ok(())
    }

    fn submit(&mut self, done: &mut Vec<Completion>) -> Result<(), QueueError> {
        self.submit_and_reap(Wait::Poll, done)
    }

    fn features(&self) -> &str {
        "pread and pwrite, one I/O at a time"
    }

    /// Closes the queue. Returns zero, because the kernel holds none of its I/Os between calls.
    fn close(&mut self) -> usize {
        0
    }
}

fn negated(error: io::Error) -> i32 {
    -error.raw_os_error().unwrap_or(libc::EIO)
}
