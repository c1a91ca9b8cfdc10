//! The recording histogram: log-linear, 512 sub-buckets per octave, 32-bit counts, 64 KiB.
//!
//! Each value below 512 ns has its own bucket; above, every power of two is divided into 512 equal buckets, so that
//! a bucket's middle is within 0.1 % of every value in it. Values from 2^40 ns (18 minutes) on fall into the last
//! bucket; the exact least and greatest values are kept in the [`Tally`](crate::Tally).

/// Sub-buckets per octave, as a power of two.
const SUB_BITS: u32 = 9;
/// Number of buckets: one linear group and 31 octaves.
pub const BUCKETS: usize = 32 << SUB_BITS;

/// Returns the index of the bucket that holds `nanoseconds`.
#[inline]
pub const fn bucket_of(nanoseconds: u64) -> usize {
    if nanoseconds < 1 << SUB_BITS {
        return nanoseconds as usize;
    }
    let octave = 63 - nanoseconds.leading_zeros() - SUB_BITS;
    let bucket = ((octave as usize) << SUB_BITS) + (nanoseconds >> octave) as usize;
    if bucket < BUCKETS { bucket } else { BUCKETS - 1 }
}

/// Returns the least and greatest value of `bucket` in nanoseconds, both inclusive.
pub const fn bucket_bounds(bucket: usize) -> (u64, u64) {
    if bucket < 1 << SUB_BITS {
        return (bucket as u64, bucket as u64);
    }
    let octave = (bucket >> SUB_BITS) as u32 - 1;
    let low = ((bucket & ((1 << SUB_BITS) - 1)) as u64 + (1 << SUB_BITS)) << octave;
    (low, low + (1 << octave) - 1)
}

/// Returns the value in nanoseconds that represents all values in `bucket`.
pub const fn bucket_middle(bucket: usize) -> u64 {
    let (low, high) = bucket_bounds(bucket);
    low + (high - low) / 2
}

/// Counts by bucket, updated by the worker on every I/O.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Box<[u32; BUCKETS]>,
    /// No bucket outside `low..=high` is non-zero; `low > high` if all are zero. This saves a walk over all 16,384
    /// buckets.
    low: usize,
    high: usize,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram::new()
    }
}

impl Histogram {
    /// Returns an empty histogram; this is its only allocation.
    pub fn new() -> Histogram {
        let counts: Box<[u32]> = vec![0; BUCKETS].into_boxed_slice();
        match counts.try_into() {
            Ok(counts) => Histogram { counts, low: BUCKETS, high: 0 },
            // The length is BUCKETS by construction.
            Err(_) => unreachable!("a slice of BUCKETS counts converts"),
        }
    }

    /// Counts one value.
    #[inline]
    pub fn record(&mut self, nanoseconds: u64) {
        self.record_alike(nanoseconds, 1);
    }

    /// Counts a value `count` times, at least once.
    #[inline]
    pub fn record_alike(&mut self, nanoseconds: u64, count: u32) {
        debug_assert!(count > 0, "a value that did not occur would widen the range");
        let bucket = bucket_of(nanoseconds);
        self.counts[bucket] = self.counts[bucket].saturating_add(count);
        if bucket < self.low || bucket > self.high {
            self.widen(bucket);
        }
    }

    /// Out of line because few values are the least or the greatest so far.
    #[cold]
    fn widen(&mut self, bucket: usize) {
        self.low = self.low.min(bucket);
        self.high = self.high.max(bucket);
    }

    /// Whether nothing has been counted.
    pub fn is_empty(&self) -> bool {
        self.low > self.high
    }

    /// Resets all counts to zero.
    pub fn clear(&mut self) {
        if !self.is_empty() {
            self.counts[self.low..=self.high].fill(0);
        }
        self.low = BUCKETS;
        self.high = 0;
    }

    /// Returns the non-zero buckets with their counts, in ascending order.
    pub fn filled(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        let range = if self.is_empty() { 0..0 } else { self.low..self.high + 1 };
        let start = range.start;
        self.counts[range]
            .iter()
            .enumerate()
            .filter(|&(_, &count)| count != 0)
            .map(move |(at, &count)| ((start + at) as u16, u64::from(count)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_value_lies_in_its_bucket_and_the_middle_is_within_a_thousandth(value in 0u64..1 << 40) {
            let (low, high) = bucket_bounds(bucket_of(value));
            prop_assert!(low <= value && value <= high);
            let error = (bucket_middle(bucket_of(value)) as f64 - value as f64).abs();
            prop_assert!(error <= value as f64 * 0.001);
        }
    }

    #[test]
    fn buckets_are_contiguous_and_cover_eighteen_minutes() {
        for bucket in 1..BUCKETS {
            assert_eq!(bucket_bounds(bucket).0, bucket_bounds(bucket - 1).1 + 1, "{bucket}");
        }
        assert_eq!(bucket_bounds(BUCKETS - 1).1, (1 << 40) - 1);
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    proptest! {
        #[test]
        fn counting_alike_is_counting_one_by_one(values in proptest::collection::vec((0u64..1 << 42, 1u32..50), 0..20)) {
            let (mut at_once, mut singly) = (Histogram::new(), Histogram::new());
            for (value, count) in values {
                at_once.record_alike(value, count);
                (0..count).for_each(|_| singly.record(value));
            }
            prop_assert!(at_once.filled().eq(singly.filled()));
        }
    }

    #[test]
    fn clearing_leaves_nothing_behind() {
        let mut histogram = Histogram::new();
        for value in [3, 70_000, 1 << 39] {
            histogram.record(value);
        }
        assert_eq!(histogram.filled().map(|(_, count)| count).sum::<u64>(), 3);
        histogram.clear();
        assert!(histogram.is_empty());
        histogram.record(5);
        assert_eq!(histogram.filled().collect::<Vec<_>>(), vec![(5, 1)]);
    }
}
