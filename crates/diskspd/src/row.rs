//! The rows of DiskSpd's option table.

use options::{Support, Table};

use super::draft::Draft;
use super::error::Fault;
use super::profile::Profile;

/// Whether an option may be combined with a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// The option may not be combined with a profile.
    NoProfile,
    /// The option changes a part of the profile (`-X`).
    Profile,
}

/// How the value must begin, if two rows have the same letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// With anything.
    Anyhow,
    /// With a digit.
    WithDigit,
}

/// Properties of an option that only DiskSpd's table has.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Whether the option may be combined with a profile.
    pub beside: Beside,
    /// How the option's value must begin.
    pub begins: Begins,
    /// Whether a profile uses the option, for options that a profile can contain and that are not fully honoured.
    pub used_in: fn(&Profile) -> bool,
}

impl Standing {
    /// Sets which profiles use the option.
    pub const fn seen(self, used_in: fn(&Profile) -> bool) -> Standing {
        Standing { used_in, ..self }
    }
}

/// The table of options. A row's name is the letters after the dash, and `Takes` shows the value written after them.
#[derive(Clone, Copy, Debug)]
pub struct Options;

impl Table for Options {
    /// The value as written in the help.
    type Takes = &'static str;
    /// Sets the option from the text after its name.
    type Effect = fn(&mut Draft, &str) -> Result<(), Fault>;
    type Own = Standing;
    const NOTHING: Self::Effect = |_, _| Ok(());
    const PLAIN: Standing =
        Standing { beside: Beside::NoProfile, begins: Begins::Anyhow, used_in: |_| false };
}

/// One option.
pub type Row = options::Row<Options>;

/// An option that may not be combined with a profile, and that no profile uses.
pub const PLAIN: Standing = Options::PLAIN;
/// An option that may be combined with a profile.
pub const BESIDE_PROFILE: Standing = Standing { beside: Beside::Profile, ..PLAIN };
/// An option with a value that begins with a digit.
pub const WITH_DIGIT: Standing = Standing { begins: Begins::WithDigit, ..PLAIN };

/// Returns an option with its value as written in the help, and its help text.
pub const fn row(name: &'static str, value: &'static str, help: &'static str) -> Row {
    Row::new(name, value).helps(help)
}

/// Returns a note on an option that is not fully honoured.
pub fn note(row: &Row) -> Option<String> {
    match row.support {
        Support::Honoured => None,
        Support::Accepted(text) => Some(format!("-{} is accepted and without effect: {text}", row.name)),
        Support::Approximated(text) | Support::Refused(text) => Some(format!("-{}: {text}", row.name)),
    }
}

/// Returns the text after the option's name in `word`, which begins with a dash; `None` if it is another option.
pub fn value_in<'w>(row: &Row, word: &'w str) -> Option<&'w str> {
    let value = word.strip_prefix('-')?.strip_prefix(row.name)?;
    let fits = row.own.begins == Begins::Anyhow || value.starts_with(|c: char| c.is_ascii_digit());
    fits.then_some(value)
}
