//! Merged latencies: sparse counts by bucket; merging is exact, and no percentile exceeds the greatest value.
//!
//! Counts stay in memory in their stored form, about three bytes per bucket: a run of hours has a distribution for
//! every second, and a report on it may take only four times the file's length in memory.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::histogram::{BUCKETS, Histogram, bucket_bounds, bucket_middle, bucket_of};

/// Counts by bucket of [`bucket_of`], with the exact least and greatest value if they are known.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Plain", into = "Plain")]
pub struct Distribution {
    /// LEB128 numbers: for each filled bucket, in ascending order, the step from the previous bucket and the count.
    /// No count is zero, no step but the first is zero, and no bucket is beyond the last of [`BUCKETS`].
    counts: Box<[u8]>,
    ns_min: u64,
    ns_max: u64,
}

/// A distribution with plain fields, as serialized to other formats.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Distribution")]
struct Plain {
    filled: Vec<(u16, u64)>,
    ns_min: u64,
    ns_max: u64,
}

impl From<Distribution> for Plain {
    fn from(distribution: Distribution) -> Plain {
        let Distribution { ns_min, ns_max, .. } = distribution;
        Plain { filled: distribution.filled().collect(), ns_min, ns_max }
    }
}

impl From<Plain> for Distribution {
    fn from(Plain { filled, ns_min, ns_max }: Plain) -> Distribution {
        let counts: BTreeMap<u16, u64> = filled
            .into_iter()
            .filter(|&(bucket, count)| usize::from(bucket) < BUCKETS && count > 0)
            .collect();
        Distribution { counts: stored(counts), ns_min, ns_max }
    }
}

impl fmt::Debug for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let filled: Vec<(u16, u64)> = self.filled().collect();
        let mut told = f.debug_struct("Distribution");
        told.field("filled", &filled).field("ns_min", &self.ns_min).field("ns_max", &self.ns_max).finish()
    }
}

/// Stored bytes that do not decode to a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored histogram is damaged at byte {at}")]
pub struct DistributionError {
    /// Byte at which the damage was noticed.
    pub at: usize,
}

impl Default for Distribution {
    fn default() -> Self {
        Distribution { counts: Box::default(), ns_min: u64::MAX, ns_max: 0 }
    }
}

impl Distribution {
    /// Returns the counts of `histogram` with the exact extremes (nanoseconds) that were kept beside it.
    pub fn of(histogram: &Histogram, ns_min: u64, ns_max: u64) -> Distribution {
        Distribution { counts: stored(histogram.filled()), ns_min, ns_max }
    }

    /// Returns the distribution of values (nanoseconds) with their counts, in any order, and with their exact
    /// extremes. Each value falls into its bucket.
    pub fn counted(values: &[(u64, u64)], ns_min: u64, ns_max: u64) -> Distribution {
        let mut counts: BTreeMap<u16, u64> = BTreeMap::new();
        for &(value, count) in values.iter().filter(|(_, count)| *count > 0) {
            let sum = counts.entry(bucket_of(value) as u16).or_default();
            *sum = sum.saturating_add(count);
        }
        match counts.is_empty() {
            true => Distribution::default(),
            false => Distribution { counts: stored(counts), ns_min, ns_max },
        }
    }

    /// Returns the filled buckets with their counts, in ascending order.
    fn filled(&self) -> FilledBuckets<'_> {
        FilledBuckets { bytes: &self.counts, at: 0, bucket: 0 }
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.filled().fold(0, |sum, (_, count)| sum.saturating_add(count))
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the exact least value in nanoseconds; `None` if there is no value.
    pub fn ns_min(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.ns_min)
    }

    /// Returns the exact greatest value in nanoseconds; `None` if there is no value.
    pub fn ns_max(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.ns_max)
    }

    /// Adds `other`. Exact, commutative and associative, so that seconds, workers and machines merge alike.
    pub fn merge(&mut self, other: &Distribution) {
        let (mut mine, mut theirs) = (self.filled().peekable(), other.filled().peekable());
        let merged = std::iter::from_fn(|| match (mine.peek().copied(), theirs.peek().copied()) {
            (Some((a, x)), Some((b, y))) if a == b => {
                mine.next();
                theirs.next();
                Some((a, x.saturating_add(y)))
            }
            (Some((a, _)), Some((b, _))) if b < a => theirs.next(),
            (Some(_), _) => mine.next(),
            (None, _) => theirs.next(),
        });
        self.counts = stored(merged);
        self.ns_min = self.ns_min.min(other.ns_min);
        self.ns_max = self.ns_max.max(other.ns_max);
    }

    /// Returns the value in nanoseconds at or below which `percent` (0 to 100) of all values are: the middle of its
    /// bucket, clamped to the exact extremes. `None` if there is no value.
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        let total = self.count();
        let rank = ((percent / 100.0 * total as f64).ceil() as u64).clamp(1, total.max(1));
        let mut seen = 0;
        for (bucket, count) in self.filled() {
            seen = count.saturating_add(seen);
            if seen >= rank {
                let last = seen == total && rank == total;
                let value = if last { self.ns_max } else { bucket_middle(usize::from(bucket)) };
                return Some(value.clamp(self.ns_min, self.ns_max));
            }
        }
        None
    }

    /// Returns the share of values (0 to 1) at or below `nanoseconds`; a bucket counts as a whole, by its middle.
    /// `None` if there is no value.
    pub fn share_within(&self, nanoseconds: u64) -> Option<f64> {
        let total = self.count();
        let within: u64 = self
            .filled()
            .filter(|&(bucket, _)| bucket_middle(usize::from(bucket)) <= nanoseconds)
            .fold(0, |sum, (_, count)| sum.saturating_add(count));
        (total > 0).then(|| within as f64 / total as f64)
    }

    /// Returns the mean in nanoseconds from the bucket middles, accurate to 0.1 %.
    pub fn mean(&self) -> Option<f64> {
        let total = self.count();
        let sum: f64 = self.middles().map(|(value, count)| value as f64 * count as f64).sum();
        (total > 0).then(|| sum / total as f64)
    }

    /// Returns the standard deviation (of the population) in nanoseconds, from the bucket middles.
    pub fn standard_deviation(&self) -> Option<f64> {
        let mean = self.mean()?;
        let squares: f64 =
            self.middles().map(|(value, count)| (value as f64 - mean).powi(2) * count as f64).sum();
        Some((squares / self.count() as f64).sqrt())
    }

    /// Returns the middles of the filled buckets in nanoseconds, with their counts, in ascending order.
    pub fn middles(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.filled().map(|(bucket, count)| (bucket_middle(usize::from(bucket)), count))
    }

    /// Returns the filled buckets as (least, greatest, count), in ascending order; nanoseconds, both ends
    /// inclusive.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.filled().map(|(bucket, count)| {
            let (low, high) = bucket_bounds(usize::from(bucket));
            (low, high, count)
        })
    }

    /// Encodes for storage as LEB128 numbers: least, greatest, then for each filled bucket the step from the previous
    /// bucket and its count. An empty distribution has no bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(20 + self.counts.len());
        if self.is_empty() {
            return bytes;
        }
        put(&mut bytes, self.ns_min);
        put(&mut bytes, self.ns_max);
        bytes.extend_from_slice(&self.counts);
        bytes
    }

    /// Decodes the bytes written by [`encode`](Self::encode).
    ///
    /// # Errors
    /// [`DistributionError`] with the byte at which decoding failed.
    pub fn decode(bytes: &[u8]) -> Result<Distribution, DistributionError> {
        let mut distribution = Distribution::default();
        if bytes.is_empty() {
            return Ok(distribution);
        }
        let mut at = 0;
        distribution.ns_min = take(bytes, &mut at)?;
        distribution.ns_max = take(bytes, &mut at)?;
        let (from, mut bucket) = (at, 0);
        while at < bytes.len() {
            let first = at == from;
            let step = take(bytes, &mut at)?;
            let count = take(bytes, &mut at)?;
            bucket =
                step.checked_add(bucket).filter(|&b| b < BUCKETS as u64).ok_or(DistributionError { at })?;
            if count == 0 || (step == 0 && !first) {
                return Err(DistributionError { at });
            }
        }
        distribution.counts = bytes[from..].into();
        // A percentile is clamped between the two.
        if distribution.ns_min > distribution.ns_max {
            return Err(DistributionError { at: 0 });
        }
        Ok(distribution)
    }
}

/// Iterator over filled buckets and their counts, decoded from the bytes of a [`Distribution`].
struct FilledBuckets<'d> {
    bytes: &'d [u8],
    at: usize,
    bucket: u64,
}

impl Iterator for FilledBuckets<'_> {
    type Item = (u16, u64);

    fn next(&mut self) -> Option<(u16, u64)> {
        // The bytes were encoded here or checked by `decode`, so a number can be missing only at the end.
        self.bucket += take(self.bytes, &mut self.at).ok()?;
        let count = take(self.bytes, &mut self.at).ok()?;
        Some((self.bucket as u16, count))
    }
}

/// Encodes buckets, which must ascend, with their counts.
fn stored(filled: impl IntoIterator<Item = (u16, u64)>) -> Box<[u8]> {
    let (mut bytes, mut last) = (Vec::new(), 0);
    for (bucket, count) in filled {
        put(&mut bytes, u64::from(bucket - last));
        put(&mut bytes, count);
        last = bucket;
    }
    bytes.into()
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take(bytes: &[u8], at: &mut usize) -> Result<u64, DistributionError> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at).ok_or(DistributionError { at: *at })?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(DistributionError { at: *at })
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
                prop_assert!(distribution.filled().all(|(bucket, _)| usize::from(bucket) < BUCKETS));
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
    fn in_memory_it_is_no_longer_than_in_the_file() {
        let values: Vec<u64> = (0..3000).map(|n| 100_000 + 700 * n).collect();
        let distribution = of(&values);
        assert!(distribution.filled().count() > 1000);
        assert!(distribution.counts.len() < distribution.encode().len());
        assert!(distribution.counts.len() < 3 * distribution.filled().count());
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
