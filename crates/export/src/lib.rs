//! A run and its findings as tables of Parquet, for DuckDB, pandas and what else reads them. A table is a list of columns with
//! a unit each; what a file looks like is known in one module.

mod counters;
mod file;
mod table;
mod tables;

pub use file::{ExportError, MARK, encoded, is_ours};
pub use table::{Column, Table, Values};
pub use tables::tables;
