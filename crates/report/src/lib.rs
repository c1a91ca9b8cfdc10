//! Turns a run and its findings into text, charts and pages.
//!
//! Three modules: `words` formats the results as text, `charts` draws them, `page` puts both into one HTML file. A
//! page calls the other two, a chart calls words, and neither calls back.
//!
//! Every number printed here is a field of [`record::Run`] or [`analysis::Analysis`], or a unit change of one;
//! this crate computes no statistics and touches no file: it returns strings.

mod answers;
mod base64;
pub mod charts;
mod markup;
mod page;
mod words;

pub use answers::burst::outlook;
pub use answers::headroom::search_words;
pub use answers::size::{SizeDocument, size_exit_code, size_json, size_text};
pub use answers::together::together_words;
pub use answers::trend::{
    TrendDocument, trend_json, trend_markdown, trend_question, trend_text, trend_verdict,
};
pub use answers::turns::{
    TurnsForecast, against_forecast, agreement, turns_forecast, turns_outline, turns_progress,
};
pub use markup::Markup;
pub use page::comparison::comparison_html;
pub use page::live::{LIVE_SCRIPT, LIVE_STYLE, live_html, live_nothing_yet};
pub use page::measured::decisive_picture;
pub use page::shelf::{ShelfRow, shelf_html};
pub use page::sizing::size_html;
pub use page::trend::trend_html;
pub use page::zoom::zoom_missing;
pub use page::{html, html_of};
pub use words::cells::{cell_lines, crystal_table, job_words};
pub use words::claims::{ClaimWords, answer_words, claim_words};
pub use words::comparison::{ComparisonDocument, comparison_json, comparison_text};
pub use words::data::{
    Csv, CsvTable, SeriesDocument, SeriesName, SeriesNames, SeriesNamesError, csv_tables, metric_columns,
    series_csv, series_json, series_names, wanted,
};
pub use words::document::{SCHEMA_VERSION, document_json};
pub use words::doubt::{doubt, remedy};
pub use words::forecast::{Credits, Forecast, forecast};
pub use words::found::{Extent, findings_brief};
pub use words::imported::imported;
pub use words::json::{Report, json};
pub use words::live::Showing;
pub use words::phrases::is_full;
pub use words::progress::{DeviceNow, cut, ending, phase_done, step_done, watch_progress};
pub use words::progress_json::{
    ProgressEvent, ProgressLine, Stamp, device_now, interval_told, phase_ended, progress_line, run_ended,
    run_started, so_far, step_ended, step_started,
};
pub use words::quick::{QuickDocument, quick_json, quick_text};
pub use words::recorded_load::{recorded_load, unknown_words};
pub use words::running::{running_words, state};
pub use words::sentence::{competing, confidence, error_words, evidence, next_step, sentence};
pub use words::shell::{is_told_whole, shell_word};
pub use words::steps::{PartWords, note, part_line, part_words, steps};
pub use words::target_doubt::target_doubt;
pub use words::terminal::{Paint, files_line, files_line_of, head, terminal};
pub use words::ticket::{Attachments, ticket};
pub use words::verdict::{VerdictWords, verdict_words};
pub use words::wrap::{COLUMNS, clean, clean_json, clean_lines, columns_now, fitted, set_columns, wrap};
pub use words::{Table, numbers, watch};
