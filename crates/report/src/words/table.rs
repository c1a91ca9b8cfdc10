//! A table of text, for a page, for the figures of a drawing or for a terminal.

/// Headings and rows of plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Headings, one for each column.
    pub head: Vec<String>,
    /// Rows, each as long as `head`.
    pub rows: Vec<Vec<String>>,
}

/// Alignment of the columns of a table in a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columns {
    /// All columns to the left.
    Left,
    /// The first column to the left, figures to the right.
    Figures,
    /// The last column to the left, figures to the right.
    WordsLast,
    /// Like [`Columns::Figures`], with fixed widths: of the first column, and of each other one.
    Fixed(usize, usize),
}

impl Table {
    /// Returns a table with these headings and no rows.
    pub fn headed(head: &[&str]) -> Table {
        Table { head: head.iter().map(|&word| word.to_owned()).collect(), rows: Vec::new() }
    }

    /// Returns the table as lines for a terminal, indented by two.
    pub(crate) fn text(&self, columns: Columns) -> String {
        let widths: Vec<usize> = (0..self.head.len()).map(|column| self.width(column, columns)).collect();
        std::iter::once(&self.head).chain(&self.rows).map(|row| columns.line(row, &widths)).collect()
    }

    fn width(&self, column: usize, columns: Columns) -> usize {
        let cells = || std::iter::once(&self.head).chain(&self.rows).filter_map(|row| row.get(column));
        match columns {
            Columns::Fixed(first, _) if column == 0 => first,
            Columns::Fixed(_, other) => other,
            _ => cells().map(|cell| cell.chars().count()).max().unwrap_or(0),
        }
    }

    /// Removes one column.
    pub(crate) fn without(mut self, column: usize) -> Table {
        self.head.remove(column);
        self.rows.iter_mut().for_each(|row| drop(row.remove(column)));
        self
    }

    /// Removes columns in which every row is empty.
    pub(crate) fn without_empty(self) -> Table {
        let is_empty = |column: &usize| self.rows.iter().all(|row| row[*column].is_empty());
        let empty: Vec<usize> = (0..self.head.len()).filter(is_empty).collect();
        // From the last to the first, so that the remaining indices stay valid.
        empty.into_iter().rev().fold(self, Table::without)
    }
}

impl Columns {
    fn line(self, row: &[String], widths: &[usize]) -> String {
        let cell = |(at, (cell, width)): (usize, (&String, &usize))| match self.is_left(at, row.len()) {
            true => format!("{cell:<width$}"),
            false => format!("{cell:>width$}"),
        };
        let cells: Vec<String> = row.iter().zip(widths).enumerate().map(cell).collect();
        format!("  {}", cells.join(self.gap())).trim_end().to_owned() + "\n"
    }

    fn is_left(self, column: usize, columns: usize) -> bool {
        match self {
            Columns::Left => true,
            Columns::Figures | Columns::Fixed(..) => column == 0,
            Columns::WordsLast => column + 1 == columns,
        }
    }

    fn gap(self) -> &'static str {
        match self {
            Columns::Left | Columns::WordsLast => "  ",
            Columns::Figures => "   ",
            Columns::Fixed(..) => "",
        }
    }
}
