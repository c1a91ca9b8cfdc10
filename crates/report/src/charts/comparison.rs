//! The picture of a comparison: a line for each figure, its ratio to the first side with the interval, all to one scale.

use analysis::compare::{Comparison, Deviation, Ratio, Row, Shown};

use super::drawing::{Across, Canvas, Drawing, Paint, Type, Up, in_units, stroke};
use super::ink::{Ink, shortened};
use crate::words::comparison_words as words;
use crate::words::numbers;
use crate::words::ratio_table::change;

/// Height of a line and of the letters, in pixels.
const LINE: i32 = 22;
const LETTER: i32 = 12;
/// Room for the numbers of the axis, in pixels.
const AXIS: i32 = 26;
/// Radius of a point and of a block's dot, in drawing units.
const POINT: i32 = 9;
const DOT: i32 = 4;
/// Ratio that reaches the edges at least, and the ends of the band that does not matter.
const EDGE: f64 = 1.1;
const BAND: f64 = 1.05;
/// Room beyond the greatest ratio, as a factor of its logarithm.
const ROOM: f64 = 1.08;
/// Ratios that the axis may name.
const TICKS: [f64; 15] = [0.01, 0.03, 0.1, 0.3, 0.5, 0.8, 0.9, 1.0, 1.1, 1.25, 2.0, 3.0, 10.0, 30.0, 100.0];
/// Least distance of two numbers of the axis, in pixels.
const APART: i32 = 44;

/// A figure: its name, its points, and its change in words.
struct Line {
    label: String,
    marks: Vec<Mark>,
    told: String,
}

/// A point on a line.
struct Mark {
    ratio: f64,
    ends: Option<(f64, f64)>,
    ink: Ink,
    radius: i32,
}

/// Places of a drawing, in pixels.
#[derive(Clone, Copy)]
struct Plot {
    wide: i32,
    left: i32,
    right: i32,
    /// Height of a line, and of its point below the line's top.
    line: i32,
    point: i32,
    /// Logarithm of the ratio at the edges.
    scale: f64,
}

impl Plot {
    fn across(&self, ratio: f64) -> i32 {
        let half = f64::from(self.right - self.left) / 2.0;
        let share = (ratio.max(1e-9).ln() / self.scale).clamp(-1.0, 1.0);
        self.left + (half * (1.0 + share)).round() as i32
    }
}

/// Draws every figure against the first side's; of more than two sides, every side against their median. `None` without
/// figures.
pub(crate) fn forest(comparison: &Comparison) -> Option<Drawing> {
    let lines = if comparison.deviations.is_empty() { ratios(comparison) } else { deviations(comparison) };
    let marks = || lines.iter().flat_map(|line| &line.marks);
    let logs = marks().map(|mark| mark.ratio.max(1e-9).ln().abs());
    let scale = logs.fold(EDGE.ln(), f64::max) * ROOM;
    let height = |line: i32| AXIS + line * lines.len() as i32 + 8;
    let wide = Plot { wide: 920, left: 340, right: 760, line: LINE, point: LINE / 2, scale };
    let narrow = Plot { wide: 440, left: 12, right: 300, line: 2 * LINE, point: LINE + 8, scale };
    let mut canvas = drawn(&lines, wide, height(wide.line));
    canvas.narrowed(drawn(&lines, narrow, height(narrow.line)), (narrow.wide, height(narrow.line)));
    let description = "A line for each figure: its ratio with the 95 % interval; the band is 5 % either way.";
    (!lines.is_empty()).then(|| Drawing {
        title: "Change of every figure".to_owned(),
        description: description.to_owned(),
        size: (wide.wide, height(wide.line)),
        canvas,
    })
}

/// Returns the lines of two sides, with a dot for each block of a comparison in turns.
fn ratios(comparison: &Comparison) -> Vec<Line> {
    let rows = comparison.limits.iter().chain(&comparison.rows);
    let line = |row: &Row| {
        let ratio = row.ratios.iter().flatten().next()?;
        let mut marks = blocks(row, ratio);
        marks.push(Mark { ratio: ratio.value, ends: ratio.interval, ink: ink(ratio), radius: POINT });
        let label = if comparison.in_turns.is_some() {
            format!("{} ({})", words::work_words(&row.work), words::measure_words(row.measure))
        } else {
            words::row_words(row)
        };
        Some(Line { label, marks, told: change(ratio) })
    };
    rows.filter_map(line).collect()
}

fn blocks(row: &Row, ratio: &Ratio) -> Vec<Mark> {
    let (Some(Some(first)), Some(Some(other))) = (row.figures.first(), row.figures.get(1)) else {
        return Vec::new();
    };
    let mark = |(a, b): (&f64, &f64)| Mark { ratio: b / a, ends: None, ink: Ink::Idle, radius: DOT };
    let runs = first.runs.iter().zip(&other.runs).filter(|_| ratio.pairs.is_some());
    runs.map(mark).collect()
}

fn ink(ratio: &Ratio) -> Ink {
    match ratio.shows() {
        Shown::Less | Shown::More => Ink::Write,
        Shown::Same => Ink::Read,
        Shown::Nothing => Ink::Idle,
    }
}

/// Returns the lines of more than two sides: a point for each, odd ones last and on top.
fn deviations(comparison: &Comparison) -> Vec<Line> {
    let line = |(number, row): (usize, &Row)| {
        let mut own: Vec<&Deviation> = comparison.deviations.iter().filter(|of| of.row == number).collect();
        own.sort_by_key(|of| of.odd);
        let mark = |of: &&Deviation| Mark {
            ratio: 1.0 + of.share,
            ends: None,
            ink: if of.odd { Ink::Write } else { Ink::Read },
            radius: if of.odd { POINT } else { DOT + 2 },
        };
        let far = own.iter().filter(|of| of.odd).max_by(|a, b| a.share.abs().total_cmp(&b.share.abs()));
        let told = far.map_or_else(String::new, |of| {
            format!("{} {}", words::label(comparison, of.side), numbers::signed_share(of.share))
        });
        (!own.is_empty()).then(|| Line {
            label: words::row_words(row),
            marks: own.iter().map(mark).collect(),
            told,
        })
    };
    comparison.deciding().iter().enumerate().filter_map(line).collect()
}

fn drawn(lines: &[Line], plot: Plot, high: i32) -> Canvas {
    let mut canvas = Canvas::default();
    let (top, bottom) = (AXIS, high - 4);
    let band = (in_units((plot.across(1.0 / BAND), top)), in_units((plot.across(BAND), bottom)));
    canvas.rectangle(band.0, band.1, Paint::Filled(Ink::Band));
    axis(&mut canvas, plot, (top, bottom));
    let word = Type::beside(Ink::Word, LETTER);
    let is_narrow = plot.left < plot.wide / 4;
    for (number, line) in lines.iter().enumerate() {
        let from = AXIS + plot.line * number as i32;
        let up = from + plot.point;
        let label = if is_narrow {
            (shortened(&line.label, LETTER, plot.wide - 8), (4, from + LINE / 2 - 2), word)
        } else {
            let ends = word.placed(Across::End, Up::Centre);
            (shortened(&line.label, LETTER, plot.left - 20), (plot.left - 14, up), ends)
        };
        canvas.words(&label.0, in_units(label.1), label.2);
        line.marks.iter().for_each(|mark| draw(&mut canvas, plot, (mark, up)));
        let told = shortened(&line.told, LETTER, plot.wide - plot.right - 14);
        canvas.words(&told, in_units((plot.right + 14, up)), word);
    }
    canvas
}

fn draw(canvas: &mut Canvas, plot: Plot, (mark, up): (&Mark, i32)) {
    if let Some((low, high)) = mark.ends {
        let ends = (in_units((plot.across(low), up)), in_units((plot.across(high), up)));
        canvas.ruled(ends.0, ends.1, stroke(mark.ink, 25));
    }
    canvas.circle(in_units((plot.across(mark.ratio), up)), mark.radius, Paint::Filled(mark.ink));
}

/// Draws the line of no change, and the numbers of the axis that have room.
fn axis(canvas: &mut Canvas, plot: Plot, (top, bottom): (i32, i32)) {
    let word = Type::beside(Ink::Word, LETTER).placed(Across::Middle, Up::Centre);
    let mut taken: Vec<i32> = Vec::new();
    let mut ticks: Vec<f64> = TICKS.into_iter().filter(|tick| tick.ln().abs() <= plot.scale).collect();
    // The line of no change has its number before all others.
    ticks.sort_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs()));
    for tick in ticks {
        let at = plot.across(tick);
        if taken.iter().any(|other| (other - at).abs() < APART) {
            continue;
        }
        taken.push(at);
        let ink = if tick == 1.0 { Ink::Frame } else { Ink::Grid };
        canvas.ruled(in_units((at, top)), in_units((at, bottom)), stroke(ink, 10));
        let text = match tick {
            1.0 => "0".to_owned(),
            tick if (0.5..=2.0).contains(&tick) => numbers::signed_share(tick - 1.0),
            tick => format!("× {tick}"),
        };
        canvas.words(&text, in_units((at, top - 12)), word);
    }
}
