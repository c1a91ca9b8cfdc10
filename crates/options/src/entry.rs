//! One option of another tool, as manual pages and shell completions describe it.

use crate::reference;
use crate::row::{Row, Table};

/// One option as text, independent of the type of the table that holds its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The forms in which the option may be typed, the usual one first: `--rw`, `-b`.
    pub typed: Vec<String>,
    /// The value that follows, with its separator: `=<number>`; empty if the option takes no value.
    pub value: String,
    /// The words accepted as a value, if there are only a few.
    pub words: Vec<&'static str>,
    /// Effect of the option.
    pub help: &'static str,
    /// The value without the option; empty if there is none.
    pub default: &'static str,
    /// Level of support, with any remark.
    pub support: String,
    /// Whether the option is refused by name.
    pub is_refused: bool,
}

impl Entry {
    /// Returns an entry for the option of `row`, typed in these forms.
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

    /// Sets the value that follows the option.
    #[must_use]
    pub fn taking(self, value: impl Into<String>) -> Entry {
        Entry { value: value.into(), ..self }
    }

    /// Sets the words from which the value is chosen.
    #[must_use]
    pub fn choosing(self, words: Vec<&'static str>) -> Entry {
        Entry { words, ..self }
    }
}
