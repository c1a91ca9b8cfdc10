//! The table of two sides in a terminal: a line for each figure, its change, and a picture of the change to one scale.

use analysis::compare::{Comparison, Ratio, RatioAnswer, Row};

use super::comparison_words as words;
use super::numbers;
use super::wrap::{COLUMNS, wrap, wrap_between};

/// Columns for the work of a row, and for a measure below the work.
const WHAT: usize = 31;
const MEASURE: usize = 17;
/// Columns for the figure of a side.
const FIGURE: usize = 12;
/// Columns for the change.
const CHANGE: usize = 15;
/// Columns of a picture: as many on either side of the middle.
const PICTURE: usize = 8;
/// Ratio that reaches the edge of every picture at least.
const EDGE: f64 = 1.1;
/// Ratio at the edges of the band within which differences do not matter.
const BAND: f64 = 1.05;

/// Returns the table of two sides: the limits, then the works that both have; each work with its measures if they were
/// loaded in turns.
pub(crate) fn ratio_table(comparison: &Comparison) -> String {
    let name = |side| words::label(comparison, side).chars().take(FIGURE - 1).collect::<String>();
    let (first, other) = (name(0), name(1));
    let in_turns = comparison.in_turns.is_some();
    let (wide, scale) = (if in_turns { MEASURE } else { WHAT }, scale(comparison));
    let against: String = format!("{other} to {first}").chars().take(CHANGE - 1).collect();
    let mut text = format!("{:<wide$}{first:>FIGURE$}{other:>FIGURE$}{against:>CHANGE$}\n", "");
    let mut last = String::new();
    for row in comparison.limits.iter().chain(&comparison.rows) {
        let (title, what) = match (in_turns, comparison.limits.contains(row)) {
            (true, _) => (words::work_words(&row.work), words::measure_words(row.measure).to_owned()),
            (false, true) => ("At the limit, at whatever depth".to_owned(), words::row_words(row)),
            (false, false) => ("At the same load".to_owned(), words::row_words(row)),
        };
        if title != last && (in_turns || !comparison.limits.is_empty()) {
            text += &wrap("", &title);
        }
        last = title;
        text += &line(row, (&what, wide), scale);
        text +=
            &words::unrecorded_words(comparison, row).map_or_else(String::new, |open| wrap("    ", &open));
    }
    text
}

/// Returns the logarithm of the ratio at the edges of the pictures.
fn scale(comparison: &Comparison) -> f64 {
    let rows = comparison.limits.iter().chain(&comparison.rows);
    let logs = rows.flat_map(|row| row.ratios.iter().flatten()).map(|ratio| ratio.value.ln().abs());
    logs.fold(EDGE.ln(), f64::max)
}

/// Returns the line of a row, and a second one if its work is longer than its `wide` columns or its answer has no room.
fn line(row: &Row, (what, wide): (&str, usize), scale: f64) -> String {
    let Some(ratio) = row.ratios.iter().flatten().next() else { return String::new() };
    let figures = format!(
        "{:>FIGURE$}{:>FIGURE$}{:>CHANGE$} {}",
        words::cell(row, 0),
        words::cell(row, 1),
        change(ratio),
        picture(ratio, scale)
    );
    let told = told(ratio);
    let right = match wide {
        MEASURE => [format!("{figures} {told}"), String::new()],
        _ => [figures, format!("{told:>rest$}", rest = COLUMNS - wide)],
    };
    let what = wrap_between(if wide == MEASURE { "  " } else { "" }, 1, wide - 1, what);
    let mut what = what.lines();
    let both = right.iter().map(|right| format!("{:<wide$}{right}", what.next().unwrap_or_default()));
    let lines: Vec<String> = both.map(|line| format!("{}\n", line.trim_end())).collect();
    lines.into_iter().filter(|line| line.len() > 1).collect()
}

/// Formats a change: `-20.0 ± 0.1 %`, beyond a factor of two `2.40 times`.
pub(crate) fn change(ratio: &Ratio) -> String {
    if !(0.5..=2.0).contains(&ratio.value) {
        return format!("{} times", words::three(ratio.value));
    }
    let (percent, half) =
        ((ratio.value - 1.0) * 100.0, ratio.interval.map(|(low, high)| (high - low) * 50.0));
    let decimals = usize::from(half.is_none_or(|half| half < 9.95));
    let digits = numbers::fixed(percent.abs(), decimals);
    let is_none = digits.chars().all(|digit| matches!(digit, '0' | '.'));
    let sign = if is_none { "" } else { ["+", "-"][usize::from(percent < 0.0)] };
    match half {
        // Rounded up, so that no interval is printed as none.
        Some(half) => {
            let unit = 10f64.powi(decimals as i32);
            format!("{sign}{digits} ± {} %", numbers::fixed((half * unit).ceil() / unit, decimals))
        }
        None => format!("{sign}{digits} %"),
    }
}

/// Returns the conclusion from repeated runs, or why there is no interval.
fn told(ratio: &Ratio) -> String {
    match (ratio.answer, ratio.by_rounding) {
        (RatioAnswer::Repeat, None) => String::new(),
        _ => words::answer_words(ratio),
    }
}

/// Draws the ratio with its interval on a line to scale: the middle is 1, dots are the band that does not matter.
fn picture(ratio: &Ratio, scale: f64) -> String {
    let half = (PICTURE / 2) as f64;
    let place = |value: f64| (half + (value.ln() / scale).clamp(-1.0, 1.0) * half).round() as usize;
    let Some((low, high)) = ratio.interval else { return "unknown".to_owned() };
    let letter = |at: usize| match at {
        at if at == place(ratio.value) => '●',
        at if (place(low)..=place(high)).contains(&at) => '─',
        at if at == PICTURE / 2 => '│',
        at if (place(1.0 / BAND)..=place(BAND)).contains(&at) => '·',
        _ => ' ',
    };
    (0..=PICTURE).map(letter).collect()
}
