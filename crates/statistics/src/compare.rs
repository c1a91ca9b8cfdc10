//! Comparing two small samples without assuming a distribution.

use crate::distribution::normal_quantile;
use crate::quantile::{median_in_place, sorted};
use crate::usable;

/// Largest total sample size for which the rank sum's distribution is computed exactly; above it, the normal approximation
/// is used.
const EXACT_MAX: usize = 60;

/// Share of all choices of `chosen` ranks that have each sum.
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

/// A shift between two samples and its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Median of all differences b - a.
    pub shift: f64,
    /// Lower end of the interval.
    pub lo: f64,
    /// Upper end of the interval.
    pub hi: f64,
}

/// Estimates how far `b` lies above `a`: the median of all pairwise differences, with the distribution-free interval at
/// `level` that inverts the Mann–Whitney test (Hodges, Lehmann: Ann. Math. Stat. 34(2), 1963). For logarithms it is the
/// logarithm of a ratio.
///
/// Returns `None` for an empty sample, non-finite values, or too few values for the level: 95 % needs four on each side.
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

/// Number of differences that may be left out at either end: the largest k with P(U ≤ k) ≤ tail.
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
        assert_eq!(hodges_lehmann(&[], &[1.0], 0.95), None);
        assert_eq!(hodges_lehmann(&[f64::NAN], &[1.0], 0.95), None);
        assert_eq!(hodges_lehmann(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], 0.95), None);
        assert!(hodges_lehmann(&[1.0, 2.0, 3.0, 4.0], &[4.0, 5.0, 6.0, 7.0], 0.95).is_some());
    }
}
