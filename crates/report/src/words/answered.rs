//! The answers of procedures in words: which file has those of which.

use analysis::Answered;

use crate::words::answer::VerdictWords;
use crate::words::{drained, mapped, places, sought, together};

/// The answer in a sentence or two; `None` where it is that of a check.
pub(crate) fn verdict(answered: &Answered) -> Option<VerdictWords> {
    Some(match answered {
        Answered::Burst(answer) => drained::verdict(answer),
        Answered::Headroom(answer) => sought::verdict(answer),
        Answered::Map(_) => return None,
        Answered::Places(answer) => places::verdict(answer),
        Answered::Together(answer) => together::verdict(answer),
    })
}

/// What stands below the verdict in a terminal.
pub(crate) fn text(answered: &Answered) -> String {
    match answered {
        Answered::Burst(answer) => drained::text(answer),
        Answered::Headroom(answer) => sought::text(answer),
        Answered::Map(answer) => mapped::text(answer),
        Answered::Places(answer) => places::text(answer),
        Answered::Together(answer) => together::text(answer),
    }
}
