//! A deliberate drain in a page: the figures of each resource, and its drains as a table.

use analysis::{BurstAnswer, BurstPart};

use super::super::parts::{scrolled_as, section, titled};
use crate::markup::{Markup, markup};
use crate::words::Table;
use crate::words::drained::{drains, rows, title};

/// Returns the sections of the answer.
pub(super) fn sections(answer: &BurstAnswer) -> Markup {
    answer.parts.iter().map(part).collect()
}

fn part(part: &BurstPart) -> Markup {
    let mut table = Table::headed(&["what", "measured"]);
    table.rows = rows(part).into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    let name = title(part);
    section(&name, markup![scrolled_as(&table, &name), titled("Drains", &drains(part))])
}
