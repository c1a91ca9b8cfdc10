//! A worker's progress through its schedule: when it begins, counts and ends.

use workload::{Bytes, Nanos};

use super::quota::Quota;
use super::{Phase, StopReason, Wake, Worker};
use crate::recorder::Part;
use crate::rules::{Schedule, Timetable};

impl Schedule {
    /// The schedule of a worker that has not been given one.
    pub(super) const NONE: Schedule =
        Schedule { start: Nanos::MAX, counted_from: Nanos::MAX, deadline: Nanos::MAX, over: Nanos::MAX };
}

impl Worker {
    /// Sets the times of the step and of the worker; before the first turn.
    pub fn begin(&mut self, timetable: Timetable, schedule: Schedule) {
        assert!(self.phase == Phase::Waiting && self.stopped.is_none(), "a worker begins twice");
        assert!(self.slots.in_flight() == 0, "a worker begins with I/O in flight");
        self.recorder.begin(timetable);
        self.last_done = timetable.start;
        self.set_schedule(schedule);
    }

    /// Sets the times of a worker that waited for them, at `now` in its step.
    pub fn call(&mut self, schedule: Schedule, now: Nanos) {
        assert!(self.schedule.start == Nanos::MAX, "a worker that has its times is called again");
        self.set_schedule(schedule);
        self.last_done = now;
        self.reach(now);
    }

    fn set_schedule(&mut self, schedule: Schedule) {
        assert!(schedule.start <= schedule.counted_from, "a worker counts before it starts");
        assert!(schedule.deadline <= schedule.over, "a worker is over before its deadline");
        self.schedule = schedule;
        self.set_horizon();
        if schedule.start != Nanos::MAX {
            // Due times count from there; nothing is issued before.
            self.pace.begin(schedule.start);
        }
    }

    /// When completions begin to count; [`Nanos::MAX`] until it is known.
    pub fn counted_from(&self) -> Nanos {
        self.schedule.counted_from
    }

    /// When completions no longer count although the worker goes on; [`Nanos::MAX`] if it does not go on.
    pub fn counted_until(&self) -> Nanos {
        if self.schedule.over > self.schedule.deadline { self.schedule.deadline } else { Nanos::MAX }
    }

    /// When its counting began and ended.
    pub(crate) fn counted(&self) -> (Nanos, Nanos) {
        let wrote_until = self.wrote_until.unwrap_or(Nanos::MAX);
        let done_in_ramp = self.phase == Phase::Ramp && matches!(self.stopped, Some((StopReason::Amount, _)));
        let from = match self.rules.bytes_in_all {
            Some(_) if done_in_ramp => self.schedule.start,
            _ => self.schedule.counted_from,
        };
        (from, self.ended().min(self.counted_until()).min(wrote_until))
    }

    /// When this worker was over: its last completion, the end of the rest after it, or the later time at which issuing
    /// ended by the clock or on command.
    pub fn ended(&self) -> Nanos {
        match self.stopped {
            Some((StopReason::Time | StopReason::Told, at)) => at.max(self.last_done),
            Some((StopReason::Amount, _)) => self.last_done.max(self.think.rested_until()),
            _ => self.last_done,
        }
    }

    /// Number of I/Os that were due by the pace before the end but not issued, for lack of a free slot.
    pub fn unissued(&self) -> u64 {
        self.unissued
    }

    /// When a worker that does not issue wants its next turn.
    #[cold]
    pub(super) fn wake_while_shut(&self, now: Nanos) -> Wake {
        match (self.stopped, self.slots.in_flight()) {
            (Some(_), 0) if self.has_more_to_read_back() => Wake::At(now),
            (Some(_), 0) => Wake::Finished,
            (Some(_), _) => Wake::OnCompletion,
            (None, _) if self.think.is_resting() => self.think.wake(now, self.horizon),
            (None, _) => Wake::At(self.horizon),
        }
    }

    #[cold]
    pub(super) fn end(&mut self, why: StopReason, at: Nanos) {
        if self.stopped.is_some() {
            return;
        }
        if matches!(why, StopReason::Time | StopReason::Told) && self.phase != Phase::Waiting {
            self.unissued = self.pace.due_before(at);
        }
        self.stopped = Some((why, at));
        self.open = false;
        self.close_gate();
        self.horizon = Nanos::MAX;
    }

    /// Takes in that the time is `now`, at which something changes by the clock.
    #[cold]
    pub(super) fn pass_horizon(&mut self, now: Nanos) {
        while self.stopped.is_none() && now >= self.phase_end() {
            self.next_phase(now);
        }
        if self.stopped.is_none() {
            self.pass_rest(now);
            self.pass_bounds(now);
            self.pass_window(now);
        }
        if self.stopped.is_none() {
            self.set_horizon();
        }
    }

    pub(super) fn set_horizon(&mut self) {
        let bounds = self.bounds.as_ref().map_or(Nanos::MAX, |bounds| bounds.horizon());
        let gate = self.gate.as_ref().map_or(Nanos::MAX, |gate| gate.horizon());
        self.horizon = self.phase_end().min(self.think.horizon()).min(bounds).min(gate);
    }

    fn phase_end(&self) -> Nanos {
        let schedule = &self.schedule;
        match self.phase {
            Phase::Waiting => schedule.start.min(schedule.over),
            Phase::Ramp => schedule.counted_from.min(schedule.over),
            Phase::Counted => schedule.deadline,
            Phase::Cool => schedule.over,
        }
    }

    fn next_phase(&mut self, now: Nanos) {
        let schedule = self.schedule;
        match self.phase {
            Phase::Waiting if schedule.start < schedule.over => {
                self.phase = Phase::Ramp;
                self.open = true;
                self.open_gate(schedule.start);
                self.quota = self.think.work(schedule.start, Quota::of_ramp(&self.rules));
            }
            Phase::Ramp if schedule.counted_from < schedule.over => {
                self.phase = Phase::Counted;
                self.recorder.enter(Part::Counted, now);
                self.count();
            }
            Phase::Counted if schedule.deadline < schedule.over => {
                self.phase = Phase::Cool;
                self.recorder.enter(Part::Cool, now);
                self.unissued = self.pace.due_before(schedule.deadline);
            }
            _ => self.end(StopReason::Time, schedule.over),
        }
    }

    /// Begins to count: applies the amounts of the plan.
    fn count(&mut self) {
        if let Some(bounds) = &mut self.bounds {
            bounds.begin(self.schedule.counted_from);
        }
        let (ops, bytes) = match self.slots.in_flight() {
            0 => (0, Bytes(0)),
            _ => self.slots.amount_in_flight(),
        };
        let amounts = self.quota.counted(&self.rules, ops, bytes);
        // A rest that was near stays as near as it was.
        self.quota = amounts.resting_after(self.quota.ops());
        if self.quota.ops() == 0 && self.open {
            self.spent(self.schedule.counted_from);
        }
    }
}
