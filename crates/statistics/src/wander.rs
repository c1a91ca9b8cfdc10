//! Levels of series that may wander: the precision of a mean if the series itself moves as slowly as it was watched.
//!
//! A series of independent values and one that wanders cannot be distinguished by a test followed by an interval: if
//! the test detects nothing, the interval is too narrow. So both explanations are kept, each weighted by its
//! likelihood: white noise alone, and white noise on top of a level that wanders by one to eight times the noise (an
//! Ornstein–Uhlenbeck process with a time constant of four times the length of the series). The level's distribution is
//! the mixture of the t distributions under these explanations. Weights are restricted likelihoods (Patterson,
//! Thompson: Biometrika 58(3), 1971), in which the levels cancel out; a Kalman filter computes them in one pass
//! (Harvey: "Forecasting, structural time series models", 1989, 3.4).

use crate::distribution::t_cdf;
use crate::usable;

/// Prior probability that nothing wanders. Chosen by simulation together with `ALONE`: of twins that wander by
/// 2.5 times their noise, as slowly as ten blocks of five series last, fewer than one in twenty are reported as
/// different, and a shift of 2.5 times the noise is found in nine out of ten (the truth tests of `session`).
const STEADY: f64 = 0.8;
/// Prior probability that nothing wanders, for fewer than `FEW` series. One or two short series cannot have both few
/// false reports and power: this value keeps the power, and one in four of such twins is reported as different.
const STEADY_OF_FEW: f64 = 0.9;
/// Number of series from which `STEADY` applies.
const FEW: usize = 3;
/// Share of a swing's prior for one series wandering alone instead of all together.
const ALONE: f64 = 0.2;
/// Standard deviations of the wandering level, in standard deviations of the noise.
const SWINGS: [f64; 4] = [1.0, 2.0, 4.0, 8.0];
/// Least swing of a series that wanders alone: a smaller one could not be distinguished from noise.
const SWING_ALONE: f64 = 8.0;
/// Time constant of the wandering level, in lengths of the series.
const FORGETS: f64 = 4.0;

/// The distribution of a level: a mixture of t distributions.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    parts: Vec<Part>,
}

/// The distribution of the level under one explanation of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    weight: f64,
    mean: f64,
    error: f64,
    df: f64,
    wanders: bool,
}

/// Estimates the levels of series that were recorded side by side, value by value, and may wander together or alone.
/// Each estimate uses the information in all series. Returns `None` unless all have the same length of at least three,
/// are finite, and have noise.
#[must_use]
pub fn levels(series: &[Vec<f64>]) -> Option<Vec<Level>> {
    let length = series.first()?.len();
    let scales = scales(series)?;
    if length < 3 || series.iter().any(|one| one.len() != length || !usable(one)) {
        return None;
    }
    let scaled: Vec<Vec<f64>> = series
        .iter()
        .zip(&scales)
        .map(|(one, scale)| one.iter().map(|value| value / scale).collect())
        .collect();
    let steady = fit(&scaled, Wander { of: None, swing: 0.0 });
    let together: Vec<WanderFit> =
        SWINGS.iter().map(|swing| fit(&scaled, Wander { of: None, swing: *swing })).collect();
    let level = |(at, scale): (usize, &f64)| {
        let alone = (series.len() > 1).then(|| fit(&scaled, Wander { of: Some(at), swing: SWING_ALONE }));
        mixture(&steady, &together, alone.as_ref()).of(at, *scale)
    };
    Some(scales.iter().enumerate().map(level).collect())
}

/// Size of the noise of each series: the geometric mean of its own noise and that of all, because few values show it
/// badly. From successive differences (von Neumann 1941), which a slow level hardly moves. `None` if a series has no
/// noise.
fn scales(series: &[Vec<f64>]) -> Option<Vec<f64>> {
    let square = |one: &Vec<f64>| {
        let steps: f64 = one.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum();
        steps / 2.0 / (one.len() as f64 - 1.0)
    };
    let own: Vec<f64> = series.iter().map(square).collect();
    let mean = own.iter().sum::<f64>() / own.len() as f64;
    let noisy = own.iter().all(|square| square.is_finite() && *square > 0.0);
    noisy.then(|| own.iter().map(|square| (square * mean).powf(0.25)).collect())
}

/// Which series wanders, and by how much.
#[derive(Clone, Copy)]
struct Wander {
    /// The only series that wanders; `None`: all together.
    of: Option<usize>,
    /// Standard deviation of the wandering, in standard deviations of the noise.
    swing: f64,
}

/// An explanation of all series.
struct WanderFit {
    /// Restricted log likelihood, up to a constant that is the same for every explanation.
    log_likelihood: f64,
    /// Mean and standard error of each level.
    levels: Vec<(f64, f64)>,
    df: f64,
    wanders: bool,
}

/// Sums of squares and products of the filter's prediction errors, over the columns: one for the level of each series, the
/// last for the values.
struct Sums {
    products: Vec<Vec<f64>>,
    log_variances: f64,
}

fn fit(series: &[Vec<f64>], wander: Wander) -> WanderFit {
    let (count, length) = (series.len(), series[0].len());
    let Sums { products, log_variances } = filter(series, wander);
    let (inverse, log_determinant) = inverted(&products, count);
    let of = |row: usize| (0..count).map(|at| inverse[row][at] * products[at][count]).sum::<f64>();
    let means: Vec<f64> = (0..count).map(of).collect();
    let explained: f64 = means.iter().enumerate().map(|(at, mean)| mean * products[at][count]).sum();
    let df = (count * (length - 1)) as f64;
    let left = (products[count][count] - explained).max(f64::MIN_POSITIVE);
    let error = |row: usize| (left / df * inverse[row][row]).sqrt();
    WanderFit {
        log_likelihood: -0.5 * (log_variances + log_determinant + df * left.ln()),
        levels: means.iter().enumerate().map(|(row, mean)| (*mean, error(row))).collect(),
        df,
        wanders: wander.swing > 0.0,
    }
}

/// Runs the filter over the series, place by place, for all columns at once.
fn filter(series: &[Vec<f64>], wander: Wander) -> Sums {
    let (count, length) = (series.len(), series[0].len());
    let most = wander.swing * wander.swing;
    let keeps = (-1.0 / (FORGETS * length as f64)).exp();
    let mut foreseen = vec![0.0; count + 1];
    let mut variance = most;
    let mut sums = Sums { products: vec![vec![0.0; count + 1]; count + 1], log_variances: 0.0 };
    for place in 0..length {
        for (at, one) in series.iter().enumerate() {
            let moved = f64::from(u8::from(wander.of.is_none_or(|only| only == at)));
            let spread = 1.0 + moved * variance;
            let column = |column: usize| match column {
                last if last == count => one[place],
                own => f64::from(u8::from(own == at)),
            };
            let missed: Vec<f64> = (0..=count).map(|to| column(to) - moved * foreseen[to]).collect();
            sums.add(&missed, spread);
            let gain = moved * variance / spread;
            foreseen.iter_mut().zip(&missed).for_each(|(state, missed)| *state += gain * missed);
            variance *= 1.0 - moved * gain;
        }
        foreseen.iter_mut().for_each(|state| *state *= keeps);
        variance = keeps * keeps * variance + (1.0 - keeps * keeps) * most;
    }
    sums
}

impl Sums {
    fn add(&mut self, missed: &[f64], spread: f64) {
        self.log_variances += spread.ln();
        for (row, a) in self.products.iter_mut().zip(missed) {
            row.iter_mut().zip(missed).for_each(|(sum, b)| *sum += a * b / spread);
        }
    }
}

/// Inverse of the first `count` rows and columns of a positive definite matrix by elimination, and the logarithm of its
/// determinant.
fn inverted(matrix: &[Vec<f64>], count: usize) -> (Vec<Vec<f64>>, f64) {
    let mut left: Vec<Vec<f64>> = matrix[..count].iter().map(|row| row[..count].to_vec()).collect();
    let unit = |row: usize| (0..count).map(|at| f64::from(u8::from(at == row))).collect();
    let mut right: Vec<Vec<f64>> = (0..count).map(unit).collect();
    let mut log_determinant = 0.0;
    for pivot in 0..count {
        let value = left[pivot][pivot];
        log_determinant += value.ln();
        for rows in [&mut left, &mut right] {
            rows[pivot].iter_mut().for_each(|cell| *cell /= value);
        }
        let (own_left, own_right) = (left[pivot].clone(), right[pivot].clone());
        for row in (0..count).filter(|row| *row != pivot) {
            let times = left[row][pivot];
            left[row].iter_mut().zip(&own_left).for_each(|(cell, own)| *cell -= times * own);
            right[row].iter_mut().zip(&own_right).for_each(|(cell, own)| *cell -= times * own);
        }
    }
    (right, log_determinant)
}

/// Explanations with their prior probabilities.
struct Mixture<'f> {
    parts: Vec<(f64, &'f WanderFit)>,
}

fn mixture<'f>(
    steady: &'f WanderFit,
    together: &'f [WanderFit],
    alone: Option<&'f WanderFit>,
) -> Mixture<'f> {
    let believed = if steady.levels.len() < FEW { STEADY_OF_FEW } else { STEADY };
    let share = (1.0 - believed) / together.len() as f64;
    let of_all = if alone.is_some() { share * (1.0 - ALONE) } else { share };
    let mut parts = vec![(believed, steady)];
    parts.extend(together.iter().map(|fit| (of_all, fit)));
    parts.extend(alone.map(|fit| (share * ALONE, fit)));
    Mixture { parts }
}

impl Mixture<'_> {
    /// The level of series `at`, which was divided by `scale`, under all explanations together.
    fn of(&self, at: usize, scale: f64) -> Level {
        let logs: Vec<f64> =
            self.parts.iter().map(|(before, fit)| before.ln() + fit.log_likelihood).collect();
        let most = logs.iter().copied().fold(f64::MIN, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let all: f64 = weights.iter().sum();
        let part = |((_, fit), weight): (&(f64, &WanderFit), &f64)| {
            let (mean, error) = fit.levels[at];
            let (weight, df, wanders) = (weight / all, fit.df, fit.wanders);
            Part { weight, mean: mean * scale, error: error * scale, df, wanders }
        };
        Level { parts: self.parts.iter().zip(&weights).map(part).collect() }
    }
}

impl Level {
    /// Two-sided p-value of a level of zero, 0 to 1.
    #[must_use]
    pub fn p(&self) -> f64 {
        self.parts
            .iter()
            .map(|part| part.weight * 2.0 * t_cdf(-(part.mean / part.error).abs(), part.df))
            .sum()
    }

    /// Probability that the series wanders, 0 to 1.
    #[must_use]
    pub fn wanders(&self) -> f64 {
        self.parts.iter().filter(|part| part.wanders).map(|part| part.weight).sum()
    }

    /// Standard error of the level if nothing wanders.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.parts.iter().find(|part| !part.wanders).map_or(0.0, |part| part.error)
    }

    /// The value below which the level lies with probability `share`, above 0 and below 1.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        let below = |x: f64| -> f64 {
            self.parts.iter().map(|part| part.weight * t_cdf((x - part.mean) / part.error, part.df)).sum()
        };
        let ends = |sign: f64| self.parts.iter().map(move |part| part.mean + sign * FURTHEST * part.error);
        let (mut low, mut high) = (ends(-1.0).fold(f64::MAX, f64::min), ends(1.0).fold(f64::MIN, f64::max));
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(low, high);
            if below(middle) < share { low = middle } else { high = middle }
        }
        f64::midpoint(low, high)
    }

    /// Returns the interval that holds the level with probability `level`.
    #[must_use]
    pub fn within(&self, level: f64) -> (f64, f64) {
        (self.quantile((1.0 - level) / 2.0), self.quantile(f64::midpoint(1.0, level)))
    }
}

/// Standard errors within which quantiles are searched for.
const FURTHEST: f64 = 500.0;
/// Bisections of the range of a quantile: to 1e-7 of an error.
const BISECTIONS: usize = 34;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Draws series around zero, with a common level that wanders by `swing` with a time constant of `over` values.
    fn draw(
        stream: &mut Stream,
        (count, length): (usize, usize),
        (swing, over): (f64, f64),
    ) -> Vec<Vec<f64>> {
        let keeps = (-1.0 / over).exp();
        let mut level = swing * stream.normal();
        let mut series = vec![Vec::new(); count];
        for _ in 0..length {
            series.iter_mut().for_each(|one| one.push(level + stream.normal()));
            level = keeps * level + (1.0 - keeps * keeps).sqrt() * swing * stream.normal();
        }
        series
    }

    /// Number of draws, out of `of`, whose 95 % interval of the first series excludes zero.
    fn alarms(of: usize, shape: (usize, usize), wander: (f64, f64)) -> usize {
        let mut stream = Stream::new(5, shape.0 as u64);
        let alarm = |_: &usize| {
            let level = levels(&draw(&mut stream, shape, wander)).unwrap().swap_remove(0);
            let (low, high) = level.within(0.95);
            assert!(low <= level.quantile(0.5) && level.quantile(0.5) <= high, "{level:?}");
            low > 0.0 || high < 0.0
        };
        (0..of).filter(alarm).count()
    }

    #[test]
    fn a_level_that_wanders_as_long_as_it_is_watched_is_seldom_taken_for_a_shift() {
        // A t interval for independent values is wrong in six out of ten.
        assert!(alarms(500, (5, 10), (2.5, 10.0)) <= 35);
        assert!(alarms(500, (1, 10), (2.5, 10.0)) <= 150);
        // Fast wandering, and none.
        assert!(alarms(500, (5, 10), (2.5, 2.0)) <= 25);
        assert!(alarms(500, (5, 10), (0.0, 10.0)) <= 25);
    }

    #[test]
    fn a_shift_of_steady_series_is_found() {
        let mut stream = Stream::new(6, 0);
        let found = (0..300)
            .filter(|_| {
                let mut series = draw(&mut stream, (5, 10), (0.0, 1.0));
                series.iter_mut().flatten().for_each(|value| *value += 5.0 / (2.0 * 2.0_f64.sqrt()));
                levels(&series).unwrap().iter().all(|level| level.p() <= 0.05)
            })
            .count();
        assert!(found >= 255, "{found} of 300");
    }

    #[test]
    fn one_series_that_wanders_alone_is_held_back_and_leaves_the_others() {
        let mut stream = Stream::new(7, 0);
        let (mut alone, mut beside) = (0, 0);
        for _ in 0..300 {
            let mut series = draw(&mut stream, (4, 10), (0.0, 1.0));
            series.extend(draw(&mut stream, (1, 10), (12.0, 10.0)));
            let found = levels(&series).unwrap();
            alone += usize::from(found[4].p() <= 0.05);
            beside += usize::from(found[0].wanders() > 0.5);
        }
        assert!(alone <= 45 && beside <= 60, "{alone} {beside}");
    }

    #[test]
    fn what_has_no_noise_or_no_length_has_no_answer() {
        assert_eq!(levels(&[]), None);
        assert_eq!(levels(&[vec![1.0, 1.0, 1.0]]), None);
        assert_eq!(levels(&[vec![1.0, 2.0]]), None);
        assert_eq!(levels(&[vec![1.0, 2.0, 1.0], vec![1.0, 2.0]]), None);
        assert_eq!(levels(&[vec![1.0, f64::NAN, 1.0]]), None);
    }

    #[test]
    fn a_larger_scale_changes_the_scale_alone() {
        let series = draw(&mut Stream::new(8, 0), (2, 12), (0.0, 1.0));
        let larger: Vec<Vec<f64>> =
            series.iter().map(|one| one.iter().map(|value| value * 1000.0).collect()).collect();
        let (small, large) = (levels(&series).unwrap(), levels(&larger).unwrap());
        assert!((small[1].p() - large[1].p()).abs() < 1e-9);
        assert!((small[1].within(0.9).1 * 1000.0 / large[1].within(0.9).1 - 1.0).abs() < 1e-5);
    }
}
