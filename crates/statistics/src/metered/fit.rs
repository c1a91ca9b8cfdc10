//! The likelihood of counts with errors at the edges of their intervals and errors of the intervals themselves.
//!
//! A count is the mean, plus the error at its end, minus the error at its start (variance `a` each), plus an error of
//! the interval (variance `b` times its seconds): over a window of length T the variance is `2a + bT`. A meter has
//! b = 0. The rate of a level is unknown and costs a degree of freedom (restricted likelihood; Patterson and Thompson:
//! Biometrika 58, 1971).

use super::Count;

/// Least variance of an edge: counts are whole, so an edge cuts an item at a random place (uniform: 1/12).
const EDGE_MIN: f64 = 1.0 / 12.0;
/// Greatest fall of the log likelihood below its maximum within the interval: half the 95 % point of a chi-square with
/// one degree of freedom, and a little more for series as short as these (the tests print errors by family).
const FALLS_SHORT: f64 = 2.2;
/// Exponents of the ratios b/a tried besides zero, in units of one over the shortest interval: 2^-7 to 2^14 in steps of √2.
const RATIOS: (i32, i32) = (-14, 28);
/// Number of ratios tried, with zero.
const TRIED: usize = (RATIOS.1 - RATIOS.0 + 2) as usize;
/// Pivots whose product is taken before its logarithm: each is below 2^15, and the product of so many a number.
const PIVOTS: usize = 32;

/// A figure for each ratio.
type Lanes = [f64; TRIED];

/// A stretch of counts without a gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<'w> {
    /// Seconds per interval.
    pub seconds: f64,
    /// Counts of the stretch.
    pub counts: &'w [Count],
}

/// The best fit.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeterFit {
    /// Items per second.
    pub rate: f64,
    /// Variance of an edge's error.
    edge: f64,
    /// Likeliest ratio b/a per second.
    pub drift: f64,
    /// Lower end of the interval of `drift`.
    pub drift_low: f64,
    /// Upper end of the interval of `drift`.
    pub drift_high: f64,
    /// Greatest Fano factor that the intervals' own errors may have.
    pub loose_high: f64,
}

impl MeterFit {
    /// Variance of the count in a window of `seconds` seconds.
    pub fn variance(&self, seconds: f64) -> f64 {
        self.edge * (2.0 + self.drift * seconds)
    }
}

/// The fit of a ratio to the counts.
#[derive(Clone, Copy)]
struct RatioFit {
    drift: f64,
    edge: f64,
    log_likelihood: f64,
}

/// The best fit to the stretches of all levels; `None` if nothing was counted.
pub(super) fn fit(levels: &[Vec<Stretch<'_>>]) -> Option<MeterFit> {
    let all = || levels.iter().flatten();
    let shortest = all().map(|stretch| stretch.seconds).fold(f64::INFINITY, f64::min);
    let numbers: f64 = all().flat_map(|stretch| stretch.counts).map(|count| count.number).sum();
    let seconds: f64 = all().map(|stretch| stretch.seconds * stretch.counts.len() as f64).sum();
    let ratio = |at: usize| match at.checked_sub(1) {
        None => 0.0,
        Some(half) => (0.5 * f64::from(RATIOS.0 + half as i32)).exp2() / shortest,
    };
    let tried = explain(levels, &std::array::from_fn(ratio));
    let best = *tried.iter().max_by(|a, b| a.log_likelihood.total_cmp(&b.log_likelihood))?;
    let likely = || tried.iter().filter(|one| one.log_likelihood >= best.log_likelihood - FALLS_SHORT);
    let (low, high) = (likely().next()?, likely().next_back()?);
    let rate = numbers / seconds;
    let loose = |one: &RatioFit| one.edge * one.drift / rate;
    (numbers > 0.0).then(|| MeterFit {
        rate,
        loose_high: likely().map(loose).fold(0.0, f64::max),
        edge: best.edge,
        drift: best.drift,
        drift_low: low.drift,
        drift_high: high.drift,
    })
}

/// Restricted likelihood at each ratio, with the edge variance that maximizes it; nothing if no level has two counts.
fn explain(levels: &[Vec<Stretch<'_>>], drifts: &Lanes) -> Vec<RatioFit> {
    let mut freedom = 0.0;
    let (mut squares, mut determinants) = ([0.0; TRIED], [0.0; TRIED]);
    for level in levels {
        let mut sums = Sums::default();
        level.iter().for_each(|stretch| sums.add(stretch, drifts));
        if sums.counts < 2.0 {
            continue;
        }
        freedom += sums.counts - 1.0;
        for lane in 0..TRIED {
            let off = sums.numbers[lane] * sums.numbers[lane] / sums.seconds[lane];
            squares[lane] += (sums.both[lane] - off).max(0.0);
            determinants[lane] += sums.determinant[lane] + sums.seconds[lane].ln();
        }
    }
    if freedom < 1.0 {
        return Vec::new();
    }
    let fit = |lane: usize| {
        let edge = (squares[lane] / freedom).max(EDGE_MIN);
        let log_likelihood = -0.5 * (freedom * edge.ln() + determinants[lane] + squares[lane] / edge);
        RatioFit { drift: drifts[lane], edge, log_likelihood }
    };
    (0..TRIED).map(fit).collect()
}

/// Sums over a level at each ratio, weighted by the inverse of the covariance: of the squared counts, of counts times seconds
/// (a level is one rate, so the mean of a count is that rate times its seconds), and of the squared seconds.
struct Sums {
    counts: f64,
    both: Lanes,
    numbers: Lanes,
    seconds: Lanes,
    /// Logarithm of the determinant.
    determinant: Lanes,
}

impl Default for Sums {
    fn default() -> Sums {
        let none = [0.0; TRIED];
        Sums { counts: 0.0, both: none, numbers: none, seconds: none, determinant: none }
    }
}

impl Sums {
    /// Adds a stretch. Its covariance has `2 + drift × seconds` on the diagonal and -1 beside it, so it is made
    /// diagonal count by count: each count is compared with its prediction from the previous one. All ratios are taken side
    /// by side, because each count waits for the one before it.
    fn add(&mut self, stretch: &Stretch<'_>, drifts: &Lanes) {
        let (mut carried, mut number, mut seconds) = ([0.0; TRIED], [0.0; TRIED], [0.0; TRIED]);
        for counts in stretch.counts.chunks(PIVOTS) {
            let mut pivots = [1.0; TRIED];
            for count in counts {
                for lane in 0..TRIED {
                    number[lane] = count.number + carried[lane] * number[lane];
                    seconds[lane] = stretch.seconds + carried[lane] * seconds[lane];
                    let pivot = 2.0 + drifts[lane] * stretch.seconds - carried[lane];
                    carried[lane] = 1.0 / pivot;
                    pivots[lane] *= pivot;
                    self.both[lane] += number[lane] * number[lane] * carried[lane];
                    self.numbers[lane] += number[lane] * seconds[lane] * carried[lane];
                    self.seconds[lane] += seconds[lane] * seconds[lane] * carried[lane];
                }
            }
            self.determinant.iter_mut().zip(pivots).for_each(|(sum, pivots)| *sum += pivots.ln());
        }
        self.counts += stretch.counts.len() as f64;
    }
}
