//! A soft corner: a volume that approaches its cap slowly, X = ((n/L)^-p + C^-p)^(-1/p) with n I/Os in flight.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use workload::Nanos;

/// The corner, with the completion times of the I/Os in flight.
#[derive(Clone, Debug)]
pub(super) struct Corner {
    /// Sharpness: 1 is the softest; above 16 the corner cannot be distinguished from that of a meter.
    p: f64,
    in_flight: BinaryHeap<Reverse<Nanos>>,
}

impl Corner {
    pub(super) fn new(p: f64) -> Corner {
        Corner { p, in_flight: BinaryHeap::new() }
    }

    /// Returns the total time of an I/O that arrives at `now`, would take `latency` alone, and would be admitted at
    /// `rate` per second.
    ///
    /// By Little's law, each of n I/Os in flight takes n/X: (L^p + (n/C)^p)^(1/p).
    pub(super) fn response(&mut self, now: Nanos, latency: Nanos, rate: f64) -> Nanos {
        while self.in_flight.peek().is_some_and(|&Reverse(done)| done <= now) {
            self.in_flight.pop();
        }
        let (alone, shared) = (latency.0 as f64, (self.in_flight.len() + 1) as f64 / rate * 1e9);
        let scale = alone.max(shared);
        let sum = (alone / scale).powf(self.p) + (shared / scale).powf(self.p);
        Nanos((scale * sum.powf(1.0 / self.p)) as u64)
    }

    /// Records an I/O that completes at `done`.
    pub(super) fn issued(&mut self, done: Nanos) {
        self.in_flight.push(Reverse(done));
    }
}
