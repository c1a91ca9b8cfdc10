//! Upper edges of an exposed histogram's buckets: classic buckets end at edges of the recorded histogram, so that
//! their counts are exact; native buckets end where Prometheus and OTLP define.

use record::Distribution;

/// Resolution of native buckets as Prometheus' schema: 2^4 buckets in a doubling, each 4.4 % wide.
pub(crate) const SCHEMA: i32 = 4;

/// The greatest latency, in nanoseconds, of each classic bucket but the last (`+Inf`): two in a doubling, from 2 µs
/// to 13 s. Buckets of the recorded histogram end there too, one nanosecond before the next begins.
pub const EDGES_NS: [u64; 46] = edges();

const fn edges() -> [u64; 46] {
    let mut edges = [0; 46];
    let mut at = 0;
    while at < edges.len() {
        let octave = 1 << (11 + at / 2);
        edges[at] = if at % 2 == 0 { octave - 1 } else { octave + octave / 2 - 1 };
        at += 1;
    }
    edges
}

/// Returns each edge with the number of values up to it.
pub(crate) fn classic(latency: &Distribution) -> Vec<(u64, u64)> {
    let mut buckets = latency.buckets().peekable();
    let mut below = 0;
    let within = |edge: &u64| {
        while let Some((_, _, count)) = buckets.next_if(|(_, greatest, _)| greatest <= edge) {
            below += count;
        }
        (*edge, below)
    };
    EDGES_NS.iter().map(within).collect()
}

/// Native buckets with values, in ascending order, with their counts: bucket `n` holds values above 2^((n-1)/16)
/// seconds and up to 2^(n/16). Latencies of zero are in no bucket, but in `zero`.
pub(crate) struct Native {
    pub(crate) zero: u64,
    pub(crate) filled: Vec<(i32, u64)>,
}

pub(crate) fn native(latency: &Distribution) -> Native {
    let mut native = Native { zero: 0, filled: Vec::new() };
    for (middle, count) in latency.middles() {
        if middle == 0 {
            native.zero += count;
            continue;
        }
        let seconds = middle as f64 / 1e9;
        let bucket = (seconds.log2() * f64::from(1 << SCHEMA)).ceil() as i32;
        match native.filled.last_mut() {
            Some((last, counted)) if *last == bucket => *counted += count,
            _ => native.filled.push((bucket, count)),
        }
    }
    native
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classic_edges_are_edges_of_the_record() {
        for edge in EDGES_NS {
            let (_, greatest) = record::bucket_bounds(record::bucket_of(edge));
            assert_eq!(greatest, edge);
        }
        assert!(EDGES_NS.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!((EDGES_NS[0], EDGES_NS[45]), (2047, 12_884_901_887));
    }

    #[test]
    fn every_value_is_in_the_buckets_that_hold_it() {
        let values: Vec<(u64, u64)> =
            vec![(0, 1), (100, 2), (2047, 3), (2048, 5), (1_000_000, 7), (40_000_000_000, 11)];
        let latency = Distribution::counted(&values, 0, 40_000_000_000);
        let counts = classic(&latency);
        let at = |edge: u64| counts.iter().find(|(of, _)| *of == edge).map(|(_, count)| *count);
        assert_eq!((at(2047), at(3071)), (Some(6), Some(11)));
        assert_eq!(counts.last().map(|(_, count)| *count), Some(18), "the longest is beyond the last edge");
        let native = native(&latency);
        assert_eq!((native.zero, native.filled.iter().map(|(_, count)| count).sum::<u64>()), (1, 28));
        let upper = |bucket: i32| 2f64.powf(f64::from(bucket) / 16.0);
        let (bucket, _) = *native.filled.iter().find(|(_, count)| *count == 7).unwrap();
        assert!(upper(bucket) >= 0.001 && upper(bucket - 1) < 0.001);
    }
}
