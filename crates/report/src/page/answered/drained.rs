//! The answer of a procedure in a page.

use analysis::BurstAnswer;

use crate::markup::Markup;

/// The sections of the answer.
pub(super) fn sections(_answer: &BurstAnswer) -> Markup {
    Markup::default()
}
