//! Plain mathematics that knows nothing of storage.

pub mod compare;
pub mod crossing;
pub mod daily;
pub mod dependence;
pub mod distribution;
pub mod fall;
pub mod interval;
pub mod jenkins;
pub mod level;
pub mod long_run;
pub mod metered;
pub mod moments;
pub mod occasions;
pub mod paired;
pub mod parted;
pub mod permutation;
pub mod quantile;
pub mod random;
pub mod segments;
pub mod sequential;
pub mod share;
pub mod skew;
mod slope;
pub mod wander;

#[cfg(test)]
extern crate self as statistics;

pub use jenkins::Jenkins;
pub use permutation::Permutation;
pub use random::{LogNormal, Stream};
pub use skew::{Pareto, Zipf};

/// Whether `values` is non-empty and holds only finite numbers, which every estimator here requires.
pub(crate) fn usable(values: &[f64]) -> bool {
    !values.is_empty() && values.iter().all(|v| v.is_finite())
}
