//! The answer of a procedure in a page.

use analysis::MapAnswer;

use crate::markup::Markup;

/// The sections of the answer.
pub(super) fn sections(_answer: &MapAnswer) -> Markup {
    Markup::default()
}
