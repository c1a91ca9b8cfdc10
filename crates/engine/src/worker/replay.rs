//! A worker that replays the I/Os of a trace.

use workload::{Direction, Nanos};

use super::access::{AccessOrder, Next};
use super::{Failure, InFlight, NOTHING_MOVED, NextIo, StopReason, Worker};
use crate::batch::Batch;

/// Pause before a worker checks again for a trace that is read more slowly than it is replayed.
const UNREAD: Nanos = Nanos::from_micros(200);

impl Worker {
    /// Fills the batch with due I/Os of the trace, and sets the pace to the next I/O, which will wake the worker.
    #[cold]
    pub(super) fn fill_from_trace(&mut self, now: Nanos, out: &mut Batch) {
        let start = self.pace.main.start();
        for _ in 0..out.room().min(self.slots.free_count()) {
            let AccessOrder::Traced(traced) = &mut self.access else { return };
            let (place, at) = match traced.look() {
                Next::Io(place, at) => (place, at),
                Next::Over => return self.finish_trace(now),
                Next::Unread => return self.pace.main.set_next(now + UNREAD),
                Next::Broken => return self.fail_trace(now),
            };
            // In a closed loop an I/O is due as soon as a slot is free.
            let due = if self.pace.main.is_closed() { now } else { start + at };
            if due > now {
                return self.pace.main.set_next(due);
            }
            if !self.quota.take(place.kind, place.bytes) {
                return self.end(StopReason::Amount, now);
            }
            traced.advance();
            if place.kind != Direction::Read {
                self.changes(&place);
            }
            self.put(place, (due, now), out);
            if self.quota.ops() == 0 {
                return self.spent(now);
            }
        }
        self.tell_pace_of_next(now);
    }

    /// Sets the pace to the next I/O, which may be due later although no slot or room is left now.
    fn tell_pace_of_next(&mut self, now: Nanos) {
        let start = self.pace.main.start();
        let AccessOrder::Traced(traced) = &mut self.access else { return };
        let due = match traced.look() {
            Next::Io(_, at) => start + at,
            Next::Over => start + traced.length(),
            Next::Unread | Next::Broken => now,
        };
        self.pace.main.set_next(due);
    }

    /// Ends the worker after the last I/O: when the last row of the trace is due.
    fn finish_trace(&mut self, now: Nanos) {
        let AccessOrder::Traced(traced) = &self.access else { return };
        let waited = traced.length() > Nanos::ZERO;
        let over = self.pace.main.start() + traced.length();
        match waited {
            true if over > now => self.pace.main.set_next(over),
            true => self.end(StopReason::Time, over),
            false => self.end(StopReason::Amount, now),
        }
    }

    /// Ends the worker because the rest of the trace cannot be read, with the failure of an unknown I/O.
    #[cold]
    fn fail_trace(&mut self, now: Nanos) {
        if self.failures.len() < self.failures.capacity() {
            let nothing = NextIo { kind: Direction::Read, file: 0, offset: 0, bytes: 0 };
            let io = InFlight { due: now, issued: now, ..InFlight::at(&nothing) };
            self.failures.push(Failure { at: now, io, errno: NOTHING_MOVED, mismatch: None });
        }
        self.end(StopReason::Failed, now);
    }
}
