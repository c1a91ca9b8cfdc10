//! Words: what a run and its findings say, as text, tables, JSON and CSV. Knows no drawing and no page.

pub(crate) mod answer;
mod bursts;
pub(crate) mod causes;
pub(crate) mod cells;
mod changes;
pub(crate) mod claims;
pub(crate) mod comparison;
pub(crate) mod comparison_words;
pub(crate) mod data;
pub(crate) mod doubt;
pub(crate) mod findings;
pub(crate) mod forecast;
pub(crate) mod found;
pub(crate) mod imported;
pub(crate) mod json;
pub(crate) mod note;
pub mod numbers;
pub(crate) mod phrases;
pub(crate) mod progress;
pub(crate) mod quick;
pub(crate) mod sentence;
pub(crate) mod started;
pub(crate) mod step_kind;
mod step_names;
pub(crate) mod steps;
pub(crate) mod stops;
mod table;
pub(crate) mod target_doubt;
pub(crate) mod terminal;
pub(crate) mod turns;
pub(crate) mod verdict;
pub mod watch;
pub(crate) mod watch_tables;
pub(crate) mod watch_words;
pub(crate) mod wrap;

pub use table::Table;
