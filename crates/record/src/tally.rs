//! Sums of one direction over some span: what is exact beside the histogram.

use serde::{Deserialize, Serialize};

/// Sums over the I/Os of one direction that ended in some span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// I/Os that came back with data, also where it is not what was written.
    pub ops: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// I/Os that failed, and those whose data is not what was written.
    pub errors: u64,
    /// I/Os that moved fewer bytes than asked.
    pub short: u64,
    /// Sum of due→done in nanoseconds.
    pub latency_ns_sum: u64,
    /// Least due→done in nanoseconds; `u64::MAX` where there was none.
    pub latency_ns_min: u64,
    /// Greatest due→done in nanoseconds.
    pub latency_ns_max: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            ops: 0,
            bytes: 0,
            errors: 0,
            short: 0,
            latency_ns_sum: 0,
            latency_ns_min: u64::MAX,
            latency_ns_max: 0,
        }
    }
}

impl Tally {
    /// Counts one I/O that ended well.
    #[inline]
    pub fn count(&mut self, bytes: u64, latency_ns: u64) {
        self.count_alike(bytes, latency_ns, 1);
    }

    /// Counts `ops` I/Os, at least one, that moved `bytes` each in the same time.
    #[inline]
    pub fn count_alike(&mut self, bytes: u64, latency_ns: u64, ops: u32) {
        debug_assert!(ops > 0, "no I/O has no latency");
        self.ops += u64::from(ops);
        self.bytes += bytes * u64::from(ops);
        self.latency_ns_sum += latency_ns * u64::from(ops);
        if latency_ns < self.latency_ns_min || latency_ns > self.latency_ns_max {
            self.widen(latency_ns);
        }
    }

    /// Kept apart, since hardly any latency is the least or the greatest so far.
    #[cold]
    fn widen(&mut self, latency_ns: u64) {
        self.latency_ns_min = self.latency_ns_min.min(latency_ns);
        self.latency_ns_max = self.latency_ns_max.max(latency_ns);
    }

    /// Adds `other`; exact, and the order does not matter. Sums that no machine reaches, as a file made for it may hold, stay at
    /// the most there is.
    pub fn merge(&mut self, other: &Tally) {
        self.ops = self.ops.saturating_add(other.ops);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.errors = self.errors.saturating_add(other.errors);
        self.short = self.short.saturating_add(other.short);
        self.latency_ns_sum = self.latency_ns_sum.saturating_add(other.latency_ns_sum);
        self.latency_ns_min = self.latency_ns_min.min(other.latency_ns_min);
        self.latency_ns_max = self.latency_ns_max.max(other.latency_ns_max);
    }

    /// Mean due→done in nanoseconds; `None` where nothing ended.
    pub fn latency_ns_mean(&self) -> Option<f64> {
        (self.ops > 0).then(|| self.latency_ns_sum as f64 / self.ops as f64)
    }
}
