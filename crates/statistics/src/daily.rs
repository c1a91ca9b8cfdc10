//! Fits a trend and a daily swing to a series by least squares.

use crate::distribution::t_quantile;
use crate::long_run::long_run_variance;
use crate::moments::Moments;
use crate::usable;

/// Point that a chi-square with two degrees of freedom exceeds by chance once in a thousand times.
const SURE_SQUARE: f64 = 13.82;
/// Quantile at which a normal value is exceeded by chance, on both sides together, once in a thousand times.
const SURE: f64 = 0.9995;
/// Quantile at the upper end of a 95 % interval.
const LEVEL: f64 = 0.975;
/// Fewest values to which anything is fitted.
const LEAST: usize = 12;

/// A number with the half-width of its 95 % interval, and whether it is certainly not 0 (chance explains it less than
/// once in a thousand times).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DailyEstimate {
    /// The number.
    pub value: f64,
    /// Half-width of the number's 95 % interval.
    pub half_width: f64,
    /// Whether the number is certainly not 0.
    pub sure: bool,
}

/// The movement of a series over time. Units are those of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Daily {
    /// Mean of the series.
    pub mean: f64,
    /// Change of the fitted line from the first value to the last.
    pub trend: DailyEstimate,
    /// Amplitude of the sine; `None` if the series is too short for one.
    pub swing: Option<DailyEstimate>,
    /// Time at which the sine is highest, counted from the first value, in units of time; 0 without a sine.
    pub highest: f64,
}

/// Fits a line, and also a sine of period `day` if the series lasts at least three quarters of it; times must rise.
/// Residuals may be autocorrelated: the intervals allow for it by their long-run variance.
///
/// Returns `None` for fewer than a dozen values, or if all times are equal.
#[must_use]
pub fn daily(times: &[f64], values: &[f64], day: f64) -> Option<Daily> {
    if times.len() != values.len() || values.len() < LEAST || !usable(values) || !usable(times) {
        return None;
    }
    let (first, last) = (times[0], times[times.len() - 1]);
    let length = last - first;
    let swings = length >= 0.75 * day;
    let columns = if swings { 4 } else { 2 };
    let row = |time: f64| {
        let turn = std::f64::consts::TAU * (time - first) / day;
        [1.0, (time - first) / length - 0.5, turn.sin(), turn.cos()]
    };
    let rows: Vec<[f64; 4]> = times.iter().map(|&time| row(time)).collect();
    let inverse = inverse(&rows, columns)?;
    let moment = |at: usize| rows.iter().zip(values).map(|(row, value)| row[at] * value).sum::<f64>();
    let moments: Vec<f64> = (0..columns).map(moment).collect();
    let fitted: Vec<f64> =
        (0..columns).map(|at| (0..columns).map(|by| inverse[at][by] * moments[by]).sum()).collect();
    let of = |row: &[f64; 4]| (0..columns).map(|at| row[at] * fitted[at]).sum::<f64>();
    let left: Vec<f64> = rows.iter().zip(values).map(|(row, value)| value - of(row)).collect();
    let spread: Moments = left.iter().copied().collect();
    let free = (values.len() - columns) as f64;
    let plain = spread.variance() * (values.len() as f64 - 1.0) / free;
    let long = long_run_variance(&left)?;
    let variance = plain.max(long.variance);
    let df = (free * plain / variance.max(f64::MIN_POSITIVE)).clamp(3.0, free);
    let told = |value: f64, own: f64| {
        let error = (variance * own).max(0.0).sqrt();
        DailyEstimate {
            value,
            half_width: t_quantile(LEVEL, df) * error,
            sure: value.abs() > t_quantile(SURE, df) * error,
        }
    };
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let trend = told(fitted[1], inverse[1][1]);
    let Some([sine, cosine]) = swings.then(|| [fitted[2], fitted[3]]) else {
        return Some(Daily { mean, trend, swing: None, highest: 0.0 });
    };
    let far = sine.hypot(cosine);
    let (a, b) = (sine / far.max(f64::MIN_POSITIVE), cosine / far.max(f64::MIN_POSITIVE));
    let own = a * a * inverse[2][2] + 2.0 * a * b * inverse[2][3] + b * b * inverse[3][3];
    let swing = DailyEstimate { sure: far * far > SURE_SQUARE * variance * own, ..told(far, own) };
    let highest = sine.atan2(cosine).rem_euclid(std::f64::consts::TAU) / std::f64::consts::TAU * day;
    Some(Daily { mean, trend, swing: Some(swing), highest })
}

#[allow(clippy::needless_range_loop, reason = "rows and columns of two matrices at once")]
/// Inverse of the matrix of products of the first `columns` columns with each other, by elimination; `None` if they are
/// linearly dependent.
fn inverse(rows: &[[f64; 4]], columns: usize) -> Option<[[f64; 4]; 4]> {
    let mut left = [[0.0; 4]; 4];
    let mut right = [[0.0; 4]; 4];
    for at in 0..columns {
        right[at][at] = 1.0;
        for by in 0..columns {
            left[at][by] = rows.iter().map(|row| row[at] * row[by]).sum();
        }
    }
    for pivot in 0..columns {
        let best = (pivot..columns).max_by(|a, b| left[*a][pivot].abs().total_cmp(&left[*b][pivot].abs()))?;
        left.swap(pivot, best);
        right.swap(pivot, best);
        let scale = left[pivot][pivot];
        if scale.abs() < 1e-9 {
            return None;
        }
        left[pivot].iter_mut().chain(&mut right[pivot]).for_each(|value| *value /= scale);
        for other in (0..columns).filter(|&other| other != pivot) {
            let times = left[other][pivot];
            for at in 0..columns {
                left[other][at] -= times * left[pivot][at];
                right[other][at] -= times * right[pivot][at];
            }
        }
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    fn series(seed: u64, trend: f64, swing: f64) -> (Vec<f64>, Vec<f64>) {
        let (mut stream, mut noise) = (Stream::new(seed, 0), 0.0);
        let times: Vec<f64> = (0..400).map(|at| f64::from(at) * 0.06).collect();
        let value = |time: &f64| {
            noise = 0.6 * noise + 4.0 * stream.normal();
            1000.0 + trend * time / 24.0 + swing * (std::f64::consts::TAU * (time - 3.0) / 24.0).sin() + noise
        };
        let values = times.iter().map(value).collect();
        (times, values)
    }

    #[test]
    fn trend_and_swing_lie_in_their_intervals_and_chance_is_none() {
        let (mut trends, mut swings, mut alarms) = (0, 0, 0);
        for seed in 0..200 {
            let (times, values) = series(seed, -60.0, 40.0);
            let found = daily(&times, &values, 24.0).unwrap();
            let swing = found.swing.unwrap();
            trends += usize::from((found.trend.value + 60.0).abs() <= found.trend.half_width + 0.3);
            swings += usize::from((swing.value - 40.0).abs() <= swing.half_width);
            assert!(swing.sure && (found.highest - 9.0).abs() < 1.5, "{found:?}");
            let (times, values) = series(seed, 0.0, 0.0);
            let found = daily(&times, &values, 24.0).unwrap();
            alarms += usize::from(found.trend.sure || found.swing.is_some_and(|swing| swing.sure));
        }
        assert!(trends >= 184 && swings >= 184, "{trends} {swings} of 200");
        assert!(alarms <= 3, "{alarms} of 200");
    }
}
