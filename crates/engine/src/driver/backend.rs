//! What a driver needs of a means of I/O, and the means that does nothing.

use kernel::{AioQueue, Clock, PreadQueue, QueueError, Refused, UringQueue};
use workload::{Done, Io, Nanos, Wait};

/// A means of I/O, used by one thread.
pub trait Backend {
    /// How many more I/Os can be queued now.
    fn room(&self) -> usize;

    /// The buffer of a slot that is not in flight, for filling.
    fn buffer_mut(&mut self, slot: u32) -> Option<&mut [u8]>;

    /// Queues one I/O, which starts at the next [`submit_and_reap`](Backend::submit_and_reap).
    ///
    /// # Errors
    /// [`Refused`] where it must not start.
    fn queue(&mut self, io: Io) -> Result<(), Refused>;

    /// Starts what is queued, waits as told, and appends what has ended to `done`, never beyond its capacity.
    ///
    /// # Errors
    /// [`QueueError`] where the means itself fails; a failed I/O is a negative result.
    fn submit_and_reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<(), QueueError>;

    /// What of it is in use, in words.
    fn features(&self) -> &str;
}

macro_rules! backend_of_queue {
    ($queue:ty) => {
        impl Backend for $queue {
            #[inline]
            fn room(&self) -> usize {
                self.room()
            }

            #[inline]
            fn buffer_mut(&mut self, slot: u32) -> Option<&mut [u8]> {
                self.buffer_mut(slot)
            }

            #[inline]
            fn queue(&mut self, io: Io) -> Result<(), Refused> {
                self.queue(io)
            }

            #[inline]
            fn submit_and_reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<(), QueueError> {
                self.submit_and_reap(wait, done)
            }

            fn features(&self) -> &str {
                self.features()
            }
        }
    };
}

backend_of_queue!(UringQueue);
backend_of_queue!(AioQueue);
backend_of_queue!(PreadQueue);

/// Does nothing: every I/O succeeds as soon as it is asked for. What is left is the cost of the engine itself.
#[derive(Debug)]
pub struct Null {
    ended: Vec<Done>,
    depth: usize,
    /// One for all slots, since nobody looks at what is written.
    buffer: Vec<u8>,
    clock: Clock,
}

/// Timers fire up to this much late; the rest of the way to a due time is spent turning.
const SPIN: Nanos = Nanos::from_micros(60);

impl Null {
    /// Room for `depth` I/Os of at most `slot_bytes` each.
    pub fn new(depth: u32, slot_bytes: usize, clock: Clock) -> Null {
        let depth = depth as usize;
        Null { ended: Vec::with_capacity(depth), depth, buffer: vec![0; slot_bytes], clock }
    }
}

impl Backend for Null {
    #[inline]
    fn room(&self) -> usize {
        self.depth - self.ended.len()
    }

    #[inline]
    fn buffer_mut(&mut self, _slot: u32) -> Option<&mut [u8]> {
        Some(&mut self.buffer)
    }

    #[inline]
    fn queue(&mut self, io: Io) -> Result<(), Refused> {
        if self.ended.len() == self.depth {
            return Err(Refused::Full);
        }
        self.ended.push(Done { slot: io.slot, result: io.bytes as i32, at: Nanos::ZERO });
        Ok(())
    }

    #[inline]
    fn submit_and_reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<(), QueueError> {
        let spare = done.capacity() - done.len();
        if let Wait::Until(at) = wait
            && self.ended.is_empty()
            && at.since(self.clock.now()) > SPIN
        {
            self.clock.sleep_until(at - SPIN);
        }
        let taken = self.ended.len().min(spare);
        done.extend(self.ended.drain(..taken));
        Ok(())
    }

    fn features(&self) -> &str {
        "null: no I/O is done"
    }
}
