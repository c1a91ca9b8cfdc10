//! pread and pwrite as a queue with room for one.

use std::io;
use std::marker::PhantomData;

use workload::{Calls, Direction, Done, Io, Nanos, Wait};

use super::calls;
use super::interface::{Queue, QueueError, Refused};
use super::slot_table::SlotTable;
use crate::linux::call::retry;
use crate::linux::clock::Clock;
use crate::linux::file::OpenFile;

/// Wishes that go along with a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallFlags {
    /// Fail with `EAGAIN` rather than wait (`RWF_NOWAIT`).
    pub nowait: bool,
    /// Poll for the end of a direct I/O (`RWF_HIPRI`).
    pub hipri: bool,
}

impl CallFlags {
    fn bits(self) -> libc::c_int {
        let nowait = if self.nowait { libc::RWF_NOWAIT } else { 0 };
        nowait | if self.hipri { libc::RWF_HIPRI } else { 0 }
    }
}

/// pread and pwrite. An I/O happens inside [`PreadQueue::submit_and_reap`], so there is room for one at a time.
#[derive(Debug)]
pub struct PreadQueue {
    slots: SlotTable,
    queued: Option<Io>,
    // Where an I/O is one call and no more: what goes along with it.
    once: Option<CallFlags>,
    clock: Clock,
    // Stays on its thread as the other queues do, so that none of the three is used where another could not be.
    _thread: PhantomData<*const ()>,
}

impl PreadQueue {
    /// Makes a queue with `depth` buffers of `slot_bytes` each; only one is in use at a time.
    ///
    /// # Errors
    /// [`QueueError`] where there is no memory for the buffers.
    pub fn open(
        files: &[OpenFile],
        depth: u32,
        slot_bytes: usize,
        clock: Clock,
    ) -> Result<PreadQueue, QueueError> {
        let slots = SlotTable::open(files, depth, slot_bytes)?;
        Ok(PreadQueue { slots, queued: None, once: None, clock, _thread: PhantomData })
    }

    /// The same with one buffer, where an I/O is one call with `flags`, and what that moved is its result.
    ///
    /// # Errors
    /// [`QueueError`] where there is no memory for the buffer.
    pub fn open_for_calls(
        files: &[OpenFile],
        slot_bytes: usize,
        clock: Clock,
        flags: CallFlags,
    ) -> Result<PreadQueue, QueueError> {
        Ok(PreadQueue { once: Some(flags), ..PreadQueue::open(files, 1, slot_bytes, clock)? })
    }

    /// The same with `calls` going along.
    pub fn taking_along(mut self, calls: Calls) -> PreadQueue {
        self.slots.take_along(calls);
        self
    }

    /// Does all of `io`: where the kernel moves only a part, the rest is asked for again, so that what stopped it (a full
    /// disk, the end of a file that has been cut) is its result.
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
                // The rest of a direct I/O that was cut at an odd byte cannot be asked for, and one that may not wait ends
                // where it would: they stay short.
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

    /// One call for what is left of `io` behind its first `moved` bytes.
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
    fn buffer(&self, slot: u32) -> Option<&[u8]> {
        self.slots.buffer(slot)
    }

    #[inline]
    fn buffer_mut(&mut self, slot: u32) -> Option<&mut [u8]> {
        self.slots.buffer_mut(slot)
    }

    /// One where nothing is queued, else zero.
    #[inline]
    fn room(&self) -> usize {
        usize::from(self.queued.is_none())
    }

    #[inline]
    fn in_flight(&self) -> usize {
        self.slots.taken_count()
    }

    #[inline]
    fn queue(&mut self, io: Io) -> Result<(), Refused> {
        if self.queued.is_some() {
            return Err(Refused::Full);
        }
        self.slots.admit(&io)?;
        self.queued = Some(io);
        Ok(())
    }

    /// Does the queued I/O and appends its result to `done`, which must have room for one. With nothing queued it
    /// sleeps until the time of [`Wait::Until`] and otherwise returns at once.
    #[inline]
    fn submit_and_reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<(), QueueError> {
        if done.len() == done.capacity() {
            return Ok(());
        }
        match (self.queued.take(), wait) {
            (Some(io), _) => {
                let result = self.perform(&io);
                debug_assert!(i64::from(result) <= i64::from(io.bytes), "more was moved than asked for");
                self.slots.settle(io.slot);
                done.push(Done { slot: io.slot, result, at: Nanos::ZERO });
            }
            (None, Wait::Until(at)) => self.clock.sleep_until(at),
            (None, Wait::Poll | Wait::One) => {}
        }
        Ok(())
    }

    fn submit(&mut self, done: &mut Vec<Done>) -> Result<(), QueueError> {
        self.submit_and_reap(Wait::Poll, done)
    }

    fn features(&self) -> &str {
        "pread and pwrite, one I/O at a time"
    }

    /// Closes the queue; the kernel never holds anything of it, so the answer is zero.
    fn close(&mut self) -> usize {
        0
    }
}

fn negated(error: io::Error) -> i32 {
    -error.raw_os_error().unwrap_or(libc::EIO)
}
