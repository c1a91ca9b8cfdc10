//! Running mean and variance.

/// Count, mean and variance of a growing sample, in one pass without cancellation (Welford: Technometrics 4(3), 1962).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    count: u64,
    mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
}

impl Moments {
    /// Adds one value.
    #[inline]
    pub fn push(&mut self, value: f64) {
        self.count += 1;
        let delta = value - self.mean;
        self.mean += delta / self.count as f64;
        self.squares += delta * (value - self.mean);
        debug_assert!(self.squares >= 0.0 || !self.squares.is_finite(), "a sum of squares is below zero");
    }

    /// Adds all values of `other` (Chan, Golub, LeVeque, 1979).
    pub fn merge(&mut self, other: &Moments) {
        if other.count == 0 {
            return;
        }
        let (here, there) = (self.count as f64, other.count as f64);
        let delta = other.mean - self.mean;
        self.mean += delta * there / (here + there);
        self.squares += other.squares + delta * delta * here * there / (here + there);
        self.count += other.count;
    }

    /// Number of values added.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean; 0 for an empty sample.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Unbiased variance (divisor n - 1); 0 for fewer than two values.
    #[must_use]
    pub fn variance(&self) -> f64 {
        if self.count < 2 { 0.0 } else { self.squares / (self.count - 1) as f64 }
    }

    /// Standard deviation, the root of [`Moments::variance`].
    #[must_use]
    pub fn sd(&self) -> f64 {
        self.variance().sqrt()
    }

    /// Coefficient of variation, sd / |mean|; `None` if the mean is 0.
    #[must_use]
    pub fn cv(&self) -> Option<f64> {
        (self.mean != 0.0).then(|| self.sd() / self.mean.abs())
    }

    /// Fano factor of counts, variance / mean; `None` if the mean is 0.
    #[must_use]
    pub fn fano(&self) -> Option<f64> {
        (self.mean != 0.0).then(|| self.variance() / self.mean)
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Moments {
        let mut moments = Moments::default();
        values.into_iter().for_each(|value| moments.push(value));
        moments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_large_offset_does_not_cancel() {
        let moments: Moments = [4.0, 7.0, 13.0, 16.0].iter().map(|v| v + 1e9).collect();
        assert_eq!(moments.mean(), 1e9 + 10.0);
        assert_eq!(moments.variance(), 30.0);
    }

    #[test]
    fn nothing_has_no_spread() {
        let moments = Moments::default();
        assert_eq!((moments.count(), moments.mean(), moments.variance()), (0, 0.0, 0.0));
        assert_eq!(moments.cv(), None);
    }

    proptest! {
        #[test]
        fn merging_equals_adding_all(a in prop::collection::vec(-1e6f64..1e6, 0..50), b in prop::collection::vec(-1e6f64..1e6, 0..50)) {
            let mut merged: Moments = a.iter().copied().collect();
            merged.merge(&b.iter().copied().collect());
            let whole: Moments = a.iter().chain(&b).copied().collect();
            prop_assert_eq!(merged.count(), whole.count());
            prop_assert!((merged.mean() - whole.mean()).abs() <= 1e-6);
            prop_assert!((merged.variance() - whole.variance()).abs() <= 1e-9 * (1.0 + whole.variance()));
        }
    }
}
