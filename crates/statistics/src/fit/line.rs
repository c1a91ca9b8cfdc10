//! Straight lines through points.

use crate::quantile::median_in_place;

/// The most points of which [`theil_sen`] compares every pair; neighbours of longer series are averaged first.
const THEIL_SEN_POINTS_MAX: usize = 512;

/// The line y = intercept + slope · x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Change of y for each unit of x.
    pub slope: f64,
    /// y at x = 0.
    pub intercept: f64,
}

impl Line {
    /// y at `x`.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

/// Whether points define a line: at least two, finite, and not all at one x.
fn spread(points: &[(f64, f64)]) -> bool {
    points.iter().all(|(x, y)| x.is_finite() && y.is_finite())
        && points.iter().any(|(x, _)| *x != points[0].0)
}

/// The line of least squared vertical distance; `None` without two different x or with numbers that are not finite.
#[must_use]
pub fn least_squares(points: &[(f64, f64)]) -> Option<Line> {
    weighted_least_squares(points, |_| 1.0)
}

fn weighted_least_squares(points: &[(f64, f64)], weight: impl Fn(usize) -> f64) -> Option<Line> {
    if !spread(points) {
        return None;
    }
    let total: f64 = (0..points.len()).map(&weight).sum();
    let average = |value: &dyn Fn(&(f64, f64)) -> f64| {
        points.iter().enumerate().map(|(i, p)| weight(i) * value(p)).sum::<f64>() / total
    };
    let (x, y) = (average(&|p| p.0), average(&|p| p.1));
    let slope = average(&|p| (p.0 - x) * (p.1 - y)) / average(&|p| (p.0 - x) * (p.0 - x));
    let line = Line { slope, intercept: y - slope * x };
    (slope.is_finite() && line.intercept.is_finite()).then_some(line)
}

/// The line of least absolute vertical distance, which a minority of wild points cannot move; `None` as [`least_squares`].
///
/// Iteratively reweighted least squares (Schlossmacher: JASA 68, 1973), then the best line through two of the points nearest
/// to it, since an optimal line passes through two points.
#[must_use]
pub fn least_absolute_line(points: &[(f64, f64)]) -> Option<Line> {
    let mut line = least_squares(points)?;
    let scale = points.iter().map(|p| p.1.abs()).fold(f64::MIN_POSITIVE, f64::max);
    for _ in 0..50 {
        let weights: Vec<f64> =
            points.iter().map(|p| 1.0 / (p.1 - line.at(p.0)).abs().max(1e-10 * scale)).collect();
        line = weighted_least_squares(points, |i| weights[i])?;
    }
    let mut nearest = points.to_vec();
    nearest.sort_by(|a, b| (a.1 - line.at(a.0)).abs().total_cmp(&(b.1 - line.at(b.0)).abs()));
    nearest.truncate(8);
    let cost = |line: &Line| points.iter().map(|p| (p.1 - line.at(p.0)).abs()).sum::<f64>();
    let pairs = nearest.iter().enumerate().flat_map(|(i, a)| nearest[i + 1..].iter().map(move |b| (a, b)));
    let through = pairs.filter(|(a, b)| a.0 != b.0).map(|(a, b)| {
        let slope = (b.1 - a.1) / (b.0 - a.0);
        Line { slope, intercept: a.1 - slope * a.0 }
    });
    through.chain([line]).min_by(|a, b| cost(a).total_cmp(&cost(b)))
}

/// The median of the slopes between all pairs of values of a series, per step of the series (Theil 1950; Sen: JASA 63, 1968);
/// up to 29 % of the values may be wild. `None` for fewer than two values or numbers that are not finite.
///
/// Above 512 values, equal numbers of neighbours are averaged first, so that the cost stays below about a millisecond.
#[must_use]
pub fn theil_sen(values: &[f64]) -> Option<f64> {
    if values.len() < 2 || !values.iter().all(|v| v.is_finite()) {
        return None;
    }
    let width = values.len().div_ceil(THEIL_SEN_POINTS_MAX);
    if width > 1 {
        let means: Vec<f64> =
            values.chunks_exact(width).map(|c| c.iter().sum::<f64>() / width as f64).collect();
        return theil_sen(&means).map(|slope| slope / width as f64);
    }
    let mut slopes = Vec::with_capacity(values.len() * (values.len() - 1) / 2);
    for (i, early) in values.iter().enumerate() {
        slopes.extend(values[i + 1..].iter().zip(1..).map(|(late, steps)| (late - early) / f64::from(steps)));
    }
    Some(median_in_place(&mut slopes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WILD: [(f64, f64); 7] =
        [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0), (3.0, 700.0), (4.0, 9.0), (5.0, -400.0), (6.0, 13.0)];

    #[test]
    fn points_without_spread_have_no_line() {
        assert_eq!(least_squares(&[]), None);
        assert_eq!(least_squares(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(least_absolute_line(&[(1.0, f64::NAN), (2.0, 1.0)]), None);
        assert_eq!(theil_sen(&[1.0]), None);
        assert_eq!(theil_sen(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn least_absolute_deviations_ignore_two_wild_points_of_seven() {
        let line = least_absolute_line(&WILD).unwrap();
        assert!((line.slope - 2.0).abs() < 1e-9 && (line.intercept - 1.0).abs() < 1e-9, "{line:?}");
        assert!((least_squares(&WILD).unwrap().slope - 2.0).abs() > 5.0);
    }

    #[test]
    fn the_median_slope_ignores_a_burst_of_wild_values() {
        let mut values: Vec<f64> = (0..100).map(|i| 50.0 + 0.25 * f64::from(i)).collect();
        values[10..30].fill(9e5);
        assert!((theil_sen(&values).unwrap() - 0.25).abs() < 0.05);
    }

    #[test]
    fn long_series_are_averaged_without_changing_the_slope() {
        let values: Vec<f64> = (0..5000).map(|i| 0.01 * f64::from(i)).collect();
        assert!((theil_sen(&values).unwrap() - 0.01).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn lines_are_found_exactly_where_there_is_one(slope in -100f64..100.0, intercept in -100f64..100.0, n in 2usize..40) {
            let points: Vec<(f64, f64)> = (0..n).map(|i| (i as f64, intercept + slope * i as f64)).collect();
            for line in [least_squares(&points).unwrap(), least_absolute_line(&points).unwrap()] {
                prop_assert!((line.slope - slope).abs() < 1e-8 && (line.intercept - intercept).abs() < 1e-6);
            }
            let values: Vec<f64> = points.iter().map(|p| p.1).collect();
            prop_assert!((theil_sen(&values).unwrap() - slope).abs() < 1e-8);
        }
    }
}
