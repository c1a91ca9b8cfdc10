//! The rows of DiskSpd's option table.

use options::{Support, Table};

use super::draft::Draft;
use super::error::Fault;
use super::profile::Profile;

/// Whether an option may accompany a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// It may not.
    NoProfile,
    /// It may, and then changes a part of the profile (`-X`).
    Profile,
}

/// How the value must begin, if two rows share a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// With anything.
    Anyhow,
    /// With a digit.
    WithDigit,
}

/// What only DiskSpd's table says of an option.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Whether it may accompany a profile.
    pub beside: Beside,
    /// How its value must begin.
    pub begins: Begins,
    /// Whether a profile uses it, for options that a profile can hold and that are not simply honoured.
    pub used_in: fn(&Profile) -> bool,
}

impl Standing {
    /// Sets which profiles use the option.
    pub const fn seen(self, used_in: fn(&Profile) -> bool) -> Standing {
        Standing { used_in, ..self }
    }
}

/// The table of options; a row's name is the letters after the dash, and `Takes` shows the value written after them.
#[derive(Clone, Copy, Debug)]
pub struct Options;

impl Table for Options {
    /// The value as written in the help.
    type Takes = &'static str;
    /// Sets the option from what follows its name.
    type Effect = fn(&mut Draft, &str) -> Result<(), Fault>;
    type Own = Standing;
    const NOTHING: Self::Effect = |_, _| Ok(());
    const PLAIN: Standing =
        Standing { beside: Beside::NoProfile, begins: Begins::Anyhow, used_in: |_| false };
}

/// One option.
pub type Row = options::Row<Options>;

/// An option that may not accompany a profile, and that no profile uses.
pub const PLAIN: Standing = Options::PLAIN;
/// An option that may accompany a profile.
pub const BESIDE_PROFILE: Standing = Standing { beside: Beside::Profile, ..PLAIN };
/// An option whose value begins with a digit.
pub const WITH_DIGIT: Standing = Standing { begins: Begins::WithDigit, ..PLAIN };

/// Returns an option, with its value as written in the help, and what it does.
pub const fn row(name: &'static str, value: &'static str, help: &'static str) -> Row {
    Row::new(name, value).helps(help)
}

/// Note on an option that is not simply honoured.
pub fn note(row: &Row) -> Option<String> {
    match row.support {
        Support::Honoured => None,
        Support::Accepted(text) => Some(format!("-{} is accepted and without effect: {text}", row.name)),
        Support::Approximated(text) | Support::Refused(text) => Some(format!("-{}: {text}", row.name)),
    }
}

/// The value in `word`, which begins with a dash: what follows the option's name; `None` if it is another option.
pub fn value_in<'w>(row: &Row, word: &'w str) -> Option<&'w str> {
    let value = word.strip_prefix('-')?.strip_prefix(row.name)?;
    let fits = row.own.begins == Begins::Anyhow || value.starts_with(|c: char| c.is_ascii_digit());
    fits.then_some(value)
}
