//! The distribution of waits of a replayed load.

/// Ratio of neighbouring bounds: a percentile is off by at most half of it.
const STEP: f64 = 1.02;
/// Shortest wait that counts, in seconds; what is shorter is none.
const SHORTEST: f64 = 1e-6;
/// Number of buckets: the last ends after 60 years.
const BUCKETS: usize = 1800;

/// How many I/Os wait how long.
#[derive(Clone, Debug)]
pub struct Waits {
    none: f64,
    counts: Vec<f64>,
    longest_s: f64,
}

impl Default for Waits {
    fn default() -> Waits {
        Waits { none: 0.0, counts: Vec::new(), longest_s: 0.0 }
    }
}

fn bucket(seconds: f64) -> usize {
    ((seconds / SHORTEST).ln() / STEP.ln()).clamp(0.0, (BUCKETS - 1) as f64) as usize
}

fn begins(bucket: usize) -> f64 {
    SHORTEST * STEP.powi(bucket as i32)
}

impl Waits {
    /// Adds I/Os that do not wait.
    pub fn add_none(&mut self, ops: f64) {
        self.none += ops;
    }

    /// Adds I/Os whose waits are spread evenly between two.
    pub fn add(&mut self, ops: f64, (one, other): (f64, f64)) {
        let (low, high) = (one.min(other).max(0.0), one.max(other).max(0.0));
        self.longest_s = self.longest_s.max(high);
        if high <= SHORTEST {
            self.none += ops;
            return;
        }
        if self.counts.is_empty() {
            self.counts = vec![0.0; BUCKETS];
        }
        let (first, last) = (bucket(low.max(SHORTEST)), bucket(high));
        if first == last || high - low <= SHORTEST {
            self.counts[last] += ops;
            return;
        }
        let each = ops / (high - low);
        self.none += each * (SHORTEST - low).max(0.0);
        for at in first..=last {
            let overlap = begins(at + 1).min(high) - begins(at).max(low);
            self.counts[at] += each * overlap.max(0.0);
        }
    }

    /// Returns the wait that `share` (0 to 1) of the I/Os do not exceed, in seconds; 0 without I/Os.
    pub fn quantile_s(&self, share: f64) -> f64 {
        let all = self.none + self.counts.iter().sum::<f64>();
        let (wanted, mut below) = (share * all, self.none);
        if wanted <= below {
            return 0.0;
        }
        for (at, count) in self.counts.iter().enumerate() {
            below += count;
            if below >= wanted {
                return (begins(at) * STEP.sqrt()).min(self.longest_s);
            }
        }
        self.longest_s
    }

    /// Returns the longest wait, in seconds.
    pub fn longest_s(&self) -> f64 {
        self.longest_s
    }

    /// Returns the share of I/Os that wait.
    pub fn waiting_share(&self) -> f64 {
        let waiting: f64 = self.counts.iter().sum();
        if waiting > 0.0 { waiting / (waiting + self.none) } else { 0.0 }
    }
}
