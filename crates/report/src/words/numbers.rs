//! Numbers as people read them: one convention for the terminal, the page and the charts.
//!
//! Thousands with commas, as many digits as the interval supports, the unit beside the number. Binary units are
//! written KiB, MiB, GiB, decimal ones kB, MB, GB.

use analysis::Estimate;

/// Written in place of a number that is not finite.
pub const UNKNOWN: &str = "unknown";

/// Value from which a number is written with a power of ten, to limit its length.
const SCIENTIFIC_FROM: f64 = 1e15;

/// A unit and its size in base units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Name as written after the number.
    pub name: &'static str,
    /// Bytes, bytes a second, nanoseconds or operations in one unit.
    pub factor: f64,
}

/// Whether a prefix means a power of 1,024 or of 1,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// KiB, MiB, GiB.
    Binary,
    /// kB, MB, GB.
    Decimal,
}

/// Operations a second.
pub const IOPS: Unit = Unit { name: "IOPS", factor: 1.0 };

const BINARY_RATES: [Unit; 5] = [
    Unit { name: "B/s", factor: 1.0 },
    Unit { name: "KiB/s", factor: 1024.0 },
    Unit { name: "MiB/s", factor: 1_048_576.0 },
    Unit { name: "GiB/s", factor: 1_073_741_824.0 },
    Unit { name: "TiB/s", factor: 1_099_511_627_776.0 },
];
const DECIMAL_RATES: [Unit; 5] = [
    Unit { name: "B/s", factor: 1.0 },
    Unit { name: "kB/s", factor: 1e3 },
    Unit { name: "MB/s", factor: 1e6 },
    Unit { name: "GB/s", factor: 1e9 },
    Unit { name: "TB/s", factor: 1e12 },
];
const SIZES: [Unit; 6] = [
    Unit { name: "B", factor: 1.0 },
    Unit { name: "KiB", factor: 1024.0 },
    Unit { name: "MiB", factor: 1_048_576.0 },
    Unit { name: "GiB", factor: 1_073_741_824.0 },
    Unit { name: "TiB", factor: 1_099_511_627_776.0 },
    Unit { name: "PiB", factor: 1_125_899_906_842_624.0 },
];
const TIMES: [Unit; 4] = [
    Unit { name: "ns", factor: 1.0 },
    Unit { name: "µs", factor: 1e3 },
    Unit { name: "ms", factor: 1e6 },
    Unit { name: "s", factor: 1e9 },
];

impl Unit {
    /// Returns the largest unit of which `bytes_per_second` is at least two, or else the smallest.
    pub fn of_bandwidth(bytes_per_second: f64, prefix: Prefix) -> Unit {
        let rates = match prefix {
            Prefix::Binary => BINARY_RATES,
            Prefix::Decimal => DECIMAL_RATES,
        };
        largest(&rates, bytes_per_second / 2.0)
    }

    /// Returns one binary unit for a column of bandwidths, so that they can be compared at a glance: the one that
    /// suits the slowest, unless that is slower by orders of magnitude.
    pub fn of_bandwidths(rates: impl Iterator<Item = f64>) -> Unit {
        let (least, most) = ends(rates);
        Unit::of_bandwidth(least.max(most / APART), Prefix::Binary)
    }

    /// Returns one unit for a column of latencies: the one that suits the longest, or the next smaller if the
    /// shortest would vanish in it.
    pub fn of_times(times: impl Iterator<Item = f64>) -> Unit {
        let (least, most) = ends(times);
        let unit = Unit::of_time(most);
        let place = TIMES.iter().position(|time| *time == unit).unwrap_or(0);
        if least * APART < unit.factor { TIMES[place.saturating_sub(1)] } else { unit }
    }

    /// Returns the unit of bandwidth with this name, such as `MiB/s` or `MB/s`.
    pub fn bandwidth_named(name: &str) -> Option<Unit> {
        BINARY_RATES.into_iter().chain(DECIMAL_RATES).find(|unit| unit.name == name)
    }

    /// Returns the binary counterpart of this unit of bandwidth: MiB/s for MB/s.
    pub fn binary(self) -> Unit {
        let place = DECIMAL_RATES.iter().position(|unit| unit.name == self.name);
        place.map_or(self, |place| BINARY_RATES[place])
    }

    /// Whether the unit is a bandwidth with a power of 1,000.
    pub fn is_decimal_bandwidth(self) -> bool {
        DECIMAL_RATES[1..].contains(&self)
    }

    /// Returns the unit for latencies of about `nanoseconds`; milliseconds are used from 0.1 ms on.
    pub fn of_time(nanoseconds: f64) -> Unit {
        match nanoseconds {
            time if time >= 1e9 => TIMES[3],
            time if time >= 1e5 => TIMES[2],
            time if time >= 1e3 => TIMES[1],
            _ => TIMES[0],
        }
    }
}

/// Figures in a column that differ by more than this factor need not all be easy to read.
const APART: f64 = 1_000.0;

/// Returns the least and greatest of the positive finite values; zeros if there are no such values.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let known = values.filter(|value| value.is_finite() && *value > 0.0);
    known.fold((0.0, 0.0), |(least, most): (f64, f64), value| match most > 0.0 {
        true => (least.min(value), most.max(value)),
        false => (value, value),
    })
}

fn largest<const N: usize>(units: &[Unit; N], value: f64) -> Unit {
    let fitting = units.iter().rev().find(|unit| value >= unit.factor);
    *fitting.unwrap_or(&units[0])
}

/// Formats `value` with `decimals` decimals and commas between thousands.
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    if value.abs() >= SCIENTIFIC_FROM {
        return format!("{value:.1e}");
    }
    let text = format!("{:.decimals$}", value.abs());
    let negative = value < 0.0 && text.bytes().any(|byte| byte.is_ascii_digit() && byte != b'0');
    format!("{}{}", if negative { "-" } else { "" }, workload::grouped(text))
}

/// Formats a count: whole, with commas.
pub fn count(value: f64) -> String {
    fixed(value, 0)
}

/// Formats a figure without an interval: whole from 100 on, one decimal from 1 on, two significant digits below
/// that.
pub fn figure(value: f64) -> String {
    let decimals = match value.abs() {
        large if large >= 99.95 => 0,
        middle if middle >= 9.95 => 1,
        small if small >= 0.995 || small == 0.0 => 1,
        tiny if tiny.is_finite() => (1.0 - tiny.log10().floor()).clamp(2.0, 9.0) as usize,
        _ => 0,
    };
    let text = fixed(value, decimals);
    if value.fract() == 0.0 { text.trim_end_matches(".0").to_owned() } else { text }
}

/// Half-width, as a share of the figure, from which an interval is omitted: a figure that may be half or one and a
/// half times as much is barely known.
const UNSTEADY_FROM: f64 = 0.5;

/// Least half-width shown, as a share of the figure: no volume is known to more than five digits.
const FINEST: f64 = 1e-5;

/// Whether the interval is too wide to be shown.
fn is_unsteady(estimate: &Estimate) -> bool {
    estimate.value > 0.0 && estimate.half_width() >= UNSTEADY_FROM * estimate.value
}

/// Formats an estimate with its half-width: `3,001 ± 6`. The half-width has one significant digit, or two if the
/// first is 1 or 2, and the value ends at the same place, but keeps at least two significant digits so that it is
/// never rounded away. If the half-width is half the value or more, the result is `about 4,500`, because ± 4,700
/// would say nothing about a volume.
pub fn estimate(estimate: &Estimate, unit: Unit) -> String {
    let value = estimate.value / unit.factor;
    let half = estimate.half_width() / unit.factor;
    if !half.is_finite() || !value.is_finite() || half < 0.0 || value == 0.0 && half == 0.0 {
        return figure(value);
    }
    if is_unsteady(estimate) {
        return format!("about {}", rounded(value, first_place(value) + 1));
    }
    let (half, places) = places(value, half);
    format!("{} ± {}", rounded(value, places), rounded(half, places))
}

/// Returns the half-width as shown, and the decimal place at which it and `value` end.
fn places(value: f64, half: f64) -> (f64, i32) {
    let half = half.max(FINEST * value.abs());
    let leading = first_place(half);
    let coarse = if half * 10f64.powi(leading) < 3.0 { leading + 1 } else { leading };
    let places = if value == 0.0 { coarse } else { coarse.max(first_place(value) + 1) };
    (rounded_to(half, places.min(leading + 1)), places)
}

/// Distance of a figure from the middle of its interval, as a share of the half-width, from which ± would be false.
const ASYMMETRIC: f64 = 0.1;

/// Formats an estimate as [`estimate`], or with both ends if it does not lie in their middle: `2,740 (2,620 to 2,780)`.
pub fn estimate_or_ends(of: &Estimate, unit: Unit) -> String {
    let (half, middle) = (of.half_width(), f64::midpoint(of.low, of.high));
    if !half.is_finite() || half <= 0.0 || (of.value - middle).abs() <= ASYMMETRIC * half {
        return estimate(of, unit);
    }
    let [value, low, high] = [of.value, of.low, of.high].map(|value| value / unit.factor);
    let (_, places) = places(value, half / unit.factor);
    let [value, low, high] = [value, low, high].map(|value| rounded(value, places));
    format!("{value} ({low} to {high})")
}

/// Formats [`estimate`] with its unit: `330 ± 12 MiB/s`.
pub fn with_unit(of: &Estimate, unit: Unit) -> String {
    format!("{} {}", estimate(of, unit), unit.name)
}

/// Formats a bandwidth with its interval, in the binary unit that suits it.
pub fn bandwidth_estimate(of: &Estimate) -> String {
    with_unit(of, Unit::of_bandwidth(of.value, Prefix::Binary))
}

/// Formats [`estimate`] with its unit: `330 ± 12 MiB/s`, `about 330 MiB/s (too unsteady for an interval)`.
pub fn estimate_in(of: &Estimate, unit: Unit) -> String {
    let why = if is_unsteady(of) { " (too unsteady for an interval)" } else { "" };
    with_unit(of, unit) + why
}

/// Formats the value alone, with no more digits than its interval supports and no fraction from 100 on: `5,000`
/// for 5,000.2 ± 0.4, `69,000` for 69,020 ± 4,000.
pub fn level(of: &Estimate, unit: Unit) -> String {
    let (value, half) = (of.value / unit.factor, of.half_width() / unit.factor);
    if !half.is_finite() || !value.is_finite() || half <= 1e-9 * value.abs() || value == 0.0 {
        return figure(value);
    }
    let finest = if value.abs() >= 99.95 { 0 } else { first_place(value) + 1 };
    rounded(value, first_place(half).max(first_place(value) + 1).min(finest))
}

/// Returns the decimal place of the first digit of `value`, which is not 0: 0 for units, 1 for tenths, -1 for
/// tens.
fn first_place(value: f64) -> i32 {
    -(value.abs().log10().floor()) as i32
}

fn rounded_to(value: f64, places: i32) -> f64 {
    let step = 10f64.powi(-places);
    (value / step).round() * step
}

/// Formats `value` to `places` decimals; a negative number of places rounds to tens, hundreds and so on.
fn rounded(value: f64, places: i32) -> String {
    if places >= 0 {
        return fixed(value, places.min(9) as usize);
    }
    let step = 10f64.powi(-places);
    fixed((value / step).round() * step, 0)
}

/// Formats with up to six decimals without trailing zeros: `0.05`, `200`, `1,000`.
pub fn trimmed(value: f64) -> String {
    let text = fixed(value, 6);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Formats a rate: `3,001 IOPS`.
pub fn iops(per_second: f64) -> String {
    format!("{} IOPS", if per_second < 9.95 { figure(per_second) } else { count(per_second) })
}

/// Formats a bandwidth in the unit that suits it: `124.9 MiB/s`.
pub fn bandwidth(bytes_per_second: f64, prefix: Prefix) -> String {
    in_unit(bytes_per_second, Unit::of_bandwidth(bytes_per_second, prefix))
}

/// Formats `value`, given in base units, in `unit`.
pub fn in_unit(value: f64, unit: Unit) -> String {
    format!("{} {}", figure(value / unit.factor), unit.name)
}

/// Formats a latency: two significant digits below 10 (`0.61 ms`), a whole number from 10 on (`21 ms`).
pub fn time(nanoseconds: f64) -> String {
    let unit = Unit::of_time(nanoseconds);
    format!("{} {}", time_in(nanoseconds, unit), unit.name)
}

/// Formats [`time`] in the unit of a column.
pub fn time_in_unit(nanoseconds: f64, unit: Unit) -> String {
    format!("{} {}", time_in(nanoseconds, unit), unit.name)
}

/// Formats the number of [`time`] without its unit, in `unit`.
pub fn time_in(nanoseconds: f64, unit: Unit) -> String {
    let value = nanoseconds / unit.factor;
    if unit.name == "ns" || value >= 9.95 { count(value) } else { figure(value) }
}

/// Formats a mean of times that the kernel counts in whole milliseconds: less than one nanosecond is `0 ms`.
pub fn counted_time(nanoseconds: f64) -> String {
    if nanoseconds < 1.0 { "0 ms".to_owned() } else { time(nanoseconds) }
}

/// Formats a mean number of requests: below 0.005 it is `0.00`.
pub fn queue(depth: f64) -> String {
    if depth > 0.0 && depth < 0.005 { "0.00".to_owned() } else { figure(depth) }
}

/// Formats a factor with two significant digits: `1.8 times`, `about 4,300 times`.
pub fn factor(times: f64) -> String {
    match times {
        small if small < 9.95 => format!("{} times", fixed(small, 1)),
        large if large.is_finite() => {
            let step = 10f64.powf(large.log10().floor() - 1.0);
            format!("about {} times", count((large / step).round() * step))
        }
        _ => UNKNOWN.to_owned(),
    }
}

/// Formats a span in seconds: `0.4 s`, `6.3 s`, `118 s`, `33 min`, `4.5 h`, `3.0 days`.
pub fn span(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() => UNKNOWN.to_owned(),
        s if s < 9.95 => format!("{} s", fixed(s, 1).trim_end_matches(".0")),
        s if s < 180.0 => format!("{} s", count(s)),
        s if s < 7200.0 => format!("{} min", count(s / 60.0)),
        s if s < 172_800.0 => format!("{} h", fixed(s / 3600.0, 1)),
        s => format!("{} days", fixed(s / 86_400.0, 1)),
    }
}

/// Formats a share (0 to 1) in percent: `0.3 %`, `12 %`; below a thousandth of a percent `under 0.001 %`.
pub fn share(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        p if p > 0.0 && p < 0.001 => "under 0.001 %".to_owned(),
        p if p >= 9.95 => format!("{} %", count(p)),
        p => format!("{} %", figure(p)),
    }
}

/// Formats a relative difference: `+3.1 %`, `-33 %`.
pub fn signed_share(share: f64) -> String {
    let digits = fixed(share.abs() * 100.0, usize::from(share.abs() < 0.0995));
    format!("{}{digits} %", if share < 0.0 { "-" } else { "+" })
}

/// Formats a block size: `4 KiB`, `43 KiB`, `1 MiB`.
pub fn block(bytes: f64) -> String {
    let unit = largest(&SIZES, bytes);
    let value = bytes / unit.factor;
    let text = if value >= 9.95 { count(value) } else { figure(value) };
    format!("{text} {}", unit.name)
}

/// Formats an amount of data: `4.0 GiB`, `118 MiB`, `513 B`.
pub fn size(bytes: u64) -> String {
    let unit = largest(&SIZES, bytes as f64);
    let value = bytes as f64 / unit.factor;
    let decimals = usize::from(unit.factor > 1.0 && value < 9.95);
    format!("{} {}", fixed(value, decimals), unit.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MIB: Unit = BINARY_RATES[2];

    fn around(value: f64, half: f64) -> Estimate {
        Estimate { value, low: value - half, high: value + half }
    }

    #[test]
    fn an_estimate_has_as_many_digits_as_its_interval_supports() {
        for (value, half, text) in [
            (3001.2, 6.3, "3,001 ± 6"),
            (3001.2, 0.4, "3,001.2 ± 0.4"),
            (3001.2, 12.4, "3,001 ± 12"),
            (30_012.0, 640.0, "30,000 ± 600"),
            (4_500.0, 4_700.0, "about 4,500"),
            (44_100.0, 44_100.0, "about 44,000"),
            (330.2, 350.0, "about 330"),
            (330.2, 160.0, "330 ± 160"),
            (330.2, 166.0, "about 330"),
            (12.0, 312.0, "about 12"),
            (0.613, 0.5, "about 0.61"),
            (3001.2, 24.0, "3,001 ± 24"),
            (1_234_567.0, 15_000.0, "1,235,000 ± 15,000"),
            (3000.0, 0.0, "3,000.00 ± 0.03"),
            (1000.0, 0.0007, "1,000.000 ± 0.010"),
            (0.613, 0.012, "0.613 ± 0.012"),
            (124.9, 0.96, "124.9 ± 1.0"),
            (f64::NAN, 1.0, "unknown"),
            (12.0, f64::INFINITY, "12"),
        ] {
            assert_eq!(estimate(&around(value, half), IOPS), text, "{value} ± {half}");
        }
        assert_eq!(estimate(&around(131e6, 0.4e6), MIB), "124.9 ± 0.4");
        assert_eq!(estimate_in(&around(131e6, 0.4e6), MIB), "124.9 ± 0.4 MiB/s");
        assert_eq!(estimate_in(&around(131e6, 131e6), MIB), "about 120 MiB/s (too unsteady for an interval)");
    }

    #[test]
    fn a_level_has_no_digit_that_its_interval_does_not_support() {
        for (value, half, text) in [
            (69_020.0, 4_000.0, "69,000"),
            (5_000.2, 0.4, "5,000"),
            (3_001.2, 24.0, "3,000"),
            (3_001.2, 0.0, "3,001"),
            (124.94, 0.4, "125"),
            (21.04, 0.96, "21"),
            (4_500.0, 9_000.0, "4,500"),
            (f64::NAN, 1.0, "unknown"),
        ] {
            assert_eq!(level(&around(value, half), IOPS), text, "{value} ± {half}");
        }
    }

    #[test]
    fn figures_times_and_spans() {
        for (found, text) in [
            (figure(0.0), "0"),
            (figure(0.613), "0.61"),
            (figure(0.0613), "0.061"),
            (figure(8.34), "8.3"),
            (figure(21.04), "21.0"),
            (figure(124.94), "125"),
            (figure(3000.4), "3,000"),
            (factor(1.84), "1.8 times"),
            (factor(9.97), "about 10 times"),
            (factor(88.04), "about 88 times"),
            (factor(4284.0), "about 4,300 times"),
            (queue(0.0), "0"),
            (queue(0.000_017), "0.00"),
            (queue(0.0234), "0.023"),
            (counted_time(0.0), "0 ms"),
            (counted_time(612_000.0), "0.61 ms"),
            (time(612_000.0), "0.61 ms"),
            (time(1_100_000.0), "1.1 ms"),
            (time(21_300_000.0), "21 ms"),
            (time(215e6), "215 ms"),
            (time(61_200.0), "61 µs"),
            (time(850.0), "850 ns"),
            (time(2.1e9), "2.1 s"),
            (span(0.42), "0.4 s"),
            (span(6.0), "6 s"),
            (span(118.2), "118 s"),
            (span(2000.0), "33 min"),
            (span(16_200.0), "4.5 h"),
        ] {
            assert_eq!(found, text);
        }
    }

    #[test]
    fn a_column_has_one_unit() {
        let rates = |mib: &[f64]| Unit::of_bandwidths(mib.iter().map(|rate| rate * MIB.factor)).name;
        assert_eq!(rates(&[252.0, 3_700.0, 9_830.0]), "MiB/s");
        assert_eq!(rates(&[3_700.0, 9_830.0]), "GiB/s");
        assert_eq!(rates(&[0.0, 0.000_4, 3.3]), "KiB/s");
        assert_eq!(rates(&[]), "B/s");
        let times = |us: &[f64]| Unit::of_times(us.iter().map(|time| time * 1e3)).name;
        assert_eq!(times(&[51.0, 91.0, 4_100.0]), "ms");
        assert_eq!(times(&[800.0, 23_000_000.0]), "ms");
        assert_eq!(times(&[12_000.0, 23_000_000.0]), "s");
        assert_eq!(times(&[3.0, f64::NAN]), "µs");
    }

    #[test]
    fn sizes_rates_and_shares() {
        for (found, text) in [
            (block(4096.0), "4 KiB"),
            (block(43_690.7), "43 KiB"),
            (block(1_048_576.0), "1 MiB"),
            (size(4 << 30), "4.0 GiB"),
            (size(513), "513 B"),
            (size(118 << 20), "118 MiB"),
            (iops(3000.6), "3,001 IOPS"),
            (iops(0.4), "0.40 IOPS"),
            (bandwidth(131_072_000.0, Prefix::Binary), "125 MiB/s"),
            (bandwidth(1.2e9, Prefix::Decimal), "1,200 MB/s"),
            (bandwidth(2.4e9, Prefix::Decimal), "2.4 GB/s"),
            (share(0.123), "12 %"),
            (share(0.0031), "0.31 %"),
            (share(1.0), "100 %"),
            (share(0.000_000_1), "under 0.001 %"),
        ] {
            assert_eq!(found, text);
        }
        assert_eq!(Unit::bandwidth_named("MB/s").map(Unit::binary), Some(MIB));
    }

    proptest! {
        #[test]
        fn an_estimate_is_neither_rounded_away_nor_finer_than_it_is_known(
            value in 0.001f64..1e9, share in 0.00001f64..1.5,
        ) {
            let half = value * share;
            let text = estimate(&around(value, half), IOPS).replace(',', "");
            if let Some(about) = text.strip_prefix("about ") {
                let seen: f64 = about.parse().unwrap();
                prop_assert!(share > 0.499_999 && (seen / value - 1.0).abs() <= 0.0501, "{} of {}", text, value);
                return Ok(());
            }
            prop_assert!(share < 0.500_001, "{} of {} ± {}", text, value, half);
            let (shown, width) = text.split_once(" ± ").unwrap();
            let decimals = shown.split_once('.').map_or(0, |(_, rest)| rest.len());
            let digits = |text: &str| text.trim_start_matches(['0', '.']).bytes().filter(u8::is_ascii_digit).count();
            let (seen, spread): (f64, f64) = (shown.parse().unwrap(), width.parse().unwrap());
            prop_assert!((seen / value - 1.0).abs() <= 0.0501, "{} of {}", text, value);
            prop_assert!((seen - value).abs() <= 0.51 * half.max(0.1 * value), "{} of {} ± {}", text, value, half);
            prop_assert!((spread / half - 1.0).abs() <= 0.17, "{} of {} ± {}", text, value, half);
            // No digit beyond the second of the half-width, unless the value needs it for its own two.
            let finest = half / 100.0;
            let own = decimals == 0 || digits(shown) <= 2;
            prop_assert!(own || 10f64.powi(-(decimals as i32)) >= finest, "{} of {} ± {}", text, value, half);
        }

        #[test]
        fn no_number_breaks_a_line(value in any::<f64>(), half in any::<f64>()) {
            let numbers = [
                estimate(&Estimate { value, low: half, high: value }, IOPS), figure(value), time(value), span(value),
                share(value), block(value), iops(value), bandwidth(value, Prefix::Binary), size(value.to_bits()),
            ];
            for text in numbers {
                prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{}", text);
                prop_assert!(text.chars().count() <= 52, "{}", text);
            }
        }
    }
}
