//! The greatest charges of windows of any length, as a concave chain: exact at every rate, and small.
//!
//! Only windows that are the greatest excess at some rate matter, and these are the corners of the upper hull of all
//! points (length, charge). The hull of a series follows from those of its halves: a window lies in either half, or is the
//! end of the first and the start of the second, and the hull of such sums is the sum of the two hulls (Minkowski).

/// Spans whose windows are listed one by one.
const LISTED: usize = 8;

/// A point: seconds, and charge.
type Point = (f64, f64);

/// Hulls of a part of a series: of its starts, of its ends, and of all its windows; each from (0, 0) on.
#[derive(Clone, Debug)]
pub(super) struct Part {
    whole: Point,
    starts: Vec<Point>,
    ends: Vec<Point>,
    windows: Vec<Point>,
}

impl Part {
    /// Returns the hulls of a series of spans.
    pub fn of(spans: &[Point]) -> Part {
        if spans.len() <= LISTED {
            return Part::listed(spans);
        }
        let (first, second) = spans.split_at(spans.len() / 2);
        Part::of(first).then(&Part::of(second))
    }

    fn listed(spans: &[Point]) -> Part {
        let mut sums = Vec::with_capacity(LISTED + 1);
        sums.push((0.0, 0.0));
        for span in spans {
            sums.push(plus(sums[sums.len() - 1], *span));
        }
        let whole = sums[spans.len()];
        let mut windows = Vec::with_capacity(LISTED * (LISTED + 1) / 2 + 1);
        windows.push((0.0, 0.0));
        for count in 1..=spans.len() {
            let window = |from: usize| minus(sums[from + count], sums[from]);
            windows.extend((0..=spans.len() - count).map(window));
        }
        // Spans are about equally long, so that windows of more spans are longer: nearly in order.
        windows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ends = sums.iter().rev().map(|sum| minus(whole, *sum));
        let ends = hull(ends);
        Part { whole, starts: hull(sums.iter().copied()), ends, windows: hull(windows.into_iter()) }
    }

    /// Returns the hulls of this part followed by another.
    pub fn then(&self, next: &Part) -> Part {
        let starts = next.starts.iter().map(|point| plus(self.whole, *point));
        let ends = self.ends.iter().map(|point| plus(next.whole, *point));
        let within = in_order(self.windows.iter().copied(), next.windows.iter().copied());
        Part {
            whole: plus(self.whole, next.whole),
            starts: hull(self.starts.iter().copied().chain(starts)),
            ends: hull(next.ends.iter().copied().chain(ends)),
            windows: hull(in_order(within, sum(&self.ends, &next.starts))),
        }
    }

    /// Returns the hull of the windows.
    pub fn windows(&self) -> &[Point] {
        &self.windows
    }
}

fn plus(one: Point, other: Point) -> Point {
    (one.0 + other.0, one.1 + other.1)
}

fn minus(one: Point, other: Point) -> Point {
    (one.0 - other.0, one.1 - other.1)
}

/// Merges points by their lengths.
fn in_order(
    one: impl Iterator<Item = Point>,
    other: impl Iterator<Item = Point>,
) -> impl Iterator<Item = Point> {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    std::iter::from_fn(move || match (one.peek(), other.peek()) {
        (Some(a), Some(b)) if a.0 > b.0 => other.next(),
        (None, _) => other.next(),
        _ => one.next(),
    })
}

/// Returns the sum of two hulls: their edges by falling slope.
fn sum(one: &[Point], other: &[Point]) -> impl Iterator<Item = Point> {
    let edges = |points: &[Point], at: usize| Some(minus(*points.get(at + 1)?, points[at]));
    let (mut places, mut at, mut begun) = ((0, 0), (0.0, 0.0), false);
    std::iter::from_fn(move || {
        if !std::mem::replace(&mut begun, true) {
            return Some(at);
        }
        let edge = match (edges(one, places.0), edges(other, places.1)) {
            (Some(a), Some(b)) if a.1 * b.0 < b.1 * a.0 => (b, false),
            (Some(a), _) => (a, true),
            (None, b) => (b?, false),
        };
        *(if edge.1 { &mut places.0 } else { &mut places.1 }) += 1;
        at = plus(at, edge.0);
        Some(at)
    })
}

/// Returns the upper hull of points in the order of their lengths.
fn hull(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(2 * LISTED);
    for point in points {
        while let [.., a, b] = kept.as_slice() {
            // Whether the last point lies above the line from the one before it to the new one.
            let above = (b.1 - a.1) * (point.0 - a.0) > (point.1 - a.1) * (b.0 - a.0);
            if above {
                break;
            }
            kept.pop();
        }
        kept.push(point);
    }
    kept
}
