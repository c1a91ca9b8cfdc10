//! Run and findings to text, charts and pages.
//!
//! Every number printed here is a field of [`record::Run`] or [`analysis::Analysis`], or a unit change of one; this crate
//! computes no statistics and touches no file: it returns strings.

mod advice;
mod base64;
mod cells;
pub mod charts;
mod claims;
mod comparison;
mod comparison_page;
mod comparison_words;
mod data;
mod document;
mod doubt;
mod forecast;
mod imported;
mod imported_page;
mod json;
mod markup;
mod method;
mod note;
pub mod numbers;
mod page;
mod progress;
mod quick;
mod sentence;
mod steps;
mod target_doubt;
mod terminal;
mod verdict;
pub mod watch;
mod watch_page;
mod watch_tables;
mod watch_words;
mod wrap;
mod zoom;

pub use advice::{competing, is_full, next_step};
pub use cells::{cell_lines, crystal_table, job_words};
pub use claims::{ClaimWords, answer_words, claim_words};
pub use comparison::{COMPARISON_SCHEMA, COMPARISON_VERSION, comparison_json, comparison_text};
pub use comparison_page::comparison_html;
pub use data::{
    CsvTable, SeriesName, Wanted, WantedError, csv_tables, series_csv, series_json, series_names, wanted,
};
pub use doubt::{doubt, remedy};
pub use forecast::{Credits, Forecast, forecast};
pub use imported::imported;
pub use json::{SCHEMA, SCHEMA_VERSION, json};
pub use markup::Table;
pub use note::note;
pub use page::{html, html_of};
pub use progress::{Progress, ending, progress, step_done};
pub use quick::{quick_json, quick_text};
pub use sentence::{confidence, error_words, evidence, sentence};
pub use steps::{PartWords, part_line, part_words, steps};
pub use target_doubt::target_doubt;
pub use terminal::{Paint, files_line, files_line_of, findings_brief, head, terminal};
pub use verdict::{VerdictWords, verdict_words};
pub use wrap::{COLUMNS, clean, clean_json, clean_lines, wrap};
pub use zoom::zoom_missing;
