//! The answers of procedures in a page; their drawings stand among the charts.

use analysis::ProcedureAnswer;

use super::parts::{note, prose, scrolled_as, section, titled};
use crate::answers::sheet::{Block, Content, Section, SheetTable};
use crate::answers::sheets;
use crate::markup::{Markup, element};

/// Returns what stands between the verdict and the charts against time.
pub(super) fn sections(answered: &ProcedureAnswer) -> Markup {
    sheets(answered).iter().flat_map(|sheet| &sheet.sections).map(one).collect()
}

fn one(part: &Section) -> Markup {
    let content: Markup = part.blocks.iter().filter(|block| block.is_on_page()).map(block).collect();
    if part.heading.is_empty() { content } else { section(&part.heading, content) }
}

fn block(block: &Block) -> Markup {
    match &block.content {
        Content::Items(_, items) => {
            let items: Markup = items.iter().map(|item| element("li").holding(prose(item))).collect();
            element("ul").line(items)
        }
        Content::Paragraphs(_, paragraphs) => {
            paragraphs.iter().map(|paragraph| element("p").line(prose(paragraph))).collect()
        }
        Content::Note(words) => note(words.as_str()),
        Content::Table(SheetTable { table, title, caption, .. }) if title.is_empty() => {
            scrolled_as(table, caption)
        }
        Content::Table(SheetTable { table, title, .. }) => titled(title, table),
        Content::Verbatim(_) => Markup::default(),
    }
}
