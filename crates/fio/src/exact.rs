//! How fio itself reads numbers, letter by letter, whatever was meant: for `--fio-exact`, and to say what it would read.
//!
//! A number is what the C library takes from the front of the word; a unit is looked for behind the first digits, by its
//! beginning for bytes and whole for times; what follows is passed over in silence.

use options::power;
use workload::Nanos;

use super::units::{KbBase, NumberError, TimeUnit};

/// The greatest power fio knows: `p`.
pub const POWER_MOST: u32 = 5;

/// A number, and whether a percent sign follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    /// The value; in percent where `percent` is true.
    pub value: i64,
    /// True where a percent sign stands behind the digits.
    pub percent: bool,
}

impl Exact {
    /// What fio stores where it does not expect a percentage: the number from the other end.
    pub fn stored(self) -> i64 {
        if self.percent { (-1_i64).wrapping_sub(self.value) } else { self.value }
    }
}

/// The number that fio takes from `word`, with its size unit; it overflows as fio's does.
///
/// # Errors
/// Where no digit is in front, or the number is longer than 64 bits.
pub fn count(word: &str, base: KbBase) -> Result<Exact, NumberError> {
    let value = leading(word)?;
    let unit = behind_digits(word).to_ascii_lowercase();
    let percent = unit.starts_with('%');
    let factor = if percent { 1 } else { bytes(&unit, base) };
    Ok(Exact { value: value.wrapping_mul(factor), percent })
}

/// The time that fio takes from `word`; a unit that is not exactly one of its own counts microseconds.
///
/// # Errors
/// Where no digit is in front, the number is longer than 64 bits, or it is below zero.
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

/// The switch that fio takes from `word`: any digits but zero are on.
///
/// # Errors
/// Where no digit is in front.
pub fn switch(word: &str) -> Result<i64, NumberError> {
    leading(word).map(|value| i64::from(value as i32))
}

/// The floating-point number in front of `word`.
pub fn float(word: &str) -> Option<f64> {
    let word = word.trim_start();
    let fits = |end: &usize| word.get(..*end).is_some_and(|head| head.parse::<f64>().is_ok());
    let end = (1..=word.len()).rev().find(fits)?;
    word[..end].parse().ok().filter(|value: &f64| value.is_finite())
}

/// C's `strtoll`, to base 16 where the word has a `0x` anywhere.
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

/// What stands behind the sign and the first digits; nothing where a blank is in front, for there the search ends.
fn behind_digits(word: &str) -> &str {
    let unsigned = word.trim_start_matches(['+', '-']);
    unsigned.trim_start_matches(|c: char| c.is_ascii_digit())
}

/// Bytes of a unit by its beginning.
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

    /// Each of these was read so by fio 3.33.
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
