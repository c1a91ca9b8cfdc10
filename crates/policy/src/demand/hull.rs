//! The greatest charges of windows of any length, as a concave chain: exact at every rate, and small.
//!
//! Only windows that are the greatest excess at some rate matter, and these are the corners of the upper hull of all
//! points (length, charge). The hull of a series follows from those of its halves: a window lies in either half, or is the
//! end of the first and the start of the second, and the hull of such sums is the sum of the two hulls (Minkowski).

/// Spans whose windows are listed one by one.
const LISTED: usize = 8;
/// Spans that are looked at together, because none of their windows may matter.
const PASSED: usize = 256;

/// A point: seconds, and charge.
type Point = (f64, f64);

/// Hulls of a part of a series: of its starts, of its ends, and of all its windows; each from (0, 0) on.
#[derive(Clone, Debug)]
pub(super) struct Part {
    whole: Point,
    /// Greatest rate of a span.
    peak: f64,
    starts: Vec<Point>,
    ends: Vec<Point>,
    windows: Vec<Point>,
}

impl Part {
    /// Returns the hulls of a series of spans.
    pub fn of(spans: &[Point]) -> Part {
        let floor = floor(spans);
        let part = Part::above(spans, &floor);
        // Windows that are as great as those of the floor may be left out for a residue of rounding.
        let windows = hull(Vec::new(), in_order(part.windows.iter().copied(), floor.into_iter()));
        Part { windows, ..part }
    }

    /// Returns the hulls of a series, without windows that reach no higher than the hull `floor` of some windows of the whole.
    fn above(spans: &[Point], floor: &[Point]) -> Part {
        if spans.len() <= LISTED || spans.len() <= PASSED && !reaches(extent(spans), floor) {
            return Part::listed(spans, floor);
        }
        let (first, second) = spans.split_at(spans.len() / 2);
        Part::above(first, floor).followed_by(&Part::above(second, floor), floor)
    }

    /// Returns the hulls of this part followed by another.
    pub fn then(&self, next: &Part) -> Part {
        self.followed_by(next, &[])
    }

    fn listed(spans: &[Point], floor: &[Point]) -> Part {
        let mut sums = Vec::with_capacity(spans.len() + 1);
        sums.push((0.0, 0.0));
        for span in spans {
            sums.push(plus(sums[sums.len() - 1], *span));
        }
        let (whole, peak) = (sums[spans.len()], extent(spans).1);
        let mut windows = Vec::new();
        if reaches((whole.1, peak), floor) {
            windows.reserve(LISTED * (LISTED + 1) / 2 + 1);
            windows.push((0.0, 0.0));
            for count in 1..=spans.len() {
                let window = |from: usize| minus(sums[from + count], sums[from]);
                windows.extend((0..=spans.len() - count).map(window));
            }
            // Spans are about equally long, so that windows of more spans are longer: nearly in order.
            windows.sort_by(|a, b| a.0.total_cmp(&b.0));
            windows = hull(Vec::new(), windows.into_iter());
        }
        let ends = sums.iter().rev().map(|sum| minus(whole, *sum));
        Part {
            whole,
            peak,
            starts: hull(Vec::new(), sums.iter().copied()),
            ends: hull(Vec::new(), ends),
            windows,
        }
    }

    fn followed_by(&self, next: &Part, floor: &[Point]) -> Part {
        let (whole, peak) = (plus(self.whole, next.whole), self.peak.max(next.peak));
        let starts = next.starts.iter().map(|point| plus(self.whole, *point));
        let ends = self.ends.iter().map(|point| plus(next.whole, *point));
        let windows = if reaches((whole.1, peak), floor) {
            let within = in_order(self.windows.iter().copied(), next.windows.iter().copied());
            hull(Vec::new(), in_order(within, sum(&self.ends, &next.starts)))
        } else {
            Vec::new()
        };
        Part {
            whole,
            peak,
            starts: hull(self.starts.clone(), starts),
            ends: hull(next.ends.clone(), ends),
            windows,
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

/// Returns the hull of the greatest windows of one span, of two, four and so on, each from a multiple of its length on.
fn floor(spans: &[Point]) -> Vec<Point> {
    let lengths = std::iter::successors(Some(1), |spans| Some(2 * spans));
    let mut level = spans.to_vec();
    let greatest = |level: &[Point]| level.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    let mut found = vec![(0.0, 0.0)];
    for _ in lengths.take_while(|length| *length <= spans.len()) {
        found.extend(greatest(&level));
        level = level.chunks_exact(2).map(|pair| plus(pair[0], pair[1])).collect();
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    hull(Vec::new(), found.into_iter())
}

/// Returns the charge of all spans, and their greatest rate.
fn extent(spans: &[Point]) -> (f64, f64) {
    let add = |(charge, peak): (f64, f64), span: &Point| (charge + span.1, f64::max(peak, span.1 / span.0));
    spans.iter().fold((0.0, 0.0), add)
}

/// Whether windows of a part with this charge and greatest rate may reach above `floor`: no window has more than either, so
/// that all lie below two lines with one corner.
fn reaches((charge, peak): (f64, f64), floor: &[Point]) -> bool {
    if charge <= 0.0 {
        return floor.is_empty();
    }
    let seconds = charge / peak;
    let at = floor.partition_point(|point| point.0 < seconds);
    let (Some(before), Some(after)) = (at.checked_sub(1).map(|at| floor[at]), floor.get(at)) else {
        return true;
    };
    let share = (seconds - before.0) / (after.0 - before.0);
    charge >= before.1 + share * (after.1 - before.1)
}

/// Returns the upper hull of the points of a hull and of those that follow, in the order of their lengths.
fn hull(mut kept: Vec<Point>, points: impl Iterator<Item = Point>) -> Vec<Point> {
    kept.reserve(2 * LISTED);
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
