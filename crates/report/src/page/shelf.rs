//! The list of run files for a browser: start, request and result of each.

use super::document::{Document, document};
use super::parts::prose;
use crate::markup::{Markup, element, markup};
use crate::words::wrap::clean;

/// A run file in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShelfRow {
    /// Start of the run, in words.
    pub when: String,
    /// Command line after the program's name.
    pub command: String,
    /// Result of the run, or why the file cannot be read.
    pub answer: Result<String, String>,
    /// State of a run without an end: stopped, or its progress.
    pub state: Option<String>,
    /// Address of the run's page.
    pub href: String,
}

/// Returns the page that lists `rows`, out of `all` run files in `folder`.
pub fn shelf_html(folder: &str, rows: &[ShelfRow], all: usize) -> String {
    let title = format!("plimsoll: {}", clean(folder));
    let count = match (all, all.saturating_sub(rows.len())) {
        (0, _) => "No run yet: plimsoll check measures a volume.".to_owned(),
        (1, 0) => "1 run.".to_owned(),
        (all, 0) => format!("{all} runs, the newest first."),
        (all, _) => format!("The newest {} of {all} runs.", rows.len()),
    };
    let header = element("header").line(markup![
        "\n",
        element("h1").line(title.as_str()),
        element("p").with("class", "where").line(count),
    ]);
    let heads: Markup = ["When", "What was asked", "What came out"]
        .iter()
        .map(|word| element("th").with("scope", "col").holding(*word))
        .collect();
    let table = element("table").holding(markup![
        element("thead").holding(element("tr").holding(heads)),
        element("tbody").holding(rows.iter().map(row).collect::<Markup>()),
    ]);
    let list =
        if rows.is_empty() { Markup::default() } else { element("div").with("class", "scroll").line(table) };
    let body = markup![header, list];
    let version = env!("CARGO_PKG_VERSION");
    document(Document { title: &title, version, body, ..Document::default() })
}

fn row(row: &ShelfRow) -> Markup {
    let when = match &row.answer {
        Ok(_) => element("a").with("href", row.href.as_str()).holding(clean(&row.when)),
        Err(_) => element("span").holding(clean(&row.when)),
    };
    let command = clean(&row.command);
    let asked = match row.state.as_ref().filter(|_| row.answer.is_ok()) {
        Some(state) => format!("{command} ({state})"),
        None => command.to_string(),
    };
    let answer = match &row.answer {
        Ok(answer) => clean(answer).to_string(),
        Err(why) => format!("cannot be read: {}", clean(why)),
    };
    element("tr").holding(markup![
        element("th").with("scope", "row").holding(when),
        element("td").holding(prose(&asked)),
        element("td").holding(prose(&answer)),
    ])
}
