//! Models fitted to measured points: lines, the block-size crossover, the saturation curve.

mod crossover;
mod line;
mod saturation;
mod simplex;

pub use crossover::{Crossover, fit_crossover};
pub use line::{Line, least_absolute_line, least_squares, theil_sen};
pub use saturation::{Curve, Saturation, fit_saturation};
pub use simplex::minimise;

/// A quantity that the points determine, or only bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Determined.
    Measured(f64),
    /// The points only show that it is no smaller.
    AtLeast(f64),
    /// The points only show that it is no larger.
    AtMost(f64),
}

impl Bound {
    /// The value or the bound.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Bound::Measured(value) | Bound::AtLeast(value) | Bound::AtMost(value) => value,
        }
    }
}
