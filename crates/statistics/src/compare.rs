//! Comparing two small samples without assuming a distribution.

use crate::distribution::{normal_cdf, normal_quantile};
use crate::quantile::{median_in_place, sorted};
use crate::usable;

/// Largest total sample size for which the rank sum's distribution is counted out; above, it is taken as normal.
const EXACT_MAX: usize = 60;

/// The result of a Mann–Whitney test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MannWhitney {
    /// Pairs in which the second sample's value is larger, ties counting half.
    pub u: f64,
    /// Two-sided chance of a U as extreme where both samples come from one distribution.
    pub p: f64,
}

/// Whether `b` tends to be larger or smaller than `a` (Mann, Whitney: Ann. Math. Stat. 18(1), 1947).
///
/// Exact, also with ties, for up to 60 values in all, by counting every assignment of the ranks; else normal with corrections for ties
/// and continuity. `None` for an empty sample or values that are not finite.
#[must_use]
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<MannWhitney> {
    if !usable(a) || !usable(b) {
        return None;
    }
    let pooled: Vec<f64> = a.iter().chain(b).copied().collect();
    let ranks = doubled_ranks(&pooled);
    let (m, n) = (a.len(), b.len());
    let rank_sum: usize = ranks[m..].iter().sum();
    let u = (rank_sum - n * (n + 1)) as f64 / 2.0;
    let p = if m + n <= EXACT_MAX { exact_p(&ranks, n, rank_sum) } else { normal_p(&ranks, n, u) };
    Some(MannWhitney { u, p })
}

/// Twice the ranks from 1, so that the mean ranks of ties are whole.
fn doubled_ranks(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0; values.len()];
    let mut first = 1;
    for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
        tied.iter().for_each(|&i| ranks[i] = 2 * first + tied.len() - 1);
        first += tied.len();
    }
    ranks
}

/// The share of all choices of `chosen` ranks that has each sum.
fn sum_shares(ranks: &[usize], chosen: usize) -> Vec<f64> {
    let total: usize = ranks.iter().sum();
    let mut ways = vec![vec![0.0; total + 1]; chosen + 1];
    ways[0][0] = 1.0;
    for (seen, &rank) in ranks.iter().enumerate() {
        for taken in (1..=chosen.min(seen + 1)).rev() {
            let (fewer, these) = ways.split_at_mut(taken);
            for (sum, way) in these[0].iter_mut().enumerate().skip(rank) {
                *way += fewer[taken - 1][sum - rank];
            }
        }
    }
    let all: f64 = ways[chosen].iter().sum();
    ways.swap_remove(chosen).into_iter().map(|way| way / all).collect()
}

fn exact_p(ranks: &[usize], n: usize, rank_sum: usize) -> f64 {
    let shares = sum_shares(ranks, n);
    let below: f64 = shares[..=rank_sum].iter().sum();
    let above: f64 = shares[rank_sum..].iter().sum();
    (2.0 * below.min(above)).min(1.0)
}

fn normal_p(ranks: &[usize], n: usize, u: f64) -> f64 {
    let total = ranks.len() as f64;
    let m = total - n as f64;
    let mean_rank = total + 1.0;
    // The variance of the ranks themselves, halved back, already holds the correction for ties.
    let spread = ranks.iter().map(|&r| (r as f64 - mean_rank).powi(2)).sum::<f64>() / 4.0 / (total - 1.0);
    let sd = (m * n as f64 * spread / total).sqrt();
    if sd == 0.0 {
        return 1.0;
    }
    let distance = ((u - m * n as f64 / 2.0).abs() - 0.5).max(0.0);
    (2.0 * normal_cdf(-distance / sd)).min(1.0)
}

/// A shift between two samples and its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// The median of all differences b - a.
    pub shift: f64,
    /// The lower end of the interval.
    pub lo: f64,
    /// The upper end of the interval.
    pub hi: f64,
}

/// How far `b` lies above `a`: the median of all pairwise differences and the distribution-free interval at `level` that inverts the
/// Mann–Whitney test (Hodges, Lehmann: Ann. Math. Stat. 34(2), 1963). Of logarithms it is the logarithm of a ratio.
///
/// `None` for an empty sample, values that are not finite, or too few values for the level: 95 % needs four on each side.
#[must_use]
pub fn hodges_lehmann(a: &[f64], b: &[f64], level: f64) -> Option<Shift> {
    if !(usable(a) && usable(b) && level > 0.0 && level < 1.0) {
        return None;
    }
    let mut differences: Vec<f64> = b.iter().flat_map(|y| a.iter().map(move |x| y - x)).collect();
    let shift = median_in_place(&mut differences);
    let ascending = sorted(&differences)?;
    let left_out = differences_left_out(a.len(), b.len(), (1.0 - level) / 2.0)?;
    Some(Shift { shift, lo: ascending[left_out], hi: ascending[ascending.len() - 1 - left_out] })
}

/// How many differences may be left out at either end: the largest k with P(U ≤ k) ≤ tail.
fn differences_left_out(m: usize, n: usize, tail: f64) -> Option<usize> {
    let (pairs, total) = ((m * n) as f64, m + n);
    if total > EXACT_MAX {
        let sd = (pairs * (total + 1) as f64 / 12.0).sqrt();
        let k = (pairs / 2.0 + normal_quantile(tail) * sd - 0.5).floor();
        return (k >= 0.0).then_some(k as usize);
    }
    let ranks: Vec<usize> = (1..=total).collect();
    let shares = sum_shares(&ranks, n);
    let mut cumulated = 0.0;
    let possible = shares[n * (n + 1) / 2..].iter().take_while(|share| {
        cumulated += **share;
        cumulated <= tail
    });
    possible.count().checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn p(a: &[f64], b: &[f64]) -> f64 {
        mann_whitney(a, b).unwrap().p
    }

    #[test]
    fn the_least_possible_p_depends_on_the_repeats() {
        for (n, least) in [(3, 0.1), (4, 2.0 / 70.0), (5, 2.0 / 252.0)] {
            let a: Vec<f64> = (0..n).map(f64::from).collect();
            let b: Vec<f64> = (0..n).map(|i| f64::from(i) + 100.0).collect();
            assert!((p(&a, &b) - least).abs() < 1e-12 && (p(&b, &a) - least).abs() < 1e-12);
        }
    }

    #[test]
    fn ties_are_counted_out() {
        // Of the six ways to choose two of {1, 2, 2, 3}, three sum as low as {1, 2}, in ranks 1 + 2.5.
        let found = mann_whitney(&[2.0, 3.0], &[1.0, 2.0]).unwrap();
        assert_eq!(found.u, 0.5);
        assert!((found.p - 2.0 * 2.0 / 6.0).abs() < 1e-12, "{found:?}");
        assert_eq!(p(&[5.0; 4], &[5.0; 6]), 1.0);
        assert_eq!(p(&[5.0; 40], &[5.0; 40]), 1.0);
    }

    #[test]
    fn the_normal_form_continues_the_exact_one() {
        let mut stream = Stream::new(1, 0);
        let a: Vec<f64> = (0..30).map(|_| stream.normal()).collect();
        let b: Vec<f64> = (0..30).map(|_| stream.normal() + 0.5).collect();
        let pooled: Vec<f64> = a.iter().chain(&b).copied().collect();
        let found = mann_whitney(&a, &b).unwrap();
        assert!((normal_p(&doubled_ranks(&pooled), 30, found.u) - found.p).abs() < 0.002, "{found:?}");
    }

    #[test]
    fn identical_systems_are_seldom_called_different() {
        let mut stream = Stream::new(2, 0);
        let mut draw = || (0..6).map(|_| stream.normal()).collect::<Vec<f64>>();
        let alarms = (0..1000).filter(|_| p(&draw(), &draw()) < 0.05).count();
        assert!(alarms <= 65, "{alarms} of 1,000");
    }

    #[test]
    fn the_shift_is_covered() {
        let mut stream = Stream::new(3, 0);
        let mut draw = |shift: f64| (0..6).map(|_| shift + stream.exponential(1.0)).collect::<Vec<f64>>();
        let covered = (0..1000)
            .filter(|_| {
                let found = hodges_lehmann(&draw(0.0), &draw(2.0), 0.95).unwrap();
                found.lo <= 2.0 && 2.0 <= found.hi && found.lo <= found.shift && found.shift <= found.hi
            })
            .count();
        assert!(covered >= 935, "{covered} of 1,000");
        let large: Vec<f64> = (0..50).map(f64::from).collect();
        let moved: Vec<f64> = large.iter().map(|v| v + 3.0).collect();
        let found = hodges_lehmann(&large, &moved, 0.95).unwrap();
        assert!(
            found.shift == 3.0 && (-4.0..0.0).contains(&found.lo) && (6.0..10.0).contains(&found.hi),
            "{found:?}"
        );
    }

    #[test]
    fn too_little_is_no_answer() {
        assert_eq!(mann_whitney(&[], &[1.0]), None);
        assert_eq!(mann_whitney(&[f64::NAN], &[1.0]), None);
        assert_eq!(hodges_lehmann(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], 0.95), None);
        assert!(hodges_lehmann(&[1.0, 2.0, 3.0, 4.0], &[4.0, 5.0, 6.0, 7.0], 0.95).is_some());
    }
}
