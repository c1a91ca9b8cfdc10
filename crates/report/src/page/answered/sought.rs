//! The answer of a procedure in a page.

use analysis::HeadroomAnswer;

use crate::markup::Markup;

/// The sections of the answer.
pub(super) fn sections(_answer: &HeadroomAnswer) -> Markup {
    Markup::default()
}
