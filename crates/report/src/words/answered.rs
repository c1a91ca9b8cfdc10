//! The answers of procedures in words: which file has those of which.

use analysis::Answered;

use crate::words::answer::VerdictWords;
use crate::words::{drained, mapped, places, sought};

/// The answer in a sentence or two.
pub(crate) fn verdict(answered: &Answered) -> VerdictWords {
    match answered {
        Answered::Burst(answer) => drained::verdict(answer),
        Answered::Headroom(answer) => sought::verdict(answer),
        Answered::Map(answer) => mapped::verdict(answer),
        Answered::Places(answer) => places::verdict(answer),
    }
}

/// What stands below the verdict in a terminal.
pub(crate) fn text(answered: &Answered) -> String {
    match answered {
        Answered::Burst(answer) => drained::text(answer),
        Answered::Headroom(answer) => sought::text(answer),
        Answered::Map(answer) => mapped::text(answer),
        Answered::Places(answer) => places::text(answer),
    }
}
