//! Lines, and what stands on them: dots at their points, or a few shapes along them for eyes and printers without colour.

use plotters::element::{Circle, EmptyElement, PathElement, Rectangle, TriangleMarker};
use plotters::style::{Color as _, ShapeStyle};

use super::ink::{Ink, UNITS};
use super::panel::{Area, Dots, Drawn, Line, Plot, stroke};

/// Shapes along a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Circle,
    Square,
    Triangle,
    Ring,
    Frame,
    Cross,
}

/// Shapes along one line.
const ALONG: usize = 4;
/// Half the height of a shape in pixels.
const HALF: i32 = 3;

/// A line with its dots and whiskers. A point without neighbours is drawn as a dot that can be seen.
pub(super) fn draw_line(chart: &mut Plot<'_, '_>, line: &Line) -> Drawn {
    for segment in &line.segments {
        let path: Vec<(f64, f64)> = segment.iter().copied().filter(is_finite).collect();
        if path.len() > 1 {
            chart.draw_series([PathElement::new(path.clone(), stroke(line.ink, 16))])?;
        } else if matches!(line.dots, Dots::None | Dots::Along(_)) {
            chart
                .draw_series(path.iter().map(|&at| Circle::new(at, 2 * UNITS, line.ink.colour().filled())))?;
        }
        draw_dots(chart, line, &path)?;
    }
    if let Dots::Along(shape) = line.dots {
        along(chart, line, shape)?;
    }
    let whiskers = line.whiskers.iter().filter(|(x, low, high)| (x + low + high).is_finite());
    chart.draw_series(
        whiskers.map(|&(x, low, high)| PathElement::new([(x, low), (x, high)], stroke(line.ink, 12))),
    )?;
    Ok(())
}

fn draw_dots(chart: &mut Plot<'_, '_>, line: &Line, path: &[(f64, f64)]) -> Drawn {
    let Dots::Each(shape) = line.dots else { return Ok(()) };
    path.iter().try_for_each(|&at| stamp(chart, line.ink, shape, at))
}

/// Each shape at places of its own, so that lines upon each other still show theirs.
fn along(chart: &mut Plot<'_, '_>, line: &Line, shape: Shape) -> Drawn {
    let points: Vec<(f64, f64)> = line.segments.iter().flat_map(|segment| rising(segment)).copied().collect();
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Ok(()) };
    for place in 0..ALONG {
        let share = (place as f64 + (shape as u8 as f64 + 0.5) / 6.0) / ALONG as f64;
        let x = first.0 + (last.0 - first.0) * share;
        let at = points.partition_point(|point| point.0 < x).clamp(1, points.len().max(2) - 1);
        let Some([before, after]) = points.get(at - 1..=at).and_then(|pair| pair.first_chunk()) else {
            continue;
        };
        let part = (x - before.0) / (after.0 - before.0);
        let y = before.1 + (after.1 - before.1) * part;
        // Between two segments there is nothing to stand on.
        if y.is_finite() && line.segments.iter().any(|segment| spans(segment, x)) {
            stamp(chart, line.ink, shape, (x, y))?;
        }
    }
    Ok(())
}

/// The way there of a line around an area, which is its upper edge; all of another line.
fn rising(segment: &[(f64, f64)]) -> &[(f64, f64)] {
    let turn = segment.windows(2).position(|pair| pair[1].0 <= pair[0].0);
    turn.map_or(segment, |turn| &segment[..=turn])
}

fn spans(segment: &[(f64, f64)], x: f64) -> bool {
    let way = rising(segment);
    way.first().is_some_and(|first| first.0 <= x) && way.last().is_some_and(|last| x <= last.0)
}

fn stamp(chart: &mut Plot<'_, '_>, ink: Ink, shape: Shape, at: (f64, f64)) -> Drawn {
    let style = ink.colour().filled();
    let (page, edge) = (Ink::Page.colour().filled(), stroke(ink, 14));
    let half = HALF * UNITS;
    let corners = [(-half, -half), (half, half)];
    match shape {
        Shape::Circle => drop(chart.draw_series([Circle::new(at, half, style)])?),
        Shape::Square => drop(chart.draw_series([EmptyElement::at(at) + Rectangle::new(corners, style)])?),
        Shape::Triangle => drop(chart.draw_series([TriangleMarker::new(at, half * 4 / 3, style)])?),
        Shape::Ring => {
            chart.draw_series([Circle::new(at, half, page)])?;
            chart.draw_series([Circle::new(at, half, edge)])?;
        }
        Shape::Frame => {
            chart.draw_series([EmptyElement::at(at) + Rectangle::new(corners, page)])?;
            chart.draw_series([EmptyElement::at(at) + Rectangle::new(corners, edge)])?;
        }
        Shape::Cross => {
            let cross = EmptyElement::at(at)
                + PathElement::new([(-half, -half), (half, half)], edge)
                + PathElement::new([(-half, half), (half, -half)], edge);
            chart.draw_series([cross])?;
        }
    }
    Ok(())
}

/// The shape of a line in the legend.
pub(super) fn sample(area: &Area<'_>, line: &Line, at: (i32, i32)) -> Drawn {
    let shape = match line.dots {
        Dots::None => return Ok(()),
        Dots::Each(shape) | Dots::Along(shape) => shape,
    };
    let style = line.ink.colour().filled();
    let (page, edge) = (Ink::Page.colour().filled(), stroke(line.ink, 14));
    let half = HALF * UNITS;
    match shape {
        Shape::Circle => area.draw(&Circle::new(at, half, style)),
        Shape::Square => area.draw(&square(at, style)),
        Shape::Triangle => area.draw(&TriangleMarker::new(at, half * 4 / 3, style)),
        Shape::Ring => {
            area.draw(&Circle::new(at, half, page))?;
            area.draw(&Circle::new(at, half, edge))
        }
        Shape::Frame => {
            area.draw(&square(at, page))?;
            area.draw(&square(at, edge))
        }
        Shape::Cross => {
            area.draw(&PathElement::new([(at.0 - half, at.1 - half), (at.0 + half, at.1 + half)], edge))?;
            area.draw(&PathElement::new([(at.0 - half, at.1 + half), (at.0 + half, at.1 - half)], edge))
        }
    }
}

fn square(at: (i32, i32), style: ShapeStyle) -> Rectangle<(i32, i32)> {
    let half = HALF * UNITS;
    Rectangle::new([(at.0 - half, at.1 - half), (at.0 + half, at.1 + half)], style)
}

fn is_finite(point: &(f64, f64)) -> bool {
    point.0.is_finite() && point.1.is_finite()
}
