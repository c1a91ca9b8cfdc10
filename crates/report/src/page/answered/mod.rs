//! The sections of a run with a procedure that answers a question: the answer first, with the charts that show it.

mod drained;
mod mapped;
mod places;
mod soaked;
mod sought;
mod together;

use analysis::Answered;

use crate::markup::Markup;

/// Returns what stands between the verdict and the charts against time.
pub(super) fn sections(answered: &Answered) -> Markup {
    match answered {
        Answered::Check(check) => check.parts.iter().map(sections).collect(),
        Answered::Soak(answer) => soaked::sections(answer),
        Answered::Burst(answer) => drained::sections(answer),
        Answered::Headroom(answer) => sought::sections(answer),
        Answered::Map(answer) => mapped::sections(answer),
        Answered::Places(answer) => places::sections(answer),
        Answered::Together(answer) => together::sections(answer),
    }
}
