//! The options of a command line parsed so far; all targets of a command line get the same options.

use super::profile::{Cache, Format, MappedFlush, Profile, Target, TimeSpan};

/// Information to show instead of running.
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

/// The DiskSpd version that the layout of the text result follows.
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
    /// Information to show instead of running.
    pub show: Show,
    /// `-S`: use of the page cache.
    pub cache: Option<Cache>,
    /// `-S`: whether writes are stable on completion.
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
    /// Whether the percentage of random I/O was given (`-rs`).
    pub share_given: bool,
    /// Whether only io_uring may be used (`-u`).
    pub ring: bool,
    /// The DiskSpd version that the layout of the text result follows (`--compat`).
    pub compat: Compat,
    /// Value of a bare `-z`.
    pub tick: u32,
    /// Values that were parsed leniently, which the user should know.
    pub notes: Vec<String>,
}

impl Draft {
    /// Adds a note, unless it is already present.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }
}
