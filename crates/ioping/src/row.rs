//! The rows of ioping's option table.

use options::Table;
use workload::{Bytes, Nanos};

use super::asked::IopingRequest;

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A count.
    Count,
    /// A number without a meaning of its own.
    Seed,
    /// Bytes.
    Size,
    /// A time.
    Time,
    /// Text, attached to the option, or nothing.
    MaybeText,
}

/// The value that an option was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// Nothing.
    Nothing,
    /// A number: a count, bytes or nanoseconds.
    Number(u64),
    /// A text.
    Text(String),
}

impl OptionValue {
    /// The number; zero if there is none.
    pub fn number(&self) -> u64 {
        match self {
            OptionValue::Number(number) => *number,
            _ => 0,
        }
    }

    /// The number as bytes.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.number())
    }

    /// The number as a time.
    pub fn nanos(&self) -> Nanos {
        Nanos(self.number())
    }

    /// The text, if there is any.
    pub fn text(&self) -> Option<&str> {
        match self {
            OptionValue::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The version since which ioping has an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// 1.3 or earlier.
    Released,
    /// Later than 1.3: a prefix of its name never stands for it, so that every prefix means what it means in 1.3.
    Later,
}

/// Part of the help that lists an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What is done.
    Options,
    /// How much of it.
    Parameters,
    /// What is printed.
    Output,
}

/// Whether an option ends the reading of words, as help and version do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// It does not.
    No,
    /// It prints the help, and ends.
    Help,
    /// It prints the version, and ends.
    Version,
}

/// What only ioping's table says of an option.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Its letter.
    pub short: char,
    /// Part of the help that lists it.
    pub part: Part,
    /// The version since which it exists.
    pub since: Since,
    /// Whether it ends the reading of words.
    pub ends: Ends,
}

/// The table of options; a row's name is the long one.
#[derive(Clone, Copy, Debug)]
pub struct Options;

impl Table for Options {
    type Takes = Takes;
    type Effect = fn(&mut IopingRequest, &OptionValue);
    type Own = Standing;
    const NOTHING: Self::Effect = |_, _| {};
    const PLAIN: Standing =
        Standing { short: '?', part: Part::Options, since: Since::Released, ends: Ends::No };
}

/// One option.
pub type Row = options::Row<Options>;

/// Returns an option with its letter and its name, listed in this part of the help.
pub const fn row((short, long): (char, &'static str), takes: Takes, part: Part) -> Row {
    Row::new(long, takes).with(Standing { short, part, ..Options::PLAIN })
}

/// Marks an option as later than 1.3.
pub const fn later(row: Row) -> Row {
    row.with(Standing { since: Since::Later, ..row.own })
}

/// Marks an option that prints something and ends.
pub const fn ends(ends: Ends, row: Row) -> Row {
    row.with(Standing { ends, ..row.own })
}
