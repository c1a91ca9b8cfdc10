//! An option of another tool as manual pages and completions tell it.

use crate::reference;
use crate::row::{Row, Table};

/// One option, in words alone, whatever table its row stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// How it may be typed, the usual way first: `--rw`, `-b`.
    pub typed: Vec<String>,
    /// What follows, with the sign between: `=<number>`; empty where nothing does.
    pub value: String,
    /// The words that may follow, where these are few.
    pub words: Vec<&'static str>,
    /// What it does.
    pub help: &'static str,
    /// What holds without it; empty where that is nothing.
    pub default: &'static str,
    /// How far it is supported, with what is to be said about it.
    pub support: String,
    /// True where it is refused by name.
    pub is_refused: bool,
}

impl Entry {
    /// The option of `row`, typed in these ways.
    pub fn of<T: Table>(row: &Row<T>, typed: Vec<String>) -> Entry {
        Entry {
            typed,
            value: String::new(),
            words: Vec::new(),
            help: row.help,
            default: row.default,
            support: reference::support(row),
            is_refused: row.is_refused(),
        }
    }

    /// Followed by this.
    #[must_use]
    pub fn taking(self, value: impl Into<String>) -> Entry {
        Entry { value: value.into(), ..self }
    }

    /// Followed by one of these words.
    #[must_use]
    pub fn choosing(self, words: Vec<&'static str>) -> Entry {
        Entry { words, ..self }
    }
}
