//! The answer of a procedure in a page.

use analysis::PlacesAnswer;

use crate::markup::Markup;

/// The sections of the answer.
pub(super) fn sections(_answer: &PlacesAnswer) -> Markup {
    Markup::default()
}
