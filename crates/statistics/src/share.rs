//! Estimates a share of time from sampled moments, with an interval.

use crate::distribution::incomplete_beta;
use crate::long_run::long_run_variance;
use crate::usable;

/// A share with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Mean of the moments.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Number of independent moments that would give the same precision.
    pub n_eff: f64,
}

/// Estimates the share of time in which a condition held, from moments in time order, one at random from each of the
/// time's equal parts; each value is the part of that moment, 0 to 1, in which it held. The result describes the
/// sampled time and no other.
///
/// The interval is Clopper and Pearson's (Biometrika 26, 1934), for the number of independent moments that would give the
/// same precision: moments that resemble their neighbours count for less, by their long-run variance. If all moments are
/// equal, nothing shows dependence, and each counts fully. Returns `None` for no moments, or for values that are not
/// shares.
#[must_use]
pub fn share_of_time(moments: &[f64], level: f64) -> Option<Share> {
    if !usable(moments) || moments.iter().any(|part| !(0.0..=1.0).contains(part)) {
        return None;
    }
    let n = moments.len() as f64;
    let value = moments.iter().sum::<f64>() / n;
    let n_eff = match long_run_variance(moments) {
        Some(long) if long.variance > 0.0 => (n * value * (1.0 - value) / long.variance).clamp(1.0, n),
        _ => n,
    };
    let (held, tail) = (value * n_eff, (1.0 - level) / 2.0);
    let low = if held <= 0.0 { 0.0 } else { inverse(held, n_eff - held + 1.0, tail) };
    let high = if value >= 1.0 { 1.0 } else { inverse(held + 1.0, n_eff - held, 1.0 - tail) };
    Some(Share { value, low, high, n_eff })
}

/// Returns where the incomplete beta function reaches `p`.
fn inverse(a: f64, b: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if incomplete_beta(a, b, middle) < p { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    #[test]
    fn tabulated_intervals_come_out() {
        let all = share_of_time(&[1.0; 400], 0.95).unwrap();
        assert!((all.low - 0.025f64.powf(1.0 / 400.0)).abs() < 1e-9 && all.high == 1.0);
        assert_eq!(share_of_time(&[], 0.95), None);
        assert_eq!(share_of_time(&[1.5], 0.95), None);
    }

    #[test]
    fn one_moment_of_each_part_of_the_time_covers_the_share_of_all_of_it() {
        let (mut covered, mut independent) = (0, 0);
        for seed in 0..400 {
            let mut stream = Stream::new(seed, 0);
            // Two states, 19 and 1 in 20 of the time, kept for 160 seconds on average; one of every 20 seconds is sampled.
            let mut missed = stream.unit_f64() < 0.05;
            let seconds: Vec<f64> = (0..8000)
                .map(|_| {
                    if stream.unit_f64() < 1.0 / 160.0 {
                        missed = stream.unit_f64() < 0.05;
                    }
                    if missed { 0.0 } else { 1.0 }
                })
                .collect();
            let truth = seconds.iter().sum::<f64>() / 8000.0;
            let moments: Vec<f64> = seconds.chunks(20).map(|part| part[stream.below(20) as usize]).collect();
            let found = share_of_time(&moments, 0.95).unwrap();
            covered += usize::from(found.low <= truth && truth <= found.high);
            independent += usize::from(found.value < 0.99 && found.n_eff > 200.0);
        }
        assert!(covered >= 396, "{covered} of 400");
        assert!(independent < 20, "{independent} of 400");
    }
}
