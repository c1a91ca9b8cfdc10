//! One row of ioping's option table: names, what it takes, its help, how far it is supported, and what it sets.

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

/// How far it is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// As ioping does.
    Honoured,
    /// Nearly so; the text says where it differs.
    Approximated(&'static str),
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

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its letter.
    pub short: char,
    /// Its name.
    pub long: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// Default as it would be typed; empty where there is none.
    pub default: &'static str,
    /// Where the help lists it.
    pub part: Part,
    /// Since when.
    pub since: Since,
    /// How far it is supported.
    pub support: Support,
    /// What it does, in a few words.
    pub help: &'static str,
    /// Whether the reading ends here.
    pub ends: Ends,
    /// Sets it.
    pub apply: fn(&mut Asked, &Given),
}

impl Row {
    /// A row that is honoured and has been there since 1.3 or before.
    pub const fn new(short: char, long: &'static str, takes: Takes, part: Part) -> Row {
        Row {
            short,
            long,
            takes,
            default: "",
            part,
            since: Since::Released,
            support: Support::Honoured,
            help: "",
            ends: Ends::No,
            apply: |_, _| {},
        }
    }

    /// What it does.
    pub const fn does(self, help: &'static str, apply: fn(&mut Asked, &Given)) -> Row {
        Row { help, apply, ..self }
    }

    /// Its default.
    pub const fn by_default(self, default: &'static str) -> Row {
        Row { default, ..self }
    }

    /// Where it differs.
    pub const fn but(self, difference: &'static str) -> Row {
        Row { support: Support::Approximated(difference), ..self }
    }

    /// It came after 1.3.
    pub const fn later(self) -> Row {
        Row { since: Since::Later, ..self }
    }

    /// Prints something and ends.
    pub const fn ends(self, help: &'static str, ends: Ends) -> Row {
        Row { help, ends, ..self }
    }
}
