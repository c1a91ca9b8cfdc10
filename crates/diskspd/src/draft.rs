//! What the words of a command line have said so far; all targets of a line get the same.

use super::profile::{Cache, Format, MappedFlush, Profile, Target, TimeSpan};

/// What is shown instead of running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// Nothing: it is run.
    #[default]
    Run,
    /// The profile (`-Rp`).
    Profile,
    /// The machine (`-Rs`).
    System,
    /// The help (`-?`).
    Usage,
}

/// The look of which version the text result has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compat {
    /// 2.0.21a and before.
    V20,
    /// 2.1.
    V21,
    /// 2.2.
    #[default]
    V22,
}

/// The words so far.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// What holds for the run; its timespans stay empty.
    pub profile: Profile,
    /// The one timespan; its targets stay empty.
    pub span: TimeSpan,
    /// What every target gets.
    pub target: Target,
    /// `-d`, where given.
    pub duration: Option<u32>,
    /// `-W`, where given.
    pub warm_up: Option<u32>,
    /// `-C`, where given.
    pub cool_down: Option<u32>,
    /// `-z`, where given.
    pub seed: Option<u32>,
    /// `-R`, where given.
    pub format: Option<Format>,
    /// `-X`, where given.
    pub profile_path: Option<String>,
    /// What is shown instead of running.
    pub show: Show,
    /// `-S`: the page cache.
    pub cache: Option<Cache>,
    /// `-S`: writes last.
    pub write_through: bool,
    /// `-S`: mapped.
    pub mapped: bool,
    /// `-N`.
    pub mapped_flush: Option<MappedFlush>,
    /// A base was given.
    pub base_given: bool,
    /// A length was given with the base.
    pub length_given: bool,
    /// An end was given.
    pub max_given: bool,
    /// The random share was given (`-rs`).
    pub share_given: bool,
    /// io_uring and nothing else (`-u`).
    pub ring: bool,
    /// The look of the text result (`--compat`).
    pub compat: Compat,
    /// What a bare `-z` takes.
    pub tick: u32,
    /// Lenient readings that the user should know of.
    pub notes: Vec<String>,
}

impl Draft {
    /// Adds a note once.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}
