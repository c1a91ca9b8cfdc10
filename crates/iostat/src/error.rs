//! Why an iostat command line cannot be run.

/// Why an iostat command line cannot be run; the exit code is 1, but 4 where a folder of names is missing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IostatError {
    /// A word that is none of iostat's.
    #[error("iostat: word {position}: '{word}' {problem}{}", hint(.nearest))]
    Word {
        /// Place on the command line, from 1.
        position: usize,
        /// The word.
        word: String,
        /// What is wrong with it.
        problem: &'static str,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// Two words that exclude each other.
    #[error("iostat: {0}")]
    Apart(&'static str),
    /// An option of the real iostat that is not supported.
    #[error("iostat: {word} is not supported: {why}")]
    Unsupported {
        /// Place on the command line, from 1.
        position: usize,
        /// The option.
        word: String,
        /// Why, and what to do instead.
        why: &'static str,
    },
    /// A folder of counters is not there.
    #[error("iostat: there is no folder {0}; name one that holds a file diskstats")]
    NoFolder(String),
    /// There are no such persistent names on this machine.
    #[error("Invalid type of persistent device name")]
    PersistentNames,
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |nearest| format!("; did you mean {nearest}?"))
}

impl IostatError {
    /// The place of the word that the error is about among the words, from 0; `None` where it is about no single one.
    pub fn word(&self) -> Option<usize> {
        match self {
            IostatError::Word { position, .. } | IostatError::Unsupported { position, .. } => {
                position.checked_sub(1)
            }
            IostatError::Apart(_) | IostatError::NoFolder(_) | IostatError::PersistentNames => None,
        }
    }

    /// iostat's exit code.
    pub fn exit_code(&self) -> u8 {
        1
    }

    /// True where iostat prints its usage.
    pub fn asks_for_usage(&self) -> bool {
        matches!(self, IostatError::Word { .. } | IostatError::Apart(_) | IostatError::NoFolder(_))
    }
}
