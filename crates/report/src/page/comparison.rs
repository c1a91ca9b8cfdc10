//! A comparison as one HTML file: the answer, the picture of all figures, then what it rests on.

use analysis::compare::{Comparison, Fall, ReadingFinding, Row};

use super::document::{Document, document};
use super::findings::{block, said};
use super::parts::{note, prose, scrolled, scrolling, section};
use super::tiles::tiles;
use crate::charts::forest;
use crate::markup::{Markup, element, markup};
use crate::words::Table;
use crate::words::better_buy::{Room, lead, price_table};
use crate::words::comparison::notes;
use crate::words::comparison_words as words;
use crate::words::deviation_table::deviation_table;
use crate::words::numbers::{iops, span};
use crate::words::ratio_table::change;
use crate::words::tiles::{Tile, TileFigure};

/// Most tiles of sides on burst credits.
const TILES: usize = 3;

/// Returns the comparison as one HTML document: light and dark, printable, readable without its charts.
pub fn comparison_html(comparison: &Comparison) -> String {
    let title = format!("plimsoll: {}", labels(comparison).join(" and "));
    document(Document {
        title: &title,
        version: env!("CARGO_PKG_VERSION"),
        body: markup![
            element("header").line(markup!["\n", element("h1").line(&title), verdict(comparison)]),
            tiles(&glance(comparison)),
            picture(comparison),
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
    if comparison.rows.is_empty() && comparison.limits.is_empty() {
        return element("p").line("They have no work in common, so there is nothing to compare.");
    }
    let notes: Markup = notes(comparison).iter().map(|text| note(prose(text))).collect();
    section("Figures", markup![scrolling(&table(comparison)), "\n", notes])
}

/// Returns the figure of two sides that leads, and what becomes of sides on burst credits.
fn glance(comparison: &Comparison) -> Vec<Tile> {
    let lead = |row: &Row| {
        let figure = |side: usize, what: String| {
            let value = row.figures[side].as_ref().map(|figure| words::figure_words(figure, row.measure));
            TileFigure::plain(value.unwrap_or_default(), what)
        };
        let other = format!("{}: {}", words::label(comparison, 1), change(&row.ratios[1]?));
        Tile::of(&words::row_words(row), vec![figure(1, other), figure(0, words::label(comparison, 0))])
    };
    let leading = comparison.greatest(1).filter(|_| comparison.sides.len() == 2).and_then(lead);
    let fall = |fall: &Fall| {
        let left =
            fall.left_s.map_or_else(|| "after the burst".to_owned(), |left| format!("in {}", span(left)));
        let figures = vec![
            TileFigure::plain(iops(fall.baseline), left),
            TileFigure::plain(iops(fall.burst), "now, on burst credits".to_owned()),
        ];
        Tile::of(&words::label(comparison, fall.side), figures)
    };
    leading.into_iter().chain(comparison.falls.iter().filter_map(fall).take(TILES)).collect()
}

/// Returns the picture of all figures, and of more than two sides the table that names the odd ones.
fn picture(comparison: &Comparison) -> Markup {
    let caption = match comparison.sides.as_slice() {
        [first, other] => {
            format!("{} against {}, every figure with its 95 % interval", other.label, first.label)
        }
        _ => "Every side against the median of all; odd ones are large".to_owned(),
    };
    let drawn = forest(comparison).map(|drawing| {
        let caption = element("figcaption").line(&caption);
        element("figure").line(markup!["\n", caption, drawing.on_page("changes"), "\n"])
    });
    let table = (!comparison.deviations.is_empty()).then(|| {
        let (mut table, rows) = deviation_table(comparison, usize::MAX);
        for (column, row) in rows.iter().enumerate() {
            table.head[column + 2] = words::row_words(row);
        }
        scrolled(&table)
    });
    markup![drawn, table]
}

fn table(comparison: &Comparison) -> Table {
    let mut table = Table { head: vec!["work".into()], rows: Vec::new() };
    table.head.extend(labels(comparison));
    table.head.push("ratio".into());
    for row in comparison.limits.iter().chain(&comparison.rows) {
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
