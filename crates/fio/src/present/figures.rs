//! Numbers as fio prints them: a few significant digits and a prefix.

/// The unit after the prefix of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suffix {
    /// Nothing.
    None,
    /// `B`.
    Byte,
    /// `B/s`.
    BytePerSecond,
    /// `bit/s`; the number is in bits.
    BitPerSecond,
}

impl Suffix {
    fn text(self) -> &'static str {
        match self {
            Suffix::None => "",
            Suffix::Byte => "B",
            Suffix::BytePerSecond => "B/s",
            Suffix::BitPerSecond => "bit/s",
        }
    }
}

/// Prints `value` in at most `digits` digits, scaled by 1024 (`Ki`, `Mi`, …) if `binary`, otherwise by 1000 (`k`, `M`, …).
///
/// The number is scaled until its whole part fits. If more than one digit is left, decimals fill them: at four digits,
/// 15.6 MiB has one decimal. 1,024 KiB stays `1024KiB`.
pub(crate) fn scaled(value: u64, digits: usize, binary: bool, suffix: Suffix) -> String {
    const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    const DECIMAL: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
    let (unit, prefixes) = if binary { (1024, BINARY) } else { (1000, DECIMAL) };
    let (mut whole, mut rest, mut power) = (value, None, 0);
    while digit_count(whole) > digits && power + 1 < prefixes.len() {
        rest = Some(whole % unit);
        whole /= unit;
        power += 1;
    }
    let room = digits.saturating_sub(digit_count(whole));
    let number = match rest {
        None => whole.to_string(),
        Some(rest) if room > 1 => {
            let fraction = rest as f64 / unit as f64;
            format!("{:.*}", room - 1, whole as f64 + fraction)
        }
        Some(rest) => (whole + u64::from(rest >= unit / 2)).to_string(),
    };
    format!("{number}{}{}", prefixes[power], suffix.text())
}

fn digit_count(value: u64) -> usize {
    value.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// Unit in which a latency line is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LatencyUnit {
    /// Nanoseconds.
    Nanoseconds,
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
}

impl LatencyUnit {
    /// The unit's name in brackets.
    pub fn name(self) -> &'static str {
        match self {
            LatencyUnit::Nanoseconds => "nsec",
            LatencyUnit::Microseconds => "usec",
            LatencyUnit::Milliseconds => "msec",
        }
    }

    /// Nanoseconds in one unit.
    pub fn nanoseconds(self) -> u64 {
        match self {
            LatencyUnit::Nanoseconds => 1,
            LatencyUnit::Microseconds => 1_000,
            LatencyUnit::Milliseconds => 1_000_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// fio 3.33 printed each row.
    #[test]
    fn numbers_are_scaled_as_fio_scales_them() {
        for (value, digits, binary, suffix, text) in [
            (4096, 4, true, Suffix::Byte, "4096B"),
            (16384, 4, true, Suffix::Byte, "16.0KiB"),
            (1 << 20, 4, true, Suffix::Byte, "1024KiB"),
            (1 << 30, 4, true, Suffix::Byte, "1024MiB"),
            (1_000_000, 4, true, Suffix::Byte, "977KiB"),
            (4 << 20, 4, true, Suffix::Byte, "4096KiB"),
            (4 << 20, 4, false, Suffix::Byte, "4194kB"),
            (64 << 20, 4, true, Suffix::Byte, "64.0MiB"),
            (16_752_640, 4, true, Suffix::Byte, "16.0MiB"),
            (1_048_576_000, 4, true, Suffix::BytePerSecond, "1000MiB/s"),
            (1_048_576_000, 4, false, Suffix::BytePerSecond, "1049MB/s"),
            (65_536_000, 4, true, Suffix::BytePerSecond, "62.5MiB/s"),
            (65_536_000, 4, false, Suffix::BytePerSecond, "65.5MB/s"),
            (4_096_000, 4, true, Suffix::BytePerSecond, "4000KiB/s"),
            (33_554_432, 4, true, Suffix::BitPerSecond, "32.0Mibit/s"),
            (33_554_432, 4, false, Suffix::BitPerSecond, "33.6Mbit/s"),
            (256_000, 4, false, Suffix::None, "256k"),
            (2_749_515, 4, false, Suffix::None, "2750k"),
            (78_769, 4, false, Suffix::None, "78.8k"),
            (8_000, 4, false, Suffix::None, "8000"),
            (88, 4, false, Suffix::None, "88"),
            (0, 4, false, Suffix::None, "0"),
            (3_198_400, 6, false, Suffix::None, "3198.4k"),
            (13_027_000, 6, false, Suffix::None, "13027k"),
            (716_000, 6, false, Suffix::None, "716000"),
        ] {
            assert_eq!(scaled(value, digits, binary, suffix), text, "{value}");
        }
    }

    proptest! {
        #[test]
        fn a_scaled_number_reads_back_within_its_digits(value in 1u64..1 << 60) {
            let text = scaled(value, 4, false, Suffix::None);
            let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
            let power = ["", "k", "M", "G", "T", "P", "E"].iter().position(|p| *p == &text[end..]).unwrap();
            let back = text[..end].parse::<f64>().unwrap() * 1000f64.powi(power as i32);
            prop_assert!((back - value as f64).abs() <= value as f64 * 0.006, "{} {}", value, text);
        }
    }
}
