//! Sharpness of a corner: where operations give way to bytes, and where latency gives way to the cap.
//!
//! A corner of exponent p is `(a^-p + b^-p)^(-1/p)` in place of `min(a, b)`: from 22 on it is called hard, and
//! Alibaba's published point is 3.2 (method 4.2).

use serde::{Deserialize, Serialize};

use super::way::Way;
use crate::estimate::Estimate;
use crate::plateaus::{base_latency_ns, of};
use crate::step_figures::Point;

/// Least share of the smaller bound at a hard corner: p of 22 and more.
const HARD: f64 = 0.97;
/// Distance from the crossover beyond which a block shows nothing about the corner, in the natural logarithm of size.
const BESIDE: f64 = 0.15;
/// Least and greatest exponent considered.
const EXPONENTS: (f64, f64) = (1.0, 64.0);
/// Halvings of `EXPONENTS` that find an exponent.
const HALVINGS: usize = 40;

/// Sharpness of a corner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "corner", rename_all = "snake_case")]
pub enum Corner {
    /// The smaller of the two bounds at every point, as far as measured.
    Hard {
        /// Ratio of the nearest point to a hard corner.
        share: Estimate,
    },
    /// Less than either bound.
    Soft {
        /// Ratio of the nearest point to a hard corner.
        share: Estimate,
        /// The exponent with this ratio.
        exponent: f64,
    },
    /// Measured, but either is possible.
    Open {
        /// Ratio of the nearest point to a hard corner.
        share: Estimate,
    },
    /// There is no corner, or nothing was measured near it.
    NotMeasured,
}

/// Returns the rate that two bounds allow at a corner of this exponent.
pub(super) fn rounded(one: f64, other: f64, exponent: f64) -> f64 {
    let (small, large) = (one.min(other), one.max(other));
    small * (1.0 + (small / large).powf(exponent)).powf(-1.0 / exponent)
}

impl Corner {
    /// Returns the range of exponents that the measurement leaves open, the softest first.
    pub(super) fn exponents(self) -> (f64, f64) {
        match self {
            Corner::Hard { .. } => (22.0, EXPONENTS.1),
            Corner::Soft { exponent, .. } => (exponent * 0.7, exponent * 1.4),
            Corner::Open { .. } | Corner::NotMeasured => (3.0, EXPONENTS.1),
        }
    }

    /// Returns the corner of two bounds with this ratio to a hard one.
    fn of(share: Estimate, (one, other): (f64, f64)) -> Corner {
        if share.low >= HARD {
            return Corner::Hard { share };
        }
        if share.high >= HARD {
            return Corner::Open { share };
        }
        Corner::Soft { share, exponent: exponent(share.value, one.min(other) / one.max(other)) }
    }
}

/// Returns the exponent of a corner with the ratio `share` to a hard one if its bounds are in this proportion.
fn exponent(share: f64, proportion: f64) -> f64 {
    let (mut low, mut high) = EXPONENTS;
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if rounded(proportion, 1.0, middle) / proportion < share { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// Returns the corner shown by the deepest point of the block nearest to the crossover.
pub(super) fn of_blocks(points: &[&Point], way: &Way<'_>, crossover: Estimate) -> Corner {
    let off = |point: &Point| (point.block as f64 / crossover.value).ln().abs();
    let beside = points.iter().filter(|point| off(point) <= BESIDE);
    let nearest = beside.min_by(|a, b| off(a).total_cmp(&off(b)).then(b.depth.cmp(&a.depth)));
    let caps = (way.figures.iops_cap(way.direction), way.figures.bandwidth_cap(way.direction));
    let (Some(nearest), (Some(operations), Some(bytes))) = (nearest, caps) else {
        return Corner::NotMeasured;
    };
    let block = nearest.block as f64;
    let hard = |operations: f64, bytes: f64| operations.min(bytes / block);
    let level = (operations.level, bytes.level);
    let share = Estimate {
        value: nearest.iops.value / hard(level.0.value, level.1.value),
        low: nearest.iops.low / hard(level.0.high, level.1.high),
        high: nearest.iops.high / hard(level.0.low, level.1.low),
    };
    Corner::of(share, (level.0.value, level.1.value / block))
}

/// Returns the corner shown by the rung whose depth is nearest to the one that just fills the cap.
pub(super) fn of_depths(way: &Way<'_>) -> Corner {
    let rungs = of(&way.figures.depths, way.direction, |point| u64::from(point.depth));
    let base = base_latency_ns(&way.figures.latencies, &way.figures.depths, way.direction);
    let (Some(base), Some(cap)) = (base, way.figures.iops_cap(way.direction)) else {
        return Corner::NotMeasured;
    };
    let filling = cap.level.value * base / 1e9;
    let off = |point: &&&Point| (f64::from(point.depth) / filling).ln().abs();
    let Some(nearest) = rungs.iter().min_by(|a, b| off(a).total_cmp(&off(b))) else {
        return Corner::NotMeasured;
    };
    if off(&nearest) > std::f64::consts::LN_2 {
        return Corner::NotMeasured;
    }
    let slope = f64::from(nearest.depth) / base * 1e9;
    let share = Estimate {
        value: nearest.iops.value / cap.level.value.min(slope),
        low: nearest.iops.low / cap.level.high.min(slope),
        high: nearest.iops.high / cap.level.low.min(slope),
    };
    Corner::of(share, (cap.level.value, slope))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_rounded_corner_is_found_again() {
        for wanted in [2.0, 3.2, 8.0] {
            for proportion in [1.0, 0.8] {
                let share = rounded(proportion, 1.0, wanted) / proportion;
                let found = exponent(share, proportion);
                assert!((found / wanted - 1.0).abs() < 1e-6, "{found} for {wanted}");
            }
        }
    }

    #[test]
    fn a_corner_is_hard_soft_or_open_by_its_interval() {
        let share = |low: f64, high: f64| Estimate { value: f64::midpoint(low, high), low, high };
        assert!(matches!(Corner::of(share(0.98, 1.01), (1.0, 1.0)), Corner::Hard { .. }));
        assert!(matches!(Corner::of(share(0.9, 1.0), (1.0, 1.0)), Corner::Open { .. }));
        assert!(matches!(Corner::of(share(0.78, 0.82), (1.0, 1.0)), Corner::Soft { .. }));
    }
}
