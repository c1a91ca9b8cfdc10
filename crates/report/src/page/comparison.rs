//! A comparison as one HTML file: the answer first, in the same order as in the terminal, with bars as charts.

use analysis::compare::{Comparison, ReadingFinding, Row};

use super::document::{Document, document};
use super::findings::{block, said};
use super::parts::{note, prose, scrolled, scrolling, section};
use crate::answers::turns::{self, charts::differences};
use crate::charts::bars;
use crate::markup::{Markup, element, markup};
use crate::words::Table;
use crate::words::better_buy::{Room, lead, price_table};
use crate::words::comparison_words as words;

/// Returns the comparison as one HTML document: light and dark, printable, readable without its charts.
pub fn comparison_html(comparison: &Comparison) -> String {
    let title = format!("plimsoll: {}", labels(comparison).join(" and "));
    document(Document {
        title: &title,
        version: env!("CARGO_PKG_VERSION"),
        body: markup![
            element("header").line(markup!["\n", element("h1").line(&title), verdict(comparison)]),
            prices(comparison),
            sides(comparison),
            differing(comparison),
            figures(comparison),
            readings(comparison),
        ],
        ..Document::default()
    })
}

/// Returns the conclusion, with the answer in capitals emphasised.
fn verdict(comparison: &Comparison) -> Option<Markup> {
    let text = lead(comparison)?;
    let is_answer = |word: &&str| !word.chars().any(char::is_lowercase);
    let answer: Vec<&str> = text.split(' ').take_while(is_answer).collect();
    let answer = answer.join(" ");
    let rest = prose(text[answer.len()..].trim_start());
    let answer = element("strong").holding(answer);
    Some(element("p").with("class", "verdict").line(markup![answer, " ", rest]))
}

fn labels(comparison: &Comparison) -> Vec<String> {
    (0..comparison.sides.len()).map(|side| words::label(comparison, side)).collect()
}

fn sides(comparison: &Comparison) -> Markup {
    let rows = comparison.sides.iter().zip(labels(comparison));
    let items = rows.map(|(facts, label)| {
        let facts = element("dd").holding(prose(&words::side_words(facts)));
        markup![element("dt").holding(label), facts]
    });
    element("dl").line(items.collect::<Markup>())
}

fn differing(comparison: &Comparison) -> Markup {
    if comparison.differing.is_empty() {
        return element("p").line("Nothing that is recorded differs between them.");
    }
    let mut table = Table { head: vec![String::new()], rows: Vec::new() };
    table.head.extend(labels(comparison));
    for difference in &comparison.differing {
        let said = |value: &String| if value.is_empty() { "not said".to_owned() } else { value.clone() };
        let mut row = vec![difference.what.clone()];
        row.extend(difference.values.iter().map(said));
        table.rows.push(row);
    }
    section("What differs between them", scrolled(&table))
}

fn figures(comparison: &Comparison) -> Markup {
    if comparison.rows.is_empty() {
        return element("p").line("They have no work in common, so there is nothing to compare.");
    }
    let notes = match comparison.in_turns {
        Some(_) => turns::notes(comparison),
        None => words::basis_notes(comparison),
    };
    let notes: Markup = notes.iter().map(|text| note(prose(text))).collect();
    let figures: Markup = comparison.rows.iter().map(|row| figure(comparison, row)).collect();
    section("Figures", markup![scrolling(&table(comparison)), "\n", notes, figures])
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

fn figure(comparison: &Comparison, row: &Row) -> Markup {
    let title = format!("{} ({})", words::work_words(&row.work), words::measure_words(row.measure));
    let drawing = differences(row).unwrap_or_else(|| bars(comparison, row, &title)).on_page("bars");
    element("figure").line(markup!["\n", element("figcaption").line(&title), drawing, "\n"])
}

/// Returns the prices, with a row for each unit and a column for each volume.
fn prices(comparison: &Comparison) -> Markup {
    section("Price", scrolled(&price_table(comparison, Room::Enough)))
}

fn readings(comparison: &Comparison) -> Markup {
    let blocks = comparison.readings.iter().map(|finding| reading(comparison, finding));
    section("What the figures show, and what they do not", blocks.collect())
}

fn reading(comparison: &Comparison, finding: &ReadingFinding) -> Markup {
    let seen = words::reading_evidence(finding);
    let seen = (!seen.is_empty()).then(|| said("Seen:", markup![" ", prose(&seen), "."]));
    let unless = words::reading_competing(finding).map(|other| said("Unless:", markup![" ", prose(other)]));
    block(markup![
        element("p").holding(prose(&words::reading_sentence(comparison, finding))),
        words::reading_details(finding).map(|details| element("p").holding(prose(&details))),
        seen,
        said("How sure:", format!(" {}.", words::reading_confidence(finding)).into()),
        unless,
        said("Next:", markup![" ", prose(&words::reading_next(finding))]),
    ])
}
