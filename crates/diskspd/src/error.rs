//! Why a DiskSpd command line or profile cannot be used: problem, place and remedy.

use super::size::SizeError;

/// An error within a word, relative to the value of its option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Offset in the value, in bytes.
    pub at: usize,
    /// The problem.
    pub why: String,
    /// The value that was probably meant.
    pub instead: Option<String>,
}

impl Fault {
    /// Returns a fault at the start of the value.
    pub fn whole(why: impl Into<String>) -> Fault {
        Fault { at: 0, why: why.into(), instead: None }
    }

    /// Returns a fault at offset `at`.
    pub fn at(at: usize, why: impl Into<String>) -> Fault {
        Fault { at, why: why.into(), instead: None }
    }

    /// Adds the value that was probably meant.
    pub fn meant(self, instead: impl Into<String>) -> Fault {
        Fault { instead: Some(instead.into()), ..self }
    }

    /// Shifts the offset of the fault for a value that `head` precedes.
    pub fn behind(self, head: &str) -> Fault {
        let instead = self.instead.map(|instead| format!("{head}{instead}"));
        Fault { at: self.at + head.len(), instead, ..self }
    }
}

impl From<SizeError> for Fault {
    fn from(error: SizeError) -> Fault {
        Fault { at: error.at, why: error.why, instead: error.instead }
    }
}

/// Why a command line or profile cannot be run. The exit code is always 3.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiskSpdError {
    /// An option with a wrong value.
    #[error(
        "ERROR: incorrectly provided option: '{word}'\n  word {number}, character {character}: {why}{}",
        write(instead)
    )]
    Word {
        /// The whole word.
        word: String,
        /// Number of the word on the command line, from 1.
        number: usize,
        /// The character within the word, from 1.
        character: usize,
        /// The problem at that character.
        why: String,
        /// The word that was probably meant.
        instead: Option<String>,
    },
    /// An option that does not exist.
    #[error("ERROR: invalid option: '{word}'\n  word {number}: {hint}")]
    Unknown {
        /// The whole word.
        word: String,
        /// Number of the word on the command line, from 1.
        number: usize,
        /// The option that may have been meant, or why this one does not exist.
        hint: String,
    },
    /// An option after a target.
    #[error(
        "ERROR: parameters ({word}) must come before targets on the command line\n  word {number}: put it before \
         '{target}'; a target that begins with a dash is written ./{word}"
    )]
    AfterTarget {
        /// The option.
        word: String,
        /// Number of the word on the command line, from 1.
        number: usize,
        /// The first target.
        target: String,
    },
    /// A command line without a target.
    #[error(
        "ERROR: need to provide at least one filename\n  name a file or a block device behind the options, for example \
         testfile.dat"
    )]
    NoTarget,
    /// Options that exclude each other, and invalid values; one sentence for each.
    #[error("{}", each_a_line(.0))]
    Contradictions(Vec<String>),
    /// A profile that cannot be read.
    #[error("ERROR: failed to load profile '{path}'\n  {}{why}", at(place))]
    Profile {
        /// The file.
        path: String,
        /// Line and column, from 1, if there is a place.
        place: Option<(u32, u32)>,
        /// The problem and the remedy.
        why: String,
    },
}

impl DiskSpdError {
    /// DiskSpd's exit code for wrong usage.
    pub const EXIT_CODE: u8 = 3;

    /// Index of the word that the error is about, from 0; `None` if it is not about a single word.
    pub fn word(&self) -> Option<usize> {
        match self {
            DiskSpdError::Word { number, .. }
            | DiskSpdError::Unknown { number, .. }
            | DiskSpdError::AfterTarget { number, .. } => number.checked_sub(1),
            DiskSpdError::NoTarget | DiskSpdError::Contradictions(_) | DiskSpdError::Profile { .. } => None,
        }
    }
}

fn write(instead: &Option<String>) -> String {
    instead.as_ref().map_or_else(String::new, |instead| format!("; write {instead}"))
}

fn at(place: &Option<(u32, u32)>) -> String {
    place.map_or_else(String::new, |(line, column)| format!("line {line}, column {column}: "))
}

fn each_a_line(all: &[String]) -> String {
    all.iter().map(|one| format!("ERROR: {one}")).collect::<Vec<_>>().join("\n")
}
