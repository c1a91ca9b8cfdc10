//! Conversion of printed numbers to figures: prefixes and units of every generation, and the value of the last
//! digit.

use record::Figure;
use workload::Nanos;

/// Greatest number accepted, about the greatest signed 64-bit integer. No tool prints one so large.
const MOST: f64 = 9e18;

/// A number, the value of one unit of its last digit, and the text after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number<'t> {
    pub value: f64,
    pub step: f64,
    pub rest: &'t str,
}

/// Reads a number at the start of `text`: digits, and a fraction after a point. A comma counts as a decimal point
/// only if `text` is a single number and the comma cannot separate thousands, because other than three digits
/// follow it.
pub(crate) fn number(text: &str) -> Option<Number<'_>> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let negative = text.starts_with('-');
    let text = text.strip_prefix('-').unwrap_or(text);
    let whole = digits(text);
    let mut end = whole;
    let mut decimals = 0;
    if whole > 0 && text[whole..].starts_with(['.', ',']) {
        let behind = digits(&text[whole + 1..]);
        let point = text[whole..].starts_with('.');
        if behind > 0 && (point || behind != 3) {
            decimals = behind;
            end = whole + 1 + behind;
        }
    }
    if whole == 0 || whole > 19 {
        return None;
    }
    let value: f64 = text[..end].replace(',', ".").parse().ok()?;
    let value = if negative { -value } else { value };
    let step = 10f64.powi(-(decimals.min(300) as i32));
    (value.abs() <= MOST).then_some(Number { value, step, rest: &text[end..] })
}

/// Meaning of prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefixes {
    /// `K` is 1000: counts, times, and everything in SI units.
    Decimal,
    /// `K` is 1024 whether or not an `i` follows: fio before 2.17, ioping before 0.8.
    Binary,
    /// `Ki` is 1024, and `k` or `K` without the `i` is 1000: fio since 2.17.
    Named,
}

/// Returns the factor of the prefix at the start of `text`, 1 if there is no prefix, and the text after it.
fn prefix(text: &str, prefixes: Prefixes) -> (f64, &str) {
    let power = match text.chars().next() {
        Some('k' | 'K') => 1,
        Some('m' | 'M') => 2,
        Some('g' | 'G') => 3,
        Some('t' | 'T') => 4,
        Some('p' | 'P') => 5,
        _ => return (1.0, text),
    };
    let rest = &text[1..];
    let binary = rest.starts_with('i');
    let rest = rest.strip_prefix('i').unwrap_or(rest);
    let base = match prefixes {
        Prefixes::Decimal => 1000f64,
        Prefixes::Binary => 1024.0,
        Prefixes::Named if binary => 1024.0,
        Prefixes::Named => 1000.0,
    };
    (base.powi(power), rest)
}

/// Returns the printed figure times `factor`.
fn figure(number: Number<'_>, factor: f64, printed: &str) -> Option<Figure> {
    let value = number.value * factor;
    (value.abs() <= MOST).then(|| Figure { value, step: number.step * factor, printed: printed.to_owned() })
}

/// Parses a bare number such as `135.46` and multiplies it by `factor`.
pub(crate) fn plain(text: &str, factor: f64) -> Option<Figure> {
    let text = text.trim();
    let found = number(text).filter(|found| found.rest.is_empty())?;
    figure(found, factor, text)
}

/// Parses a count or a time with or without a decimal prefix and multiplies it by `factor`: `9K`, `33.2k`,
/// `1184.7k`.
pub(crate) fn scaled(text: &str, factor: f64) -> Option<Figure> {
    let text = text.trim();
    let found = number(text)?;
    let (times, rest) = prefix(found.rest.trim_start(), Prefixes::Decimal);
    rest.is_empty().then(|| figure(found, times * factor, text))?
}

/// Parses `97.55%`, or the number without the sign.
pub(crate) fn percent(text: &str) -> Option<Figure> {
    let text = text.trim();
    let found = number(text).filter(|found| matches!(found.rest.trim(), "" | "%"))?;
    figure(found, 1.0, text)
}

/// Parses a size: `3070.5MB`, `1984KiB`, `49469K`, `0 B`, `36 KiB`.
pub(crate) fn bytes(text: &str, prefixes: Prefixes) -> Option<Figure> {
    let text = text.trim();
    let found = number(text)?;
    let (factor, rest) = prefix(found.rest.trim_start(), prefixes);
    matches!(rest.trim(), "" | "B" | "b").then(|| figure(found, factor, text))?
}

/// Parses a rate in bytes, `132862KB/s`, `41.2MiB/s`, `13.0 mb/s`, or in bits, `303Mbit/s`, `289Mibit/s`. fio
/// prints a zero rate as `0`, and a sum over directions (`unified_rw_reporting=both`) without its unit: `131Mi`.
pub(crate) fn byte_rate(text: &str, prefixes: Prefixes) -> Option<Figure> {
    let text = text.trim();
    let Some(size) = text.strip_suffix("/s").or_else(|| text.strip_suffix("/sec")) else {
        return bare_rate(text, prefixes);
    };
    let size = size.trim_end();
    let found = match size.strip_suffix("bit") {
        Some(bits) => {
            let found = bytes(bits, prefixes)?;
            Figure { value: found.value / 8.0, step: found.step / 8.0, ..found }
        }
        None => bytes(size, prefixes)?,
    };
    Some(Figure { printed: text.to_owned(), ..found })
}

/// Parses `0` or `131Mi`, which only fio since 2.17 prints.
fn bare_rate(text: &str, prefixes: Prefixes) -> Option<Figure> {
    let plain =
        text == "0" || text.ends_with('i') || text.ends_with(|c: char| c.is_ascii_alphabetic() && c != 'B');
    bytes(text, prefixes).filter(|_| prefixes == Prefixes::Named && plain)
}

/// Returns the nanoseconds in a unit of time, given by any of its names.
pub(crate) fn time_unit(name: &str) -> Option<f64> {
    Some(match name {
        "nsec" | "ns" => 1.0,
        "usec" | "us" | "µs" => 1e3,
        "msec" | "ms" => 1e6,
        "sec" | "s" => 1e9,
        "min" => 60e9,
        "hour" | "h" => 3600e9,
        _ => return None,
    })
}

/// Parses a time with its unit: `23665msec`, `710 us`, `9.0 s`.
pub(crate) fn time(text: &str) -> Option<Figure> {
    let text = text.trim();
    let found = number(text)?;
    figure(found, time_unit(found.rest.trim())?, text)
}

/// Returns a time in whole nanoseconds; products such as 129.408 times 1e9 fall just short of them.
pub(crate) fn nanos(time: &Figure) -> Nanos {
    Nanos(time.value.max(0.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pair(figure: Option<Figure>) -> Option<(f64, f64)> {
        figure.map(|figure| (figure.value, figure.step))
    }

    #[test]
    fn every_generation_reads_its_own_prefixes() {
        use Prefixes::{Binary, Named};
        for (text, prefixes, value, step) in [
            ("3070.5MB", Binary, 3_219_652_608.0, 104_857.6),
            ("855740KB", Binary, 876_277_760.0, 1024.0),
            ("0 B", Binary, 0.0, 1.0),
            ("49469K", Binary, 50_656_256.0, 1024.0),
            ("41.2MiB", Named, 43_201_331.2, 104_857.6),
            ("43.2MB", Named, 43_200_000.0, 100_000.0),
            ("2032kB", Named, 2_032_000.0, 1000.0),
        ] {
            let found = bytes(text, prefixes).unwrap();
            assert!(
                (found.value - value).abs() < 0.01 && (found.step - step).abs() < 0.01,
                "{text}: {found:?}"
            );
        }
        assert_eq!(pair(byte_rate("7131.2KB/s", Binary)).unwrap().0, 7131.2 * 1024.0);
        assert_eq!(pair(byte_rate("303Mbit/s", Named)), Some((303e6 / 8.0, 1e6 / 8.0)));
        assert_eq!(pair(byte_rate("289Mibit/s", Named)).unwrap().0, 289.0 * 131_072.0);
        assert_eq!(pair(byte_rate("131Mi", Named)).unwrap().0, 131.0 * 1_048_576.0);
        assert_eq!(pair(byte_rate("0", Named)).unwrap().0, 0.0);
        assert_eq!(
            (byte_rate("0", Binary), byte_rate("12", Named), byte_rate("12MB", Named)),
            (None, None, None)
        );
        assert_eq!(pair(byte_rate("13.0 mb/s", Binary)).unwrap().0, 13.0 * 1_048_576.0);
    }

    #[test]
    fn what_is_printed_short_keeps_what_its_last_digit_is_worth() {
        assert_eq!(pair(scaled("9K", 1e3)), Some((9e6, 1e6)));
        assert_eq!(pair(scaled("1184.7k", 1.0)), Some((1_184_700.0, 100.0)));
        assert_eq!(pair(time("365 us")), Some((365e3, 1e3)));
        assert_eq!(pair(percent("97.55%")), Some((97.55, 0.01)));
        assert_eq!(scaled("33.2k", 1.0).unwrap().printed, "33.2k");
    }

    #[test]
    fn a_time_is_rounded_to_nanoseconds() {
        assert_eq!(nanos(&time("129.408 s").unwrap()), Nanos(129_408_000_000));
    }

    #[test]
    fn a_comma_is_a_point_only_where_it_can_be_nothing_else() {
        assert_eq!(pair(plain("167,48", 1.0)).unwrap().0, 167.48);
        assert_eq!(plain("1,234", 1.0), None);
    }

    #[test]
    fn what_is_no_number_or_larger_than_any_is_refused() {
        for text in ["", "x", "1e5", "99999999999999999999", "1.2.3", "12kk", "-", "9999999999P"] {
            assert_eq!(scaled(text, 1.0), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,12}") {
            let _ = (scaled(&text, 1e9), bytes(&text, Prefixes::Named), time(&text), percent(&text));
        }
    }
}
