//! Why nothing is timed: ioping's message, its exit code, and a remedy.

use options::errno_text;
use workload::Bytes;

use super::number::NumberError;

/// Why ioping ends without statistics. `Display` is ioping's message, if it has one; [`hint`](IopingError::hint) gives
/// the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IopingError {
    /// An option that does not exist.
    #[error("unrecognized option '{word}'")]
    Unrecognized {
        /// The option as typed.
        word: String,
        /// The closest known name.
        near: Option<String>,
    },
    /// A letter in a group of letters that is not an option.
    #[error("invalid option -- '{letter}'")]
    InvalidLetter {
        /// The letter.
        letter: char,
        /// The word that contains it.
        word: String,
    },
    /// An abbreviation of several names.
    #[error("option '{word}' is ambiguous; possibilities:{}", fits.iter().map(|fit| format!(" '{fit}'")).collect::<String>())]
    Ambiguous {
        /// The abbreviation as typed.
        word: String,
        /// The names that fit.
        fits: Vec<String>,
    },
    /// A letter without its value.
    #[error("option requires an argument -- '{0}'")]
    LetterNeedsValue(char),
    /// A long option without its value.
    #[error("option '{0}' requires an argument")]
    NameNeedsValue(String),
    /// A value for an option that takes none.
    #[error("option '{0}' doesn't allow an argument")]
    NeedlessValue(String),
    /// A value that cannot be read.
    #[error("{error}")]
    Number {
        /// The problem.
        error: NumberError,
        /// The value as typed.
        value: String,
        /// The option.
        option: String,
    },
    /// A format of the time of day that cannot be used.
    #[error("time format \"{format}\" cannot be printed: {reason}")]
    ClockFormat {
        /// The format as typed.
        format: String,
        /// The reason.
        reason: String,
    },
    /// Options that exclude each other.
    #[error("{0}")]
    Together(&'static str),
    /// No target.
    #[error("no destination specified")]
    NoTarget,
    /// More than one target.
    #[error("more than one destination specified")]
    ManyTargets {
        /// The second target.
        second: String,
    },
    /// A target that cannot be examined.
    #[error("stat \"{path}\" failed: {}", errno_text(*errno))]
    Stat {
        /// The path as typed.
        path: String,
        /// The errno.
        errno: i32,
    },
    /// A target that is a pipe or a socket.
    #[error("unsupported destination: \"{path}\"")]
    Unsupported {
        /// The path as typed.
        path: String,
    },
    /// A target that cannot be opened.
    #[error("failed to open \"{path}\": {why}")]
    Open {
        /// The path as typed.
        path: String,
        /// The reason.
        why: String,
    },
    /// A directory in which no file can be created.
    #[error("failed to create temporary file at \"{path}\": {why}")]
    Create {
        /// The path as typed.
        path: String,
        /// The reason.
        why: String,
    },
    /// A file in the directory that could not be written.
    #[error("preparation write failed: {}", errno_text(*errno))]
    Preparation {
        /// The errno.
        errno: i32,
        /// The remedy.
        hint: String,
    },
    /// Overwriting a target without three times `-W`.
    #[error("think twice, then use -WWW to shred this target")]
    ThinkTwice,
    /// A write that the guard does not permit.
    #[error("refused to write")]
    Guarded(String),
    /// A region that ends past the target's end.
    #[error("target is too small for this")]
    TooSmall {
        /// Length of the target.
        there: Bytes,
    },
    /// A request longer than the region.
    #[error("request size is too big for this target")]
    RequestTooBig {
        /// Length of a request.
        request: Bytes,
        /// Length of the region.
        room: Bytes,
    },
    /// A request longer than a system call allows; the limit in bytes.
    #[error("this platform supports requests {0} bytes at most")]
    Longest(u64),
    /// A queue that cannot be created.
    #[error("{0}")]
    Queue(String),
    /// A request that failed.
    #[error("request failed: {}", errno_text(*errno))]
    Request {
        /// The errno.
        errno: i32,
        /// The remedy.
        hint: String,
    },
}

impl IopingError {
    /// The word that the error is about, if it is a word of its own.
    pub fn typed(&self) -> Option<&str> {
        match self {
            IopingError::Unrecognized { word, .. }
            | IopingError::InvalidLetter { word, .. }
            | IopingError::Ambiguous { word, .. }
            | IopingError::NameNeedsValue(word) => Some(word),
            IopingError::Number { value, .. } => Some(value),
            IopingError::ClockFormat { format, .. } => Some(format),
            _ => None,
        }
    }

    /// Exit code: 1 for invalid words, 2 for a target that cannot be prepared, 3 for a failed request.
    pub fn exit_code(&self) -> u8 {
        use IopingError::{
            Ambiguous, ClockFormat, InvalidLetter, LetterNeedsValue, ManyTargets, NameNeedsValue,
            NeedlessValue, NoTarget, Number, Request, Together, Unrecognized,
        };
        match self {
            Unrecognized { .. } | InvalidLetter { .. } | Ambiguous { .. } | LetterNeedsValue(_) => 1,
            NameNeedsValue(_) | NeedlessValue(_) | Number { .. } | ClockFormat { .. } => 1,
            Together(_) | NoTarget | ManyTargets { .. } => 1,
            Request { .. } => 3,
            _ => 2,
        }
    }

    /// Returns the remedy; `None` if the message contains it.
    pub fn hint(&self) -> Option<String> {
        use IopingError as E;
        let list = "ioping -h lists the options";
        match self {
            E::Unrecognized { near: Some(near), .. } => Some(format!("did you mean {near}? {list}")),
            E::Unrecognized { .. } => Some(list.to_owned()),
            E::InvalidLetter { word, .. } => Some(format!("{word} is read letter by letter; {list}")),
            E::Ambiguous { .. } => Some("type more of the name".to_owned()),
            E::LetterNeedsValue(_) | E::NameNeedsValue(_) | E::NeedlessValue(_) => Some(list.to_owned()),
            E::Number { error: NumberError::Suffix { units, .. }, option, .. } => {
                Some(format!("the units of {option} are {units}, without a blank before them"))
            }
            E::Number { error: NumberError::Missing(_), option, .. } => {
                Some(format!("{option} needs a number before any unit"))
            }
            E::Number { option, .. } => Some(format!("it was given to {option}")),
            E::ClockFormat { .. } => Some("it takes the fields of strftime, as in -I%H:%M:%S".to_owned()),
            E::NoTarget => Some("name a directory, a file or a device".to_owned()),
            E::ManyTargets { second } => {
                Some(format!("\"{second}\" is the second; a format of -I is glued to it, as in -I%T"))
            }
            E::Stat { .. } => Some("check the path".to_owned()),
            E::Unsupported { .. } => Some("name a directory, a regular file or a device".to_owned()),
            E::Preparation { hint, .. } | E::Request { hint, .. } => Some(hint.clone()),
            E::TooSmall { there } => {
                Some(format!("it has {}; -o and -S must stay within", super::figures::size(there.0)))
            }
            E::RequestTooBig { request, room } => Some(format!(
                "a request has {}, the working set {}; give -s or -S",
                super::figures::size(request.0),
                super::figures::size(room.0)
            )),
            E::Guarded(why) => Some(why.clone()),
            E::Longest(_) => Some("give a smaller -s".to_owned()),
            _ => None,
        }
        .filter(|hint| !hint.is_empty())
    }
}
