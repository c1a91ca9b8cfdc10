//! A side that strays of its own, more slowly than the blocks come: neighbouring blocks then tell the same twice, and
//! intervals that take them for independent are too sure.

use statistics::distribution::{t_cdf, t_quantile};
use statistics::paired::spread;

use super::Row;
use super::pairs::Pairs;
use super::ratio::Ratio;

/// From here on at the latest so few blocks count that only differences far beyond all noise are believed: the widening holds
/// the alarms below it, above it the resemblance itself is known too badly (measured on wandering twins, the truth tests).
const SLOW: f64 = 0.4;
/// What resembles by chance stays below so many of its standard deviations, each 1/√(blocks × loads).
const BY_CHANCE: f64 = 2.0;
/// Of no resemblance is taken to be greater: nothing would be left.
const MOST: f64 = 0.95;

/// How much neighbouring blocks resemble each other, 0 to 1: the mean over the rates of all loads of the lag-1 correlation, which
/// a short series makes too small by (1 + 3r)/n (Kendall 1954). Loads of their own noise make the mean good; what wanders is in all of
/// them. 0 where the rows come from several comparisons.
pub(super) fn resembling(rows: &[Row]) -> Resembling {
    let rates = rows.iter().filter(|row| !row.measure.is_latency());
    let series: Vec<Vec<f64>> = rates.flat_map(differences).collect();
    let each: Vec<f64> = series.iter().filter_map(|logs| lag_one(logs)).collect();
    if each.is_empty() {
        return Resembling::default();
    }
    let share = (each.iter().sum::<f64>() / each.len() as f64).clamp(0.0, MOST);
    let seen = series.iter().map(Vec::len).sum::<usize>() as f64;
    Resembling { share, slow: share >= SLOW.min(BY_CHANCE / seen.sqrt()) }
}

/// How much neighbouring blocks resemble each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Resembling {
    /// 0 to 1.
    share: f64,
    /// More than chance explains.
    slow: bool,
}

/// The logarithms of the ratios of each side to the first, block by block; of several comparisons none.
fn differences(row: &Row) -> Vec<Vec<f64>> {
    let Some(first) = row.figures.first().and_then(Option::as_ref) else { return Vec::new() };
    let of_one = |ratio: &Ratio| ratio.pairs.is_some_and(|pairs| pairs.comparisons == 1);
    let others = row.figures.iter().zip(&row.ratios).filter(|(_, ratio)| ratio.as_ref().is_some_and(of_one));
    let logs = others.filter_map(|(figure, _)| {
        let runs = &figure.as_ref()?.runs;
        Some(runs.iter().zip(&first.runs).map(|(b, a)| (b / a).ln()).collect())
    });
    logs.collect()
}

fn lag_one(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    let r = products / squares;
    (values.len() > 2 && squares > 0.0).then(|| r + (1.0 + 3.0 * r) / n)
}

/// Widens what a row says by what its blocks resemble each other: fewer count, n(1 − r)/(1 + r) of them.
pub(super) fn widen(row: &mut Row, Resembling { share, slow }: Resembling, alpha: f64) {
    let logs = differences(row);
    let ratios = row.ratios.iter_mut().flatten().filter(|ratio| ratio.pairs.is_some());
    for (ratio, logs) in ratios.zip(logs) {
        let (Some(pairs), Some(spread)) = (&mut ratio.pairs, spread(&logs)) else { continue };
        (pairs.resembling, pairs.strays_slowly) = (share, slow);
        if share <= 0.0 || spread <= 0.0 {
            continue;
        }
        let count = logs.len() as f64 * (1.0 - share) / (1.0 + share);
        let df = if slow { 1.0 } else { (count - 1.0).max(1.0) };
        let fewer = Fewer { middle: ratio.value.ln(), error: spread / count.sqrt(), df };
        ratio.interval = ratio.interval.map(|interval| fewer.around(interval, alpha));
        fewer.weaken(pairs, alpha, (logs.len() as f64 / count).sqrt());
    }
}

/// A typical difference that fewer blocks speak for.
struct Fewer {
    middle: f64,
    error: f64,
    df: f64,
}

impl Fewer {
    /// The interval and what the t interval at this error adds to it.
    fn around(&self, (low, high): (f64, f64), alpha: f64) -> (f64, f64) {
        let half = t_quantile(1.0 - alpha / 2.0, self.df) * self.error;
        (low.min((self.middle - half).exp()), high.max((self.middle + half).exp()))
    }

    fn weaken(&self, pairs: &mut Pairs, alpha: f64, times: f64) {
        let p = 2.0 * t_cdf(-(self.middle / self.error).abs(), self.df);
        // `alpha` is the part of 5 % that a look has.
        pairs.p = pairs.p.max((p * 0.05 / alpha).min(1.0));
        pairs.equivalence = pairs.equivalence.map(|interval| self.around(interval, 2.0 * alpha));
        pairs.detectable = pairs.detectable.map(|share| (share.ln_1p() * times).exp_m1());
    }
}
