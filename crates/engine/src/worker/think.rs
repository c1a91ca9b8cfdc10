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
    /// Completions still needed before the next rest, if completions are counted; below zero while the queue runs
    /// empty, [`i64::MAX`] if they are not counted.
    left: i64,
    /// When the next rest is due by the clock.
    at: Nanos,
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
        ThinkTime { plan: think, state: State::Awake, left: i64::MAX, at: Nanos::MAX }
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
        self.left <= 0 || self.state == State::Draining
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
            ThinkCount::Issued => quota.resting_after(u64::from(think.every)),
            ThinkCount::Done => {
                // Completions while the queue ran empty count towards this rest, but at least one I/O comes in between.
                self.left = (i64::from(think.every) + self.left.min(0)).max(1);
                debug_assert!(
                    self.left <= i64::from(think.every),
                    "a rest comes later than it was asked for"
                );
                quota
            }
        }
    }
}

impl Worker {
    /// Rests or ends, because the I/Os until the next rest or the end have been issued.
    #[cold]
    pub(super) fn spent(&mut self, now: Nanos) {
        if self.quota.is_at_rest() { self.begin_rest(now) } else { self.end(super::StopReason::Amount, now) }
    }

    /// Begins a rest that is due, or its pause if the queue has run empty for it.
    #[cold]
    pub(super) fn consider_rest(&mut self, now: Nanos) {
        match self.think.state {
            State::Awake if self.open => self.begin_rest(now),
            State::Draining if self.slots.in_flight() == 0 => self.pause(self.last_done.max(now)),
            _ => {}
        }
    }

    /// Issues nothing more until the rest is over.
    pub(super) fn begin_rest(&mut self, now: Nanos) {
        let Some(think) = self.think.plan else { return };
        self.open = false;
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
            State::Pausing { until, .. } => {
                self.quota = self.think.work(until, self.quota);
                self.open = true;
            }
            State::Awake => self.begin_rest(now),
            State::Draining => {}
        }
    }
}
