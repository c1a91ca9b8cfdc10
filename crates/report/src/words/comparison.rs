//! A comparison in a terminal: the better buy, prices, differences between the runs, a table, bars, and what the
//! figures show.

use std::fmt::Write as _;

use analysis::compare::{Comparison, Difference, PriceRow, ReadingFinding, Row, SideFacts, Work};
use schemars::JsonSchema;
use serde::Serialize;
use workload::TurnsRequest;

use crate::answers::turns;
use crate::words::better_buy::{Room, baseline_notes, lead, price_table};
use crate::words::comparison_words as words;
use crate::words::document::{Object, document_json};
use crate::words::wrap::{COLUMNS, clean, wrap, wrap_between};

/// Length of the longest bar, in columns.
const BAR: usize = 36;
/// Most rows with bars, and most prices, in a terminal.
const BARRED: usize = 8;
/// Columns for the name of a side.
const NAME: usize = 14;

/// Returns the whole comparison in 80 columns.
pub fn comparison_text(comparison: &Comparison) -> String {
    let sections = [
        lead(comparison).map_or_else(String::new, |verdict| wrap("", &verdict)),
        prices(comparison),
        sides(comparison),
        differing(comparison),
        figures(comparison),
        alone(comparison),
        readings(comparison),
    ];
    let filled: Vec<&str> =
        sections.iter().map(String::as_str).filter(|section| !section.is_empty()).collect();
    filled.join("\n")
}

/// Returns the figures block by block if the sides were loaded in turns, or else as a table with bars.
fn figures(comparison: &Comparison) -> String {
    if comparison.in_turns.is_none() || comparison.rows.is_empty() {
        return [table(comparison), bars(comparison)]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("\n");
    }
    let notes: String = turns::notes(comparison).iter().map(|note| wrap("", note)).collect();
    format!("{}\n{notes}", turns::table(comparison))
}

fn name(comparison: &Comparison, side: usize) -> String {
    words::label(comparison, side).chars().take(NAME - 2).collect()
}

fn sides(comparison: &Comparison) -> String {
    let lines = comparison.sides.iter().enumerate().map(|(side, facts)| {
        let first = format!("{:<NAME$}", name(comparison, side));
        wrap(&first, &words::side_words(facts))
    });
    lines.collect()
}

/// Returns the other differences between the sides, which come before all figures because they may explain them.
fn differing(comparison: &Comparison) -> String {
    if comparison.differing.is_empty() {
        return "Nothing that is recorded differs between them.\n".to_owned();
    }
    let mut text = String::from("What differs between them:\n");
    let columns = (COLUMNS - 18) / comparison.sides.len().max(1);
    for difference in &comparison.differing {
        let cells = difference.values.iter().map(|value| {
            let value = if value.is_empty() { "not said" } else { value };
            wrap_between("", 0, columns.saturating_sub(2).max(8), &clean(value))
        });
        text += &side_by_side(&format!("  {:<16}", difference.what), &cells.collect::<Vec<_>>(), columns);
    }
    text
}

/// Sets blocks of lines side by side, each `columns` wide, with `first` before the first line.
fn side_by_side(first: &str, blocks: &[String], columns: usize) -> String {
    let lines: Vec<Vec<&str>> = blocks.iter().map(|block| block.lines().collect()).collect();
    let height = lines.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..height {
        let lead = if row == 0 { first.to_owned() } else { " ".repeat(first.chars().count()) };
        let cells = lines.iter().map(|block| format!("{:<columns$}", block.get(row).unwrap_or(&"")));
        let line = lead + &cells.collect::<String>();
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Returns a table for two sides; for more, only the bars fit.
fn table(comparison: &Comparison) -> String {
    if comparison.rows.is_empty() {
        return wrap(
            "",
            "They have no work in common, so there is nothing to compare; run the same profile on each.",
        );
    }
    if comparison.sides.len() != 2 {
        return String::new();
    }
    let (first, other) = (name(comparison, 0), name(comparison, 1));
    let mut text = format!("{:<32}{first:>11}{other:>11}  {other}/{first}\n", "");
    for row in &comparison.rows {
        text += &table_row(row);
        text +=
            &words::unrecorded_words(comparison, row).map_or_else(String::new, |open| wrap("    ", &open));
    }
    for note in words::basis_notes(comparison) {
        text += &wrap("", &note);
    }
    text
}

fn table_row(row: &Row) -> String {
    let ratio = row.ratios.iter().flatten().next();
    let told = ratio.map_or_else(String::new, |ratio| {
        format!("{} {}", words::ratio_words(ratio), words::answer_words(ratio))
    });
    let what = wrap_between("", 2, 31, &work_and_measure(row));
    let mut lines = what.lines();
    let first = format!(
        "{:<32}{:>11}{:>11}  ",
        lines.next().unwrap_or_default(),
        words::cell(row, 0),
        words::cell(row, 1)
    );
    let told = wrap_between("", 0, COLUMNS - 56, &told);
    let mut told = told.lines();
    let mut text = format!("{}\n", format!("{first}{}", told.next().unwrap_or_default()).trim_end());
    loop {
        match (lines.next(), told.next()) {
            (None, None) => return text,
            (what, told) => {
                let line = format!("{:<56}{}", what.unwrap_or_default(), told.unwrap_or_default());
                let _ = writeln!(text, "{}", line.trim_end());
            }
        }
    }
}

/// Returns the work of a row, and its measure if that is not a rate.
fn work_and_measure(row: &Row) -> String {
    let work = words::work_words(&row.work);
    if row.measure.is_latency() { format!("{work}: {}", words::measure_words(row.measure)) } else { work }
}

/// Returns a bar for each side. In each row the longest bar fills the line and the others are in proportion.
fn bars(comparison: &Comparison) -> String {
    let mut text = String::new();
    for row in comparison.rows.iter().take(BARRED) {
        text +=
            &wrap("", &format!("{} ({})", words::work_words(&row.work), words::measure_words(row.measure)));
        let most = row.figures.iter().flatten().map(|figure| figure.value).fold(0.0, f64::max);
        for (side, figure) in row.figures.iter().enumerate() {
            let Some(figure) = figure else { continue };
            let bar = bar(figure.value / most);
            let value = words::figure_words(figure, row.measure);
            let _ = writeln!(text, "  {:<NAME$}{bar} {value}", name(comparison, side));
        }
        if comparison.sides.len() > 2 {
            let told =
                (0..comparison.sides.len()).filter_map(|side| words::row_sentence(comparison, row, side));
            told.chain(words::unrecorded_words(comparison, row))
                .for_each(|told| text += &wrap("    ", &told));
        }
    }
    text += &left_out(comparison.rows.len(), BARRED, "bars");
    if comparison.sides.len() > 2 {
        words::basis_notes(comparison).iter().for_each(|note| text += &wrap("", note));
    }
    text
}

/// Returns a note on where the rest is, if `shown` is less than `all`.
fn left_out(all: usize, shown: usize, what: &str) -> String {
    let more = all.saturating_sub(shown);
    if more == 0 {
        String::new()
    } else {
        wrap("", &format!("{what} of {more} more stand in the page (--html FILE)."))
    }
}

/// Draws a bar in eighths of a column, so that small differences are visible.
fn bar(share: f64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = ((share.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize).max(1);
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

fn alone(comparison: &Comparison) -> String {
    let mut text = String::new();
    for side in 0..comparison.sides.len() {
        let works: Vec<String> = comparison
            .alone
            .iter()
            .filter(|(of, _)| *of == side)
            .map(|(_, work)| match work.unrecorded().as_slice() {
                [] => words::work_words(work),
                open => format!("{} (not recorded: {})", words::work_words(work), open.join(", ")),
            })
            .collect();
        if !works.is_empty() {
            let told =
                format!("Only {} was measured at: {}.", words::label(comparison, side), works.join("; "));
            text += &wrap("", &told);
        }
    }
    text
}

/// Columns of a price.
const PRICE: usize = 12;
/// Columns of the priced unit.
const PRICED: usize = 30;

/// Returns the prices as a table if its columns fit, or else as sentences.
fn prices(comparison: &Comparison) -> String {
    let table = price_table(comparison, Room::Little);
    let sides = comparison.sides.len();
    if table.rows.is_empty() || PRICED + PRICE * sides + PRICE > COLUMNS {
        return price_lines(comparison);
    }
    let mut text = price_row(&table.head, sides);
    let space = table.rows.len().saturating_sub(1);
    let shown = table.rows.iter().take(space.min(BARRED)).chain(table.rows.last());
    shown.for_each(|row| text += &price_row(row, sides));
    baseline_notes(comparison).iter().for_each(|note| text += &wrap("", note));
    text + &left_out(space, BARRED, "prices")
}

/// Formats a row: the priced unit on the left, the prices, then the cheaper side. The first and the last cell
/// continue on further lines if they are too long.
fn price_row(cells: &[String], sides: usize) -> String {
    let rest = COLUMNS - PRICED - PRICE * sides - 2;
    let [what, prices @ .., cheaper] = cells else { return String::new() };
    let fitted = |price: &String| clean(price).chars().take(PRICE - 1).collect::<String>();
    let prices: String = prices.iter().map(|price| format!("{:>PRICE$}", fitted(price))).collect();
    let (what, cheaper) = (wrap_between("", 2, PRICED - 1, what), wrap_between("", 0, rest, cheaper));
    let (mut what, mut cheaper) = (what.lines(), cheaper.lines());
    let mut text = String::new();
    let mut middle = prices;
    loop {
        let (one, other) = (what.next(), cheaper.next());
        if one.is_none() && other.is_none() {
            return text;
        }
        let line = format!("{:<PRICED$}{middle}  {}", one.unwrap_or_default(), other.unwrap_or_default());
        let _ = writeln!(text, "{}", line.trim_end());
        middle = " ".repeat(PRICE * sides);
    }
}

/// Returns a sentence for each price, for more sides than fit beside one another.
fn price_lines(comparison: &Comparison) -> String {
    let sentences = words::price_sentences(comparison);
    let Some((space, rates)) = sentences.split_last() else { return String::new() };
    let shown = rates.iter().take(BARRED).chain([space]);
    let text: String = shown.map(|sentence| wrap("  price   ", sentence)).collect();
    text + &left_out(rates.len(), BARRED, "prices")
}

fn readings(comparison: &Comparison) -> String {
    let mut blocks: Vec<String> = Vec::new();
    for finding in &comparison.readings {
        let mut text = wrap("  found   ", &words::reading_sentence(comparison, finding));
        text += &words::reading_details(finding).map_or_else(String::new, |words| wrap("          ", &words));
        let seen = words::reading_evidence(finding);
        let sure = words::reading_confidence(finding);
        let seen = if seen.is_empty() { format!("As declared. {sure}.") } else { format!("{seen}. {sure}.") };
        text += &wrap("  seen    ", &seen);
        text +=
            &words::reading_competing(finding).map_or_else(String::new, |other| wrap("  unless  ", other));
        text += &wrap("  next    ", &words::reading_next(finding));
        blocks.push(text);
    }
    blocks.join("\n")
}

/// A comparison: its values, and the sentences made from them.
#[derive(Serialize, JsonSchema)]
pub struct ComparisonDocument<'c> {
    /// Version that compared.
    plimsoll_version: &'static str,
    /// What each side is.
    sides: &'c [SideFacts],
    /// Parameters that differ between the sides.
    differing: &'c [Difference],
    /// Figures of work that at least two sides did.
    rows: &'c [Row],
    /// How the sides were loaded in turns; `null` if they were not.
    #[schemars(with = "Option<Object>")]
    in_turns: &'c Option<TurnsRequest>,
    /// Which is the better buy, in words.
    verdict: Option<String>,
    /// What the figures rest on, in words.
    notes: Vec<String>,
    /// Work that one side alone did, with the side's index.
    alone: &'c [(usize, Work)],
    /// Price per unit, if prices are given.
    prices: &'c [PriceRow],
    /// The prices in words.
    price_sentences: Vec<String>,
    /// What the figures show of each volume.
    readings: Vec<ReadingRow<'c>>,
}

/// What the figures show of a volume, with its words.
#[derive(Serialize, JsonSchema)]
struct ReadingRow<'c> {
    #[serde(flatten)]
    finding: &'c ReadingFinding,
    /// The reading as a sentence.
    sentence: String,
    /// Its numbers in words.
    details: Option<String>,
    /// What else could explain it.
    unless: Option<&'static str>,
    /// What to do next.
    next: String,
}

/// Returns the comparison as one JSON document.
pub fn comparison_json(comparison: &Comparison) -> String {
    let reading = |finding| ReadingRow {
        finding,
        sentence: words::reading_sentence(comparison, finding),
        details: words::reading_details(finding),
        unless: words::reading_competing(finding),
        next: words::reading_next(finding),
    };
    let notes = match comparison.in_turns {
        Some(_) => turns::notes(comparison),
        None => words::basis_notes(comparison),
    };
    let document = ComparisonDocument {
        plimsoll_version: env!("CARGO_PKG_VERSION"),
        sides: &comparison.sides,
        differing: &comparison.differing,
        rows: &comparison.rows,
        in_turns: &comparison.in_turns,
        verdict: lead(comparison),
        notes,
        alone: &comparison.alone,
        prices: &comparison.prices,
        price_sentences: words::price_sentences(comparison),
        readings: comparison.readings.iter().map(reading).collect(),
    };
    document_json("comparison", &document)
}
