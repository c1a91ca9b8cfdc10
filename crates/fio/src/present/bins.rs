//! fio's histogram buckets, into which plimsoll's are merged for `json+`, and the coarse distribution of its text.

use record::Distribution;

/// fio's sub-buckets in an octave, as a power of two.
const SUB_BITS: u32 = 6;
/// fio's number of buckets: 29 groups of 64.
pub const BUCKETS: u64 = 29 << SUB_BITS;

/// Upper edges of the coarse distribution within a unit; a bucket counts values from the previous edge to below its
/// own.
pub const EDGES: [u64; 11] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000];

/// Index of fio's bucket of `nanoseconds`, below [`BUCKETS`].
pub fn bucket(nanoseconds: u64) -> u64 {
    if nanoseconds < 1 << (SUB_BITS + 1) {
        return nanoseconds;
    }
    let octave = 63 - nanoseconds.leading_zeros() - SUB_BITS;
    let index = (u64::from(octave + 1) << SUB_BITS) + ((nanoseconds >> octave) & ((1 << SUB_BITS) - 1));
    index.min(BUCKETS - 1)
}

/// The value in nanoseconds that represents fio's bucket of `nanoseconds`.
fn middle(nanoseconds: u64) -> u64 {
    let index = bucket(nanoseconds);
    if index < 1 << (SUB_BITS + 1) {
        return index;
    }
    let octave = (index >> SUB_BITS) - 1;
    let low = ((index & ((1 << SUB_BITS) - 1)) + (1 << SUB_BITS)) << octave;
    low + (1 << octave) / 2
}

/// Non-empty buckets of fio's histogram as (middle in nanoseconds, count), ascending. plimsoll's buckets nest in fio's,
/// so merging loses only resolution.
pub fn bins(distribution: &Distribution) -> Vec<(u64, u64)> {
    let mut bins: Vec<(u64, u64)> = Vec::new();
    for (value, count) in seen(distribution) {
        let value = middle(value);
        match bins.last_mut() {
            Some((last, sum)) if *last == value => *sum += count,
            _ => bins.push((value, count)),
        }
    }
    bins
}

/// Middles of the non-empty buckets with their counts, clamped to the least and the greatest value.
fn seen(distribution: &Distribution) -> impl Iterator<Item = (u64, u64)> + '_ {
    let (min, max) = (distribution.ns_min().unwrap_or(0), distribution.ns_max().unwrap_or(u64::MAX));
    distribution.middles().map(move |(value, count)| (value.max(min).min(max), count))
}

/// Counts in the coarse buckets of fio's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Coarse {
    /// Latencies below 1 µs, by nanoseconds.
    pub nanoseconds: [u64; 10],
    /// Latencies below 1 ms, by microseconds.
    pub microseconds: [u64; 10],
    /// All others, by milliseconds; the last bucket is 2 s and more.
    pub milliseconds: [u64; 12],
}

impl Coarse {
    /// Adds every value of `distribution`.
    pub fn add(&mut self, distribution: &Distribution) {
        for (value, count) in seen(distribution) {
            match value {
                0..=999 => self.nanoseconds[place(value)] += count,
                1_000..=999_999 => self.microseconds[place(value / 1_000)] += count,
                _ => self.milliseconds[place(value / 1_000_000)] += count,
            }
        }
    }
}

fn place(value: u64) -> usize {
    EDGES.iter().position(|&edge| value < edge).unwrap_or(EDGES.len())
}

/// Percentage of each count in `total`; a count above 0 gives at least `least`, as fio prints it.
pub fn percents<const N: usize>(counts: [u64; N], total: u64, least: f64) -> [f64; N] {
    counts.map(|count| match (count, total) {
        (0, _) | (_, 0) => 0.0,
        _ => (100.0 * count as f64 / total as f64).max(least),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Histogram;

    fn of(values: &[u64]) -> Distribution {
        let mut histogram = Histogram::new();
        values.iter().for_each(|&value| histogram.record(value));
        let (min, max) = (values.iter().min().unwrap(), values.iter().max().unwrap());
        Distribution::of(&histogram, *min, *max)
    }

    /// fio 3.33 printed these middles for latencies that it measured.
    #[test]
    fn middles_are_those_of_fio() {
        for (nanoseconds, printed) in [
            (10, 10),
            (127, 127),
            (1_141, 1_144),
            (52_398, 52_480),
            (333_384, 333_824),
            (2_444, 2_448),
            (39_949, 40_192),
            (6_159, 6_176),
        ] {
            assert_eq!(middle(nanoseconds), printed, "{nanoseconds}");
        }
        assert_eq!((bucket(60_000_000_000), middle(60_000_000_000)), (1855, 17_112_760_320));
    }

    #[test]
    fn our_buckets_nest_in_those_of_fio() {
        let values: Vec<u64> = (0..40).flat_map(|power| [1u64 << power, (1u64 << power) + 1]).collect();
        let counted: u64 = bins(&of(&values)).iter().map(|(_, count)| count).sum();
        assert_eq!(counted, values.len() as u64);
        for &value in &values {
            assert_eq!(bins(&of(&[value]))[0].0, middle(value), "{value}");
        }
    }

    #[test]
    fn the_coarse_buckets_hold_what_is_below_their_edge() {
        let mut coarse = Coarse::default();
        coarse.add(&of(&[1, 2, 3, 4, 999]));
        coarse.add(&of(&[1_000, 400_000]));
        coarse.add(&of(&[1_500_000_000, 3_000_000_000]));
        assert_eq!(coarse.nanoseconds, [1, 2, 1, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!((coarse.microseconds[0], coarse.microseconds[7]), (1, 1));
        assert_eq!((coarse.milliseconds[10], coarse.milliseconds[11]), (1, 1));
        assert_eq!(percents([1, 0], 1_000_000, 0.01), [0.01, 0.0]);
    }
}
