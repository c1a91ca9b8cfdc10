//! A run and its findings, and what a load needs, as tables in Parquet, for DuckDB, pandas and other readers. A table is a list of columns,
//! each with a unit; only one module knows the file format.

mod counters;
mod file;
mod printed;
mod settings;
mod table;
mod tables;

pub use file::{ExportError, MARK, encoded, is_ours};
pub use settings::settings;
pub use table::{Column, Table, Values};
pub use tables::tables;
