//! A recorded load through the rules of a volume: who waits, for how long, and what is left of the credits.
//!
//! The load is a fluid. Its spans are served in turn, each at the rate at which it arrives or, while something waits, at
//! the rate that the tightest rule allows; a rule allows its burst while it has credits. Time runs from one event to the
//! next: a span ends, a queue is empty, credits are spent, a timed burst ends.

use std::rc::Rc;

use super::curve::{BLOCK, Curve};
use super::waits::Waits;
use super::{Bound, Demand, Offer};
use crate::{Bucket, BucketStart, Limit, Limits};

/// Share of a span or of a bucket below which nothing is left of it.
const NOTHING: f64 = 1e-9;

/// When the I/Os of a span arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Evenly over the span.
    Even,
    /// As close together as the busy time of the span allows, at its end and at the start of the next in turn.
    Bunched,
}

/// What the program does while its I/O waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// It goes on: I/O arrives as it did, and the queue grows.
    Open,
    /// It waits: it asks for the next I/O when it has got the last, and takes longer.
    Closed,
}

/// How a load is replayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Charge of the load.
    pub bound: Bound,
    /// Arrivals within a span.
    pub arrivals: Arrivals,
    /// The program.
    pub program: Program,
    /// Credits at the start.
    pub start: BucketStart,
}

/// Outcome of a replay.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// Seconds until everything is served.
    pub seconds: f64,
    /// Seconds in which a rule delayed I/O.
    pub throttled_s: f64,
    /// Waits that the rules added.
    pub waits: Waits,
    /// The rules, in the order of [`Limits::limits`].
    pub rules: Vec<RuleState>,
}

/// What a replay did to a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RuleState {
    /// Lowest share of the credits (0 to 1), and when it was reached, in seconds; `None` without a bucket.
    pub lowest: Option<(f64, f64)>,
}

/// The part of a replay over which credits are followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traced {
    /// Begin, in seconds.
    pub from: f64,
    /// End, in seconds.
    pub to: f64,
    /// Points between them.
    pub points: usize,
}

/// Lowest shares of the credits of a rule, point by point.
#[derive(Debug)]
struct Trace {
    of: Traced,
    lowest: Vec<f64>,
}

impl Trace {
    /// Adds a time in which a level moved evenly between two shares, or to the second and stayed there.
    fn add(&mut self, (begins, ends): (f64, f64), (before, after): (f64, f64)) {
        if ends < self.of.from {
            return;
        }
        let wide = (self.of.to - self.of.from) / self.lowest.len() as f64;
        let place = |at: f64| (((at - self.of.from) / wide).max(0.0) as usize).min(self.lowest.len());
        for at in place(begins)..(place(ends) + 1).min(self.lowest.len()) {
            let edges = [at, at + 1].map(|edge| self.of.from + edge as f64 * wide);
            let share = |time: f64| match (time - begins) / (ends - begins) {
                part if part.is_finite() => before + (after - before) * part.clamp(0.0, 1.0),
                _ => after,
            };
            self.lowest[at] = edges.map(share).into_iter().fold(self.lowest[at], f64::min);
        }
    }

    fn points(self) -> Vec<(f64, f64)> {
        let wide = (self.of.to - self.of.from) / self.lowest.len() as f64;
        let end = |at: usize| self.of.from + (at + 1) as f64 * wide;
        let points = self.lowest.into_iter().enumerate().map(|(at, lowest)| (end(at), lowest));
        points.filter(|point| point.1.is_finite()).collect()
    }
}

/// A rule with its credits.
struct Rule {
    charges: Rc<Curve>,
    baseline: f64,
    burst: f64,
    credit: Credit,
    state: RuleState,
    trace: Option<Trace>,
}

/// Credits of a rule.
#[derive(Clone, Copy)]
enum Credit {
    None,
    Tokens { size: f64, level: f64 },
    Timed { lasts: f64, cool_off: f64, phase: Timed },
}

/// State of a burst that ends with time; times are on the clock of the replay.
#[derive(Clone, Copy, PartialEq)]
enum Timed {
    Ready,
    Bursting(f64),
    Cooling(f64),
}

impl Rule {
    fn new(demand: &Demand, limit: &Limit, conditions: &Conditions) -> Rule {
        let mut rule = Rule {
            charges: demand.curve(limit, conditions.bound),
            baseline: limit.baseline,
            burst: limit.baseline,
            credit: Credit::None,
            state: RuleState::default(),
            trace: None,
        };
        let Some(burst) = limit.burst else { return rule };
        match burst.bucket {
            Bucket::UnlimitedPaid => (rule.baseline, rule.burst) = (burst.rate, burst.rate),
            // Nobody can count on a burst of unknown length.
            Bucket::Unknown | Bucket::Timed { lasts: None, .. } => {}
            Bucket::Timed { lasts: Some(lasts), cool_off } => {
                let (lasts, cool_off) = (lasts.as_secs_f64(), cool_off.unwrap_or(lasts).as_secs_f64());
                let phase = if conditions.start.is_ready() { Timed::Ready } else { Timed::Cooling(cool_off) };
                rule.burst = burst.rate;
                rule.credit = Credit::Timed { lasts, cool_off, phase };
            }
            Bucket::Tokens { size, initial, .. } => {
                let share = conditions.start.share(limit.resource, (size, initial));
                rule.burst = burst.rate;
                rule.credit = Credit::Tokens { size, level: share * size };
                rule.state.lowest = Some((share, 0.0));
            }
        }
        rule
    }

    fn allows(&self) -> f64 {
        match self.credit {
            Credit::None => self.baseline,
            Credit::Tokens { level, .. } if level > 0.0 => self.burst,
            Credit::Timed { phase: Timed::Ready | Timed::Bursting(_), .. } => self.burst,
            Credit::Tokens { .. } | Credit::Timed { .. } => self.baseline,
        }
    }

    /// Begins a timed burst if the load needs one; returns the seconds until the rule allows another rate.
    fn changes_in(&mut self, now: f64, used: f64) -> f64 {
        let above = used > self.baseline * (1.0 + NOTHING);
        match &mut self.credit {
            Credit::Tokens { level, .. } if above && *level > 0.0 => *level / (used - self.baseline),
            Credit::Timed { lasts, phase, .. } => match phase {
                Timed::Ready if above => {
                    *phase = Timed::Bursting(now + *lasts);
                    *lasts
                }
                Timed::Ready => f64::INFINITY,
                Timed::Bursting(until) | Timed::Cooling(until) => *until - now,
            },
            Credit::None | Credit::Tokens { .. } => f64::INFINITY,
        }
    }

    /// Lets `seconds` pass, up to `now`, at a rate of `used`.
    #[inline]
    fn pass(&mut self, now: f64, seconds: f64, used: f64) {
        match &mut self.credit {
            Credit::None => {}
            Credit::Tokens { size, level } => {
                let before = *level / *size;
                *level = (*level + (self.baseline - used) * seconds).min(*size);
                if *level <= NOTHING * *size {
                    *level = 0.0;
                }
                let share = *level / *size;
                if let Some(trace) = &mut self.trace {
                    trace.add((now - seconds, now), (before, share));
                }
                if self.state.lowest.is_none_or(|(lowest, _)| share < lowest) {
                    self.state.lowest = Some((share, now));
                }
            }
            Credit::Timed { cool_off, phase, .. } => loop {
                *phase = match *phase {
                    Timed::Bursting(until) if until <= now + NOTHING => Timed::Cooling(until + *cool_off),
                    Timed::Cooling(until) if until <= now + NOTHING => Timed::Ready,
                    _ => break,
                };
            },
        }
    }
}

/// The part of a span that is being served.
struct Served {
    /// When its I/O arrives: from, and until when in seconds.
    arrives: (f64, f64),
    /// Share that was served.
    share: f64,
    ops: f64,
}

impl Served {
    fn arrived(&self, now: f64) -> f64 {
        ((now - self.arrives.0) / (self.arrives.1 - self.arrives.0)).clamp(0.0, 1.0)
    }

    fn wait(&self, now: f64) -> f64 {
        (now - self.arrives.0 - self.share * (self.arrives.1 - self.arrives.0)).max(0.0)
    }
}

/// A replay under way.
struct Progress {
    now: f64,
    rules: Vec<Rule>,
    throttled_s: f64,
    waits: Waits,
    /// A wait after which the rest does not matter, in seconds.
    enough_s: f64,
}

impl Limits {
    /// Replays `demand` under these limits.
    pub fn replay(&self, demand: &Demand, conditions: &Conditions) -> Replay {
        let mut progress = Progress::new(&self.limits, demand, conditions);
        progress.run(demand, conditions);
        Replay {
            seconds: progress.now,
            throttled_s: progress.throttled_s,
            waits: progress.waits,
            rules: progress.rules.iter().map(|rule| rule.state).collect(),
        }
    }

    /// Replays `demand` and returns, for each rule, times and the lowest share of the credits up to each; empty without a bucket.
    pub fn traced(&self, demand: &Demand, conditions: &Conditions, of: &Traced) -> Vec<Vec<(f64, f64)>> {
        let mut progress = Progress::new(&self.limits, demand, conditions);
        for rule in progress.rules.iter_mut().filter(|rule| rule.state.lowest.is_some()) {
            rule.trace = Some(Trace { of: *of, lowest: vec![f64::INFINITY; of.points] });
        }
        progress.run(demand, conditions);
        progress.rules.into_iter().map(|rule| rule.trace.map_or_else(Vec::new, Trace::points)).collect()
    }
}

/// Whether no wait in a replay of `demand` under `rule` exceeds `wait_s`; the replay ends at the first that does.
pub(super) fn waits_at_most(wait_s: f64, rule: &Limit, demand: &Demand, conditions: &Conditions) -> bool {
    let mut progress = Progress::new(std::slice::from_ref(rule), demand, conditions);
    progress.enough_s = wait_s;
    progress.run(demand, conditions);
    progress.waits.longest_s() <= wait_s
}

impl Progress {
    fn new(rules: &[Limit], demand: &Demand, conditions: &Conditions) -> Progress {
        let rules = rules.iter().map(|limit| Rule::new(demand, limit, conditions)).collect();
        Progress { now: 0.0, rules, throttled_s: 0.0, waits: Waits::default(), enough_s: f64::INFINITY }
    }

    fn run(&mut self, demand: &Demand, conditions: &Conditions) {
        // Time by which the program is late.
        let (mut nominal, mut late) = (0.0, 0.0);
        for (number, offers) in demand.offers().chunks(BLOCK).enumerate() {
            if self.waits.longest_s() > self.enough_s {
                return;
            }
            let (seconds, ops) = demand.blocks[number];
            if self.passes_quietly(number, (nominal + late, seconds), conditions.arrivals) {
                self.waits.add_none(ops);
                nominal += seconds;
                continue;
            }
            for (at, offer) in offers.iter().enumerate() {
                let at = number * BLOCK + at;
                let begins = nominal + late;
                let length = match conditions.arrivals {
                    Arrivals::Even => offer.seconds,
                    Arrivals::Bunched => offer.busy_s.clamp(NOTHING * offer.seconds, offer.seconds),
                };
                let idle = if at.is_multiple_of(2) { offer.seconds - length } else { 0.0 };
                let arrives = (begins + idle, begins + idle + length);
                let factor = offer.factor(conditions.bound);
                let mut served = Served { arrives, share: 0.0, ops: factor * (offer.ops[0] + offer.ops[1]) };
                self.serve(at, &mut served, conditions.program);
                if conditions.program == Program::Closed {
                    let more = (self.now - arrives.1).max(0.0);
                    self.waits.add(served.ops, closed_waits(offer, more, served.ops));
                    late += more;
                }
                nominal += offer.seconds;
            }
        }
        // The last reading may end with a rest.
        self.now = self.now.max(nominal + late);
    }

    /// Lets a block of spans pass at once if nothing is queued and no span of it exceeds a baseline, so that credits only
    /// grow.
    fn passes_quietly(&mut self, number: usize, (begins, seconds): (f64, f64), arrivals: Arrivals) -> bool {
        let block = |rule: &Rule| rule.charges.blocks()[number];
        let peak = |rule: &Rule| block(rule).peaks[usize::from(arrivals == Arrivals::Bunched)];
        let quiet = self.now <= begins && self.rules.iter().all(|rule| peak(rule) <= rule.baseline);
        if quiet {
            self.pass(begins - self.now, |_| 0.0);
            self.pass(seconds, |rule| block(rule).charge / seconds);
        }
        quiet
    }

    /// Serves the span with this number.
    fn serve(&mut self, at: usize, served: &mut Served, program: Program) {
        let counts = program == Program::Open;
        let charge = |rule: &Rule| rule.charges.charges()[at];
        self.pass((served.arrives.0 - self.now).max(0.0), |_| 0.0);
        let length = served.arrives.1 - served.arrives.0;
        let arriving = 1.0 / length;
        let queued = self.now > served.arrives.0 + NOTHING * length;
        if !queued && self.rules.iter().all(|rule| charge(rule) * arriving <= rule.baseline) {
            self.pass(served.arrives.1 - self.now, |rule| charge(rule) * arriving);
            self.waits.add_none(if counts { served.ops } else { 0.0 });
            return;
        }
        while served.share < 1.0 - NOTHING {
            let greatest =
                self.rules.iter().map(|rule| rule.allows() / charge(rule)).fold(f64::INFINITY, f64::min);
            let comes = if self.now < served.arrives.1 { arriving } else { 0.0 };
            let ahead = served.arrived(self.now) - served.share;
            let delayed = ahead > NOTHING || comes > greatest * (1.0 + NOTHING);
            let rate = if delayed { greatest } else { comes.min(greatest) };
            if rate.is_infinite() {
                // No rule charges it, so that it was only queued behind others.
                served.share = 1.0;
                break;
            }
            let mut seconds = (1.0 - served.share) / rate;
            if comes > 0.0 {
                seconds = seconds.min(served.arrives.1 - self.now);
                if delayed && rate > comes {
                    seconds = seconds.min(ahead / (rate - comes));
                }
            }
            for rule in &mut self.rules {
                let used = rate * charge(rule);
                seconds = seconds.min(rule.changes_in(self.now, used));
            }
            let waited = served.wait(self.now);
            if delayed {
                self.throttled_s += seconds;
            }
            self.pass(seconds, |rule| rate * charge(rule));
            served.share += rate * seconds;
            if counts {
                self.waits.add(served.ops * rate * seconds, (waited, served.wait(self.now)));
            }
        }
    }

    /// Lets `seconds` pass while each rule is used at a rate.
    fn pass(&mut self, seconds: f64, used: impl Fn(&Rule) -> f64) {
        if seconds > 0.0 {
            self.now += seconds;
            for rule in &mut self.rules {
                let used = used(rule);
                rule.pass(self.now, seconds, used);
            }
        }
    }
}

/// Returns the wait that each of `ops` I/Os gets if they take `more` seconds longer together (Little's law), at the
/// depth that the program has while it is busy.
fn closed_waits(offer: &Offer, more: f64, ops: f64) -> (f64, f64) {
    let busy = if offer.busy_s > 0.0 { offer.in_flight * offer.seconds / offer.busy_s } else { 0.0 };
    let wait = if ops > 0.0 { busy.max(1.0) * more / ops } else { 0.0 };
    (wait, wait)
}
