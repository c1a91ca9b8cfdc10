//! Rules for joining points by a line: only neighbours of a ladder that was measured without gaps are joined.
//!
//! A straight line between two points makes a claim about the values between them. If the points are far apart, or
//! if two limits meet between them, the claim is wrong: on a volume with caps of 5,000 IOPS and 200 MiB/s, a line
//! from writes of 4 KiB to writes of 256 KiB would claim 2,600 IOPS at 40 KiB, where the volume delivers 5,000.

/// Greatest factor between joined neighbours: ladders climb by doublings, or by fours when time is short.
pub(crate) const APART_MAX: f64 = 4.0;
/// Greatest factor between neighbours on a ladder without gaps.
pub(crate) const DOUBLING: f64 = 2.0;
/// A corner within this factor of a point counts as lying at the point.
const NEAR: f64 = 1.02;

/// Rules for joining points.
#[derive(Clone, Debug)]
pub(crate) struct Pen {
    /// Greatest factor between joined neighbours.
    pub apart: f64,
    /// Places where the curve bends: no line crosses them.
    pub corners: Vec<f64>,
}

impl Default for Pen {
    fn default() -> Pen {
        Pen { apart: APART_MAX, corners: Vec::new() }
    }
}

impl Pen {
    /// Returns a pen that lifts at `corners`.
    pub fn around(corners: impl IntoIterator<Item = f64>) -> Pen {
        Pen { corners: corners.into_iter().collect(), ..Pen::default() }
    }

    /// Splits `points`, which are in ascending order, into strokes of joined points.
    pub fn strokes(&self, points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
        points.chunk_by(|one, next| self.joins(one.0, next.0)).map(<[_]>::to_vec).collect()
    }

    /// Whether neighbours are joined. Two measurements at the same place are not, because they are not one series.
    fn joins(&self, from: f64, to: f64) -> bool {
        let bends = |corner: &f64| from * NEAR < *corner && *corner * NEAR < to;
        to > from && to <= from * self.apart && !self.corners.iter().any(bends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(places: &[f64], corners: &[f64]) -> Vec<usize> {
        let points: Vec<(f64, f64)> = places.iter().map(|place| (*place, 1.0)).collect();
        Pen::around(corners.iter().copied()).strokes(&points).iter().map(Vec::len).collect()
    }

    #[test]
    fn only_near_neighbours_without_a_corner_between_them_are_joined() {
        assert_eq!(lengths(&[4.0, 256.0, 1024.0], &[]), [1, 2]);
        assert_eq!(lengths(&[4.0, 16.0, 32.0, 64.0, 256.0], &[]), [5]);
        assert_eq!(lengths(&[4.0, 16.0, 32.0, 64.0, 256.0], &[41.0]), [3, 2]);
        assert_eq!(lengths(&[4.0, 16.0, 32.0, 64.0, 256.0], &[32.3]), [5], "the corner is at 32");
        assert_eq!(lengths(&[1.0, 8.0, 8.0, 32.0], &[]), [1, 1, 2], "one place, two measurements");
        assert!(lengths(&[], &[]).is_empty());
        let doubling = Pen { apart: DOUBLING, ..Pen::default() };
        let points = [16.0, 32.0, 64.0, 256.0].map(|place| (place, 1.0));
        assert_eq!(doubling.strokes(&points).iter().map(Vec::len).collect::<Vec<_>>(), [3, 1]);
    }
}
