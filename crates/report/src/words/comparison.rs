//! A comparison in a terminal: differences between the runs, a table, what the figures show, prices, and the verdict.

use std::fmt::Write as _;

use analysis::compare::{
    Comparison, Deviation, Difference, Fall, Outcome, PriceRow, ReadingFinding, Row, SideFacts, Work,
};
use schemars::JsonSchema;
use serde::Serialize;
use workload::TurnsRequest;

use crate::answers::turns;
use crate::words::better_buy::{Room, baseline_notes, lead, price_table};
use crate::words::comparison_words as words;
use crate::words::deviation_table::deviation_text;
use crate::words::document::{Object, document_json};
use crate::words::found::Extent;
use crate::words::ratio_table::ratio_table;
use crate::words::wrap::{COLUMNS, clean, wrap, wrap_between};

/// Most prices, and most loads that only one side ran, in a terminal.
const SHOWN: usize = 8;
/// Columns for the name of a side.
const NAME: usize = 14;

/// Returns the whole comparison in 80 columns: the details first, the verdict last, where a reader looks.
pub fn comparison_text(comparison: &Comparison, extent: Extent) -> String {
    let several = comparison.sides.len() > 2 && extent == Extent::Screen;
    let when = |shown: bool, section: &dyn Fn() -> String| if shown { section() } else { String::new() };
    let sections = [
        when(!several, &|| sides(comparison)),
        when(!several, &|| differing(comparison)),
        figures(comparison, extent),
        when(!several, &|| alone(comparison, extent)),
        when(!several, &|| readings(comparison, extent)),
        prices(comparison),
        lead(comparison).map_or_else(String::new, |verdict| wrap("", &verdict)),
    ];
    let filled: Vec<&str> =
        sections.iter().map(String::as_str).filter(|section| !section.is_empty()).collect();
    filled.join("\n")
}

/// Returns the figures: block by block if the sides were loaded in turns, a line a side if there are more than two, or
/// else a line for each figure.
fn figures(comparison: &Comparison, extent: Extent) -> String {
    if comparison.rows.is_empty() && comparison.limits.is_empty() {
        return wrap(
            "",
            "They have no work in common, so there is nothing to compare; run the same profile on each.",
        );
    }
    let notes: String = notes(comparison).iter().map(|note| wrap("", note)).collect();
    if comparison.sides.len() == 2 {
        return format!("{}\n{notes}", ratio_table(comparison));
    }
    match (comparison.deviations.is_empty(), extent) {
        (false, Extent::Screen) => deviation_text(comparison),
        _ => format!("{}\n{}{}", deviation_text(comparison), each_row(comparison), notes),
    }
}

/// Returns what the intervals rest on.
pub(crate) fn notes(comparison: &Comparison) -> Vec<String> {
    match comparison.in_turns {
        Some(_) => turns::notes(comparison),
        None => words::basis_notes(comparison),
    }
}

/// Returns each figure of more than two sides, and how it compares with the first side's.
fn each_row(comparison: &Comparison) -> String {
    let mut text = String::new();
    for row in comparison.limits.iter().chain(&comparison.rows) {
        text +=
            &wrap("", &format!("{} ({})", words::work_words(&row.work), words::measure_words(row.measure)));
        let told = (0..comparison.sides.len()).filter_map(|side| words::row_sentence(comparison, row, side));
        told.chain(words::unrecorded_words(comparison, row)).for_each(|told| text += &wrap("    ", &told));
    }
    text
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
    let line = |difference: &Difference| {
        let of = |(side, value): (usize, &String)| {
            let value = if value.is_empty() { "not said" } else { value };
            format!("{}: {}", words::label(comparison, side), clean(value))
        };
        let each: Vec<String> = difference.values.iter().enumerate().map(of).collect();
        wrap(&format!("  {:<16}", difference.what), &each.join("; "))
    };
    format!("What differs between them:\n{}", comparison.differing.iter().map(line).collect::<String>())
}

/// Returns a note on where the rest is, if `shown` is less than `all`.
fn left_out(all: usize, shown: usize, what: &str) -> String {
    let more = all.saturating_sub(shown);
    if more == 0 {
        String::new()
    } else {
        wrap("", &format!("{what} of {more} more are in the page (--html FILE)."))
    }
}

/// Returns the loads that only one side ran, or where to find them.
fn alone(comparison: &Comparison, extent: Extent) -> String {
    let mut text = String::new();
    for side in 0..comparison.sides.len() {
        let own: Vec<&Work> =
            comparison.alone.iter().filter(|(of, _)| *of == side).map(|(_, work)| work).collect();
        let name = words::label(comparison, side);
        let told = |work: &&Work| match work.unrecorded().as_slice() {
            [] => words::work_words(work),
            open => format!("{} (not recorded: {})", words::work_words(work), open.join(", ")),
        };
        text += &match own.as_slice() {
            [] => String::new(),
            few if few.len() <= SHOWN || extent == Extent::All => {
                let all = few.iter().map(told).collect::<Vec<_>>().join("; ");
                wrap("", &format!("Only {name} was measured at: {all}."))
            }
            many => wrap("", &format!("Only {name} was measured at {} other loads (--all).", many.len())),
        };
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
    let shown = table.rows.iter().take(space.min(SHOWN)).chain(table.rows.last());
    shown.for_each(|row| text += &price_row(row, sides));
    baseline_notes(comparison).iter().for_each(|note| text += &wrap("", note));
    text + &left_out(space, SHOWN, "prices")
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
    let shown = rates.iter().take(SHOWN).chain([space]);
    let text: String = shown.map(|sentence| wrap("  price   ", sentence)).collect();
    text + &left_out(rates.len(), SHOWN, "prices")
}

fn readings(comparison: &Comparison, extent: Extent) -> String {
    let mut blocks: Vec<String> = Vec::new();
    for finding in &comparison.readings {
        let mut text = wrap("  found   ", &words::reading_sentence(comparison, finding));
        text += &words::reading_details(finding).map_or_else(String::new, |words| wrap("          ", &words));
        if extent == Extent::All {
            let seen = words::reading_evidence(finding);
            let sure = words::reading_confidence(finding);
            let seen =
                if seen.is_empty() { format!("As declared. {sure}.") } else { format!("{seen}. {sure}.") };
            text += &wrap("  seen    ", &seen);
            text += &words::reading_competing(finding)
                .map_or_else(String::new, |other| wrap("  unless  ", other));
            text += &wrap("  next    ", &words::reading_next(finding));
        }
        blocks.push(text);
    }
    blocks.join(if extent == Extent::All { "\n" } else { "" })
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
    /// The limits that the analysis of each side's own runs states.
    limits: &'c [Row],
    /// Figures of work that at least two sides did; limits are left out.
    rows: &'c [Row],
    /// Each figure of more than two sides against the median of all; empty for two.
    deviations: &'c [Deviation],
    /// Sides whose rate falls when their burst credits end.
    falls: &'c [Fall],
    /// What follows.
    outcome: Outcome,
    /// The exit code that goes with it.
    exit_code: u8,
    /// How the sides were loaded in turns; `null` if they were not.
    #[schemars(with = "Option<Object>")]
    in_turns: &'c Option<TurnsRequest>,
    /// Which is the better buy, the faster or the odd one, in words.
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
    let document = ComparisonDocument {
        plimsoll_version: env!("CARGO_PKG_VERSION"),
        sides: &comparison.sides,
        differing: &comparison.differing,
        limits: &comparison.limits,
        rows: &comparison.rows,
        deviations: &comparison.deviations,
        falls: &comparison.falls,
        outcome: comparison.outcome,
        exit_code: comparison.outcome.exit_code(),
        in_turns: &comparison.in_turns,
        verdict: lead(comparison),
        notes: notes(comparison),
        alone: &comparison.alone,
        prices: &comparison.prices,
        price_sentences: words::price_sentences(comparison),
        readings: comparison.readings.iter().map(reading).collect(),
    };
    document_json("comparison", &document)
}
