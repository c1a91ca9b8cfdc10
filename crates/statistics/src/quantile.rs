//! Exact quantiles of samples, robust spread, and intervals from order statistics.

use crate::distribution::binomial_cdf;
use crate::usable;

/// A copy of `values` in ascending order; `None` if `values` is empty or holds a non-finite number.
#[must_use]
pub fn sorted(values: &[f64]) -> Option<Vec<f64>> {
    usable(values).then(|| {
        let mut copy = values.to_vec();
        copy.sort_unstable_by(f64::total_cmp);
        copy
    })
}

/// The `p` quantile (`p` clamped to 0..1) of values in ascending order, linear between order statistics (type 7 of Hyndman
/// and Fan: The American Statistician 50(4), 1996); `None` for an empty sample.
#[must_use]
pub fn quantile_of_sorted(ascending: &[f64], p: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    if p.is_nan() {
        return None;
    }
    let position = p.clamp(0.0, 1.0) * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    let share = position - below as f64;
    // If both ends are equal the result must be exactly that value, even where their product with the share would round.
    Some(ascending[below] + share * (ascending[above] - ascending[below]))
}

/// The `p` quantile of `values`, as by [`quantile_of_sorted`]; `None` for an empty sample or non-finite numbers.
#[must_use]
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    quantile_of_sorted(&sorted(values)?, p)
}

/// The median; `None` for an empty sample or non-finite numbers. Takes linear time.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    usable(values).then(|| median_in_place(&mut values.to_vec()))
}

/// The median of a non-empty scratch slice of finite numbers, which it reorders.
pub(crate) fn median_in_place(scratch: &mut [f64]) -> f64 {
    let middle = scratch.len() / 2;
    let (left, upper, _) = scratch.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if left.len() > middle || left.is_empty() || !scratch.len().is_multiple_of(2) {
        return upper;
    }
    let lower = scratch[..middle].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    lower + 0.5 * (upper - lower)
}

/// Standard deviation of normal values over their median absolute deviation.
pub(crate) const DEVIATION: f64 = 1.4826;

/// The median absolute deviation from the median, scaled to estimate the standard deviation of a normal sample. `None`
/// for an empty sample or non-finite numbers.
#[must_use]
pub fn robust_deviation(values: &[f64]) -> Option<f64> {
    let centre = median(values)?;
    let mut deviations: Vec<f64> = values.iter().map(|v| (v - centre).abs()).collect();
    Some(DEVIATION * median_in_place(&mut deviations))
}

/// An interval between two order statistics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderInterval {
    /// Lower end, a value of the sample.
    pub lo: f64,
    /// Upper end, a value of the sample.
    pub hi: f64,
    /// Exact probability that the interval holds the quantile of independent draws; at least the requested level.
    pub coverage: f64,
}

/// The interval of the `p` quantile at `level`, without any assumption about the distribution, from the binomial count of
/// values below it (David, Nagaraja: "Order Statistics", section 7.1). Values must be independent.
///
/// Returns `None` if the sample is too small for the level (a median at 95 % needs six values), empty or not finite.
#[must_use]
pub fn quantile_interval(values: &[f64], p: f64, level: f64) -> Option<OrderInterval> {
    let ascending = sorted(values)?;
    if !(p > 0.0 && p < 1.0 && level > 0.0 && level < 1.0) {
        return None;
    }
    let n = ascending.len() as u64;
    let tail = (1.0 - level) / 2.0;
    // Ranks count from 1: lower is the largest l with P(K ≤ l - 1) ≤ tail, upper the least u with P(K ≥ u) ≤ tail.
    let lower = first_true(n + 1, |k| binomial_cdf(k, n, p) > tail);
    let upper = first_true(n + 1, |k| k > 0 && 1.0 - binomial_cdf(k - 1, n, p) <= tail);
    if lower == 0 || upper > n {
        return None;
    }
    let coverage = binomial_cdf(upper - 1, n, p) - binomial_cdf(lower - 1, n, p);
    Some(OrderInterval { lo: ascending[lower as usize - 1], hi: ascending[upper as usize - 1], coverage })
}

/// The least `k` in `0..end` for which a monotone condition holds, or `end` if there is none.
fn first_true(end: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use proptest::prelude::*;

    #[test]
    fn nothing_and_not_a_number_have_no_quantile() {
        assert_eq!(median(&[]), None);
        assert_eq!(quantile(&[1.0, f64::NAN], 0.5), None);
        assert_eq!(robust_deviation(&[f64::INFINITY]), None);
        assert_eq!(quantile_interval(&[], 0.5, 0.95), None);
    }

    #[test]
    fn quantiles_of_a_known_sample() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(median(&values), Some(2.5));
        assert_eq!(median(&values[..3]), Some(3.0));
        assert_eq!(quantile(&values, 0.25), Some(1.75));
        assert_eq!(quantile(&values, 1.0), Some(4.0));
        assert_eq!(robust_deviation(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0]), Some(DEVIATION));
    }

    #[test]
    fn six_values_are_the_least_for_a_median() {
        assert_eq!(quantile_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.5, 0.95), None);
        let six = quantile_interval(&[6.0, 1.0, 2.0, 3.0, 4.0, 5.0], 0.5, 0.95).unwrap();
        assert_eq!((six.lo, six.hi), (1.0, 6.0));
        assert!((six.coverage - 0.968_75).abs() < 1e-12);
    }

    #[test]
    fn intervals_of_a_tail_quantile_cover_it() {
        let mut stream = Stream::new(11, 0);
        let truth = -(0.1f64.ln());
        let covered = (0..2000)
            .filter(|_| {
                let sample: Vec<f64> = (0..200).map(|_| stream.exponential(1.0)).collect();
                let interval = quantile_interval(&sample, 0.9, 0.95).unwrap();
                interval.lo <= truth && truth <= interval.hi
            })
            .count();
        assert!((1890..=1960).contains(&covered), "{covered} of 2,000");
    }

    proptest! {
        #[test]
        fn the_median_is_the_middle_quantile(values in prop::collection::vec(-1e9f64..1e9, 1..60)) {
            let middle = quantile(&values, 0.5).unwrap();
            prop_assert!((median(&values).unwrap() - middle).abs() <= 1e-6);
        }

        #[test]
        fn quantiles_never_leave_the_sample_nor_fall(values in prop::collection::vec(-1e9f64..1e9, 1..60), p in 0.0f64..1.0, q in 0.0f64..1.0) {
            let ascending = sorted(&values).unwrap();
            let (low, high) = if p < q { (p, q) } else { (q, p) };
            let (below, above) = (quantile_of_sorted(&ascending, low).unwrap(), quantile_of_sorted(&ascending, high).unwrap());
            prop_assert!(below <= above + 1e-6);
            prop_assert!(below >= ascending[0] - 1e-6 && above <= ascending[ascending.len() - 1] + 1e-6);
        }
    }
}
