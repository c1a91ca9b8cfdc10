//! Which of several runs or volumes is the odd one: each figure against the median of all, by the spread of the others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statistics::distribution::t_cdf;
use statistics::paired::false_discovery;
use statistics::quantile::median;

use crate::estimate::Estimate;
use crate::significance::{ALPHA, DIFFERENT, Z95};

/// Fewest sides of which one can be odd.
const SIDES_MIN: usize = 3;
/// One side in this many may be odd: the spread is that of the others, nearest to the median, so that two odd ones do
/// not hide each other (method 11).
const ODD_IN: usize = 3;
/// Factor by which a figure must lie farther from the median than any other for the others to seem alike (chosen by us).
const ALONE: f64 = 2.0;
/// Standard deviation of the two thirds of normal values nearest to their middle, as a share of that of all.
const CORE: f64 = 0.525;

/// One figure of one of several sides, against the median of all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deviation {
    /// Index of the side.
    pub side: usize,
    /// Index of the row among the limits, or among the rows if no side has limits.
    pub row: usize,
    /// The median of all sides.
    pub median: f64,
    /// Distance from the median, as a share of it.
    pub share: f64,
    /// False discovery rate at which this figure is accepted as odd among all figures of all sides (Benjamini, Hochberg
    /// 1995).
    pub false_discovery: f64,
    /// Whether the figure is odd.
    pub odd: bool,
}

/// Returns the deviations of every figure of `rows`, each a figure for every side; none of rows with fewer than three. An
/// estimate without an interval is one whose ends equal its value.
pub(crate) fn deviations(rows: &[Vec<Option<Estimate>>]) -> Vec<Deviation> {
    let mut found: Vec<Deviation> =
        rows.iter().enumerate().flat_map(|(number, row)| of_row(row, number)).collect();
    let p: Vec<f64> = found.iter().map(|deviation| deviation.false_discovery).collect();
    for (deviation, share) in found.iter_mut().zip(false_discovery(&p)) {
        deviation.false_discovery = share;
        deviation.odd = share <= ALPHA && deviation.share.abs() > DIFFERENT;
    }
    found
}

/// Returns the deviations of one figure, each with its probability by chance alone.
fn of_row(row: &[Option<Estimate>], number: usize) -> Vec<Deviation> {
    let values: Vec<f64> = row.iter().flatten().map(|figure| figure.value).collect();
    let Some(middle) = median(&values).filter(|_| values.len() >= SIDES_MIN) else { return Vec::new() };
    let off = |figure: &Estimate| (figure.value / middle).ln();
    let mut core: Vec<&Estimate> = row.iter().flatten().collect();
    core.sort_by(|a, b| off(a).abs().total_cmp(&off(b).abs()));
    core.truncate(values.len() - (values.len() / ODD_IN).max(1));
    let count = core.len() as f64;
    let mean = core.iter().map(|figure| off(figure)).sum::<f64>() / count;
    let squares = |of: &dyn Fn(&Estimate) -> f64| core.iter().map(|figure| of(figure).powi(2)).sum::<f64>();
    let spread = squares(&|figure| off(figure) - mean) / (count - 1.0) / CORE.powi(2);
    // The spread contains the error that the others' figures have themselves.
    let (variance, known) = (spread * (1.0 + 1.0 / count), squares(&error) / count);
    let deviation = |(side, figure): (usize, &Option<Estimate>)| {
        let figure = figure.as_ref()?;
        let error = (variance + (error(figure).powi(2) - known).max(0.0)).sqrt();
        let chance = match (error > 0.0, off(figure) == 0.0) {
            (true, _) => 2.0 * t_cdf(-off(figure).abs() / error, count - 1.0),
            (false, alike) => f64::from(u8::from(alike)),
        };
        let share = figure.value / middle - 1.0;
        Some(Deviation { side, row: number, median: middle, share, false_discovery: chance, odd: false })
    };
    row.iter().enumerate().filter_map(deviation).collect()
}

/// Returns the deviation farthest from its median, and the distance of the farthest of the other sides in its row.
pub fn farthest(deviations: &[Deviation]) -> Option<(Deviation, f64)> {
    let far = |a: &&Deviation, b: &&Deviation| a.share.abs().total_cmp(&b.share.abs());
    let of = deviations.iter().max_by(far)?;
    let others = deviations.iter().filter(|other| other.row == of.row && other.side != of.side);
    Some((*of, others.map(|other| other.share.abs()).fold(0.0, f64::max)))
}

impl Deviation {
    /// Whether the others lie so near to the median, `others` at most, that only their small number keeps it from being odd.
    pub fn is_alone(&self, others: f64) -> bool {
        self.share.abs() > DIFFERENT && self.share.abs() > ALONE * others
    }
}

/// Returns the standard error that a figure's own interval gives its logarithm; 0 without one.
fn error(figure: &Estimate) -> f64 {
    if figure.high > figure.low { (figure.high / figure.low).ln() / 2.0 / Z95 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads of twenty machines, one 4.7 % below the median; each run's own interval is 2.5 % wide on both sides, which is
    /// more than the machines differ.
    #[test]
    fn the_spread_of_the_others_contains_their_own_errors_which_do_not_count_twice() {
        let all = [
            2293.0, 2285.0, 2301.0, 2279.0, 2310.0, 2296.0, 2273.0, 2288.0, 2305.0, 2293.0, 2293.0, 2318.0,
            2269.0, 2314.0, 2280.0, 2303.0, 2256.0, 2186.0, 2298.0, 2291.0,
        ];
        let known = |share: f64| all.map(|value| Some(Estimate::around(value, share * value))).to_vec();
        let odd = |share| {
            let found = deviations(&[known(share)]);
            found.into_iter().filter(|of| of.odd).map(|of| of.side).collect::<Vec<_>>()
        };
        assert_eq!([0.0, 0.025].map(odd), [[17], [17]]);
        // One that is itself known no better is not odd.
        let mut vague = known(0.025);
        vague[17] = Some(Estimate::around(2186.0, 200.0));
        assert!(deviations(&[vague]).iter().all(|of| !of.odd));
        let (far, others) = farthest(&deviations(&[known(0.0)])).unwrap_or_else(|| panic!());
        assert_eq!((far.side, (others * 1e3).round()), (17, 16.0));
        assert!(far.is_alone(others) && !far.is_alone(0.03));
    }
}
