//! Names of a panel's lines, beside or below its title, each preceded by a sample of its line.

use super::drawing::{Canvas, Spot, Type, stroke};
use super::ink::{Ink, UNITS, width};
use super::marks::sample;
use super::panel::{HEADER, LEGEND_ROW, LETTER, Line, MARGIN, Panel};
use super::plot::{Cell, Plot};

/// Length of the line sample, room after it, and room between two names, in pixels.
const PIECE: (i32, i32, i32) = (22, 5, 14);

/// Layout of the names of a panel's lines.
pub(super) struct Legend {
    /// Indices of lines in the panel, row by row. If all names fit beside the title, there is one row.
    rows: Vec<Vec<usize>>,
    beside: bool,
}

impl Legend {
    /// Lays out the names in rows that fit `wide` pixels.
    pub fn of(panel: &Panel, wide: i32) -> Legend {
        let named: Vec<usize> =
            (0..panel.lines.len()).filter(|&at| !panel.lines[at].name.is_empty()).collect();
        let whole: i32 = named.iter().map(|&at| long(&panel.lines[at])).sum();
        let title = width(&panel.y_title, LETTER) + 2 * MARGIN;
        if named.is_empty() || title + whole <= wide {
            return Legend { rows: vec![named], beside: true };
        }
        let mut rows: Vec<Vec<usize>> = Vec::new();
        let mut free = 0;
        for at in named {
            let needed = long(&panel.lines[at]);
            match rows.last_mut() {
                Some(row) if needed <= free => row.push(at),
                _ => {
                    rows.push(vec![at]);
                    free = wide;
                }
            }
            free -= needed;
        }
        Legend { rows, beside: false }
    }

    /// Number of rows below the title.
    pub fn rows_below(&self) -> i32 {
        if self.beside { 0 } else { self.rows.len() as i32 }
    }

    /// Draws the unit at the left end and the names at the right end of their rows.
    pub fn draw(&self, canvas: &mut Canvas, cell: &Cell, plot: &Plot<'_>) {
        let middle = plot.header + HEADER * UNITS / 2;
        let title = Type::beside(Ink::Word, LETTER);
        canvas.words(&plot.panel.y_title, (cell.x.start + MARGIN * UNITS, middle), title);
        for (row, places) in self.rows.iter().enumerate() {
            let below = if self.beside { 0 } else { HEADER / 2 + LEGEND_ROW / 2 + LEGEND_ROW * row as i32 };
            let lines = places.iter().map(|&at| &plot.panel.lines[at]);
            draw_row(canvas, lines.rev(), (plot.x.end, middle + below * UNITS));
        }
    }
}

fn long(line: &Line) -> i32 {
    width(&line.name, LETTER) + PIECE.0 + PIECE.1 + PIECE.2
}

/// Draws one row from the right end leftwards, so `lines` come last first.
fn draw_row<'l>(canvas: &mut Canvas, lines: impl Iterator<Item = &'l Line>, (end, y): Spot) {
    let mut right = end;
    for line in lines {
        let start = right - (long(line) - PIECE.2) * UNITS;
        let name = start + (PIECE.0 + PIECE.1) * UNITS;
        canvas.words(&line.name, (name, y), Type::beside(Ink::Word, LETTER));
        // Points that no line joins are shown as in the plot.
        if line.is_drawn_through() {
            canvas.line(&[(start, y), (start + PIECE.0 * UNITS, y)], stroke(line.ink, 18));
        }
        sample(canvas, line, (start + PIECE.0 * UNITS / 2, y));
        right = start - PIECE.2 * UNITS;
    }
}
