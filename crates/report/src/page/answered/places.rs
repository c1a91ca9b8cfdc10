//! The answer of `plimsoll where` in a page: regions and working sets as tables; their drawings stand among the
//! charts.

use analysis::{Budget, PlacesAnswer};

use crate::markup::{Markup, element, markup};
use crate::page::parts::{prose, scrolled_as, section};
use crate::words::places::{budget_sentence, region_table, set_table};

/// Returns the sections of the answer.
pub(super) fn sections(answer: &PlacesAnswer) -> Markup {
    let regions = if answer.regions.is_empty() {
        Markup::default()
    } else {
        scrolled_as(&region_table(answer), "Regions")
    };
    let sets = if answer.sets.is_empty() {
        Markup::default()
    } else {
        scrolled_as(&set_table(answer), "Working sets")
    };
    let told = |budget: &Budget| element("p").line(prose(&budget_sentence(budget)));
    let budgets: Markup = answer.budgets.iter().map(told).collect();
    markup![section("Regions", regions), section("Working sets", markup![sets, budgets])]
}
