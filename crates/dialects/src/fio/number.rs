//! fio's grammar of numbers, sizes and times, with its silent traps turned into errors that say what was meant.

use workload::Nanos;

/// What a bare `k` stands for (fio's `kb_base`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KbBase {
    /// 1024; then `kib`, `mib`, `gib` are powers of 1000, which is fio's own way round.
    #[default]
    Binary,
    /// 1000; then `kib`, `mib`, `gib` are powers of 1024.
    Decimal,
}

/// The unit of a bare number where a time is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
}

/// Why a number could not be read; where fio would read something else in silence, the message says what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// Nothing is there.
    #[error("a value is needed")]
    Empty,
    /// There is no number in front.
    #[error("'{0}' does not start with a number")]
    NoNumber(String),
    /// The number has a fraction.
    #[error("'{word}': fio reads no fractions and would take {taken}; {meant}")]
    Fraction {
        /// What was typed.
        word: String,
        /// The number that fio would see.
        taken: String,
        /// What to write.
        meant: String,
    },
    /// What follows the number is no unit.
    #[error("'{word}': '{rest}' is no unit, and fio would pass over it or misread it; {meant}")]
    Rest {
        /// What was typed.
        word: String,
        /// What follows the number.
        rest: String,
        /// What to write.
        meant: String,
    },
    /// The number cannot be held.
    #[error("'{0}' is out of range")]
    Range(String),
    /// A number below zero.
    #[error("'{0}' is negative; a number from 0 on is needed")]
    Negative(String),
    /// Several values with a separator that fio takes for something else.
    #[error("'{word}': {meant}")]
    Separator {
        /// What was typed.
        word: String,
        /// What to write.
        meant: String,
    },
}

/// A number that was read, and whether its unit is one that people read otherwise than fio does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The value.
    pub value: i64,
    /// True where `kib`, `mib`, … was typed and means powers of 1000.
    pub thousands: bool,
}

/// Reads a whole number with an optional size suffix, or a hexadecimal one.
///
/// # Errors
/// [`NumberError`] names the word and what to write.
pub fn count(word: &str, base: KbBase) -> Result<Count, NumberError> {
    let (number, rest) = split(word)?;
    let lower = rest.to_ascii_lowercase();
    let factor = suffix_factor(&lower, base).ok_or_else(|| NumberError::Rest {
        word: word.to_owned(),
        rest: rest.to_owned(),
        meant: size_meant(&lower),
    })?;
    let value = number.checked_mul(factor).ok_or_else(|| NumberError::Range(word.to_owned()))?;
    Ok(Count { value, thousands: base == KbBase::Binary && lower.ends_with("ib") })
}

/// As [`count`], refusing numbers below zero.
///
/// # Errors
/// [`NumberError`] names the word and what to write.
pub fn natural(word: &str, base: KbBase) -> Result<Count, NumberError> {
    let count = count(word, base)?;
    if count.value < 0 {
        return Err(NumberError::Negative(word.to_owned()));
    }
    Ok(count)
}

/// Reads a time; a bare number has the unit `default`.
///
/// # Errors
/// [`NumberError`] names the word and what to write.
pub fn time(word: &str, default: TimeUnit) -> Result<Nanos, NumberError> {
    let (number, rest) = split(word)?;
    let lower = rest.to_ascii_lowercase();
    let unit: i64 = match lower.as_str() {
        "" => match default {
            TimeUnit::Seconds => 1_000_000_000,
            TimeUnit::Milliseconds => 1_000_000,
            TimeUnit::Microseconds => 1_000,
        },
        "d" => 86_400_000_000_000,
        "h" => 3_600_000_000_000,
        "m" => 60_000_000_000,
        "s" => 1_000_000_000,
        "ms" | "msec" => 1_000_000,
        "us" | "usec" => 1_000,
        _ => {
            let meant = time_meant(number, &lower);
            return Err(NumberError::Rest { word: word.to_owned(), rest: rest.to_owned(), meant });
        }
    };
    let nanos = number.checked_mul(unit).ok_or_else(|| NumberError::Range(word.to_owned()))?;
    u64::try_from(nanos).map(Nanos).map_err(|_| NumberError::Negative(word.to_owned()))
}

/// Splits a word into its whole number and what follows it. Blanks in front are passed over as long as nothing follows
/// the number, since that is how far fio reads them rightly.
fn split(word: &str) -> Result<(i64, &str), NumberError> {
    let trimmed = word.trim_start_matches([' ', '\t']);
    if trimmed.is_empty() {
        return Err(NumberError::Empty);
    }
    let (negative, unsigned) = match trimmed.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    let hex = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((unsigned, 10), |rest| (rest, 16));
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    if end == 0 {
        return Err(NumberError::NoNumber(word.to_owned()));
    }
    let rest = &digits[end..];
    let magnitude =
        u64::from_str_radix(&digits[..end], radix).map_err(|_| NumberError::Range(word.to_owned()))?;
    let number = i64::try_from(magnitude).map_err(|_| NumberError::Range(word.to_owned()))?;
    if let Some(fraction) = rest.strip_prefix('.') {
        return Err(fraction_error(word, number, fraction));
    }
    if !rest.is_empty() && trimmed.len() != word.len() {
        return Err(NumberError::Rest {
            word: word.to_owned(),
            rest: rest.to_owned(),
            meant: format!("a blank in front makes fio lose the unit; write {trimmed}"),
        });
    }
    Ok((if negative { -number } else { number }, rest))
}

fn suffix_factor(suffix: &str, base: KbBase) -> Option<i64> {
    let mut letters = suffix.chars();
    let power = match letters.next() {
        None => return Some(1),
        Some('b') if suffix == "b" => return Some(1),
        Some('k') => 1,
        Some('m') => 2,
        Some('g') => 3,
        Some('t') => 4,
        Some('p') => 5,
        Some(_) => return None,
    };
    let unit: i64 = match (letters.as_str(), base) {
        ("" | "b" | "i", KbBase::Binary) | ("ib", KbBase::Decimal) => 1024,
        ("ib", KbBase::Binary) | ("" | "b" | "i", KbBase::Decimal) => 1000,
        _ => return None,
    };
    unit.checked_pow(power)
}

fn size_meant(suffix: &str) -> String {
    match suffix {
        "%" | "%%" => "a percentage means nothing here; write a number".to_owned(),
        "z" => "zones are not supported; write a number of bytes".to_owned(),
        _ => "known are k, m, g, t and p, with an optional b".to_owned(),
    }
}

fn time_meant(number: i64, unit: &str) -> String {
    let letter = match unit {
        "sec" | "secs" | "second" | "seconds" => "s",
        "min" | "mins" | "minute" | "minutes" => "m",
        "hour" | "hours" | "hr" | "hrs" => "h",
        "day" | "days" => "d",
        _ => return "known are d, h, m, s, ms and us".to_owned(),
    };
    format!("write {number}{letter}")
}

/// Says how the fraction can be written without one, where the next smaller unit makes it whole.
fn fraction_error(word: &str, number: i64, fraction: &str) -> NumberError {
    let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
    let unit = fraction[end..].to_ascii_lowercase();
    let value = format!("{number}.{}", &fraction[..end]).parse::<f64>().unwrap_or(0.0);
    let smaller = match unit.as_str() {
        "p" => Some((1024.0, "t")),
        "t" => Some((1024.0, "g")),
        "g" => Some((1024.0, "m")),
        "m" => Some((1024.0, "k")),
        "s" => Some((1000.0, "ms")),
        "h" => Some((60.0, "m")),
        _ => None,
    };
    let meant = match smaller {
        Some((factor, name)) if (value * factor).fract() == 0.0 && value * factor < 1e15 => {
            format!("write {:.0}{name}", value * factor)
        }
        _ => "write a whole number".to_owned(),
    };
    NumberError::Fraction { word: word.to_owned(), taken: number.to_string(), meant }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(word: &str) -> i64 {
        count(word, KbBase::Binary).unwrap().value
    }

    /// Each of these was read by fio 3.33 as the number beside it.
    #[test]
    fn sizes_are_read_as_fio_reads_them() {
        for (word, bytes) in [
            ("4096b", 4096),
            ("4k", 4096),
            ("4K", 4096),
            ("4kb", 4096),
            ("4kB", 4096),
            ("4ki", 4096),
            ("4KiB", 4000),
            ("1m", 1 << 20),
            ("1mib", 1_000_000),
            ("4GiB", 4_000_000_000),
            ("0x1000", 4096),
            ("+4k", 4096),
            (" 4", 4),
            ("-20", -20),
        ] {
            assert_eq!(value(word), bytes, "{word}");
        }
        assert_eq!(count("4k", KbBase::Decimal).unwrap().value, 4000);
        assert_eq!(count("4ki", KbBase::Decimal).unwrap().value, 4000);
        assert_eq!(count("4kib", KbBase::Decimal).unwrap().value, 4096);
        assert!(count("4GiB", KbBase::Binary).unwrap().thousands);
        assert!(!count("4Gi", KbBase::Binary).unwrap().thousands);
    }

    /// fio takes each of these for something else and says nothing.
    #[test]
    fn silent_traps_say_what_was_meant() {
        let message = |word| count(word, KbBase::Binary).unwrap_err().to_string();
        assert!(message("1.5g").ends_with("write 1536m"), "{}", message("1.5g"));
        assert!(message("1.3g").contains("whole number"));
        assert!(message(" 8k").contains("write 8k"));
        for word in ["4x", "4kk", "4 k", "4e3", "70%"] {
            assert!(matches!(count(word, KbBase::Binary), Err(NumberError::Rest { .. })), "{word}");
        }
        let late = |word| time(word, TimeUnit::Seconds).unwrap_err().to_string();
        assert!(late("10sec").ends_with("write 10s"));
        assert!(late("1min").ends_with("write 1m"));
        assert!(late("2hours").ends_with("write 2h"));
        assert!(late("1.5s").ends_with("write 1500ms"));
    }

    #[test]
    fn times_are_read_as_fio_reads_them() {
        for (word, unit, nanos) in [
            ("120", TimeUnit::Seconds, 120_000_000_000),
            ("120s", TimeUnit::Seconds, 120_000_000_000),
            ("1S", TimeUnit::Seconds, 1_000_000_000),
            ("1000ms", TimeUnit::Seconds, 1_000_000_000),
            ("5msec", TimeUnit::Seconds, 5_000_000),
            ("7us", TimeUnit::Seconds, 7_000),
            ("2m", TimeUnit::Microseconds, 120_000_000_000),
            ("500", TimeUnit::Milliseconds, 500_000_000),
            ("3", TimeUnit::Microseconds, 3_000),
        ] {
            assert_eq!(time(word, unit), Ok(Nanos(nanos)), "{word}");
        }
    }

    proptest! {
        #[test]
        fn nothing_that_can_be_typed_panics(word in "\\PC{0,12}") {
            let _ = count(&word, KbBase::Binary);
            let _ = count(&word, KbBase::Decimal);
            let _ = time(&word, TimeUnit::Seconds);
        }

        #[test]
        fn a_plain_number_is_itself(number in 0i64..i64::MAX) {
            prop_assert_eq!(value(&number.to_string()), number);
            prop_assert_eq!(value(&format!("0x{number:x}")), number);
        }
    }
}
