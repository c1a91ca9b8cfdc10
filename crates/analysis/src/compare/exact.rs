//! Rates at which many counts of a side's turns agree exactly. Beside a busy machine the spread of the turns shows only
//! the waits; the counts between the waits show the limit, and two limits can be compared by these.

use statistics::distribution::{normal_cdf, normal_quantile};
use statistics::metered::{ExactRate, Window, exact_rate};

use super::items::Item;
use super::ratio::{Basis, Known, Pairs, Ratio, between};
use super::row::Measure;
use crate::significance::{ALPHA, Z95};

/// Returns the exact rate of the turns in `items`, in the unit of `measure`, if it held from the first to the last.
pub(super) fn exact(items: &[Item], measure: Measure) -> Option<Known> {
    let unit = if measure == Measure::BytesPerSecond { items.first()?.block() as f64 } else { 1.0 };
    let windows: Option<Vec<Window>> = items.iter().map(|item| item.counts.clone()).collect();
    let ExactRate { rate, low, high, throughout } = exact_rate(&windows?)?;
    throughout.then_some((rate * unit, (low * unit, high * unit)))
}

/// Returns `ratio` as two exact rates decide it, evaluated `looks` times, unless its blocks know it better.
pub(super) fn decided(ratio: Ratio, (first, other): (Known, Known), looks: f64) -> Ratio {
    let Some(pairs) = ratio.pairs else { return ratio };
    let value = other.0 / first.0;
    let (low, high) = between(first, other);
    let error = (high / low).ln() / 2.0 / Z95;
    let at = |level: f64| {
        let half = normal_quantile(f64::midpoint(level, 1.0)) * error;
        (value * (-half).exp(), value * half.exp())
    };
    let alpha = ALPHA / looks;
    let interval = at(1.0 - alpha);
    let width = |(low, high): (f64, f64)| (high / low).ln();
    // Without waits the turns of two limits agree more closely than the error of an exact rate allows.
    if ratio.interval.is_some_and(|by_blocks| width(by_blocks) < width(interval)) {
        return ratio;
    }
    let p = (2.0 * normal_cdf(-value.ln().abs() / error) * looks).min(1.0);
    let pairs = Pairs { p, equivalence: Some(at(1.0 - 2.0 * alpha)), detectable: None, ..pairs };
    Ratio { value, interval: Some(interval), basis: Basis::ExactRates, pairs: Some(pairs), ..ratio }
}
