//! The skeleton of every page: one file with its style and font inside, which loads nothing.

use crate::charts;
use crate::markup::{Markup, element, markup};

/// What makes one page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document<'t> {
    /// Also the name of the tab.
    pub title: &'t str,
    /// Version of plimsoll that wrote the record.
    pub version: &'t str,
    /// Sections in their order.
    pub body: Markup,
    /// Behind the style sheet, before the head ends.
    pub extra_head: Markup,
    /// Last words of the footer.
    pub note: &'t str,
    /// Behind everything else, before the body ends.
    pub extra_foot: Markup,
}

/// The page as text: light and dark, printable, readable without its charts.
pub(crate) fn document(page: Document<'_>) -> String {
    let html = element("html").with("lang", "en");
    let doctype = Markup::trusted("<!DOCTYPE html>\n");
    let head = element("head").line(markup!["\n", head(page.title), page.extra_head]);
    let note = if page.note.is_empty() { String::new() } else { format!(" {}", page.note) };
    let footer = element("footer").line(markup![
        format!(
            "plimsoll {}. This file is complete: it loads nothing. Charts are set in Noto Sans (Apache License 2.0).",
            page.version
        ),
        note
    ]);
    let main = element("main").line(markup!["\n", page.body, footer]);
    let body = element("body").line(markup!["\n", main, page.extra_foot]);
    markup![doctype, html.line(markup!["\n", head, body])].into()
}

fn head(title: &str) -> Markup {
    let dark = format!("@media screen and (prefers-color-scheme:dark){{{}}}\n", charts::dark_rules());
    let style =
        ["\n", &charts::font_faces(), include_str!("page.css"), &charts::rules(), "\n", &dark].concat();
    let viewport = "width=device-width,initial-scale=1";
    markup![
        element("meta").with("charset", "utf-8").void(),
        "\n",
        element("meta").with("name", "viewport").with("content", viewport).void(),
        "\n",
        element("title").line(title),
        element("style").line(Markup::trusted(style)),
    ]
}
