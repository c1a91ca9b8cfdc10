//! Pairs of measurements: the distance of the second of each pair from the first, without assuming a distribution, and
//! which of many such answers to believe.

use crate::compare::Shift;
use crate::distribution::{normal_cdf, normal_quantile, t_quantile};
use crate::moments::Moments;
use crate::quantile::{median_in_place, sorted};
use crate::usable;

/// Largest number of pairs for which the distribution of the signed rank sum is computed exactly; above it, the normal
/// approximation is used.
const EXACT_MAX: usize = 60;
/// Relative efficiency of the signed rank test against the t test for normal differences: 3/π (Hodges, Lehmann 1956).
const EFFICIENCY: f64 = 3.0 / std::f64::consts::PI;

/// Estimates the typical difference of pairs: the median of the means of any two of `differences` (Walsh averages),
/// with the interval at `level` that inverts the signed rank test (Hodges, Lehmann: Ann. Math. Stat. 34(2), 1963; Tukey
/// 1949). For differences of logarithms the result is the logarithm of a ratio.
///
/// Returns `None` for no difference, non-finite values, or too few for the level: 95 % needs six pairs, 90 % five.
#[must_use]
pub fn paired_shift(differences: &[f64], level: f64) -> Option<Shift> {
    if !(usable(differences) && level > 0.0 && level < 1.0) {
        return None;
    }
    let left_out = averages_left_out(differences.len(), (1.0 - level) / 2.0)?;
    let mut averages = walsh_averages(differences);
    let shift = median_in_place(&mut averages);
    let ascending = sorted(&averages)?;
    Some(Shift { shift, lo: ascending[left_out], hi: ascending[ascending.len() - 1 - left_out] })
}

/// Median of the Walsh averages alone; `None` for no difference or non-finite values.
#[must_use]
pub fn typical(differences: &[f64]) -> Option<f64> {
    usable(differences).then(|| median_in_place(&mut walsh_averages(differences)))
}

/// Means of each value with itself and with every other.
fn walsh_averages(values: &[f64]) -> Vec<f64> {
    let with_later = |(place, a): (usize, &f64)| {
        let a = *a;
        values[place..].iter().map(move |b| f64::midpoint(a, *b)).collect::<Vec<_>>()
    };
    values.iter().enumerate().flat_map(with_later).collect()
}

/// Number of Walsh averages that may be left out at either end: the largest k with P(W ≤ k) ≤ tail.
fn averages_left_out(pairs: usize, tail: f64) -> Option<usize> {
    let n = pairs as f64;
    if pairs > EXACT_MAX {
        let (mean, variance) = (n * (n + 1.0) / 4.0, n * (n + 1.0) * (2.0 * n + 1.0) / 24.0);
        let k = (mean + normal_quantile(tail) * variance.sqrt() - 0.5).floor();
        return (k >= 0.0).then_some(k as usize);
    }
    let ranks: Vec<usize> = (1..=pairs).collect();
    let mut cumulated = 0.0;
    let possible = sign_shares(&ranks).into_iter().take_while(|share| {
        cumulated += share;
        cumulated <= tail
    });
    possible.count().checked_sub(1)
}

/// Share of all choices of signs whose positive `ranks` have each sum.
fn sign_shares(ranks: &[usize]) -> Vec<f64> {
    let mut shares = vec![0.0; ranks.iter().sum::<usize>() + 1];
    shares[0] = 1.0;
    for &rank in ranks {
        for sum in (0..shares.len()).rev() {
            let taken = sum.checked_sub(rank).map_or(0.0, |before| shares[before]);
            shares[sum] = f64::midpoint(shares[sum], taken);
        }
    }
    shares
}

/// Probability that chance alone gives differences this one-sided: the two-sided signed rank test (Wilcoxon 1945),
/// exact over all choices of signs given the sizes, with mean ranks for ties (up to 60 pairs; beyond, normal).
/// Differences of exactly zero favour neither side and are left out. 1 if no others remain.
#[must_use]
pub fn signed_rank_p(differences: &[f64]) -> f64 {
    let told: Vec<f64> = differences.iter().copied().filter(|d| d.is_finite() && *d != 0.0).collect();
    let ranks = doubled_ranks(&told);
    let positive: usize = told.iter().zip(&ranks).filter(|(d, _)| **d > 0.0).map(|(_, rank)| rank).sum();
    let all: usize = ranks.iter().sum();
    let least = positive.min(all - positive);
    if told.is_empty() {
        return 1.0;
    }
    let below = if told.len() > EXACT_MAX {
        let variance: f64 = ranks.iter().map(|rank| (*rank as f64).powi(2)).sum::<f64>() / 4.0;
        // Doubled ranks go in steps of two: half a step is one.
        normal_cdf((least as f64 + 1.0 - all as f64 / 2.0) / variance.sqrt())
    } else {
        sign_shares(&ranks)[..=least].iter().sum()
    };
    (2.0 * below).min(1.0)
}

/// Ranks of the sizes of `values`, doubled so that the mean rank of ties is an integer.
fn doubled_ranks(values: &[f64]) -> Vec<usize> {
    let size = |value: &f64| value.abs();
    let below = |value: &f64| values.iter().filter(|other| size(other) < size(value)).count();
    let alike = |value: &f64| values.iter().filter(|other| size(other) == size(value)).count();
    values.iter().map(|value| 2 * below(value) + alike(value) + 1).collect()
}

/// For each of `p`, the smallest false discovery rate at which it would be accepted among all of them (Benjamini,
/// Hochberg: JRSS B 57(1), 1995), in the order given. Valid for independent and for positively dependent rows.
#[must_use]
pub fn false_discovery(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*b].total_cmp(&p[*a]));
    let mut adjusted = vec![1.0; p.len()];
    let mut least: f64 = 1.0;
    for (place, &row) in order.iter().enumerate() {
        let rank = p.len() - place;
        least = least.min(p[row] * p.len() as f64 / rank as f64);
        adjusted[row] = least;
    }
    adjusted
}

/// Standard deviation of the differences of pairs; `None` for fewer than two.
#[must_use]
pub fn spread(differences: &[f64]) -> Option<f64> {
    (differences.len() > 1 && usable(differences))
        .then(|| differences.iter().copied().collect::<Moments>().sd())
}

/// The shift that `pairs` pairs whose differences have this `spread` detect with probability `power` at the two-sided
/// `alpha`: as for the t test, corrected for the efficiency of ranks on normal differences and for the error that so few
/// pairs can attain. `None` if there are too few pairs for `alpha`.
#[must_use]
pub fn detectable(spread: f64, pairs: usize, (alpha, power): (f64, f64)) -> Option<f64> {
    let attained = attained(pairs, alpha)?;
    let df = (pairs - 1) as f64;
    let sum = t_quantile(1.0 - attained / 2.0, df) + t_quantile(power, df);
    Some(sum * spread / (pairs as f64 * EFFICIENCY).sqrt())
}

/// Greatest two-sided error, up to `alpha`, that the signed rank test of `pairs` pairs can have: rank sums are integers.
fn attained(pairs: usize, alpha: f64) -> Option<f64> {
    if pairs > EXACT_MAX {
        return Some(alpha);
    }
    let ranks: Vec<usize> = (1..=pairs).collect();
    let tails = sign_shares(&ranks).into_iter().scan(0.0, |sum, share| {
        *sum += share;
        Some(2.0 * *sum)
    });
    tails.take_while(|tail| *tail <= alpha).last()
}

/// Fewest pairs, up to `most`, that detect a shift of `times` times the spread of their differences, as computed by
/// [`detectable`]; `None` if `most` do not suffice.
#[must_use]
pub fn pairs_needed(times: f64, (alpha, power): (f64, f64), most: usize) -> Option<usize> {
    let enough = |pairs: &usize| detectable(1.0, *pairs, (alpha, power)).is_some_and(|found| found <= times);
    (PAIRS_MIN..=most).find(enough)
}

/// Fewest pairs with an interval at 95 %: the two-sided probability of one choice of signs is 2/2⁶, which is 3.1 %.
pub const PAIRS_MIN: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use proptest::prelude::*;

    /// Differences around `shift`, skewed on request because latencies are.
    fn draw(stream: &mut Stream, pairs: usize, shift: f64, skewed: bool) -> Vec<f64> {
        let one = |stream: &mut Stream| match skewed {
            // The difference of two identically distributed values is symmetric, whatever their distribution.
            true => stream.exponential(1.0) - stream.exponential(1.0),
            false => stream.normal(),
        };
        (0..pairs).map(|_| shift + one(stream)).collect()
    }

    #[test]
    fn the_interval_covers_the_shift_as_often_as_it_claims() {
        let mut stream = Stream::new(11, 0);
        for (pairs, skewed, level) in [
            (6, false, 0.95),
            (10, false, 0.95),
            (10, true, 0.95),
            (10, false, 0.9),
            (25, true, 0.95),
            (70, false, 0.95),
        ] {
            let covered = (0..2000)
                .filter(|_| {
                    let found = paired_shift(&draw(&mut stream, pairs, 2.0, skewed), level).unwrap();
                    found.lo <= 2.0 && 2.0 <= found.hi && found.lo <= found.shift && found.shift <= found.hi
                })
                .count() as f64
                / 2000.0;
            assert!((level - 0.012..level + 0.04).contains(&covered), "{pairs} pairs, {level}: {covered}");
        }
    }

    #[test]
    fn chance_alone_is_taken_for_a_shift_as_seldom_as_it_says_and_a_shift_is_found_as_reckoned() {
        let mut stream = Stream::new(12, 0);
        for pairs in [6, 10, 30, 70] {
            let p = |stream: &mut Stream, shift: f64| signed_rank_p(&draw(stream, pairs, shift, false));
            let alarms = (0..3000).filter(|_| p(&mut stream, 0.0) <= 0.05).count();
            assert!(alarms <= 183, "{pairs} pairs: {alarms} of 3,000");
            let shift = detectable(1.0, pairs, (0.05, 0.8)).unwrap();
            let found = (0..1000).filter(|_| p(&mut stream, shift) <= 0.05).count();
            assert!((700..=880).contains(&found), "{pairs} pairs: {found} of 1,000");
        }
    }

    #[test]
    fn textbook_figures_come_out() {
        // Six of one sign: 2/64. The interval of six reaches from the least to the greatest.
        assert!((signed_rank_p(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) - 2.0 / 64.0).abs() < 1e-12);
        let found = paired_shift(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.95).unwrap();
        assert_eq!((found.shift, found.lo, found.hi), (3.5, 1.0, 6.0));
        assert_eq!(paired_shift(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95), None);
        // Zeros favour neither side, and ties share a rank: +2 +2 −2 have ranks 2 each; sums 0, 2, 4, 6 with shares 1 3 3
        // 1.
        assert!((signed_rank_p(&[0.0, 2.0, 2.0, -2.0]) - 1.0).abs() < 1e-12);
        assert_eq!((signed_rank_p(&[]), signed_rank_p(&[0.0, 0.0])), (1.0, 1.0));
        // Ten pairs at 95 %: eight averages at either end are left out (tables of Hollander and Wolfe).
        assert_eq!(averages_left_out(10, 0.025), Some(8));
        // Benjamini and Hochberg's own example has 15 values, of which four are accepted at 5 %.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.0,
        ];
        assert_eq!(false_discovery(&p).iter().filter(|share| **share <= 0.05).count(), 4);
    }

    #[test]
    fn more_spread_needs_more_pairs() {
        assert_eq!(pairs_needed(5.0, (0.05, 0.8), 100), Some(6));
        let some = pairs_needed(0.03 / 0.0283, (0.05, 0.8), 100).unwrap();
        assert!((9..=12).contains(&some), "{some}");
        assert_eq!(pairs_needed(0.02, (0.05, 0.8), 100), None);
        assert_eq!((spread(&[1.0]), detectable(1.0, 1, (0.05, 0.8))), (None, None));
    }

    proptest! {
        #[test]
        fn sides_that_change_places_change_the_sign_alone(values in proptest::collection::vec(-1e3..1e3f64, 6..40)) {
            let turned: Vec<f64> = values.iter().map(|v| -v).collect();
            let (one, other) = (paired_shift(&values, 0.95).unwrap(), paired_shift(&turned, 0.95).unwrap());
            prop_assert!((one.lo + other.hi).abs() < 1e-9 && (one.shift + other.shift).abs() < 1e-9);
            prop_assert!((signed_rank_p(&values) - signed_rank_p(&turned)).abs() < 1e-12);
        }

        #[test]
        fn no_share_of_false_discoveries_is_below_its_p(p in proptest::collection::vec(0.0..1.0f64, 1..30)) {
            for (adjusted, own) in false_discovery(&p).iter().zip(&p) {
                prop_assert!(*adjusted >= *own - 1e-12 && *adjusted <= 1.0);
            }
        }
    }
}
