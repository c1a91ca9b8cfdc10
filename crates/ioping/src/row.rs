//! The rows of ioping's option table.

use options::Table;
use workload::{Bytes, Nanos};

use super::asked::IopingRequest;

/// The kind of value that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A count.
    Count,
    /// A number that is only a seed.
    Seed,
    /// Bytes.
    Size,
    /// A time.
    Time,
    /// Text attached to the option, or nothing.
    MaybeText,
}

/// The value given to an option.
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
    /// The number; zero without one.
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

    /// The text, if any.
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
    /// Later than 1.3. Abbreviations of its name are not accepted, so that every abbreviation means the same as in 1.3.
    Later,
}

/// Section of the help that lists an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Options on what ioping does.
    Options,
    /// Options on amounts, times and limits.
    Parameters,
    /// Options on the output.
    Output,
}

/// Whether an option ends parsing, as help and version do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Parsing continues.
    No,
    /// Prints the help and ends.
    Help,
    /// Prints the version and ends.
    Version,
}

/// Properties of an option that only ioping's table has.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Letter of the option.
    pub short: char,
    /// Section of the help that lists the option.
    pub part: Part,
    /// The version since which the option exists.
    pub since: Since,
    /// Whether the option ends parsing.
    pub ends: Ends,
}

/// The table of options; a row's name is the long name.
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

/// Returns an option with its letter and its name, listed in `part` of the help.
pub const fn row((short, long): (char, &'static str), takes: Takes, part: Part) -> Row {
    Row::new(long, takes).with(Standing { short, part, ..Options::PLAIN })
}

/// Marks an option as later than 1.3.
pub const fn later(row: Row) -> Row {
    row.with(Standing { since: Since::Later, ..row.own })
}

/// Marks an option that prints information and ends.
pub const fn ends(ends: Ends, row: Row) -> Row {
    row.with(Standing { ends, ..row.own })
}
