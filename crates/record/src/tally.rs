//! Sums of one direction over a span, exact where the histogram is not.

use serde::{Deserialize, Serialize};

/// Sums over the I/Os of one direction that ended in a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// I/Os that returned data, even if it differs from the data written.
    pub ops: u64,
    /// Bytes these I/Os moved.
    pub bytes: u64,
    /// I/Os that failed, and those that returned data other than was written.
    pub errors: u64,
    /// I/Os that moved fewer bytes than requested.
    pub short: u64,
    /// Sum of the latencies from due to done, in nanoseconds.
    pub latency_ns_sum: u64,
    /// Least latency from due to done, in nanoseconds; `u64::MAX` if nothing ended.
    pub latency_ns_min: u64,
    /// Greatest latency from due to done, in nanoseconds.
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
    /// Counts one successful I/O.
    #[inline]
    pub fn count(&mut self, bytes: u64, latency_ns: u64) {
        self.count_alike(bytes, latency_ns, 1);
    }

    /// Counts `ops` successful I/Os, at least one, each of `bytes` and `latency_ns`.
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

    /// Out of line because few latencies are the least or the greatest so far.
    #[cold]
    fn widen(&mut self, latency_ns: u64) {
        self.latency_ns_min = self.latency_ns_min.min(latency_ns);
        self.latency_ns_max = self.latency_ns_max.max(latency_ns);
    }

    /// Adds `other`; exact, in any order. Sums saturate: no machine overflows them, but a crafted file might.
    pub fn merge(&mut self, other: &Tally) {
        self.ops = self.ops.saturating_add(other.ops);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.errors = self.errors.saturating_add(other.errors);
        self.short = self.short.saturating_add(other.short);
        self.latency_ns_sum = self.latency_ns_sum.saturating_add(other.latency_ns_sum);
        self.latency_ns_min = self.latency_ns_min.min(other.latency_ns_min);
        self.latency_ns_max = self.latency_ns_max.max(other.latency_ns_max);
    }

    /// Returns the mean latency from due to done in nanoseconds; `None` if nothing ended.
    pub fn latency_ns_mean(&self) -> Option<f64> {
        (self.ops > 0).then(|| self.latency_ns_sum as f64 / self.ops as f64)
    }
}
