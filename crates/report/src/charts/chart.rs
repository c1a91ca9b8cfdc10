//! A chart: a drawing with the same figures as a table.

use super::drawing::{Drawing, Font};
use crate::words::Table;

/// A drawing with the same figures as a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The drawing.
    pub drawing: Drawing,
    /// The figures.
    pub table: Table,
}

impl Chart {
    pub(super) fn of(title: &str, drawing: Drawing, table: Table) -> Chart {
        Chart { title: title.to_owned(), drawing, table }
    }

    /// Under its message, where it has one; the drawing's description still tells what is drawn.
    pub(super) fn saying(mut self, message: Option<String>) -> Chart {
        if let Some(message) = message {
            self.title.clone_from(&message);
            self.drawing.title = message;
        }
        self
    }

    /// The drawing as a file of its own: with its font and its dashes, light.
    pub fn standalone(&self) -> String {
        self.drawing.file(Font::Embedded)
    }
}

/// The words for those who do not see a drawing: what it shows, and that its table stands below.
pub(super) fn figures_below(title: &str) -> String {
    format!("{title}. The table below has the figures.")
}
