//! The latency of one I/O after every queue: its mean and spread, a second mode, and a tail.

use statistics::{LogNormal, Stream};
use workload::Nanos;

/// The latency of an I/O without queueing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    /// Always the same, in nanoseconds.
    Constant(u64),
    /// Log-normal, in nanoseconds.
    Spread(LogNormal),
}

impl Base {
    pub(super) fn new(mean: Nanos, variation: f64) -> Base {
        if variation > 0.0 && mean > Nanos::ZERO {
            Base::Spread(LogNormal::new(mean.0 as f64, variation))
        } else {
            Base::Constant(mean.0)
        }
    }

    #[inline]
    pub(super) fn draw(&self, random: &mut Stream) -> Nanos {
        match self {
            Base::Constant(nanos) => Nanos(*nanos),
            Base::Spread(spread) => Nanos(spread.sample(random) as u64),
        }
    }
}

/// Effects that make some I/Os slower.
#[derive(Clone, Debug)]
pub(super) struct Oddities {
    /// Share of I/Os in the second mode, and the factor of their latency.
    pub(super) mode: (f64, f64),
    /// Share of I/Os in the tail, and their additional time.
    pub(super) tail: (f64, Nanos),
    pub(super) random: Stream,
}

impl Oddities {
    #[inline]
    pub(super) fn change(&mut self, latency: Nanos) -> Nanos {
        let mut changed = latency;
        if self.mode.0 > 0.0 && self.random.unit_f64() < self.mode.0 {
            changed = Nanos((latency.0 as f64 * self.mode.1) as u64);
        }
        if self.tail.0 > 0.0 && self.random.unit_f64() < self.tail.0 {
            changed += self.tail.1;
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_odd_as_asked() {
        let mut oddities =
            Oddities { mode: (0.3, 10.0), tail: (1e-3, Nanos::from_millis(300)), random: Stream::new(1, 1) };
        let drawn: Vec<Nanos> = (0..200_000).map(|_| oddities.change(Nanos::from_millis(1))).collect();
        let share = |of: &dyn Fn(&Nanos) -> bool| drawn.iter().filter(|nanos| of(nanos)).count() as f64 / 2e5;
        assert!((share(&|nanos| *nanos == Nanos::from_millis(10)) - 0.3).abs() < 0.005);
        assert!((share(&|nanos| *nanos >= Nanos::from_millis(301)) - 1e-3).abs() < 3e-4);
    }
}
