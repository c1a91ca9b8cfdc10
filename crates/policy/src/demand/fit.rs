//! Whether limits carry a load, in closed form: how far it may grow before a rule delays it.

use super::{Arrivals, Bound, Conditions, Demand, Horizon, Program};
use crate::{Bucket, BucketStart, Limit, Limits};

/// Halvings of the interval of a factor that only replays can find: it is then known to 0.1 %.
const HALVINGS: usize = 12;

/// A load and how it is taken.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'d> {
    /// The load.
    pub demand: &'d Demand,
    /// Its charge.
    pub bound: Bound,
    /// How often it comes.
    pub horizon: Horizon,
    /// Longest wait that counts as none, in seconds.
    pub wait_s: f64,
}

/// How far a load may grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Headroom {
    /// Greatest factor of the load at which nothing waits longer than allowed, from full credits; infinite if no rule
    /// covers the load.
    pub factor: f64,
    /// Index of the rule that allows the least.
    pub rule: Option<usize>,
    /// End of the window in which that rule comes closest to its limit, in seconds from the start.
    pub closest_s: f64,
}

impl Limits {
    /// Returns how far a load may grow. A bucket of `C` that refills at `ρ` and serves at most `β` delays nothing by more
    /// than `w` if no window of the load exceeds `ρ` by more than `C + ρ w`, and none exceeds `β` by more than `β w`.
    /// Where time ends a burst, replays decide.
    pub fn headroom(&self, asked: &Asked<'_>) -> Headroom {
        let none = Headroom { factor: f64::INFINITY, rule: None, closest_s: 0.0 };
        let of = |(at, limit): (usize, &Limit)| {
            let (factor, rate) = limit.headroom(asked);
            (Headroom { factor, rule: Some(at), closest_s: 0.0 }, rate)
        };
        let least = self.limits.iter().enumerate().map(of);
        let (least, rate) = least.fold((none, 0.0), |a, b| if b.0.factor < a.0.factor { b } else { a });
        let Some(limit) = least.rule.and_then(|at| self.limits.get(at)) else { return least };
        let curve = asked.demand.curve(limit, asked.bound);
        let seconds = asked.demand.offers().iter().map(|offer| offer.seconds);
        // Just below the rate that carries the load, the window exceeds it.
        Headroom { closest_s: curve.closest_s(seconds, rate * (1.0 - 1e-6)), ..least }
    }

    /// Whether a load that is `factor` times as great is carried.
    pub fn carries(&self, asked: &Asked<'_>, factor: f64) -> bool {
        self.limits.iter().all(|limit| limit.carries(asked, factor))
    }
}

impl Limit {
    /// Returns the rates that hold for ever and at most, and the credits between; `None` if time ends the burst.
    fn bucket(&self) -> Option<(f64, f64, f64)> {
        let Some(burst) = self.burst else { return Some((self.baseline, self.baseline, 0.0)) };
        match burst.bucket {
            Bucket::UnlimitedPaid => Some((burst.rate, burst.rate, 0.0)),
            Bucket::Tokens { size, .. } => Some((self.baseline, burst.rate, size)),
            Bucket::Unknown | Bucket::Timed { lasts: None, .. } => Some((self.baseline, self.baseline, 0.0)),
            Bucket::Timed { .. } => None,
        }
    }

    fn headroom(&self, asked: &Asked<'_>) -> (f64, f64) {
        let curve = asked.demand.curve(self, asked.bound);
        let Some((rho, beta, credits)) = self.bucket() else { return self.headroom_by_replay(asked) };
        let long = curve.headroom((rho, credits + rho * asked.wait_s), asked.horizon);
        let short =
            if beta > rho { curve.headroom((beta, beta * asked.wait_s), asked.horizon) } else { long };
        let (factor, rate) = if short < long { (short, beta) } else { (long, rho) };
        (factor, rate / factor)
    }

    fn carries(&self, asked: &Asked<'_>, factor: f64) -> bool {
        let Some((rho, beta, credits)) = self.bucket() else {
            return self.carries_by_replay(asked, factor);
        };
        let curve = asked.demand.curve(self, asked.bound);
        let (rho, beta) = (rho / factor, beta / factor);
        curve.is_within((beta, beta * asked.wait_s), asked.horizon)
            && (beta <= rho || curve.is_within((rho, credits / factor + rho * asked.wait_s), asked.horizon))
    }

    fn headroom_by_replay(&self, asked: &Asked<'_>) -> (f64, f64) {
        let curve = asked.demand.curve(self, asked.bound);
        if curve.peak() <= 0.0 {
            return (f64::INFINITY, 0.0);
        }
        let most = self.burst.map_or(self.baseline, |burst| burst.rate);
        let (mut low, mut high) = (self.baseline / curve.peak(), most / curve.peak());
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if self.carries_by_replay(asked, middle) { low = middle } else { high = middle }
        }
        (low, self.baseline / low)
    }

    /// Replays the load, slowed down in the place of the load grown, where the rates do not decide.
    fn carries_by_replay(&self, asked: &Asked<'_>, factor: f64) -> bool {
        let curve = asked.demand.curve(self, asked.bound);
        let within = |rate: f64| curve.is_within((rate, rate * asked.wait_s), asked.horizon);
        if within(self.baseline / factor) {
            return true;
        }
        if !self.burst.is_some_and(|burst| within(burst.rate / factor)) {
            return false;
        }
        let mut rule = self.clone();
        rule.baseline /= factor;
        rule.burst.iter_mut().for_each(|burst| burst.rate /= factor);
        let conditions = Conditions {
            bound: asked.bound,
            arrivals: Arrivals::Even,
            program: Program::Open,
            start: BucketStart::Share(1.0),
        };
        super::replay::waits_at_most(asked.wait_s, &rule, asked.demand, &conditions)
    }
}
