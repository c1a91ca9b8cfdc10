//! Think time of a worker: rests between I/Os and between bursts.

use workload::{Nanos, Think, ThinkCount, ThinkPace, ThinkQueue};

use super::quota::Quota;
use super::{Wake, Worker};

/// A worker's rests, planned and current.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThinkTime {
    /// `None` if the worker never rests.
    plan: Option<Think>,
    state: State,
    /// Completions until the next rest, counted from the beginning of the last one, if completions are counted;
    /// [`i64::MAX`] otherwise. If those of the queue that ran empty were enough, one more I/O brings the rest, as in fio.
    left: i64,
    /// The completions beyond those of the last rest that were reaped with them and count towards the next, negated.
    carried: i64,
    /// Whether the next rest follows the issue of an I/O; otherwise it follows completions or the clock.
    by_issue: bool,
    /// Whether the I/Os to issue until the next rest are all that were planned, and not only what is left.
    is_whole: bool,
    /// When the next rest is due by the clock.
    at: Nanos,
    /// Whether the current rest is the one after the last I/O, with which the worker ends.
    is_last: bool,
    /// End of the last pause that has begun.
    rested_until: Nanos,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Awake,
    /// Nothing is issued; the pause begins when nothing is in flight.
    Draining,
    Pausing {
        busy_until: Nanos,
        until: Nanos,
    },
}

impl ThinkTime {
    pub(super) fn new(think: Option<Think>) -> ThinkTime {
        ThinkTime {
            plan: think,
            state: State::Awake,
            left: i64::MAX,
            carried: 0,
            by_issue: false,
            is_whole: false,
            at: Nanos::MAX,
            is_last: false,
            rested_until: Nanos::ZERO,
        }
    }

    /// Counts `done` completions; true if a rest may have to begin or end.
    #[inline]
    pub(super) fn is_due(&mut self, done: usize) -> bool {
        if self.plan.is_none() {
            return false;
        }
        if self.left != i64::MAX {
            self.left -= done as i64;
        }
        self.left <= 0 && !self.by_issue || self.state == State::Draining
    }

    /// Whether the worker ever rests.
    pub(super) fn is_planned(&self) -> bool {
        self.plan.is_some()
    }

    /// End of the last pause that has begun; zero if there was none.
    pub(super) fn rested_until(&self) -> Nanos {
        self.rested_until
    }

    /// Takes back a completion that counts towards no rest: a flush, or a read for verification.
    #[inline]
    pub(super) fn uncount(&mut self) {
        self.left = self.left.saturating_add(1);
    }

    /// Whether a rest follows the last I/O, which has just been issued, as in fio: a queue that is full waits for a
    /// completion first.
    fn is_due_at_end(&self, quota: Quota, is_full: bool) -> bool {
        match self.plan.map(|think| think.counted) {
            Some(ThinkCount::Issued) => self.is_whole && quota.ops() == 0,
            Some(ThinkCount::Done) => self.left != i64::MAX && self.left <= i64::from(is_full),
            None => false,
        }
    }

    /// When the state next changes by the clock alone.
    pub(super) fn horizon(&self) -> Nanos {
        match self.state {
            State::Awake => self.at,
            State::Draining => Nanos::MAX,
            State::Pausing { until, .. } => until,
        }
    }

    /// Whether the worker rests and so must not issue.
    pub(super) fn is_resting(&self) -> bool {
        self.state != State::Awake
    }

    /// When a worker that rests at `now` wants to be woken, at `horizon` at the latest.
    pub(super) fn wake(&self, now: Nanos, horizon: Nanos) -> Wake {
        match self.state {
            State::Pausing { busy_until, .. } if now < busy_until => Wake::Busy(horizon.min(busy_until)),
            State::Pausing { .. } | State::Awake => Wake::At(horizon),
            State::Draining => Wake::OnCompletion,
        }
    }

    /// Begins work at `now`: sets when the next rest begins, and returns `quota` adjusted to it.
    pub(super) fn work(&mut self, now: Nanos, quota: Quota) -> Quota {
        self.state = State::Awake;
        let Some(think) = &self.plan else { return quota };
        self.at = think.after.map_or(Nanos::MAX, |time| now + time);
        match think.counted {
            _ if think.every == u32::MAX => quota,
            ThinkCount::Issued => {
                self.is_whole = quota.all_ops() >= u64::from(think.every);
                quota.resting_after(u64::from(think.every))
            }
            ThinkCount::Done => {
                if self.left == i64::MAX {
                    self.left = i64::from(think.every);
                }
                self.by_issue = self.left <= 0;
                quota.resting_after(if self.by_issue { 1 } else { u64::MAX })
            }
        }
    }

    /// Begins to count completions anew, at the beginning of a rest.
    fn count_anew(&mut self) {
        let every = self.plan.filter(|think| think.every != u32::MAX).map(|think| i64::from(think.every));
        if let (Some(every), true) = (every, self.left != i64::MAX) {
            self.left = every + std::mem::take(&mut self.carried);
        }
    }
}

impl Worker {
    /// Rests or ends, because the I/Os until the next rest or the end have been issued.
    #[cold]
    pub(super) fn spent(&mut self, now: Nanos) {
        self.think.is_last = !self.quota.is_at_rest();
        if !self.think.is_last || self.think.is_due_at_end(self.quota, !self.has_room()) {
            self.begin_rest(now);
        } else {
            self.end(super::StopReason::Amount, now);
        }
    }

    /// Begins a rest that is due after `done` completions, or its pause if the queue has run empty for it. As in fio, which
    /// looks for it after an issue and reaps only from a full queue, and then one by one, each reaped I/O is followed by a new
    /// one until enough are reaped. If the queue had room before, one more I/O brings the rest.
    #[cold]
    pub(super) fn consider_rest(&mut self, now: Nanos, done: usize) {
        match self.think.state {
            State::Awake if self.open && self.slots.free_count() > done => self.rest_after(1),
            State::Awake if self.open => {
                let lacked = self.think.left.saturating_add(done as i64);
                self.think.carried = self.think.left;
                if lacked > 1 { self.rest_after(lacked as u64 - 1) } else { self.begin_rest(now) }
            }
            State::Draining if self.slots.in_flight() == 0 => self.pause(self.last_done.max(now)),
            _ => {}
        }
    }

    /// Rests after `ops` more I/Os.
    fn rest_after(&mut self, ops: u64) {
        self.think.by_issue = true;
        self.quota = self.quota.resting_after(ops);
    }

    /// Issues nothing more until the rest is over.
    pub(super) fn begin_rest(&mut self, now: Nanos) {
        let Some(think) = self.think.plan else { return };
        self.open = false;
        self.think.count_anew();
        let keeps = think.queue == ThinkQueue::Kept || self.slots.in_flight() == 0;
        if keeps {
            self.pause(now)
        } else {
            self.think.state = State::Draining
        }
        self.set_horizon();
    }

    fn pause(&mut self, from: Nanos) {
        let Some(think) = self.think.plan else { return };
        let busy_until =
            if think.spin > Nanos::ZERO { from + think.spin.min(think.pause) } else { Nanos::ZERO };
        self.think.rested_until = from + think.pause;
        self.think.state = State::Pausing { busy_until, until: from + think.pause };
        if think.pace == ThinkPace::Moved {
            self.pace.delay(think.pause);
        }
        self.set_horizon();
    }

    /// Ends a pause that is over at `now`, or begins one that is due by the clock.
    pub(super) fn pass_rest(&mut self, now: Nanos) {
        if now < self.think.horizon() {
            return;
        }
        match self.think.state {
            State::Pausing { until, .. } if self.think.is_last => {
                self.end(super::StopReason::Amount, until);
            }
            State::Pausing { until, .. } => {
                self.quota = self.think.work(until, self.quota);
                self.open = true;
            }
            State::Awake => self.begin_rest(now),
            State::Draining => {}
        }
    }
}
