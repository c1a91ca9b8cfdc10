//! The form in which every rate and level is stated: a figure and its interval.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A figure with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// Returns a figure that is known exactly.
    pub(crate) fn exactly(value: f64) -> Estimate {
        Estimate::around(value, 0.0)
    }

    /// Returns a figure with an interval of `half` on both sides.
    pub(crate) fn around(value: f64, half: f64) -> Estimate {
        Estimate { value, low: value - half, high: value + half }
    }

    /// Returns the figure and its interval multiplied by an exact, positive factor.
    #[must_use]
    pub fn times(self, factor: f64) -> Estimate {
        Estimate { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }

    /// Half the interval's length.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}
