//! The table of more than two sides in a terminal: a line for each, the odd ones first.

use std::fmt::Write as _;

use analysis::compare::{Comparison, Deviation, Row};

use super::comparison_verdict::{median, odd_sides};
use super::comparison_words as words;
use super::numbers;
use super::table::Table;
use super::wrap::{COLUMNS, clean, wrap};

/// Least columns for the name of a side.
const NAME: usize = 14;
/// Columns for the distance from the median.
const FROM: usize = 12;
/// Columns for a figure.
const FIGURE: usize = 11;
/// Most figures beside each other, and how many long names leave room for.
const FIGURES: [usize; 3] = [4, 3, 2];

/// Difference of two distances from the median below which the first figure stays first.
const EQUALLY: f64 = 0.02;

/// Returns a row for each side: its greatest distance from the median, and its figures, of which `most` are chosen, odd
/// ones first; and the rows of the comparison that are the columns.
pub(crate) fn deviation_table(comparison: &Comparison, most: usize) -> (Table, Vec<&Row>) {
    let rows = comparison.deciding();
    let is_odd = |number: &usize| comparison.deviations.iter().any(|of| of.odd && of.row == *number);
    let compared = |number: &usize| comparison.deviations.iter().any(|of| of.row == *number);
    let (odd, even): (Vec<usize>, Vec<usize>) = (0..rows.len()).filter(compared).partition(is_odd);
    let mut chosen: Vec<usize> = odd.into_iter().chain(even).take(most).collect();
    chosen.sort_unstable();
    let mut table = Table::headed(&["", "from median"]);
    table.head.extend((1..=chosen.len()).map(|number| format!("[{number}]")));
    for side in order(comparison) {
        let far = farthest(comparison, side);
        let column = far.and_then(|far| chosen.iter().position(|number| *number == far.row));
        let at = column.map_or_else(String::new, |column| format!(" [{}]", column + 1));
        let from = far.map_or_else(String::new, |far| format!("{}{at}", numbers::signed_share(far.share)));
        let name = std::iter::once(words::label(comparison, side)).chain(source(comparison, side));
        let mut cells = vec![name.collect::<Vec<_>>().join(" "), from];
        cells.extend(chosen.iter().map(|number| words::cell(&rows[*number], side)));
        table.rows.push(cells);
    }
    let middle = |number: &usize| {
        let of = comparison.deviations.iter().find(|of| of.row == *number);
        of.map_or_else(String::new, |of| median(&rows[*number], of.median))
    };
    let mut cells = vec!["median".to_owned(), String::new()];
    cells.extend(chosen.iter().map(middle).map(|words| words.trim_end_matches(" IOPS").to_owned()));
    table.rows.push(cells);
    (table, chosen.into_iter().map(|number| &rows[number]).collect())
}

fn source(comparison: &Comparison, side: usize) -> Option<String> {
    comparison.sides.get(side)?.source.as_deref().map(clean)
}

/// Returns the sides, the odd ones first.
fn order(comparison: &Comparison) -> Vec<usize> {
    let odd: Vec<usize> = odd_sides(comparison).iter().map(|of| of.side).collect();
    let rest = (0..comparison.sides.len()).filter(|side| !odd.contains(side));
    odd.iter().copied().chain(rest).collect()
}

/// Returns the greatest odd deviation of a side, or else its greatest.
fn farthest(comparison: &Comparison, side: usize) -> Option<&Deviation> {
    let own = comparison.deviations.iter().filter(|of| of.side == side);
    own.reduce(|a, b| if (b.odd, b.share.abs()) > (a.odd, a.share.abs() + EQUALLY) { b } else { a })
}

fn longest_name(table: &Table) -> usize {
    table.rows.iter().map(|cells| cells[0].chars().count()).max().unwrap_or(0)
}

/// Returns `text` in at most `width` characters: its begin, and its end, in which the names of files differ.
fn cut_within(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let (begin, end) = (width / 4, width - width / 4 - 1);
    text.chars().take(begin).chain(['…']).chain(text.chars().skip(length - end)).collect()
}

/// Returns the table in 80 columns, with what its columns are.
pub(crate) fn deviation_text(comparison: &Comparison) -> String {
    let room = |figures: usize| COLUMNS - FROM - FIGURE * figures;
    let fits = |(table, _): &(Table, Vec<&Row>), figures: usize| longest_name(table) < room(figures);
    let tables = FIGURES.map(|figures| (deviation_table(comparison, figures), figures));
    let last = tables.len() - 1;
    let chosen = tables.iter().position(|(table, figures)| fits(table, *figures)).unwrap_or(last);
    let ((table, rows), figures) = &tables[chosen];
    let width = room(*figures).min(longest_name(table) + 1).max(NAME);
    let mut text = String::new();
    for cells in std::iter::once(&table.head).chain(&table.rows) {
        let name = cut_within(&cells[0], width - 1);
        let figures: String = cells[2..].iter().map(|cell| format!("{cell:>FIGURE$}")).collect();
        let _ = writeln!(text, "{}", format!("{name:<width$}{:>FROM$}{figures}", cells[1]).trim_end());
    }
    for (number, row) in rows.iter().enumerate() {
        text += &wrap(&format!("[{}] ", number + 1), &words::row_words(row));
    }
    let more = comparison.deciding().len().saturating_sub(rows.len());
    let more = if more > 0 { format!(" {more} more figures: --all.") } else { String::new() };
    text + &wrap(
        "",
        &format!(
            "Odd is a side whose figure lies farther from the others' than these from each other, by their spread and its own \
             interval, and by over 2 %, at 5 % of false alarms over all figures (Benjamini, Hochberg 1995).{more}"
        ),
    )
}
