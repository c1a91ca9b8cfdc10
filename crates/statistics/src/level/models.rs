//! The noises that are held against a series, and what is believed of each before it is seen.

use super::filter::{Cell, Fit, Noise};
use crate::moments::Moments;

/// A noise with what it makes of a series and its share of the belief.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighed {
    pub noise: Noise,
    pub fit: Fit,
    pub weight: f64,
}

/// How far values stray, as a first guess.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scales {
    /// Within a moment.
    pub within: f64,
    /// By what whole counts leave open at an edge.
    pub edge: f64,
}

impl Scales {
    /// Of `cells`, in which one count is `count`.
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

/// The standard deviation of a place drawn evenly from an interval of length one.
const UNIFORM: f64 = 0.288_675_134_594_812_9;

/// Correlations of neighbours with what is believed of each: dependence is presumed until disproved, since a few values cannot show it
/// and it is what makes their spread look too small.
const RHOS: [(f64, f64); 5] = [(0.0, 0.05), (0.3, 0.1), (0.6, 0.2), (0.8, 0.4), (0.92, 0.25)];
/// The same beside a slow part, which explains most of the dependence there is.
const RHOS_SLOW: [(f64, f64); 2] = [(0.2, 0.5), (0.7, 0.5)];
/// Fast parts as multiples of the spread within moments, each as likely as the others. Short moments of dependent values show less
/// than half of it.
const FAST: [f64; 10] = [0.25, 0.4, 0.6, 0.8, 1.0, 1.3, 1.8, 2.5, 4.0, 6.0];
const FAST_SLOW: [f64; 4] = [0.3, 0.7, 1.1, 2.0];
/// Slow parts as shares of the level: all sizes up to the greatest are believed alike, as is advised where few groups tell of a spread
/// (Gelman: Bayesian Analysis 1(3), 2006).
fn slow_sizes() -> impl Iterator<Item = f64> {
    (0..SLOW_SIZES).map(|size| SLOW_LEAST * std::f64::consts::SQRT_2.powi(size))
}

/// The least of them, and how many there are, each √2 as large as the one before: up to 16 %.
const SLOW_LEAST: f64 = 0.000_625;
const SLOW_SIZES: i32 = 17;
/// Seconds after which a slow part is forgotten, with what is believed of each.
const MEMORIES: [(f64, f64); 3] = [(20.0, 0.1), (60.0, 0.2), (300.0, 0.7)];
/// What is believed of a slow part before any is seen.
const SLOW_BELIEVED: f64 = 0.7;
/// What is believed of a meter that lets through exactly its rate, and of one that does so in slices.
const METER_BELIEVED: f64 = 0.1;
const SLICES_BELIEVED: f64 = 0.05;

/// The noises for a series about `mean` seen in so many moments, with what is believed of each.
pub(super) fn noises(scales: &Scales, mean: f64, moments: usize) -> Vec<(Noise, f64)> {
    let mut noises = fast_parts(scales, &FAST, &RHOS);
    if moments < 2 {
        return noises;
    }
    noises.iter_mut().for_each(|(_, believed)| *believed *= 1.0 - SLOW_BELIEVED);
    let beside = fast_parts(scales, &FAST_SLOW, &RHOS_SLOW);
    let sizes: f64 = slow_sizes().sum();
    for (memory, share) in MEMORIES {
        for size in slow_sizes() {
            let slow = size * mean.abs();
            let believed = SLOW_BELIEVED * share * size / sizes;
            noises.extend(beside.iter().map(|(noise, of)| (Noise { slow, memory, ..*noise }, of * believed)));
        }
    }
    noises
}

fn fast_parts(scales: &Scales, sizes: &[f64], rhos: &[(f64, f64)]) -> Vec<(Noise, f64)> {
    let still = Noise { fast: 0.0, rho: 0.0, slow: 0.0, memory: 1.0, edge: scales.edge };
    let slices = Noise { edge: scales.edge.max(scales.within * std::f64::consts::FRAC_1_SQRT_2), ..still };
    let mut parts = vec![(still, METER_BELIEVED), (slices, SLICES_BELIEVED)];
    let believed = (1.0 - METER_BELIEVED - SLICES_BELIEVED) / sizes.len() as f64;
    for times in sizes {
        let noisy = |(rho, share): &(f64, f64)| {
            (Noise { fast: times * scales.within, rho: *rho, ..still }, believed * share)
        };
        parts.extend(rhos.iter().map(noisy));
    }
    parts
}
