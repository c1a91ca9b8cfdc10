//! A write-back cache: writes complete once they are in it; it drains at a separate rate, and a flush waits for that.

use workload::{Bytes, Nanos};

/// A write-back cache.
#[derive(Clone, Debug)]
pub(super) struct WriteBack {
    size: Bytes,
    /// Bytes a second that drain to the volume behind the cache.
    drain: f64,
    /// Latency of a write into the cache.
    pub(super) latency: Nanos,
    /// Latency of a flush when nothing is left to drain.
    flush: Nanos,
    /// When the cache will be empty.
    empty_at: Nanos,
}

/// The parameters of a write-back cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WriteBackPlan {
    pub(super) size: Bytes,
    pub(super) drain: f64,
    pub(super) latency: Nanos,
    pub(super) flush: Nanos,
}

impl WriteBack {
    pub(super) fn new(plan: WriteBackPlan) -> WriteBack {
        let WriteBackPlan { size, drain, latency, flush } = plan;
        WriteBack { size, drain, latency, flush, empty_at: Nanos::ZERO }
    }

    fn drained_in(&self, bytes: u64) -> Nanos {
        Nanos((bytes as f64 / self.drain * 1e9) as u64)
    }

    /// Returns when there is room for a write that arrives at `now`.
    #[inline]
    pub(super) fn room(&mut self, now: Nanos, bytes: Bytes) -> Nanos {
        let full = self.drained_in(self.size.0.saturating_sub(bytes.0));
        let room = now.max(Nanos(self.empty_at.0.saturating_sub(full.0)));
        self.empty_at = self.empty_at.max(now) + self.drained_in(bytes.0);
        room
    }

    /// Returns when a flush that arrives at `now` completes.
    pub(super) fn flushed(&self, now: Nanos) -> Nanos {
        self.empty_at.max(now) + self.flush
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_fill_it_at_once_and_then_go_at_the_rate_it_drains() {
        let (size, drain) = (Bytes::mib(100), 10.0 * 1048576.0);
        let plan = WriteBackPlan { size, drain, latency: Nanos(0), flush: Nanos::from_millis(3) };
        let mut cache = WriteBack::new(plan);
        let rooms: Vec<f64> =
            (0..200).map(|_| cache.room(Nanos::ZERO, Bytes::mib(1)).as_secs_f64()).collect();
        assert_eq!(rooms[99], 0.0, "a hundred fit");
        assert!((rooms[199] - 10.0).abs() < 1e-6, "{}", rooms[199]);
        let flushed = cache.flushed(Nanos::ZERO).as_secs_f64();
        assert!((flushed - 20.003).abs() < 1e-6, "{flushed}");
    }
}
