//! The dependence of a series' values on earlier ones.

use crate::usable;

/// Autocorrelations at lags 0..=`max_lag` (the first is 1), with divisor n at every lag; lags beyond the series are left
/// out.
///
/// Returns `None` for an empty series or non-finite numbers. A constant series has autocorrelation 0 at every lag above 0.
#[must_use]
pub fn autocorrelation(values: &[f64], max_lag: usize) -> Option<Vec<f64>> {
    if !usable(values) {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let deviations: Vec<f64> = values.iter().map(|v| v - mean).collect();
    let lagged = |lag: usize| deviations.iter().zip(&deviations[lag..]).map(|(a, b)| a * b).sum::<f64>();
    let square = lagged(0);
    let last = max_lag.min(values.len() - 1);
    Some((0..=last).map(|lag| ratio(lag, lagged(lag), square)).collect())
}

fn ratio(lag: usize, product: f64, square: f64) -> f64 {
    match (lag, square > 0.0) {
        (0, _) => 1.0,
        (_, true) => product / square,
        (_, false) => 0.0,
    }
}

/// The lag-1 autocorrelation corrected for its small-sample bias, within ±0.99; 0 for a constant or fewer than three
/// values.
///
/// The plain estimate is too low by (1 + 3ρ) / n on average (Marriott, Pope: Biometrika 41, 1954; Kendall, ibid.).
#[must_use]
pub fn lag_one(values: &[f64]) -> f64 {
    match autocorrelation(values, 1).as_deref() {
        Some([_, plain]) if values.len() > 2 => {
            let n = values.len() as f64;
            // A smaller divisor than n - 3 would let three or four values show any dependence at all.
            ((n * plain + 1.0) / (n - 3.0).max(3.0)).clamp(-0.99, 0.99)
        }
        _ => 0.0,
    }
}

/// The integrated autocorrelation time τ = 1 + 2·Σρₖ, at least 1, in samples: a mean of n values is as uncertain as a mean
/// of n / τ independent values.
///
/// The sum stops at the first lag of at least 5·τ (Sokal: "Monte Carlo methods in statistical mechanics", 1989), because
/// the noise of later lags would swamp it. Returns `None` for an empty series or non-finite numbers.
#[must_use]
pub fn integrated_autocorrelation_time(values: &[f64]) -> Option<f64> {
    if !usable(values) {
        return None;
    }
    let n = values.len();
    let mean = values.iter().sum::<f64>() / n as f64;
    let deviations: Vec<f64> = values.iter().map(|v| v - mean).collect();
    let square: f64 = deviations.iter().map(|d| d * d).sum();
    if square <= 0.0 {
        return Some(1.0);
    }
    let mut time = 1.0;
    for lag in 1..n {
        let product: f64 = deviations.iter().zip(&deviations[lag..]).map(|(a, b)| a * b).sum();
        time += 2.0 * product / square;
        if lag as f64 >= 5.0 * time {
            break;
        }
    }
    Some(time.clamp(1.0, n as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn autoregressive(n: usize, rho: f64, seed: u64) -> Vec<f64> {
        let mut stream = Stream::new(seed, 0);
        let mut value = stream.normal();
        let innovation = (1.0 - rho * rho).sqrt();
        (0..n)
            .map(|_| {
                value = rho * value + innovation * stream.normal();
                value
            })
            .collect()
    }

    #[test]
    fn degenerate_series_are_answered() {
        assert_eq!(autocorrelation(&[], 3), None);
        assert_eq!(autocorrelation(&[5.0, 5.0], 9), Some(vec![1.0, 0.0]));
        assert_eq!(integrated_autocorrelation_time(&[1.0]), Some(1.0));
        assert_eq!(lag_one(&[1.0, 2.0]), 0.0);
        assert_eq!(integrated_autocorrelation_time(&[f64::NAN]), None);
    }

    #[test]
    fn an_autoregressive_series_shows_its_coefficient() {
        let series = autoregressive(50_000, 0.6, 1);
        let lags = autocorrelation(&series, 3).unwrap();
        for (lag, expected) in [(1, 0.6), (2, 0.36), (3, 0.216)] {
            assert!((lags[lag] - expected).abs() < 0.02, "lag {lag}: {}", lags[lag]);
        }
        // (1 + ρ) / (1 - ρ) = 4.
        let time = integrated_autocorrelation_time(&series).unwrap();
        assert!((time / 4.0 - 1.0).abs() < 0.1, "{time}");
    }

    #[test]
    fn short_series_are_not_biased_towards_independence() {
        let mean: f64 = (0..2000).map(|seed| lag_one(&autoregressive(30, 0.6, seed))).sum::<f64>() / 2000.0;
        assert!((mean - 0.6).abs() < 0.04, "{mean}");
    }

    #[test]
    fn alternating_values_count_at_least_once_each() {
        let series: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        assert_eq!(integrated_autocorrelation_time(&series), Some(1.0));
    }
}
