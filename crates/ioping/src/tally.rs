//! Sums and extremes of requests, and the figures derived from them.

use workload::Nanos;

/// Sums over the requests of a period, or over all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Number of counted requests.
    pub valid: u64,
    /// Bytes of the counted requests.
    pub bytes: u64,
    /// Time of the counted requests, summed.
    pub time_ns: u64,
    /// Time of the fastest counted request; zero without any.
    pub min_ns: u64,
    /// Time of the slowest counted request.
    pub max_ns: u64,
    /// Sum of the squares of the counted times; exact, because a double would lose the spread of a steady series.
    squares: u128,
    /// Number of requests that were faster than allowed.
    pub too_fast: u64,
    /// Number of requests that were slower than allowed.
    pub too_slow: u64,
    /// Number of completed requests, counted or not.
    pub all: u64,
    /// Bytes of all completed requests.
    pub all_bytes: u64,
    /// Number of requests that failed.
    pub failed: u64,
}

/// Figures derived from a [`Tally`] and the elapsed time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    /// Counted requests per second of the time that they took.
    pub iops: f64,
    /// Bytes per second of the time that the counted requests took.
    pub bps: f64,
    /// Mean time in nanoseconds.
    pub mean_ns: f64,
    /// Population standard deviation of the counted times in nanoseconds.
    pub mdev_ns: f64,
    /// All requests per second of elapsed time.
    pub load_iops: f64,
    /// All bytes per second of elapsed time.
    pub load_bps: f64,
}

impl Tally {
    /// Counts a completed request.
    pub fn carried_out(&mut self, bytes: u64) {
        self.all += 1;
        self.all_bytes += bytes;
    }

    /// Counts a request as valid.
    pub fn counts(&mut self, time: Nanos, bytes: u64) {
        self.min_ns = if self.valid == 0 { time.0 } else { self.min_ns.min(time.0) };
        self.max_ns = self.max_ns.max(time.0);
        self.valid += 1;
        self.bytes += bytes;
        self.time_ns += time.0;
        self.squares += u128::from(time.0) * u128::from(time.0);
    }

    /// Mean time of the counted requests in nanoseconds; 0 without any.
    pub fn mean_ns(&self) -> f64 {
        if self.valid == 0 { 0.0 } else { self.time_ns as f64 / self.valid as f64 }
    }

    /// The figures, given an elapsed time of `load`.
    pub fn figures(&self, load: Nanos) -> Figures {
        let rate = |amount: u64, ns: u64| if ns == 0 { 0.0 } else { amount as f64 * 1e9 / ns as f64 };
        Figures {
            iops: rate(self.valid, self.time_ns),
            bps: rate(self.bytes, self.time_ns),
            mean_ns: self.mean_ns(),
            mdev_ns: self.mdev_ns(),
            load_iops: rate(self.all, load.0),
            load_bps: rate(self.all_bytes, load.0),
        }
    }

    /// sqrt(sum of squares / n - mean²), in whole numbers: n·Σx² - (Σx)² is exact.
    fn mdev_ns(&self) -> f64 {
        let (n, sum) = (u128::from(self.valid), u128::from(self.time_ns));
        if n == 0 {
            return 0.0;
        }
        let spread = n.saturating_mul(self.squares).saturating_sub(sum.saturating_mul(sum));
        (spread as f64).sqrt() / n as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(times: &[u64]) -> Tally {
        let mut tally = Tally::default();
        for &time in times {
            tally.carried_out(4096);
            tally.counts(Nanos(time), 4096);
        }
        tally
    }

    #[test]
    fn the_figures_are_those_of_the_numbers() {
        let some = tally(&[18_732, 22_287]);
        let figures = some.figures(Nanos(119_274));
        assert_eq!((some.min_ns, some.max_ns, some.time_ns), (18_732, 22_287, 41_019));
        assert!((figures.iops - 48_757.892_684).abs() < 1e-6);
        assert_eq!(figures.bps.round(), 199_712_328.0);
        assert_eq!(figures.mdev_ns, 1777.5);
        assert!((figures.load_iops - 2.0 / 119_274e-9).abs() < 1e-6);
    }

    #[test]
    fn none_is_all_zeros() {
        let figures = Tally::default().figures(Nanos::ZERO);
        assert_eq!((figures.iops, figures.mean_ns, figures.mdev_ns, figures.load_bps), (0.0, 0.0, 0.0, 0.0));
    }

    #[test]
    fn a_steady_stream_has_no_spread() {
        assert_eq!(tally(&[1_234_567_891; 1000]).figures(Nanos::SECOND).mdev_ns, 0.0);
    }
}
