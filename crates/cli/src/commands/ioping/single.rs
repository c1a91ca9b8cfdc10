//! Single I/Os on an open file or device, through a queue of depth 1.

use std::io;

use ioping::Engine;
use kernel::{CallFlags, Clock, OpenFile, PreadQueue, Queue, QueueError, QueueSize, open_queue};
use workload::{BackendKind, Bytes, Completion, Direction, Io, Nanos, Wait};

/// The errno of a failure for which the kernel gives none.
pub const EIO: i32 = 5;

/// An open file, and the queue for its I/O.
pub(crate) struct Single {
    /// The file or device that is read and written.
    pub file: OpenFile,
    queue: Box<dyn Queue>,
    done: Vec<Completion>,
}

impl Single {
    /// Returns I/O of at most `bytes` on `file` by these means; only plain calls take flags.
    pub fn of(file: OpenFile, means: Engine, flags: CallFlags, bytes: u64) -> Result<Single, QueueError> {
        kernel::room_for_buffers(Bytes(bytes))?;
        let size = QueueSize { depth: 1, slot_bytes: bytes as usize };
        let (files, clock) = ([file.clone()], Clock::start());
        let queue: Box<dyn Queue> = match means {
            Engine::Calls => Box::new(PreadQueue::open_for_calls(&files, size.slot_bytes, clock, flags)?),
            Engine::Libaio => open_queue(BackendKind::Libaio, &files, size, clock)?,
            Engine::IoUring => open_queue(BackendKind::IoUring, &files, size, clock)?,
        };
        Ok(Single { file, queue, done: Vec::with_capacity(1) })
    }

    /// Returns the first `bytes` of the buffer, to be filled before a write.
    pub fn buffer(&mut self, bytes: u64) -> &mut [u8] {
        // An I/O is in flight only between `queue` and `finish`, or after the queue itself has failed.
        self.queue.buffer_mut(0).and_then(|buffer| buffer.get_mut(..bytes as usize)).unwrap_or_default()
    }

    /// Prepares to move `bytes` between the buffer and the file's `offset`; nothing reaches the kernel yet.
    pub fn queue(&mut self, kind: Direction, offset: u64, bytes: u64) -> io::Result<()> {
        let bytes = u32::try_from(bytes).map_err(io::Error::other)?;
        let io = Io { slot: 0, kind, file: 0, offset, bytes, due: Nanos::ZERO };
        self.done.clear();
        self.queue.queue(io).map_err(io::Error::other)
    }

    /// Carries out the prepared I/O; returns the bytes moved.
    pub fn finish(&mut self) -> io::Result<u64> {
        while self.done.is_empty() {
            self.queue.submit_and_reap(Wait::One, &mut self.done).map_err(io::Error::other)?;
        }
        u64::try_from(self.done[0].result).map_err(|_| io::Error::from_raw_os_error(-self.done[0].result))
    }
}
