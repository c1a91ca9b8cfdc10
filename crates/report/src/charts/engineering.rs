//! Axes with engineering prefixes: k and M for rates, m and µ for seconds, KiB and MiB for bytes.

use record::Unit;

use super::axis::Axis;
use super::panel::Line;
use crate::words::numbers;

/// Prefixed units, ascending: the factor to the base unit, and the suffix written after the number.
type PrefixedUnits = &'static [(f64, &'static str)];

const RATES: PrefixedUnits = &[(1.0, ""), (1e3, " k"), (1e6, " M"), (1e9, " G")];
const SECONDS: PrefixedUnits = &[(1e-9, " ns"), (1e-6, " µs"), (1e-3, " ms"), (1.0, " s")];
const BYTES: PrefixedUnits = &[
    (1.0, " B"),
    (1024.0, " KiB"),
    (1_048_576.0, " MiB"),
    (1_073_741_824.0, " GiB"),
    (1_099_511_627_776.0, " TiB"),
];
const BYTE_RATES: PrefixedUnits = &[
    (1.0, " B/s"),
    (1024.0, " KiB/s"),
    (1_048_576.0, " MiB/s"),
    (1_073_741_824.0, " GiB/s"),
    (1_099_511_627_776.0, " TiB/s"),
];
const SHARES: PrefixedUnits = &[(0.01, " %")];

fn prefixes(unit: Unit) -> PrefixedUnits {
    match unit {
        Unit::PerSecond | Unit::Count => RATES,
        Unit::BytesPerSecond => BYTE_RATES,
        Unit::Share => SHARES,
        Unit::Seconds => SECONDS,
        Unit::Bytes => BYTES,
    }
}

/// Returns the prefixed unit for values up to `top`: the greatest that does not exceed it.
fn suited(unit: Unit, top: f64) -> (f64, &'static str) {
    let all = prefixes(unit);
    let fitting = all.iter().rev().find(|(factor, _)| top >= *factor);
    *fitting.unwrap_or(&all[0])
}

/// Returns an axis from zero to `top` with about `count` ticks, round in the prefixed unit that suits `top`, and
/// at least [`TICKS_MIN`] if that many round values exist.
pub(crate) fn axis(unit: Unit, top: f64, count: usize) -> Axis {
    let top = if top.is_finite() && top > 0.0 { top } else { least_top(unit) };
    let (factor, name) = suited(unit, top);
    let label = |value: f64| match value {
        0.0 => "0".to_owned(),
        value => format!("{}{name}", plain(value)),
    };
    let finer = |count| Axis::linear_in(factor, top, count, label);
    let enough = |axis: &Axis| axis.ticks() >= TICKS_MIN;
    (count..count + 4).map(finer).find(enough).unwrap_or_else(|| finer(count))
}

/// Fewest ticks: two say too little about the values between them.
const TICKS_MIN: usize = 4;

/// Returns an axis of sizes: logarithmic with ticks at powers of two if a linear one would flatten the small sizes.
pub(crate) fn sizes(lines: &[Line], top: f64) -> Axis {
    let values = lines.iter().flat_map(Line::points).map(|point| point.1);
    let least = values.filter(|value| *value > 0.0).fold(top, f64::min);
    if least <= 0.0 || top / least < APART {
        return axis(Unit::Bytes, top * 1.08, 4);
    }
    let ticks = (0..50).map(|power| 2f64.powi(power)).map(|size| (size, numbers::block(size))).collect();
    Axis::logarithmic(least / 1.5, top * 1.5, ticks).thinned(5)
}

/// Ratio of greatest to least size from which an axis is logarithmic.
const APART: f64 = 12.0;

/// Top of an axis for values that are all zero, in the base unit.
fn least_top(unit: Unit) -> f64 {
    match unit {
        Unit::Seconds => 1e-3,
        _ => 1.0,
    }
}

/// Formats a tick's number without trailing zeros.
fn plain(value: f64) -> String {
    let text = numbers::fixed(value, 3);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a value with its prefix and unit, for labels: `840`, `1.2 k`, `30 ms`, `120 MiB/s`, `47 %`.
pub(crate) fn value(unit: Unit, value: f64) -> String {
    if unit == Unit::Share {
        return numbers::share(value);
    }
    let (factor, name) = match unit {
        Unit::PerSecond | Unit::Count if value < 1e5 => return numbers::figure(value),
        _ => suited(unit, value.abs()),
    };
    format!("{}{name}", numbers::figure(value / factor))
}

/// Returns the title of a panel in this unit: the quantity alone, because the ticks name the unit.
pub(crate) fn title(unit: Unit) -> &'static str {
    match unit {
        Unit::PerSecond => "requests a second",
        Unit::BytesPerSecond => "bytes a second",
        Unit::Share => "share",
        Unit::Seconds => "mean time of a request",
        Unit::Bytes => "mean size of a request",
        Unit::Count => "requests waiting or being served",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(unit: Unit, top: f64) -> Vec<String> {
        axis(unit, top, 4).labels().map(str::to_owned).collect()
    }

    #[test]
    fn ticks_are_round_in_the_prefix_that_suits_them() {
        assert_eq!(labels(Unit::PerSecond, 840.0), ["0", "200", "400", "600", "800"]);
        assert_eq!(labels(Unit::PerSecond, 8600.0), ["0", "2 k", "4 k", "6 k", "8 k"]);
        assert_eq!(
            labels(Unit::PerSecond, 1200.0),
            ["0", "0.2 k", "0.4 k", "0.6 k", "0.8 k", "1 k", "1.2 k"]
        );
        assert_eq!(labels(Unit::Seconds, 0.000_41), ["0", "100 µs", "200 µs", "300 µs", "400 µs"]);
        assert_eq!(labels(Unit::Seconds, 0.21), ["0", "50 ms", "100 ms", "150 ms", "200 ms"]);
        assert_eq!(labels(Unit::Bytes, 70_000.0), ["0", "20 KiB", "40 KiB", "60 KiB"]);
        assert_eq!(labels(Unit::BytesPerSecond, 3.2 * 1_048_576.0), ["0", "1 MiB/s", "2 MiB/s", "3 MiB/s"]);
        assert_eq!(labels(Unit::Share, 1.0), ["0", "20 %", "40 %", "60 %", "80 %", "100 %"]);
        assert_eq!(labels(Unit::Seconds, f64::NAN), ["0", "0.2 ms", "0.4 ms", "0.6 ms", "0.8 ms", "1 ms"]);
        assert_eq!(value(Unit::PerSecond, 840.0), "840");
        assert_eq!(value(Unit::Seconds, 0.03), "30 ms");
    }
}
