//! The skeleton of every page: one file with its style and font inside, which loads nothing.

use crate::charts;
use crate::markup::{escape, font_faces};

/// What makes one page: everything but the title is markup already.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Document<'t> {
    /// Plain text, also the name of the tab.
    pub title: &'t str,
    /// Version of plimsoll that wrote the record.
    pub version: &'t str,
    /// Sections in their order.
    pub body: &'t str,
    /// Behind the style sheet, before the head ends.
    pub extra_head: &'t str,
    /// Last words of the footer, plain text.
    pub note: &'t str,
    /// Behind everything else, before the body ends.
    pub extra_foot: &'t str,
}

/// The page as text: light and dark, printable, readable without its charts.
pub(crate) fn document(page: &Document<'_>) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{title}</title>\n<style>\n{}{}{}\n@media screen and (prefers-color-scheme:dark){{{}}}\n</style>\n{}</head>\n<body>\n<main>\n{}<footer>plimsoll {}. This file is complete: it loads nothing. Charts are set in Noto Sans (Apache License 2.0).{}</footer>\n</main>\n{}</body>\n</html>\n",
        font_faces(),
        include_str!("page.css"),
        charts::rules(),
        charts::dark_rules(),
        page.extra_head,
        page.body,
        escape(page.version),
        if page.note.is_empty() { String::new() } else { format!(" {}", escape(page.note)) },
        page.extra_foot,
        title = escape(page.title),
    )
}
