//! The level of the occasions before a change, and how they scatter around it.

use super::Occasion;
use crate::dependence::lag_one;
use crate::quantile::{median, robust_deviation};

/// Standard deviation from occasion to occasion that is presumed, as a share of the least fall that matters, and the
/// number of occasions to which its weight is equal (method 14).
const PRESUMED: (f64, f64) = (1.0 / 6.0, 4.0);
/// Number of occasions to which the weight of no dependence is equal (method 14).
const INDEPENDENT: f64 = 6.0;
/// Number of latest occasions whose scatter counts if it is greater than that of all (method 14).
const LATEST: usize = 14;
/// Robust deviations from the median at which an occasion is odd (method 14).
const ODD: f64 = 4.0;
/// One occasion in this many may be odd; more are part of the scatter (method 14).
const ODD_IN: usize = 7;

/// The level of some occasions.
#[derive(Clone, Debug)]
pub(super) struct Baseline {
    /// Number of occasions that are not odd.
    pub count: usize,
    /// Their mean, each weighted by its precision.
    pub level: f64,
    /// Degrees of freedom of the scatter.
    pub df: f64,
    /// Variance from occasion to occasion beyond their own errors.
    between: f64,
    /// Mean variance of their own errors, as far as these are trusted.
    within: f64,
    /// Share of the variance of own errors that the scatter bears out.
    trust: f64,
    /// Correlation of neighbours.
    rho: f64,
    /// Sum of the precisions.
    precision: f64,
    /// Distance from the median at which an occasion is odd, and the median.
    odd: (f64, f64),
}

impl Baseline {
    /// Returns the level of `all`; `least` is the least fall that matters. `None` without any.
    pub fn of(all: &[Occasion], least: f64) -> Option<Baseline> {
        let odd = odd(all, least)?;
        let own: Vec<Occasion> =
            all.iter().copied().filter(|one| (one.value - odd.1).abs() < odd.0).collect();
        let count = own.len() as f64;
        // Where the noise grows, that of the last occasions counts.
        let latest = variance(&own[own.len().saturating_sub(LATEST)..]);
        let squares = variance(&own).max(latest) * (count - 1.0).max(0.0);
        let presumed = (PRESUMED.0 * least).powi(2);
        let df = df(own.len());
        let within = own.iter().map(|one| one.error.powi(2)).sum::<f64>() / count.max(1.0);
        let scatter = (PRESUMED.1 * presumed + squares) / df;
        let between = (scatter - within).max(0.0);
        // Errors that claim more than the scatter shows still say which occasion is known better.
        let trust = (scatter / within.max(f64::MIN_POSITIVE)).min(1.0);
        let weight = |one: &Occasion| 1.0 / (between + trust * one.error.powi(2)).max(f64::MIN_POSITIVE);
        let precision = own.iter().map(weight).sum::<f64>();
        let values: Vec<f64> = own.iter().map(|one| one.value).collect();
        Some(Baseline {
            count: own.len(),
            level: own.iter().map(|one| one.value * weight(one)).sum::<f64>() / precision,
            df,
            between,
            within: trust * within,
            trust,
            rho: (count * lag_one(&values) / (count + INDEPENDENT)).max(0.0),
            precision,
            odd,
        })
    }

    /// Returns the standard error of the level.
    pub fn error(&self) -> f64 {
        (self.inflation(self.count) / self.precision).sqrt()
    }

    /// Returns the standard deviation from occasion to occasion beyond their own errors.
    pub fn between(&self) -> f64 {
        self.between.sqrt()
    }

    pub fn is_odd(&self, value: f64) -> bool {
        (value - self.odd.1).abs() >= self.odd.0
    }

    /// Returns the standard error of the difference of the level and a mean of `count` occasions like these.
    pub fn error_of_difference(&self, count: usize) -> f64 {
        let one = self.between + self.within;
        (self.error().powi(2) + one / count as f64 * self.inflation(count)).sqrt()
    }

    /// Returns the difference of the mean of `after` from the level in standard errors, if no single occasion counts for
    /// more than `most` standard deviations; `None` without occasions.
    pub fn score(&self, after: &[Occasion], most: f64) -> Option<f64> {
        let spread = |one: &Occasion| (self.between + self.trust * one.error.powi(2)).sqrt();
        let distance =
            |one: &Occasion| (one.value - self.level).clamp(-most * spread(one), most * spread(one));
        let weight = |one: &Occasion| 1.0 / spread(one).powi(2).max(f64::MIN_POSITIVE);
        let precision = after.iter().map(weight).sum::<f64>();
        let mean = after.iter().map(|one| distance(one) * weight(one)).sum::<f64>() / precision;
        let variance = self.error().powi(2) + self.inflation(after.len()) / precision;
        (!after.is_empty()).then(|| mean / variance.sqrt())
    }

    /// Returns the factor by which dependence of neighbours raises the variance of a mean of `count`.
    fn inflation(&self, count: usize) -> f64 {
        let n = count as f64;
        1.0 + 2.0 * (1..count).map(|lag| (1.0 - lag as f64 / n) * self.rho.powi(lag as i32)).sum::<f64>()
    }
}

/// Returns the degrees of freedom of the scatter of `count` occasions.
pub(super) fn df(count: usize) -> f64 {
    PRESUMED.1 + count.saturating_sub(1) as f64
}

/// Returns the distance from the median at which an occasion is odd, and the median. With more odd ones than may be, none
/// is odd.
fn odd(all: &[Occasion], least: f64) -> Option<(f64, f64)> {
    let values: Vec<f64> = all.iter().map(|one| one.value).collect();
    let middle = median(&values)?;
    let spread = robust_deviation(&values)?.max(PRESUMED.0 * least);
    let distance = ODD * spread;
    let beyond = values.iter().filter(|value| (*value - middle).abs() >= distance).count();
    Some((if beyond <= all.len() / ODD_IN { distance } else { f64::INFINITY }, middle))
}

/// Returns the variance of the values; 0 for fewer than two.
fn variance(all: &[Occasion]) -> f64 {
    let middle = mean_of(all);
    let squares = all.iter().map(|one| (one.value - middle).powi(2)).sum::<f64>();
    squares / (all.len() as f64 - 1.0).max(1.0)
}

/// Returns the plain mean.
pub(super) fn mean_of(all: &[Occasion]) -> f64 {
    all.iter().map(|one| one.value).sum::<f64>() / all.len().max(1) as f64
}

/// Returns the sum of squares of the values of `points` around their mean.
pub(super) fn around_mean(points: &[(f64, f64)]) -> f64 {
    let mean = points.iter().map(|point| point.1).sum::<f64>() / points.len().max(1) as f64;
    points.iter().map(|point| (point.1 - mean).powi(2)).sum()
}

/// Returns the sum of squares of the values of `points` around the line that fits them best.
pub(super) fn around_line(points: &[(f64, f64)]) -> f64 {
    let (slope, spread) = slope(points);
    around_mean(points) - slope.powi(2) * spread
}

/// Returns the slope of the line, and the sum of squares of the places.
fn slope(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len().max(1) as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / n, sum.1 + point.1 / n));
    let spread = points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>();
    let common = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>();
    (common / spread.max(f64::MIN_POSITIVE), spread)
}

/// Returns the change along the line through `all`, its standard error, and its degrees of freedom; `None` for fewer than
/// three occasions.
pub(super) fn line(all: &[(f64, Occasion)], least: f64) -> Option<(f64, f64, f64)> {
    let values: Vec<Occasion> = all.iter().map(|(_, one)| *one).collect();
    let odd = odd(&values, least)?;
    let points: Vec<(f64, f64)> = all
        .iter()
        .map(|(place, one)| (*place, one.value))
        .filter(|(_, value)| (value - odd.1).abs() < odd.0)
        .collect();
    let (Some(first), Some(last), true) = (points.first(), points.last(), points.len() > 2) else {
        return None;
    };
    let (slope, spread) = slope(&points);
    let df = PRESUMED.1 + points.len() as f64 - 2.0;
    let presumed = PRESUMED.1 * (PRESUMED.0 * least).powi(2);
    let middle = points.iter().map(|point| point.1).sum::<f64>() / points.len() as f64;
    let centre = points.iter().map(|point| point.0).sum::<f64>() / points.len() as f64;
    let rest: Vec<f64> = points.iter().map(|point| point.1 - middle - slope * (point.0 - centre)).collect();
    let variance = (presumed + rest.iter().map(|value| value.powi(2)).sum::<f64>()) / df;
    let n = rest.len() as f64;
    let rho = (n * lag_one(&rest) / (n + INDEPENDENT)).max(0.0);
    let length = last.0 - first.0;
    let error = (variance * (1.0 + rho) / (1.0 - rho) / spread).sqrt() * length;
    Some((slope * length, error, df))
}
