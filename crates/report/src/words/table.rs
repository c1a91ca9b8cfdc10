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

    /// Without one of its columns.
    pub(crate) fn without(mut self, column: usize) -> Table {
        self.head.remove(column);
        self.rows.iter_mut().for_each(|row| drop(row.remove(column)));
        self
    }

    /// Without columns that have a head and nothing below it.
    pub(crate) fn without_empty(self) -> Table {
        let is_empty = |column: &usize| self.rows.iter().all(|row| row[*column].is_empty());
        let empty: Vec<usize> = (0..self.head.len()).filter(is_empty).collect();
        // The last first, so that the places of the others stay.
        empty.into_iter().rev().fold(self, Table::without)
    }
}
