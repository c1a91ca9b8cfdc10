//! When two levels count as one.

/// Share within which two levels are one.
pub(crate) const SAME: f64 = 0.03;

/// Whether two levels are one.
pub(super) fn same(one: f64, other: f64) -> bool {
    same_within(one, other, SAME)
}

/// Whether two figures agree within `share` of the greater.
pub(super) fn same_within(one: f64, other: f64, share: f64) -> bool {
    (one - other).abs() <= share * one.max(other)
}
