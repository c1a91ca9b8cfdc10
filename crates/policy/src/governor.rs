//! Computes the rate of each rule that applies now, from counters: credits for a throttle whose rates are set from
//! outside.
//!
//! A [`crate::Meter`] admits every I/O itself. A throttle of the kernel is given a rate and read afterwards,
//! about ten times a second: the governor keeps the account of the admitted I/O, and returns the rate to set
//! next. Unlike a [`crate::Ledger`] it infers nothing: the account begins with a known balance.

use workload::Nanos;

use crate::{ASSUMED_BURST, Bucket, BucketStart, IoGroup, Level, Limit, Limits, Resource};

/// Length of full burst for which credits must have built up before the burst resumes: a throttle that admits
/// I/O in slices of 100 ms gains or loses as much by chance.
const WORTH: Nanos = Nanos::from_millis(100);
/// Charge, as time at the baseline, that may be chance: two slices and the edges of the counted span.
const CHANCE: Nanos = Nanos::from_millis(300);

/// Limits with their credits, updated from counters.
#[derive(Clone, Debug, PartialEq)]
pub struct Governor {
    limits: Limits,
    rules: Vec<RuleGovernor>,
}

/// Credit for the burst of one rule, and the level that applies now.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RuleGovernor {
    credit: Credit,
    level: Level,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Credit {
    /// No burst, or one that never ends.
    Flat,
    /// Operations or bytes; `held` is never negative: an overdraft from a late reading is forgiven.
    Tokens { size: f64, held: f64 },
    /// A burst of limited length: how long it lasts and cools off, in seconds, and its state.
    Timed { lasts: f64, cool_off: f64, state: TimedBurst },
}

/// State of a burst that ends with time.
#[derive(Clone, Copy, Debug, PartialEq)]
enum TimedBurst {
    /// The burst begins when the load exceeds the baseline; it has exceeded it by `ahead` over the last `since` seconds.
    Ready { ahead: f64, since: f64 },
    /// Seconds left of the burst.
    Bursting(f64),
    /// Seconds until the next burst.
    Cooling(f64),
}

impl Limits {
    /// Returns limits with the same rates and credits that drain and refill `speed` times faster: their sizes and times
    /// are divided by `speed`.
    pub fn at_speed(&self, speed: f64) -> Limits {
        assert!(speed > 0.0, "a speed of {speed}");
        let shorter = |time: Nanos| Nanos::from_secs_f64(time.as_secs_f64() / speed);
        let mut limits = self.clone();
        for burst in limits.limits.iter_mut().filter_map(|limit| limit.burst.as_mut()) {
            burst.bucket = match burst.bucket {
                Bucket::Tokens { size, initial, derived } => {
                    Bucket::Tokens { size: size / speed, initial: initial / speed, derived }
                }
                Bucket::Timed { lasts, cool_off } => {
                    Bucket::Timed { lasts: lasts.map(shorter), cool_off: cool_off.map(shorter) }
                }
                Bucket::Unknown => Bucket::Timed { lasts: Some(shorter(ASSUMED_BURST)), cool_off: None },
                Bucket::UnlimitedPaid => Bucket::UnlimitedPaid,
            };
        }
        limits
    }
}

impl Governor {
    /// Returns a governor with the credits of `limits` at the beginning.
    pub fn new(limits: &Limits, start: BucketStart) -> Governor {
        let rules = limits.limits.iter().map(|rule| RuleGovernor::new(rule, start)).collect();
        Governor { limits: limits.clone(), rules }
    }

    /// Records the I/O admitted in a span of time; spans follow each other without a gap. Returns whether a
    /// different rate applies after the span.
    pub fn enter(&mut self, length: Nanos, moved: &[IoGroup]) -> bool {
        let mut changed = false;
        for (governed, rule) in self.rules.iter_mut().zip(&self.limits.limits) {
            let charged: f64 = moved.iter().map(|moved| moved.ops * rule.mean_charge(moved)).sum();
            let before = governed.level;
            governed.enter(rule, (length.as_secs_f64(), charged));
            changed |= governed.level != before;
        }
        changed
    }

    /// Returns the limits that apply now, as rates that never end.
    pub fn now(&self) -> Limits {
        let mut limits = self.limits.clone();
        for (limit, governed) in limits.limits.iter_mut().zip(&self.rules) {
            limit.baseline = limit.rate(governed.level);
            limit.burst = None;
        }
        limits
    }

    /// Returns the least time for which the present rates apply: until the greatest load would have spent the credits.
    pub fn holds_for(&self) -> Nanos {
        let of = |(governed, rule): (&RuleGovernor, &Limit)| governed.holds_for(rule);
        let least = self.rules.iter().zip(&self.limits.limits).filter_map(of).reduce(f64::min);
        least.map_or(Nanos::MAX, Nanos::from_secs_f64)
    }

    /// Returns the share (0 to 1) of the credits that each rule with credits has left; of a timed burst, of its time.
    pub fn shares(&self) -> impl Iterator<Item = (&Limit, f64)> {
        let of = |(rule, governed): (_, &RuleGovernor)| Some((rule, governed.share()?));
        self.limits.limits.iter().zip(&self.rules).filter_map(of)
    }
}

impl RuleGovernor {
    fn new(rule: &Limit, start: BucketStart) -> RuleGovernor {
        let credit = match rule.burst.map(|burst| burst.bucket) {
            None | Some(Bucket::UnlimitedPaid) => Credit::Flat,
            Some(Bucket::Tokens { size, initial, .. }) => {
                Credit::Tokens { size, held: size * start.share(rule.resource, (size, initial)) }
            }
            Some(Bucket::Timed { lasts, cool_off }) => timed((lasts, cool_off), start),
            Some(Bucket::Unknown) => timed((None, None), start),
        };
        let mut governed = RuleGovernor { credit, level: Level::Baseline };
        governed.level = governed.may_burst(rule);
        governed
    }

    fn enter(&mut self, rule: &Limit, (seconds, charged): (f64, f64)) {
        let earned = rule.baseline * seconds;
        match &mut self.credit {
            Credit::Flat => {}
            Credit::Tokens { size, held } => *held = (*held + earned - charged).clamp(0.0, *size),
            Credit::Timed { lasts, cool_off, state } => {
                let span =
                    Span { seconds, surplus: charged - earned, chance: rule.baseline * CHANCE.as_secs_f64() };
                *state = state.after(&span, (*lasts, *cool_off));
            }
        }
        self.level = self.may_burst(rule);
    }

    /// Returns the level that applies now. Spent credits must first build up before they are spent again.
    fn may_burst(&self, rule: &Limit) -> Level {
        let worth = || {
            let spent = (rule.rate(Level::Burst) - rule.baseline) * WORTH.as_secs_f64();
            spent.max(rule.baseline * CHANCE.as_secs_f64())
        };
        let may = match (self.credit, self.level) {
            (Credit::Flat, _) => true,
            (Credit::Tokens { held, .. }, Level::Burst) => held > 0.0,
            (Credit::Tokens { held, size }, Level::Baseline) => held >= worth().min(size),
            (Credit::Timed { state, .. }, _) => !matches!(state, TimedBurst::Cooling(_)),
        };
        if may { Level::Burst } else { Level::Baseline }
    }

    fn holds_for(&self, rule: &Limit) -> Option<f64> {
        match (self.credit, self.level) {
            (Credit::Tokens { held, .. }, Level::Burst) => {
                Some(held / (rule.rate(Level::Burst) - rule.baseline))
            }
            (Credit::Timed { state: TimedBurst::Bursting(left) | TimedBurst::Cooling(left), .. }, _) => {
                Some(left)
            }
            _ => None,
        }
    }

    fn share(&self) -> Option<f64> {
        match self.credit {
            Credit::Flat => None,
            Credit::Tokens { size, held } => Some(held / size),
            Credit::Timed { state: TimedBurst::Ready { .. }, .. } => Some(1.0),
            Credit::Timed { state: TimedBurst::Bursting(left), lasts, .. } => Some(left / lasts),
            Credit::Timed { state: TimedBurst::Cooling(_), .. } => Some(0.0),
        }
    }
}

fn timed((lasts, cool_off): (Option<Nanos>, Option<Nanos>), start: BucketStart) -> Credit {
    let lasts = lasts.unwrap_or(ASSUMED_BURST).as_secs_f64();
    let cool_off = cool_off.map_or(lasts, Nanos::as_secs_f64);
    let ready = TimedBurst::Ready { ahead: 0.0, since: 0.0 };
    let state = if start.is_ready() { ready } else { TimedBurst::Cooling(cool_off) };
    Credit::Timed { lasts, cool_off, state }
}

/// A span of time, as it affects a burst that ends with time.
struct Span {
    seconds: f64,
    /// Charge by which the load exceeded the baseline.
    surplus: f64,
    /// Charge above the baseline that may be chance.
    chance: f64,
}

impl TimedBurst {
    /// Returns the state after a span, for a burst of `lasts` seconds with a cool-off of `cool_off` seconds.
    fn after(self, span: &Span, (lasts, cool_off): (f64, f64)) -> TimedBurst {
        match self {
            TimedBurst::Ready { ahead, since } => {
                let ahead = (ahead + span.surplus).max(0.0);
                let since = if ahead > 0.0 { since + span.seconds } else { 0.0 };
                // The burst began when the load rose, not when that was noticed.
                if ahead > span.chance {
                    return TimedBurst::Bursting(lasts).ended(since, cool_off);
                }
                TimedBurst::Ready { ahead, since }
            }
            TimedBurst::Bursting(_) | TimedBurst::Cooling(_) => self.ended(span.seconds, cool_off),
        }
    }

    fn ended(self, seconds: f64, cool_off: f64) -> TimedBurst {
        match self {
            TimedBurst::Bursting(left) if left > seconds => TimedBurst::Bursting(left - seconds),
            TimedBurst::Bursting(left) => TimedBurst::Cooling(left + cool_off).ended(seconds, cool_off),
            TimedBurst::Cooling(left) if left > seconds => TimedBurst::Cooling(left - seconds),
            TimedBurst::Cooling(_) | TimedBurst::Ready { .. } => TimedBurst::Ready { ahead: 0.0, since: 0.0 },
        }
    }
}

impl Resource {
    /// Returns the name of the counted resource.
    pub const fn counted(self) -> &'static str {
        match self {
            Resource::Iops => "operations",
            Resource::Bytes => "bytes",
        }
    }
}
