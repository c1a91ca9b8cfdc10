//! Writes names beside points, where they touch neither the edge of the plot, nor a dot, nor another name.

use super::drawing::{Across, Canvas, Spot, Type, Up};
use super::ink::{Ink, UNITS, width};
use super::panel::Dots;
use super::plot::Plot;

/// Height of the letters and of a line of them, room between a point and its name, and half the width of a dot, in
/// pixels.
const SMALL: i32 = 10;
const LINE: i32 = 12;
const BESIDE: i32 = 7;
const DOT: i32 = 4;

/// Steps from a point to the middle of its name: side, and lines down. The first that is free is taken.
const PLACES: [(Across, i32); 8] = [
    (Across::Start, 0),
    (Across::Start, -1),
    (Across::End, 0),
    (Across::End, -1),
    (Across::Start, 1),
    (Across::End, 1),
    (Across::Middle, -1),
    (Across::Middle, 1),
];

/// A rectangle: left upper and right lower corner.
#[derive(Clone, Copy)]
struct Field(Spot, Spot);

impl Field {
    /// Returns a rectangle from its left edge, the middle of its height, and its size.
    fn of((left, middle): Spot, (wide, high): Spot) -> Field {
        Field((left, middle - high / 2), (left + wide, middle + high / 2))
    }

    fn touches(&self, other: &Field) -> bool {
        self.0.0 < other.1.0 && other.0.0 < self.1.0 && self.0.1 < other.1.1 && other.0.1 < self.1.1
    }

    fn is_in(&self, plot: &Plot<'_>) -> bool {
        let (from, to) = (self.0, self.1);
        from.0 >= plot.x.start && to.0 <= plot.x.end && from.1 >= plot.y.start && to.1 <= plot.y.end
    }
}

/// Writes the names of a panel's points.
pub(super) fn names(canvas: &mut Canvas, plot: &Plot<'_>) {
    let is_dotted = |dots: Dots| matches!(dots, Dots::Each(_));
    let dots = plot.panel.lines.iter().filter(|line| is_dotted(line.dots)).flat_map(|line| line.points());
    let size = 2 * DOT * UNITS;
    let dot = |(x, y): Spot| Field::of((x - size / 2, y), (size, size));
    let mut taken: Vec<Field> = dots.map(|point| dot(plot.spot(point))).collect();
    for name in &plot.panel.names {
        let (x, y) = plot.spot(name.at);
        let wide = width(&name.words, SMALL) * UNITS;
        let field = |(across, lines): (Across, i32)| {
            let left = match across {
                Across::Start => x + BESIDE * UNITS,
                Across::Middle => x - wide / 2,
                Across::End => x - BESIDE * UNITS - wide,
            };
            Field::of((left, y + lines * LINE * UNITS), (wide, LINE * UNITS))
        };
        let is_free = |field: &Field| field.is_in(plot) && taken.iter().all(|other| !field.touches(other));
        let Some(field) = PLACES.map(field).into_iter().find(is_free) else { continue };
        let middle = i32::midpoint(field.0.1, field.1.1);
        let look = Type::beside(Ink::Word, SMALL).placed(Across::Start, Up::Centre);
        canvas.words(&name.words, (field.0.0, middle), look);
        taken.push(field);
    }
}
