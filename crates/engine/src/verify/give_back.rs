//! Which of the verified writes are trimmed again, and when. The count that begins a round, and what a round leaves over for
//! the writes behind it, are those of fio, so that as many blocks are trimmed as there.

use std::collections::VecDeque;

use statistics::random::mix;
use workload::{GiveBack, Trimmed, WorkerPlan};

use super::ledger::Span;

/// Writes that wait to be trimmed.
#[derive(Clone, Debug)]
pub(super) struct GivesBack {
    asked: GiveBack,
    seed: u64,
    /// Writes that are kept for the check: a round begins when they are a multiple of those asked for.
    kept: u64,
    /// Trims that need no round of their own.
    left: u32,
    /// Whether one began while several were issued at once, so that nobody looked.
    begun: bool,
    at_once: bool,
    /// Whether the last that was issued was a read for the check, behind which no round begins.
    behind_read: bool,
    /// Those that were drawn, with their numbers, the oldest first; never more than there was room for.
    waiting: VecDeque<(Span, u32)>,
    room: usize,
}

impl GivesBack {
    pub(super) fn new(asked: GiveBack, plan: &WorkerPlan) -> GivesBack {
        // A round empties the queue, so that no more wait than come between two, and what is in flight meanwhile.
        let room = 2 * asked.writes.max(1) as usize + asked.batch as usize + plan.depth as usize;
        let room = room.min(1 << 20);
        GivesBack {
            asked,
            seed: plan.seed,
            kept: 0,
            left: 0,
            begun: false,
            at_once: plan.depth > 1,
            behind_read: false,
            waiting: VecDeque::with_capacity(room),
            room,
        }
    }

    /// Whether the write of this number is one to trim.
    pub(super) fn draws(&self, write: u32) -> bool {
        mix(self.seed ^ mix(u64::from(write))) % 100 < u64::from(self.asked.percent)
    }

    /// A write is issued, to a place that is kept for the check already where `known`.
    pub(super) fn issued(&mut self, known: bool) {
        self.kept += u64::from(!known);
        self.behind_read = false;
        self.begun = self.at_once && (self.begun || self.is_round());
    }

    /// Whether so many are kept that a round begins.
    fn is_round(&self) -> bool {
        !self.behind_read && self.kept.is_multiple_of(u64::from(self.asked.writes.max(1)))
    }

    /// A write is read back for the check, and with that no longer kept for it.
    pub(super) fn read_back(&mut self) {
        self.kept = self.kept.saturating_sub(1);
        self.behind_read = true;
    }

    /// A write has ended: it waits where it is drawn.
    pub(super) fn offer(&mut self, span: Span, write: u32) {
        if self.draws(write) && self.waiting.len() < self.room {
            self.waiting.push_back((span, write));
        }
    }

    /// The first that waits.
    pub(super) fn first(&self) -> Option<(Span, u32)> {
        self.waiting.front().copied()
    }

    /// The first waits no longer.
    pub(super) fn take_first(&mut self) {
        self.waiting.pop_front();
    }

    /// Whether the first is to be trimmed now: in a round, or in what one has left over.
    pub(super) fn is_due(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return true;
        }
        if !self.begun && !self.is_round() {
            return false;
        }
        self.begun = false;
        self.left = if self.asked.batch == 0 { self.asked.writes } else { self.asked.batch };
        true
    }

    /// The first is trimmed: what that must leave. What is not looked at any more is not kept for it either.
    pub(super) fn give(&mut self) -> Trimmed {
        self.take_first();
        self.behind_read = false;
        self.kept = self.kept.saturating_sub(u64::from(self.asked.then == Trimmed::Anything));
        self.asked.then
    }
}
