//! The long-run variance of a series: the limit of n times the variance of its mean.

use crate::dependence::lag_one;
use crate::moments::Moments;
use crate::usable;

/// Fewest batches whose means are compared; with fewer, neither their spread nor their dependence is known.
const BATCHES_MIN: usize = 8;

/// Fewest batches if neighbours repay each other: merging then only narrows the interval, and must not cost too many
/// degrees of freedom.
const BATCHES_MIN_REPAYING: usize = 24;

/// Dependence between batch means below which merging stops and the correction does the rest.
const DEPENDENCE_MIN: f64 = 0.05;

/// Standard errors (1/√m each) above which dependence counts as shown. One merges independent batches too often and costs
/// degrees of freedom; two misses a slow component under white noise.
const DEPENDENCE_ERRORS: f64 = 1.5;

/// Prior dependence, and the number of values to which its weight is equal. A few values cannot show dependence, and
/// positive dependence makes their spread look too small, so it is presumed until disproved. The pair was chosen by
/// simulation as the mildest for which stopping covers 95 % at every dependence up to 0.8 (`examples/coverage`);
/// 0.8 with weight 5 covered 92 %.
const PRESUMED: (f64, f64) = (0.7, 10.0);

/// A long-run variance and how precisely it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LongRun {
    /// n times the variance of the mean of n values, in squared units of the series.
    pub variance: f64,
    /// Degrees of freedom of the variance, as of a chi-square; not an integer, and below 1 for very short series.
    pub df: f64,
    /// Number of values in a batch.
    pub batch: usize,
}

/// Estimates the long-run variance; `None` for fewer than two values or non-finite values.
///
/// Batches double in length until their means hardly depend on each other, or until merging would leave fewer than
/// eight. Positive dependence that remains is corrected as that of a first-order autoregression, (1 + r) / (1 - r),
/// with r free of its small-sample bias and drawn towards a presumed 0.7 while values are few, as in Skart (Tafazzoli,
/// Wilson, Lada, Steiger: INFORMS J. Computing 23(1), 2011), adapted to start with two values. Negative dependence of
/// neighbours (a throttle that takes back in the next interval any excess of this one) shrinks with the batches by
/// itself and is not extrapolated.
#[must_use]
pub fn long_run_variance(values: &[f64]) -> Option<LongRun> {
    if !usable(values) || values.len() < 2 {
        return None;
    }
    let mut batch = 1;
    let mut means = values.to_vec();
    let mut dependence = lag_one(&means);
    while mergeable(dependence, means.len()) {
        batch *= 2;
        means = merge_pairs(&means);
        dependence = lag_one(&means);
    }
    let spread: Moments = means.iter().copied().collect();
    let m = means.len() as f64;
    let (presumed, weight) = PRESUMED;
    let r = ((m * dependence + weight * presumed) / (m + weight)).max(0.0);
    let correction = (1.0 + r) / (1.0 - r);
    // Delta method: a variance from m batches has a relative squared error of 2/m, and its correction adds 4 (1 + r) / (1 -
    // r) / m through r; a chi-square with df degrees of freedom has 2/df.
    let df = m / (1.0 + 2.0 * correction);
    Some(LongRun { variance: batch as f64 * spread.variance() * correction, df, batch })
}

fn mergeable(dependence: f64, batches: usize) -> bool {
    let shown = dependence.abs() > (DEPENDENCE_ERRORS / (batches as f64).sqrt()).max(DEPENDENCE_MIN);
    let least = if dependence < 0.0 { BATCHES_MIN_REPAYING } else { BATCHES_MIN };
    shown && batches / 2 >= least
}

/// Means of adjacent pairs. The oldest value of an odd number is left out: the newest tell most about the present.
fn merge_pairs(values: &[f64]) -> Vec<f64> {
    values[values.len() % 2..].chunks_exact(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn degenerate_series_are_answered() {
        assert_eq!(long_run_variance(&[1.0]), None);
        assert_eq!(long_run_variance(&[1.0, f64::NAN]), None);
        assert_eq!(long_run_variance(&[4.0; 30]).map(|found| found.variance), Some(0.0));
    }

    #[test]
    fn a_long_autoregressive_series_has_the_variance_of_theory() {
        for (rho, expected) in [(0.0, 1.0), (0.5, 3.0), (0.8, 9.0)] {
            let mut stream = Stream::new(3, (rho * 10.0) as u64);
            let mut value = stream.normal();
            let innovation = f64::sqrt(1.0 - rho * rho);
            let series: Vec<f64> = (0..40_000)
                .map(|_| {
                    value = rho * value + innovation * stream.normal();
                    value
                })
                .collect();
            let found = long_run_variance(&series).unwrap();
            assert!((found.variance / expected - 1.0).abs() < 0.1, "rho {rho}: {found:?}");
        }
    }

    #[test]
    fn repayment_between_neighbours_narrows_the_mean() {
        // Each interval takes back its excess from the next, so the sum of n differs by two jitters only.
        let mut stream = Stream::new(8, 0);
        let jitter: Vec<f64> = (0..513).map(|_| stream.normal()).collect();
        let series: Vec<f64> = jitter.windows(2).map(|w| w[1] - w[0]).collect();
        let found = long_run_variance(&series).unwrap();
        assert!(
            found.variance < 0.4 && found.df > 4.0,
            "{found:?} against 2 for independent values of this spread"
        );
    }
}
