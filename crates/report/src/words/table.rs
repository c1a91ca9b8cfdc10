//! A table of text, for a page or for the figures of a drawing.

/// Heads and rows of plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// One word or two a column.
    pub head: Vec<String>,
    /// As long as `head`, each.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these heads and no row yet.
    pub fn headed(head: &[&str]) -> Table {
        Table { head: head.iter().map(|&word| word.to_owned()).collect(), rows: Vec::new() }
    }
}
