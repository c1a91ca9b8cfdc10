//! The words of a command line read so far; all targets of a line get the same options.

use super::profile::{Cache, Format, MappedFlush, Profile, Target, TimeSpan};

/// What is shown instead of running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// Nothing: the profile is run.
    #[default]
    Run,
    /// The profile (`-Rp`).
    Profile,
    /// The machine (`-Rs`).
    System,
    /// The help (`-?`).
    Usage,
}

/// The version whose look the text result has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compat {
    /// 2.0.21a and earlier.
    V20,
    /// 2.1.
    V21,
    /// 2.2.
    #[default]
    V22,
}

/// Options read so far.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Options of the whole run; its timespans stay empty.
    pub profile: Profile,
    /// Options of the only timespan; its targets stay empty.
    pub span: TimeSpan,
    /// Options of every target.
    pub target: Target,
    /// `-d`, if given: seconds.
    pub duration: Option<u32>,
    /// `-W`, if given: seconds.
    pub warm_up: Option<u32>,
    /// `-C`, if given: seconds.
    pub cool_down: Option<u32>,
    /// `-z`, if given.
    pub seed: Option<u32>,
    /// `-R`, if given.
    pub format: Option<Format>,
    /// `-X`, if given.
    pub profile_path: Option<String>,
    /// What is shown instead of running.
    pub show: Show,
    /// `-S`: use of the page cache.
    pub cache: Option<Cache>,
    /// `-S`: whether writes are stable once done.
    pub write_through: bool,
    /// `-S`: whether targets are mapped into memory.
    pub mapped: bool,
    /// `-N`.
    pub mapped_flush: Option<MappedFlush>,
    /// Whether a base was given.
    pub base_given: bool,
    /// Whether a length was given with the base.
    pub length_given: bool,
    /// Whether an end was given.
    pub max_given: bool,
    /// Whether the random share was given (`-rs`).
    pub share_given: bool,
    /// Whether only io_uring may be used (`-u`).
    pub ring: bool,
    /// The version whose look the text result has (`--compat`).
    pub compat: Compat,
    /// Value of a bare `-z`.
    pub tick: u32,
    /// Lenient readings that the user should know of.
    pub notes: Vec<String>,
}

impl Draft {
    /// Adds a note, unless it is there already.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}
