//! Intervals of the mean of an autocorrelated series.

use crate::dependence::integrated_autocorrelation_time;
use crate::distribution::{normal_cdf, t_quantile};
use crate::moments::Moments;
use crate::quantile::quantile_of_sorted;
use crate::random::Stream;
use crate::usable;

/// A mean and how well it is known. Units are those of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of the series.
    pub mean: f64,
    /// Half the width of the interval around it; infinite while nothing can be said.
    pub half_width: f64,
    /// How many values were seen.
    pub n: usize,
    /// How many independent values would say as much about the mean.
    pub n_eff: f64,
}

impl Estimate {
    /// The lower end of the interval.
    #[must_use]
    pub fn lo(&self) -> f64 {
        self.mean - self.half_width
    }

    /// The upper end of the interval.
    #[must_use]
    pub fn hi(&self) -> f64 {
        self.mean + self.half_width
    }

    /// The half-width as a share of the mean; infinite for a mean of 0.
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

/// The interval from the means of `batches` adjacent batches of equal length (Schmeiser: Operations Research 30(3), 1982, which
/// advises 10 to 30); the oldest values that fill no batch are left out of the spread, not of the mean.
///
/// `None` for fewer than two batches, fewer values than batches, or values that are not finite.
#[must_use]
pub fn batch_means(values: &[f64], batches: usize, level: f64) -> Option<Estimate> {
    if !usable(values) || batches < 2 || values.len() < batches {
        return None;
    }
    let length = values.len() / batches;
    let used = &values[values.len() - length * batches..];
    let means: Moments = used.chunks_exact(length).map(|b| b.iter().sum::<f64>() / length as f64).collect();
    estimate(values, means.variance() * length as f64, (batches - 1) as f64, level)
}

/// The interval from the means of all overlapping batches of `length` values, which has half again the degrees of freedom of
/// separate batches (Meketon, Schmeiser: Winter Simulation Conference, 1984).
///
/// `None` for a length of 0, fewer than two batches' worth of values, or values that are not finite.
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

/// A block length for [`moving_blocks`]: the largest of `least`, twice the integrated autocorrelation time, and n^⅓, at most
/// half the series. At least 1.
#[must_use]
pub fn block_length(values: &[f64], least: usize) -> usize {
    let time = integrated_autocorrelation_time(values).unwrap_or(1.0);
    let length = (2.0 * time).max((values.len() as f64).cbrt()).ceil() as usize;
    length.max(least).min(values.len() / 2).max(1)
}

/// The lower and upper end of a bootstrap interval of any statistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    /// The statistic of the series itself.
    pub value: f64,
    /// The lower end.
    pub lo: f64,
    /// The upper end.
    pub hi: f64,
}

/// How to resample in [`moving_blocks`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// Values in a block; 0 counts as 1, more than the series as the whole series.
    pub block: usize,
    /// How many resampled series; 2,000 for a 95 % interval.
    pub resamples: usize,
    /// Level of the interval, such as 0.95.
    pub level: f64,
    /// Seed of the draws: the same seed gives the same interval.
    pub seed: u64,
}

/// The percentile interval of `statistic` over series glued from random blocks of the given one, which keeps the dependence
/// inside blocks (Künsch: Annals of Statistics 17(3), 1989). Since few blocks understate the spread, the percentiles are taken
/// further out, as for a sample of as many values (Hesterberg: The American Statistician 69(4), 2015, expanded percentiles).
///
/// `None` for no values, values that are not finite, no resamples, or a statistic that is not finite.
#[must_use]
pub fn moving_blocks(
    values: &[f64],
    how: &Resampling,
    statistic: impl Fn(&[f64]) -> f64,
) -> Option<Bootstrap> {
    if !usable(values) || how.resamples == 0 {
        return None;
    }
    let block = how.block.clamp(1, values.len());
    let starts = (values.len() - block + 1) as u64;
    let mut stream = Stream::new(how.seed, 0);
    let mut series = Vec::with_capacity(values.len() + block);
    let mut found = Vec::with_capacity(how.resamples);
    for _ in 0..how.resamples {
        series.clear();
        while series.len() < values.len() {
            let start = stream.below(starts) as usize;
            series.extend_from_slice(&values[start..start + block]);
        }
        found.push(statistic(&series[..values.len()]));
    }
    let value = statistic(values);
    if !value.is_finite() || found.iter().any(|f| !f.is_finite()) {
        return None;
    }
    found.sort_unstable_by(f64::total_cmp);
    let blocks = values.len() as f64 / block as f64;
    let freedom = (blocks - 1.0).max(1.0);
    let tail = normal_cdf(-((freedom + 1.0) / freedom).sqrt() * t_quantile(0.5 + how.level / 2.0, freedom));
    Some(Bootstrap {
        value,
        lo: quantile_of_sorted(&found, tail)?,
        hi: quantile_of_sorted(&found, 1.0 - tail)?,
    })
}

/// Half the width of an interval that holds the mean at every n at once, so that one may stop on what the *mean* shows ("the
/// lower end has passed the limit"), for `n` values of long-run variance `variance`, at error `alpha`, tightest near `n_tuned`.
///
/// Robbins' normal mixture in its asymptotic form (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas: "Time-uniform central limit
/// theory and asymptotic confidence sequences", Annals of Statistics 52(6), 2024). NaN where an argument is not positive.
#[must_use]
pub fn time_uniform_half_width(variance: f64, n: f64, alpha: f64, n_tuned: f64) -> f64 {
    // The mixture is tightest near n_tuned when rho² = (2 ln(1/α) + ln(1 + 2 ln(1/α))) / n_tuned.
    let log = -2.0 * alpha.ln();
    let rho_squared = (log + log.ln_1p()) / n_tuned;
    let scale = n * rho_squared + 1.0;
    let boundary = 2.0 * scale / (n * n * rho_squared) * (scale.sqrt() / alpha).ln();
    (variance * boundary).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn all_three_intervals_cover_the_mean_of_an_autocorrelated_series() {
        let ends = |e: Option<Estimate>| e.map(|e| (e.lo(), e.hi())).unwrap();
        let batches = coverage(0.6, |x| ends(batch_means(x, 10, 0.95)));
        let overlapping = coverage(0.6, |x| ends(overlapping_batch_means(x, 40, 0.95)));
        let blocks = coverage(0.6, |x| {
            let how = Resampling { block: 40, resamples: 200, level: 0.95, seed: 1 };
            let found = moving_blocks(x, &how, |v| v.iter().sum::<f64>() / v.len() as f64).unwrap();
            (found.lo, found.hi)
        });
        assert!((0.93..0.97).contains(&batches), "batch means {batches}");
        assert!((0.92..0.97).contains(&overlapping), "overlapping {overlapping}");
        assert!((0.90..0.97).contains(&blocks), "moving blocks {blocks}");
    }

    #[test]
    fn degenerate_input_is_no_interval() {
        assert_eq!(batch_means(&[1.0; 5], 1, 0.95), None);
        assert_eq!(batch_means(&[1.0; 5], 6, 0.95), None);
        assert_eq!(overlapping_batch_means(&[1.0, f64::NAN], 1, 0.95), None);
        let how = Resampling { block: 0, resamples: 10, level: 0.95, seed: 0 };
        assert_eq!(moving_blocks(&[], &how, |v| v[0]), None);
        assert_eq!(moving_blocks(&[3.0], &how, |v| v[0]), Some(Bootstrap { value: 3.0, lo: 3.0, hi: 3.0 }));
        assert_eq!(batch_means(&[7.0; 20], 10, 0.95).map(|e| e.half_width), Some(0.0));
        assert!(Estimate { mean: 0.0, half_width: 1.0, n: 1, n_eff: 1.0 }.relative().is_infinite());
    }

    #[test]
    fn a_time_uniform_interval_is_crossed_by_few_walks() {
        let mut stream = Stream::new(4, 4);
        let crossed = (0..1000)
            .filter(|_| {
                let mut sum = 0.0;
                (1..=2000).any(|n| {
                    sum += stream.normal();
                    let n = f64::from(n);
                    (sum / n).abs() > time_uniform_half_width(1.0, n, 0.05, 200.0)
                })
            })
            .count();
        assert!(crossed <= 50, "{crossed} of 1,000 walks left the interval at some time");
    }
}
