//! The fast path of issuing and settling: decisions that do not depend on the single I/O are made once per turn.

use workload::{Completion, Direction, Io, Nanos};

use super::Worker;
use super::access::AccessOrder;
use super::next_io::NextIo;
use super::quota::MovedBytes;
use super::slots::{Entry, InFlight};
use crate::batch::Batch;

/// The parts of a worker's turn that take the fast path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Straight {
    /// Whether issuing does: all I/O is due at once, has plain offsets and is neither flushed nor read back, and the
    /// queue is filled whenever it has room.
    pub(super) issues: bool,
    /// The direction of all such I/O, if there is only one direction and one file, whose offsets come in runs: then
    /// only the offset differs between I/Os.
    only: Option<Direction>,
    /// Whether settling does: only the record needs completions.
    pub(super) settles: bool,
}

/// Completions of one reap that are recorded together.
struct Alike {
    io: Entry,
    at: Nanos,
    count: u32,
}

impl Worker {
    /// Returns the parts that may take the fast path, given everything in the worker's plan.
    pub(super) fn straight(&self) -> Straight {
        let nothing_beside = self.reading_back.is_none();
        let at_once = !self.pace.differ() && self.pace.main.is_closed();
        let (plain, one_run) = match &self.access {
            AccessOrder::Plain(plain) => (true, plain.is_one_run()),
            _ => (false, false),
        };
        let unheard = !self.recorder.is_tracing() && !matches!(self.access, AccessOrder::DiskSpd(_));
        Straight {
            issues: nothing_beside
                && at_once
                && plain
                && self.flush.is_never()
                && self.gate.is_none()
                && !self.overlap.may_hold(),
            only: self.mix.only().filter(|_| one_run),
            settles: nothing_beside
                && unheard
                && self.bounds.is_none()
                && !self.is_steered()
                && (self.flush.is_never() || !self.think.is_planned()),
        }
    }

    /// Fills the batch on the fast path; false, with nothing changed, if the worker must check for each I/O whether it
    /// may still be issued.
    #[inline(always)]
    pub(super) fn fill_straight(&mut self, now: Nanos, out: &mut Batch) -> bool {
        let AccessOrder::Plain(plain) = &self.access else { return false };
        let count = self.quota.covers(out.room().min(self.slots.free_count()), plain.longest());
        if count == 0 {
            return false;
        }
        let places = out.take_places(count);
        let moved = match self.straight.only {
            Some(kind) => self.fill_alike(now, kind, places),
            None => self.fill_mixed(now, places),
        };
        if cfg!(debug_assertions) {
            (0..count).for_each(|_| self.balance.issued());
        }
        self.quota.took(count, moved);
        if self.quota.ops() == 0 {
            self.spent(now);
        }
        true
    }

    /// Fills `places` with I/Os of one kind to the worker's only file.
    #[inline(always)]
    fn fill_alike(&mut self, now: Nanos, kind: Direction, places: &mut [Io]) -> MovedBytes {
        let mut moved = MovedBytes::default();
        let AccessOrder::Plain(plain) = &mut self.access else { return moved };
        let (mut run, bytes) = plain.run(kind);
        moved.add(kind, places.len() as u64 * u64::from(bytes));
        let io = InFlight { due: now, issued: now, kind, file: 0, offset: 0, bytes };
        self.slots.take_alike(&io, places, || run.next());
        moved
    }

    /// Fills `places` with I/Os whose direction is drawn and whose files take turns.
    #[inline(never)]
    fn fill_mixed(&mut self, now: Nanos, places: &mut [Io]) -> MovedBytes {
        let mut moved = MovedBytes::default();
        let AccessOrder::Plain(plain) = &mut self.access else { return moved };
        for place in places {
            let NextIo { kind, file, offset, bytes } = plain.next(self.mix.next());
            moved.add(kind, u64::from(bytes));
            let slot = self.slots.take(&InFlight { due: now, issued: now, kind, file, offset, bytes });
            *place = Io { slot, kind, file, offset, bytes, due: now };
        }
        moved
    }

    /// Settles a completion that came alone, as most do in a shallow queue, on the fast path.
    #[inline(always)]
    pub(super) fn settle_alone(&mut self, now: Nanos, done: &Completion) {
        let Some(io) = self.slots.free(done.slot) else { return };
        if i64::from(done.result) != i64::from(io.bytes()) {
            return self.settle_freed(now, io.in_flight(), done);
        }
        let at = if done.at == Nanos::ZERO { now } else { done.at };
        self.last_done = at;
        self.balance.done();
        self.recorder.done(io.in_flight().ended(at, io.bytes()));
    }

    /// Settles completions on the fast path. I/Os that were issued in one turn and reaped in one turn have the same
    /// direction, length and times: they are counted together.
    pub(super) fn settle_together(&mut self, now: Nanos, done: &[Completion]) {
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
