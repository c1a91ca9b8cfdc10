//! Numbers as DiskSpd reads them: strict sizes with `K M G T b`, and lenient counts.

use options::power;

/// The greatest power that DiskSpd knows: `T`, the fourth.
const POWER_MOST: u32 = 4;

/// Why a word is not a size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeError {
    /// Offset in the text, in bytes.
    pub at: usize,
    /// The problem at that offset.
    pub why: String,
    /// A valid replacement, if it is known.
    pub instead: Option<String>,
}

/// Reads `<digits>[K|M|G|T|B]` with nothing after it; `B` counts blocks of `block` bytes.
///
/// # Errors
/// [`SizeError`], with the place.
pub fn size(text: &str, block: u32) -> Result<u64, SizeError> {
    let (value, rest) = leading_size(text, block)?;
    if rest.is_empty() {
        return Ok(value);
    }
    let at = text.len() - rest.len();
    let behind_unit = text[..at].ends_with(|c: char| c.is_ascii_alphabetic());
    Err(SizeError { at, why: unexpected(rest, behind_unit), instead: corrected(text, at) })
}

fn unexpected(rest: &str, behind_unit: bool) -> String {
    let first = rest.chars().next().unwrap_or(' ');
    match (first, behind_unit) {
        (' ', _) => "a size has no blank inside".to_owned(),
        ('.' | ',', _) => format!("'{first}' is no part of a size: only whole numbers can be given"),
        (_, true) => format!("'{rest}' follows the unit: a size ends with one letter, K, M, G, T or B"),
        (_, false) => {
            format!("'{first}' is no unit: K, M, G and T are powers of 1024, B counts blocks")
        }
    }
}

/// The size that was probably meant by `text`, which is valid up to `at`.
fn corrected(text: &str, at: usize) -> Option<String> {
    let (head, rest) = text.split_at(at);
    let unit = rest.trim_start().chars().next()?;
    let behind_unit = head.ends_with(|c: char| c.is_ascii_alphabetic());
    let tail = rest.trim().to_ascii_lowercase();
    match tail.as_str() {
        "b" | "ib" if behind_unit => Some(head.to_owned()),
        _ if !behind_unit && "kmgtbKMGTB".contains(unit) && rest.starts_with(' ') => {
            Some(format!("{head}{unit}"))
        }
        _ => None,
    }
}

/// Reads the size at the start of `text`, and returns it with the rest of the text.
///
/// # Errors
/// [`SizeError`] if there is no digit, or if the number exceeds 64 bits.
pub fn leading_size(text: &str, block: u32) -> Result<(u64, &str), SizeError> {
    let (number, rest) = leading_number(text)?;
    let too_great = || SizeError {
        at: 0,
        why: "this is more than 64 bits can hold, 18446744073709551615 bytes".to_owned(),
        instead: None,
    };
    let Some(letter) = rest.chars().next() else { return Ok((number, rest)) };
    let unit = match power(letter) {
        Some(power) if power <= POWER_MOST => 1024_u64.pow(power),
        _ if letter.eq_ignore_ascii_case(&'b') => u64::from(block),
        _ => return Ok((number, rest)),
    };
    Ok((number.checked_mul(unit).ok_or_else(too_great)?, &rest[1..]))
}

/// Reads the whole number at the start of `text`, and returns it with the rest of the text.
///
/// # Errors
/// [`SizeError`], as for [`leading_size`].
pub fn leading_number(text: &str) -> Result<(u64, &str), SizeError> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    if number.is_empty() {
        let why = match rest.chars().next() {
            None => "a number is missing".to_owned(),
            Some('-') => "a number below 0 makes no sense here".to_owned(),
            Some(other) => format!("a number must stand here, not '{other}'"),
        };
        return Err(SizeError { at: 0, why, instead: None });
    }
    let why = "this is more than 64 bits can hold".to_owned();
    number.parse().map(|value| (value, rest)).map_err(|_| SizeError { at: 0, why, instead: None })
}

/// Reads a count as C's `atoi` does: blanks, a sign, digits. The rest is ignored, and without digits the count is 0. A
/// number beyond 32 bits is clamped.
pub fn count(text: &str) -> i64 {
    let text = text.trim_start_matches([' ', '\t']);
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut value: i64 = 0;
    for digit in digits.bytes().take_while(u8::is_ascii_digit) {
        value = (value * 10 + i64::from(digit - b'0')).min(i64::from(i32::MAX));
    }
    sign * value
}

/// Whether `text` consists of digits only, so that lenient parsing uses all of it.
pub fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
