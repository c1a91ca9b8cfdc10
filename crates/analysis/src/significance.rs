//! The error allowed for a comparison, for each load of it, and for naming one of several as odd.

/// Accepted share of false alarms, over all rows together.
pub const ALPHA: f64 = 0.05;
/// Share below which a difference does not matter (method 11).
pub(crate) const DIFFERENT: f64 = 0.02;
/// Share of comparisons that find a difference of the size reported as detectable.
pub(crate) const POWER: f64 = 0.8;
/// Standard normal quantile of `POWER`.
pub(crate) const POWER_QUANTILE: f64 = 0.842;

/// Half-width of a 95 % interval in standard errors.
pub(crate) const Z95: f64 = 1.96;

/// Returns the error allowed for the figures of one load if the others do not differ: the figures of a load depend on
/// each other, so the rule for all rows (Benjamini, Hochberg) allows them their share of the rows.
pub(crate) fn of_one_load(alpha: f64, loads: usize) -> f64 {
    alpha / loads.max(1) as f64
}
