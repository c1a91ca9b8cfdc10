//! Values for offsets, lengths and data: the forms in which options take them, and the parsed values.

use workload::{FileTurn, Lengths, Pattern as Bits, Spread};

use super::priorities::PriorityShare;
use super::steady::rule::SteadyRule;

/// One value for reads, writes and trims, in that order.
pub type Each<T> = [T; 3];

/// A word of an enumeration, with its meaning.
pub type Word = (&'static str, &'static str);

/// The form of an option's value for offsets, lengths or data.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// `4k/60:64k/40`, up to three lists separated by commas.
    Split,
    /// `4k-64k`, up to three ranges separated by commas.
    Range,
    /// `zipf:1.1` and the like.
    Spread,
    /// `roundrobin:8` and the like.
    Turn,
    /// A sequence of text in double quotes, files in single quotes, hexadecimal and decimal numbers.
    Pattern,
    /// The same without `%o`, which only what is checked has.
    Data,
    /// A word of `rw`, optionally with a number after a colon.
    Direction(&'static [Word]),
    /// `iops:2%` and the like.
    Steady,
    /// A time, or two times separated by a colon.
    Times,
    /// Up to three times separated by commas; a number without a unit is in microseconds.
    EachTime,
    /// Names and numbers of errors separated by colons, up to three lists separated by commas.
    Errors,
    /// `wait_before,write:8` and the like.
    Pages,
    /// `4k-1m`, or one size.
    FileSize,
    /// `4k/30:64k/70/3/2`, up to three lists separated by commas.
    Priorities,
    /// A word, or several with percentages: `write/60:zeroes/40`.
    Commands(&'static [Word]),
}

/// A parsed value of such an option.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeValue {
    /// [`Shape::Split`] and [`Shape::Range`]; `None` keeps the previous value.
    Lengths(Each<Option<Lengths>>),
    /// [`Shape::Spread`].
    Spread(Spread),
    /// [`Shape::Turn`].
    Turn(FileTurn),
    /// [`Shape::Pattern`].
    Pattern(Bits),
    /// [`Shape::Direction`].
    Direction(&'static str, Option<i64>),
    /// [`Shape::Steady`].
    Steady(SteadyRule),
    /// [`Shape::Times`]: the minimum and the maximum.
    Times(workload::Nanos, workload::Nanos),
    /// [`Shape::EachTime`]; `None` keeps the previous value.
    EachTime(Each<Option<workload::Nanos>>),
    /// [`Shape::Errors`]: positive errno values.
    Errors(Each<Vec<i32>>),
    /// [`Shape::Pages`]: flags, and number of writes between two calls.
    Pages(workload::PagesFlush, u32),
    /// [`Shape::FileSize`]: the minimum and the maximum, in bytes.
    FileSize(u64, u64),
    /// [`Shape::Priorities`]; `None` keeps the previous value.
    Priorities(Each<Option<Vec<PriorityShare>>>),
    /// [`Shape::Commands`]: each word with its share in hundredths of a percent.
    Commands(Vec<(&'static str, u32)>),
}

impl Shape {
    /// Description of the form, for the reference.
    pub fn text(self) -> &'static str {
        match self {
            Shape::Split => "bytes/percent, separated by colons, a list a direction",
            Shape::Range => "least-most in bytes, one a direction",
            Shape::Spread => "a word with numbers after colons",
            Shape::Turn => "a word, a number after a colon",
            Shape::Pattern | Shape::Data => {
                "text in double quotes, files in single ones, hexadecimal and decimal numbers"
            }
            Shape::Priorities => {
                "bytes/percent or bytes/percent/class/level, separated by colons, a list a direction"
            }
            Shape::FileSize => "bytes, or the least and the most with a dash between",
            Shape::Direction(_) => "a word, a number after a colon",
            Shape::Steady => "a word, a bound after a colon",
            Shape::Times => "a time, seconds without a unit, or two with a colon between",
            Shape::EachTime => "times, microseconds without a unit, one a direction",
            Shape::Pages => "words separated by commas, a number of writes after a colon",
            Shape::Commands(_) => "a word, or words/percent separated by colons",
            Shape::Errors => "errors separated by colons, a list for reads, writes and checks",
        }
    }
}
