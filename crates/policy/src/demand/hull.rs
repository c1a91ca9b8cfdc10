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
        let mut sums = vec![(0.0, 0.0)];
        for span in spans {
            sums.push(plus(sums[sums.len() - 1], *span));
        }
        let whole = sums[spans.len()];
        let mut windows = vec![(0.0, 0.0)];
        for count in 1..=spans.len() {
            let window =
                |from: usize| (sums[from + count].0 - sums[from].0, sums[from + count].1 - sums[from].1);
            windows.extend((0..=spans.len() - count).map(window));
        }
        // Spans are about equally long, so that windows of more spans are longer: nearly in order.
        windows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ends = sums.iter().rev().map(|sum| (whole.0 - sum.0, whole.1 - sum.1));
        let ends = hull(ends);
        Part { whole, starts: hull(sums.into_iter()), ends, windows: hull(windows.into_iter()) }
    }

    /// Returns the hulls of this part followed by another.
    pub fn then(&self, next: &Part) -> Part {
        let shifted = |points: &[Point], by: Point| {
            points.iter().map(move |point| plus(by, *point)).collect::<Vec<_>>()
        };
        let starts = self.starts.iter().copied().chain(shifted(&next.starts, self.whole));
        let ends = next.ends.iter().copied().chain(shifted(&self.ends, next.whole));
        let across = sum(&self.ends, &next.starts);
        let within = in_order(&self.windows, &next.windows);
        Part {
            whole: plus(self.whole, next.whole),
            starts: hull(starts),
            ends: hull(ends),
            windows: hull(in_order(&within, &across).into_iter()),
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

/// Merges two lists of points by their lengths.
fn in_order(one: &[Point], other: &[Point]) -> Vec<Point> {
    let mut merged = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(a), Some(b)) = (one.peek(), other.peek()) {
        let next = if a.0 <= b.0 { one.next() } else { other.next() };
        merged.extend(next.copied());
    }
    merged.extend(one.chain(other).copied());
    merged
}

/// Returns the sum of two hulls: their edges by falling slope.
fn sum(one: &[Point], other: &[Point]) -> Vec<Point> {
    let edges = |points: &[Point]| -> Vec<Point> {
        points.windows(2).map(|pair| (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1)).collect()
    };
    let (mut one, mut other) = (edges(one).into_iter().peekable(), edges(other).into_iter().peekable());
    let mut points = vec![(0.0, 0.0)];
    let mut at = (0.0, 0.0);
    loop {
        let next = match (one.peek(), other.peek()) {
            (Some(a), Some(b)) if a.1 * b.0 >= b.1 * a.0 => one.next(),
            (Some(_), None) => one.next(),
            _ => other.next(),
        };
        let Some(edge) = next else { return points };
        at = plus(at, edge);
        points.push(at);
    }
}

/// Returns the upper hull of points in the order of their lengths.
fn hull(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
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
