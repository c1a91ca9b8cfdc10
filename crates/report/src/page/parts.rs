//! What every section of a page is made of: prose, tables, figures.

use crate::charts::DrawnChart;
use crate::markup::{Markup, element, markup};
use crate::words::Table;
use crate::words::wrap::unbroken;

/// Running text, no line of which ends within a number.
pub(crate) fn prose(text: &str) -> Markup {
    unbroken(text).into()
}

/// A remark in small letters.
pub(crate) fn note(text: impl Into<Markup>) -> Markup {
    element("p").with("class", "note").line(text)
}

/// A table whose first column heads its row.
pub(crate) fn table(table: &Table) -> Markup {
    let heads: Markup =
        table.head.iter().map(|word| element("th").with("scope", "col").holding(word)).collect();
    let rows: Markup = table.rows.iter().map(|row| element("tr").holding(cells(row))).collect();
    element("table").holding(markup![
        element("thead").holding(element("tr").holding(heads)),
        element("tbody").holding(rows)
    ])
}

fn cells(row: &[String]) -> Markup {
    let cell = |(column, text): (usize, &String)| match column {
        0 => element("th").with("scope", "row").holding(prose(text)),
        _ => element("td").holding(prose(text)),
    };
    row.iter().enumerate().map(cell).collect()
}

/// A table that scrolls by itself where it is wider than the page.
pub(crate) fn scrolling(rows: &Table) -> Markup {
    element("div").with("class", "scroll").holding(table(rows))
}

/// The same on a line of its own; nothing where it has no row.
pub(crate) fn scrolled(rows: &Table) -> Markup {
    match rows.rows.is_empty() {
        true => Markup::default(),
        false => markup![scrolling(rows), "\n"],
    }
}

/// A table below its heading, of the third rank; nothing where it has no row.
pub(crate) fn titled(title: &str, rows: &Table) -> Markup {
    match rows.rows.is_empty() {
        true => Markup::default(),
        false => markup![element("h3").line(title), scrolled(rows)],
    }
}

/// Content below its heading; nothing where there is none.
pub(crate) fn section(heading: &str, content: Markup) -> Markup {
    match content.is_empty() {
        true => content,
        false => markup![element("h2").line(heading), content],
    }
}

/// Words in a line that lead to a figure further up.
pub(crate) fn above(title: &str, id: &str) -> Markup {
    let link = element("a").with("href", format_args!("#{id}")).holding("above");
    note(markup![title, ": ", link, "."])
}

/// A drawing with its title and its table.
pub(crate) fn figure(drawn: &DrawnChart) -> Markup {
    let (row, chart) = (drawn.row, &drawn.chart);
    let mut open = element("figure").with("id", row.id);
    if row.zoom.is_some() {
        open = open.with("class", "series").with("data-device", "").with("data-chart", row.id);
    }
    let summary = element("summary").holding("The figures as a table");
    open.line(markup![
        "\n",
        element("figcaption").line(&chart.title),
        chart.drawing.svg(),
        "\n",
        element("details").line(markup![summary, scrolling(&chart.table)])
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cells_of_a_table_are_text() {
        let rows = Table { head: vec!["<".into(), "b".into()], rows: vec![vec!["&".into(), "2".into()]] };
        let html = table(&rows);
        assert!(html.as_str().contains("<th scope=\"row\">&amp;</th><td>2</td>"), "{}", html.as_str());
        assert!(html.as_str().contains("<th scope=\"col\">&lt;</th>"), "{}", html.as_str());
    }
}
