//! fio's own reading of numbers, letter by letter: for `--fio-exact`, and to report what fio would read.
//!
//! A number is what the C library reads from the start of a word. The unit is looked for after the leading digits: for
//! bytes by its first letters, for times by the whole rest. fio silently ignores anything after it.

use options::power;
use workload::Nanos;

use super::units::{KbBase, NumberError, TimeUnit};

/// The greatest power of the base that fio knows: `p`, the fifth.
pub const POWER_MOST: u32 = 5;

/// A number, and whether a percent sign follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exact {
    /// The value; a percentage if `percent` is set.
    pub value: i64,
    /// Whether a percent sign follows the digits.
    pub percent: bool,
}

impl Exact {
    /// The value that fio stores if it expects no percentage: a percentage becomes minus one minus the number.
    pub fn stored(self) -> i64 {
        if self.percent { (-1_i64).wrapping_sub(self.value) } else { self.value }
    }
}

/// Reads the number that fio takes from `word`, with its size unit; it wraps as fio's does.
///
/// # Errors
/// If `word` does not start with a number, or the number exceeds 64 bits.
pub fn count(word: &str, base: KbBase) -> Result<Exact, NumberError> {
    let value = leading(word)?;
    let unit = behind_digits(word).to_ascii_lowercase();
    let percent = unit.starts_with('%');
    let factor = if percent { 1 } else { bytes(&unit, base) };
    Ok(Exact { value: value.wrapping_mul(factor), percent })
}

/// Reads the time that fio takes from `word`; a unit that is not exactly one of fio's is taken for microseconds.
///
/// # Errors
/// If `word` does not start with a number, the number exceeds 64 bits, or it is negative.
pub fn time(word: &str, default: TimeUnit) -> Result<Nanos, NumberError> {
    let value = leading(word)?;
    let unit = behind_digits(word).to_ascii_lowercase();
    let micros = match unit.as_str() {
        _ if !unit.starts_with(|c: char| c.is_ascii_alphabetic()) => match default {
            TimeUnit::Seconds => 1_000_000,
            TimeUnit::Milliseconds => 1_000,
            TimeUnit::Microseconds => 1,
        },
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ if unit.starts_with("ms") => 1_000,
        _ => 1,
    };
    let nanos = value.checked_mul(micros).and_then(|micros| micros.checked_mul(1_000));
    let nanos = nanos.ok_or_else(|| NumberError::Range(word.to_owned()))?;
    u64::try_from(nanos).map(Nanos).map_err(|_| NumberError::Negative(word.to_owned()))
}

/// Reads the switch that fio takes from `word`: any number except zero means on.
///
/// # Errors
/// If `word` does not start with a number.
pub fn switch(word: &str) -> Result<i64, NumberError> {
    leading(word).map(|value| i64::from(value as i32))
}

/// Reads the floating-point number at the start of `word`.
pub fn float(word: &str) -> Option<f64> {
    let word = word.trim_start();
    let fits = |end: &usize| word.get(..*end).is_some_and(|head| head.parse::<f64>().is_ok());
    let end = (1..=word.len()).rev().find(fits)?;
    word[..end].parse().ok().filter(|value: &f64| value.is_finite())
}

/// C's `strtoll`, in base 16 if the word has `0x` anywhere.
fn leading(word: &str) -> Result<i64, NumberError> {
    if word.ends_with(['z', 'Z']) {
        return Err(NumberError::misread(word, "zones are counted in options of zones alone"));
    }
    let radix = if word.contains("0x") || word.contains("0X") { 16 } else { 10 };
    let trimmed = word.trim_start_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    let negative = trimmed.starts_with('-');
    let unsigned = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
    let prefixed = (radix == 16).then(|| unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")));
    let digits = prefixed.flatten().filter(|rest| rest.starts_with(|c: char| c.is_ascii_hexdigit()));
    let digits = digits.unwrap_or(unsigned);
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    if end == 0 {
        return Err(NumberError::NoNumber(word.to_owned()));
    }
    let magnitude = i128::from_str_radix(&digits[..end], radix).unwrap_or(i128::MAX);
    let value = if negative { -magnitude } else { magnitude };
    match i64::try_from(value) {
        Ok(value) => Ok(value),
        Err(_) if negative => Ok(i64::MIN),
        Err(_) => Err(NumberError::Range(word.to_owned())),
    }
}

/// The text after the sign and the leading digits: after a leading blank the whole word, in which no unit is found.
fn behind_digits(word: &str) -> &str {
    let unsigned = word.trim_start_matches(['+', '-']);
    unsigned.trim_start_matches(|c: char| c.is_ascii_digit())
}

/// Bytes of a unit, which is recognised by its first letters.
fn bytes(unit: &str, base: KbBase) -> i64 {
    let plain: i64 = if base == KbBase::Binary { 1024 } else { 1000 };
    let other = if base == KbBase::Binary { 1000 } else { 1024 };
    let known = unit.chars().next().and_then(power).filter(|power| *power <= POWER_MOST);
    let Some(power) = known else { return 1 };
    let unit = if unit[1..].starts_with("ib") { other } else { plain };
    unit.pow(power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// fio 3.33 read each of these words this way.
    #[test]
    fn traps_are_read_as_fio_reads_them() {
        let value = |word| count(word, KbBase::Binary).unwrap().stored();
        for (word, read) in [
            (" 8k", 8),
            ("1.5g", 1),
            ("4x", 4),
            ("4kk", 4096),
            ("4 k", 4),
            ("0x10k", 16),
            ("10mb/s", 10 << 20),
            ("500ms", 500 << 20),
            ("70%", -71),
            ("10%x", -11),
            ("4GiB", 4_000_000_000),
            ("0xg", 0),
            ("-4k", -4096),
        ] {
            assert_eq!(value(word), read, "{word}");
        }
        for (word, micros) in
            [("10sec", 10), ("1min", 1), ("1.5s", 1_000_000), ("5msecs", 5_000), ("1s:5s", 1)]
        {
            assert_eq!(time(word, TimeUnit::Seconds), Ok(Nanos(micros * 1_000)), "{word}");
        }
        assert_eq!(float("99.5%"), Some(99.5));
        assert!(count("abc", KbBase::Binary).is_err() && count("", KbBase::Binary).is_err());
    }

    proptest! {
        #[test]
        fn nothing_that_can_be_typed_panics(word in "[-+0-9xkKmMgGiIbB%.:, \\PC]{0,24}") {
            let _ = count(&word, KbBase::Binary);
            let _ = count(&word, KbBase::Decimal);
            let _ = time(&word, TimeUnit::Seconds);
            let _ = (switch(&word), float(&word));
        }
    }
}
