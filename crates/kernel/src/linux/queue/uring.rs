//! io_uring as a queue: one system call submits and waits, completions are read from shared memory.

use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, RawFd};

use io_uring::squeue::Flags;
use io_uring::{EnterFlags, IoUring, types};
use workload::{
    BackendKind, Calls, Completion, Direction, Io, Nanos, RingWays, Submitter, Terms, Urgency, Wait, Waiting,
};

mod entry;

use super::QueueSize;
use super::interface::{ABANDONED, DRAIN, Queue, QueueError, QueueRefusal};
use super::reasons;
use super::slot_table::SlotTable;
use crate::linux::call::check_long;
use crate::linux::clock::{Clock, precise_timers};
use crate::linux::file::OpenFile;

/// io_uring with registered files and buffers if the kernel allows them.
///
/// The ring belongs to the thread that opens it (single issuer), so the queue cannot be sent to another.
pub struct UringQueue {
    ring: IoUring,
    enter_fd: RawFd,
    enter_flags: u32,
    // Entries in the submission ring not yet taken by the kernel; zero if a kernel thread takes them.
    queued: u32,
    ways: RingWays,
    // Whether registered buffers are in use, which have separate read and write operations.
    fixed_buffers: bool,
    // Slots per registered buffer; a registered buffer holds at most 1 GiB.
    slots_per_buffer: u32,
    file_flag: Flags,
    slots: SlotTable,
    clock: Clock,
    features: String,
    closed: bool,
    // I/Os since the last one that was sent to a kernel thread at once (`force_async`).
    tried: u32,
    urgency: Option<Box<Urgency>>,
    /// Whether I/Os differ in how they are submitted, by priority or `force_async`.
    by_turn: bool,
    _thread: PhantomData<*const ()>,
}

/// Length in bytes beyond which the kernel refuses a registered buffer.
const LARGEST_BUFFER: usize = 1 << 30;

/// Time before a due time at which sleeping ends and polling begins. On a virtual machine a thread runs again 15 to
/// 40 µs after its timer was due (median of 5,000 waits; interrupt and switch); with polling the median is 0.1 µs late.
const SPIN: Nanos = Nanos::from_micros(50);

/// `struct io_uring_getevents_arg` in <linux/io_uring.h>.
#[repr(C)]
struct WaitArgument {
    signal_mask: u64,
    signal_mask_bytes: u32,
    min_wait_us: u32,
    timeout: u64,
}

/// `struct __kernel_timespec`.
#[repr(C)]
struct KernelTime {
    seconds: i64,
    nanos: i64,
}

/// `struct io_uring_rsrc_update` in <linux/io_uring.h>.
#[repr(C)]
struct RingUpdate {
    offset: u32,
    reserved: u32,
    data: u64,
}

// The sizes in the kernel's headers.
const _: () = assert!(size_of::<WaitArgument>() == 24);
const _: () = assert!(size_of::<KernelTime>() == 16);
const _: () = assert!(size_of::<RingUpdate>() == 16);

const IORING_REGISTER_RING_FDS: libc::c_long = 20;
const IORING_UNREGISTER_RING_FDS: libc::c_long = 21;

/// A way to set up a ring: its description and a change to the builder.
type Setup = (&'static str, fn(&mut io_uring::Builder));

/// Ways to set up a ring, best first; an older kernel refuses an unknown flag with `EINVAL`.
const SETUPS: [Setup; 4] = [
    ("single issuer, deferred task work, no index array", |b| {
        b.setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag();
        b.setup_submit_all().setup_no_sqarray();
    }),
    ("single issuer, deferred task work", |b| {
        b.setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag().setup_submit_all();
    }),
    ("cooperative task work", |b| {
        b.setup_coop_taskrun().setup_taskrun_flag().setup_submit_all();
    }),
    ("plain ring", |_| {}),
];

/// Ways to set up a ring with submission by a kernel thread, which leaves no task work to this thread.
const THREADED: [Setup; 2] = [
    ("submission thread of the kernel, single issuer, no index array", |b| {
        b.setup_single_issuer().setup_submit_all().setup_no_sqarray();
    }),
    ("submission thread of the kernel", |_| {}),
];

/// Milliseconds from the last I/O until the kernel's submission thread goes to sleep; a call then wakes it.
const IDLE_MS: u32 = 1_000;

/// Longest time for which one call polls, so that the caller notices in time that it should stop.
const LOOK: Nanos = Nanos::from_millis(50);

fn build(depth: u32, submitter: Submitter) -> Result<(IoUring, &'static str), String> {
    let setups: &[Setup] = if submitter == Submitter::Call { &SETUPS } else { &THREADED };
    let mut last = io::Error::from_raw_os_error(libc::EINVAL);
    for (name, set) in setups {
        let mut builder = IoUring::builder();
        builder.dontfork().setup_clamp();
        set(&mut builder);
        if let Submitter::KernelThread { cpu } = submitter {
            builder.setup_sqpoll(IDLE_MS);
            if let Some(cpu) = cpu {
                builder.setup_sqpoll_cpu(cpu);
            }
        }
        match builder.build(depth) {
            Ok(ring) => return check_ring(ring, depth).map(|ring| (ring, *name)),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => last = error,
            Err(error) => return Err(reasons::uring_reason_here(&error)),
        }
    }
    Err(match submitter {
        Submitter::KernelThread { cpu: Some(cpu) } => {
            format!(
                "the kernel starts no submission thread on CPU {cpu}: {last}; name a CPU that this process may use"
            )
        }
        _ => reasons::uring_reason_here(&last),
    })
}

fn check_ring(ring: IoUring, depth: u32) -> Result<IoUring, String> {
    if ring.params().sq_entries() < depth {
        return Err(format!("a ring holds at most {} I/Os; ask for less depth", ring.params().sq_entries()));
    }
    if !ring.params().is_feature_ext_arg() || !ring.params().is_feature_nodrop() {
        return Err("this kernel's io_uring cannot wait with a time limit; it needs 5.11 or later".to_owned());
    }
    Ok(ring)
}

/// Makes and closes a small ring, to test whether the kernel supports it.
pub(super) fn try_setup() -> Result<(), String> {
    build(1, Submitter::Call).map(drop)
}

impl UringQueue {
    /// Sets up a ring for `depth` I/Os with a buffer of `slot_bytes` each, for the calling thread alone, and makes that
    /// thread's timers fire on time.
    ///
    /// # Errors
    /// [`QueueError`] if the kernel provides no io_uring, or no memory.
    pub fn open(
        files: &[OpenFile],
        depth: u32,
        slot_bytes: usize,
        clock: Clock,
    ) -> Result<UringQueue, QueueError> {
        UringQueue::open_with(files, QueueSize { depth, slot_bytes }, clock, RingWays::default())
    }

    /// Sets up a ring as [`open`](UringQueue::open) does, with submission and waiting as `ways` say.
    ///
    /// # Errors
    /// [`QueueError`] if the kernel provides no such io_uring, or no memory.
    pub fn open_with(
        files: &[OpenFile],
        size: QueueSize,
        clock: Clock,
        ways: RingWays,
    ) -> Result<UringQueue, QueueError> {
        let QueueSize { depth, slot_bytes } = size;
        if depth == 0 {
            return Err(QueueError::NoDepth);
        }
        // Before the buffers, so that a depth that no ring has is noticed before memory is allocated for it.
        let (ring, features) = build(depth, ways.submitter)
            .map_err(|reason| QueueError::Setup { backend: BackendKind::IoUring, reason })?;
        let slots = SlotTable::open(files, depth, slot_bytes)?;
        precise_timers();
        let enter_fd = ring.as_raw_fd();
        let mut queue = UringQueue {
            ring,
            enter_fd,
            enter_flags: EnterFlags::GETEVENTS.bits(),
            queued: 0,
            ways,
            fixed_buffers: false,
            slots_per_buffer: u32::MAX,
            file_flag: Flags::empty(),
            slots,
            clock,
            features: format!("io_uring: {features}"),
            closed: false,
            tried: 0,
            urgency: None,
            by_turn: false,
            _thread: PhantomData,
        };
        queue.register_files();
        queue.register_buffers();
        queue.register_ring();
        if ways.waiting == Waiting::Looking {
            queue.features.push_str(", ends looked for without sleeping");
        }
        Ok(queue)
    }

    /// Applies `calls` to each I/O of this queue.
    pub fn taking_along(mut self, calls: Calls) -> UringQueue {
        self.slots.take_along(calls);
        self.by_turn |= calls.force_async > 0;
        self
    }

    /// Gives a share of the queue's I/Os a separate priority, according to `terms`.
    pub fn with_urgent(mut self, terms: &Terms) -> UringQueue {
        self.urgency = Urgency::new(terms);
        self.by_turn |= self.urgency.is_some();
        self
    }

    fn register_files(&mut self) {
        match self.ring.submitter().register_files(&self.slots.fds()) {
            Ok(()) => {
                self.file_flag = Flags::FIXED_FILE;
                self.features.push_str(", registered files");
            }
            Err(error) => self.features.push_str(&format!(", files not registered ({error})")),
        }
    }

    fn register_buffers(&mut self) {
        let (start, bytes) = (self.slots.region().start().as_ptr(), self.slots.region().bytes());
        let slots_per_buffer = (LARGEST_BUFFER / self.slots.stride()).max(1);
        let piece = slots_per_buffer * self.slots.stride();
        assert!(piece > 0, "a registered buffer would hold nothing");
        let buffers: Vec<libc::iovec> = (0..bytes)
            .step_by(piece)
            .map(|at| libc::iovec { iov_base: start.wrapping_add(at).cast(), iov_len: piece.min(bytes - at) })
            .collect();
        // SAFETY: the buffers lie in the slot table's region, which outlives the ring or is never unmapped (see `Drop`).
        match unsafe { self.ring.submitter().register_buffers(&buffers) } {
            Ok(()) => {
                self.fixed_buffers = true;
                self.slots_per_buffer = slots_per_buffer as u32;
                self.features.push_str(", registered buffers");
            }
            Err(error) if error.raw_os_error() == Some(libc::ENOMEM) => {
                self.features.push_str(", buffers not registered (raise ulimit -l)");
            }
            Err(error) => self.features.push_str(&format!(", buffers not registered ({error})")),
        }
    }

    /// Registers the ring's own descriptor, which saves the kernel looking it up in every call.
    fn register_ring(&mut self) {
        let fd = self.ring.as_raw_fd();
        let mut update = RingUpdate { offset: u32::MAX, reserved: 0, data: fd as u64 };
        // SAFETY: one update that is valid for reading and writing, as the operation requires.
        let registered = unsafe {
            libc::syscall(libc::SYS_io_uring_register, fd, IORING_REGISTER_RING_FDS, &mut update, 1)
        };
        if registered == 1 {
            self.enter_fd = update.offset as RawFd;
            self.enter_flags |= EnterFlags::REGISTERED_RING.bits();
            self.features.push_str(", registered ring");
        }
    }

    /// Unregisters the ring's descriptor, which would otherwise hold ring and files open until the thread ends.
    fn unregister_ring(&mut self) {
        if self.enter_flags & EnterFlags::REGISTERED_RING.bits() == 0 {
            return;
        }
        let mut update = RingUpdate { offset: self.enter_fd as u32, reserved: 0, data: 0 };
        // SAFETY: one update that is valid for reading and writing, as the operation requires; the queue cannot leave
        // its thread, so the index belongs to this ring. If the kernel refuses, nothing changes.
        unsafe {
            libc::syscall(
                libc::SYS_io_uring_register,
                self.ring.as_raw_fd(),
                IORING_UNREGISTER_RING_FDS,
                &mut update,
                1,
            )
        };
        self.enter_fd = self.ring.as_raw_fd();
        self.enter_flags &= !EnterFlags::REGISTERED_RING.bits();
    }

    /// Submits queued I/Os and lets the kernel finish completed ones, without waiting.
    #[inline]
    fn poke(&mut self) -> Result<(), QueueError> {
        let wanted = {
            let submission = self.ring.submission();
            self.queued > 0 || submission.taskrun() || submission.cq_overflow()
        } || self.must_wake_the_thread();
        if wanted { self.enter(0, None) } else { Ok(()) }
    }

    /// Whether the kernel's submission thread is in use and asleep.
    #[inline]
    fn must_wake_the_thread(&mut self) -> bool {
        self.is_threaded() && self.ring.submission().need_wakeup()
    }

    #[inline]
    fn is_threaded(&self) -> bool {
        matches!(self.ways.submitter, Submitter::KernelThread { .. })
    }

    /// Polls until something has completed or `at` is reached.
    fn look_until(&mut self, at: Nanos) -> Result<(), QueueError> {
        self.poke()?;
        while !self.something_ended() && self.clock.now() < at {
            std::hint::spin_loop();
            self.poke()?;
        }
        Ok(())
    }

    #[inline]
    fn something_ended(&mut self) -> bool {
        !self.ring.completion().is_empty()
    }

    fn wait_until(&mut self, at: Nanos) -> Result<(), QueueError> {
        let left = at.since(self.clock.now());
        if left > SPIN && self.ways.waiting == Waiting::Asleep {
            self.enter(1, Some(left - SPIN))?;
        }
        self.look_until(at)
    }

    /// Waits until `least` I/Os have completed or `until` is reached; a queue that polls returns at the first completion.
    #[cold]
    fn wait_for_several(&mut self, least: u32, until: Nanos) -> Result<(), QueueError> {
        match self.ways.waiting {
            Waiting::Asleep => self.enter(least, Some(until.since(self.clock.now()))),
            Waiting::Looking => self.look_until(until.min(self.clock.now() + LOOK)),
        }
    }

    /// Waits until something has completed; polling gives up after [`LOOK`].
    #[inline]
    fn wait_for_one(&mut self) -> Result<(), QueueError> {
        match self.ways.waiting {
            Waiting::Asleep => self.enter(1, None),
            Waiting::Looking => self.look_until(self.clock.now() + LOOK),
        }
    }

    /// Calls `io_uring_enter` once: submits queued I/Os and waits for `least` completions, at most for `patience`.
    #[inline]
    fn enter(&mut self, least: u32, patience: Option<Nanos>) -> Result<(), QueueError> {
        let (mut time, mut argument);
        let (mut flags, mut pointer, mut bytes) = (self.enter_flags, std::ptr::null(), 0);
        if let Some(span) = patience {
            time = KernelTime {
                seconds: (span.0 / 1_000_000_000) as i64,
                nanos: (span.0 % 1_000_000_000) as i64,
            };
            argument = WaitArgument {
                signal_mask: 0,
                signal_mask_bytes: 0,
                min_wait_us: 0,
                timeout: (&raw mut time) as u64,
            };
            flags |= EnterFlags::EXT_ARG.bits();
            (pointer, bytes) = (&raw mut argument as *const WaitArgument, size_of::<WaitArgument>());
        }
        if self.must_wake_the_thread() {
            flags |= EnterFlags::SQ_WAKEUP.bits();
        }
        // SAFETY: the ring is open; the argument and the time it points to are null or live until the call returns;
        // the entries in the submission ring were checked by `queue`.
        let taken = check_long(unsafe {
            libc::syscall(libc::SYS_io_uring_enter, self.enter_fd, self.queued, least, flags, pointer, bytes)
        });
        match taken {
            Ok(taken) => self.queued -= (taken as u32).min(self.queued),
            Err(error) => return self.excuse(error),
        }
        Ok(())
    }

    /// Passes over errors that are no failure: the time is up, a signal arrived, or completions must be reaped first.
    /// Entries not taken are submitted with the next call.
    #[cold]
    fn excuse(&mut self, error: io::Error) -> Result<(), QueueError> {
        match error.raw_os_error() {
            Some(libc::ETIME | libc::EINTR | libc::EAGAIN | libc::EBUSY) => Ok(()),
            _ => Err(QueueError::Call { call: "io_uring_enter", source: error }),
        }
    }

    #[inline]
    fn reap(&mut self, done: &mut Vec<Completion>) {
        let spare = done.capacity() - done.len();
        for completion in self.ring.completion().take(spare) {
            let slot = completion.user_data() as u32;
            if self.slots.settle(slot) {
                debug_assert!(done.len() < done.capacity(), "what has ended has no room");
                done.push(Completion { slot, result: completion.result(), at: Nanos::ZERO });
            }
        }
    }

    /// Leaves unsubmitted I/Os where they are and waits for the others. Returns how many the kernel still holds.
    fn drain(&mut self) -> usize {
        self.slots.forget_trims();
        let never_submitted = self.queued as usize;
        let held = |queue: &UringQueue| queue.slots.taken_count().saturating_sub(never_submitted);
        if std::mem::replace(&mut self.closed, true) || held(self) == 0 {
            return held(self);
        }
        // Requests that have not reached a device yet are cancelled; the others can only be waited for.
        let any = types::CancelBuilder::any();
        let _ = self.ring.submitter().register_sync_cancel(Some(types::Timespec::new()), any);
        // From here on nothing more is submitted, so that a cancelled run does not go on writing.
        self.queued = 0;
        let until = self.clock.now() + DRAIN;
        let mut done = Vec::with_capacity(self.slots.depth());
        while self.clock.now() < until && held(self) > 0 {
            done.clear();
            if self.enter(1, Some(until.since(self.clock.now()))).is_err() {
                break;
            }
            self.reap(&mut done);
        }
        self.queued = never_submitted as u32;
        held(self)
    }
}

impl Queue for UringQueue {
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
        if io.kind == Direction::Trim {
            self.slots.keep(io);
            return Ok(());
        }
        let entry = if self.by_turn { self.entry_by_turn(&io) } else { self.entry(&io, 0) };
        // SAFETY: `admit` has checked that slot and file exist and that the buffer holds `bytes`; while the slot is
        // taken, nothing borrows its buffer; the slot table keeps files open and the region mapped until the ring is
        // gone.
        if unsafe { self.ring.submission().push(&entry) }.is_err() {
            // Unreachable: the ring has an entry for every slot, and no more slots can be taken.
            self.slots.settle(io.slot);
            return Err(QueueRefusal::Full);
        }
        // A kernel thread sees the entry at once, so it does not count as queued.
        self.queued += u32::from(!self.is_threaded());
        Ok(())
    }

    /// Submits queued I/Os, waits as `wait` says, and appends completions to `done`, never beyond its capacity. With
    /// nothing in flight, [`Wait::One`] returns at once and [`Wait::Until`] sleeps. A signal ends the wait early.
    #[inline]
    fn submit_and_reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), QueueError> {
        let wait = if self.slots.kept() > 0 && self.slots.trim(done) { Wait::Poll } else { wait };
        match wait {
            Wait::Poll => self.poke()?,
            Wait::One if self.slots.taken_count() == 0 => {}
            Wait::One if self.queued == 0 && self.something_ended() && !self.must_wake_the_thread() => {}
            Wait::One => self.wait_for_one()?,
            Wait::Until(at) => self.wait_until(at)?,
            Wait::Several { least, until } => self.wait_for_several(least, until)?,
        }
        self.reap(done);
        Ok(())
    }

    /// Submits queued I/Os; only trims, which complete at once, are appended to `done`.
    fn submit(&mut self, done: &mut Vec<Completion>) -> Result<(), QueueError> {
        if self.slots.kept() > 0 {
            self.slots.trim(done);
        }
        if self.queued > 0 || self.must_wake_the_thread() { self.enter(0, None) } else { Ok(()) }
    }

    fn features(&self) -> &str {
        &self.features
    }

    fn close(&mut self) -> usize {
        self.drain()
    }
}

impl std::fmt::Debug for UringQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UringQueue").field("features", &self.features).field("slots", &self.slots).finish()
    }
}

impl Drop for UringQueue {
    fn drop(&mut self) {
        let stuck = self.drain();
        if stuck > 0 {
            ABANDONED.fetch_add(stuck, std::sync::atomic::Ordering::Relaxed);
            self.slots.leak_buffers();
        }
        self.unregister_ring();
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::time::Duration;

    use super::*;
    use crate::linux::file::{Direct, open_for_read};

    /// Whether nobody has the file open: only then does the kernel grant a write lease.
    fn nobody_has_it(path: &std::path::Path) -> bool {
        let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        // SAFETY: the descriptor is open; no memory is involved.
        unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_WRLCK) == 0 }
    }

    #[test]
    fn a_queue_that_is_gone_holds_no_file_though_its_thread_lives_on() {
        let dir = tempfile::tempdir_in(".").unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, [1; 4096]).unwrap();
        let files = [open_for_read(&path, Direct::No).unwrap()];
        let queue = match UringQueue::open(&files, 1, 4096, Clock::start()) {
            Ok(queue) => queue,
            Err(error) => return testbed::skipped(testbed::Lack::Kernel, error),
        };
        drop(files);
        assert!(!nobody_has_it(&path), "the queue has it open");
        drop(queue);
        // The kernel closes a ring after the call has returned.
        let closed = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            nobody_has_it(&path)
        });
        assert!(closed);
    }
}
