//! The steady state as defined by the SNIA's performance test specification, reported beside plimsoll's own.

use record::StepRecord;
use serde::{Deserialize, Serialize};

use crate::regimes::Regimes;
use crate::timeline::spells::{Spell, spells};

/// Number of windows that are compared (SNIA Solid State Storage Performance Test Specification 2.0.2).
const WINDOWS: usize = 5;
/// Greatest difference of the highest and the lowest window, as a share of the mean.
const RANGE: f64 = 0.2;
/// Greatest rise or fall of a fitted line from the first window to the last, as a share of the mean.
const SLOPE: f64 = 0.1;
/// Fewest intervals of a window.
const INTERVALS: usize = 2;

/// Five windows of one load since the last change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FiveWindows {
    /// Operations per second in each window.
    pub means: [f64; WINDOWS],
    /// Seconds of all windows together.
    pub seconds: f64,
    /// Greatest minus least, as a share of the mean.
    pub range: f64,
    /// Rise of the fitted line from the first to the last window, as a share of the mean; signed.
    pub slope: f64,
    /// Whether the range is at most 20 % and the slope at most 10 %.
    pub steady: bool,
}

/// Returns the windows of the load that ran longest since the last change, at its depth.
pub(crate) fn windows(steps: &[StepRecord], regimes: &Regimes) -> Option<FiveWindows> {
    let from = regimes.changes.last().map_or(0.0, |change| change.at.1.as_secs_f64());
    let spells = spells(steps);
    let alike = |one: &Spell, other: &Spell| one.shape == other.shape && one.depth == other.depth;
    let of = |one: &Spell| -> Vec<(f64, f64)> {
        let samples = spells.iter().filter(|other| alike(one, other)).flat_map(|spell| &spell.samples);
        samples
            .filter(|sample| sample.from >= from)
            .map(|sample| (sample.value, sample.to - sample.from))
            .collect()
    };
    let longest = spells.iter().map(of).max_by_key(Vec::len)?;
    five(&longest)
}

/// Returns the windows of rates and their lengths.
fn five(rates: &[(f64, f64)]) -> Option<FiveWindows> {
    let each = rates.len() / WINDOWS;
    if each < INTERVALS {
        return None;
    }
    let used = &rates[rates.len() - WINDOWS * each..];
    let mean = |window: &[(f64, f64)]| {
        let seconds: f64 = window.iter().map(|rate| rate.1).sum();
        window.iter().map(|rate| rate.0 * rate.1).sum::<f64>() / seconds
    };
    let means: [f64; WINDOWS] = std::array::from_fn(|at| mean(&used[at * each..(at + 1) * each]));
    let middle = means.iter().sum::<f64>() / WINDOWS as f64;
    let ends =
        means.iter().fold([f64::INFINITY, 0.0_f64], |[low, high], mean| [low.min(*mean), high.max(*mean)]);
    // Least squares over -2, -1, 0, 1, 2, the squares of which add up to ten; the line spans four steps.
    let slope: f64 =
        means.iter().zip([-2.0, -1.0, 0.0, 1.0, 2.0]).map(|(mean, at)| mean * at).sum::<f64>() * 0.4;
    let (range, slope) = ((ends[1] - ends[0]) / middle, slope / middle);
    let seconds = used.iter().map(|rate| rate.1).sum();
    (middle > 0.0).then_some(FiveWindows {
        means,
        seconds,
        range,
        slope,
        steady: range <= RANGE && slope.abs() <= SLOPE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_steady_and_a_slope_is_not() {
        let flat: Vec<(f64, f64)> = (0..14).map(|at| (1000.0 + f64::from(at % 2), 0.5)).collect();
        let found = five(&flat).unwrap();
        assert!(found.steady && found.seconds == 5.0, "{found:?}");
        let rising: Vec<(f64, f64)> = (0..10).map(|at| (1000.0 + 20.0 * f64::from(at), 0.5)).collect();
        let found = five(&rising).unwrap();
        assert!(
            !found.steady && found.range < RANGE && (found.slope - 160.0 / 1090.0).abs() < 1e-9,
            "{found:?}"
        );
        assert_eq!(five(&rising[..9]), None);
    }
}
