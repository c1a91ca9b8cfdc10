//! The crossover model: a cap on operations below a block size, a cap on bytes above it.

use super::Bound;
use crate::quantile::median_in_place;

/// Fewest block sizes that must lie on a side for its cap to be measured rather than bounded.
const SIDE_MIN: usize = 2;

/// The fitted model X(bs) = min(ops / ⌈bs / unit⌉, bandwidth / bs).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossover {
    /// Cap on charged operations, per second; a lower bound where fewer than two sizes reached it.
    pub ops: Bound,
    /// Cap on bytes, per second; a lower bound where fewer than two sizes reached it.
    pub bandwidth: Bound,
    /// The size where both caps meet, in bytes (in whole units above the first unit this is where the line through the
    /// steps would meet): bandwidth / ops. `None` unless both caps were measured.
    pub crossover: Option<f64>,
    /// Mean absolute residual of ln X: about the relative error of a point.
    pub residual: f64,
    /// How many of the sizes, in ascending order, the operations cap holds.
    pub ops_points: usize,
}

impl Crossover {
    /// The rate that the model predicts for a block size, with the accounting unit it was fitted with; at most what bounds allow.
    #[must_use]
    pub fn rate(&self, block_size: f64, unit: Option<f64>) -> f64 {
        (self.ops.value() / charged(block_size, unit)).min(self.bandwidth.value() / block_size)
    }
}

/// Operations charged for one of this size.
fn charged(block_size: f64, unit: Option<f64>) -> f64 {
    // A size that is a multiple of the unit must not be charged once more because a quotient was rounded up.
    unit.map_or(1.0, |unit| (block_size / unit - 1e-9).ceil().max(1.0))
}

/// Fits the crossover to `points` of (block size in bytes, rate in operations per second), each taken at saturation, with `unit`
/// as the size of one charged operation where it is known.
///
/// Every split of the sizes is tried; each side's cap is a median in logarithms, and the split with the least absolute residual
/// wins, so that one wild point moves neither cap. `None` without points or with sizes or rates that are not positive.
#[must_use]
pub fn fit_crossover(points: &[(f64, f64)], unit: Option<f64>) -> Option<Crossover> {
    let positive = |v: f64| v > 0.0 && v.is_finite();
    if points.is_empty()
        || !points.iter().all(|p| positive(p.0) && positive(p.1))
        || !unit.is_none_or(positive)
    {
        return None;
    }
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let sides = Sides::new(&points, unit);
    let best = (0..=points.len()).map(|split| sides.at(split)).min_by(|a, b| a.cost.total_cmp(&b.cost))?;
    let n = points.len();
    // Splits beside the true one may fit as well; what counts is which cap holds a point in the model.
    let ops_points =
        points.iter().filter(|p| best.ops - charged(p.0, unit).ln() <= best.bandwidth - p.0.ln()).count();
    let ops = bound(best.ops, ops_points, &sides.ops);
    let bandwidth = bound(best.bandwidth, n - ops_points, &sides.bandwidth);
    let crossover = match (ops, bandwidth) {
        (Bound::Measured(ops), Bound::Measured(bandwidth)) => Some(bandwidth / ops),
        _ => None,
    };
    Some(Crossover { ops, bandwidth, crossover, residual: best.cost / n as f64, ops_points })
}

fn bound(log_cap: f64, points: usize, logs: &[f64]) -> Bound {
    if points >= SIDE_MIN {
        Bound::Measured(log_cap.exp())
    } else {
        Bound::AtLeast(logs.iter().copied().fold(f64::NEG_INFINITY, f64::max).exp())
    }
}

/// Each point's logarithm of charged operations and of bytes per second.
struct Sides {
    ops: Vec<f64>,
    bandwidth: Vec<f64>,
}

struct Split {
    ops: f64,
    bandwidth: f64,
    cost: f64,
}

impl Sides {
    fn new(points: &[(f64, f64)], unit: Option<f64>) -> Sides {
        Sides {
            ops: points.iter().map(|p| p.1.ln() + charged(p.0, unit).ln()).collect(),
            bandwidth: points.iter().map(|p| p.1.ln() + p.0.ln()).collect(),
        }
    }

    /// The caps when the first `split` points are held by the operations cap and the others by the bandwidth cap. A side without
    /// points has no cap.
    fn at(&self, split: usize) -> Split {
        let cap =
            |logs: &[f64]| if logs.is_empty() { f64::INFINITY } else { median_in_place(&mut logs.to_vec()) };
        let (ops, bandwidth) = (cap(&self.ops[..split]), cap(&self.bandwidth[split..]));
        // ln X exceeds each side's prediction by the same as its logarithm exceeds the cap; the lower cap predicts.
        let cost =
            self.ops.iter().zip(&self.bandwidth).map(|(o, b)| (o - ops).max(b - bandwidth).abs()).sum();
        Split { ops, bandwidth, cost }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use proptest::prelude::*;

    const KIB: f64 = 1024.0;
    const MIB: f64 = 1024.0 * 1024.0;
    const SIZES: [f64; 10] = [4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 768.0, 1024.0];

    fn volume(ops: f64, bandwidth: f64, unit: Option<f64>) -> Vec<(f64, f64)> {
        SIZES
            .iter()
            .map(|kib| (kib * KIB, (ops / charged(kib * KIB, unit)).min(bandwidth / (kib * KIB))))
            .collect()
    }

    #[test]
    fn a_published_table_gives_its_caps_back() {
        // 5,000 operations and 200 MiB/s: 5000, 5000, 5000, 3200, 800 at 4, 16, 32, 64, 256 KiB.
        let table = [(4.0, 5000.0), (16.0, 5000.0), (32.0, 5000.0), (64.0, 3200.0), (256.0, 800.0)];
        let points: Vec<(f64, f64)> = table.iter().map(|(kib, rate)| (kib * KIB, *rate)).collect();
        let fit = fit_crossover(&points, None).unwrap();
        assert!(
            (fit.ops.value() - 5000.0).abs() < 1e-6 && (fit.bandwidth.value() - 200.0 * MIB).abs() < 1e-3
        );
        assert!((fit.crossover.unwrap() - 41_943.04).abs() < 1e-3);
        assert_eq!(fit.ops_points, 3);
        assert!(fit.residual < 1e-12);
    }

    #[test]
    fn sides_that_were_not_reached_are_bounds() {
        let flat = fit_crossover(&volume(500.0, 1e12, None), None).unwrap();
        assert!(matches!(flat.ops, Bound::Measured(ops) if (ops - 500.0).abs() < 1e-9));
        assert!(matches!(flat.bandwidth, Bound::AtLeast(bytes) if (bytes - 500.0 * MIB).abs() < 1e-3));
        assert_eq!(flat.crossover, None);
        let wide = fit_crossover(&volume(1e9, 10.0 * MIB, None), None).unwrap();
        assert!(matches!(wide.bandwidth, Bound::Measured(bytes) if (bytes - 10.0 * MIB).abs() < 1e-3));
        assert!(matches!(wide.ops, Bound::AtLeast(ops) if (ops - 2560.0).abs() < 1e-6));
    }

    #[test]
    fn the_accounting_unit_belongs_to_the_model() {
        let unit = Some(256.0 * KIB);
        let points = volume(3000.0, 700.0 * MIB, unit);
        let fit = fit_crossover(&points, unit).unwrap();
        assert!((fit.ops.value() - 3000.0).abs() < 1e-6, "{fit:?}");
        assert!(points.iter().all(|&(size, rate)| (fit.rate(size, unit) / rate - 1.0).abs() < 1e-9));
    }

    #[test]
    fn one_wild_point_moves_neither_cap() {
        for wild in 0..SIZES.len() {
            let mut points = volume(5000.0, 200.0 * MIB, None);
            points[wild].1 *= 0.4;
            let fit = fit_crossover(&points, None).unwrap();
            assert!((fit.ops.value() / 5000.0 - 1.0).abs() < 0.01, "point {wild}: {fit:?}");
            assert!((fit.bandwidth.value() / (200.0 * MIB) - 1.0).abs() < 0.01, "point {wild}: {fit:?}");
        }
    }

    #[test]
    fn senseless_points_have_no_model() {
        assert_eq!(fit_crossover(&[], None), None);
        assert_eq!(fit_crossover(&[(4096.0, 0.0)], None), None);
        assert_eq!(fit_crossover(&[(4096.0, f64::NAN)], None), None);
        assert_eq!(fit_crossover(&[(4096.0, 1.0)], Some(0.0)), None);
        assert!(fit_crossover(&[(4096.0, 1.0)], None).unwrap().crossover.is_none());
    }

    proptest! {
        #[test]
        fn caps_are_recovered_under_noise(ops in 200.0f64..100_000.0, crossover_kib in 12.0f64..600.0, seed: u64) {
            let bandwidth = ops * crossover_kib * KIB;
            let mut stream = Stream::new(seed, 0);
            let noisy: Vec<(f64, f64)> =
                volume(ops, bandwidth, None).iter().map(|p| (p.0, p.1 * (1.0 + 0.01 * (stream.unit_f64() - 0.5)))).collect();
            let fit = fit_crossover(&noisy, None).unwrap();
            prop_assert!((fit.ops.value() / ops - 1.0).abs() < 0.012, "{:?}", fit);
            prop_assert!((fit.bandwidth.value() / bandwidth - 1.0).abs() < 0.012, "{:?}", fit);
        }
    }
}
