//! Tables that providers publish: the figures that their volumes should show.

use serde::Deserialize;

use crate::CatalogueError;

/// One published table, row by row.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTable {
    /// Short name.
    pub id: String,
    /// The policy with the parameters that all rows share; `None` if the table covers more than one policy.
    pub policy: Option<String>,
    /// Names of the columns; the last part of a name is its unit.
    pub columns: Vec<String>,
    /// Ids of the source texts.
    pub sources: Vec<String>,
    /// Further remarks for the reader.
    pub note: Option<String>,
    /// The rows, each as wide as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

/// One cell of a published table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// A figure.
    Number(f64),
    /// A word.
    Word(String),
    /// Nothing published.
    Empty,
}

impl PublishedTable {
    /// Returns the figure in this row and column; `None` if the cell is not a figure or does not exist.
    pub fn number(&self, row: usize, column: &str) -> Option<f64> {
        match self.cell(row, column)? {
            Cell::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the cell in this row and column.
    pub fn cell(&self, row: usize, column: &str) -> Option<&Cell> {
        let at = self.columns.iter().position(|name| name == column)?;
        self.rows.get(row)?.get(at)
    }

    pub(crate) fn agree(&self) -> Result<(), CatalogueError> {
        match self.rows.iter().position(|row| row.len() != self.columns.len()) {
            None => Ok(()),
            Some(row) => Err(CatalogueError::Reference {
                of: self.id.clone(),
                problem: format!("row {} is not as wide as there are columns", row + 1),
            }),
        }
    }
}
