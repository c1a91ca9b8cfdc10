//! Byte patterns: a sequence of text, numbers, offset placeholders and file contents.

use std::io;

use workload::Pattern as Bits;

use super::number::NumberError;
use super::value::ValueError;

/// Longest pattern that fio accepts since 3.34, in bytes; earlier versions cut a file to 512 bytes.
pub const MOST: usize = 128 << 20;

/// A file named in a pattern, with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternFile {
    name: String,
    /// All bytes of the file, or more than [`MOST`] of them; or why it cannot be read.
    bytes: Result<Vec<u8>, String>,
}

/// Returns the files that the pattern `word` names, read by `read`.
pub(super) fn files(word: &str, read: &dyn Fn(&str) -> io::Result<Vec<u8>>) -> Vec<PatternFile> {
    let mut files = Vec::new();
    let mut rest = word;
    while let Some(at) = rest.find(['"', '\'']) {
        let (quote, behind) = (&rest[at..=at], &rest[at + 1..]);
        let Some((text, after)) = behind.split_once(quote) else { break };
        if quote == "'" {
            files.push(PatternFile {
                name: text.to_owned(),
                bytes: read(text)
                    .map_err(|error| error.raw_os_error().map_or(error.to_string(), options::errno_text)),
            });
        }
        rest = after;
    }
    files
}

/// Returns the error of a word that cannot be read, with what would be right.
pub(super) fn wrong(word: &str, meant: impl Into<String>) -> ValueError {
    NumberError::misread(word, meant).into()
}

/// Reads a sequence of text in double quotes, `0x…`, decimal numbers and `%o`; single quotes enclose the name of one of
/// `files`, whose bytes are inserted.
///
/// # Errors
/// [`ValueError`], which says which part is wrong and what would be valid.
pub(super) fn read(word: &str, files: &[PatternFile]) -> Result<Bits, ValueError> {
    let mut bits = Bits::default();
    let mut rest = word.trim();
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '"' => quoted(word, &rest[1..], &mut bits)?,
            '\'' => contents(word, &rest[1..], (files, &mut bits))?,
            '%' if rest.starts_with("%o") => {
                bits.offsets.push(bits.bytes.len() as u32);
                bits.bytes.extend([0; 8]);
                &rest[2..]
            }
            _ if rest.starts_with("0x") || rest.starts_with("0X") => {
                hexadecimal(word, &rest[2..], &mut bits)?
            }
            '-' | '0'..='9' => decimal(word, rest, &mut bits)?,
            other => {
                return Err(wrong(
                    word,
                    format!(
                        "'{other}' begins no part of a pattern; put text into double quotes, numbers as 0x… or decimal"
                    ),
                ));
            }
        };
    }
    match bits.bytes.len() {
        0 => Err(wrong(word, "a pattern needs at least one byte")),
        1..=MOST => Ok(bits),
        _ => Err(ValueError::TooMany(MOST)),
    }
}

fn quoted<'w>(word: &str, rest: &'w str, bits: &mut Bits) -> Result<&'w str, ValueError> {
    let (text, rest) = rest.split_once('"').ok_or_else(|| wrong(word, "the closing quote is missing"))?;
    bits.bytes.extend(text.as_bytes());
    Ok(rest)
}

/// Appends the bytes in the order written; if the number of digits is odd, the first digit is a byte of its own.
fn hexadecimal<'w>(word: &str, rest: &'w str, bits: &mut Bits) -> Result<&'w str, ValueError> {
    let end = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
    let (digits, rest) = rest.split_at(end);
    if digits.is_empty() {
        return Err(wrong(word, "no hexadecimal digit follows 0x"));
    }
    let values: Vec<u8> =
        digits.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    let odd = values.len() % 2;
    bits.bytes.extend(&values[..odd]);
    bits.bytes.extend(values[odd..].chunks(2).map(|pair| pair[0] << 4 | pair[1]));
    Ok(rest)
}

/// Appends a number, least significant byte first, in as few bytes as possible; a negative number takes four or eight.
fn decimal<'w>(word: &str, rest: &'w str, bits: &mut Bits) -> Result<&'w str, ValueError> {
    let mut end = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |at| at + 1);
    // A zero before an x begins the next number, as in -120xdeadface.
    if end > 1 && (rest[end - 1..].starts_with("0x") || rest[end - 1..].starts_with("0X")) {
        end -= 1;
    }
    let (digits, rest) = rest.split_at(end);
    let value: i64 =
        digits.parse().map_err(|_| wrong(word, format!("'{digits}' is no number of 64 bits")))?;
    let bytes = value.to_le_bytes();
    let length = match value {
        0.. => bytes.iter().rposition(|&byte| byte != 0).map_or(1, |last| last + 1),
        _ if i32::try_from(value).is_ok() => 4,
        _ => 8,
    };
    bits.bytes.extend(&bytes[..length]);
    Ok(rest)
}

/// Appends the bytes of a file.
fn contents<'w>(
    word: &str,
    rest: &'w str,
    (files, bits): (&[PatternFile], &mut Bits),
) -> Result<&'w str, ValueError> {
    let (name, rest) = rest.split_once('\'').ok_or_else(|| wrong(word, "the closing quote is missing"))?;
    let known = files.iter().find(|file| file.name == name).map(|file| file.bytes.as_ref());
    let bytes = match known {
        Some(Ok(bytes)) if !bytes.is_empty() => bytes,
        Some(Ok(_)) => return Err(wrong(word, format!("the file {name} is empty; a pattern needs bytes"))),
        Some(Err(why)) => return Err(wrong(word, format!("the file {name} cannot be read: {why}"))),
        None => return Err(wrong(word, format!("the file {name} cannot be read here"))),
    };
    if bits.bytes.len() + bytes.len() > MOST {
        return Err(wrong(
            word,
            format!("with the file {name} the pattern has more than {} MiB", MOST >> 20),
        ));
    }
    bits.bytes.extend(bytes);
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_from(word: &str) -> Result<Bits, ValueError> {
        let there = |name: &str| match name {
            "f" => Ok(b"file".to_vec()),
            "long" => Ok(vec![7; 1000]),
            "longest" => Ok(vec![7; MOST]),
            "empty" => Ok(Vec::new()),
            _ => Err(io::Error::from_raw_os_error(2)),
        };
        read(word, &files(word, &there))
    }

    #[test]
    fn files_stand_among_text_and_numbers() {
        assert_eq!(read_from(r#""it's"'f'12"#).unwrap().bytes, b"it'sfile\x0c");
        assert_eq!(read_from("'long'").unwrap().bytes, [7; 1000]);
        let offsets = read_from("'f'%o").unwrap();
        assert_eq!((offsets.bytes.len(), offsets.offsets), (12, vec![4]));
    }

    #[test]
    fn files_that_give_no_bytes_are_named() {
        for (word, why) in [
            ("'nope'", "the file nope cannot be read: No such file or directory"),
            ("'empty'", "the file empty is empty"),
            ("12'longest'", "with the file longest the pattern has more than 128 MiB"),
            ("'f", "the closing quote is missing"),
        ] {
            let error = read_from(word).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
