//! A comparison as one HTML file: the same order as in the terminal, with bars as charts.

use std::fmt::Write as _;

use analysis::compare::{Comparison, ReadingFinding, Row};

use crate::charts::{Ink, UNITS, width};
use crate::comparison_words as words;
use crate::document::{Document, document};
use crate::markup::{Table, escape};
use crate::wrap::unbroken;

/// Pixels of the chart of one row.
const WIDTH: i32 = 920;
const LINE: i32 = 26;
const LETTER: i32 = 12;
const HEAD: i32 = 6;

/// The comparison as one HTML document: light and dark, printable, readable without its charts.
pub fn comparison_html(comparison: &Comparison) -> String {
    let title = format!("plimsoll: {}", labels(comparison).join(" and "));
    let sections = [
        format!("<header>\n<h1>{}</h1>\n</header>\n", escape(&title)),
        sides(comparison),
        differing(comparison),
        figures(comparison),
        prices(comparison),
        readings(comparison),
    ];
    document(&Document {
        title: &title,
        version: env!("CARGO_PKG_VERSION"),
        body: &sections.concat(),
        ..Document::default()
    })
}

fn labels(comparison: &Comparison) -> Vec<String> {
    (0..comparison.sides.len()).map(|side| words::label(comparison, side)).collect()
}

fn prose(text: &str) -> String {
    escape(&unbroken(text))
}

fn sides(comparison: &Comparison) -> String {
    let rows = comparison.sides.iter().zip(labels(comparison));
    let items = rows.map(|(facts, label)| {
        format!("<dt>{}</dt><dd>{}</dd>", escape(&label), prose(&words::side_words(facts)))
    });
    format!("<dl>{}</dl>\n", items.collect::<String>())
}

fn differing(comparison: &Comparison) -> String {
    if comparison.differing.is_empty() {
        return "<p>Nothing that is recorded differs between them.</p>\n".to_owned();
    }
    let mut table = Table { head: vec![String::new()], rows: Vec::new() };
    table.head.extend(labels(comparison));
    for difference in &comparison.differing {
        let said = |value: &String| if value.is_empty() { "not said".to_owned() } else { value.clone() };
        let mut row = vec![difference.what.clone()];
        row.extend(difference.values.iter().map(said));
        table.rows.push(row);
    }
    format!("<h2>What differs between them</h2>\n<div class=\"scroll\">{}</div>\n", table.html())
}

fn figures(comparison: &Comparison) -> String {
    if comparison.rows.is_empty() {
        return "<p>They have no work in common, so there is nothing to compare.</p>\n".to_owned();
    }
    let mut html = String::from("<h2>Figures</h2>\n");
    html += &format!("<div class=\"scroll\">{}</div>\n", table(comparison).html());
    for note in words::basis_notes(comparison) {
        let _ = writeln!(html, "<p class=\"note\">{}</p>", prose(&note));
    }
    comparison.rows.iter().for_each(|row| html += &figure(comparison, row));
    html
}

fn table(comparison: &Comparison) -> Table {
    let mut table = Table { head: vec!["work".into()], rows: Vec::new() };
    table.head.extend(labels(comparison));
    table.head.push("ratio".into());
    for row in &comparison.rows {
        let mut cells =
            vec![format!("{} ({})", words::work_words(&row.work), words::measure_words(row.measure))];
        let figure = |figure: &Option<analysis::compare::SideFigure>| {
            figure.as_ref().map_or_else(String::new, |figure| words::figure_words(figure, row.measure))
        };
        cells.extend(row.figures.iter().map(figure));
        let told = (0..comparison.sides.len()).filter_map(|side| words::row_sentence(comparison, row, side));
        let told = told.chain(words::unrecorded_words(comparison, row));
        cells.push(told.collect::<Vec<_>>().join("; "));
        table.rows.push(cells);
    }
    table
}

fn figure(comparison: &Comparison, row: &Row) -> String {
    let title = format!("{} ({})", words::work_words(&row.work), words::measure_words(row.measure));
    format!(
        "<figure>\n<figcaption>{}</figcaption>\n{}\n</figure>\n",
        escape(&title),
        chart(comparison, row, &title)
    )
}

/// Horizontal bars from zero, a line a side, with whiskers over the runs where there are several.
fn chart(comparison: &Comparison, row: &Row, title: &str) -> String {
    let labels = labels(comparison);
    let left = labels.iter().map(|label| width(label, LETTER)).max().unwrap_or(0) + 12;
    let values: Vec<String> = row
        .figures
        .iter()
        .map(|figure| figure.as_ref().map_or_else(String::new, |f| words::figure_words(f, row.measure)))
        .collect();
    let right = values.iter().map(|value| width(value, LETTER)).max().unwrap_or(0) + 16;
    let most = row.figures.iter().flatten().flat_map(|f| &f.runs).copied().fold(0.0, f64::max);
    let across = |value: f64| (f64::from(WIDTH - left - right) * value / most).round() as i32;
    let ink = if words::is_read(&row.work) { Ink::Read } else { Ink::Write };
    let mut inner = String::new();
    for (side, figure) in row.figures.iter().enumerate() {
        let top = HEAD + LINE * side as i32;
        inner += &text_at((left - 8, top + LINE * 2 / 3), "end", &labels[side]);
        let Some(figure) = figure else { continue };
        inner += &rectangle((left, top + 4), (across(figure.value).max(1), LINE - 8), ink);
        let ends =
            figure.runs.iter().fold((f64::MAX, 0.0), |(low, high), &run| (run.min(low), run.max(high)));
        if figure.runs.len() > 1 {
            let (low, high) = (left + across(ends.0), left + across(ends.1));
            inner += &rectangle((low, top + LINE / 2 - 1), ((high - low).max(1), 2), Ink::Word);
        }
        inner += &text_at(
            (left + across(ends.1.max(figure.value)) + 8, top + LINE * 2 / 3),
            "start",
            &values[side],
        );
    }
    let height = HEAD * 2 + LINE * labels.len() as i32;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" viewBox=\"0 0 {} {}\"><title>{}</title><desc>Bars from zero, one a side.</desc>{inner}</svg>",
        WIDTH * UNITS,
        height * UNITS,
        escape(title),
    )
}

fn text_at((x, y): (i32, i32), anchor: &str, words: &str) -> String {
    format!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\" font-size=\"{}\" fill=\"{}\">{}</text>",
        x * UNITS,
        y * UNITS,
        LETTER * UNITS,
        Ink::Word.hex(),
        escape(words)
    )
}

fn rectangle((x, y): (i32, i32), (wide, high): (i32, i32), ink: Ink) -> String {
    format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
        x * UNITS,
        y * UNITS,
        wide * UNITS,
        high * UNITS,
        ink.hex()
    )
}

fn prices(comparison: &Comparison) -> String {
    let items: String = words::price_sentences(comparison)
        .iter()
        .map(|sentence| format!("<li>{}</li>", prose(sentence)))
        .collect();
    if items.is_empty() { items } else { format!("<h2>Price</h2>\n<ul>{items}</ul>\n") }
}

fn readings(comparison: &Comparison) -> String {
    let blocks: String = comparison.readings.iter().map(|finding| reading(comparison, finding)).collect();
    if blocks.is_empty() {
        blocks
    } else {
        format!("<h2>What the figures show, and what they do not</h2>\n{blocks}")
    }
}

fn reading(comparison: &Comparison, finding: &ReadingFinding) -> String {
    let sentence = prose(&words::reading_sentence(comparison, finding));
    let mut html = format!("<div class=\"finding\"><p>{sentence}</p>");
    if let Some(details) = words::reading_details(finding) {
        let _ = write!(html, "<p>{}</p>", prose(&details));
    }
    let seen = words::reading_evidence(finding);
    if !seen.is_empty() {
        let _ = write!(html, "<p><span>Seen:</span> {}.</p>", prose(&seen));
    }
    let _ = write!(html, "<p><span>How sure:</span> {}.</p>", words::reading_confidence(finding));
    if let Some(other) = words::reading_competing(finding) {
        let _ = write!(html, "<p><span>Unless:</span> {}</p>", prose(other));
    }
    let _ = writeln!(html, "<p><span>Next:</span> {}</p></div>", prose(&words::reading_next(finding)));
    html
}
