//! One row of DiskSpd's option table: how it is written, what it does, how far it is supported here, and what it sets.

use super::draft::Draft;
use super::error::Fault;
use super::profile::Profile;

/// How far an option is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// As DiskSpd does.
    Honoured,
    /// Nearly: the text says where it differs, and is told to whoever uses it.
    Approximated(&'static str),
    /// Read, told of, and without effect on what is measured.
    Accepted(&'static str),
    /// Refused by name; the text says why, and what to do instead.
    Refused(&'static str),
}

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

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The letters behind the dash.
    pub name: &'static str,
    /// How its value is written, for the help.
    pub value: &'static str,
    /// Default as it would be typed; empty where there is none.
    pub default: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// What becomes of it on Linux, in a sentence.
    pub here: &'static str,
    /// How far it is supported.
    pub support: Support,
    /// Where it may stand.
    pub beside: Beside,
    /// What its value begins with.
    pub begins: Begins,
    /// Sets it; the value is what stands behind the name.
    pub apply: fn(&mut Draft, &str) -> Result<(), Fault>,
    /// Whether a profile uses it, for options that a profile can hold and that are not simply honoured.
    pub used_in: fn(&Profile) -> bool,
}

impl Row {
    /// A row that is refused until it is said otherwise.
    pub const fn new(name: &'static str, value: &'static str, help: &'static str) -> Row {
        Row {
            name,
            value,
            default: "",
            help,
            here: "",
            support: Support::Refused(""),
            beside: Beside::NoProfile,
            begins: Begins::Anyhow,
            apply: |_, _| Ok(()),
            used_in: |_| false,
        }
    }

    /// With this default.
    pub const fn by_default(self, default: &'static str) -> Row {
        Row { default, ..self }
    }

    /// Honoured, in this way.
    pub const fn does(self, here: &'static str, apply: fn(&mut Draft, &str) -> Result<(), Fault>) -> Row {
        Row { here, apply, support: Support::Honoured, ..self }
    }

    /// Approximated, with the difference.
    pub const fn nearly(
        self,
        difference: &'static str,
        apply: fn(&mut Draft, &str) -> Result<(), Fault>,
    ) -> Row {
        Row { apply, support: Support::Approximated(difference), ..self }
    }

    /// Accepted without effect, with the reason.
    pub const fn takes(self, reason: &'static str, apply: fn(&mut Draft, &str) -> Result<(), Fault>) -> Row {
        Row { apply, support: Support::Accepted(reason), ..self }
    }

    /// Refused, with the reason.
    pub const fn refuses(self, reason: &'static str) -> Row {
        Row { support: Support::Refused(reason), ..self }
    }

    /// Also beside a profile.
    pub const fn beside_profile(self) -> Row {
        Row { beside: Beside::Profile, ..self }
    }

    /// Its value begins with a digit.
    pub const fn with_digit(self) -> Row {
        Row { begins: Begins::WithDigit, ..self }
    }

    /// Used in profiles for which this holds.
    pub const fn seen(self, used_in: fn(&Profile) -> bool) -> Row {
        Row { used_in, ..self }
    }

    /// What the user is told of it, where it is not simply honoured.
    pub fn note(&self) -> Option<String> {
        match self.support {
            Support::Honoured => None,
            Support::Approximated(text) => Some(format!("-{}: {text}", self.name)),
            Support::Accepted(text) => Some(format!("-{} is accepted and without effect: {text}", self.name)),
            Support::Refused(text) => Some(format!("-{}: {text}", self.name)),
        }
    }

    /// The part of `word`, which begins with a dash, behind the name; `None` where it is another option.
    pub fn value_in<'w>(&self, word: &'w str) -> Option<&'w str> {
        let value = word.strip_prefix('-')?.strip_prefix(self.name)?;
        let fits = self.begins == Begins::Anyhow || value.starts_with(|c: char| c.is_ascii_digit());
        fits.then_some(value)
    }
}
