//! The kinds of values that options take, the values themselves, and the reasons why a value cannot be read.

use options::near::nearest;
use workload::Nanos;

use super::number::{NumberError, TimeUnit};
pub use super::shape::{Each, Word};
use super::shape::{Shape, ShapeValue};

/// The kind of value that an option takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// File names: text in which a leading blank or a quotation mark would become part of a name.
    Path,
    /// An optional file name: on the command line the next word is taken unless it is an option.
    Prefix,
    /// Nothing, or `=0` and `=1`.
    Flag,
    /// 0 or 1.
    Bool,
    /// A whole number within bounds, both inclusive.
    Int(i64, i64),
    /// Up to three whole numbers, for reads, writes and trims, each at most the given bound.
    Ints(i64),
    /// A number of bytes, at least the given bound.
    Size(i64),
    /// Up to three numbers of bytes, for reads, writes and trims, each at least the given bound.
    Sizes(i64),
    /// A number of bytes or a percentage.
    Amount,
    /// A time; the unit applies to a number without one.
    Time(TimeUnit),
    /// One of the given words.
    Choice(&'static [Word]),
    /// Floating-point numbers separated by colons, at most 20.
    Floats,
    /// CPU numbers and ranges: `0-3,6`.
    Cpus,
    /// Offsets, lengths and data.
    Shape(Shape),
}

impl Kind {
    /// Whether the command line must give a value.
    pub fn needs_value(self) -> bool {
        !matches!(self, Kind::Flag | Kind::Prefix)
    }
}

/// A number of bytes, or a percentage of the available size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Bytes.
    Bytes(u64),
    /// Percent, 0 to 100.
    Percent(u8),
}

impl Default for Amount {
    fn default() -> Self {
        Amount::Bytes(0)
    }
}

/// Floating-point numbers, and the number of decimals with which to print them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Floats {
    /// The numbers, in the order typed.
    pub values: Vec<f64>,
    /// Number of decimals to print: the most that any of them was typed with.
    pub decimals: usize,
}

/// A parsed value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// [`Kind::Text`], [`Kind::Path`] and [`Kind::Prefix`].
    Text(String),
    /// [`Kind::Flag`] and [`Kind::Bool`].
    Switch(bool),
    /// [`Kind::Int`] and [`Kind::Size`].
    Number(i64),
    /// [`Kind::Ints`] and [`Kind::Sizes`]; `None` keeps the previous value.
    Each(Each<Option<u64>>),
    /// [`Kind::Amount`].
    Amount(Amount),
    /// [`Kind::Time`].
    Time(Nanos),
    /// [`Kind::Choice`]: the word, and the text after its colon.
    Choice(&'static str, Option<String>),
    /// [`Kind::Floats`].
    Floats(Floats),
    /// [`Kind::Cpus`].
    Cpus(Vec<u32>),
    /// [`Kind::Shape`].
    Shape(ShapeValue),
}

/// Why a value could not be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ValueError {
    /// Not a number, or a number that fio would misread.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// Less than the minimum.
    #[error("min value out of range: {value} ({least} min)")]
    Below {
        /// The number that was typed.
        value: i64,
        /// The minimum.
        least: i64,
    },
    /// More than the maximum.
    #[error("max value out of range: {value} ({most} max)")]
    Above {
        /// The number that was typed.
        value: i64,
        /// The maximum.
        most: i64,
    },
    /// None of the words of the enumeration.
    #[error("'{word}' is not one of the valid values")]
    Choice {
        /// The word that was typed.
        word: String,
        /// The valid words.
        words: &'static [Word],
    },
    /// Neither 0 nor 1.
    #[error("'{0}' is neither 0 nor 1")]
    Bool(String),
    /// Not a floating-point number.
    #[error("not a floating point value: {0}")]
    Float(String),
    /// More values than fio accepts.
    #[error("more than {0} values")]
    TooMany(usize),
}

impl ValueError {
    /// Returns the problem, without the remedy.
    pub fn why(&self) -> String {
        match self {
            ValueError::Number(NumberError::Misread { word, why, .. }) => format!("'{word}': {why}"),
            other => other.to_string(),
        }
    }

    /// Returns the part that could not be read; empty if it is the whole value.
    pub fn word(&self) -> &str {
        match self {
            ValueError::Number(error) => error.word(),
            ValueError::Choice { word, .. } | ValueError::Bool(word) | ValueError::Float(word) => word,
            _ => "",
        }
    }

    /// Returns the part that was typed and its replacement, if the replacement is known.
    pub fn correction(&self) -> Option<(String, String)> {
        match self {
            ValueError::Number(error) => {
                error.correction().map(|(typed, write)| (typed.to_owned(), write.to_owned()))
            }
            ValueError::Choice { word, words } => {
                let bare = word.trim_matches(is_wrapping).to_ascii_lowercase();
                let exact = words.iter().map(|(known, _)| *known).find(|known| *known == bare);
                let near = exact.or_else(|| nearest(&bare, words.iter().map(|(known, _)| *known)));
                near.map(|near| (word.clone(), near.to_owned()))
            }
            ValueError::Bool(word) => {
                let written = match word.trim_matches(is_wrapping).to_ascii_lowercase().as_str() {
                    "1" | "true" | "yes" | "on" | "y" => "1",
                    "0" | "false" | "no" | "off" | "n" => "0",
                    _ => return None,
                };
                Some((word.clone(), written.to_owned()))
            }
            _ => None,
        }
    }
}

/// Whether `letter` is a blank or a quotation mark, which people put around words.
pub fn is_wrapping(letter: char) -> bool {
    letter.is_whitespace() || "\"'`“”„‟‘’‚«»".contains(letter)
}

/// Accessors for the `apply` of a row. The row's kind decides the variant, so a mismatch means a wrong row; the
/// accessor then returns nothing rather than a wrong number, and the test over all rows fails.
impl Value {
    /// Whether a switch is on.
    pub fn on(&self) -> bool {
        matches!(self, Value::Switch(true))
    }

    /// A whole number of at least 0.
    pub fn natural(&self) -> u64 {
        match self {
            Value::Number(value) => u64::try_from(*value).unwrap_or(0),
            _ => 0,
        }
    }

    /// A whole number of 32 bits, at least 0; greater values are clamped.
    pub fn small(&self) -> u32 {
        u32::try_from(self.natural()).unwrap_or(u32::MAX)
    }

    /// A whole number of 32 bits; one below 0 wraps, as in fio.
    pub fn wrapped(&self) -> u32 {
        match self {
            Value::Number(value) => *value as u32,
            _ => 0,
        }
    }

    /// Text.
    pub fn text(&self) -> &str {
        match self {
            Value::Text(text) => text,
            _ => "",
        }
    }

    /// A time.
    pub fn time(&self) -> Nanos {
        match self {
            Value::Time(nanos) => *nanos,
            _ => Nanos::ZERO,
        }
    }

    /// An amount.
    pub fn amount(&self) -> Amount {
        match self {
            Value::Amount(amount) => *amount,
            _ => Amount::Bytes(0),
        }
    }

    /// The word of an enumeration.
    pub fn word(&self) -> &'static str {
        match self {
            Value::Choice(word, _) => word,
            _ => "",
        }
    }

    /// Stores the values that were typed in `target`; its other values stay.
    pub fn onto<T: From<u64>>(&self, target: &mut Each<T>) {
        if let Value::Each(values) = self {
            for (place, value) in target.iter_mut().zip(values) {
                if let Some(value) = value {
                    *place = T::from(*value);
                }
            }
        }
    }
}
