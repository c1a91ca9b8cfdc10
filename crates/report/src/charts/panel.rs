//! Draws panels: axes with units, lines, levels with their labels in the margin, markers, bands; nothing overlaps.

use std::ops::Range;

use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea as _};
use plotters::element::{Circle, PathElement, Rectangle, Text, TriangleMarker};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color as _, ShapeStyle, TRANSPARENT};

use super::axis::Axis;
use super::ink::{Ink, UNITS, width};

/// One pair of axes and what stands between them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Panel {
    /// Quantity and unit of the y axis, written above it.
    pub y_title: String,
    /// Quantity and unit of the x axis, written below it.
    pub x_title: String,
    pub x: Axis,
    pub y: Axis,
    pub lines: Vec<Line>,
    pub levels: Vec<Level>,
    pub markers: Vec<Marker>,
    pub bands: Vec<Band>,
}

/// A named series; a new segment begins where the pen is lifted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub name: String,
    pub ink: Ink,
    pub segments: Vec<Vec<(f64, f64)>>,
    /// (x, low, high) of intervals.
    pub whiskers: Vec<(f64, f64, f64)>,
    pub dots: Dots,
}

/// What stands at each point of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dots {
    None,
    Circle,
    Square,
    Triangle,
}

/// A horizontal line with a label in the right margin.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Level {
    pub value: f64,
    pub label: String,
    pub ink: Ink,
}

/// A vertical line with a label at its foot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Marker {
    pub at: f64,
    /// Empty where another panel of the chart carries it.
    pub label: String,
}

/// A span of the x axis, labelled above the plot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Band {
    pub from: f64,
    pub to: f64,
    pub label: String,
    /// Second row: places and labels of what the span is made of.
    pub parts: Vec<(f64, f64, String)>,
}

/// Width of every chart in pixels, before the page scales it.
pub(super) const WIDTH: i32 = 920;
const LETTER: i32 = 11;
const SMALL: i32 = 10;
const HEADER: i32 = 22;
const BAND_ROW: i32 = 15;
const FOOT: i32 = 36;
const MARGIN: i32 = 8;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Plot<'a, 'b> = ChartContext<'b, SVGBackend<'a>, Cartesian2d<Axis, Axis>>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The panels side by side in `height` pixels as an `svg` element with a title and a description.
pub(super) fn draw(title: &str, description: &str, height: i32, panels: &[Panel]) -> String {
    let mut text = String::new();
    let size = ((WIDTH * UNITS) as u32, (height * UNITS) as u32);
    let drawn = {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        draw_all(&root, panels)
    };
    // Drawing into a string fails only where a panel has no room at all; then the page shows the table alone.
    match drawn {
        Ok(()) => dressed(&text, title, description, size),
        Err(_) => String::new(),
    }
}

fn draw_all(root: &Area<'_>, panels: &[Panel]) -> Drawn {
    for (area, panel) in root.split_evenly((1, panels.len().max(1))).iter().zip(panels) {
        draw_panel(area, panel)?;
    }
    root.present()
}

/// Replaces the backend's opening tag by one that scales and can be read aloud, and leaves out what says nothing.
fn dressed(svg: &str, title: &str, description: &str, size: (u32, u32)) -> String {
    let inner = svg.split_once('>').map_or("", |(_, inner)| inner);
    let inner = inner.replace(" opacity=\"1\"", "").replace("\n", "");
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" viewBox=\"0 0 {} {}\"><title>{}</title><desc>{}</desc>{inner}",
        size.0,
        size.1,
        crate::markup::escape(title),
        crate::markup::escape(description),
    )
}

fn draw_panel(area: &Area<'_>, panel: &Panel) -> Drawn {
    let (left, right) = sides(panel);
    let rows = band_rows(&panel.bands);
    let mut chart = ChartBuilder::on(area)
        .margin_left(MARGIN * UNITS)
        .margin_right(right * UNITS)
        .margin_top((HEADER + rows * BAND_ROW) * UNITS)
        .x_label_area_size(FOOT * UNITS)
        .y_label_area_size(left * UNITS)
        .build_cartesian_2d(panel.x.clone(), panel.y.clone())?;
    let (columns, lines) = chart.plotting_area().get_pixel_range();
    let origin = area.get_pixel_range();
    let plot = Place { x: relative(columns, &origin.0), y: relative(lines, &origin.1) };
    bands(&mut chart, panel)?;
    mesh(&mut chart, panel)?;
    header(area, panel, &plot)?;
    band_labels(area, panel, &plot)?;
    levels(area, &mut chart, panel, &plot)?;
    markers(area, &mut chart, panel, &plot)?;
    panel.lines.iter().try_for_each(|line| draw_line(&mut chart, line))
}

/// Room for the labels of the y axis and for those of the levels; the same in every chart over time, so that what
/// stands above each other happened together.
fn sides(panel: &Panel) -> (i32, i32) {
    let left = (panel.y.label_length() as i32 * LETTER * 6 / 10 + 14).max(30);
    let right = panel.levels.iter().map(|level| width(&level.label, SMALL) + 8).max().unwrap_or(0).max(14);
    match panel.bands.is_empty() {
        true => (left, right),
        false => (left.max(TIMED_SIDES.0), right.max(TIMED_SIDES.1)),
    }
}

/// Least room beside a chart over time.
const TIMED_SIDES: (i32, i32) = (56, 92);

/// Where the plot stands within its area, in drawing units.
struct Place {
    x: Range<i32>,
    y: Range<i32>,
}

impl Place {
    fn across(&self, share: f64) -> i32 {
        self.x.start + (share * f64::from(self.x.end - self.x.start)).round() as i32
    }

    fn up(&self, share: f64) -> i32 {
        self.y.end - (share * f64::from(self.y.end - self.y.start)).round() as i32
    }
}

fn relative(range: Range<i32>, origin: &Range<i32>) -> Range<i32> {
    range.start - origin.start..range.end - origin.start
}

fn stroke(ink: Ink, tenths: i32) -> ShapeStyle {
    ink.colour().stroke_width((tenths * UNITS / 10).max(1) as u32)
}

fn band_rows(bands: &[Band]) -> i32 {
    let parts = bands.iter().any(|band| !band.parts.is_empty());
    i32::from(!bands.is_empty()) + i32::from(parts)
}

fn bands(chart: &mut Plot<'_, '_>, panel: &Panel) -> Drawn {
    let (low, high) = panel.y.ends();
    for band in panel.bands.iter().step_by(2) {
        let corners = [(band.from, high), (band.to, low)];
        chart.draw_series([Rectangle::new(corners, Ink::Band.colour().filled())])?;
    }
    let edges = panel.bands.iter().flat_map(|band| band.parts.iter().skip(1).map(|part| part.0));
    for edge in edges {
        chart.draw_series([PathElement::new([(edge, low), (edge, high)], stroke(Ink::Grid, 10))])?;
    }
    Ok(())
}

fn mesh(chart: &mut Plot<'_, '_>, panel: &Panel) -> Drawn {
    let mut mesh = chart.configure_mesh();
    if !panel.bands.is_empty() {
        mesh.disable_x_mesh();
    }
    mesh.bold_line_style(stroke(Ink::Grid, 10))
        .light_line_style(TRANSPARENT)
        .axis_style(stroke(Ink::Frame, 10))
        .set_all_tick_mark_size(4 * UNITS)
        .x_label_style(Ink::Word.text(LETTER, (HPos::Center, VPos::Top)))
        .y_label_style(Ink::Word.text(LETTER, (HPos::Right, VPos::Center)))
        .axis_desc_style(Ink::Word.text(LETTER, (HPos::Center, VPos::Bottom)))
        .x_desc(panel.x_title.as_str())
        .draw()
}

/// The unit at the left end of the header, the names of the lines at the right end, each behind a piece of its line.
fn header(area: &Area<'_>, panel: &Panel, plot: &Place) -> Drawn {
    let y = HEADER * UNITS / 2;
    let title = Ink::Word.text(LETTER, (HPos::Left, VPos::Center));
    area.draw(&Text::new(panel.y_title.as_str(), (MARGIN * UNITS, y), title))?;
    let mut right = plot.x.end;
    for line in panel.lines.iter().rev().filter(|line| !line.name.is_empty()) {
        let long = width(&line.name, LETTER) * UNITS;
        let style = Ink::Word.text(LETTER, (HPos::Left, VPos::Center));
        area.draw(&Text::new(line.name.as_str(), (right - long, y), style))?;
        let end = right - long - 5 * UNITS;
        let start = end - 22 * UNITS;
        area.draw(&PathElement::new([(start, y), (end, y)], stroke(line.ink, 18)))?;
        sample_dot(area, line, ((start + end) / 2, y))?;
        right = start - 14 * UNITS;
    }
    Ok(())
}

fn sample_dot(area: &Area<'_>, line: &Line, at: (i32, i32)) -> Drawn {
    let style = line.ink.colour().filled();
    match line.dots {
        Dots::None => Ok(()),
        Dots::Circle => area.draw(&Circle::new(at, 3 * UNITS, style)),
        Dots::Square => area.draw(&square(at, style)),
        Dots::Triangle => area.draw(&TriangleMarker::new(at, 4 * UNITS, style)),
    }
}

fn square(at: (i32, i32), style: ShapeStyle) -> Rectangle<(i32, i32)> {
    let half = 3 * UNITS;
    Rectangle::new([(at.0 - half, at.1 - half), (at.0 + half, at.1 + half)], style)
}

fn band_labels(area: &Area<'_>, panel: &Panel, plot: &Place) -> Drawn {
    for band in &panel.bands {
        band_label(area, panel, plot, (0, band.from, band.to, &band.label))?;
        for (from, to, label) in &band.parts {
            band_label(area, panel, plot, (1, *from, *to, label))?;
        }
    }
    Ok(())
}

/// A label in the middle of its span, where it fits there.
fn band_label(area: &Area<'_>, panel: &Panel, plot: &Place, what: (i32, f64, f64, &str)) -> Drawn {
    let (row, from, to, label) = what;
    let (start, end) = (plot.across(panel.x.place(from)), plot.across(panel.x.place(to)));
    if label.is_empty() || width(label, SMALL) * UNITS > end - start {
        return Ok(());
    }
    let y = (HEADER + row * BAND_ROW + BAND_ROW / 2) * UNITS;
    let style = Ink::Word.text(SMALL, (HPos::Center, VPos::Center));
    area.draw(&Text::new(label, ((start + end) / 2, y), style))
}

/// Lines across, each with its label in the right margin; labels that would touch are moved apart.
fn levels(area: &Area<'_>, chart: &mut Plot<'_, '_>, panel: &Panel, plot: &Place) -> Drawn {
    let (low, high) = panel.x.ends();
    let mut sorted: Vec<&Level> = panel.levels.iter().collect();
    sorted.sort_by(|a, b| b.value.total_cmp(&a.value));
    let mut free = 0;
    for level in sorted {
        let line = [(low, level.value), (high, level.value)];
        chart.draw_series([PathElement::new(line, stroke(level.ink, 12))])?;
        let y = plot.up(panel.y.place(level.value)).max(free);
        free = y + (SMALL + 3) * UNITS;
        let style = level.ink.text(SMALL, (HPos::Left, VPos::Center));
        area.draw(&Text::new(level.label.as_str(), (plot.x.end + 4 * UNITS, y), style))?;
    }
    Ok(())
}

/// Lines up with labels at their feet, one above the other, on the side where there is room.
fn markers(area: &Area<'_>, chart: &mut Plot<'_, '_>, panel: &Panel, plot: &Place) -> Drawn {
    let (low, high) = panel.y.ends();
    for marker in &panel.markers {
        let line = [(marker.at, low), (marker.at, high)];
        chart.draw_series([PathElement::new(line, stroke(Ink::Marker, 12))])?;
    }
    let labelled = panel.markers.iter().filter(|marker| !marker.label.is_empty());
    for (row, marker) in labelled.enumerate() {
        let x = plot.across(panel.x.place(marker.at));
        let y = plot.y.end - (8 + 14 * row as i32) * UNITS;
        let long = width(&marker.label, LETTER) * UNITS;
        let start = (x + 5 * UNITS).min(plot.x.end - long).max(plot.x.start);
        let ground = [(start, y - 6 * UNITS), (start + long, y + 6 * UNITS)];
        area.draw(&Rectangle::new(ground, Ink::Page.colour().filled()))?;
        let style = Ink::Marker.text(LETTER, (HPos::Left, VPos::Center));
        area.draw(&Text::new(marker.label.as_str(), (start, y), style))?;
    }
    Ok(())
}

fn draw_line(chart: &mut Plot<'_, '_>, line: &Line) -> Drawn {
    for segment in &line.segments {
        let path: Vec<(f64, f64)> = segment.iter().copied().filter(is_finite).collect();
        if path.len() > 1 {
            chart.draw_series([PathElement::new(path.clone(), stroke(line.ink, 16))])?;
        } else if line.dots == Dots::None {
            chart.draw_series(path.iter().map(|&at| Circle::new(at, UNITS, line.ink.colour().filled())))?;
        }
        draw_dots(chart, line, &path)?;
    }
    let whiskers = line.whiskers.iter().filter(|(x, low, high)| (x + low + high).is_finite());
    chart.draw_series(
        whiskers.map(|&(x, low, high)| PathElement::new([(x, low), (x, high)], stroke(line.ink, 12))),
    )?;
    Ok(())
}

fn draw_dots(chart: &mut Plot<'_, '_>, line: &Line, path: &[(f64, f64)]) -> Drawn {
    let style = line.ink.colour().filled();
    match line.dots {
        Dots::None => {}
        Dots::Circle => {
            chart.draw_series(path.iter().map(|&at| Circle::new(at, 3 * UNITS, style)))?;
        }
        Dots::Square => {
            let half = 3 * UNITS;
            let square = |&at| {
                plotters::element::EmptyElement::at(at)
                    + Rectangle::new([(-half, -half), (half, half)], style)
            };
            chart.draw_series(path.iter().map(square))?;
        }
        Dots::Triangle => {
            chart.draw_series(path.iter().map(|&at| TriangleMarker::new(at, 4 * UNITS, style)))?;
        }
    }
    Ok(())
}

fn is_finite(point: &(f64, f64)) -> bool {
    point.0.is_finite() && point.1.is_finite()
}
