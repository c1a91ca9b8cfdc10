//! Reduces a long series to a few buckets with their least and greatest value, so that a chart loses no peak and no
//! gap.

use workload::Nanos;

/// A span of a series with its extremes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// Start of the first interval, on the run's clock.
    pub from: Nanos,
    /// End of the last interval.
    pub to: Nanos,
    /// Least value; NaN if there is none.
    pub min: f64,
    /// Greatest value; NaN if there is none.
    pub max: f64,
}

/// Reduces `values`, one per interval, to roughly `buckets` spans of equal length. Intervals that touch a span of
/// `keep`, and those at least as long as a bucket, each become a bucket.
///
/// A series of no more than `buckets` intervals is not reduced. Which intervals share a bucket depends only on the
/// intervals and `keep`: series of one recording are cut at the same places and give the same number of buckets. A
/// bucket whose values are all NaN is NaN, so that a gap remains a gap; in any other bucket, NaN is ignored. Values
/// missing at the end are NaN.
pub fn thinned(
    intervals: &[(Nanos, Nanos)],
    values: &[f64],
    buckets: usize,
    keep: &[(Nanos, Nanos)],
) -> Vec<Bucket> {
    let value = |at: usize| values.get(at).copied().unwrap_or(f64::NAN);
    let cuts = Cuts::of(intervals, buckets, keep);
    let mut thinned: Vec<Bucket> = Vec::new();
    let mut last = None;
    for (at, &(from, to)) in intervals.iter().enumerate() {
        let place = cuts.place((from, to));
        match thinned.last_mut() {
            Some(bucket) if place.is_some() && place == last => bucket.take(to, value(at)),
            _ => thinned.push(Bucket { from, to, min: value(at), max: value(at) }),
        }
        last = place;
    }
    thinned
}

impl Bucket {
    /// Widens the bucket to `to` and `value`; `f64::min` and `f64::max` ignore a NaN on either side.
    fn take(&mut self, to: Nanos, value: f64) {
        self.to = to;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }
}

/// Boundaries of the buckets.
struct Cuts<'k> {
    start: u64,
    /// Length of a bucket; zero if every interval is a separate bucket.
    width: u64,
    keep: &'k [(Nanos, Nanos)],
}

impl<'k> Cuts<'k> {
    fn of(intervals: &[(Nanos, Nanos)], buckets: usize, keep: &'k [(Nanos, Nanos)]) -> Cuts<'k> {
        let start = intervals.first().map_or(0, |interval| interval.0.0);
        let end = intervals.last().map_or(0, |interval| interval.1.0);
        let few = intervals.len() <= buckets;
        let width = if few { 0 } else { end.saturating_sub(start).div_ceil(buckets.max(1) as u64) };
        Cuts { start, width, keep }
    }

    /// Returns the index of an interval's bucket; `None` if the interval is a separate bucket.
    fn place(&self, interval: (Nanos, Nanos)) -> Option<u64> {
        let kept = self.keep.iter().any(|(from, to)| interval.1 > *from && interval.0 < *to);
        let long = interval.1.since(interval.0).0 >= self.width;
        if kept || long {
            return None;
        }
        Some(interval.0.0.saturating_sub(self.start) / self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f64 = f64::NAN;

    fn second(from: u64) -> (Nanos, Nanos) {
        (Nanos::from_secs(from), Nanos::from_secs(from + 1))
    }

    /// Returns start and end in seconds, least and greatest value; NaN as −1, because NaN equals nothing.
    fn shown(buckets: &[Bucket]) -> Vec<(u64, u64, f64, f64)> {
        let number = |value: f64| if value.is_nan() { -1.0 } else { value };
        let second = |time: Nanos| time.0 / 1_000_000_000;
        let row = |bucket: &Bucket| {
            (second(bucket.from), second(bucket.to), number(bucket.min), number(bucket.max))
        };
        buckets.iter().map(row).collect()
    }

    #[test]
    fn a_bucket_has_the_least_and_the_greatest_of_its_time() {
        let intervals: Vec<_> = (0..8).map(second).collect();
        let values = [3.0, 1.0, 2.0, 9.0, 5.0, 5.0, NONE, 7.0];
        assert_eq!(
            shown(&thinned(&intervals, &values, 4, &[])),
            [(0, 2, 1.0, 3.0), (2, 4, 2.0, 9.0), (4, 6, 5.0, 5.0), (6, 8, 7.0, 7.0)]
        );
        assert_eq!(thinned(&intervals, &values, 8, &[]).len(), 8, "few enough as they are");
        assert!(thinned(&[], &[], 4, &[]).is_empty());
    }

    #[test]
    fn a_gap_stays_a_gap_and_series_of_one_recording_are_cut_alike() {
        // Nothing was recorded from 4 to 104.
        let intervals: Vec<_> = (0..4)
            .map(second)
            .chain([(Nanos::from_secs(4), Nanos::from_secs(104))])
            .chain((104..108).map(second))
            .collect();
        let full = [1.0, 2.0, 3.0, 4.0, NONE, 5.0, 6.0, 7.0, 8.0];
        let empty = [NONE; 9];
        let (a, b) = (thinned(&intervals, &full, 8, &[]), thinned(&intervals, &empty, 8, &[]));
        assert_eq!(shown(&a), [(0, 4, 1.0, 4.0), (4, 104, -1.0, -1.0), (104, 108, 5.0, 8.0)]);
        assert_eq!(shown(&b), [(0, 4, -1.0, -1.0), (4, 104, -1.0, -1.0), (104, 108, -1.0, -1.0)]);
    }

    #[test]
    fn what_is_kept_stays_whole_and_its_neighbours_do_not_melt_into_it() {
        let intervals: Vec<_> = (0..12).map(second).collect();
        let values: Vec<f64> = (0..12).map(f64::from).collect();
        let keep = [(Nanos::from_secs(5), Nanos::from_secs(7))];
        assert_eq!(
            shown(&thinned(&intervals, &values, 3, &keep)),
            [
                (0, 4, 0.0, 3.0),
                (4, 5, 4.0, 4.0),
                (5, 6, 5.0, 5.0),
                (6, 7, 6.0, 6.0),
                (7, 8, 7.0, 7.0),
                (8, 12, 8.0, 11.0)
            ]
        );
    }

    #[test]
    fn a_series_that_is_too_short_ends_in_nothing() {
        let intervals: Vec<_> = (0..4).map(second).collect();
        assert_eq!(shown(&thinned(&intervals, &[1.0, 2.0], 2, &[])), [(0, 2, 1.0, 2.0), (2, 4, -1.0, -1.0)]);
    }
}
