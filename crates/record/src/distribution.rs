//! Merged latencies: sparse counts by bucket, exact under merging, percentiles never above the greatest value.

use serde::{Deserialize, Serialize};

use crate::histogram::{BUCKETS, Histogram, bucket_bounds, bucket_middle, bucket_of};

/// Counts by bucket of [`bucket_of`](crate::bucket_of), with the exact least and greatest value where they are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distribution {
    /// Filled buckets in rising order; no count is zero.
    filled: Vec<(u16, u64)>,
    ns_min: u64,
    ns_max: u64,
}

/// Why stored bytes are no distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored histogram is damaged at byte {at}")]
pub struct Damaged {
    /// Place of the damage.
    pub at: usize,
}

impl Default for Distribution {
    fn default() -> Self {
        Distribution { filled: Vec::new(), ns_min: u64::MAX, ns_max: 0 }
    }
}

impl Distribution {
    /// The counts of `histogram` with the exact extremes (nanoseconds) that were kept beside it.
    pub fn of(histogram: &Histogram, ns_min: u64, ns_max: u64) -> Distribution {
        Distribution { filled: histogram.filled().collect(), ns_min, ns_max }
    }

    /// Values (nanoseconds) with their counts, in any order, with the exact extremes. Every value falls into its bucket.
    pub fn counted(values: &[(u64, u64)], ns_min: u64, ns_max: u64) -> Distribution {
        let mut counts: std::collections::BTreeMap<u16, u64> = std::collections::BTreeMap::new();
        for &(value, count) in values.iter().filter(|(_, count)| *count > 0) {
            let sum = counts.entry(bucket_of(value) as u16).or_default();
            *sum = sum.saturating_add(count);
        }
        match counts.is_empty() {
            true => Distribution::default(),
            false => Distribution { filled: counts.into_iter().collect(), ns_min, ns_max },
        }
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.filled.iter().fold(0, |sum, &(_, count)| sum.saturating_add(count))
    }

    /// True where there is no value.
    pub fn is_empty(&self) -> bool {
        self.filled.is_empty()
    }

    /// The exact least value in nanoseconds.
    pub fn ns_min(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.ns_min)
    }

    /// The exact greatest value in nanoseconds.
    pub fn ns_max(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.ns_max)
    }

    /// Adds `other`: exact, commutative and associative, so seconds, workers and machines merge alike.
    pub fn merge(&mut self, other: &Distribution) {
        let mut merged = Vec::with_capacity(self.filled.len() + other.filled.len());
        let (mut mine, mut theirs) = (self.filled.iter().peekable(), other.filled.iter().peekable());
        loop {
            match (mine.peek(), theirs.peek()) {
                (Some(&&(a, x)), Some(&&(b, y))) if a == b => {
                    merged.push((a, x.saturating_add(y)));
                    mine.next();
                    theirs.next();
                }
                (Some(&&(a, x)), Some(&&(b, _))) if a < b => {
                    merged.push((a, x));
                    mine.next();
                }
                (_, Some(&&pair)) => {
                    merged.push(pair);
                    theirs.next();
                }
                (Some(&&pair), None) => {
                    merged.push(pair);
                    mine.next();
                }
                (None, None) => break,
            }
        }
        self.filled = merged;
        self.ns_min = self.ns_min.min(other.ns_min);
        self.ns_max = self.ns_max.max(other.ns_max);
    }

    /// The value in nanoseconds at or below which `percent` (0 to 100) of all lie; the middle of the bucket that holds
    /// it, held within the exact extremes. `None` where there is no value.
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        let total = self.count();
        let rank = ((percent / 100.0 * total as f64).ceil() as u64).clamp(1, total.max(1));
        let mut seen = 0;
        for &(bucket, count) in &self.filled {
            seen = count.saturating_add(seen);
            if seen >= rank {
                let last = seen == total && rank == total;
                let value = if last { self.ns_max } else { bucket_middle(usize::from(bucket)) };
                return Some(value.clamp(self.ns_min, self.ns_max));
            }
        }
        None
    }

    /// Share of values (0 to 1) at or below `nanoseconds`; values within one bucket count by the bucket's middle.
    pub fn share_within(&self, nanoseconds: u64) -> Option<f64> {
        let total = self.count();
        let within: u64 = self
            .filled
            .iter()
            .filter(|&&(bucket, _)| bucket_middle(usize::from(bucket)) <= nanoseconds)
            .fold(0, |sum, &(_, count)| sum.saturating_add(count));
        (total > 0).then(|| within as f64 / total as f64)
    }

    /// Mean in nanoseconds from the buckets' middles: within 0.1 %.
    pub fn mean(&self) -> Option<f64> {
        let total = self.count();
        let sum: f64 = self.middles().map(|(value, count)| value as f64 * count as f64).sum();
        (total > 0).then(|| sum / total as f64)
    }

    /// Standard deviation in nanoseconds (population) from the buckets' middles.
    pub fn standard_deviation(&self) -> Option<f64> {
        let mean = self.mean()?;
        let squares: f64 =
            self.middles().map(|(value, count)| (value as f64 - mean).powi(2) * count as f64).sum();
        Some((squares / self.count() as f64).sqrt())
    }

    /// Middles of the filled buckets in nanoseconds, with their counts, rising.
    pub fn middles(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.filled.iter().map(|&(bucket, count)| (bucket_middle(usize::from(bucket)), count))
    }

    /// Filled buckets as (least, greatest, count), rising; nanoseconds, inclusive.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.filled.iter().map(|&(bucket, count)| {
            let (low, high) = bucket_bounds(usize::from(bucket));
            (low, high, count)
        })
    }

    /// Bytes for storage: LEB128 numbers: least, greatest, then for each filled bucket the step from the last one and its
    /// count. An empty distribution is no bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4 + self.filled.len() * 3);
        if self.is_empty() {
            return bytes;
        }
        put(&mut bytes, self.ns_min);
        put(&mut bytes, self.ns_max);
        let mut last = 0;
        for &(bucket, count) in &self.filled {
            put(&mut bytes, u64::from(bucket - last));
            put(&mut bytes, count);
            last = bucket;
        }
        bytes
    }

    /// Reads what [`encode`](Self::encode) wrote.
    ///
    /// # Errors
    /// [`Damaged`] with the place.
    pub fn decode(bytes: &[u8]) -> Result<Distribution, Damaged> {
        let mut distribution = Distribution::default();
        if bytes.is_empty() {
            return Ok(distribution);
        }
        let mut at = 0;
        distribution.ns_min = take(bytes, &mut at)?;
        distribution.ns_max = take(bytes, &mut at)?;
        let mut bucket = 0;
        while at < bytes.len() {
            let step = take(bytes, &mut at)?;
            let count = take(bytes, &mut at)?;
            let first = distribution.filled.is_empty();
            bucket = step.checked_add(bucket).filter(|&b| b < BUCKETS as u64).ok_or(Damaged { at })?;
            if count == 0 || (step == 0 && !first) {
                return Err(Damaged { at });
            }
            distribution.filled.push((bucket as u16, count));
        }
        // A percentile is held between the two.
        if distribution.ns_min > distribution.ns_max {
            return Err(Damaged { at: 0 });
        }
        Ok(distribution)
    }
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take(bytes: &[u8], at: &mut usize) -> Result<u64, Damaged> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at).ok_or(Damaged { at: *at })?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Damaged { at: *at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Distribution {
        let mut histogram = Histogram::new();
        values.iter().for_each(|&value| histogram.record(value));
        let (min, max) = (values.iter().min().copied(), values.iter().max().copied());
        Distribution::of(&histogram, min.unwrap_or(u64::MAX), max.unwrap_or(0))
    }

    proptest! {
        #[test]
        fn percentiles_are_within_a_thousandth_and_never_above_the_maximum(
            mut values in proptest::collection::vec(1u64..1 << 36, 1..300), percent in 0.1f64..100.0,
        ) {
            let found = of(&values).percentile(percent).unwrap();
            values.sort_unstable();
            let rank = ((percent / 100.0 * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let exact = values[rank - 1];
            prop_assert!((found as f64 - exact as f64).abs() <= exact as f64 * 0.001 + 1.0);
            prop_assert!(found <= values[values.len() - 1]);
        }

        #[test]
        fn merging_equals_recording_together(a in proptest::collection::vec(0u64..1 << 38, 0..50),
                                             b in proptest::collection::vec(0u64..1 << 38, 0..50)) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            prop_assert_eq!(merged, of(&[a, b].concat()));
        }

        #[test]
        fn storing_loses_nothing(values in proptest::collection::vec(0u64..1 << 41, 0..80)) {
            let distribution = of(&values);
            prop_assert_eq!(Distribution::decode(&distribution.encode()), Ok(distribution));
        }

        #[test]
        fn damaged_bytes_are_refused_or_read_but_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(distribution) = Distribution::decode(&bytes) {
                prop_assert!(distribution.filled.iter().all(|&(bucket, _)| usize::from(bucket) < BUCKETS));
                let _ = (distribution.percentile(99.0), distribution.share_within(9), distribution.count());
            }
        }
    }

    #[test]
    fn counts_of_another_tool_fall_into_our_buckets() {
        let counted = Distribution::counted(&[(300, 2), (100, 1), (u64::MAX, 1), (5, 0)], 90, 400);
        assert_eq!((counted.count(), counted.percentile(50.0)), (4, Some(300)));
        assert_eq!(Distribution::decode(&counted.encode()), Ok(counted));
        assert_eq!(Distribution::counted(&[], 1, 2), Distribution::default());
    }

    #[test]
    fn the_share_within_a_bound_and_the_moments() {
        let distribution = of(&[100, 200, 300, 400]);
        assert_eq!(distribution.share_within(250), Some(0.5));
        assert_eq!(distribution.mean(), Some(250.0));
        assert!((distribution.standard_deviation().unwrap() - 111.803).abs() < 0.01);
        assert_eq!(Distribution::default().percentile(50.0), None);
    }
}
