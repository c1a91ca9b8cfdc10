//! Whether counts are as even as those of a meter.

use statistics::quantile::{median, median_absolute_deviation};

use super::ticks::{Tick, Way};

/// Counts whose variance is below this share of their mean are those of a meter (methodology 3.2, R3, and stricter: those
/// of a queue of constant length on a device of even latency come near a tenth).
const FLAT: f64 = 0.05;
/// From so many counts on the median deviation tells as well, which a slice that now and then falls into the next second
/// does not disturb.
const MEDIAN_FROM: usize = 20;
/// Standard deviations in a median absolute deviation of normal values.
const DEVIATION: f64 = 1.4826;
/// Fewest counts that can be called flat: of eight random ones one in a thousand windows would be.
const FLAT_FEWEST: usize = 8;
/// One count in so many may be off: a slice of a meter falls now into one second and now into its neighbour.
const ODD_ONE_IN: usize = 15;

/// I/Os of each interval.
pub(crate) fn counts(ticks: &[Tick], way: Way) -> Vec<f64> {
    let usual = ticks.iter().map(|tick| tick.seconds).sum::<f64>() / ticks.len().max(1) as f64;
    // A reading that came late counts more: as a rate it does not.
    ticks.iter().map(|tick| way.of(tick.ops) / tick.seconds * usual).collect()
}

/// Variance over mean of counts, the odd ones left out; `None` where they are too few.
pub(crate) fn fano(counts: &[f64]) -> Option<f64> {
    if counts.len() < FLAT_FEWEST {
        return None;
    }
    let middle = median(counts)?;
    let mut kept = counts.to_vec();
    kept.sort_by(|a, b| (a - middle).abs().total_cmp(&(b - middle).abs()));
    kept.truncate(kept.len() - kept.len().div_ceil(ODD_ONE_IN));
    let mean = kept.iter().sum::<f64>() / kept.len() as f64;
    let variance = kept.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / (kept.len() - 1) as f64;
    let robust = match counts.len() >= MEDIAN_FROM {
        true => (DEVIATION * median_absolute_deviation(counts)?).powi(2),
        false => variance,
    };
    (mean > 0.0).then(|| variance.min(robust) / mean)
}

/// Whether counts are those of a meter.
pub(crate) fn flat(counts: &[f64]) -> bool {
    fano(counts).is_some_and(|fano| fano < FLAT)
}
