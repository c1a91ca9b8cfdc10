//! The distribution of waits of a replayed load.

/// Buckets of each doubling: a percentile is off by at most 3 %.
const EACH_DOUBLING: u32 = 32;
/// Shortest wait that counts, in seconds; what is shorter is none.
const SHORTEST: f64 = 1e-6;
/// Number of buckets: the last ends after more than a century.
const BUCKETS: usize = 1664;

/// How many I/Os wait how long.
#[derive(Clone, Debug, Default)]
pub struct Waits {
    none: f64,
    /// I/Os of each bucket, and by how much the I/Os per second of wait change where a bucket begins.
    counts: Vec<(f64, f64)>,
    longest_s: f64,
}

/// Returns the bucket of a wait: its exponent, and the first bits of its mantissa.
fn bucket(seconds: f64) -> usize {
    let bits = |value: f64| value.to_bits() >> (52 - EACH_DOUBLING.trailing_zeros());
    (bits(seconds.max(SHORTEST)) - bits(SHORTEST)).min(BUCKETS as u64 - 2) as usize
}

fn begins(bucket: usize) -> f64 {
    let shift = 52 - EACH_DOUBLING.trailing_zeros();
    f64::from_bits(((SHORTEST.to_bits() >> shift) + bucket as u64) << shift)
}

impl Waits {
    /// Adds I/Os that do not wait.
    pub fn add_none(&mut self, ops: f64) {
        self.none += ops;
    }

    /// Adds I/Os whose waits are spread evenly between two.
    pub fn add(&mut self, ops: f64, (one, other): (f64, f64)) {
        let (low, high) = (one.min(other).max(0.0), one.max(other).max(0.0));
        if high <= SHORTEST {
            self.none += ops;
            return;
        }
        self.longest_s = self.longest_s.max(high);
        if self.counts.is_empty() {
            self.counts = vec![(0.0, 0.0); BUCKETS];
        }
        let (first, last) = (bucket(low), bucket(high));
        if first == last {
            self.counts[last].0 += ops;
            return;
        }
        let each = ops / (high - low);
        // The ends lie within a bucket; between them every bucket has its part.
        self.none += each * (begins(0) - low).max(0.0);
        self.counts[first].0 += each * (begins(first + 1) - low.max(begins(0)));
        self.counts[last].0 += each * (high - begins(last));
        self.counts[first + 1].1 += each;
        self.counts[last].1 -= each;
    }

    /// Returns the I/Os of each bucket.
    fn filled(&self) -> impl Iterator<Item = f64> {
        let mut each = 0.0;
        self.counts.iter().enumerate().map(move |(at, (count, change))| {
            each += change;
            count + (each * (begins(at + 1) - begins(at))).max(0.0)
        })
    }

    /// Returns the wait that `share` (0 to 1) of the I/Os do not exceed, in seconds; 0 without I/Os.
    pub fn quantile_s(&self, share: f64) -> f64 {
        let wanted = share * (self.none + self.filled().sum::<f64>());
        let mut below = self.none;
        if wanted <= below {
            return 0.0;
        }
        for (at, count) in self.filled().enumerate() {
            below += count;
            if below >= wanted {
                return f64::midpoint(begins(at), begins(at + 1)).min(self.longest_s);
            }
        }
        self.longest_s
    }

    /// Returns the longest wait, in seconds.
    pub fn longest_s(&self) -> f64 {
        self.longest_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_residue_of_rounding_is_no_wait() {
        let mut waits = Waits::default();
        waits.add(10.0, (0.0, 4e-10));
        assert_eq!((waits.longest_s(), waits.quantile_s(1.0)), (0.0, 0.0));
        waits.add(10.0, (0.0, 0.5));
        assert_eq!(waits.longest_s(), 0.5);
    }
}
