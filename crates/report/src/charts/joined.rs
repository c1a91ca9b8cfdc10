//! Where a line may join two points: between neighbours of a ladder that was measured without gaps, and nowhere else.
//!
//! A straight line between two points says what lies between them. Where they are far apart, or where two limits meet between
//! them, that is not what the volume does: on one with caps of 5,000 IOPS and 200 MiB/s a line from writes of 4 KiB to writes
//! of 256 KiB says 2,600 IOPS at 40 KiB, where it gives 5,000.

/// Neighbours further apart than this factor are not joined: ladders climb by doublings, or by four where time is short.
const APART_MAX: f64 = 4.0;
/// A corner that is no further than this factor from a point is at the point.
const NEAR: f64 = 1.02;

/// `points`, which rise, as strokes of the pen; between two of them that have one of `corners` between them there is none.
pub(super) fn strokes(points: &[(f64, f64)], corners: &[f64]) -> Vec<Vec<(f64, f64)>> {
    points.chunk_by(|one, next| is_joined(one.0, next.0, corners)).map(<[_]>::to_vec).collect()
}

/// Two measurements at one place are not joined either: they are not one series.
fn is_joined(from: f64, to: f64, corners: &[f64]) -> bool {
    let bends = |corner: &f64| from * NEAR < *corner && *corner * NEAR < to;
    to > from && to <= from * APART_MAX && !corners.iter().any(bends)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(places: &[f64], corners: &[f64]) -> Vec<usize> {
        let points: Vec<(f64, f64)> = places.iter().map(|place| (*place, 1.0)).collect();
        strokes(&points, corners).iter().map(Vec::len).collect()
    }

    #[test]
    fn only_near_neighbours_without_a_corner_between_them_are_joined() {
        assert_eq!(lengths(&[4.0, 256.0, 1024.0], &[]), [1, 2]);
        assert_eq!(lengths(&[4.0, 16.0, 32.0, 64.0, 256.0], &[]), [5]);
        assert_eq!(lengths(&[4.0, 16.0, 32.0, 64.0, 256.0], &[41.0]), [3, 2]);
        assert_eq!(lengths(&[4.0, 16.0, 32.0, 64.0, 256.0], &[32.3]), [5], "the corner is at 32");
        assert_eq!(lengths(&[1.0, 8.0, 8.0, 32.0], &[]), [1, 1, 2], "one place, two measurements");
        assert!(lengths(&[], &[]).is_empty());
    }
}
