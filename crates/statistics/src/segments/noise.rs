//! What a series does between its changes: noise that resembles itself, and a level that wanders.

use crate::quantile::{median_in_place, quantile};
use crate::segments::cells::Cell;

/// Lags, in cells, at which differences are taken.
const LAGS: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];
/// A normal value's standard deviation over its median absolute deviation.
const DEVIATION: f64 = 1.4826;
/// The longest lag, as a share of the series: of longer ones a single change would spoil too many.
const LAG_MOST: f64 = 0.15;
/// Fewest differences from which their spread is taken.
const DIFFERENCES_MIN: usize = 8;
/// Segments that have so many differences of their own say how noisy each is, where there are so many of them.
const OWN_MIN: usize = 3;
const SEGMENTS_MIN: usize = 4;
/// All but the noisiest quarter.
const QUARTER: f64 = 0.75;
/// Dependence and wandering that are tried.
const DEPENDENCES: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
const WANDERINGS: [f64; 7] = [WANDER_MIN, 0.03, 0.06, 0.12, 0.25, 0.5, 1.0];
/// Nothing disproves wandering that is slower than the series is long, and what it has moved looks like a change between noisy values.
const WANDER_MIN: f64 = 0.012;
/// Dependence is presumed until the values disprove it, as in [`crate::long_run`]: neighbours that resemble each other are what
/// makes changes out of noise. It weighs as much as this many values.
const PRESUMED: f64 = 0.5;
const PRESUMED_WEIGHT: f64 = 12.0;

/// Noise of the logarithms: a first-order autoregression upon a level that takes a small random step each cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Noise {
    /// Variance of the autoregressive part.
    pub variance: f64,
    /// Its correlation from one cell to the next.
    pub rho: f64,
    /// Variance of the level's step from one cell to the next.
    pub wander: f64,
}

/// Variances of differences, by [`LAGS`], as far as there are enough; robust against one part in four that differ by a change.
struct Spreads(Vec<(usize, f64, usize)>);

/// Fits the noise to `cells`, which fall into segments that begin at `starts`; differences across a start are left out.
/// `floor` is the least standard deviation that is believed.
pub(super) fn noise(cells: &[Cell], starts: &[usize], floor: f64) -> Noise {
    let mut spreads = Spreads::of(cells, starts);
    spreads.widen(noisiest(cells, starts));
    let first = spreads.0.first().map_or(floor * floor, |spread| spread.1).max(2.0 * floor * floor);
    let (mut best, mut least) = ((PRESUMED, WANDER_MIN), f64::INFINITY);
    for rho in DEPENDENCES {
        for wander in WANDERINGS {
            let misfit = spreads.misfit(first, rho, wander);
            if misfit < least {
                (best, least) = ((rho, wander), misfit);
            }
        }
    }
    let (rho, wander) = best;
    let n = cells.len() as f64;
    let rho =
        if rho < PRESUMED { (n * rho + PRESUMED_WEIGHT * PRESUMED) / (n + PRESUMED_WEIGHT) } else { rho };
    of(first, rho, wander)
}

/// Noise of which neighbours differ with the variance `first`, a share `wander` of it because the level wanders.
fn of(first: f64, rho: f64, wander: f64) -> Noise {
    Noise { variance: 0.5 * first * (1.0 - wander) / (1.0 - rho), rho, wander: first * wander }
}

impl Noise {
    /// The same with the least wandering: all that long lags show may be changes.
    pub fn still(self) -> Noise {
        of(self.first(), self.rho, WANDER_MIN)
    }

    /// Variance of the difference of neighbours.
    pub fn first(&self) -> f64 {
        2.0 * self.variance * (1.0 - self.rho) + self.wander
    }
}

/// Variance of the differences of neighbours in the noisier of the segments: where some are calmer than others, the noise is
/// that of all but the noisiest quarter.
fn noisiest(cells: &[Cell], starts: &[usize]) -> f64 {
    let ends = starts.iter().skip(1).copied().chain([cells.len()]);
    let own = |(start, end): (&usize, usize)| {
        let of_one = &cells[*start..end];
        let mut differences: Vec<f64> =
            of_one.windows(2).map(|pair| (pair[1].log - pair[0].log).abs()).collect();
        (differences.len() >= OWN_MIN).then(|| (DEVIATION * median_in_place(&mut differences)).powi(2))
    };
    let all: Vec<f64> = starts.iter().zip(ends).filter_map(own).collect();
    if all.len() < SEGMENTS_MIN { 0.0 } else { quantile(&all, QUARTER).unwrap_or(0.0) }
}

impl Spreads {
    /// At least `first` between neighbours, and as much more at the longer lags.
    fn widen(&mut self, first: f64) {
        let factor = self.0.first().map_or(1.0, |spread| (first / spread.1.max(f64::MIN_POSITIVE)).max(1.0));
        self.0.iter_mut().for_each(|spread| spread.1 *= factor);
    }

    fn of(cells: &[Cell], starts: &[usize]) -> Spreads {
        let segment = |at: usize| starts.iter().filter(|start| **start <= at).count();
        let numbers: Vec<usize> = (0..cells.len()).map(segment).collect();
        let spread = |lag: &usize| {
            let apart = |at: &usize| numbers[*at] == numbers[at - lag];
            let mut differences: Vec<f64> = (*lag..cells.len())
                .filter(apart)
                .map(|at| (cells[at].log - cells[at - lag].log).abs())
                .collect();
            let count = differences.len();
            (count >= DIFFERENCES_MIN)
                .then(|| (*lag, (DEVIATION * median_in_place(&mut differences)).powi(2), count))
        };
        let longest = (LAG_MOST * cells.len() as f64) as usize;
        Spreads(LAGS.iter().filter(|lag| **lag <= longest.max(1)).filter_map(spread).collect())
    }

    /// How far the spreads are from those of noise with these two, given the variance of neighbours' differences. Longer lags
    /// have fewer independent differences and weigh less.
    fn misfit(&self, first: f64, rho: f64, wander: f64) -> f64 {
        let of_lag = |&(lag, variance, count): &(usize, f64, usize)| {
            let lag = lag as f64;
            let expected = first * (wander * lag + (1.0 - wander) * (1.0 - rho.powf(lag)) / (1.0 - rho));
            let weight = count as f64 / lag;
            weight * (variance.max(0.25 * first) / expected).ln().powi(2)
        };
        self.0.iter().map(of_lag).sum()
    }
}
