//! A sheet: the answer of a procedure, formatted once for terminal, ticket and page.

use crate::words::Table;
use crate::words::table::Columns;
use crate::words::tiles::Tile;
use crate::words::wrap::wrap;

/// The verdict in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictWords {
    /// The coloured word: `MEETS`, `BELOW`, `CANNOT TELL`, …
    pub word: &'static str,
    /// Text directly after the word, starting with a blank or a colon, and the sentences that belong to it.
    pub rest: String,
    /// Sentences on what limits the volume, and on how far the run could see.
    pub stops: String,
}

impl VerdictWords {
    /// Returns the verdict as one text, without [`VerdictWords::stops`].
    pub fn sentence(&self) -> String {
        format!("{}{}", self.word, self.rest)
    }
}

/// The formatted answer of a procedure.
pub(crate) struct Sheet {
    /// Name of the procedure as typed.
    pub command: &'static str,
    /// Answer in a sentence or two; `None` if the claims of the run are its verdict.
    pub verdict: Option<VerdictWords>,
    /// Main figures, to be seen at a glance.
    pub tiles: Vec<Tile>,
    /// Sections below the verdict.
    pub sections: Vec<Section>,
}

/// Part of a sheet.
pub(crate) struct Section {
    /// Heading on a page; empty without one.
    pub heading: String,
    /// Indentation of the heading in a terminal; `None` if only a page shows the heading.
    pub indent: Option<&'static str>,
    /// Lines and tables, in order.
    pub blocks: Vec<Block>,
}

/// Lines or a table of a section.
pub(crate) enum Block {
    /// Items of a list, and the words that lead each in a terminal.
    Items(&'static str, Vec<String>),
    /// Paragraphs, and the words that lead each in a terminal.
    Paragraphs(&'static str, Vec<String>),
    /// A remark.
    Note(String),
    /// A table below a title.
    Titled(String, Table, Columns),
    /// A table with a caption, for readers of a page who cannot see the words above the table.
    Captioned(String, Table, Columns),
    /// Preformatted lines, for a terminal only.
    Verbatim(String),
    /// A block that only a terminal and a ticket show.
    Terminal(Box<Block>),
    /// A block that only a page shows.
    Page(Box<Block>),
}

impl Sheet {
    /// Returns the sections below the verdict as text for a terminal, with a blank line between sections.
    pub fn text(&self) -> String {
        let sections: Vec<String> = self.sections.iter().filter_map(Section::text).collect();
        sections.join("\n")
    }
}

impl Section {
    /// Returns a section whose heading only a page shows.
    pub fn of(heading: &str, blocks: Vec<Block>) -> Section {
        Section { heading: heading.to_owned(), indent: None, blocks }
    }

    /// Returns the section as text for a terminal; `None` if a terminal shows nothing of it.
    fn text(&self) -> Option<String> {
        let blocks: Vec<String> = self.blocks.iter().filter_map(Block::text).collect();
        let heading = self.indent.map_or_else(String::new, |indent| wrap(indent, &self.heading));
        (!blocks.is_empty()).then(|| heading + &blocks.join("\n"))
    }
}

impl Block {
    /// Returns the block for a terminal and a ticket alone.
    pub fn in_terminal(self) -> Block {
        Block::Terminal(Box::new(self))
    }

    /// Returns the block for a page alone.
    pub fn on_page(self) -> Block {
        Block::Page(Box::new(self))
    }

    /// Returns the block as text for a terminal; `None` if only a page shows it.
    fn text(&self) -> Option<String> {
        Some(match self {
            Block::Items(lead, lines) | Block::Paragraphs(lead, lines) => {
                lines.iter().map(|line| wrap(lead, line)).collect()
            }
            Block::Note(words) => wrap("", words),
            Block::Titled(title, table, columns) => format!("  {title}\n{}", table.text(*columns)),
            Block::Captioned(_, table, columns) => table.text(*columns),
            Block::Verbatim(lines) => lines.clone(),
            Block::Terminal(block) => block.text()?,
            Block::Page(_) => return None,
        })
    }
}
