//! Draws panels: axes with units, lines, levels with their labels in the margin, markers, bands; nothing overlaps.

use std::ops::Range;

use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea as _};
use plotters::element::{PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color as _, ShapeStyle, TRANSPARENT};

use super::axis::Axis;
use super::ink::{Ink, UNITS, shortened, width};
use super::legend::Legend;
use super::marks::{Shape, draw_line};

/// One pair of axes and what stands between them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Panel {
    /// What the panel shows, written above everything else; empty where the chart's own title says it.
    pub heading: String,
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
    /// Spans of the x axis in which nobody looked.
    pub gaps: Vec<(f64, f64)>,
    /// Least room left and right of the plot in pixels, so that what stands above each other happened together.
    pub least_sides: (i32, i32),
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
    /// At every point.
    Each(Shape),
    /// At a few places along the line, to tell it from others in print.
    Along(Shape),
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
    pub shade: Shade,
    /// Second row: places and labels of what the span is made of.
    pub parts: Vec<(f64, f64, String)>,
}

/// Whether a band stands out from the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shade {
    Filled,
    Clear,
}

/// Width of every chart in pixels, before the page scales it.
pub(super) const WIDTH: i32 = 920;
pub(super) const LETTER: i32 = 11;
const SMALL: i32 = 10;
pub(super) const HEADER: i32 = 22;
const BAND_ROW: i32 = 15;
/// Least room between the axis's title and its highest tick.
const CLEAR: i32 = 7;
const FOOT: i32 = 36;
/// Height of a row of the legend, where it does not fit beside the title.
pub(super) const LEGEND_ROW: i32 = 16;
/// Height of a panel's own heading.
const HEADING: i32 = 18;
pub(super) const MARGIN: i32 = 8;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Plot<'a, 'b> = ChartContext<'b, SVGBackend<'a>, Cartesian2d<Axis, Axis>>;
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The panels side by side in `height` pixels as an `svg` element with a title and a description.
pub(super) fn draw(title: &str, description: &str, height: i32, panels: &[Panel]) -> String {
    let columns = panels.len().max(1);
    let cell = (WIDTH / columns as i32, height);
    draw_sheet(&Sheet { title, description, head: ("", 0), cell, columns }, panels)
}

/// A picture of equal panels in rows and columns.
pub(super) struct Sheet<'t> {
    pub title: &'t str,
    pub description: &'t str,
    /// Markup above the panels, drawn at [`UNITS`] a pixel, with its height in pixels.
    pub head: (&'t str, i32),
    /// Width and height of a panel in pixels.
    pub cell: (i32, i32),
    /// Panels side by side.
    pub columns: usize,
}

/// The panels row by row as an `svg` element with a title and a description.
pub(super) fn draw_sheet(sheet: &Sheet<'_>, panels: &[Panel]) -> String {
    let mut text = String::new();
    let columns = sheet.columns.max(1);
    let rows = panels.len().div_ceil(columns).max(1);
    let wide = sheet.cell.0 * columns as i32;
    let size = ((wide * UNITS) as u32, ((sheet.head.1 + sheet.cell.1 * rows as i32) * UNITS) as u32);
    let drawn = {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        let below = root.margin(sheet.head.1 * UNITS, 0, 0, 0);
        let cells = below.split_evenly((rows, columns));
        let drawn = cells.iter().zip(panels).try_for_each(|(area, panel)| draw_panel(area, panel));
        drawn.and_then(|()| root.present())
    };
    // Drawing into a string fails only where a panel has no room at all; then the page shows the table alone.
    match drawn {
        Ok(()) => dressed(&text, sheet, size),
        Err(_) => String::new(),
    }
}

/// Replaces the backend's opening tag by one that scales and can be read aloud, and leaves out what says nothing.
fn dressed(svg: &str, sheet: &Sheet<'_>, size: (u32, u32)) -> String {
    let inner = svg.split_once('>').map_or("", |(_, inner)| inner);
    let end = inner.rfind("</svg>").unwrap_or(inner.len());
    let inner = filled(&inner[..end].replace(" opacity=\"1\"", "").replace('\n', ""));
    let inner = crate::markup::well_formed(inner);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" viewBox=\"0 0 {} {}\"><title>{}</title><desc>{}</desc>{}{inner}</svg>",
        size.0,
        size.1,
        crate::markup::escape(sheet.title),
        crate::markup::escape(sheet.description),
        sheet.head.0,
    )
}

/// Fills the closed lines: those around the least and the greatest of long series, but for merges, which lie upon what
/// they are merged into.
fn filled(inner: &str) -> String {
    const OPEN: &str = "<polyline fill=\"none\"";
    let merges = [Ink::ReadMerged, Ink::WriteMerged, Ink::DiscardMerged].map(Ink::hex);
    let mut text = String::with_capacity(inner.len());
    let mut parts = inner.split(OPEN);
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let value = |name: &str| part.split_once(name).and_then(|(_, rest)| rest.split('"').next());
        let points: Vec<&str> = value("points=\"").unwrap_or_default().split_ascii_whitespace().collect();
        match (value("stroke=\""), points.as_slice()) {
            (Some(ink), [first, _, .., last])
                if first == last && !merges.iter().any(|merge| merge == ink) =>
            {
                text.push_str(&format!("<polyline fill=\"{ink}\" fill-opacity=\".35\""));
            }
            _ => text.push_str(OPEN),
        }
        text.push_str(part);
    }
    text
}

fn draw_panel(area: &Area<'_>, panel: &Panel) -> Drawn {
    let wide = area.dim_in_pixel().0 as i32 / UNITS;
    let (left, right) = sides(panel, wide);
    let header = if panel.heading.is_empty() { 0 } else { HEADING };
    let legend = Legend::of(panel, wide - right - MARGIN);
    let bands_top = header + HEADER + legend.rows_below() * LEGEND_ROW;
    let mut chart = ChartBuilder::on(area)
        .margin_left(MARGIN * UNITS)
        .margin_right(right * UNITS)
        .margin_top((bands_top + (band_rows(&panel.bands) * BAND_ROW).max(CLEAR)) * UNITS)
        .x_label_area_size(FOOT * UNITS)
        .y_label_area_size(left * UNITS)
        .build_cartesian_2d(panel.x.clone(), panel.y.clone())?;
    let (columns, lines) = chart.plotting_area().get_pixel_range();
    let origin = area.get_pixel_range();
    let plot = Place {
        x: relative(columns, &origin.0),
        y: relative(lines, &origin.1),
        header: header * UNITS,
        bands: bands_top * UNITS,
    };
    bands(&mut chart, panel)?;
    mesh(&mut chart, panel)?;
    heading(area, panel)?;
    legend.draw(area, panel, &plot)?;
    band_labels(area, panel, &plot)?;
    levels(area, &mut chart, panel, &plot)?;
    markers(area, &mut chart, panel, &plot)?;
    panel.lines.iter().try_for_each(|line| draw_line(&mut chart, line))
}

fn heading(area: &Area<'_>, panel: &Panel) -> Drawn {
    let style = Ink::Word.heading(LETTER, (HPos::Left, VPos::Center));
    let wide = area.dim_in_pixel().0 as i32 / UNITS - 2 * MARGIN;
    area.draw(&Text::new(
        shortened(&panel.heading, LETTER, wide),
        (MARGIN * UNITS, HEADING * UNITS / 2 + 2),
        style,
    ))
}

/// Room for the labels of the y axis and for those of the levels; the same in every chart over time, so that what
/// stands above each other happened together.
fn sides(panel: &Panel, wide: i32) -> (i32, i32) {
    let left = (panel.y.label_length() as i32 * LETTER * 6 / 10 + 14).max(30);
    let right = panel.levels.iter().map(|level| width(&level.label, SMALL) + 8).max().unwrap_or(0).max(14);
    let least = if panel.bands.is_empty() || wide < WIDTH { panel.least_sides } else { TIMED_SIDES };
    (left.max(least.0), right.max(least.1))
}

/// Least room beside a chart over time.
pub(super) const TIMED_SIDES: (i32, i32) = (56, 92);

/// Where the plot stands within its area, in drawing units.
pub(super) struct Place {
    pub x: Range<i32>,
    pub y: Range<i32>,
    /// Upper end of the header, below the panel's heading.
    pub header: i32,
    /// Upper end of the rows of band labels.
    pub bands: i32,
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

pub(super) fn stroke(ink: Ink, tenths: i32) -> ShapeStyle {
    ink.colour().stroke_width((tenths * UNITS / 10).max(1) as u32)
}

fn band_rows(bands: &[Band]) -> i32 {
    let parts = bands.iter().any(|band| !band.parts.is_empty());
    i32::from(!bands.is_empty()) + i32::from(parts)
}

fn bands(chart: &mut Plot<'_, '_>, panel: &Panel) -> Drawn {
    let (low, high) = panel.y.ends();
    for band in panel.bands.iter().filter(|band| band.shade == Shade::Filled) {
        let corners = [(band.from, high), (band.to, low)];
        chart.draw_series([Rectangle::new(corners, Ink::Band.colour().filled())])?;
    }
    let ends = panel.x.ends();
    let hair = (ends.1 - ends.0) / f64::from(WIDTH);
    for (from, to) in &panel.gaps {
        let corners = [(*from, high), (to.max(from + hair), low)];
        chart.draw_series([Rectangle::new(corners, Ink::Gap.colour().filled())])?;
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

fn band_labels(area: &Area<'_>, panel: &Panel, plot: &Place) -> Drawn {
    let form = BandForm::of(panel, plot);
    for band in &panel.bands {
        band_label(area, panel, plot, (0, band.from, band.to, form.label(band)))?;
        for (from, to, label) in &band.parts {
            band_label(area, panel, plot, (1, *from, *to, label))?;
        }
    }
    Ok(())
}

/// How the phases of a watch are labelled: all loads in one form and all idle phases in one, or none of them, so that no
/// label seems to be missing. What the steps of a run were for is labelled wherever there is room.
struct BandForm {
    loads: Form,
    idle: Form,
}

/// What is written of a phase's name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Whole,
    /// A load is known by its share of the nominal rate where there is no room for more.
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
    fn of(panel: &Panel, plot: &Place) -> BandForm {
        if panel.bands.iter().any(|band| !band.parts.is_empty()) {
            return BandForm { loads: Form::Whole, idle: Form::Whole };
        }
        let best = |shade: Shade| {
            let of = || panel.bands.iter().filter(move |band| band.shade == shade);
            let fits =
                |form: &Form| of().all(|band| has_room(panel, plot, (band.from, band.to, form.label(band))));
            [Form::Whole, Form::Short].into_iter().find(fits).unwrap_or(Form::Nothing)
        };
        BandForm { loads: best(Shade::Filled), idle: best(Shade::Clear) }
    }

    fn label<'b>(&self, band: &'b Band) -> &'b str {
        let form = if band.shade == Shade::Filled { self.loads } else { self.idle };
        form.label(band)
    }
}

fn has_room(panel: &Panel, plot: &Place, (from, to, label): (f64, f64, &str)) -> bool {
    let (start, end) = (plot.across(panel.x.place(from)), plot.across(panel.x.place(to)));
    width(label, SMALL) * UNITS <= end - start
}

/// A label in the middle of its span, where it fits there.
fn band_label(area: &Area<'_>, panel: &Panel, plot: &Place, what: (i32, f64, f64, &str)) -> Drawn {
    let (row, from, to, label) = what;
    let (start, end) = (plot.across(panel.x.place(from)), plot.across(panel.x.place(to)));
    if label.is_empty() || !has_room(panel, plot, (from, to, label)) {
        return Ok(());
    }
    let y = plot.bands + (row * BAND_ROW + BAND_ROW / 2) * UNITS;
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
