//! A linear or logarithmic axis with its ticks, which stays well-defined for any input number.

/// A range of values with ticks and their labels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
    scale: Scale,
    /// Value and label of each tick, in ascending order.
    ticks: Vec<(f64, String)>,
}

/// Mapping from values to positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Linear,
    Logarithmic,
}

impl Axis {
    /// Returns a linear axis from `low` to `high` with at most about `count` ticks, at multiples of 1, 2 or 5
    /// times a power of ten.
    pub fn linear(low: f64, high: f64, count: usize, label: impl Fn(f64) -> String) -> Axis {
        let (low, high) = ends(low, high);
        let step = round_step((high - low) / count.max(1) as f64);
        let first = (low / step).ceil();
        let ticks = (0..200)
            .map(|index| (first + f64::from(index)) * step)
            .take_while(|&value| value <= high + step * 1e-6)
            .map(|value| (value, label(value)))
            .collect();
        Axis { low, high, scale: Scale::Linear, ticks }
    }

    /// Returns a linear axis from zero to `high` with ticks at round multiples of `factor`; `label` receives values
    /// in units of `factor`.
    pub fn linear_in(factor: f64, high: f64, count: usize, label: impl Fn(f64) -> String) -> Axis {
        let scaled = Axis::linear(0.0, high / factor, count, label);
        let ticks = scaled.ticks.into_iter().map(|(value, label)| (value * factor, label)).collect();
        Axis::with_ticks(0.0, high, ticks)
    }

    /// Returns a logarithmic axis from `low` to `high` with those of the given ticks that lie within.
    pub fn logarithmic(low: f64, high: f64, ticks: Vec<(f64, String)>) -> Axis {
        let low = if low.is_finite() && low > 0.0 { low } else { 1.0 };
        let high = if high.is_finite() && high > low { high } else { low * 2.0 };
        let ticks = ticks.into_iter().filter(|(value, _)| (low..=high).contains(value)).collect();
        Axis { low, high, scale: Scale::Logarithmic, ticks }
    }

    /// Returns a linear axis from `low` to `high` with the given ticks.
    pub fn with_ticks(low: f64, high: f64, ticks: Vec<(f64, String)>) -> Axis {
        let (low, high) = ends(low, high);
        Axis { low, high, scale: Scale::Linear, ticks }
    }

    /// Keeps every n-th tick, starting with the first, so that at most `most` remain.
    pub fn thinned(mut self, most: usize) -> Axis {
        let stride = self.ticks.len().div_ceil(most.max(1)).max(1);
        self.ticks = self.ticks.into_iter().step_by(stride).collect();
        self
    }

    /// Returns the position of `value` between the ends, from 0 to 1; values outside are clamped.
    pub fn place(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The lowest and the highest value.
    pub fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Labels of the ticks, in ascending order of value.
    #[cfg(test)]
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.ticks.iter().map(|(_, label)| label.as_str())
    }

    /// Number of ticks.
    pub fn ticks(&self) -> usize {
        self.ticks.len()
    }

    /// Value and label of each tick, in ascending order.
    pub fn marks(&self) -> &[(f64, String)] {
        &self.ticks
    }

    /// Length of the longest label in characters.
    pub fn label_length(&self) -> usize {
        self.ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0)
    }
}

/// Returns two finite, distinct ends: replaces ends that are not finite or too close together.
fn ends(low: f64, high: f64) -> (f64, f64) {
    let low = if low.is_finite() { low } else { 0.0 };
    let wide = high.is_finite() && high - low > low.abs().max(high.abs()) * 1e-9;
    (low, if wide { high } else { low + 1.0f64.max(low.abs()) })
}

/// Returns the smallest of 1, 2 and 5 times a power of ten that is not below `rough`.
fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough * 0.999);
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn ticks_stand_at_round_places() {
        let axis = Axis::linear(0.0, 3360.0, 4, |value| format!("{value}"));
        assert_eq!(labels(&axis), ["0", "1000", "2000", "3000"]);
        let log =
            Axis::logarithmic(3.0, 70.0, [1, 2, 4, 8, 16].map(|n| (f64::from(n), n.to_string())).to_vec());
        assert_eq!(labels(&log), ["4", "8", "16"]);
        assert_eq!(labels(&log.clone().thinned(2)), ["4", "16"]);
        assert!((log.place((3.0f64 * 70.0).sqrt()) - 0.5).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn every_value_has_a_place(low in any::<f64>(), high in any::<f64>(), value in any::<f64>(), count in 0usize..20) {
            for axis in [Axis::linear(low, high, count, |v| v.to_string()), Axis::logarithmic(low, high, vec![(value, String::new())])] {
                let place = axis.place(value);
                prop_assert!((0.0..=1.0).contains(&place));
                prop_assert!(axis.ticks.len() <= 200);
            }
        }
    }
}
