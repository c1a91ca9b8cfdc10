//! The differences of a comparison in turns: a dot for each block, the margin as a band, the typical difference
//! with its interval.

use analysis::compare::{Pairs, Ratio, Row};

use super::{row_title, shift_words};
use crate::charts::drawing::{Across, Canvas, Drawing, Paint, Type, Up, in_units, stroke};
use crate::charts::ink::Ink;
use crate::words::numbers;

/// Width and height of the chart of one row, in pixels.
const SIZE: (i32, i32) = (920, 190);
/// Width of the chart on a phone, in pixels.
const NARROW: i32 = 460;
/// Room left of the plot, in pixels.
const LEFT: i32 = 64;
/// Room right of the plot, in pixels.
const RIGHT: i32 = 190;
/// Room above the plot, in pixels.
const TOP: i32 = 12;
/// Room below the plot, in pixels.
const BOTTOM: i32 = 26;
/// Height of the letters, in pixels.
const LETTER: i32 = 12;
/// Room above the greatest difference, as a factor.
const ROOM: f64 = 1.15;
/// Most blocks that all have a number below their dot; with more blocks, only every n-th has one.
const NUMBERED: usize = 20;

/// Area in which differences are drawn.
struct Plot {
    /// Greatest difference that fits the plot, as a share.
    most: f64,
    blocks: usize,
    /// Width of the whole chart, in pixels.
    wide: i32,
}

impl Plot {
    fn up(&self, difference: f64) -> i32 {
        let high = f64::from(SIZE.1 - TOP - BOTTOM);
        let share = (difference.clamp(-self.most, self.most) / self.most + 1.0) / 2.0;
        TOP + (high * (1.0 - share)).round() as i32
    }

    fn across(&self, block: usize) -> i32 {
        let wide = f64::from(self.wide - LEFT - RIGHT);
        LEFT + (wide * (block as f64 + 0.5) / self.blocks as f64).round() as i32
    }
}

/// Returns the differences of the second side from the first; `None` if the row has no pairs.
pub(crate) fn differences(row: &Row) -> Option<Drawing> {
    let (ratio, pairs) = row.ratios.iter().flatten().find_map(|ratio| Some((ratio, ratio.pairs?)))?;
    let (first, other) = (row.figures.first()?.as_ref()?, row.figures.get(1)?.as_ref()?);
    let shares: Vec<f64> = first.runs.iter().zip(&other.runs).map(|(a, b)| b / a - 1.0).collect();
    let most = shares.iter().map(|share| share.abs()).fold(pairs.margin, f64::max) * ROOM;
    let plot = |wide: i32| Plot { most, blocks: shares.len().max(1), wide };
    let drawn = |plot: Plot| {
        let mut canvas = Canvas::default();
        draw_ground(&mut canvas, &plot, &pairs);
        draw_typical(&mut canvas, &plot, ratio);
        for (block, share) in shares.iter().enumerate() {
            let place = in_units((plot.across(block), plot.up(*share)));
            canvas.circle(place, in_units((4, 0)).0, Paint::Filled(Ink::Read));
        }
        draw_blocks(&mut canvas, &plot);
        canvas
    };
    let mut canvas = drawn(plot(SIZE.0));
    canvas.narrowed(drawn(plot(NARROW)), (NARROW, SIZE.1));
    let description = "A dot a block: how far the second side lay from the first; the band is the margin, the line the typical \
                       difference between the ends of its interval.";
    Some(Drawing { title: row_title(row), description: description.to_owned(), size: SIZE, canvas })
}

/// Draws the margin as a band, and zero difference as a line.
fn draw_ground(canvas: &mut Canvas, plot: &Plot, pairs: &Pairs) {
    let right = plot.wide - RIGHT;
    let (low, high) = (plot.up(-pairs.margin), plot.up(pairs.margin));
    canvas.rectangle(in_units((LEFT, low)), in_units((right, high)), Paint::Filled(Ink::Band));
    let ends = (in_units((LEFT, plot.up(0.0))), in_units((right, plot.up(0.0))));
    canvas.ruled(ends.0, ends.1, stroke(Ink::Frame, 10));
    let word = Type::beside(Ink::Word, LETTER);
    for (share, text) in [
        (pairs.margin, format!("+{}", numbers::share(pairs.margin))),
        (0.0, "0".to_owned()),
        (-pairs.margin, format!("-{}", numbers::share(pairs.margin))),
    ] {
        canvas.words(&text, in_units((LEFT - 8, plot.up(share))), word.placed(Across::End, Up::Centre));
    }
}

/// Draws the typical difference and the ends of its interval.
fn draw_typical(canvas: &mut Canvas, plot: &Plot, ratio: &Ratio) {
    let right = plot.wide - RIGHT;
    let mut rule = |value: f64, tenths: i32| {
        let up = plot.up(value - 1.0);
        canvas.ruled(in_units((LEFT, up)), in_units((right, up)), stroke(Ink::Write, tenths));
    };
    rule(ratio.value, 20);
    if let Some((low, high)) = ratio.interval {
        rule(low, 8);
        rule(high, 8);
    }
    let place = in_units((right + 8, plot.up(ratio.value - 1.0)));
    canvas.words(&shift_words(ratio), place, Type::beside(Ink::Word, LETTER));
}

/// Draws numbers of blocks below the plot.
fn draw_blocks(canvas: &mut Canvas, plot: &Plot) {
    let every = plot.blocks.div_ceil(NUMBERED);
    let word = Type::beside(Ink::Word, LETTER).placed(Across::Middle, Up::Centre);
    for block in (0..plot.blocks).step_by(every) {
        canvas.words(&(block + 1).to_string(), in_units((plot.across(block), SIZE.1 - BOTTOM / 2)), word);
    }
    let place = in_units((LEFT - 8, SIZE.1 - BOTTOM / 2));
    canvas.words("block", place, Type::beside(Ink::Word, LETTER).placed(Across::End, Up::Centre));
}
