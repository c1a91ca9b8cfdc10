//! What must hold of a simulated fleet at every moment, whatever happens, and what was seen of it.

use std::collections::BTreeMap;

use fleet::{ClockOffset, Coordinator, Fault, Gathered, MachineState, Order, Refusal, Report};
use workload::Nanos;

use crate::simulated::{Clock, Plan, SECOND, file, state_after};

/// Two clocks drift apart by twice what one may drift.
const DRIFT_PPM: u64 = 100;
/// Time from the order to begin to the beginning, with the ways of messages.
const LEAD: u64 = 200_000_000;
/// What simulated clocks lose to rounding, and to drift during a single question.
const ROUNDING: u64 = 10_000;

#[derive(Clone, Copy, Debug, Default)]
struct Tour {
    asked: Option<Nanos>,
    began: Option<u64>,
    best: Option<ClockOffset>,
}

/// A step that a member began: which order for all, when, and how far from the others that may be.
#[derive(Clone, Copy, Debug)]
struct Begun {
    go: usize,
    at: u64,
    within: u64,
}

pub struct Judge {
    plan: Plan,
    clock: Clock,
    clocks: Vec<Clock>,
    states: Vec<MachineState>,
    last_words: Vec<u64>,
    silent: Vec<bool>,
    has_left: Vec<bool>,
    tours: Vec<Tour>,
    /// Number of orders to begin a step, each for all together, and when the last one was given.
    goes: (usize, u64),
    /// Of each member, the number of its last order to begin, and how wrong its clock may be then.
    given: Vec<(usize, u64)>,
    begun: Vec<Begun>,
    rounds: Vec<usize>,
    /// By member and round: when the first step began and the last ended.
    spans: BTreeMap<(usize, usize), (u64, u64)>,
    /// By member and round: files that must arrive.
    owed: Vec<(usize, usize)>,
    /// Whether somebody could not be prepared.
    is_refused: bool,
    pub orders: Vec<(u64, usize, Order)>,
    pub notices: Vec<String>,
    pub gathered: Vec<Gathered>,
    pub faults: Vec<(usize, Fault)>,
    pub refusal: Option<Refusal>,
}

impl Judge {
    pub fn new(plan: Plan, clock: Clock, clocks: Vec<Clock>) -> Judge {
        let size = plan.size;
        Judge {
            plan,
            clock,
            clocks,
            states: vec![MachineState::Joining; size],
            last_words: vec![0; size],
            silent: vec![false; size],
            has_left: vec![false; size],
            tours: vec![Tour::default(); size],
            goes: (0, 0),
            given: vec![(0, 0); size],
            begun: Vec::new(),
            rounds: vec![0; size],
            spans: BTreeMap::new(),
            owed: Vec::new(),
            is_refused: false,
            orders: Vec::new(),
            notices: Vec::new(),
            gathered: Vec::new(),
            faults: Vec::new(),
            refusal: None,
        }
    }

    /// A report arrives at the first process.
    pub fn heard(&mut self, from: usize, report: &Report, now: u64) {
        if self.silent[from] {
            return;
        }
        self.last_words[from] = now;
        if let (Report::Clock(shown), Some(asked)) = (report, self.tours[from].asked.take()) {
            let answer = ClockOffset::of_answer(asked, *shown, self.clock.shows(now));
            let tour = &mut self.tours[from];
            tour.best = Some(tour.best.map_or(answer, |best| best.or(answer)));
        }
        if let Report::Ended { code, file, .. } = report {
            let round = self.rounds[from] - 1;
            let has_begun = self.goes.0 > 0 && self.given[from].0 > 0;
            self.is_refused |= !has_begun && *code != Some(0) && !self.is_stopped();
            if code.is_some() && file.is_some() {
                self.owed.push((from, round));
            }
        }
        let is_unasked = matches!(report, Report::Sent { .. }) && self.states[from] != MachineState::Sending;
        if let Some(state) = state_after(report).filter(|_| !is_unasked) {
            self.states[from] = state;
        }
    }

    fn is_stopped(&self) -> bool {
        self.orders.iter().any(|(_, _, order)| *order == Order::Stop)
    }

    /// Looks at what the first process shows.
    pub fn sees(&mut self, first: &mut Coordinator, now: u64) {
        let notices = first.notices();
        self.faults = first.faults();
        for (member, fault) in self.faults.clone() {
            let Fault::Silent(state) = fault else { continue };
            if std::mem::replace(&mut self.silent[member], true) {
                continue;
            }
            let silent = now - self.last_words[member];
            let notice = format!("{} has not answered for {}, {state}", first.name(member), Nanos(silent));
            assert!(notices.contains(&notice), "{notice} not in {notices:?}: {:?}", self.plan);
            assert_eq!(state, self.states[member], "{:?}", self.plan);
            let is_late = silent > 5 * SECOND && state != MachineState::Joining;
            assert!(!is_late, "{member} named after {silent} ns: {:?}", self.plan);
        }
        self.notices.extend(notices);
        self.gathered.extend(first.gathered());
        self.refusal = first.refusal().cloned();
    }

    /// The first process gives an order.
    pub fn ordered(&mut self, to: usize, order: &Order, now: u64) {
        assert!(!self.silent[to], "{order:?} for {to}, which is silent: {:?}", self.plan);
        assert!(!self.has_left[to], "{order:?} for {to}, which has left: {:?}", self.plan);
        self.orders.push((now, to, order.clone()));
        match order {
            Order::Clock => {
                self.tours[to].began.get_or_insert(now);
                self.tours[to].asked = Some(self.clock.shows(now));
            }
            Order::Begin(_) => {
                self.rounds[to] += 1;
                (self.given[to], self.tours[to]) = ((0, 0), Tour::default());
                self.states[to] = MachineState::Preparing;
            }
            Order::Go(_) => self.goes(to, now),
            Order::Send => {
                let is_whole = self.owed.contains(&(to, self.rounds[to] - 1));
                assert!(is_whole, "{to} is asked for a file that is not whole: {:?}", self.plan);
                self.states[to] = MachineState::Sending;
            }
            Order::Leave => self.has_left[to] = true,
            Order::Stop | Order::Alive => {}
        }
    }

    fn goes(&mut self, to: usize, now: u64) {
        assert!(!self.is_refused, "an order to begin after a refusal: {:?}", self.plan);
        for (member, state) in self.states.iter().enumerate() {
            let is_unready = *state == MachineState::Preparing && !self.silent[member];
            assert!(!is_unready, "an order to begin before {member} is ready: {:?}", self.plan);
        }
        if self.goes.1 != now {
            self.goes = (self.goes.0 + 1, now);
        }
        let MachineState::Ready(step) = self.states[to].clone() else {
            panic!("{to} is to begin and is not ready: {:?}", self.plan)
        };
        self.states[to] = MachineState::Measuring(step);
        let tour = std::mem::take(&mut self.tours[to]);
        let age = now - tour.began.unwrap() + LEAD;
        self.given[to] = (self.goes.0, tour.best.unwrap().within.0 + age * DRIFT_PPM / 1_000_000 + ROUNDING);
    }

    /// The order to begin arrives at a member.
    pub fn obeys_go(&mut self, member: usize, begin: u64, now: u64) {
        let is_disturbed = self.plan.events.iter().any(|&(_, of, _)| of == member);
        assert!(begin > now || is_disturbed, "the order came too late at {member}: {:?}", self.plan);
    }

    /// A member begins a step.
    pub fn begins(&mut self, member: usize, at: u64) {
        let (go, within) = self.given[member];
        let span = self.spans.entry((member, self.rounds[member] - 1)).or_insert((at, at));
        span.1 = at;
        if self.plan.events.iter().any(|&(_, of, _)| of == member) {
            return;
        }
        let mine = Begun { go, at, within };
        for other in self.begun.iter().filter(|other| other.go == go) {
            let apart = other.at.abs_diff(at);
            assert!(apart <= other.within + within, "{mine:?} beside {other:?}: {:?}", self.plan);
        }
        self.begun.push(mine);
    }

    /// A member ends a step.
    pub fn ends(&mut self, member: usize, at: u64) {
        let span = self.spans.entry((member, self.rounds[member] - 1)).or_insert((at, at));
        span.1 = at;
    }

    /// Judges the end.
    pub fn concludes(&self) {
        let mut owed = self.owed.clone();
        owed.retain(|&(member, _)| !self.silent[member] && self.refusal.is_none());
        let mut last_round = vec![None; self.plan.size];
        for gathered in &self.gathered {
            let member = gathered.member;
            let round = last_round[member].map_or(0, |round| round + 1);
            last_round[member] = Some(round);
            let whole = file(self.plan.seed, member, round);
            assert!(gathered.bytes == whole, "the file of {member} is not whole: {:?}", self.plan);
            let is_alone = self.plan.is_alone_first && round == 0;
            assert_eq!(gathered.is_alone, is_alone, "round {round} of {member}: {:?}", self.plan);
            owed.retain(|&other| other != (member, round));
            self.has_a_true_clock(gathered, round);
        }
        assert_eq!(owed, [], "files are missing: {:?}", self.plan);
        if self.is_refused {
            assert!(self.refusal.is_some(), "nobody says why: {:?}", self.plan);
        }
    }

    fn has_a_true_clock(&self, gathered: &Gathered, round: usize) {
        let Some(&(begin, end)) = self.spans.get(&(gathered.member, round)) else { return };
        for at in [begin, end] {
            let there = self.clocks[gathered.member].shows(at).0 as i64;
            let ahead = there - self.clock.shows(at).0 as i64;
            let wrong = ahead.abs_diff(gathered.clock.ahead_ns);
            let within = gathered.clock.within.0 + ROUNDING;
            assert!(wrong <= within, "the clock of {} is wrong by {wrong}: {:?}", gathered.member, self.plan);
        }
    }
}
