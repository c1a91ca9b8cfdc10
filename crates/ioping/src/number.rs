//! Numbers as ioping reads them: a number or a fraction, then a unit in either case, without a blank in between.

/// The quantity that a number expresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Anything, in powers of 1000.
    Count,
    /// Bytes, in powers of 1024.
    Size,
    /// Time in nanoseconds; a number without a unit is in seconds.
    Time,
}

/// Why a number cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// A suffix that is not a unit.
    #[error("invalid suffix: \"{suffix}\"")]
    Suffix {
        /// The suffix as typed.
        suffix: String,
        /// The valid units.
        units: &'static str,
    },
    /// A number that is negative or too large.
    #[error("integer overflow at parsing argument: {0}")]
    Overflow(String),
    /// A fraction with a zero denominator.
    #[error("division by zero in parsing argument: {0}")]
    Division(String),
    /// A word without a number.
    #[error("no number in \"{0}\"")]
    Missing(String),
}

const KIB: u64 = 1 << 10;
const SIZES: &[(&str, u64)] = &[
    ("b", 1),
    ("sector", 512),
    ("page", 4096),
    ("k", KIB),
    ("kb", KIB),
    ("kib", KIB),
    ("m", KIB << 10),
    ("mb", KIB << 10),
    ("mib", KIB << 10),
    ("g", KIB << 20),
    ("gb", KIB << 20),
    ("gib", KIB << 20),
    ("t", KIB << 30),
    ("tb", KIB << 30),
    ("tib", KIB << 30),
    ("p", KIB << 40),
    ("pb", KIB << 40),
    ("pib", KIB << 40),
    ("eb", KIB << 50),
    ("eib", KIB << 50),
];
const TIMES: &[(&str, u64)] = &[
    ("ns", 1),
    ("nsec", 1),
    ("us", 1_000),
    ("usec", 1_000),
    ("ms", 1_000_000),
    ("msec", 1_000_000),
    ("s", 1_000_000_000),
    ("sec", 1_000_000_000),
    ("m", 60_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("hour", 3_600_000_000_000),
];
const COUNTS: &[(&str, u64)] = &[
    ("da", 10),
    ("k", 1_000),
    ("m", 1_000_000),
    ("g", 1_000_000_000),
    ("t", 1_000_000_000_000),
    ("p", 1_000_000_000_000_000),
    ("e", 1_000_000_000_000_000_000),
];

impl Unit {
    fn table(self) -> (&'static [(&'static str, u64)], u64) {
        match self {
            Unit::Count => (COUNTS, 1),
            Unit::Size => (SIZES, 1),
            Unit::Time => (TIMES, 1_000_000_000),
        }
    }

    fn names(self) -> &'static str {
        match self {
            Unit::Count => "k, m, g, t, p, e, da",
            Unit::Size => "k, m, g, t, p (also KiB, kb, ...), b, sector, page",
            Unit::Time => "ns, us, ms, s, m, h (also usec, msec, sec, min, hour)",
        }
    }
}

/// Reads the number in `word`, in base units (nanoseconds for a time); a fractional part is truncated.
///
/// # Errors
/// [`NumberError`]. An empty word or a bare unit, which ioping takes for zero and thus sometimes for "no end", is an
/// error here.
pub fn read(word: &str, unit: Unit) -> Result<u64, NumberError> {
    let overflow = || NumberError::Overflow(word.to_owned());
    let Some((upper, rest)) = float(word.trim_start()) else {
        // A bare unit is not a number.
        factor(word, unit)?;
        return Err(NumberError::Missing(word.to_owned()));
    };
    let (lower, suffix) = match rest.strip_prefix('/') {
        Some(rest) => float(rest).unwrap_or((0.0, rest)),
        None => (1.0, rest),
    };
    if lower == 0.0 {
        return Err(NumberError::Division(word.to_owned()));
    }
    let factor = factor(suffix, unit)?;
    let value = upper / lower * factor as f64;
    let whole = word.trim_start().strip_suffix(suffix).and_then(|digits| digits.parse::<u64>().ok());
    match whole {
        Some(whole) => whole.checked_mul(factor).filter(|&value| value < MOST).ok_or_else(overflow),
        None if value >= 0.0 && value < MOST as f64 => Ok(value as u64),
        None => Err(overflow()),
    }
}

/// Limit that a number must not reach: counters are signed in ioping.
const MOST: u64 = i64::MAX as u64;

fn factor(suffix: &str, unit: Unit) -> Result<u64, NumberError> {
    let (table, bare) = unit.table();
    if suffix.is_empty() {
        return Ok(bare);
    }
    let known = table.iter().find(|(name, _)| name.eq_ignore_ascii_case(suffix));
    let unknown = || NumberError::Suffix { suffix: suffix.to_owned(), units: unit.names() };
    known.map(|&(_, factor)| factor).ok_or_else(unknown)
}

/// Reads the floating-point number at the start of `word` as C's `strtod` does (a hexadecimal integer too); returns the rest.
fn float(word: &str) -> Option<(f64, &str)> {
    let unsigned = word.trim_start_matches(['+', '-']);
    if word.len() - unsigned.len() > 1 {
        return None;
    }
    let sign = if word.starts_with('-') { -1.0 } else { 1.0 };
    if let Some(hex) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        let value = u64::from_str_radix(&hex[..end], 16).ok()?;
        return Some((sign * value as f64, &hex[end..]));
    }
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let mut end = digits(unsigned);
    if unsigned[end..].starts_with('.') {
        end += 1 + digits(&unsigned[end + 1..]);
    }
    if !unsigned[..end].contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // An `e` belongs to the number only if an exponent follows; otherwise it is a unit.
    if let Some(exponent) = unsigned[end..].strip_prefix(['e', 'E']) {
        let signed = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let length = digits(signed);
        if length > 0 {
            end += 1 + (exponent.len() - signed.len()) + length;
        }
    }
    let value: f64 = unsigned[..end].parse().ok()?;
    Some((sign * value, &unsigned[end..]))
}

#[cfg(test)]
mod tests {
    use super::Unit::{Count, Size, Time};
    use super::*;

    #[test]
    fn every_unit_of_the_tables_is_read_in_either_case() {
        for unit in [Count, Size, Time] {
            for (name, factor) in unit.table().0 {
                assert_eq!(read(&format!("3{name}"), unit), Ok(3 * factor), "{name}");
                assert_eq!(read(&format!("3{}", name.to_uppercase()), unit), Ok(3 * factor), "{name}");
            }
        }
    }

    #[test]
    fn numbers_may_be_fractions_exponents_and_hexadecimal() {
        let cases = [
            ("0.5", Time, 500_000_000),
            ("1/3", Time, 333_333_333),
            ("3/2k", Count, 1_500),
            ("1/.5k", Count, 2_000),
            (".5k", Count, 500),
            ("1.5", Count, 1),
            ("1.999", Count, 1),
            ("1e1", Count, 10),
            ("1e+2", Count, 100),
            ("1e", Count, 1_000_000_000_000_000_000),
            ("0.1e1k", Count, 1_000),
            ("0x10", Count, 16),
            (" 5", Count, 5),
            ("+3", Count, 3),
            ("-0", Count, 0),
            ("1.5k", Size, 1536),
            ("2page", Size, 8192),
            ("7", Size, 7),
            ("2", Time, 2_000_000_000),
        ];
        for (word, unit, value) in cases {
            assert_eq!(read(word, unit), Ok(value), "{word}");
        }
    }

    #[test]
    fn what_is_no_number_is_named() {
        let told = |word: &str, unit| read(word, unit).map_err(|error| error.to_string());
        for (word, unit, message) in [
            ("x", Count, "invalid suffix: \"x\""),
            ("", Count, "no number in \"\""),
            ("k", Count, "no number in \"k\""),
            ("4 k", Count, "invalid suffix: \" k\""),
            ("5 ", Count, "invalid suffix: \" \""),
            ("3k/2", Count, "invalid suffix: \"k/2\""),
            ("1/2/2", Count, "invalid suffix: \"/2\""),
            ("1.2.3", Count, "invalid suffix: \".3\""),
            ("2sectors", Size, "invalid suffix: \"sectors\""),
            ("1minute", Time, "invalid suffix: \"minute\""),
            ("-1", Count, "integer overflow at parsing argument: -1"),
            ("1/-1", Count, "integer overflow at parsing argument: 1/-1"),
            ("99999999999999999999", Count, "integer overflow at parsing argument: 99999999999999999999"),
            ("17179869184g", Size, "integer overflow at parsing argument: 17179869184g"),
            ("1/0", Size, "division by zero in parsing argument: 1/0"),
            ("1//2", Count, "division by zero in parsing argument: 1//2"),
            ("1/k", Count, "division by zero in parsing argument: 1/k"),
        ] {
            assert_eq!(told(word, unit), Err(message.to_owned()), "{word}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_word_makes_the_reader_panic(word in "\\PC{0,12}") {
            for unit in [Count, Size, Time] {
                let _ = read(&word, unit);
            }
        }

        #[test]
        fn a_whole_number_is_read_exactly(number in 0u64..1 << 62) {
            proptest::prop_assert_eq!(read(&number.to_string(), Count), Ok(number));
        }
    }
}
