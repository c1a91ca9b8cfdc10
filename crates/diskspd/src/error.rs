//! Why a DiskSpd command line or profile asks for nothing that can be done; what stands where, and what would do.

use super::size::SizeError;

/// What is wrong inside a word, seen from the value of its option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Place in the value, in bytes from its start.
    pub at: usize,
    /// What is wrong.
    pub why: String,
    /// The value that was probably meant.
    pub instead: Option<String>,
}

impl Fault {
    /// A fault at the start of the value.
    pub fn whole(why: impl Into<String>) -> Fault {
        Fault { at: 0, why: why.into(), instead: None }
    }

    /// A fault at `at`.
    pub fn at(at: usize, why: impl Into<String>) -> Fault {
        Fault { at, why: why.into(), instead: None }
    }

    /// With the value that was probably meant.
    pub fn meant(self, instead: impl Into<String>) -> Fault {
        Fault { instead: Some(instead.into()), ..self }
    }

    /// The same, seen from `by` bytes further to the left, where `head` stands.
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

/// Why nothing can be done. All of these end with exit code 3.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiskSpdError {
    /// An option's value is wrong.
    #[error(
        "ERROR: incorrectly provided option: '{word}'\n  word {number}, character {character}: {why}{}",
        write(instead)
    )]
    Word {
        /// The whole word.
        word: String,
        /// Its number on the command line, from 1.
        number: usize,
        /// The character in it, from 1.
        character: usize,
        /// What is wrong there.
        why: String,
        /// The word that was probably meant.
        instead: Option<String>,
    },
    /// There is no such option.
    #[error("ERROR: invalid option: '{word}'\n  word {number}: {hint}")]
    Unknown {
        /// The whole word.
        word: String,
        /// Its number on the command line, from 1.
        number: usize,
        /// What may have been meant, or why there is no such option.
        hint: String,
    },
    /// An option stands behind a target.
    #[error(
        "ERROR: parameters ({word}) must come before targets on the command line\n  word {number}: put it before \
         '{target}'; a target that begins with a dash is written ./{word}"
    )]
    AfterTarget {
        /// The option.
        word: String,
        /// Its number on the command line, from 1.
        number: usize,
        /// The first target.
        target: String,
    },
    /// No target.
    #[error(
        "ERROR: need to provide at least one filename\n  name a file or a block device behind the options, for example \
         testfile.dat"
    )]
    NoTarget,
    /// Options that cannot be together, and values that do not fit each other; one sentence each.
    #[error("{}", each_a_line(.0))]
    Contradictions(Vec<String>),
    /// A profile cannot be read.
    #[error("ERROR: failed to load profile '{path}'\n  {}{why}", at(place))]
    Profile {
        /// The file.
        path: String,
        /// Line and column, from 1, where there is a place.
        place: Option<(u32, u32)>,
        /// What is wrong, and what would do.
        why: String,
    },
}

impl DiskSpdError {
    /// DiskSpd's exit code for wrong usage.
    pub const EXIT_CODE: u8 = 3;

    /// The place of the word that the error is about among the words, from 0; `None` where it is about no single one.
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
