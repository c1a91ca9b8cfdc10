//! A row of an option table: names, value, default, help, level of support, and effect.

/// Level of support for an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Honoured exactly as the tool does.
    Honoured,
    /// Honoured approximately; the text names the difference, and is reported to users of the option.
    Approximated(&'static str),
    /// Parsed and reported, but without effect on what is measured; the text says why.
    Accepted(&'static str),
    /// Refused by name; the text says why, and what to do instead.
    Refused(&'static str),
}

/// The types and constants that differ between the option tables of different tools.
pub trait Table {
    /// The type of value that an option takes.
    type Takes: Copy;
    /// The type of an option's effect.
    type Effect: Copy;
    /// The type of further properties that only this tool's options have.
    type Own: Copy;
    /// The effect of an option that sets nothing.
    const NOTHING: Self::Effect;
    /// The further properties of a row that states none.
    const PLAIN: Self::Own;
}

/// One option of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Row<T: Table> {
    /// Canonical name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// The type of value that the option takes.
    pub takes: T::Takes,
    /// The default as it would be typed; empty if there is none.
    pub default: &'static str,
    /// Other values with the same meaning as the default; a refused option is accepted with one of them.
    pub harmless: &'static [&'static str],
    /// Effect of the option, as a sentence.
    pub help: &'static str,
    /// Remark on how the option is honoured here; may be empty.
    pub here: &'static str,
    /// Level of support.
    pub support: Support,
    /// Stores the parsed value.
    pub apply: T::Effect,
    /// Further properties that only this tool's table has.
    pub own: T::Own,
}

impl<T: Table> Row<T> {
    /// Returns a row that is refused unless a later call changes its support.
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

    /// Adds other names.
    pub const fn also(self, aliases: &'static [&'static str]) -> Row<T> {
        Row { aliases, ..self }
    }

    /// Sets the default.
    pub const fn by_default(self, default: &'static str) -> Row<T> {
        Row { default, ..self }
    }

    /// Sets other values with the same meaning as the default.
    pub const fn harmless(self, harmless: &'static [&'static str]) -> Row<T> {
        Row { harmless, ..self }
    }

    /// Sets the properties that only this tool's table has.
    pub const fn with(self, own: T::Own) -> Row<T> {
        Row { own, ..self }
    }

    /// Sets the help text.
    pub const fn helps(self, help: &'static str) -> Row<T> {
        Row { help, ..self }
    }

    /// Sets the effect of the option.
    pub const fn sets(self, apply: T::Effect) -> Row<T> {
        Row { apply, ..self }
    }

    /// Marks the option as honoured, with its help text and its effect.
    pub const fn does(self, help: &'static str, apply: T::Effect) -> Row<T> {
        Row { help, apply, support: Support::Honoured, ..self }
    }

    /// Marks the option as honoured, with a remark and its effect.
    pub const fn honoured(self, here: &'static str, apply: T::Effect) -> Row<T> {
        Row { here, apply, support: Support::Honoured, ..self }
    }

    /// Marks the option as approximated, with the difference, its help text and its effect.
    pub const fn nearly(self, difference: &'static str, help: &'static str, apply: T::Effect) -> Row<T> {
        self.differs(difference, apply).helps(help)
    }

    /// Marks the option as approximated, with the difference and its effect.
    pub const fn differs(self, difference: &'static str, apply: T::Effect) -> Row<T> {
        Row { apply, support: Support::Approximated(difference), ..self }
    }

    /// Marks the option as accepted without effect on the measurement, with the reason.
    pub const fn accepts(self, reason: &'static str, apply: T::Effect) -> Row<T> {
        Row { apply, support: Support::Accepted(reason), ..self }
    }

    /// Marks the option as refused, with the reason and its help text.
    pub const fn refused(self, reason: &'static str, help: &'static str) -> Row<T> {
        self.refuses(reason).helps(help)
    }

    /// Marks the option as refused, with the reason.
    pub const fn refuses(self, reason: &'static str) -> Row<T> {
        Row { support: Support::Refused(reason), ..self }
    }

    /// Returns the name and the aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<T> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Whether the option is refused by name.
    pub fn is_refused(&self) -> bool {
        matches!(self.support, Support::Refused(_))
    }
}
