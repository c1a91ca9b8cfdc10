//! What several volumes bear at once, in a page.

use analysis::TogetherAnswer;

use crate::markup::{Markup, element, markup};
use crate::page::parts::{prose, scrolled, section};
use crate::words::together::{kept_table, sentences};

/// Returns what each volume delivers alone and beside the others, and how the total is divided.
pub(super) fn sections(answer: &TogetherAnswer) -> Markup {
    let tables: Markup = answer.loads.iter().map(|load| scrolled(&kept_table(answer, load))).collect();
    let named =
        |(label, words): &(String, String)| element("li").holding(prose(&format!("{label}: {words}")));
    let named: Markup = answer.volumes.iter().map(named).collect();
    let said: Markup =
        sentences(answer).iter().map(|sentence| element("p").holding(prose(sentence))).collect();
    section("Alone and together", markup![element("ul").line(named), tables, said])
}
