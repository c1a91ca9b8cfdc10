//! The bars of a comparison: one work, a bar for each side.

use analysis::compare::{Comparison, Row};

use super::drawing::{Across, Canvas, Drawing, Paint, Type, Up, in_units};
use super::ink::{Ink, width};
use crate::words::comparison_words as words;

/// Width of the chart of one row, in pixels.
const WIDTH: i32 = 920;
/// Width of the chart of one row on a phone, in pixels.
const NARROW: i32 = 440;
const LINE: i32 = 26;
const LETTER: i32 = 12;
const HEAD: i32 = 6;

/// Draws horizontal bars from zero, one for each side, with whiskers over the runs if there are several.
pub(crate) fn bars(comparison: &Comparison, row: &Row, title: &str) -> Drawing {
    let labels: Vec<String> =
        (0..comparison.sides.len()).map(|side| words::label(comparison, side)).collect();
    let values: Vec<String> = row
        .figures
        .iter()
        .map(|figure| figure.as_ref().map_or_else(String::new, |f| words::figure_words(f, row.measure)))
        .collect();
    let sides = Sides { labels: &labels, values: &values };
    let mut canvas = drawn(row, &sides, WIDTH);
    let size = (WIDTH, HEAD * 2 + LINE * labels.len() as i32);
    canvas.narrowed(drawn(row, &sides, NARROW), (NARROW, size.1));
    Drawing { title: title.to_owned(), description: "Bars from zero, one a side.".to_owned(), size, canvas }
}

/// Words at the two ends of the bars, a string for each side.
struct Sides<'s> {
    labels: &'s [String],
    values: &'s [String],
}

/// Draws the bars `wide` pixels across.
fn drawn(row: &Row, &Sides { labels, values }: &Sides<'_>, wide: i32) -> Canvas {
    let left = labels.iter().map(|label| width(label, LETTER)).max().unwrap_or(0) + 12;
    let right = values.iter().map(|value| width(value, LETTER)).max().unwrap_or(0) + 16;
    let most = row.figures.iter().flatten().flat_map(|f| &f.runs).copied().fold(0.0, f64::max);
    let across = |value: f64| (f64::from(wide - left - right) * value / most).round() as i32;
    let ink = if words::is_read(&row.work) { Ink::Read } else { Ink::Write };
    let word = Type::from(Ink::Word, LETTER);
    let mut canvas = Canvas::default();
    for (side, figure) in row.figures.iter().enumerate() {
        let top = HEAD + LINE * side as i32;
        let base = top + LINE * 2 / 3;
        canvas.words(&labels[side], in_units((left - 8, base)), word.placed(Across::End, Up::Base));
        let Some(figure) = figure else { continue };
        let end = (left + across(figure.value).max(1), top + LINE - 4);
        canvas.rectangle(in_units((left, top + 4)), in_units(end), Paint::Filled(ink));
        let ends =
            figure.runs.iter().fold((f64::MAX, 0.0), |(low, high), &run| (run.min(low), run.max(high)));
        if figure.runs.len() > 1 {
            let (low, high) = (left + across(ends.0), left + across(ends.1));
            let (from, to) = ((low, top + LINE / 2 - 1), (high.max(low + 1), top + LINE / 2 + 1));
            canvas.rectangle(in_units(from), in_units(to), Paint::Filled(Ink::Word));
        }
        let end = left + across(ends.1.max(figure.value)) + 8;
        canvas.words(&values[side], in_units((end, base)), word);
    }
    canvas
}
