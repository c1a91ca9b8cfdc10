//! One row of the option table: name, kind, default, help, how far it is supported, and what it sets.

use super::options::JobOptions;
use super::value::{Kind, Value};

/// How much an option matters in practice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Real scripts use it every day.
    A,
    /// Real job files use it now and then.
    B,
    /// Rare, or special hardware.
    C,
}

/// How far an option is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// As fio does.
    Honoured,
    /// Nearly as fio does; the text says where it differs. Using it leaves a note in the result.
    Approximated(&'static str),
    /// Refused by name, except where the value typed is the default; the text says why.
    Refused(&'static str),
}

/// Part of the table a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A heading of the job options.
    Job(&'static str),
    /// Options of these engines only.
    Engine(&'static [&'static str]),
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Canonical name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Where it stands.
    pub part: Part,
    /// What it takes.
    pub kind: Kind,
    /// Default as it would be typed; empty where there is none.
    pub default: &'static str,
    /// Other values that mean the same as the default.
    pub harmless: &'static [&'static str],
    /// How much it matters.
    pub class: Class,
    /// How far it is supported.
    pub support: Support,
    /// One sentence.
    pub help: &'static str,
    /// Sets it.
    pub apply: fn(&mut JobOptions, &Value),
}

impl Row {
    /// A row that is refused until [`does`](Row::does) or [`nearly`](Row::nearly) says otherwise.
    pub const fn new(name: &'static str, kind: Kind, default: &'static str, class: Class) -> Row {
        Row {
            name,
            aliases: &[],
            part: Part::Job(""),
            kind,
            default,
            harmless: &[],
            class,
            support: Support::Refused("not supported"),
            help: "",
            apply: |_, _| {},
        }
    }

    /// With these other names.
    pub const fn also(self, aliases: &'static [&'static str]) -> Row {
        Row { aliases, ..self }
    }

    /// In this part of the table.
    pub const fn within(self, part: Part) -> Row {
        Row { part, ..self }
    }

    /// Honoured.
    pub const fn does(self, help: &'static str, apply: fn(&mut JobOptions, &Value)) -> Row {
        Row { help, apply, support: Support::Honoured, ..self }
    }

    /// Approximated, with the difference.
    pub const fn nearly(
        self,
        difference: &'static str,
        help: &'static str,
        apply: fn(&mut JobOptions, &Value),
    ) -> Row {
        Row { help, apply, support: Support::Approximated(difference), ..self }
    }

    /// Refused, with the reason.
    pub const fn refused(self, reason: &'static str, help: &'static str) -> Row {
        Row { help, support: Support::Refused(reason), ..self }
    }

    /// With other values that mean the same as the default, so that a refusal lets them pass.
    pub const fn harmless(self, harmless: &'static [&'static str]) -> Row {
        Row { harmless, ..self }
    }

    /// Its name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// True where the command line needs a value for it.
    pub fn needs_value(&self) -> bool {
        !matches!(self.kind, Kind::Flag | Kind::Prefix)
    }
}
