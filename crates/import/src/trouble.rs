//! Unreadable places: their position, the expected and the actual text.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// A place of an input that could not be read. What stands around it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Trouble {
    /// Line from 1.
    pub line: u32,
    /// Column from 1, in characters.
    pub column: u32,
    /// Expected text.
    pub expected: String,
    /// Actual text, shortened.
    pub found: String,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: expected {}", self.line, self.column, self.expected)?;
        if self.found.is_empty() { Ok(()) } else { write!(f, ", found '{}'", self.found) }
    }
}

/// Unreadable places: the first ones, and the number of others.
#[derive(Debug, Default)]
pub(crate) struct Troubles {
    kept: Vec<Trouble>,
    more: usize,
}

/// Most places kept: more than anybody looks at. Each takes a hundred times the memory of its text.
const KEPT_MOST: usize = 1000;

impl Troubles {
    pub fn push(&mut self, trouble: Trouble) {
        match self.kept.len() < KEPT_MOST {
            true => self.kept.push(trouble),
            false => self.more += 1,
        }
    }

    pub fn append(&mut self, other: Troubles) {
        self.more += other.more;
        other.kept.into_iter().for_each(|trouble| self.push(trouble));
    }

    /// Returns the kept places in the order of the input, and a note on the number of others.
    pub fn told(mut self) -> (Vec<Trouble>, Option<String>) {
        self.kept.sort_by_key(|trouble| (trouble.line, trouble.column));
        self.kept.dedup();
        let more = match self.more {
            0 => None,
            1 => Some("one more place could not be read".to_owned()),
            more => Some(format!("{more} more places could not be read")),
        };
        (self.kept, more)
    }
}

/// Reasons why nothing in an input could be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The input is empty.
    #[error("it is empty; give the output of fio, ioping, DiskSpd or iostat")]
    Empty,
    /// The input is not text.
    #[error("it is {what}; {remedy}")]
    NoText {
        /// Apparent kind of the input.
        what: &'static str,
        /// Remedy.
        remedy: &'static str,
    },
    /// iostat's reports have no interval.
    #[error(
        "it holds a report of iostat, but of the time since boot alone: give iostat an interval and a count, as in \
         'iostat -x -t -o JSON 10 30'"
    )]
    SinceBoot,
    /// sysstat's JSON has no device and no CPU.
    #[error(
        "it is JSON as sysstat writes it, but holds no report of iostat: expected 'disk' or 'avg-cpu' in 'statistics'; \
         mpstat and pidstat write other things there, and sadf \
         writes 'disk' where it is asked: sadf -j FILE -- -d -u"
    )]
    OtherSysstat,
    /// The kind is known, but nothing could be read.
    #[error("it looks like {kind}, but nothing of it could be read: {first}")]
    Unreadable {
        /// The kind.
        kind: String,
        /// The first place that could not be read.
        first: Trouble,
    },
    /// The kind is not known.
    #[error("it holds no result of a known tool; {nearest}")]
    Unknown {
        /// The nearest kind, or the known kinds.
        nearest: String,
    },
}
