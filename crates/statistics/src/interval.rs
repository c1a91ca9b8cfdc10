//! Intervals for the mean of an autocorrelated series.

use crate::dependence::integrated_autocorrelation_time;
use crate::distribution::t_quantile;
use crate::moments::Moments;
use crate::usable;

/// A mean and how precisely it is known. Units are those of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Mean of the series.
    pub mean: f64,
    /// Half-width of the interval around the mean; infinite as long as nothing is known.
    pub half_width: f64,
    /// Number of values.
    pub n: usize,
    /// Number of independent values that would give the same precision.
    pub n_eff: f64,
}

impl Estimate {
    /// Lower end of the interval.
    #[must_use]
    pub fn lo(&self) -> f64 {
        self.mean - self.half_width
    }

    /// Upper end of the interval.
    #[must_use]
    pub fn hi(&self) -> f64 {
        self.mean + self.half_width
    }

    /// Half-width as a share of the mean; infinite for a mean of 0.
    #[must_use]
    pub fn relative(&self) -> f64 {
        if self.mean == 0.0 { f64::INFINITY } else { self.half_width / self.mean.abs() }
    }

    /// Whether `value` lies in the interval.
    #[must_use]
    pub fn covers(&self, value: f64) -> bool {
        (self.lo()..=self.hi()).contains(&value)
    }
}

fn estimate(values: &[f64], long_run_variance: f64, df: f64, level: f64) -> Option<Estimate> {
    let moments: Moments = values.iter().copied().collect();
    let n = values.len() as f64;
    let half_width = t_quantile(0.5 + level / 2.0, df) * (long_run_variance / n).sqrt();
    let n_eff = if long_run_variance > 0.0 { n * moments.variance() / long_run_variance } else { n };
    half_width.is_finite().then_some(Estimate { mean: moments.mean(), half_width, n: values.len(), n_eff })
}

/// Interval from the means of all overlapping batches of `length` values, which has half again as many degrees of freedom
/// as separate batches (Meketon, Schmeiser: Winter Simulation Conference, 1984).
///
/// Returns `None` for a length of 0, fewer than two batches' worth of values, or non-finite values.
#[must_use]
pub fn overlapping_batch_means(values: &[f64], length: usize, level: f64) -> Option<Estimate> {
    if !usable(values) || length == 0 || values.len() < 2 * length {
        return None;
    }
    let (n, b) = (values.len() as f64, length as f64);
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.windows(length).map(|w| (w.iter().sum::<f64>() / b - mean).powi(2)).sum();
    let variance = n * b * squares / ((n - b + 1.0) * (n - b));
    estimate(values, variance, (1.5 * (n / b - 1.0)).max(1.0), level)
}

/// A batch length whose batches are nearly independent: the largest of `least`, twice the integrated autocorrelation time,
/// and n^⅓, at most half the series. At least 1.
#[must_use]
pub fn block_length(values: &[f64], least: usize) -> usize {
    let time = integrated_autocorrelation_time(values).unwrap_or(1.0);
    let length = (2.0 * time).max((values.len() as f64).cbrt()).ceil() as usize;
    length.max(least).min(values.len() / 2).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn autoregressive(n: usize, rho: f64, stream: &mut Stream) -> Vec<f64> {
        let mut value = stream.normal();
        let innovation = (1.0 - rho * rho).sqrt();
        (0..n)
            .map(|_| {
                value = rho * value + innovation * stream.normal();
                100.0 + value
            })
            .collect()
    }

    fn coverage(rho: f64, interval: impl Fn(&[f64]) -> (f64, f64)) -> f64 {
        let mut stream = Stream::new(21, 0);
        let covered = (0..1000)
            .filter(|_| {
                let (lo, hi) = interval(&autoregressive(400, rho, &mut stream));
                lo <= 100.0 && 100.0 <= hi
            })
            .count();
        covered as f64 / 1000.0
    }

    #[test]
    fn the_interval_covers_the_mean_of_an_autocorrelated_series() {
        let ends = |e: Option<Estimate>| e.map(|e| (e.lo(), e.hi())).unwrap();
        let overlapping = coverage(0.6, |x| ends(overlapping_batch_means(x, 40, 0.95)));
        assert!((0.92..0.97).contains(&overlapping), "overlapping {overlapping}");
    }

    #[test]
    fn degenerate_input_is_no_interval() {
        assert_eq!(overlapping_batch_means(&[1.0, f64::NAN], 1, 0.95), None);
        assert_eq!(overlapping_batch_means(&[1.0; 5], 3, 0.95), None);
        assert_eq!(overlapping_batch_means(&[7.0; 20], 2, 0.95).map(|e| e.half_width), Some(0.0));
        assert!(Estimate { mean: 0.0, half_width: 1.0, n: 1, n_eff: 1.0 }.relative().is_infinite());
    }
}
