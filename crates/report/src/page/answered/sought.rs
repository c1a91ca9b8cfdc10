//! The greatest rate at which a latency bound holds, in a page.

use analysis::HeadroomAnswer;

use super::super::parts::{prose, scrolled_as, section};
use crate::markup::{Markup, element, markup};
use crate::words::sought::{doubt_words, loads_table};

/// Returns the loads that the answer rests on, and what makes it doubtful.
pub(super) fn sections(answer: &HeadroomAnswer) -> Markup {
    let doubt = |words: &String| element("li").holding(prose(words));
    let doubts: Markup = doubt_words(answer).iter().map(doubt).collect();
    let doubts = (!doubts.is_empty()).then(|| element("ul").line(doubts));
    section("Open loads", markup![scrolled_as(&loads_table(answer), "Open loads"), doubts])
}
