//! The queue that does no I/O, and how many completions are taken from a queue per turn.

use kernel::{Clock, Queue, QueueError, QueueRefusal};
use workload::{Completion, Io, Nanos, Wait};

/// Returns the number of I/Os to reap per turn at this depth. I/Os reaped in a turn are issued again in the next, so
/// this is also the size of a submission. Reaping the whole queue at once would cost the least CPU, but puts device and
/// generator in lock-step: one idles while the other works through all of it (0.86 of the rate at depth 32 on a virtio
/// disk). One at a time keeps both busy, for a system call and a doorbell each. An eighth of the queue keeps seven
/// eighths at the device and is within 2 % of the best share there; beyond 16 a larger share saves nothing.
/// `bench/results/engine-2026-11-21.txt` has the figures.
fn share_of(depth: u32) -> usize {
    let eighth = depth / 8;
    // Shallow queues: two at depth 8, where reaping one costs a fifth more CPU; but no more than a quarter.
    eighth.clamp((depth / 4).clamp(1, 2), 16) as usize
}

/// Returns the greatest number of I/Os worth reaping in one turn of `queue` at this depth; at least one.
pub(super) fn taken_back(queue: &impl Queue, depth: u32) -> usize {
    if queue.ends_at_once() { depth as usize } else { share_of(depth) }
}

/// A queue without I/O: every request succeeds as soon as it is queued. What remains is the cost of the engine itself.
#[derive(Debug)]
pub struct Null {
    ended: Vec<Completion>,
    depth: usize,
    /// One buffer for all slots, because nobody reads the written data.
    buffer: Vec<u8>,
    clock: Clock,
}

/// Longest delay of a timer; the rest of the time before a due time is spent in turns without sleeping.
const SPIN: Nanos = Nanos::from_micros(60);

impl Null {
    /// Makes a queue with room for `depth` I/Os of at most `slot_bytes` each.
    pub fn new(depth: u32, slot_bytes: usize, clock: Clock) -> Null {
        let depth = depth as usize;
        Null { ended: Vec::with_capacity(depth), depth, buffer: vec![0; slot_bytes], clock }
    }
}

impl Queue for Null {
    #[inline]
    fn room(&self) -> usize {
        self.depth - self.ended.len()
    }

    #[inline]
    fn in_flight(&self) -> usize {
        self.ended.len()
    }

    #[inline]
    fn buffer_mut(&mut self, _slot: u32) -> Option<&mut [u8]> {
        Some(&mut self.buffer)
    }

    #[inline]
    fn queue(&mut self, io: Io) -> Result<(), QueueRefusal> {
        // Up to the initial capacity, so that nothing is ever allocated.
        if self.ended.len() == self.ended.capacity() {
            return Err(QueueRefusal::Full);
        }
        debug_assert!((io.slot as usize) < self.depth, "an I/O in a slot that no worker has");
        self.ended.push(Completion { slot: io.slot, result: io.bytes as i32, at: Nanos::ZERO });
        Ok(())
    }

    #[inline]
    fn submit(&mut self, _done: &mut Vec<Completion>) -> Result<(), QueueError> {
        // Queued I/Os have completed already.
        Ok(())
    }

    #[inline]
    fn submit_and_reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), QueueError> {
        if done.is_empty() && !self.ended.is_empty() && done.capacity() == self.ended.capacity() {
            // All completions, by swapping the lists: nothing is copied.
            std::mem::swap(done, &mut self.ended);
            return Ok(());
        }
        self.wait_and_copy(wait, done);
        Ok(())
    }

    fn features(&self) -> &str {
        "null: no I/O is done"
    }

    fn close(&mut self) -> usize {
        self.ended.clear();
        0
    }

    #[inline]
    fn ends_at_once(&self) -> bool {
        true
    }
}

impl Null {
    /// Returns as many completions as `done` has room for; if there are none, sleeps until shortly before `wait` ends.
    #[inline(never)]
    fn wait_and_copy(&mut self, wait: Wait, done: &mut Vec<Completion>) {
        let spare = done.capacity() - done.len();
        if let Wait::Until(at) = wait
            && self.ended.is_empty()
            && at.since(self.clock.now()) > SPIN
        {
            self.clock.sleep_until(at - SPIN);
        }
        let taken = self.ended.len().min(spare);
        done.extend_from_slice(&self.ended[..taken]);
        if taken == self.ended.len() { self.ended.clear() } else { drop(self.ended.drain(..taken)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_of_the_queue_stays_at_the_device_and_deep_queues_are_taken_back_in_batches() {
        let depths = [1, 2, 3, 4, 7, 8, 16, 24, 32, 64, 128, 256, 4096];
        assert_eq!(depths.map(share_of), [1, 1, 1, 1, 1, 2, 2, 3, 4, 8, 16, 16, 16]);
    }
}
