//! Detects that a rate has fallen from a level for good, and how precisely the remaining rate is known.
//!
//! Page's cumulative sum (Biometrika 41, 1954) runs against the median of the level's last values. A fall counts once three
//! values show it; it is withdrawn if the rate returns, so that a stall or a moment of foreign load ends nothing. A rise
//! starts a new level, from which the rate may fall.

use std::collections::VecDeque;

use crate::quantile::median;
use crate::sequential::{Monitor, Rule as Width};

/// Greatest number of recent values whose median is the level.
const HELD_MOST: usize = 60;
/// Fewest values that establish a level, a fall, a rise or a return.
const LEAST: usize = 3;
/// Cumulative sum, in halves of the least fall, at which the level has changed. One value adds at most four.
const ALARM: f64 = 4.0;
/// Least fall, in standard deviations of a value: with a lower limit, noise would start too many falls that last too
/// long (of normal noise, five in 10,000 values start a lasting fall, and each of these returns).
const SPREADS: f64 = 2.5;
/// Number of values, in multiples of `Rule::settled`, after which the remaining rate is accepted however imprecise.
const PATIENCE: usize = 6;
/// Divisor of the number of values before the fall, which may extend the patience.
const PATIENCE_PART: usize = 4;
/// Greatest number of values to which the patience is extended.
const PATIENCE_MOST: usize = 600;
/// Standard deviation of normal values over the median absolute difference of neighbours: 1.4826 / √2.
const OF_DIFFERENCES: f64 = 1.048;

/// Criteria for a fall, and for when the remaining rate is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Least fall, as a share of the level.
    pub share: f64,
    /// Half-width to reach for the 95 % interval of the remaining rate, as a share of the fall.
    pub half_width: f64,
    /// Fewest values of the remaining rate.
    pub settled: usize,
    /// Smallest difference that a value can show.
    pub resolution: f64,
}

/// A detected fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fall {
    /// Index of the first value that is below the level, wholly or partly.
    pub at: usize,
    /// The level before the fall.
    pub before: f64,
    /// The remaining rate.
    pub after: f64,
}

/// A growing series that reports after each value whether it has fallen and the remaining rate is known.
#[derive(Clone, Debug)]
pub struct Falling {
    rule: Rule,
    /// Number of values so far.
    count: usize,
    /// Last values of the level.
    held: VecDeque<f64>,
    /// Sum over values that may be below the level.
    below: Page,
    /// Sum over values that may be above the level.
    above: Page,
    left: Option<RemainingRate>,
}

/// The remaining rate after a fall.
#[derive(Clone, Debug)]
struct RemainingRate {
    at: usize,
    before: f64,
    values: Vec<f64>,
}

impl RemainingRate {
    /// Moves the fall to its likeliest position: earlier low values were only momentary.
    fn place(&mut self) {
        let middle = f64::midpoint(self.before, median(&self.values).unwrap_or(self.before));
        let (mut sum, mut best) = (0.0, (0.0, 0));
        for (number, value) in self.values.iter().enumerate() {
            sum += value - middle;
            best = if sum > best.0 { (sum, number + 1) } else { best };
        }
        let above = best.1;
        if above > 0 && self.values.len() > above + LEAST {
            self.at += 1 + above;
            // The first value below still contains a part of the level.
            self.values.drain(..=above);
        }
    }
}

/// A cumulative sum, with the values since it was last zero.
#[derive(Clone, Debug, Default)]
struct Page {
    sum: f64,
    since: Vec<f64>,
}

impl Page {
    /// Adds a value that is off by `off` halves of the least change; returns whether the level has changed.
    fn push(&mut self, value: f64, off: f64) -> bool {
        self.sum = (self.sum + (off - 1.0).clamp(-ALARM, ALARM)).max(0.0);
        if self.sum == 0.0 {
            self.since.clear();
            return false;
        }
        self.since.push(value);
        self.sum >= ALARM && self.since.len() >= LEAST
    }
}

impl Falling {
    /// Starts an empty series under `rule`.
    #[must_use]
    pub fn new(rule: Rule) -> Falling {
        let (below, above) = (Page::default(), Page::default());
        Falling { rule, count: 0, held: VecDeque::new(), below, above, left: None }
    }

    /// Adds a value; returns whether the series has fallen and the remaining rate is known.
    pub fn push(&mut self, value: f64) -> bool {
        let at = self.count;
        self.count += 1;
        match &mut self.left {
            Some(left) => {
                left.values.push(value);
                self.look_at_what_is_left();
            }
            None => self.hold(value, at),
        }
        self.is_known()
    }

    /// The fall, if there is one; the last of several.
    #[must_use]
    pub fn fall(&self) -> Option<Fall> {
        let left = self.left.as_ref()?;
        Some(Fall { at: left.at, before: left.before, after: mean(&left.values) })
    }

    /// Number of last values that belong to the remaining rate after the fall.
    #[must_use]
    pub fn left(&self) -> usize {
        self.left.as_ref().map_or(0, |left| left.values.len())
    }

    fn hold(&mut self, value: f64, at: usize) {
        let level = self.level().filter(|_| self.held.len() >= LEAST);
        let Some(level) = level else { return self.keep(value) };
        let half = level * self.share(level) / 2.0;
        let (is_below, is_above) =
            (self.below.push(value, (level - value) / half), self.above.push(value, (value - level) / half));
        if is_below && last_median(&self.below.since) < level - half {
            let since = std::mem::take(&mut self.below.since);
            let first = at + 1 - since.len();
            // The first value contains a part of the level.
            self.left = Some(RemainingRate { at: first, before: level, values: since[1..].to_vec() });
            (self.below, self.above) = (Page::default(), Page::default());
        } else if is_above && last_median(&self.above.since) > level + half {
            self.held = std::mem::take(&mut self.above.since).split_off(1).into();
            (self.below, self.above) = (Page::default(), Page::default());
        } else if self.below.sum == 0.0 && self.above.sum == 0.0 {
            self.keep(value);
        }
    }

    fn keep(&mut self, value: f64) {
        self.held.push_back(value);
        if self.held.len() > HELD_MOST {
            self.held.pop_front();
        }
    }

    fn level(&self) -> Option<f64> {
        median(&self.held.iter().copied().collect::<Vec<_>>()).filter(|level| *level > 0.0)
    }

    /// Least share by which the level must fall: the rule's, or a share that exceeds noise.
    fn share(&self, level: f64) -> f64 {
        let held = self.held.iter().zip(self.held.iter().skip(1));
        let differences: Vec<f64> = held.map(|(a, b)| (a - b).abs()).collect();
        let spread = median(&differences).map_or(0.0, |median| OF_DIFFERENCES * median);
        self.rule.share.max(SPREADS * spread / level)
    }

    /// Withdraws a fall if the rate returned, and forgets the values before a second fall.
    fn look_at_what_is_left(&mut self) {
        let Some(left) = &mut self.left else { return };
        let n = left.values.len();
        if n < LEAST {
            return;
        }
        let after = mean(&left.values[..n - LEAST.min(n - 1)]);
        let last = last_median(&left.values);
        if last > f64::midpoint(left.before, after) {
            let returned = left.values.split_off(n - LEAST);
            self.left = None;
            returned.into_iter().for_each(|value| self.keep(value));
            return;
        }
        left.place();
        let (first, second) = left.values.split_at(left.values.len() / 2);
        let rule = self.rule;
        let lower = |(first, second): (f64, f64)| second < first * (1.0 - 2.0 * rule.share);
        if n >= 2 * LEAST && median(first).zip(median(second)).is_some_and(lower) {
            left.values = second.to_vec();
        }
    }

    fn is_known(&self) -> bool {
        let Some(left) = &self.left else { return false };
        let n = left.values.len();
        if n < self.rule.settled.max(LEAST) {
            return false;
        }
        let patience = (PATIENCE * self.rule.settled).max((left.at / PATIENCE_PART).min(PATIENCE_MOST));
        let mut monitor = Monitor::new(Width { resolution: self.rule.resolution, ..Width::within(0.0) });
        left.values.iter().for_each(|value| {
            monitor.push(*value);
        });
        let estimate = monitor.estimate();
        n >= patience || estimate.half_width <= self.rule.half_width * (left.before - estimate.mean)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn last_median(values: &[f64]) -> f64 {
    median(&values[values.len().saturating_sub(LEAST)..]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    const RULE: Rule = Rule { share: 0.05, half_width: 0.01, settled: 10, resolution: 1.0 };

    /// The number of values after which the series ends, and the fall found.
    fn ended(values: impl Iterator<Item = f64>) -> Option<(usize, Fall)> {
        let mut falling = Falling::new(RULE);
        for (number, value) in values.enumerate() {
            if falling.push(value) {
                return Some((number + 1, falling.fall().unwrap()));
            }
        }
        None
    }

    fn levels(levels: &[(usize, f64)], noise: f64, seed: u64) -> Vec<f64> {
        let mut stream = Stream::new(seed, 0);
        let level = |&(n, level): &(usize, f64)| std::iter::repeat_n(level, n);
        levels.iter().flat_map(level).map(|level| level * (1.0 + noise * stream.normal())).collect()
    }

    #[test]
    fn it_ends_as_soon_as_what_is_left_of_a_burst_is_known() {
        let (n, fall) = ended(levels(&[(2000, 3000.0), (300, 300.0)], 0.0, 1).into_iter()).unwrap();
        assert_eq!((fall.at, fall.before, fall.after), (2000, 3000.0, 300.0));
        assert!((2010..=2012).contains(&n), "{n}");
    }

    #[test]
    fn noise_and_stalls_are_no_fall() {
        for seed in 0..20 {
            let mut values = levels(&[(5000, 3000.0)], 0.03, seed);
            (1..50).for_each(|stall| values[stall * 100] = 0.0);
            (1..10).for_each(|stall| values[stall * 300 + 7..stall * 300 + 11].fill(900.0));
            assert_eq!(ended(values.into_iter()), None, "seed {seed}");
        }
    }

    #[test]
    fn an_eighth_is_found_in_noise_and_after_a_rise() {
        for seed in 0..20 {
            let values = levels(&[(100, 150.0), (400, 170.0), (800, 150.0)], 0.01, seed);
            let (n, fall) = ended(values.into_iter()).unwrap();
            assert!(
                fall.at.abs_diff(500) <= 2 && (fall.after - 150.0).abs() < 1.0,
                "seed {seed}: {n} {fall:?}"
            );
        }
    }
}
