//! The skeleton of every page: one file with its style and font inside, which loads nothing.

use crate::charts;
use crate::markup::{Heading, Markup, element, markup};

/// Parts of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document<'t> {
    /// Title, also shown in the browser tab.
    pub title: &'t str,
    /// Version of plimsoll that wrote the record.
    pub version: &'t str,
    /// Sections in order.
    pub body: Markup,
    /// Markup inserted after the style sheet, at the end of the head.
    pub extra_head: Markup,
    /// Last words of the footer.
    pub note: &'t str,
    /// Markup inserted at the end of the body.
    pub extra_foot: Markup,
}

/// Returns the page as text: light and dark, printable, readable without its charts.
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
    let contents = Contents::of(page.body.headings());
    let main = element("main").line(markup!["\n", contents.fold(), page.body, footer]);
    let body = element("body").line(markup!["\n", contents.column(), main, page.extra_foot]);
    markup![doctype, html.line(markup!["\n", head, body])].into()
}

/// The table of contents. It appears twice, beside wide pages and collapsed above narrow ones, and the style shows
/// one of them: a fold that expands when there is room would need a script.
struct Contents(Markup);

impl Contents {
    /// Returns the table of contents; empty for fewer than three sections, which need none.
    fn of(headings: &[Heading]) -> Contents {
        let link = |heading: &Heading| {
            element("a").with("href", format_args!("#{}", heading.id)).holding(&heading.words)
        };
        let items: Markup = headings.iter().map(|heading| element("li").holding(link(heading))).collect();
        Contents(if headings.len() < 3 { Markup::default() } else { element("ul").holding(items) })
    }

    fn fold(&self) -> Option<Markup> {
        let summary = element("summary").holding("Contents");
        let list = || element("nav").with("aria-label", "Contents").holding(self.0.clone());
        let fold = || element("details").with("class", "contents").line(markup![summary, list()]);
        (!self.0.is_empty()).then(fold)
    }

    fn column(&self) -> Option<Markup> {
        let column = element("nav").with("class", "column").with("aria-label", "Contents");
        let title = element("p").holding("Contents");
        (!self.0.is_empty()).then(|| column.line(markup![title, self.0.clone()]))
    }
}

/// Icon of the browser tab, a load line, embedded so that no browser requests one.
const SIGN: &str = "data:image/svg+xml,%3Csvg xmlns='http%3A//www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='5.5' fill='none' stroke='%230072b2' stroke-width='2'/%3E%3Cpath d='M0 8h16' stroke='%230072b2' stroke-width='2'/%3E%3C/svg%3E";

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
        element("link").with("rel", "icon").with("href", SIGN).void(),
        "\n",
        element("style").line(Markup::trusted(style)),
    ]
}
