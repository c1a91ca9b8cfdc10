//! One row of an option table: names, what it takes, default, help, how far it is supported, and what it sets.

/// How far an option is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// As the tool does.
    Honoured,
    /// Nearly as the tool does; the text says where it differs, and is told to whoever uses it.
    Approximated(&'static str),
    /// Read, told of, and without effect on what is measured; the text says why.
    Accepted(&'static str),
    /// Refused by name; the text says why, and what to do instead.
    Refused(&'static str),
}

/// In what the rows of one table differ from those of another tool's.
pub trait Table {
    /// What an option takes.
    type Takes: Copy;
    /// What sets it.
    type Effect: Copy;
    /// What this table alone says of an option.
    type Own: Copy;
    /// Sets nothing.
    const NOTHING: Self::Effect;
    /// What holds where a row says nothing of its own.
    const PLAIN: Self::Own;
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Row<T: Table> {
    /// Canonical name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// What it takes.
    pub takes: T::Takes,
    /// Default as it would be typed; empty where there is none.
    pub default: &'static str,
    /// Other values that mean the same as the default, so that a refusal lets them pass.
    pub harmless: &'static [&'static str],
    /// What it does, in a sentence.
    pub help: &'static str,
    /// How it is honoured here, where that is worth a word.
    pub here: &'static str,
    /// How far it is supported.
    pub support: Support,
    /// Sets it.
    pub apply: T::Effect,
    /// What this table alone says of it.
    pub own: T::Own,
}

impl<T: Table> Row<T> {
    /// A row that is refused until it is said otherwise.
    pub const fn new(name: &'static str, takes: T::Takes) -> Row<T> {
        Row {
            name,
            aliases: &[],
            takes,
            default: "",
            harmless: &[],
            help: "",
            here: "",
            support: Support::Refused("not supported"),
            apply: T::NOTHING,
            own: T::PLAIN,
        }
    }

    /// With these other names.
    pub const fn also(self, aliases: &'static [&'static str]) -> Row<T> {
        Row { aliases, ..self }
    }

    /// With this default.
    pub const fn by_default(self, default: &'static str) -> Row<T> {
        Row { default, ..self }
    }

    /// With other values that mean the same as the default.
    pub const fn harmless(self, harmless: &'static [&'static str]) -> Row<T> {
        Row { harmless, ..self }
    }

    /// With what this table alone says of it.
    pub const fn with(self, own: T::Own) -> Row<T> {
        Row { own, ..self }
    }

    /// Says what it does.
    pub const fn helps(self, help: &'static str) -> Row<T> {
        Row { help, ..self }
    }

    /// Set in this way.
    pub const fn sets(self, apply: T::Effect) -> Row<T> {
        Row { apply, ..self }
    }

    /// Honoured.
    pub const fn does(self, help: &'static str, apply: T::Effect) -> Row<T> {
        Row { help, apply, support: Support::Honoured, ..self }
    }

    /// Honoured, in this way.
    pub const fn honoured(self, here: &'static str, apply: T::Effect) -> Row<T> {
        Row { here, apply, support: Support::Honoured, ..self }
    }

    /// Approximated, with the difference and what it does.
    pub const fn nearly(self, difference: &'static str, help: &'static str, apply: T::Effect) -> Row<T> {
        self.differs(difference, apply).helps(help)
    }

    /// Approximated, with the difference.
    pub const fn differs(self, difference: &'static str, apply: T::Effect) -> Row<T> {
        Row { apply, support: Support::Approximated(difference), ..self }
    }

    /// Accepted without effect, with the reason.
    pub const fn accepts(self, reason: &'static str, apply: T::Effect) -> Row<T> {
        Row { apply, support: Support::Accepted(reason), ..self }
    }

    /// Refused, with the reason and what it would do.
    pub const fn refused(self, reason: &'static str, help: &'static str) -> Row<T> {
        self.refuses(reason).helps(help)
    }

    /// Refused, with the reason.
    pub const fn refuses(self, reason: &'static str) -> Row<T> {
        Row { support: Support::Refused(reason), ..self }
    }

    /// Its name and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<T> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// True where it is refused by name.
    pub fn is_refused(&self) -> bool {
        matches!(self.support, Support::Refused(_))
    }
}
