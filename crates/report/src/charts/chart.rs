//! A chart: a drawing and a table of the same figures.

use super::drawing::Drawing;
use super::panel::Panel;
use super::panels::draw;
use crate::words::Table;

/// A drawing and a table of the same figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Title: what the chart shows, or its message.
    pub title: String,
    /// SVG drawing.
    pub drawing: Drawing,
    /// Table of the figures drawn.
    pub table: Table,
}

impl Chart {
    pub(crate) fn of(title: &str, drawing: Drawing, table: Table) -> Chart {
        Chart { title: title.to_owned(), drawing, table }
    }

    /// Draws panels of this height side by side, with a table of their figures.
    pub(crate) fn drawn(title: &str, height: i32, panels: &[Panel], table: Table) -> Chart {
        Chart::of(title, draw(title, &figures_below(title), height, panels), table)
    }

    /// Replaces the title by `message` if there is one; the drawing's description still names its subject.
    pub(crate) fn saying(mut self, message: Option<String>) -> Chart {
        if let Some(message) = message {
            self.title.clone_from(&message);
            self.drawing.title = message;
        }
        self
    }
}

/// Returns a description for readers who cannot see the drawing: its subject, and that a table follows.
pub(crate) fn figures_below(title: &str) -> String {
    format!("{title}. The table below has the figures.")
}
