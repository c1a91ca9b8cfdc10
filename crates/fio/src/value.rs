//! The kinds of value that an option takes, the values once read, and why a value could not be read.

use options::near::nearest;
use workload::Nanos;

use super::number::{NumberError, TimeUnit};
pub use super::shape::{Each, Word};
use super::shape::{Shape, ShapeValue};

/// What an option takes.
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
    /// Up to three whole numbers, for reads, writes and trims, each at most this.
    Ints(i64),
    /// A number of bytes of at least this.
    Size(i64),
    /// Up to three numbers of bytes, for reads, writes and trims, each at least this.
    Sizes(i64),
    /// A number of bytes or a percentage.
    Amount,
    /// A time, with the unit of a bare number.
    Time(TimeUnit),
    /// One of these words.
    Choice(&'static [Word]),
    /// Floating-point numbers separated by colons, at most 20.
    Floats,
    /// CPU numbers and ranges: `0-3,6`.
    Cpus,
    /// Lengths, places and data.
    Shape(Shape),
}

impl Kind {
    /// Whether the command line needs a value for it.
    pub fn needs_value(self) -> bool {
        !matches!(self, Kind::Flag | Kind::Prefix)
    }
}

/// A number of bytes, or a percentage of what is there.
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

/// Floating-point numbers, with the most decimals that any of them was typed with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Floats {
    /// The numbers, in the order typed.
    pub values: Vec<f64>,
    /// Number of decimals to print.
    pub decimals: usize,
}

/// A value once read.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// [`Kind::Text`], [`Kind::Path`] and [`Kind::Prefix`].
    Text(String),
    /// [`Kind::Flag`] and [`Kind::Bool`].
    Switch(bool),
    /// [`Kind::Int`] and [`Kind::Size`].
    Number(i64),
    /// [`Kind::Ints`] and [`Kind::Sizes`]; `None` keeps what was there.
    Each(Each<Option<u64>>),
    /// [`Kind::Amount`].
    Amount(Amount),
    /// [`Kind::Time`].
    Time(Nanos),
    /// [`Kind::Choice`]: the word, and what followed its colon.
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
    /// Less than the least value.
    #[error("min value out of range: {value} ({least} min)")]
    Below {
        /// What was typed.
        value: i64,
        /// The least value.
        least: i64,
    },
    /// More than the greatest value.
    #[error("max value out of range: {value} ({most} max)")]
    Above {
        /// What was typed.
        value: i64,
        /// The greatest value.
        most: i64,
    },
    /// Not a word of the enumeration.
    #[error("'{word}' is not one of the valid values")]
    Choice {
        /// What was typed.
        word: String,
        /// The words that are known.
        words: &'static [Word],
    },
    /// Neither 0 nor 1.
    #[error("'{0}' is neither 0 nor 1")]
    Bool(String),
    /// Not a floating-point number.
    #[error("not a floating point value: {0}")]
    Float(String),
    /// More values than fio takes.
    #[error("more than {0} values")]
    TooMany(usize),
}

impl ValueError {
    /// What is wrong, without what to write.
    pub fn why(&self) -> String {
        match self {
            ValueError::Number(NumberError::Misread { word, why, .. }) => format!("'{word}': {why}"),
            other => other.to_string(),
        }
    }

    /// The part that could not be read; empty if that is the whole value.
    pub fn word(&self) -> &str {
        match self {
            ValueError::Number(error) => error.word(),
            ValueError::Choice { word, .. } | ValueError::Bool(word) | ValueError::Float(word) => word,
            _ => "",
        }
    }

    /// The part that was typed, and what to write in its place if that is known.
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

/// Whether `letter` is one that people put around a word: a blank or a quotation mark.
pub fn is_wrapping(letter: char) -> bool {
    letter.is_whitespace() || "\"'`“”„‟‘’‚«»".contains(letter)
}

/// What a row's `apply` takes out of a value. The row's kind decides which variant arrives, so a mismatch means a wrong
/// row; it then yields nothing rather than a wrong figure, and the test over all rows shows it.
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

    /// Stores the values that were typed in `target`, and leaves its others.
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
