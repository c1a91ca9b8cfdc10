//! Draws panels whose labels do not overlap: axes with units, lines, levels labelled in the margin, markers, bands.

use super::drawing::{Across, Canvas, Drawing, Paint, Type, Up, stroke};
use super::ink::{Ink, UNITS, shortened, width};
use super::legend::Legend;
use super::marks::draw_line;
use super::names::names;
use super::panel::{Band, HEADER, LEGEND_ROW, LETTER, Level, MARGIN, Panel, Shade, TIMED_SIDES, WIDTH};
use super::plot::{Cell, Plot};

/// Width of a single panel on a phone, in pixels.
const NARROW: i32 = 400;
const SMALL: i32 = 10;
const BAND_ROW: i32 = 15;
/// Least room between the title of an axis and its highest tick, in pixels.
const CLEAR: i32 = 7;
const FOOT: i32 = 36;
/// Height of a panel's own heading, in pixels.
const HEADING: i32 = 18;

/// Draws the panels side by side, `height` pixels high.
pub(crate) fn draw(title: &str, description: &str, height: i32, panels: &[Panel]) -> Drawing {
    let columns = panels.len().max(1);
    let sheet = |wide: i32| {
        let cell = (wide / columns as i32, height);
        draw_sheet(Sheet { title, description, head: (Canvas::default(), 0), cell, columns }, panels)
    };
    let mut drawing = sheet(WIDTH);
    // Several panels side by side are narrow already.
    if columns == 1 {
        let narrow = sheet(NARROW);
        drawing.canvas.narrowed(narrow.canvas, narrow.size);
    }
    drawing
}

/// A picture of equal panels in rows and columns.
pub(crate) struct Sheet<'t> {
    pub title: &'t str,
    pub description: &'t str,
    /// Content above the panels, with its height in pixels.
    pub head: (Canvas, i32),
    /// Width and height of a panel, in pixels.
    pub cell: (i32, i32),
    /// Number of panels side by side.
    pub columns: usize,
}

/// Draws the panels row by row.
pub(crate) fn draw_sheet(sheet: Sheet<'_>, panels: &[Panel]) -> Drawing {
    let columns = sheet.columns.max(1);
    let rows = panels.len().div_ceil(columns).max(1);
    let size = (sheet.cell.0 * columns as i32, sheet.head.1 + sheet.cell.1 * rows as i32);
    let mut canvas = sheet.head.0;
    for (place, panel) in panels.iter().enumerate() {
        let (row, column) = (place / columns, place % columns);
        let left = sheet.cell.0 * column as i32 * UNITS;
        let top = (sheet.head.1 + sheet.cell.1 * row as i32) * UNITS;
        let (wide, high) = (sheet.cell.0 * UNITS, sheet.cell.1 * UNITS);
        if rows == 1 {
            canvas.stands(left, left + wide);
        }
        draw_panel(&mut canvas, &Cell { x: left..left + wide, y: top..top + high }, panel);
    }
    Drawing { title: sheet.title.to_owned(), description: sheet.description.to_owned(), size, canvas }
}

fn draw_panel(canvas: &mut Canvas, cell: &Cell, panel: &Panel) {
    let wide = (cell.x.end - cell.x.start) / UNITS;
    let (left, right) = sides(panel, wide);
    let header = if panel.heading.is_empty() { 0 } else { HEADING };
    let legend = Legend::of(panel, wide - right - MARGIN);
    let bands_top = header + HEADER + legend.rows_below() * LEGEND_ROW;
    let above = bands_top + (band_rows(&panel.bands) * BAND_ROW).max(CLEAR);
    let plot = Plot {
        x: cell.x.start + (MARGIN + left) * UNITS..cell.x.end - right * UNITS,
        y: cell.y.start + above * UNITS..cell.y.end - FOOT * UNITS,
        header: cell.y.start + header * UNITS,
        bands: cell.y.start + bands_top * UNITS,
        panel,
    };
    if plot.x.len() < 2 || plot.y.len() < 2 {
        // There is no room for any value; the table beside the drawing has the figures.
        return;
    }
    bands(canvas, &plot);
    axes(canvas, cell, &plot);
    heading(canvas, cell, panel);
    legend.draw(canvas, cell, &plot);
    band_labels(canvas, &plot);
    levels(canvas, &plot);
    markers(canvas, &plot);
    panel.lines.iter().for_each(|line| draw_line(canvas, &plot, line));
    names(canvas, &plot);
}

fn heading(canvas: &mut Canvas, cell: &Cell, panel: &Panel) {
    let wide = (cell.x.end - cell.x.start) / UNITS - 2 * MARGIN;
    let at = (cell.x.start + MARGIN * UNITS, cell.y.start + HEADING * UNITS / 2 + 2);
    canvas.words(&shortened(&panel.heading, LETTER, wide), at, Type::beside(Ink::Word, LETTER).bold());
}

/// Returns the room to the left for the labels of the y axis, and to the right for the labels of the levels; the
/// same in every chart over time, so that charts above one another align.
fn sides(panel: &Panel, wide: i32) -> (i32, i32) {
    let left = (panel.y.label_length() as i32 * LETTER * 6 / 10 + 14).max(30);
    let right = panel.levels.iter().map(|level| width(&level.label, SMALL) + 8).max().unwrap_or(0).max(14);
    let least = if panel.bands.is_empty() || wide < WIDTH { panel.least_sides } else { TIMED_SIDES };
    (left.max(least.0), right.max(least.1))
}

fn band_rows(bands: &[Band]) -> i32 {
    let parts = bands.iter().any(|band| !band.parts.is_empty());
    i32::from(!bands.is_empty()) + i32::from(parts)
}

fn bands(canvas: &mut Canvas, plot: &Plot<'_>) {
    let (top, foot) = (plot.y.start, plot.last().1);
    let mut span = |(from, to): (f64, f64), ink| {
        canvas.rectangle((plot.column(from), top), (plot.column(to), foot), Paint::Filled(ink));
    };
    for band in plot.panel.bands.iter().filter(|band| band.shade == Shade::Filled) {
        span((band.from, band.to), Ink::Band);
    }
    let ends = plot.panel.x.ends();
    let hair = (ends.1 - ends.0) / f64::from(WIDTH);
    for &(from, to) in &plot.panel.gaps {
        span((from, to.max(from + hair)), Ink::Gap);
    }
    let edges = plot.panel.bands.iter().flat_map(|band| band.parts.iter().skip(1).map(|part| part.0));
    for edge in edges {
        let column = plot.column(edge);
        canvas.line(&[(column, foot), (column, top)], stroke(Ink::Grid, 10));
    }
}

/// Length of a tick, and room between the axis and its labels, in pixels.
const TICK: (i32, i32) = (4, 8);

/// Draws the grid, the two axes with their ticks and labels, and the title of the x axis.
fn axes(canvas: &mut Canvas, cell: &Cell, plot: &Plot<'_>) {
    let title = ((plot.x.start + (plot.x.end - plot.x.start) / 2), cell.y.end);
    let word = Type::beside(Ink::Word, LETTER);
    canvas.words(&plot.panel.x_title, title, word.placed(Across::Middle, Up::Below));
    grid(canvas, plot);
    let (left, foot) = (plot.x.start - 1, plot.y.end);
    let frame = stroke(Ink::Frame, 10);
    canvas.line(&[(left, plot.y.start), (left, plot.last().1)], frame);
    for (value, label) in plot.panel.y.marks() {
        let row = plot.row(*value);
        canvas.words(label, (left + 1 - TICK.1 * UNITS, row), word.placed(Across::End, Up::Centre));
        canvas.line(&[(left - TICK.0 * UNITS, row), (left, row)], frame);
    }
    canvas.line(&[(plot.x.start, foot), (plot.last().0, foot)], frame);
    let mut free = i32::MIN;
    for (value, label) in plot.panel.x.marks() {
        let column = plot.column(*value);
        let half = width(label, LETTER) * UNITS / 2;
        if column - half >= free {
            canvas.words(label, (column, foot + TICK.1 * UNITS), word.placed(Across::Middle, Up::Top));
            free = column + half;
        }
        canvas.line(&[(column, foot), (column, foot + TICK.0 * UNITS)], frame);
    }
}

/// Draws lines at the ticks; at those of the x axis only if no bands divide the plot.
fn grid(canvas: &mut Canvas, plot: &Plot<'_>) {
    let (last, line) = (plot.last(), stroke(Ink::Grid, 10));
    if plot.panel.bands.is_empty() {
        for (value, _) in plot.panel.x.marks() {
            let column = plot.column(*value);
            canvas.ruled((column, last.1), (column, plot.y.start), line);
        }
    }
    for (value, _) in plot.panel.y.marks() {
        let row = plot.row(*value);
        canvas.ruled((plot.x.start, row), (last.0, row), line);
    }
}

fn band_labels(canvas: &mut Canvas, plot: &Plot<'_>) {
    let form = BandForm::of(plot);
    for band in &plot.panel.bands {
        band_label(canvas, plot, 0, &Span::of(band, form.label(band)));
        for (from, to, label) in &band.parts {
            band_label(canvas, plot, 1, &Span { from: *from, to: *to, label });
        }
    }
}

/// A span of the x axis with the label written above it.
struct Span<'b> {
    from: f64,
    to: f64,
    label: &'b str,
}

impl<'b> Span<'b> {
    fn of(band: &Band, label: &'b str) -> Span<'b> {
        Span { from: band.from, to: band.to, label }
    }
}

/// Forms in which the phases of a watch are labelled: one for all loads and one for all idle phases, or none, so
/// that no label seems to be missing. Steps of a run are labelled wherever there is room.
struct BandForm {
    loads: Form,
    idle: Form,
}

/// Part of a phase's name to be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Whole,
    /// Without `load `: if there is no room for more, the share of the nominal rate identifies the load.
    Short,
    Nothing,
}

impl Form {
    fn label(self, band: &Band) -> &str {
        match self {
            Form::Whole => &band.label,
            Form::Short => band.label.strip_prefix("load ").unwrap_or(&band.label),
            Form::Nothing => "",
        }
    }
}

impl BandForm {
    fn of(plot: &Plot<'_>) -> BandForm {
        let panel = plot.panel;
        if panel.bands.iter().any(|band| !band.parts.is_empty()) {
            return BandForm { loads: Form::Whole, idle: Form::Whole };
        }
        let best = |shade: Shade| {
            let of = || panel.bands.iter().filter(move |band| band.shade == shade);
            let fits = |form: &Form| of().all(|band| has_room(plot, &Span::of(band, form.label(band))));
            [Form::Whole, Form::Short].into_iter().find(fits).unwrap_or(Form::Nothing)
        };
        BandForm { loads: best(Shade::Filled), idle: best(Shade::Clear) }
    }

    fn label<'b>(&self, band: &'b Band) -> &'b str {
        let form = if band.shade == Shade::Filled { self.loads } else { self.idle };
        form.label(band)
    }
}

fn has_room(plot: &Plot<'_>, span: &Span<'_>) -> bool {
    width(span.label, SMALL) * UNITS <= plot.across(span.to) - plot.across(span.from)
}

/// Draws a label in the middle of its span if it fits there.
fn band_label(canvas: &mut Canvas, plot: &Plot<'_>, row: i32, span: &Span<'_>) {
    if span.label.is_empty() || !has_room(plot, span) {
        return;
    }
    let y = plot.bands + (row * BAND_ROW + BAND_ROW / 2) * UNITS;
    let middle = (plot.across(span.from) + plot.across(span.to)) / 2;
    let look = Type::beside(Ink::Word, SMALL).placed(Across::Middle, Up::Centre);
    canvas.words(span.label, (middle, y), look);
}

/// Draws horizontal lines, each labelled in the right margin; labels that would touch are moved apart.
fn levels(canvas: &mut Canvas, plot: &Plot<'_>) {
    let mut sorted: Vec<&Level> = plot.panel.levels.iter().collect();
    sorted.sort_by(|a, b| b.value.total_cmp(&a.value));
    let mut free = 0;
    for level in sorted {
        let row = plot.row(level.value);
        canvas.line(&[(plot.x.start, row), (plot.last().0, row)], stroke(level.ink, 12));
        let y = plot.up(level.value).max(free);
        free = y + (SMALL + 3) * UNITS;
        canvas.words(&level.label, (plot.x.end + 4 * UNITS, y), Type::beside(level.ink, SMALL));
    }
}

/// Draws vertical lines with labels at their feet, one above another, on the side that has room.
fn markers(canvas: &mut Canvas, plot: &Plot<'_>) {
    for marker in &plot.panel.markers {
        let column = plot.column(marker.at);
        canvas.line(&[(column, plot.last().1), (column, plot.y.start)], stroke(Ink::Marker, 12));
    }
    let labelled = plot.panel.markers.iter().filter(|marker| !marker.label.is_empty());
    for (row, marker) in labelled.enumerate() {
        let y = plot.y.end - (8 + 14 * row as i32) * UNITS;
        let long = width(&marker.label, LETTER) * UNITS;
        let start = (plot.across(marker.at) + 5 * UNITS).min(plot.x.end - long).max(plot.x.start);
        let ground = Paint::Filled(Ink::Page);
        canvas.rectangle((start, y - 6 * UNITS), (start + long, y + 6 * UNITS), ground);
        canvas.words(&marker.label, (start, y), Type::beside(Ink::Marker, LETTER));
    }
}
