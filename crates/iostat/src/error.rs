//! Why an iostat command line cannot be run.

/// Why an iostat command line cannot be run; the exit code is always 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IostatError {
    /// A word that iostat does not know.
    #[error("iostat: word {position}: '{word}' {problem}{}", hint(.nearest))]
    Word {
        /// Place on the command line, from 1.
        position: usize,
        /// The word.
        word: String,
        /// The problem with the word.
        problem: &'static str,
        /// The known word that was probably meant.
        nearest: Option<String>,
    },
    /// Two options that exclude each other.
    #[error("iostat: {0}")]
    Apart(&'static str),
    /// An option of sysstat's iostat that is not supported.
    #[error("iostat: {word} is not supported: {why}")]
    Unsupported {
        /// Place on the command line, from 1.
        position: usize,
        /// The option.
        word: String,
        /// The reason, and the remedy.
        why: &'static str,
    },
    /// A folder for counters that does not exist.
    #[error("iostat: there is no folder {0}; name one that holds a file diskstats")]
    NoFolder(String),
    /// A kind of persistent names that this machine does not have.
    #[error("Invalid type of persistent device name")]
    PersistentNames,
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |nearest| format!("; did you mean {nearest}?"))
}

impl IostatError {
    /// Index of the word that the error is about, from 0; `None` if it is not about a single word.
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

    /// Whether iostat prints its usage.
    pub fn asks_for_usage(&self) -> bool {
        matches!(self, IostatError::Word { .. } | IostatError::Apart(_) | IostatError::NoFolder(_))
    }
}
