//! Linux native asynchronous I/O (`io_submit`) as a queue.

use std::io;
use std::marker::PhantomData;

use workload::{Calls, Completion, Direction, FlushBy, Io, Nanos, Terms, Urgency, Wait};

use super::calls;
use super::interface::{ABANDONED, DRAIN, Queue, QueueError, QueueRefusal};
use super::slot_table::SlotTable;
use crate::linux::call::check_long;
use crate::linux::clock::{Clock, precise_timers};
use crate::linux::file::OpenFile;
use crate::linux::io_priority;

// <linux/aio_abi.h>
const IOCB_CMD_PREAD: u16 = 0;
const IOCB_CMD_PWRITE: u16 = 1;
const IOCB_CMD_FSYNC: u16 = 2;
const IOCB_CMD_FDSYNC: u16 = 3;

/// Flag of a control block: `aio_reqprio` holds a priority.
const IOCB_FLAG_IOPRIO: u32 = 1 << 1;

/// `struct iocb` in <linux/aio_abi.h>, in its layout on little-endian machines; not every C library declares it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct ControlBlock {
    aio_data: u64,
    aio_key: u32,
    aio_rw_flags: i32,
    aio_lio_opcode: u16,
    aio_reqprio: i16,
    aio_fildes: u32,
    aio_buf: u64,
    aio_nbytes: u64,
    aio_offset: i64,
    aio_reserved2: u64,
    aio_flags: u32,
    aio_resfd: u32,
}

// The kernel reads 64 bytes on every architecture, and finds the offset of the data at byte 40.
const _: () =
    assert!(size_of::<ControlBlock>() == 64 && std::mem::offset_of!(ControlBlock, aio_offset) == 40);
#[cfg(not(target_endian = "little"))]
compile_error!("aio_key and aio_rw_flags change places where the high byte comes first");

/// `struct io_event` in <linux/aio_abi.h>.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Event {
    data: u64,
    iocb: u64,
    result: i64,
    result2: i64,
}

/// Linux native asynchronous I/O. With buffered I/O or a full device, `io_submit` itself blocks, as in every program
/// that uses it.
#[derive(Debug)]
pub struct AioQueue {
    context: libc::c_ulong,
    blocks: Blocks,
    // Control blocks that are queued but not submitted; the capacity is the depth.
    queued: Vec<*mut ControlBlock>,
    events: Box<[Event]>,
    slots: SlotTable,
    clock: Clock,
    closed: bool,
    urgency: Option<Box<Urgency>>,
    _thread: PhantomData<*const ()>,
}

/// The control blocks, one per slot, at fixed addresses; the kernel copies a block at submission. They are accessed
/// only through one raw pointer, so pointers to queued blocks stay valid whatever is done with other blocks, and
/// wherever their owner moves.
#[derive(Debug)]
struct Blocks {
    base: *mut ControlBlock,
    count: usize,
}

impl Blocks {
    fn new(count: usize) -> Blocks {
        let blocks = vec![ControlBlock::default(); count].into_boxed_slice();
        Blocks { base: Box::into_raw(blocks).cast(), count }
    }

    #[inline]
    fn at(&self, slot: u32) -> Option<*mut ControlBlock> {
        // SAFETY: the index is below `count`, so the block lies in the allocation of `base`.
        ((slot as usize) < self.count).then(|| unsafe { self.base.add(slot as usize) })
    }

    /// The slot of a control block, by its position in the array.
    fn slot_of(&self, block: *mut ControlBlock) -> u32 {
        ((block as usize - self.base as usize) / size_of::<ControlBlock>()) as u32
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        let all = std::ptr::slice_from_raw_parts_mut(self.base, self.count);
        // SAFETY: `base` is the box that `new` leaked; no pointer into it is used any more, because its owner is
        // dropped.
        drop(unsafe { Box::from_raw(all) });
    }
}

/// Makes and destroys a context, to test whether the kernel supports it.
pub(super) fn try_setup() -> io::Result<()> {
    setup(1).map(destroy)
}

fn setup(depth: u32) -> io::Result<libc::c_ulong> {
    let mut context: libc::c_ulong = 0;
    // SAFETY: the context is zero, as the call requires, and valid for writing the new one.
    check_long(unsafe { libc::syscall(libc::SYS_io_setup, libc::c_long::from(depth), &mut context) })?;
    Ok(context)
}

fn destroy(context: libc::c_ulong) {
    // SAFETY: a context that `setup` made; it is not used again.
    unsafe { libc::syscall(libc::SYS_io_destroy, context) };
}

impl AioQueue {
    /// Makes a context for `depth` I/Os with a buffer of `slot_bytes` each, and makes the calling thread's timers fire on
    /// time.
    ///
    /// # Errors
    /// [`QueueError`] if the kernel has no context left (see `/proc/sys/fs/aio-max-nr`) or no memory.
    pub fn open(
        files: &[OpenFile],
        depth: u32,
        slot_bytes: usize,
        clock: Clock,
    ) -> Result<AioQueue, QueueError> {
        if depth == 0 {
            return Err(QueueError::NoDepth);
        }
        // Before the buffers, so that a depth the kernel refuses is noticed before memory is allocated for it.
        let context = setup(depth).map_err(|error| QueueError::Setup {
            backend: workload::BackendKind::Libaio,
            reason: super::reasons::aio_reason(&error),
        })?;
        let slots = SlotTable::open(files, depth, slot_bytes).inspect_err(|_| destroy(context))?;
        precise_timers();
        let depth = depth as usize;
        Ok(AioQueue {
            context,
            blocks: Blocks::new(depth),
            queued: Vec::with_capacity(depth),
            events: vec![Event::default(); depth].into_boxed_slice(),
            slots,
            clock,
            closed: false,
            urgency: None,
            _thread: PhantomData,
        })
    }

    /// Applies `calls` to each I/O of this queue.
    pub fn taking_along(mut self, calls: Calls) -> AioQueue {
        self.slots.take_along(calls);
        self
    }

    /// Gives a share of the queue's I/Os a separate priority, according to `terms`.
    pub fn with_urgent(mut self, terms: &Terms) -> AioQueue {
        self.urgency = Urgency::new(terms);
        self
    }

    /// Fails the first queued block, which is the one that `io_submit` could not take.
    fn fail_first(&mut self, errno: i32, done: &mut Vec<Completion>) {
        assert!(!self.queued.is_empty(), "a block was refused while none was handed over");
        let block = self.queued.remove(0);
        let slot = self.blocks.slot_of(block);
        self.slots.settle(slot);
        done.push(Completion { slot, result: -errno, at: Nanos::ZERO });
    }

    fn reap(
        &mut self,
        least: usize,
        patience: Option<Nanos>,
        done: &mut Vec<Completion>,
    ) -> Result<(), QueueError> {
        debug_assert!(
            self.in_flight() >= self.queued.len() + self.slots.kept(),
            "more is queued than is in flight"
        );
        let owned = self.in_flight() - self.queued.len() - self.slots.kept();
        let most = owned.min(done.capacity() - done.len());
        if most == 0 {
            return Ok(());
        }
        let mut timeout = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let timeout = match patience {
            None => std::ptr::null_mut(),
            Some(span) => {
                timeout.tv_sec = (span.0 / 1_000_000_000).min(1 << 30) as _;
                timeout.tv_nsec = (span.0 % 1_000_000_000) as _;
                &raw mut timeout
            }
        };
        // SAFETY: `most` is at most the depth, which is the length of `self.events`; the timeout is null or valid.
        let count = check_long(unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.context,
                least.min(most) as libc::c_long,
                most as libc::c_long,
                self.events.as_mut_ptr(),
                timeout,
            )
        });
        let count = match count {
            Ok(count) => count as usize,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            Err(source) => return Err(QueueError::Call { call: "io_getevents", source }),
        };
        assert!(count <= most, "the kernel gave {count} events where {most} were asked for");
        for event in self.events.iter().take(count) {
            let slot = event.data as u32;
            if self.slots.settle(slot) {
                done.push(Completion { slot, result: event.result as i32, at: Nanos::ZERO });
            }
        }
        Ok(())
    }

    /// Drops I/Os that were not submitted and waits for the others; returns how many the kernel still holds.
    fn drain(&mut self) -> usize {
        if std::mem::replace(&mut self.closed, true) {
            return self.in_flight();
        }
        self.slots.forget_trims();
        for block in std::mem::take(&mut self.queued) {
            let slot = self.blocks.slot_of(block);
            self.slots.settle(slot);
        }
        let until = self.clock.now() + DRAIN;
        let mut done = Vec::with_capacity(self.slots.depth());
        while self.in_flight() > 0 && self.clock.now() < until {
            done.clear();
            if self.reap(1, Some(until.since(self.clock.now())), &mut done).is_err() {
                break;
            }
        }
        self.in_flight()
    }
}

impl Queue for AioQueue {
    #[inline]
    fn buffer_mut(&mut self, slot: u32) -> Option<&mut [u8]> {
        self.slots.buffer_mut(slot)
    }

    #[inline]
    fn room(&self) -> usize {
        self.slots.depth() - self.slots.taken_count()
    }

    #[inline]
    fn in_flight(&self) -> usize {
        self.slots.taken_count()
    }

    #[inline]
    fn queue(&mut self, io: Io) -> Result<(), QueueRefusal> {
        self.slots.admit(&io)?;
        // `sync_file_range` has no asynchronous form, so such a flush needs its own system call.
        let by_pages = || calls::pages(self.slots.calls()).is_some();
        if io.kind == Direction::Trim || io.kind == Direction::Flush && by_pages() {
            self.slots.keep(io);
            return Ok(());
        }
        let (fd, address) = (self.slots.fd(&io), self.slots.address(io.slot));
        let Some(at) = self.blocks.at(io.slot) else {
            return Err(QueueRefusal::NoSuchSlot);
        };
        // SAFETY: a block of `self.blocks` whose slot was free, so it is not in the queue, and nobody else refers to
        // it.
        let block = unsafe { &mut *at };
        block.aio_data = u64::from(io.slot);
        block.aio_fildes = fd as u32;
        block.aio_lio_opcode = match io.kind {
            Direction::Read => IOCB_CMD_PREAD,
            Direction::Write => IOCB_CMD_PWRITE,
            Direction::Flush if self.slots.calls().flush == FlushBy::File => IOCB_CMD_FSYNC,
            // Trims were stored above.
            Direction::Flush | Direction::Trim => IOCB_CMD_FDSYNC,
        };
        // A flush must name no buffer, or the kernel refuses it.
        let carries_data = matches!(io.kind, Direction::Read | Direction::Write);
        block.aio_buf = if carries_data { address as u64 } else { 0 };
        block.aio_nbytes = if carries_data { u64::from(io.bytes) } else { 0 };
        block.aio_rw_flags = if carries_data { self.slots.bits(io.kind) } else { 0 };
        block.aio_offset = if carries_data { io.offset as i64 } else { 0 };
        if let Some(urgency) = &mut self.urgency {
            let priority = urgency.draw(io.kind, io.bytes).map_or(0, io_priority::bits);
            block.aio_reqprio = priority as i16;
            block.aio_flags = if priority == 0 { 0 } else { IOCB_FLAG_IOPRIO };
        }
        self.queued.push(at);
        Ok(())
    }

    /// Submits queued I/Os, waits as `wait` says, and appends completions to `done`, never beyond its capacity. With
    /// nothing in flight, [`Wait::One`] returns at once and [`Wait::Until`] sleeps; if submission itself completes an
    /// I/O, there is no wait.
    fn submit_and_reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), QueueError> {
        let before = done.len();
        self.submit(done)?;
        let settled = done.len() > before;
        match wait {
            Wait::Poll => self.reap(0, Some(Nanos::ZERO), done),
            _ if settled => self.reap(0, Some(Nanos::ZERO), done),
            Wait::One => self.reap(1, None, done),
            Wait::Until(at) if self.in_flight() == 0 => {
                self.clock.sleep_until(at);
                Ok(())
            }
            Wait::Until(at) => self.reap(1, Some(at.since(self.clock.now())), done),
            Wait::Several { least, until } => {
                self.reap(least as usize, Some(until.since(self.clock.now())), done)
            }
        }
    }

    /// Submits as many blocks as the kernel takes. A block that it refuses outright is reported in `done` as failed.
    #[inline]
    fn submit(&mut self, done: &mut Vec<Completion>) -> Result<(), QueueError> {
        if self.slots.kept() > 0 {
            self.slots.trim(done);
        }
        while !self.queued.is_empty() {
            // SAFETY: every pointer refers to a control block of `self.blocks` whose slot is taken, so that nobody
            // borrows its buffer until the I/O has completed; the slot table keeps the descriptors open.
            let submitted = check_long(unsafe {
                libc::syscall(
                    libc::SYS_io_submit,
                    self.context,
                    self.queued.len() as libc::c_long,
                    self.queued.as_mut_ptr(),
                )
            });
            match submitted {
                Ok(count) => drop(self.queued.drain(..count as usize)),
                Err(error) => match error.raw_os_error() {
                    Some(libc::EINTR) => {}
                    // The kernel is out of resources until an I/O completes; the next call submits the remaining
                    // blocks.
                    Some(libc::EAGAIN) => return Ok(()),
                    Some(errno) if done.len() < done.capacity() => self.fail_first(errno, done),
                    _ => return Ok(()),
                },
            }
        }
        Ok(())
    }

    fn features(&self) -> &str {
        "libaio: io_submit and io_getevents"
    }

    fn close(&mut self) -> usize {
        self.drain()
    }

    fn submits_apart(&self) -> bool {
        true
    }
}

impl Drop for AioQueue {
    fn drop(&mut self) {
        let stuck = self.drain();
        if stuck > 0 {
            // io_destroy would wait for these I/Os without a time limit, and their buffers must stay.
            ABANDONED.fetch_add(stuck, std::sync::atomic::Ordering::Relaxed);
            self.slots.leak_buffers();
        } else {
            destroy(self.context);
        }
    }
}
