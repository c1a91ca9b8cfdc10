//! Limits in virtual time: when an I/O may proceed.
//!
//! Each rule is a pair of leaky buckets used as meters (the generic cell rate algorithm): one drains at the burst
//! rate and holds a short tolerance, the other drains at the baseline and holds the credits. An I/O proceeds when
//! both have room under every rule that covers it. This equals the providers' token bucket to the operation: the
//! level falls with usage and rises with the baseline, and the burst rate applies while the level is above zero.
//!
//! Times are kept in 2⁻⁴⁰ ns, so that a rate is always off by less than 10⁻⁹ of itself; nothing accumulates.

use workload::{Bytes, Direction, Nanos};

use crate::{ASSUMED_BURST, Accounting, Bucket, BucketStart, Limit, Limits, Locality, Resource, Rounding};

/// Fractional bits of a nanosecond.
const FRACTION: u32 = 40;

/// Default time by which I/O may run ahead of a rule without a burst: enough for a closed loop with uneven
/// latencies to reach the cap, little enough not to show in any second (0.5 %).
const TOLERANCE: Nanos = Nanos::from_millis(5);

/// Rate limiter in virtual time. Every call costs the same, allocates nothing and reads no clock.
#[derive(Clone, Debug)]
pub struct Meter {
    rules: Box<[Rule]>,
}

/// State of one rule; times and costs are in 2⁻⁴⁰ ns.
#[derive(Clone, Debug)]
struct Rule {
    /// One bit for each direction covered.
    covers: u8,
    charge: Charge,
    /// Time of one charged unit at the burst rate; at the baseline if there is no burst.
    peak_cost: u128,
    /// Time of one charged unit at the baseline.
    base_cost: u128,
    tolerance: u128,
    /// Time until which the burst rate is used up.
    peak_until: u128,
    /// Time until which the baseline is used up.
    base_until: u128,
    credit: Credit,
    /// When the last I/O proceeded.
    last: u128,
}

/// Charge of an I/O: one operation, its bytes, or parts of an operation if its size counts.
#[derive(Clone, Copy, Debug)]
enum Charge {
    One,
    Length,
    Units { unit: u64, breaks: Breaks, merges: bool, worth: u64 },
}

/// When a fraction of a unit is charged as a fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Breaks {
    Never,
    AboveOne,
}

/// Credit for the burst of a rule.
#[derive(Clone, Copy, Debug)]
enum Credit {
    /// No burst.
    None,
    /// Tokens: the time in which the baseline earns the whole bucket, and the bucket's size in charged units.
    Tokens { depth: u128, size: f64 },
    /// A burst that begins when the load exceeds the baseline, lasts until `ends`, and is ready again at `ready`.
    Timed { lasts: u128, cool_off: u128, ends: u128, ready: u128 },
}

fn fixed(time: Nanos) -> u128 {
    u128::from(time.0) << FRACTION
}

/// Returns the time of one charged unit at a rate a second.
fn cost(rate: f64) -> u128 {
    (1e9 / rate * (1u64 << FRACTION) as f64).round() as u128
}

impl Meter {
    /// Returns a meter of `limits` at time zero.
    pub fn new(limits: &Limits, start: BucketStart) -> Meter {
        let rules = limits.limits.iter().map(|limit| Rule::new(limit, start)).collect();
        let mut meter = Meter { rules };
        meter.set_tolerance(TOLERANCE);
        meter
    }

    /// Returns this meter with another tolerance: the time by which I/O may run ahead of a flat or a burst rate.
    pub fn with_tolerance(mut self, tolerance: Nanos) -> Meter {
        self.set_tolerance(tolerance);
        self
    }

    fn set_tolerance(&mut self, tolerance: Nanos) {
        self.rules.iter_mut().for_each(|rule| rule.tolerance = fixed(tolerance));
    }

    /// Returns when an I/O that arrives at `now` may proceed, `now` at the earliest; charges it to every rule that covers it.
    ///
    /// Calls come in the order of `now`; under a single rule I/O proceeds in that order too. Trims and
    /// flushes are not charged. `locality` matters only if the provider merges sequential I/O.
    #[inline]
    pub fn admit(&mut self, now: Nanos, direction: Direction, bytes: Bytes, locality: Locality) -> Nanos {
        let covers = 1u8 << direction.index();
        let arrival = fixed(now);
        let mut at = arrival;
        for rule in self.rules.iter().filter(|rule| rule.covers & covers != 0) {
            at = at.max(rule.earliest(arrival));
        }
        for rule in self.rules.iter_mut().filter(|rule| rule.covers & covers != 0) {
            rule.take(at, bytes.0, locality);
        }
        debug_assert!(at >= arrival, "an I/O proceeds before it arrives");
        Nanos((at.saturating_add((1 << FRACTION) - 1) >> FRACTION) as u64)
    }

    /// Returns the operations or bytes left at `now` in the bucket of the rule at this index of
    /// [`Limits::limits`]; `None` without a bucket of credits. I/O admitted for later has already been charged.
    pub fn level(&self, rule: usize, now: Nanos) -> Option<f64> {
        let rule = self.rules.get(rule)?;
        let Credit::Tokens { depth, size } = rule.credit else { return None };
        let used = rule.base_until.saturating_sub(fixed(now).max(rule.last));
        let level = (size * (1.0 - used as f64 / depth as f64)).max(0.0);
        assert!(level <= size, "a bucket of {size} holds {level}");
        Some(level)
    }
}

impl Rule {
    fn new(limit: &Limit, start: BucketStart) -> Rule {
        let covers = Direction::ALL
            .into_iter()
            .filter(|&direction| limit.direction.covers(direction))
            .fold(0, |mask, direction| mask | 1 << direction.index());
        let counted_in_parts = limit.resource == Resource::Iops && limit.accounting.is_some();
        let scale = if counted_in_parts { PARTS as f64 } else { 1.0 };
        let base_cost = cost(limit.baseline * scale);
        let peak = limit.burst.map_or(limit.baseline, |burst| burst.rate);
        let mut rule = Rule {
            covers,
            charge: Charge::of(limit),
            peak_cost: cost(peak * scale),
            base_cost,
            tolerance: 0,
            peak_until: 0,
            base_until: 0,
            credit: Credit::None,
            last: 0,
        };
        rule.set_burst(limit, start);
        rule
    }

    /// Sets the credit for the burst of `limit`, and its amount at the start.
    fn set_burst(&mut self, limit: &Limit, start: BucketStart) {
        let timed = |lasts: Option<Nanos>, cool_off: Option<Nanos>| {
            let lasts = lasts.unwrap_or(ASSUMED_BURST);
            let cool_off = fixed(cool_off.unwrap_or(lasts));
            let ready = if start.is_ready() { 0 } else { cool_off };
            Credit::Timed { lasts: fixed(lasts), cool_off, ends: 0, ready }
        };
        match limit.burst.map(|burst| burst.bucket) {
            None => {}
            // The burst never ends, so its rate is the only one.
            Some(Bucket::UnlimitedPaid) => self.base_cost = self.peak_cost,
            Some(Bucket::Unknown) => self.credit = timed(None, None),
            Some(Bucket::Timed { lasts, cool_off }) => self.credit = timed(lasts, cool_off),
            Some(Bucket::Tokens { size, initial, .. }) => {
                let depth = (cost(limit.baseline) as f64 * size) as u128;
                let level = start.share(limit.resource, (size, initial));
                assert!((0.0..=1.0).contains(&level), "a bucket begins {level} full");
                self.base_until = (depth as f64 * (1.0 - level)) as u128;
                self.credit = Credit::Tokens { depth, size };
            }
        }
    }

    /// Returns when an I/O that arrives at `arrival` may proceed under this rule alone.
    #[inline]
    fn earliest(&self, arrival: u128) -> u128 {
        let peak = arrival.max(self.peak_until.saturating_sub(self.tolerance));
        match self.credit {
            Credit::None => peak,
            Credit::Tokens { depth, .. } => peak.max(self.base_until.saturating_sub(depth)),
            Credit::Timed { ends, ready, .. } => {
                if peak < ends || peak >= ready {
                    return peak;
                }
                let base = peak.max(self.base_until.saturating_sub(self.tolerance));
                base.min(ready)
            }
        }
    }

    /// Charges an I/O that proceeds at `at`.
    #[inline]
    fn take(&mut self, at: u128, bytes: u64, locality: Locality) {
        let units = self.charge.units(bytes, locality);
        let bursting = self.is_bursting(at);
        self.peak_until = self.peak_until.max(at) + u128::from(units) * self.peak_cost;
        let from = if bursting { at } else { self.base_until.max(at) };
        self.base_until = from + u128::from(units) * self.base_cost;
        debug_assert!(self.base_until >= at, "an I/O was charged to the past");
        self.last = at;
    }

    /// Whether a timed burst pays for an I/O at `at`; begins one if it is ready and the load exceeds the baseline.
    #[inline]
    fn is_bursting(&mut self, at: u128) -> bool {
        let ahead = self.base_until > at + self.tolerance;
        let Credit::Timed { lasts, cool_off, ends, ready } = &mut self.credit else { return false };
        if at >= *ends && at >= *ready && ahead {
            *ends = at + *lasts;
            *ready = *ends + *cool_off;
        }
        at < *ends
    }
}

/// Parts of a charged operation, so that merged and proportional I/O can be charged less than a whole one.
const PARTS: u64 = 1 << 20;

impl Charge {
    fn of(limit: &Limit) -> Charge {
        match (limit.resource, limit.accounting) {
            (Resource::Iops, None) => Charge::One,
            (Resource::Bytes, None) => Charge::Length,
            (resource, Some(Accounting { unit, rounding, merge_sequential })) => Charge::Units {
                unit: unit.0,
                breaks: if rounding == Rounding::Ceil { Breaks::Never } else { Breaks::AboveOne },
                merges: merge_sequential,
                worth: if resource == Resource::Iops { PARTS } else { unit.0 },
            },
        }
    }

    #[inline]
    fn units(self, bytes: u64, locality: Locality) -> u64 {
        match self {
            Charge::One => 1,
            Charge::Length => bytes,
            Charge::Units { unit, breaks, merges, worth } => {
                let sequential = merges && locality == Locality::Sequential;
                if sequential || (breaks == Breaks::AboveOne && bytes > unit) {
                    return bytes.saturating_mul(worth) / unit;
                }
                if bytes <= unit { worth } else { bytes.div_ceil(unit) * worth }
            }
        }
    }
}
