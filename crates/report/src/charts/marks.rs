//! Draws lines and the marks on them: dots at the points, or a few shapes along the line for readers and printers
//! without colour.

use super::drawing::{Canvas, Paint, Spot, Stroke, stroke};
use super::ink::{Ink, UNITS};
use super::panel::{Area, Dots, Line, Segment, Shape};
use super::plot::Plot;

/// Number of shapes along one line.
const ALONG: usize = 4;
/// Half the height of a shape, in pixels.
const HALF: i32 = 3;

/// Draws a line with its dots and whiskers. A point without neighbours is always drawn as a visible dot.
pub(super) fn draw_line(canvas: &mut Canvas, plot: &Plot<'_>, line: &Line) {
    for segment in &line.segments {
        let path = segment.points.iter().copied().filter(is_finite).map(|point| plot.spot(point));
        let path: Vec<Spot> = path.collect();
        match (path.as_slice(), line.dots) {
            ([], _) => {}
            ([alone], Dots::None | Dots::Along(_)) => {
                canvas.circle(*alone, 2 * UNITS, Paint::Filled(line.ink))
            }
            ([_], Dots::Each(_)) => {}
            (path, _) if segment.area == Area::Shaded => {
                canvas.shaded(path, stroke(line.ink, line.ink.tenths()))
            }
            (path, _) => canvas.line(path, stroke(line.ink, line.ink.tenths())),
        }
        if let Dots::Each(shape) = line.dots {
            path.iter().for_each(|&at| stamp(canvas, line.ink, shape, at));
        }
    }
    if let Dots::Along(shape) = line.dots {
        along(canvas, plot, line, shape);
    }
    for &(x, low, high) in line.whiskers.iter().filter(|(x, low, high)| (x + low + high).is_finite()) {
        canvas.line(&[plot.spot((x, low)), plot.spot((x, high))], stroke(line.ink, 12));
    }
}

/// Stamps a shape along a line. Each shape has different places, so that the shapes of lines on top of one another
/// remain visible.
fn along(canvas: &mut Canvas, plot: &Plot<'_>, line: &Line, shape: Shape) {
    let points: Vec<(f64, f64)> = line.segments.iter().flat_map(rising).copied().collect();
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    for place in 0..ALONG {
        let share = (place as f64 + (shape as u8 as f64 + 0.5) / 6.0) / ALONG as f64;
        let x = first.0 + (last.0 - first.0) * share;
        let at = points.partition_point(|point| point.0 < x).clamp(1, points.len().max(2) - 1);
        let Some([before, after]) = points.get(at - 1..=at).and_then(|pair| pair.first_chunk()) else {
            continue;
        };
        let part = (x - before.0) / (after.0 - before.0);
        let y = before.1 + (after.1 - before.1) * part;
        // Nothing is stamped in the gap between two segments.
        if y.is_finite() && line.segments.iter().any(|segment| spans(segment, x)) {
            stamp(canvas, line.ink, shape, plot.spot((x, y)));
        }
    }
}

/// Returns the points up to the one at which the line turns back: the upper edge of an outlined area, or all points
/// of any other line.
fn rising(segment: &Segment) -> &[(f64, f64)] {
    let turn = segment.points.windows(2).position(|pair| pair[1].0 <= pair[0].0);
    turn.map_or(&segment.points, |turn| &segment.points[..=turn])
}

fn spans(segment: &Segment, x: f64) -> bool {
    let way = rising(segment);
    way.first().is_some_and(|first| first.0 <= x) && way.last().is_some_and(|last| x <= last.0)
}

/// Stamps the line's shape in the legend.
pub(super) fn sample(canvas: &mut Canvas, line: &Line, at: Spot) {
    match line.dots {
        Dots::None => {}
        Dots::Each(shape) | Dots::Along(shape) => stamp(canvas, line.ink, shape, at),
    }
}

fn stamp(canvas: &mut Canvas, ink: Ink, shape: Shape, (x, y): Spot) {
    let edge = stroke(ink, 14);
    let half = HALF * UNITS;
    match shape {
        Shape::Circle => canvas.circle((x, y), half, Paint::Filled(ink)),
        Shape::Ring => canvas.circle((x, y), half, Paint::Both(Ink::Page, edge)),
        Shape::Square => canvas.rectangle((x - half, y - half), (x + half, y + half), Paint::Filled(ink)),
        Shape::Frame => {
            let thin = Paint::Both(Ink::Page, Stroke { ink, width: 1 });
            canvas.rectangle((x - half, y - half), (x + half, y + half), thin);
        }
        Shape::Triangle => canvas.polygon(&triangle((x, y), half * 4 / 3), Paint::Filled(ink)),
        Shape::Cross => {
            canvas.line(&[(x - half, y - half), (x + half, y + half)], edge);
            canvas.line(&[(x - half, y + half), (x + half, y - half)], edge);
        }
    }
}

/// Returns the corners of an upright equilateral triangle, each `far` from its centre.
fn triangle((x, y): Spot, far: i32) -> [Spot; 3] {
    let corner = |degrees: f64| {
        let (down, right) = degrees.to_radians().sin_cos();
        let place = |from: i32, share: f64| (share * f64::from(far) + f64::from(from)).ceil() as i32;
        (place(x, right), place(y, down))
    };
    [-90.0, -210.0, -330.0].map(corner)
}

fn is_finite(point: &(f64, f64)) -> bool {
    point.0.is_finite() && point.1.is_finite()
}
