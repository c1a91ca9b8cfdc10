//! Building blocks of a page's sections: prose, tables, figures.

use crate::charts::{Chart, DrawnChart};
use crate::markup::{Element, Heading, Markup, element, markup};
use crate::words::Table;
use crate::words::wrap::unbroken;

/// Returns running text in which no line breaks within a number.
pub(crate) fn prose(text: &str) -> Markup {
    unbroken(text).into()
}

/// Returns a remark in small letters.
pub(crate) fn note(text: impl Into<Markup>) -> Markup {
    element("p").with("class", "note").line(text)
}

/// Returns a table in which the first cell of each row is its heading. The caption is for readers of a page who
/// cannot see the words above the table.
pub(crate) fn table(table: &Table, caption: &str) -> Markup {
    let heads: Markup = table.head.iter().map(head).collect();
    let rows: Markup = table.rows.iter().map(|row| element("tr").holding(cells(row))).collect();
    let caption = (!caption.is_empty()).then(|| element("caption").holding(caption));
    element("table").holding(markup![
        caption,
        element("thead").holding(element("tr").holding(heads)),
        element("tbody").holding(rows)
    ])
}

/// Returns the heading of a column; an empty one is a plain cell.
fn head(word: &String) -> Markup {
    match word.is_empty() {
        true => element("td").holding(""),
        false => element("th").with("scope", "col").holding(word),
    }
}

fn cells(row: &[String]) -> Markup {
    let cell = |(column, text): (usize, &String)| match column {
        0 if !text.is_empty() => element("th").with("scope", "row").holding(prose(text)),
        _ => element("td").holding(prose(text)),
    };
    row.iter().enumerate().map(cell).collect()
}

/// Returns a table that scrolls on its own, also by keyboard, if it is wider than the page.
pub(crate) fn scrolling(rows: &Table) -> Markup {
    captioned(rows, "")
}

/// Returns [`scrolling`] with a caption.
pub(crate) fn captioned(rows: &Table, caption: &str) -> Markup {
    let name = if caption.is_empty() { "Table" } else { caption };
    let open = element("div").with("class", "scroll").with("tabindex", 0);
    open.with("role", "group").with("aria-label", name).holding(table(rows, caption))
}

/// Returns [`scrolling`] on a separate line; nothing if there are no rows.
pub(crate) fn scrolled(rows: &Table) -> Markup {
    scrolled_as(rows, "")
}

/// Returns [`scrolled`] with a caption.
pub(crate) fn scrolled_as(rows: &Table, caption: &str) -> Markup {
    match rows.rows.is_empty() {
        true => Markup::default(),
        false => markup![captioned(rows, caption), "\n"],
    }
}

/// Returns a table below a third-level heading; nothing if there are no rows.
pub(crate) fn titled(title: &str, rows: &Table) -> Markup {
    match rows.rows.is_empty() {
        true => Markup::default(),
        false => {
            let inside = markup!["\n", element("h3").line(title), scrolled_as(rows, title)];
            element("div").with("class", "titled").line(inside)
        }
    }
}

/// Returns content below a heading that the table of contents links to; nothing if there is no content.
pub(crate) fn section(heading: &str, content: Markup) -> Markup {
    if content.is_empty() {
        return content;
    }
    section_as(&format!("part-{}", name_of(heading)), heading, content)
}

/// Returns [`section`] with an id of its own.
pub(crate) fn section_as(id: &str, heading: &str, content: Markup) -> Markup {
    let whole = markup!["\n", element("h2").line(heading), content];
    let heading = Heading { id: id.to_owned(), words: heading.to_owned() };
    element("section").with("id", id).line(whole).headed(heading)
}

/// Returns words as the id of an element: lower-case letters and digits, joined by hyphens.
pub(crate) fn name_of(words: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' };
    let words: String = words.chars().map(plain).collect();
    words.split_whitespace().collect::<Vec<_>>().join("-")
}

/// Returns a line with a link to a figure further up.
pub(crate) fn above(title: &str, id: &str) -> Markup {
    let link = element("a").with("href", format_args!("#{id}")).holding(title);
    note(markup![link, " stands above."])
}

/// Returns a drawing with its title and its table.
pub(crate) fn figure(drawn: &DrawnChart) -> Markup {
    let (row, chart) = (drawn.row, &drawn.chart);
    if row.zoom.is_none() {
        return still(chart, row.id);
    }
    let open = element("figure").with("id", row.id).with("class", "series");
    // The script redraws a chart that can be zoomed, at the width of the page.
    framed(open.with("data-device", "").with("data-chart", row.id), chart, chart.drawing.svg())
}

/// Returns a drawing that no script redraws, with its title and its table; `id` is unique in the page.
pub(crate) fn still(chart: &Chart, id: &str) -> Markup {
    framed(element("figure").with("id", id), chart, chart.drawing.on_page(id))
}

fn framed(open: Element, chart: &Chart, drawing: Markup) -> Markup {
    let summary = element("summary").holding("The figures as a table");
    let caption = format!("{}: the figures", chart.title);
    open.line(markup![
        "\n",
        element("figcaption").line(&chart.title),
        drawing,
        "\n",
        element("details").line(markup![summary, captioned(&chart.table, &caption)])
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cells_of_a_table_are_text() {
        let rows = Table { head: vec!["<".into(), "b".into()], rows: vec![vec!["&".into(), "2".into()]] };
        let html = table(&rows, "c");
        assert!(html.as_str().contains("<th scope=\"row\">&amp;</th><td>2</td>"), "{}", html.as_str());
        assert!(html.as_str().contains("<th scope=\"col\">&lt;</th>"), "{}", html.as_str());
        assert!(html.as_str().starts_with("<table><caption>c</caption>"), "{}", html.as_str());
    }

    #[test]
    fn a_section_is_named_by_its_heading_and_leads_to_itself() {
        let made = section("Block size, 4 KiB", "text".into());
        assert!(
            made.as_str().starts_with("<section id=\"part-block-size-4-kib\">\n<h2>"),
            "{}",
            made.as_str()
        );
        assert_eq!(made.headings()[0].words, "Block size, 4 KiB");
        assert!(section("Nothing", Markup::default()).headings().is_empty());
    }
}
