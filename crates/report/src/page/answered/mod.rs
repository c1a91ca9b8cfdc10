//! The sections of a run with a procedure that answers a question: the answer first, with the charts that show it.

mod drained;
mod mapped;
mod places;
mod soaked;
mod sought;
mod together;

use analysis::ProcedureAnswer;

use crate::markup::Markup;

/// Returns what stands between the verdict and the charts against time.
pub(super) fn sections(answered: &ProcedureAnswer) -> Markup {
    match answered {
        ProcedureAnswer::Check(check) => check.parts.iter().map(sections).collect(),
        ProcedureAnswer::Soak(answer) => soaked::sections(answer),
        ProcedureAnswer::Burst(answer) => drained::sections(answer),
        ProcedureAnswer::Headroom(answer) => sought::sections(answer),
        ProcedureAnswer::Map(answer) => mapped::sections(answer),
        ProcedureAnswer::Places(answer) => places::sections(answer),
        ProcedureAnswer::Together(answer) => together::sections(answer),
    }
}
