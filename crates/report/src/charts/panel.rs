//! A panel: one pair of axes with the lines, levels, markers and bands between them.

use super::axis::Axis;
use super::ink::Ink;

/// One pair of axes and everything drawn between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Panel {
    /// Subject of the panel, written above everything else; empty if the chart's own title gives it.
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
    /// Names of points, the most important first: one without room is left out.
    pub names: Vec<PointName>,
    pub bands: Vec<Band>,
    /// Spans of the x axis that were not observed.
    pub gaps: Vec<(f64, f64)>,
    /// Least room left and right of the plot in pixels, so that panels above each other align in time.
    pub least_sides: (i32, i32),
}

/// An axis with its quantity and unit.
pub(crate) struct Side {
    pub title: String,
    pub axis: Axis,
}

impl Side {
    pub fn new(title: impl Into<String>, axis: Axis) -> Side {
        Side { title: title.into(), axis }
    }
}

impl Panel {
    /// Returns a panel that has only lines.
    pub fn of(x: Side, y: Side, lines: Vec<Line>) -> Panel {
        Panel {
            heading: String::new(),
            y_title: y.title,
            x_title: x.title,
            x: x.axis,
            y: y.axis,
            lines,
            levels: Vec::new(),
            markers: Vec::new(),
            names: Vec::new(),
            bands: Vec::new(),
            gaps: Vec::new(),
            least_sides: (0, 0),
        }
    }

    /// Returns the greatest finite value of all `lines`; zero if there is none.
    pub fn top(lines: &[Line]) -> f64 {
        let values = lines.iter().flat_map(Line::points).map(|point| point.1);
        values.filter(|value| value.is_finite()).fold(0.0, f64::max)
    }
}

/// A named series; a new segment begins where the pen is lifted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub name: String,
    pub ink: Ink,
    pub segments: Vec<Segment>,
    /// Whiskers as (x, low, high).
    pub whiskers: Vec<(f64, f64, f64)>,
    pub dots: Dots,
}

impl Line {
    /// Returns a line without whiskers or dots; a segment for each stroke of the pen.
    pub fn of<S: Into<Segment>>(name: &str, ink: Ink, segments: impl IntoIterator<Item = S>) -> Line {
        let segments = segments.into_iter().map(S::into).collect();
        Line { name: name.to_owned(), ink, segments, whiskers: Vec::new(), dots: Dots::None }
    }

    /// Returns the points of all segments.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.segments.iter().flat_map(|segment| segment.points.iter().copied())
    }

    /// Whether the legend shows the line as a line: false only for isolated dots, none of which are joined.
    pub fn is_drawn_through(&self) -> bool {
        !matches!(self.dots, Dots::Each(_)) || self.segments.iter().any(|segment| segment.points.len() > 1)
    }

    /// Whether the line has no points at all.
    pub fn is_empty(&self) -> bool {
        self.segments.iter().all(|segment| segment.points.is_empty())
    }
}

/// Points drawn without lifting the pen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Segment {
    pub points: Vec<(f64, f64)>,
    pub area: Area,
}

/// Content of the area within a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    /// Nothing: the segment is a line.
    Open,
    /// Shaded: the segment outlines the range between least and greatest values.
    Shaded,
}

impl From<Vec<(f64, f64)>> for Segment {
    fn from(points: Vec<(f64, f64)>) -> Segment {
        Segment { points, area: Area::Open }
    }
}

/// Marks on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dots {
    None,
    /// At every point.
    Each(Shape),
    /// At a few places along the line, to distinguish it from other lines in print.
    Along(Shape),
}

/// Shapes along a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Circle,
    Square,
    Triangle,
    Ring,
    Frame,
    Cross,
}

/// A horizontal line with a label in the right margin.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Level {
    pub value: f64,
    pub label: String,
    pub ink: Ink,
}

/// A vertical line with a label at its foot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Marker {
    pub at: f64,
    /// Empty if another panel of the chart carries the label.
    pub label: String,
}

/// Words beside a point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PointName {
    pub at: (f64, f64),
    pub words: String,
}

/// A span of the x axis, labelled above the plot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Band {
    pub from: f64,
    pub to: f64,
    pub label: String,
    pub shade: Shade,
    /// Second row of labels: start, end and label of each part of the span.
    pub parts: Vec<(f64, f64, String)>,
}

/// Whether a band is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shade {
    Filled,
    Clear,
}

/// Width of every chart in pixels, before the page scales it.
pub(crate) const WIDTH: i32 = 920;
pub(crate) const LETTER: i32 = 11;
pub(crate) const HEADER: i32 = 22;
/// Height of a row of the legend if it does not fit beside the title.
pub(crate) const LEGEND_ROW: i32 = 16;
pub(crate) const MARGIN: i32 = 8;

/// Least room left and right of a chart over time, in pixels.
pub(crate) const TIMED_SIDES: (i32, i32) = (56, 92);
