//! The common case of issuing and settling: what does not depend on the single I/O is decided once a turn.

use workload::{Direction, Done, Io, Nanos};

use super::Worker;
use super::access::AccessOrder;
use super::next_io::NextIo;
use super::slots::{Entry, InFlight};
use crate::batch::Batch;

/// Which turns of a worker go straight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Straight {
    /// Whatever it issues is due at once, goes to plain places and is neither flushed nor read back.
    pub(super) issues: bool,
    /// Nothing but the record hears of what has ended.
    pub(super) settles: bool,
}

/// I/Os of one reap that are recorded alike.
struct Alike {
    io: Entry,
    at: Nanos,
    count: u32,
}

impl Worker {
    /// Which turns go straight, with all that its plan asks for.
    pub(super) fn straight(&self) -> Straight {
        let nothing_beside = self.reading_back.is_none();
        let at_once = !self.pace.differ() && self.pace.main.is_closed();
        let plain = matches!(self.access, AccessOrder::Plain(_));
        let unheard = !self.recorder.is_tracing() && !matches!(self.access, AccessOrder::DiskSpd(_));
        Straight {
            issues: nothing_beside && at_once && plain && self.flush.is_never(),
            settles: nothing_beside && unheard,
        }
    }

    /// Fills the batch where the worker issues straight; false, with nothing done, where it must ask for each I/O whether
    /// it may still be issued.
    #[inline]
    pub(super) fn fill_straight(&mut self, now: Nanos, out: &mut Batch) -> bool {
        let AccessOrder::Plain(plain) = &mut self.access else { return false };
        let count = self.quota.covers(out.room().min(self.slots.free_count()), plain.longest());
        if count == 0 {
            return false;
        }
        let (mix, slots, balance) = (&mut self.mix, &mut self.slots, &mut self.balance);
        // Reads and writes.
        let (mut read, mut written) = (0, 0);
        out.push_all(count, || {
            let NextIo { kind, file, offset, bytes } = plain.next(mix.next());
            let amount = if kind == Direction::Write { &mut written } else { &mut read };
            *amount += u64::from(bytes);
            balance.issued();
            let slot = slots.take(&InFlight { due: now, issued: now, kind, file, offset, bytes });
            Io { slot, kind, file, offset, bytes, due: now }
        });
        self.quota.took(count, read, written);
        if self.quota.ops() == 0 {
            self.spent(now);
        }
        true
    }

    /// Takes back what has ended where the worker settles straight. What was issued in one turn and comes back in one is
    /// alike in direction, length and both times: it is counted together.
    #[inline]
    pub(super) fn settle_straight(&mut self, now: Nanos, done: &[Done]) {
        let mut alike = Alike { io: Entry::NONE, at: Nanos::ZERO, count: 0 };
        for done in done {
            let Some(io) = self.slots.free(done.slot) else { continue };
            if i64::from(done.result) != i64::from(io.bytes()) {
                self.settle_freed(now, io.in_flight(), done);
                continue;
            }
            let at = if done.at == Nanos::ZERO { now } else { done.at };
            self.last_done = at;
            self.balance.done();
            if io.is_alike(&alike.io) && at == alike.at {
                alike.count += 1;
                continue;
            }
            self.count_alike(&alike);
            alike = Alike { io, at, count: 1 };
        }
        self.count_alike(&alike);
    }

    #[inline]
    fn count_alike(&mut self, alike: &Alike) {
        if alike.count > 0 {
            let io = alike.io.in_flight();
            debug_assert!(alike.at >= io.issued, "an I/O ended before it was issued");
            self.recorder.done_alike(io.ended(alike.at, io.bytes), alike.count);
        }
    }
}
