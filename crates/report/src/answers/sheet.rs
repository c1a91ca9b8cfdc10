//! A sheet: what the answer of a procedure says, formatted once for terminal, ticket and page.

use crate::words::Table;
use crate::words::table::Columns;
use crate::words::tiles::Tile;
use crate::words::wrap::wrap;

/// The verdict in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictWords {
    /// The word that is coloured: `MEETS`, `BELOW`, `CANNOT TELL`, …
    pub word: &'static str,
    /// What follows the word directly, starting with a blank or a colon, and the sentences that belong to it.
    pub rest: String,
    /// What stops the volume, and how far the run could see.
    pub stops: String,
}

impl VerdictWords {
    /// Returns the verdict as one text, without what stops the volume.
    pub fn sentence(&self) -> String {
        format!("{}{}", self.word, self.rest)
    }
}

/// What the answer of a procedure says.
pub(crate) struct Sheet {
    /// Name of the procedure as typed.
    pub command: &'static str,
    /// Answer in a sentence or two; `None` if the claims of the run are its verdict.
    pub verdict: Option<VerdictWords>,
    /// Figures that answer at a glance.
    pub tiles: Vec<Tile>,
    /// What stands below the verdict.
    pub sections: Vec<Section>,
}

/// Part of a sheet.
pub(crate) struct Section {
    /// Heading on a page; empty without one.
    pub heading: String,
    /// Indentation of the heading in a terminal; `None` if it stands only on a page.
    indent: Option<&'static str>,
    /// Lines and tables, in order.
    pub blocks: Vec<Block>,
}

/// Lines or a table of a section.
pub(crate) struct Block {
    pub content: Content,
    shown: Shown,
}

/// What a block holds.
pub(crate) enum Content {
    /// Items of a list, each with the words that lead it in a terminal.
    Items(&'static str, Vec<String>),
    /// Paragraphs, each with the words that lead it in a terminal.
    Paragraphs(&'static str, Vec<String>),
    /// A remark.
    Note(String),
    /// A table.
    Table(SheetTable),
    /// Lines whose form only a terminal has.
    Verbatim(String),
}

/// A table with the heading that it has in either place.
pub(crate) struct SheetTable {
    pub table: Table,
    /// Heading above it; empty without one.
    pub title: String,
    /// Caption on a page for readers who cannot see what stands above it.
    pub caption: String,
    columns: Columns,
}

/// Where a block is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Everywhere,
    /// In a terminal and in a ticket.
    Terminal,
    Page,
}

impl Sheet {
    /// Returns what stands below the verdict in a terminal, a blank line between its blocks.
    pub fn text(&self) -> String {
        let sections: Vec<String> = self.sections.iter().filter_map(Section::text).collect();
        sections.join("\n")
    }
}

impl Section {
    /// Returns a section whose heading stands only on a page.
    pub fn of(heading: impl Into<String>, blocks: Vec<Block>) -> Section {
        Section { heading: heading.into(), indent: None, blocks }
    }

    /// Returns a section whose heading stands in a terminal too, this far in.
    pub fn headed(indent: &'static str, heading: impl Into<String>, blocks: Vec<Block>) -> Section {
        Section { heading: heading.into(), indent: Some(indent), blocks }
    }

    /// Returns the section in a terminal; `None` if nothing of it is shown there.
    fn text(&self) -> Option<String> {
        let shown = self.blocks.iter().filter(|block| block.shown != Shown::Page);
        let blocks: Vec<String> = shown.map(|block| block.content.text()).collect();
        let heading = self.indent.map_or_else(String::new, |indent| wrap(indent, &self.heading));
        (!blocks.is_empty()).then(|| heading + &blocks.join("\n"))
    }
}

impl Block {
    fn of(content: Content) -> Block {
        Block { content, shown: Shown::Everywhere }
    }

    /// Returns a list; `lead` stands before each item in a terminal.
    pub fn items(lead: &'static str, items: Vec<String>) -> Block {
        Block::of(Content::Items(lead, items))
    }

    /// Returns paragraphs; `lead` stands before each in a terminal.
    pub fn paragraphs(lead: &'static str, paragraphs: Vec<String>) -> Block {
        Block::of(Content::Paragraphs(lead, paragraphs))
    }

    /// Returns a remark.
    pub fn note(note: String) -> Block {
        Block::of(Content::Note(note))
    }

    /// Returns lines for a terminal.
    pub fn verbatim(lines: String) -> Block {
        Block::of(Content::Verbatim(lines)).in_terminal()
    }

    /// Returns a table below a heading.
    pub fn titled(title: &str, table: Table) -> Block {
        let title = title.to_owned();
        Block::of(Content::Table(SheetTable { table, title, caption: String::new(), columns: Columns::Left }))
    }

    /// Returns a table without a heading of its own.
    pub fn captioned(caption: &str, table: Table) -> Block {
        let caption = caption.to_owned();
        Block::of(Content::Table(SheetTable { table, title: String::new(), caption, columns: Columns::Left }))
    }

    /// Returns the block with its table aligned so in a terminal.
    pub fn aligned(mut self, columns: Columns) -> Block {
        if let Content::Table(table) = &mut self.content {
            table.columns = columns;
        }
        self
    }

    /// Returns the block for a terminal and a ticket alone.
    pub fn in_terminal(self) -> Block {
        Block { shown: Shown::Terminal, ..self }
    }

    /// Returns the block for a page alone.
    pub fn on_page(self) -> Block {
        Block { shown: Shown::Page, ..self }
    }

    /// Whether a page shows it.
    pub fn is_on_page(&self) -> bool {
        self.shown != Shown::Terminal
    }
}

impl Content {
    fn text(&self) -> String {
        match self {
            Content::Items(lead, lines) | Content::Paragraphs(lead, lines) => {
                lines.iter().map(|line| wrap(lead, line)).collect()
            }
            Content::Note(note) => wrap("", note),
            Content::Table(SheetTable { table, title, columns, .. }) if title.is_empty() => {
                table.text(*columns)
            }
            Content::Table(SheetTable { table, title, columns, .. }) => {
                format!("  {title}\n{}", table.text(*columns))
            }
            Content::Verbatim(lines) => lines.clone(),
        }
    }
}
