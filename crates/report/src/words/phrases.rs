//! Parts of sentences: directions, names in quotes, error numbers.

use workload::Direction;

use super::numbers;
use super::wrap::clean;

/// Returns the C library's message for an error number, for errors of block devices and files.
pub fn error_words(errno: i32) -> String {
    let words = match errno {
        1 => "operation not permitted",
        5 => "input/output error",
        9 => "bad file descriptor",
        11 => "resource temporarily unavailable",
        12 => "out of memory",
        13 => "permission denied",
        16 => "device or resource busy",
        19 => "no such device",
        22 => "invalid argument",
        27 => "file too large",
        28 => "no space left on device",
        30 => "read-only file system",
        61 => "no data available",
        84 => "invalid or incomplete data",
        95 => "operation not supported",
        110 => "timed out",
        117 => "structure needs cleaning",
        121 => "remote I/O error",
        122 => "disk quota exceeded",
        _ => return format!("errno {errno}"),
    };
    format!("{words} (errno {errno})")
}

/// Returns `reads`, `writes`, `trims` or `flushes`.
pub fn plural(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "reads",
        Direction::Write => "writes",
        Direction::Trim => "trims",
        Direction::Flush => "flushes",
    }
}

/// Quotes a name, without control characters.
pub fn quoted(name: &str) -> String {
    format!("'{}'", clean(name))
}

/// Returns the text with its first letter in upper case.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether an error means that a file system, a quota or a size limit is exhausted, which says nothing about the
/// device.
pub fn is_full(errno: i32) -> bool {
    // EFBIG, ENOSPC and EDQUOT of Linux (errno(3)).
    [27, 28, 122].contains(&errno)
}

pub(super) fn failures(count: u64) -> String {
    match count {
        1 => "An I/O failed".to_owned(),
        several => format!("{} I/Os failed", numbers::count(several as f64)),
    }
}
