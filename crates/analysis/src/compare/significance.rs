//! What error is allowed to a comparison, and to each load of it.

/// Accepted share of false alarms, over all rows together.
pub const ALPHA: f64 = 0.05;
/// Share of comparisons that find a difference of the size reported as detectable.
pub(super) const POWER: f64 = 0.8;
/// Standard normal quantile of `POWER`.
pub(super) const POWER_QUANTILE: f64 = 0.842;

/// Returns the error allowed to the figures of one load if the others do not differ: figures of a load go together,
/// so the rule for all rows (Benjamini, Hochberg) leaves them their share of the rows.
pub(super) fn of_one_load(alpha: f64, loads: usize) -> f64 {
    alpha / loads.max(1) as f64
}
