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
    let ratios = (RATIOS.0..=RATIOS.1).map(|half| (0.5 * f64::from(half)).exp2() / shortest);
    let tried: Vec<RatioFit> =
        std::iter::once(0.0).chain(ratios).filter_map(|drift| explain(levels, drift)).collect();
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

/// Restricted likelihood at one ratio, with the edge variance that maximizes it.
fn explain(levels: &[Vec<Stretch<'_>>], drift: f64) -> Option<RatioFit> {
    let (mut freedom, mut squares, mut determinants) = (0.0, 0.0, 0.0);
    for level in levels {
        let sums = level.iter().fold(Sums::default(), |sums, stretch| sums.with(stretch, drift));
        if sums.counts < 2.0 {
            continue;
        }
        freedom += sums.counts - 1.0;
        squares += (sums.both - sums.numbers * sums.numbers / sums.seconds).max(0.0);
        determinants += sums.determinant + sums.seconds.ln();
    }
    if freedom < 1.0 {
        return None;
    }
    let edge = (squares / freedom).max(EDGE_MIN);
    let log_likelihood = -0.5 * (freedom * edge.ln() + determinants + squares / edge);
    Some(RatioFit { drift, edge, log_likelihood })
}

/// Sums over a level, weighted by the inverse of the covariance: of the squared counts, of counts times seconds (a level is
/// one rate, so the mean of a count is that rate times its seconds), and of the squared seconds.
#[derive(Clone, Copy, Default)]
struct Sums {
    counts: f64,
    both: f64,
    numbers: f64,
    seconds: f64,
    /// Logarithm of the determinant.
    determinant: f64,
}

impl Sums {
    /// Adds a stretch. Its covariance has `2 + drift × seconds` on the diagonal and -1 beside it, so it is made
    /// diagonal count by count: each count is compared with its prediction from the previous one.
    fn with(mut self, stretch: &Stretch<'_>, drift: f64) -> Sums {
        let diagonal = 2.0 + drift * stretch.seconds;
        let (mut pivot, mut number, mut seconds) = (f64::INFINITY, 0.0, 0.0);
        for count in stretch.counts {
            let carried = 1.0 / pivot;
            (number, seconds) = (count.number + carried * number, stretch.seconds + carried * seconds);
            pivot = diagonal - carried;
            self.counts += 1.0;
            self.both += number * number / pivot;
            self.numbers += number * seconds / pivot;
            self.seconds += seconds * seconds / pivot;
            self.determinant += pivot.ln();
        }
        self
    }
}
