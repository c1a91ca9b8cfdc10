//! The rows of ioping's option table.

use options::Table;
use workload::{Bytes, Nanos};

use super::asked::Asked;

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// How many.
    Count,
    /// A number that stands for nothing.
    Seed,
    /// Bytes.
    Size,
    /// A time.
    Time,
    /// A text, glued to the option, or nothing.
    MaybeText,
}

/// What it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// Nothing.
    Nothing,
    /// A number: a count, bytes or nanoseconds.
    Number(u64),
    /// A text.
    Text(String),
}

impl Given {
    /// The number; zero where there is none.
    pub fn number(&self) -> u64 {
        match self {
            Given::Number(number) => *number,
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

    /// The text, where there is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Given::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Since when ioping has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// In 1.3 or before.
    Released,
    /// After 1.3; a prefix of its name never stands for it, so that every prefix means what it means in 1.3.
    Later,
}

/// Part of the help an option stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What is done.
    Options,
    /// How much of it.
    Parameters,
    /// What is printed.
    Output,
}

/// What ends the reading of words: help and version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Goes on.
    No,
    /// Prints the help.
    Help,
    /// Prints the version.
    Version,
}

/// What ioping's table alone says of an option.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Its letter.
    pub short: char,
    /// Where the help lists it.
    pub part: Part,
    /// Since when.
    pub since: Since,
    /// Whether the reading ends here.
    pub ends: Ends,
}

/// The table of options; a row's name is the long one.
#[derive(Clone, Copy, Debug)]
pub struct Options;

impl Table for Options {
    type Takes = Takes;
    type Effect = fn(&mut Asked, &Given);
    type Own = Standing;
    const NOTHING: Self::Effect = |_, _| {};
    const PLAIN: Standing =
        Standing { short: '?', part: Part::Options, since: Since::Released, ends: Ends::No };
}

/// One option.
pub type Row = options::Row<Options>;

/// An option with its letter and its name, listed in this part of the help.
pub const fn row((short, long): (char, &'static str), takes: Takes, part: Part) -> Row {
    Row::new(long, takes).with(Standing { short, part, ..Options::PLAIN })
}

/// It came after 1.3.
pub const fn later(row: Row) -> Row {
    row.with(Standing { since: Since::Later, ..row.own })
}

/// It prints something and ends.
pub const fn ends(ends: Ends, row: Row) -> Row {
    row.with(Standing { ends, ..row.own })
}
