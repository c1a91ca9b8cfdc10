//! The rows of DiskSpd's option table.

use options::{Support, Table};

use super::draft::Draft;
use super::error::Fault;
use super::profile::Profile;

/// Where an option may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Not beside a profile.
    NoProfile,
    /// Also beside a profile, of which it changes something (`-X`).
    Profile,
}

/// What the value must begin with, where two rows share a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// Anything.
    Anyhow,
    /// A digit.
    WithDigit,
}

/// What DiskSpd's table alone says of an option.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Where it may stand.
    pub beside: Beside,
    /// What its value begins with.
    pub begins: Begins,
    /// Whether a profile uses it, for options that a profile can hold and that are not simply honoured.
    pub used_in: fn(&Profile) -> bool,
}

impl Standing {
    /// Used in profiles for which this holds.
    pub const fn seen(self, used_in: fn(&Profile) -> bool) -> Standing {
        Standing { used_in, ..self }
    }
}

/// The table of options; a row's name is the letters behind the dash, and it takes what is written behind them.
#[derive(Clone, Copy, Debug)]
pub struct Options;

impl Table for Options {
    /// How the value is written, for the help.
    type Takes = &'static str;
    /// The value is what stands behind the name.
    type Effect = fn(&mut Draft, &str) -> Result<(), Fault>;
    type Own = Standing;
    const NOTHING: Self::Effect = |_, _| Ok(());
    const PLAIN: Standing =
        Standing { beside: Beside::NoProfile, begins: Begins::Anyhow, used_in: |_| false };
}

/// One option.
pub type Row = options::Row<Options>;

/// Not beside a profile, and seen in none.
pub const PLAIN: Standing = Options::PLAIN;
/// Also beside a profile.
pub const BESIDE_PROFILE: Standing = Standing { beside: Beside::Profile, ..PLAIN };
/// Its value begins with a digit.
pub const WITH_DIGIT: Standing = Standing { begins: Begins::WithDigit, ..PLAIN };

/// An option with how its value is written and what it does.
pub const fn row(name: &'static str, value: &'static str, help: &'static str) -> Row {
    Row::new(name, value).helps(help)
}

/// What the user is told of an option, where it is not simply honoured.
pub fn note(row: &Row) -> Option<String> {
    match row.support {
        Support::Honoured => None,
        Support::Accepted(text) => Some(format!("-{} is accepted and without effect: {text}", row.name)),
        Support::Approximated(text) | Support::Refused(text) => Some(format!("-{}: {text}", row.name)),
    }
}

/// The part of `word`, which begins with a dash, behind the name; `None` where it is another option.
pub fn value_in<'w>(row: &Row, word: &'w str) -> Option<&'w str> {
    let value = word.strip_prefix('-')?.strip_prefix(row.name)?;
    let fits = row.own.begins == Begins::Anyhow || value.starts_with(|c: char| c.is_ascii_digit());
    fits.then_some(value)
}
