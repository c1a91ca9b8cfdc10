//! A search for the queue depth: the depth doubles while enough I/Os complete in time, then the gap between the
//! greatest depth that passed and the least that failed is halved. Each depth is tried for a window of time.

use workload::{Nanos, Steering as PlannedSteering, WhenFound};

use super::Worker;
use super::bounds::Crossing;
use super::slots::InFlight;

/// Number of windows in a row that a depth must pass before a greater one that failed is tried again.
const SETTLED: u32 = 8;

/// The search of a worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steering {
    asked: PlannedSteering,
    /// The depth being tried.
    depth: usize,
    /// The greatest depth that passed; 0 until one has.
    good: usize,
    /// The least depth that failed; until one has, the greatest allowed plus one.
    bad: usize,
    /// The greatest depth allowed, plus one.
    beyond: usize,
    /// Start of the window: I/O issued earlier says nothing about this depth.
    from: Nanos,
    /// End of the window.
    until: Nanos,
    /// I/Os of the window that completed in time.
    within: u64,
    /// I/Os of the window that did not complete in time.
    late: u64,
    /// Number of windows in a row that this depth passed.
    did: u32,
    stage: Stage,
    /// Whether the last completed window passed.
    held: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Depths are being tried.
    Search,
    /// The depth is found, and its window is the last.
    Last,
    Over,
}

/// The step after a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Another window.
    Window,
    /// The last window, the only one that counts.
    Last,
    /// The end of the search.
    End,
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SteeringResult {
    /// The depth reached.
    pub(crate) depth: u32,
    /// Whether the target was met at that depth in the last window; `None` if the search had not ended.
    pub(crate) held: Option<bool>,
}

impl Steering {
    /// A search up to `depth`.
    pub(super) fn new(asked: PlannedSteering, depth: u32) -> Steering {
        assert!(asked.window > Nanos::ZERO, "a depth is tried for no time");
        let beyond = depth as usize + 1;
        Steering {
            asked,
            depth: 1,
            good: 0,
            bad: beyond,
            beyond,
            from: Nanos::MAX,
            until: Nanos::MAX,
            within: 0,
            late: 0,
            did: 0,
            stage: Stage::Search,
            held: None,
        }
    }

    /// Number of I/Os that may be in flight.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// When the window is over.
    pub(super) fn horizon(&self) -> Nanos {
        self.until
    }

    /// Begins a window at `now`.
    pub(super) fn begin(&mut self, now: Nanos) {
        (self.from, self.until) = (now, now + self.asked.window);
        (self.within, self.late) = (0, 0);
    }

    /// Counts `io`, completed at `at`. If all I/Os must be in time, a late one ends the window, and at depth 1 the worker.
    fn done(&mut self, io: &InFlight, at: Nanos) -> Option<Crossing> {
        if io.issued < self.from || self.stage == Stage::Over {
            return None;
        }
        let took = at.since(io.due);
        if took <= self.asked.target {
            self.within += 1;
            return None;
        }
        self.late += 1;
        if self.asked.percent < 100.0 || self.stage == Stage::Last {
            return None;
        }
        self.until = at;
        (self.depth == 1).then_some(Crossing::Latency { most: self.asked.target, took, io: *io })
    }

    /// Evaluates the window that is over at `now`.
    fn pass(&mut self, now: Nanos) -> Next {
        let all = self.within + self.late;
        if all == 0 {
            // Nothing completed: extend the window.
            self.until = now + self.asked.window;
            return Next::Window;
        }
        let held = 100.0 * self.within as f64 >= self.asked.percent * all as f64;
        self.held = Some(held);
        if self.stage == Stage::Last {
            self.stage = Stage::Over;
            return Next::End;
        }
        let next = if held { self.after_success() } else { self.after_failure() };
        let found = next == if held { self.depth } else { self.good };
        self.did = if found && held { self.did + 1 } else { 0 };
        self.depth = next;
        self.begin(now);
        if !found || self.asked.then == WhenFound::Followed {
            return Next::Window;
        }
        self.stage = Stage::Last;
        Next::Last
    }

    /// The depth to try after this one passed.
    fn after_success(&mut self) -> usize {
        if self.did >= SETTLED {
            self.bad = self.beyond;
        }
        self.good = self.depth;
        match self.bad {
            bad if bad == self.beyond => (2 * self.depth).min(self.beyond - 1),
            bad => usize::midpoint(self.good, bad),
        }
    }

    /// The depth to try after this one failed.
    fn after_failure(&mut self) -> usize {
        self.bad = self.depth.max(2);
        if self.good >= self.depth {
            // The depth passed once, but no longer does.
            self.good = self.depth / 2;
        }
        usize::midpoint(self.good, self.bad).max(1)
    }

    /// The present result.
    fn reached(&self) -> SteeringResult {
        let settled = self.stage == Stage::Over || self.asked.then == WhenFound::Followed;
        let bottom = self.depth == 1 && self.held == Some(false);
        SteeringResult { depth: self.depth as u32, held: self.held.filter(|_| settled || bottom) }
    }
}

impl Worker {
    /// Whether the worker searches for its depth.
    pub(super) fn is_steered(&self) -> bool {
        self.gate.as_ref().is_some_and(|gate| gate.steering.is_some())
    }

    /// Takes `io`, completed at `at`, into the search for the depth.
    #[cold]
    pub(super) fn steer(&mut self, io: &InFlight, at: Nanos) {
        let Some(steering) = self.gate.as_mut().and_then(|gate| gate.steering.as_mut()) else { return };
        let crossing = steering.done(io, at);
        self.cross(crossing, at);
        if self.stopped.is_none() {
            self.set_horizon();
        }
    }

    /// Moves to another depth at `now`, if a window is over.
    pub(super) fn pass_window(&mut self, now: Nanos) {
        let Some(steering) = self.gate.as_mut().and_then(|gate| gate.steering.as_mut()) else { return };
        if now < steering.until {
            return;
        }
        match steering.pass(now) {
            Next::Window => {}
            Next::Last => self.count_anew(now),
            Next::End => self.end(super::StopReason::Amount, now),
        }
    }

    /// Discards the counts so far.
    fn count_anew(&mut self, now: Nanos) {
        if self.phase == super::Phase::Counted {
            self.schedule.counted_from = now;
            self.recorder.restart(now);
        }
    }

    /// The depth that a search reached.
    pub(crate) fn reached_depth(&self) -> Option<SteeringResult> {
        self.gate.as_ref()?.steering.as_ref().map(Steering::reached)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use workload::Direction;

    fn search(percent: f64, then: WhenFound, most: u32) -> Steering {
        let asked = PlannedSteering { target: Nanos(100), window: Nanos::SECOND, percent, then };
        let mut steering = Steering::new(asked, most);
        steering.begin(Nanos::ZERO);
        steering
    }

    /// Runs a window in which `share` of a hundred I/Os complete in time.
    fn window(steering: &mut Steering, share: u64) -> Next {
        let from = steering.from;
        for number in 0..100 {
            let took = if number < share { 100 } else { 101 };
            let io =
                InFlight { due: from, issued: from, kind: Direction::Read, file: 0, offset: 0, bytes: 4096 };
            let _ = steering.done(&io, from + Nanos(took));
        }
        steering.pass(steering.until)
    }

    proptest! {
        #[test]
        fn the_greatest_depth_that_does_is_found(most in 1u32..200, bound in 1usize..300) {
            let mut steering = search(90.0, WhenFound::Measured, most);
            let mut windows = 0;
            loop {
                let share = if steering.depth() <= bound { 90 } else { 89 };
                windows += 1;
                match window(&mut steering, share) {
                    Next::Window => {}
                    Next::Last => prop_assert_eq!(steering.depth(), bound.min(most as usize)),
                    Next::End => break,
                }
            }
            prop_assert!(windows <= 20, "{windows} windows");
            prop_assert_eq!(steering.reached(), SteeringResult { depth: bound.min(most as usize) as u32, held: Some(true) });
        }
    }

    #[test]
    fn where_nothing_does_it_stays_at_depth_one() {
        let mut steering = search(90.0, WhenFound::Measured, 32);
        assert!((0..20).all(|_| window(&mut steering, 10) == Next::Window));
        assert_eq!(steering.reached(), SteeringResult { depth: 1, held: Some(false) });
    }

    #[test]
    fn where_all_must_be_in_time_one_that_is_not_ends_a_window_and_at_depth_one_the_job() {
        let mut steering = search(100.0, WhenFound::Measured, 32);
        assert_eq!(window(&mut steering, 100), Next::Window);
        assert_eq!(steering.depth(), 2);
        let late = InFlight {
            due: steering.from,
            issued: steering.from,
            kind: Direction::Read,
            file: 0,
            offset: 0,
            bytes: 1,
        };
        let at = steering.from + Nanos(101);
        assert_eq!((steering.done(&late, at), steering.horizon()), (None, at));
        assert_eq!((steering.pass(at), steering.depth()), (Next::Last, 1));
        let mut one = search(100.0, WhenFound::Followed, 32);
        let late = InFlight { due: Nanos::ZERO, issued: Nanos::ZERO, ..late };
        assert!(one.done(&late, Nanos(101)).is_some());
    }

    #[test]
    fn a_depth_that_is_followed_moves_with_what_does() {
        let mut steering = search(90.0, WhenFound::Followed, 64);
        let mut follow = |bound: usize, windows: usize| {
            for _ in 0..windows {
                let share = if steering.depth() <= bound { 95 } else { 50 };
                assert_ne!(window(&mut steering, share), Next::End);
            }
            steering.good
        };
        assert_eq!(follow(20, 12), 20);
        assert!(follow(5, 20) <= 5, "it comes down");
        assert!(follow(40, 40) > 30, "and up again");
    }
}
