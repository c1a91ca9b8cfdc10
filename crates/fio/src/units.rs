//! Meanings of a bare letter and of a bare number, and the reasons why a number cannot be read.

/// Meaning of a bare `k` (fio's `kb_base`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KbBase {
    /// 1024; then `kib`, `mib`, `gib` are powers of 1000, which is fio's own way round.
    #[default]
    Binary,
    /// 1000; then `kib`, `mib`, `gib` are powers of 1024.
    Decimal,
}

/// Unit of a time typed as a bare number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds. fio reads a count here, not a time, so a unit of time would be misread.
    Milliseconds,
    /// Microseconds.
    Microseconds,
}

/// Why a number could not be read. If fio would silently read something else, the message says so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// Nothing was typed.
    #[error("a value is needed")]
    Empty,
    /// No number at the start.
    #[error("'{0}' does not start with a number")]
    NoNumber(String),
    /// A word that fio would read as something other than the user means.
    #[error("'{word}': {why}{}", advice(write))]
    Misread {
        /// The word.
        word: String,
        /// The problem, and what fio would read.
        why: String,
        /// The replacement, if it is known.
        write: Option<String>,
    },
    /// A number that is too large.
    #[error("'{0}' is out of range")]
    Range(String),
    /// A negative number.
    #[error("'{0}' is negative; a number from 0 on is needed")]
    Negative(String),
}

fn advice(write: &Option<String>) -> String {
    write.as_ref().map_or_else(String::new, |write| format!("; write {write}"))
}

impl NumberError {
    /// Returns the error of a word that fio would misread, or that has no meaning, with no known replacement.
    pub(super) fn misread(word: &str, why: impl Into<String>) -> NumberError {
        NumberError::Misread { word: word.to_owned(), why: why.into(), write: None }
    }

    /// The word that could not be read; empty if none was typed.
    pub fn word(&self) -> &str {
        match self {
            NumberError::Empty => "",
            NumberError::Misread { word, .. } => word,
            NumberError::NoNumber(word) | NumberError::Range(word) | NumberError::Negative(word) => word,
        }
    }

    /// The word that was typed and its replacement, if the replacement is known.
    pub fn correction(&self) -> Option<(&str, &str)> {
        match self {
            NumberError::Misread { word, write: Some(write), .. } => Some((word, write)),
            _ => None,
        }
    }
}
