//! A table of text, for a page or for the figures of a drawing.

/// Headings and rows of plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Headings, one for each column.
    pub head: Vec<String>,
    /// Rows, each as long as `head`.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Returns a table with these headings and no rows.
    pub fn headed(head: &[&str]) -> Table {
        Table { head: head.iter().map(|&word| word.to_owned()).collect(), rows: Vec::new() }
    }

    /// Removes one column.
    pub(crate) fn without(mut self, column: usize) -> Table {
        self.head.remove(column);
        self.rows.iter_mut().for_each(|row| drop(row.remove(column)));
        self
    }

    /// Removes columns that have nothing below their heading.
    pub(crate) fn without_empty(self) -> Table {
        let is_empty = |column: &usize| self.rows.iter().all(|row| row[*column].is_empty());
        let empty: Vec<usize> = (0..self.head.len()).filter(is_empty).collect();
        // From the last to the first, so that the remaining indices stay valid.
        empty.into_iter().rev().fold(self, Table::without)
    }
}
