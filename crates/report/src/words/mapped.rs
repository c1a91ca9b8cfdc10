//! The answer of a procedure in words.

use analysis::MapAnswer;

use crate::words::answer::VerdictWords;

/// The answer in a sentence or two.
pub(crate) fn verdict(_answer: &MapAnswer) -> VerdictWords {
    VerdictWords { word: "MEASURED", rest: ".".to_owned(), stops: String::new() }
}

/// What stands below the verdict in a terminal: tables and what follows.
pub(crate) fn text(_answer: &MapAnswer) -> String {
    String::new()
}
