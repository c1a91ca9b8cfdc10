//! Series as the page's script reads them: single-precision values in byte planes, deflated, in base64.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use record::Bucket;
use workload::Nanos;

use crate::base64::base64;

/// Least and greatest values of a series, one for each bucket.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Extremes {
    pub min: Vec<f64>,
    pub max: Vec<f64>,
}

/// Packs all starts, then all ends, in seconds on the run's clock, as little-endian doubles.
pub(super) fn spans(spans: &[(Nanos, Nanos)]) -> String {
    let seconds = spans.iter().map(|span| span.0).chain(spans.iter().map(|span| span.1));
    deflated(&seconds.flat_map(|time| time.as_secs_f64().to_le_bytes()).collect::<Vec<u8>>())
}

/// Packs series after series: the least values, then the bits in which the greatest differ from them (XOR), each
/// in single precision (seven digits, more than is printed) as four byte planes, the lowest first. High bytes
/// repeat and low ones do not, and a bucket of one interval has no difference, so this takes half the space of the
/// plain values.
pub(super) fn values(series: &[Extremes]) -> String {
    let mut bytes = Vec::new();
    for one in series {
        let min: Vec<u32> = one.min.iter().map(|&value| bits(value)).collect();
        let max = one.max.iter().map(|&value| bits(value));
        let difference: Vec<u32> = max.zip(&min).map(|(max, min)| max ^ min).collect();
        planes(&mut bytes, &min);
        planes(&mut bytes, &difference);
    }
    deflated(&bytes)
}

/// Maps every NaN to the same bits.
fn bits(value: f64) -> u32 {
    if value.is_nan() { f32::NAN.to_bits() } else { (value as f32).to_bits() }
}

fn planes(bytes: &mut Vec<u8>, words: &[u32]) {
    for plane in 0..4 {
        bytes.extend(words.iter().map(|word| word.to_le_bytes()[plane]));
    }
}

fn deflated(bytes: &[u8]) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(4));
    // Writing into memory cannot fail; if it did, the script would find nothing to read and leave the drawing.
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish());
    base64(&packed.unwrap_or_default())
}

impl Extremes {
    /// Returns the extremes of `values` in buckets of `lengths` intervals; NaN for a bucket that holds only NaN.
    pub(super) fn of(values: &[f64], lengths: &[usize]) -> Extremes {
        let mut rest = values;
        let mut extremes = Extremes::default();
        for &length in lengths {
            let (bucket, behind) = rest.split_at(length.min(rest.len()));
            // `f64::min` and `f64::max` ignore a NaN on either side.
            extremes.min.push(bucket.iter().copied().fold(f64::NAN, f64::min));
            extremes.max.push(bucket.iter().copied().fold(f64::NAN, f64::max));
            rest = behind;
        }
        extremes
    }

    /// Whether any value is finite.
    pub(super) fn says_something(&self) -> bool {
        self.min.iter().any(|value| value.is_finite())
    }

    /// Whether some values are finite and all of those are 0.
    pub(super) fn is_zero(&self) -> bool {
        let all_zero = |values: &[f64]| values.iter().all(|value| value.is_nan() || *value == 0.0);
        self.says_something() && all_zero(&self.min) && all_zero(&self.max)
    }
}

/// Returns how many intervals each bucket holds; buckets cover the intervals in order.
pub(super) fn lengths(buckets: &[Bucket], intervals: &[(Nanos, Nanos)]) -> Vec<usize> {
    let mut at = 0;
    let mut length = |bucket: &Bucket| {
        let start = at;
        while at < intervals.len() && intervals[at].1 <= bucket.to {
            at += 1;
        }
        at - start
    };
    buckets.iter().map(&mut length).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use flate2::read::ZlibDecoder;
    use proptest::prelude::*;

    /// Unpacks text as a reader of the page would, into bytes.
    fn unpacked(text: &str) -> Vec<u8> {
        const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let bits = |letter: char| DIGITS.find(letter).map(|value| value as u32);
        let sixes: Vec<u32> = text.chars().filter_map(bits).collect();
        let packed = sixes.chunks(4).flat_map(|four| {
            let word = (0..4).fold(0, |word, at| word << 6 | four.get(at).copied().unwrap_or_default());
            word.to_be_bytes()[1..four.len()].to_vec()
        });
        let mut bytes = Vec::new();
        ZlibDecoder::new(packed.collect::<Vec<u8>>().as_slice()).read_to_end(&mut bytes).unwrap();
        bytes
    }

    fn word(bytes: &[u8], count: usize, at: usize) -> u32 {
        u32::from_le_bytes([0, 1, 2, 3].map(|plane| bytes[plane * count + at]))
    }

    #[test]
    fn buckets_are_cut_where_the_thinning_cut_them() {
        let intervals: Vec<_> = (0..10).map(|at| (Nanos::from_secs(at), Nanos::from_secs(at + 1))).collect();
        let values: Vec<f64> =
            (0..10).map(|at| if at == 4 { f64::NAN } else { f64::from(at * 7 % 10) }).collect();
        let keep = [(Nanos::from_secs(6), Nanos::from_secs(7))];
        let buckets = record::thinned(&intervals, &values, 3, &keep);
        let extremes = Extremes::of(&values, &lengths(&buckets, &intervals));
        assert_eq!(extremes.min, buckets.iter().map(|bucket| bucket.min).collect::<Vec<_>>());
        assert_eq!(extremes.max, buckets.iter().map(|bucket| bucket.max).collect::<Vec<_>>());
        assert!(!Extremes::of(&[f64::NAN], &[1]).says_something());
    }

    proptest! {
        #[test]
        fn a_reader_finds_what_was_packed(pairs in prop::collection::vec((any::<f32>(), any::<f32>()), 1..50)) {
            let one = Extremes {
                min: pairs.iter().map(|pair| f64::from(pair.0)).collect(),
                max: pairs.iter().map(|pair| f64::from(pair.1)).collect(),
            };
            let count = pairs.len();
            let bytes = unpacked(&values(&[one.clone(), one]));
            prop_assert_eq!(bytes.len(), 16 * count);
            for (at, pair) in pairs.iter().enumerate() {
                let min = word(&bytes[8 * count..], count, at);
                let max = word(&bytes[12 * count..], count, at) ^ min;
                prop_assert!(f32::from_bits(min) == pair.0 || pair.0.is_nan());
                prop_assert!(f32::from_bits(max) == pair.1 || pair.1.is_nan());
            }
        }
    }
}
