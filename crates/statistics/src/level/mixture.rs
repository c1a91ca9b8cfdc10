//! The interval of a mixture of normal distributions.

use crate::distribution::normal_cdf;

/// A normal distribution with its share of a mixture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub weight: f64,
    /// Offset of its mean from the middle of the interval.
    pub off: f64,
    pub sd: f64,
}

/// Bisections of the bracket: the half-width is exact to a millionth.
const HALVINGS: usize = 24;

/// Half-width of the interval around zero that holds `level` of the mixture; `start` is any guess above zero.
pub(super) fn half_width(parts: &[Part], level: f64, start: f64) -> f64 {
    let held = |half: f64| -> f64 {
        let in_part = |part: &Part| {
            let cdf = |end: f64| normal_cdf((end - part.off) / part.sd);
            part.weight * (cdf(half) - cdf(-half))
        };
        parts.iter().map(in_part).sum()
    };
    let whole: f64 = parts.iter().map(|part| part.weight).sum();
    let mut high = start.max(f64::MIN_POSITIVE);
    while held(high) < level * whole && high < f64::MAX / 4.0 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if held(middle) < level * whole { low = middle } else { high = middle }
    }
    high
}
