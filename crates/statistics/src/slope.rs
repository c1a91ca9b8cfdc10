//! The slope of a series, robust against outliers.

use crate::quantile::median_in_place;

/// Most points of which [`theil_sen`] compares every pair; in longer series neighbours are averaged first.
const THEIL_SEN_POINTS_MAX: usize = 512;

/// The median of the slopes between all pairs of values of a series, per step of the series (Theil 1950; Sen: JASA 63,
/// 1968); up to 29 % of the values may be outliers. `None` for fewer than two values or non-finite numbers.
///
/// Above 512 values, equal numbers of neighbours are averaged first, so that the cost stays below about a millisecond.
pub(crate) fn theil_sen(values: &[f64]) -> Option<f64> {
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

    #[test]
    fn too_few_points_have_no_slope() {
        assert_eq!(theil_sen(&[1.0]), None);
        assert_eq!(theil_sen(&[1.0, f64::NAN]), None);
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
        fn the_slope_of_a_line_is_found_exactly(slope in -100f64..100.0, intercept in -100f64..100.0, n in 2usize..40) {
            let values: Vec<f64> = (0..n).map(|i| intercept + slope * i as f64).collect();
            prop_assert!((theil_sen(&values).unwrap() - slope).abs() < 1e-8);
        }
    }
}
