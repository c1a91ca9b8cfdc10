//! Quantities as types, and the one grammar in which people write them.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number of bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A time or a duration in nanoseconds. A time counts from the start of the run, on the run's own clock.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Nanos(pub u64);

/// A rate in operations per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Iops(pub f64);

/// A rate in bytes per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BytesPerSecond(pub f64);

impl Bytes {
    /// One KiB: 1,024 bytes.
    pub const KIB: Bytes = Bytes(1 << 10);
    /// One MiB: 1,048,576 bytes.
    pub const MIB: Bytes = Bytes(1 << 20);
    /// One GiB: 1,073,741,824 bytes.
    pub const GIB: Bytes = Bytes(1 << 30);

    /// `n` KiB.
    pub const fn kib(n: u64) -> Bytes {
        Bytes(n << 10)
    }

    /// `n` MiB.
    pub const fn mib(n: u64) -> Bytes {
        Bytes(n << 20)
    }

    /// `n` GiB.
    pub const fn gib(n: u64) -> Bytes {
        Bytes(n << 30)
    }

    /// The largest multiple of `unit` that does not exceed this; `unit` must not be zero.
    pub const fn round_down(self, unit: Bytes) -> Bytes {
        Bytes(self.0 - self.0 % unit.0)
    }
}

impl Nanos {
    /// Zero duration; as a time, the start of the run.
    pub const ZERO: Nanos = Nanos(0);
    /// Later than the end of any run.
    pub const MAX: Nanos = Nanos(u64::MAX);
    /// One second.
    pub const SECOND: Nanos = Nanos(1_000_000_000);

    /// `n` seconds.
    pub const fn from_secs(n: u64) -> Nanos {
        Nanos(n * 1_000_000_000)
    }

    /// `n` milliseconds.
    pub const fn from_millis(n: u64) -> Nanos {
        Nanos(n * 1_000_000)
    }

    /// `n` microseconds.
    pub const fn from_micros(n: u64) -> Nanos {
        Nanos(n * 1_000)
    }

    /// `seconds`, rounded to the nearest nanosecond; negative values and NaN become zero.
    pub fn from_secs_f64(seconds: f64) -> Nanos {
        Nanos((seconds * 1e9).round().max(0.0) as u64)
    }

    /// This span in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// This span in milliseconds.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The span from `earlier` to this; zero if `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Nanos {
    type Output = Nanos;
    #[inline]
    fn add(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanos {
    #[inline]
    fn add_assign(&mut self, other: Nanos) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Nanos;
    #[inline]
    fn sub(self, other: Nanos) -> Nanos {
        self.since(other)
    }
}

impl Mul<u64> for Nanos {
    type Output = Nanos;
    fn mul(self, factor: u64) -> Nanos {
        Nanos(self.0.saturating_mul(factor))
    }
}

impl Div<u64> for Nanos {
    type Output = Nanos;
    fn div(self, divisor: u64) -> Nanos {
        Nanos(self.0 / divisor)
    }
}

impl Add for Bytes {
    type Output = Bytes;
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_add(other.0))
    }
}

impl Mul<u64> for Bytes {
    type Output = Bytes;
    fn mul(self, factor: u64) -> Bytes {
        Bytes(self.0.saturating_mul(factor))
    }
}

/// Binary units with at most one decimal, omitted if it is zero: `4 KiB`, `1.5 GiB`, `513 B`.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
        let mut power = 0;
        while power + 1 < NAMES.len() && self.0 >> (10 * (power + 1)) != 0 {
            power += 1;
        }
        let value = self.0 as f64 / (1u64 << (10 * power)) as f64;
        if (value - value.round()).abs() < 0.05 {
            write!(f, "{:.0} {}", value, NAMES[power])
        } else {
            write!(f, "{:.1} {}", value, NAMES[power])
        }
    }
}

/// Three significant digits in the largest unit that keeps the number at one or above: `812 ns`, `612 µs` rather than `0.61
/// ms`, `2.00 s`. Whole numbers for nanoseconds and from 100 on.
impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.0 {
            0..=999 => (self.0 as f64, "ns"),
            1_000..=999_999 => (self.0 as f64 / 1e3, "µs"),
            1_000_000..=999_999_999 => (self.0 as f64 / 1e6, "ms"),
            _ => (self.0 as f64 / 1e9, "s"),
        };
        let decimals = if value >= 100.0 || unit == "ns" {
            0
        } else if value >= 10.0 {
            1
        } else {
            2
        };
        write!(f, "{value:.decimals$} {unit}")
    }
}

/// Error in the words of a quantity; every message shows an accepted form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// The word does not start with a number.
    #[error("'{word}' is not a {what}: it starts with no number; write for example {example}")]
    NoNumber {
        /// The word as typed.
        word: String,
        /// The quantity expected.
        what: &'static str,
        /// A valid word.
        example: &'static str,
    },
    /// The unit after the number is unknown.
    #[error("'{word}' is not a {what}: the unit '{unit}' is not known; write one of {known}")]
    Unit {
        /// The word as typed.
        word: String,
        /// The quantity expected.
        what: &'static str,
        /// The offending unit.
        unit: String,
        /// All known units.
        known: &'static str,
    },
    /// The number is not finite or too large.
    #[error("'{word}' is not a {what}: the number is out of range")]
    Range {
        /// The word as typed.
        word: String,
        /// The quantity expected.
        what: &'static str,
    },
}

/// Formats `number`, which must print without a sign or exponent, with commas between the thousands of its integer part:
/// `12800.5` becomes `12,800.5`.
pub fn grouped(number: impl fmt::Display) -> String {
    let text = number.to_string();
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::with_capacity(text.len() * 2);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

/// Splits `word` into its number and the unit after it; blanks between them and commas between thousands are allowed.
fn number_and_unit<'w>(
    word: &'w str,
    what: &'static str,
    example: &'static str,
) -> Result<(f64, &'w str), UnitError> {
    let trimmed = word.trim();
    let end = trimmed
        .char_indices()
        .find(|&(_, c)| !(c.is_ascii_digit() || c == '.' || c == ','))
        .map_or(trimmed.len(), |(at, _)| at);
    let digits: String = trimmed[..end].chars().filter(|&c| c != ',').collect();
    let number: f64 =
        digits.parse().map_err(|_| UnitError::NoNumber { word: word.to_owned(), what, example })?;
    if !number.is_finite() {
        return Err(UnitError::Range { word: word.to_owned(), what });
    }
    Ok((number, trimmed[end..].trim()))
}

/// Reads a size: `4k`, `4KiB`, `1.5GiB`, `10MB`. A single letter is binary; `kB`, `MB`, `GB`, `TB` are decimal.
///
/// # Errors
/// Returns a [`UnitError`] that names the word and the known units.
pub fn size(word: &str) -> Result<Bytes, UnitError> {
    const KNOWN: &str = "B, k, KiB, M, MiB, G, GiB, T, TiB (binary), kB, MB, GB, TB (decimal)";
    let (number, unit) = number_and_unit(word, "size", "4k, 64KiB or 1.5GiB")?;
    let factor = byte_factor(unit).ok_or_else(|| UnitError::Unit {
        word: word.to_owned(),
        what: "size",
        unit: unit.to_owned(),
        known: KNOWN,
    })?;
    let bytes = number * factor;
    if bytes >= u64::MAX as f64 {
        return Err(UnitError::Range { word: word.to_owned(), what: "size" });
    }
    Ok(Bytes(bytes.round() as u64))
}

/// Bytes in one `unit`; `None` if the unit is unknown.
pub(crate) fn byte_factor(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "B" | "b" => 1.0,
        "k" | "K" | "Ki" | "KiB" | "kiB" | "kib" => 1024.0,
        "m" | "M" | "Mi" | "MiB" | "mib" => 1024f64.powi(2),
        "g" | "G" | "Gi" | "GiB" | "gib" => 1024f64.powi(3),
        "t" | "T" | "Ti" | "TiB" | "tib" => 1024f64.powi(4),
        "kB" | "KB" | "kb" => 1e3,
        "MB" | "mb" => 1e6,
        "GB" | "gb" => 1e9,
        "TB" | "tb" => 1e12,
        _ => return None,
    })
}

/// Reads a duration: `500us`, `30ms`, `2s`, `1.5m`, `24h`. A bare number is seconds.
///
/// # Errors
/// Returns a [`UnitError`] that names the word and the known units.
pub fn duration(word: &str) -> Result<Nanos, UnitError> {
    let (number, unit) = number_and_unit(word, "time", "500us, 30ms, 20s or 2m")?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "ns" => 1.0,
        "us" | "µs" | "usec" => 1e3,
        "ms" | "msec" => 1e6,
        "" | "s" | "sec" | "second" | "seconds" => 1e9,
        "m" | "min" | "minute" | "minutes" => 60e9,
        "h" | "hour" | "hours" => 3600e9,
        "d" | "day" | "days" => 86_400e9,
        _ => {
            return Err(UnitError::Unit {
                word: word.to_owned(),
                what: "time",
                unit: unit.to_owned(),
                known: "ns, us, ms, s, m, h, d",
            });
        }
    };
    let nanos = number * factor;
    if nanos >= u64::MAX as f64 {
        return Err(UnitError::Range { word: word.to_owned(), what: "time" });
    }
    Ok(Nanos(nanos.round() as u64))
}

/// Reads a rate of bytes: `200MiB/s`, `125 MB/s`; the `/s` is optional.
///
/// # Errors
/// Returns a [`UnitError`] that names the word and the known units.
pub fn rate(word: &str) -> Result<BytesPerSecond, UnitError> {
    let (number, unit) = number_and_unit(word, "rate", "200MiB/s")?;
    let bare = unit.strip_suffix("/s").or_else(|| unit.strip_suffix("ps")).unwrap_or(unit);
    let factor = byte_factor(bare).ok_or_else(|| UnitError::Unit {
        word: word.to_owned(),
        what: "rate",
        unit: unit.to_owned(),
        known: "KiB/s, MiB/s, GiB/s (binary), kB/s, MB/s, GB/s (decimal)",
    })?;
    Ok(BytesPerSecond(number * factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_they_are_written() {
        for (word, bytes) in [
            ("4k", 4096),
            ("4KiB", 4096),
            ("4 KiB", 4096),
            ("1.5GiB", 1_610_612_736),
            ("10MB", 10_000_000),
            ("1,024", 1024),
            ("0", 0),
        ] {
            assert_eq!(size(word), Ok(Bytes(bytes)), "{word}");
        }
    }

    #[test]
    fn a_bad_size_names_the_word_and_what_would_do() {
        let text = size("4kk").unwrap_err().to_string();
        assert!(text.contains("'4kk'") && text.contains("'kk'") && text.contains("KiB"), "{text}");
        assert!(size("big").unwrap_err().to_string().contains("4k"));
        assert!(size("99999999999999999999T").is_err());
        assert!(size("-1").is_err());
    }

    #[test]
    fn times_and_rates() {
        assert_eq!(duration("30ms"), Ok(Nanos::from_millis(30)));
        assert_eq!(duration("1.5m"), Ok(Nanos::from_secs(90)));
        assert_eq!(duration("20"), Ok(Nanos::from_secs(20)));
        assert_eq!(rate("200MiB/s"), Ok(BytesPerSecond(209_715_200.0)));
        assert_eq!(rate("200 MB/s"), Ok(BytesPerSecond(200e6)));
        assert!(duration("3 fortnights").unwrap_err().to_string().contains("fortnights"));
    }

    #[test]
    fn thousands_are_told_apart() {
        let numbers = ["0", "999", "1000", "12800.54321", "1048576"];
        assert_eq!(numbers.map(grouped), ["0", "999", "1,000", "12,800.54321", "1,048,576"]);
    }

    #[test]
    fn quantities_print_in_the_unit_people_expect() {
        assert_eq!(Bytes::kib(4).to_string(), "4 KiB");
        assert_eq!(Bytes(1_610_612_736).to_string(), "1.5 GiB");
        assert_eq!(Nanos(612_000).to_string(), "612 µs");
        assert_eq!(Nanos(2_000_000_000).to_string(), "2.00 s");
        assert_eq!(Nanos(12_340_000).to_string(), "12.3 ms");
    }
}
