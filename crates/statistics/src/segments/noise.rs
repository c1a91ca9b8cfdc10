//! The behaviour of a series between its changes: autocorrelated noise, and a level that wanders.

use crate::quantile::{DEVIATION, median_in_place, quantile};
use crate::segments::cells::Cell;

/// Lags, in cells, at which differences are taken.
const LAGS: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];
/// Longest lag, as a share of the series: at longer ones a single change would affect too many differences.
const LAG_MOST: f64 = 0.15;
/// Fewest differences from which their spread is taken.
const DIFFERENCES_MIN: usize = 8;
/// Fewest differences for a segment to show its own noise.
const OWN_MIN: usize = 3;
/// Fewest segments with their own noise for the noise of segments to be compared.
const SEGMENTS_MIN: usize = 4;
/// Quantile that leaves out the noisiest quarter.
const QUARTER: f64 = 0.75;
/// Values of dependence that are tried.
const DEPENDENCES: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
/// Values of wandering that are tried, as shares of the variance of neighbours' differences.
const WANDERINGS: [f64; 7] = [WANDER_MIN, 0.03, 0.06, 0.12, 0.25, 0.5, 1.0];
/// Least wandering: no data disproves wandering slower than the length of the series, and its effect looks like a
/// change between noisy values.
const WANDER_MIN: f64 = 0.012;
/// Prior dependence, which is presumed until the values disprove it, as in [`crate::long_run`], because neighbours that
/// resemble each other turn noise into changes.
const PRESUMED: f64 = 0.5;
/// Number of values to which the weight of the prior dependence is equal.
const PRESUMED_WEIGHT: f64 = 12.0;

/// Noise of the logarithms: a first-order autoregression on top of a level that takes a small random step in each cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Noise {
    /// Variance of the autoregressive part.
    pub variance: f64,
    /// Correlation of the autoregressive part from one cell to the next.
    pub rho: f64,
    /// Variance of the level's step from one cell to the next.
    pub wander: f64,
}

/// Lag, variance and number of differences, by [`LAGS`], as far as there are enough; robust against one difference in four
/// that contains a change.
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

/// Noise whose neighbours differ with the variance `first`, a share `wander` of it due to the wandering level.
fn of(first: f64, rho: f64, wander: f64) -> Noise {
    Noise { variance: 0.5 * first * (1.0 - wander) / (1.0 - rho), rho, wander: first * wander }
}

impl Noise {
    /// This noise with the least wandering: every spread at long lags may come from changes.
    pub fn still(self) -> Noise {
        of(self.first(), self.rho, WANDER_MIN)
    }

    /// Variance of the difference of neighbours.
    pub fn first(&self) -> f64 {
        2.0 * self.variance * (1.0 - self.rho) + self.wander
    }
}

/// Variance of the differences of neighbours in the noisier segments: if some are calmer than others, the noise is that
/// of all except the noisiest quarter.
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
    /// Raises the variance of neighbours' differences to at least `first`, and those at longer lags by the same factor.
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

    /// Misfit of the spreads to noise with these two parameters, given the variance of neighbours' differences. Longer
    /// lags have fewer independent differences and weigh less.
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
