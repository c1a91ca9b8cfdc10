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
    /// Half the interval's length.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}
