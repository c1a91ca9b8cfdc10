//! Tables that providers publish: what a volume of theirs should show.

use serde::Deserialize;

use crate::CatalogueError;

/// One published table, row by row.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTable {
    /// Short name.
    pub id: String,
    /// The policy with the parameters that all rows share; `None` where the table is not about one policy.
    pub policy: Option<String>,
    /// Names of the columns; a unit is the last part of a name.
    pub columns: Vec<String>,
    /// Ids of the texts it comes from.
    pub sources: Vec<String>,
    /// What else one should know.
    pub note: Option<String>,
    /// The rows, as wide as there are columns.
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
    /// Not published.
    Empty,
}

impl PublishedTable {
    /// The figure in this row and column; `None` where it is no figure or there is no such cell.
    pub fn number(&self, row: usize, column: &str) -> Option<f64> {
        match self.cell(row, column)? {
            Cell::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The cell in this row and column.
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
