//! The noise models with which a series is compared, and the prior belief in each.

use super::filter::{Cell, Edge, Noise, Scales};
use crate::moments::Moments;

/// A noise model apart from its size within a moment: the part that other levels of the same volume reveal as well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    /// Correlation of the fast part.
    pub rho: f64,
    /// Standard deviation of the slow part as a share of the level.
    pub slow: f64,
    /// Seconds within which the slow part is forgotten.
    pub memory: f64,
    /// Prior belief in the shape.
    pub believed: f64,
}

impl Scales {
    /// Estimates the scales of `cells`, in which one count amounts to `count`.
    pub(super) fn of(cells: &[Cell], count: f64) -> Scales {
        let moments: Vec<Moments> = cells
            .chunk_by(|_, next| next.gap.is_none())
            .map(|moment| moment.iter().map(|cell| cell.value).collect())
            .collect();
        let freedom = |moment: &Moments| (moment.count() - 1) as f64;
        let squares: f64 = moments.iter().map(|moment| freedom(moment) * moment.variance()).sum();
        let free: f64 = moments.iter().map(freedom).sum();
        let between: Moments = moments.iter().map(Moments::mean).collect();
        let edge = count * UNIFORM;
        let within = if free > 0.0 { (squares / free).sqrt() } else { between.sd() };
        Scales { within: within.max(edge), edge }
    }
}

/// Standard deviation of a uniform distribution over an interval of length one.
const UNIFORM: f64 = 0.288_675_134_594_812_9;

/// Correlations over half a second with the prior of each: dependence is presumed until disproved, because a few values
/// cannot show it and it makes their spread look too small.
const RHOS: [(f64, f64); 5] = [(0.0, 0.1), (0.3, 0.15), (0.6, 0.2), (0.8, 0.3), (0.92, 0.25)];
/// Sizes of the fast part as multiples of the spread within moments, all equally likely. Short moments of dependent values
/// show less than half of the true spread.
const FAST: [f64; 8] = [0.3, 0.55, 0.8, 1.0, 1.3, 1.9, 3.0, 5.0];
/// Smallest slow part, as a share of the level.
const SLOW_LEAST: f64 = 0.000_625;
/// Number of sizes of the slow part, each twice the one before: up to 8 %. The belief in a size grows with its square
/// root: halfway between equal belief in every size up to the greatest, as advised if few groups reveal a spread (Gelman:
/// Bayesian Analysis 1(3), 2006), which doubled the intervals of volumes without a slow part, and equal belief in every
/// doubling, with which those of volumes with one held the mean too seldom (chosen by us: method 2).
const SLOW_SIZES: i32 = 8;
/// Seconds after which a slow part is forgotten, with the prior of each.
const MEMORIES: [(f64, f64); 3] = [(20.0, 0.03), (60.0, 0.07), (300.0, 0.9)];
/// Prior of a slow part: presumed rather than not (chosen by us: method 2).
const SLOW_BELIEVED: f64 = 0.7;
/// Prior of a meter that lets through exactly its rate.
const METER_BELIEVED: f64 = 0.1;
/// Prior of a meter that works in slices.
const SLICES_BELIEVED: f64 = 0.05;

/// Every shape; those with the same slow part are adjacent.
pub(super) fn shapes() -> Vec<Shape> {
    let still = [(0.0, MEMORIES[0].0, 1.0 - SLOW_BELIEVED)];
    let sizes = || (0..SLOW_SIZES).map(|size| SLOW_LEAST * 2_f64.powi(size));
    let whole: f64 = sizes().map(f64::sqrt).sum();
    let slow = MEMORIES.into_iter().flat_map(|(memory, share)| {
        sizes().map(move |size| (size, memory, SLOW_BELIEVED * share * size.sqrt() / whole))
    });
    let with_rho = |(slow, memory, believed): (f64, f64, f64)| {
        RHOS.map(|(rho, share)| Shape { rho, slow, memory, believed: believed * share })
    };
    still.into_iter().chain(slow).flat_map(with_rho).collect()
}

/// The noise models of a shape for a series with mean `mean`, with the prior of each.
pub(super) fn noises(shape: &Shape, mean: f64) -> Vec<(Noise, f64)> {
    let slow = shape.slow * mean.abs();
    let still = Noise { fast: 0.0, rho: shape.rho, slow, memory: shape.memory, edge: Edge::Count };
    let slices = Noise { edge: Edge::Slice, ..still };
    let believed = (1.0 - METER_BELIEVED - SLICES_BELIEVED) / FAST.len() as f64;
    let noisy = FAST.map(|fast| (Noise { fast, ..still }, believed));
    [(still, METER_BELIEVED), (slices, SLICES_BELIEVED)].into_iter().chain(noisy).collect()
}
