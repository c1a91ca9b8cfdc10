//! The page around a growing report: the current activity, and the report so far in a frame. The frame holds the
//! same page that the file will hold at the end; `live.js` replaces it by a newer one without moving the part that
//! is being read.

use crate::markup::{Markup, element, markup};

/// Script of the page, loaded from the same folder.
pub const LIVE_SCRIPT: &str = include_str!("live.js");
/// Style sheet of the page, loaded from the same folder.
pub const LIVE_STYLE: &str = include_str!("live.css");

/// Returns the page of the run `name`. It loads `live.css`, `live.js`, the events `news` and the report `page`.
pub fn live_html(name: &str) -> String {
    let head = markup![
        element("meta").with("charset", "utf-8").void(),
        "\n",
        element("meta").with("name", "viewport").with("content", "width=device-width,initial-scale=1").void(),
        "\n",
        element("title").line(format!("plimsoll: {name}")),
        element("link").with("rel", "stylesheet").with("href", "live.css").void(),
        "\n",
    ];
    let link = element("a").with("href", "page").holding("the report so far");
    let without =
        element("noscript").line(markup!["This page follows the run by a script. Without it: ", link, "."]);
    let header = element("header").line(markup![
        "\n",
        element("pre").with("id", "now").line(""),
        element("p").with("id", "state").with("role", "status").line("Waiting for the run…"),
        without,
    ]);
    let body = markup![
        header,
        element("main").with("id", "room").line(""),
        element("script").with("src", "live.js").line(""),
    ];
    let html = element("html").with("lang", "en");
    let doctype = Markup::trusted("<!DOCTYPE html>\n");
    let page =
        html.line(markup!["\n", element("head").line(head), element("body").line(markup!["\n", body])]);
    markup![doctype, page].into()
}

/// Returns the placeholder shown before there is a report.
pub fn live_nothing_yet() -> String {
    let words = "Nothing has been recorded yet.";
    let main = element("main").line(element("p").line(words));
    let head = element("head")
        .line(markup![element("meta").with("charset", "utf-8").void(), element("title").line("plimsoll"),]);
    let html = element("html").with("lang", "en");
    markup![Markup::trusted("<!DOCTYPE html>\n"), html.line(markup![head, element("body").line(main)])].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_text() {
        let html = live_html("<script>a</script>");
        assert!(html.contains("<title>plimsoll: &lt;script&gt;"), "{html}");
    }
}
