//! Figures for other programs: tables as CSV, and series by name as CSV or JSON. Base units, named in the heads.

mod csv;
mod names;
mod series;
mod tables;

pub use csv::Csv;
pub use names::{SeriesName, SeriesNames, SeriesNamesError, metric_columns, series_names, wanted};
pub use series::{SeriesDocument, series_csv, series_json};
pub(crate) use tables::kind_name;
pub use tables::{CsvTable, csv_tables};
