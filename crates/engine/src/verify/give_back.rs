//! The choice of verified writes to trim again, and of the time. The count that begins a round, and the trims that one
//! round leaves over for later writes, follow fio, so that as many blocks are trimmed as by fio.

use std::collections::VecDeque;

use statistics::random::mix;
use workload::{GiveBack, TrimmedContent, WorkerPlan};

use super::ledger::Span;

/// Writes that wait to be trimmed.
#[derive(Clone, Debug)]
pub(super) struct GivesBack {
    asked: GiveBack,
    seed: u64,
    /// Number of writes kept for verification: a round begins when it is a multiple of the requested number.
    kept: u64,
    /// Number of trims left over from the last round.
    left: u32,
    /// Whether a round began while several writes were issued at once, and has not been noticed yet.
    begun: bool,
    at_once: bool,
    /// Whether the last I/O issued was a read for verification, after which no round begins.
    behind_read: bool,
    /// Drawn writes with their numbers, oldest first; never more than `room`.
    waiting: VecDeque<(Span, u32)>,
    room: usize,
}

impl GivesBack {
    pub(super) fn new(asked: GiveBack, plan: &WorkerPlan) -> GivesBack {
        // A round empties the list, so waiting writes are those issued between two rounds or in flight meanwhile.
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

    /// Whether the write of this number is to be trimmed.
    pub(super) fn draws(&self, write: u32) -> bool {
        mix(self.seed ^ mix(u64::from(write))) % 100 < u64::from(self.asked.percent)
    }

    /// Counts a write that is issued; `known` if its place is already kept for verification.
    pub(super) fn issued(&mut self, known: bool) {
        self.kept += u64::from(!known);
        self.behind_read = false;
        self.begun = self.at_once && (self.begun || self.is_round());
    }

    /// Whether enough writes are kept for a round to begin.
    fn is_round(&self) -> bool {
        !self.behind_read && self.kept.is_multiple_of(u64::from(self.asked.writes.max(1)))
    }

    /// Counts a write that is read back for verification, and so is no longer kept for it.
    pub(super) fn read_back(&mut self) {
        self.kept = self.kept.saturating_sub(1);
        self.behind_read = true;
    }

    /// Adds a completed write to those that wait, if it is drawn.
    pub(super) fn offer(&mut self, span: Span, write: u32) {
        if self.draws(write) && self.waiting.len() < self.room {
            self.waiting.push_back((span, write));
        }
    }

    /// The first write that waits.
    pub(super) fn first(&self) -> Option<(Span, u32)> {
        self.waiting.front().copied()
    }

    /// Removes the first write that waits.
    pub(super) fn take_first(&mut self) {
        self.waiting.pop_front();
    }

    /// Whether the first write is to be trimmed now: in a round, or as one of the trims that a round has left over.
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

    /// Removes the first write, which is trimmed; returns the content left. A write no longer verified is no longer
    /// kept.
    pub(super) fn give(&mut self) -> TrimmedContent {
        self.take_first();
        self.behind_read = false;
        self.kept = self.kept.saturating_sub(u64::from(self.asked.then == TrimmedContent::Anything));
        self.asked.then
    }
}
