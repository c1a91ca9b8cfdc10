//! Models fitted to measured points: lines, the block-size crossover, the saturation curve.

mod line;

pub use line::{Line, least_absolute_line, least_squares, theil_sen};
