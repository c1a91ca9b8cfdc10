//! A soak in a page.

use analysis::SoakAnswer;

use super::super::parts::{prose, section};
use crate::markup::{Markup, element};
use crate::words::soaked::lines;

/// Returns the answer line by line; the chart stands elsewhere.
pub(super) fn sections(answer: &SoakAnswer) -> Markup {
    let said: Markup = lines(answer).iter().map(|line| element("li").holding(prose(line))).collect();
    section("Over time", element("ul").line(said))
}
