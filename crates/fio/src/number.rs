//! fio's grammar of numbers, sizes and times; words that fio would silently misread are errors with a suggestion.
//!
//! An accepted word has the value that fio gives it ([`super::exact`]). A word that fio would read as something nobody
//! means is refused, and the error suggests the word to write instead.

use options::power;
use workload::Nanos;

use super::exact::{self, Exact};
pub use super::units::{KbBase, NumberError, TimeUnit};

/// A parsed number, and whether people would read its unit differently from fio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    /// The value.
    pub value: i64,
    /// Whether `kib`, `mib`, … was typed and means a power of 1000.
    pub thousands: bool,
}

/// Reads a whole number with an optional size suffix, or a hexadecimal one.
///
/// # Errors
/// [`NumberError`], which names the word and its replacement.
pub fn count(word: &str, base: KbBase) -> Result<Count, NumberError> {
    let typed = split(word)?;
    let mut lower = typed.rest.trim_end().to_ascii_lowercase();
    if typed.is_negligible_fraction() {
        lower.clear();
    }
    let factor = suffix_factor(&lower, base).ok_or_else(|| misread_count(word, &typed, base))?;
    let value = typed.number.checked_mul(factor).ok_or_else(|| NumberError::Range(word.to_owned()))?;
    if exact::count(word, base).map(Exact::stored) != Ok(value) {
        return Err(misread_count(word, &typed, base));
    }
    Ok(Count { value, thousands: base == KbBase::Binary && lower.ends_with("ib") })
}

/// Reads a number as [`count`] does, and refuses negative ones.
///
/// # Errors
/// [`NumberError`], which names the word and its replacement.
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
/// [`NumberError`], which names the word and its replacement.
pub fn time(word: &str, default: TimeUnit) -> Result<Nanos, NumberError> {
    let typed = split(word)?;
    let lower = typed.rest.to_ascii_lowercase();
    let unit = match (lower.as_str(), default) {
        ("", TimeUnit::Seconds) => 1_000_000_000,
        ("", TimeUnit::Milliseconds) => 1_000_000,
        ("", TimeUnit::Microseconds) => 1_000,
        (_, TimeUnit::Milliseconds) => return Err(misread_milliseconds(word, &typed)),
        (unit, _) => unit_of_time(unit).ok_or_else(|| misread_time(word, &typed, default))?,
    };
    let nanos = typed.number.checked_mul(unit).ok_or_else(|| NumberError::Range(word.to_owned()))?;
    let nanos = u64::try_from(nanos).map(Nanos).map_err(|_| NumberError::Negative(word.to_owned()))?;
    if exact::time(word, default) == Ok(nanos) { Ok(nanos) } else { Err(misread_time(word, &typed, default)) }
}

/// A word split into a number and the rest.
struct NumberParts<'w> {
    number: i64,
    rest: &'w str,
    /// Whether the number is decimal, not hexadecimal.
    is_decimal: bool,
    /// Whether a blank precedes the number, which makes fio lose the unit.
    is_indented: bool,
}

impl NumberParts<'_> {
    /// Whether the rest is a fraction that does not matter: less than a thousandth, without a unit, as a script computes it.
    fn is_negligible_fraction(&self) -> bool {
        let digits = self.rest.strip_prefix('.').filter(|_| self.is_decimal && self.number.abs() >= 1000);
        digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    }
}

/// Splits a word into its whole number and what follows it.
fn split(word: &str) -> Result<NumberParts<'_>, NumberError> {
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
    let number =
        i64::from_str_radix(&digits[..end], radix).map_err(|_| NumberError::Range(word.to_owned()))?;
    // fio clamps a number that is too large to the greatest one, so the two look the same.
    if number == i64::MAX {
        return Err(NumberError::Range(word.to_owned()));
    }
    Ok(NumberParts {
        number: if negative { -number } else { number },
        rest: &digits[end..],
        is_decimal: radix == 10,
        is_indented: trimmed.len() != word.len(),
    })
}

fn suffix_factor(suffix: &str, base: KbBase) -> Option<i64> {
    let mut letters = suffix.chars();
    let power = match letters.next() {
        None => return Some(1),
        Some('b') if suffix == "b" => return Some(1),
        Some(letter) => power(letter).filter(|power| *power <= exact::POWER_MOST)?,
    };
    let unit: i64 = match (letters.as_str(), base) {
        ("" | "b" | "i", KbBase::Binary) | ("ib", KbBase::Decimal) => 1024,
        ("ib", KbBase::Binary) | ("" | "b" | "i", KbBase::Decimal) => 1000,
        _ => return None,
    };
    unit.checked_pow(power)
}

/// Nanoseconds of one of fio's units of time.
fn unit_of_time(unit: &str) -> Option<i64> {
    Some(match unit {
        "d" => 86_400_000_000_000,
        "h" => 3_600_000_000_000,
        "m" => 60_000_000_000,
        "s" => 1_000_000_000,
        "ms" | "msec" | "msecs" => 1_000_000,
        "us" | "usec" | "usecs" => 1_000,
        _ => return None,
    })
}

/// fio's unit for a word that people use instead.
fn time_letter(unit: &str) -> Option<&'static str> {
    Some(match unit.trim().trim_end_matches('.') {
        "s" | "sec" | "secs" | "second" | "seconds" => "s",
        "m" | "min" | "mins" | "minute" | "minutes" => "m",
        "h" | "hour" | "hours" | "hr" | "hrs" => "h",
        "d" | "day" | "days" => "d",
        "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => "ms",
        "us" | "usec" | "usecs" | "µs" | "microsecond" | "microseconds" => "us",
        _ => return None,
    })
}

fn misread_count(word: &str, typed: &NumberParts<'_>, base: KbBase) -> NumberError {
    let rest = typed.rest.trim_start();
    let lower = rest.to_ascii_lowercase();
    let fraction = rest.strip_prefix('.').filter(|_| typed.is_decimal);
    let why = match lower.as_str() {
        _ if fraction.is_some() => "fio reads no fractions".to_owned(),
        "%" | "%%" => "a percentage means nothing here".to_owned(),
        "z" => "zones are not supported".to_owned(),
        _ if !typed.is_decimal => "a hexadecimal number has no unit".to_owned(),
        _ if typed.is_indented && suffix_factor(&lower, base).is_some() => {
            "a blank in front makes fio lose the unit".to_owned()
        }
        _ if rest.contains(DASHES) => "the dash in it is a typographic one".to_owned(),
        _ => format!("'{rest}' is no unit; known are k, m, g, t and p"),
    };
    let write = match fraction {
        Some(fraction) => whole_bytes(typed.number, fraction, base),
        None if typed.is_decimal => {
            known_suffix(&lower, base).map(|suffix| format!("{}{suffix}", typed.number))
        }
        None => suffix_factor(&lower, base)
            .and_then(|factor| typed.number.checked_mul(factor))
            .map(|bytes| bytes.to_string()),
    };
    let taken = exact::count(word, base).map(|exact| exact.stored().to_string());
    NumberError::Misread { word: word.to_owned(), why: with_taken(why, taken.ok()), write }
}

/// Typographic dashes and minus signs.
pub const DASHES: [char; 6] = ['–', '—', '−', '‐', '‑', '‒'];

fn with_taken(why: String, taken: Option<String>) -> String {
    match taken {
        Some(taken) => format!("{why}, and fio would take {taken} without a word"),
        None => why,
    }
}

/// The unit at the start of `suffix`, if only a rate's or a plural's ending follows.
fn known_suffix(suffix: &str, base: KbBase) -> Option<String> {
    let bare = suffix.trim_end();
    let bare = ["/s", "/sec", "ps", "yte", "ytes", "s"]
        .iter()
        .find_map(|end| bare.strip_suffix(end))
        .unwrap_or(bare);
    let starts = |c: char| "kmgtpb".contains(c);
    (bare.starts_with(starts) && suffix_factor(bare, base).is_some()).then(|| bare.to_owned())
}

/// Writes a number with a fraction as a whole number of the next smaller unit that allows it.
fn whole_bytes(number: i64, fraction: &str, base: KbBase) -> Option<String> {
    let (value, unit) = fraction_and_unit(number, fraction)?;
    let letters = ["", "k", "m", "g", "t", "p"];
    let at = letters.iter().position(|letter| *letter == unit.trim_end_matches('b'))?;
    let step = if base == KbBase::Binary { 1024.0 } else { 1000.0 };
    smaller(value, letters[..at].iter().rev().map(|letter| (step, *letter)))
}

fn whole_time(number: i64, fraction: &str) -> Option<String> {
    let (value, unit) = fraction_and_unit(number, fraction)?;
    let units = ["d", "h", "m", "s", "ms", "us"];
    let letter = if unit.is_empty() { "s" } else { time_letter(&unit)? };
    let at = units.iter().position(|unit| *unit == letter)?;
    let steps = [24.0, 60.0, 60.0, 1000.0, 1000.0];
    smaller(value, steps[at..].iter().copied().zip(units[at + 1..].iter().copied()))
}

fn fraction_and_unit(number: i64, fraction: &str) -> Option<(f64, String)> {
    let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
    let value = format!("{number}.{}", &fraction[..end]).parse().ok()?;
    Some((value, fraction[end..].trim().to_ascii_lowercase()))
}

/// `value` in the first of the smaller units in which it is a whole number.
fn smaller<'u>(mut value: f64, units: impl Iterator<Item = (f64, &'u str)>) -> Option<String> {
    for (step, unit) in units {
        value *= step;
        if value.fract() == 0.0 && value.abs() < 1e15 {
            return Some(format!("{value:.0}{unit}"));
        }
    }
    None
}

fn misread_time(word: &str, typed: &NumberParts<'_>, default: TimeUnit) -> NumberError {
    let lower = typed.rest.trim().to_lowercase();
    let (why, write) = match lower.strip_prefix('.').filter(|_| typed.is_decimal) {
        Some(fraction) => ("fio reads no fractions".to_owned(), whole_time(typed.number, fraction)),
        None if typed.is_indented && unit_of_time(&lower).is_some() => {
            ("a blank in front makes fio lose the unit".to_owned(), Some(format!("{}{lower}", typed.number)))
        }
        None => {
            let write = time_letter(&lower).map(|letter| format!("{}{letter}", typed.number));
            let write = write.or_else(|| added_up(&format!("{}{lower}", typed.number)));
            (format!("'{}' is no unit; known are d, h, m, s, ms and us", typed.rest.trim()), write)
        }
    };
    let taken = exact::time(word, default).map(|nanos| format!("{} us", nanos.0 / 1_000));
    NumberError::Misread { word: word.to_owned(), why: with_taken(why, taken.ok()), write }
}

/// Sum in seconds of several times in one word, such as `1m30s`.
fn added_up(word: &str) -> Option<String> {
    let mut rest = word;
    let mut seconds: i64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let unit = rest[digits..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |end| digits + end);
        let nanos = unit_of_time(time_letter(&rest[digits..unit])?)?;
        let more = rest[..digits].parse::<i64>().ok()?.checked_mul(nanos / 1_000_000_000)?;
        seconds = seconds.checked_add(more)?;
        rest = &rest[unit..];
    }
    (seconds > 0).then(|| format!("{seconds}s"))
}

fn misread_milliseconds(word: &str, typed: &NumberParts<'_>) -> NumberError {
    let unit = time_letter(&typed.rest.trim().to_lowercase()).and_then(unit_of_time);
    let millis =
        unit.filter(|unit| *unit >= 1_000_000).and_then(|unit| typed.number.checked_mul(unit / 1_000_000));
    let taken = exact::count(word, KbBase::Binary).map(|exact| format!("{} ms", exact.stored()));
    NumberError::Misread {
        word: word.to_owned(),
        why: with_taken("this is a number of milliseconds without a unit".to_owned(), taken.ok()),
        write: millis.map(|millis| millis.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(word: &str) -> i64 {
        count(word, KbBase::Binary).unwrap().value
    }

    /// fio 3.33 read each of these as the number beside it.
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
            ("8k ", 8192),
            ("-20", -20),
            ("010", 10),
            ("62042991939.50", 62_042_991_939),
        ] {
            assert_eq!(value(word), bytes, "{word}");
        }
        assert_eq!(count("4k", KbBase::Decimal).unwrap().value, 4000);
        assert_eq!(count("4ki", KbBase::Decimal).unwrap().value, 4000);
        assert_eq!(count("4kib", KbBase::Decimal).unwrap().value, 4096);
        assert!(count("4GiB", KbBase::Binary).unwrap().thousands);
        assert!(!count("4Gi", KbBase::Binary).unwrap().thousands);
    }

    /// fio silently takes each of these words for something else.
    #[test]
    fn silent_traps_say_what_was_meant() {
        for (word, write, taken) in [
            ("1.5g", Some("1536m"), "take 1 "),
            ("0.5k", Some("512"), "take 0 "),
            ("1.3g", None, "take 1 "),
            ("999.5", None, "take 999 "),
            ("1000.5k", Some("1024512"), "take 1000 "),
            (" 8k", Some("8k"), "take 8 "),
            ("4 k", Some("4k"), "take 4 "),
            ("4x", None, "take 4 "),
            ("4kk", None, "take 4096 "),
            ("4e3", None, "take 4 "),
            ("70%", None, "take -71 "),
            ("0x10k", Some("16384"), "take 16 "),
            ("10mb/s", Some("10mb"), "take 10485760 "),
            ("10mbps", Some("10mb"), "take 10485760 "),
            ("4k–8k", None, "typographic"),
        ] {
            let error = count(word, KbBase::Binary).unwrap_err();
            assert_eq!(error.correction(), write.map(|write| (word, write)), "{error}");
            assert!(error.to_string().contains(taken), "{error}");
        }
        for (word, write, taken) in [
            ("10sec", Some("10s"), "10 us"),
            ("1min", Some("1m"), "1 us"),
            ("2 hours", Some("2h"), "2000000 us"),
            ("1.5s", Some("1500ms"), "1000000 us"),
            ("1.5", Some("1500ms"), "1000000 us"),
            ("1m30s", Some("90s"), "1 us"),
            ("5x", None, "5 us"),
            (" 10m", Some("10m"), "10000000 us"),
        ] {
            let error = time(word, TimeUnit::Seconds).unwrap_err();
            assert_eq!(error.correction(), write.map(|write| (word, write)), "{error}");
            assert!(error.to_string().contains(taken), "{error}");
        }
        let error = time("500ms", TimeUnit::Milliseconds).unwrap_err();
        assert_eq!(error.correction(), Some(("500ms", "500")), "{error}");
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
            (" 10s", TimeUnit::Seconds, 10_000_000_000),
            ("2m", TimeUnit::Microseconds, 120_000_000_000),
            ("500", TimeUnit::Milliseconds, 500_000_000),
            ("3", TimeUnit::Microseconds, 3_000),
        ] {
            assert_eq!(time(word, unit), Ok(Nanos(nanos)), "{word}");
        }
    }

    const NUMBERS: &str = "[ +-]{0,1}(0x)?[0-9]{0,6}[.,]?[0-9a-zA-Z%:/ ]{0,4}";

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

        /// The guard only refuses more: what it lets pass has fio's own value.
        #[test]
        fn what_passes_has_fios_value(word in NUMBERS) {
            for base in [KbBase::Binary, KbBase::Decimal] {
                if let Ok(count) = count(&word, base) {
                    prop_assert_eq!(exact::count(&word, base).map(Exact::stored), Ok(count.value));
                }
            }
            for unit in [TimeUnit::Seconds, TimeUnit::Microseconds] {
                if let Ok(nanos) = time(&word, unit) {
                    prop_assert_eq!(exact::time(&word, unit), Ok(nanos));
                }
            }
        }
    }
}
