//! Bounds that end a worker because its volume is too slow: an I/O that takes too long, a rate that is too low.

use workload::{Bounds as PlannedBounds, ByDirection, Direction, LeastRates, Nanos};

use super::slots::InFlight;
use super::{StopReason, Worker};

/// A bound that was crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crossing {
    /// I/Os per second of one direction.
    Ops {
        /// The direction.
        direction: Direction,
        /// The bound.
        least: u64,
        /// The rate reached.
        got: u64,
    },
    /// Bytes per second of one direction.
    Bytes {
        /// The direction.
        direction: Direction,
        /// The bound.
        least: u64,
        /// The rate reached.
        got: u64,
    },
    /// Time from due to completed.
    Latency {
        /// The bound.
        most: Nanos,
        /// The time that the I/O took.
        took: Nanos,
        /// The I/O.
        io: InFlight,
    },
}

/// The bounds of a worker, and the state of their windows.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    latency: ByDirection<Option<Nanos>>,
    rates: Option<Rates>,
}

/// Least rates, and the I/O completed in the current window.
#[derive(Clone, Debug)]
struct Rates {
    asked: LeastRates,
    /// Directions checked, in this order: a worker that issues no writes has no rate of writes.
    issued: Vec<Direction>,
    /// Start of the window; [`Nanos::MAX`] until it is known.
    from: Nanos,
    /// I/O completed in the window, by [`Direction::index`].
    done: [CompletedAmount; 4],
}

#[derive(Clone, Copy, Debug, Default)]
struct CompletedAmount {
    ops: u64,
    bytes: u64,
}

impl Bounds {
    /// `None` if the plan sets no bound; `issues` returns whether the worker issues a direction.
    pub(super) fn new(asked: &PlannedBounds, issues: impl Fn(Direction) -> bool) -> Option<Box<Bounds>> {
        let rates = asked.rates.map(|asked| Rates {
            asked,
            issued: asked.ops.iter().map(|(direction, _)| direction).filter(|way| issues(*way)).collect(),
            from: Nanos::MAX,
            done: Default::default(),
        });
        asked.is_any().then(|| Box::new(Bounds { latency: asked.latency, rates }))
    }

    /// Notes that counting begins at `at`; the first window begins after the grace.
    pub(super) fn begin(&mut self, at: Nanos) {
        if let Some(rates) = &mut self.rates {
            rates.from = at + rates.asked.grace;
        }
    }

    /// Counts `io`, which completed at `now` and moved `bytes`; returns the latency bound that it crossed, if any.
    pub(super) fn done(&mut self, io: &InFlight, now: Nanos, bytes: u32) -> Option<Crossing> {
        let took = now.since(io.due);
        if let Some(rates) = self.rates.as_mut().filter(|rates| now >= rates.from) {
            let done = &mut rates.done[io.kind.index()];
            done.ops += 1;
            done.bytes += u64::from(bytes);
        }
        let most = (*self.latency.of(io.kind)).filter(|most| took > *most && io.kind != Direction::Flush)?;
        Some(Crossing::Latency { most, took, io: *io })
    }

    /// When the current window is over.
    pub(super) fn horizon(&self) -> Nanos {
        self.rates.as_ref().map_or(Nanos::MAX, |rates| rates.from + rates.asked.window)
    }

    /// Checks the window if it is over at `now`, and begins the next.
    pub(super) fn pass(&mut self, now: Nanos) -> Option<Crossing> {
        if now < self.horizon() {
            return None;
        }
        let rates = self.rates.as_mut()?;
        let crossed = rates.issued.iter().find_map(|way| rates.crossed(*way, now.since(rates.from)));
        rates.from = now;
        rates.done = Default::default();
        crossed
    }
}

impl Rates {
    /// Returns the least rate of `direction` that was missed in a window of length `span`.
    fn crossed(&self, direction: Direction, span: Nanos) -> Option<Crossing> {
        let done = self.done[direction.index()];
        let a_second = |count: u64| (u128::from(count) * 1_000_000_000 / u128::from(span.0.max(1))) as u64;
        let (ops, bytes) = (a_second(done.ops), a_second(done.bytes));
        let (least_ops, least_bytes) = (*self.asked.ops.of(direction), self.asked.bytes.of(direction).0);
        let too_few = (ops < least_ops).then_some(Crossing::Ops { direction, least: least_ops, got: ops });
        let too_little = Crossing::Bytes { direction, least: least_bytes, got: bytes };
        too_few.or((bytes < least_bytes).then_some(too_little))
    }
}

impl Crossing {
    /// Positive errno with which a worker ends that crossed this bound: EIO for a rate, ETIMEDOUT for a latency.
    pub(crate) fn errno(&self) -> i32 {
        match self {
            Crossing::Ops { .. } | Crossing::Bytes { .. } => 5,
            Crossing::Latency { .. } => 110,
        }
    }
}

impl Worker {
    /// Checks `io`, which moved `bytes` and completed at `at`, against the bounds.
    #[cold]
    pub(super) fn keep_to_bounds(&mut self, io: &InFlight, at: Nanos, bytes: u32) {
        let crossing = self.bounds.as_mut().and_then(|bounds| bounds.done(io, at, bytes));
        self.cross(crossing, at);
    }

    /// Checks the rates at `now`, if a window is over.
    pub(super) fn pass_bounds(&mut self, now: Nanos) {
        let crossing = self.bounds.as_mut().and_then(|bounds| bounds.pass(now));
        self.cross(crossing, now);
    }

    /// Ends the worker if a bound is crossed; the first one is remembered.
    pub(super) fn cross(&mut self, crossing: Option<Crossing>, at: Nanos) {
        if crossing.is_some() && self.crossing.is_none() {
            self.crossing = crossing;
            self.forgo_reading_back();
            self.end(StopReason::Failed, at);
        }
    }

    /// The bound that ended the worker.
    pub(crate) fn crossing(&self) -> Option<Crossing> {
        self.crossing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::Bytes;

    fn io(kind: Direction, due: u64) -> InFlight {
        InFlight { due: Nanos(due), issued: Nanos(due), kind, file: 0, offset: 0, bytes: 4096 }
    }

    #[test]
    fn a_rate_is_looked_at_behind_the_grace_and_window_by_window() {
        let rates = LeastRates {
            ops: ByDirection { read: 3, ..ByDirection::default() },
            bytes: ByDirection { write: Bytes(1), ..ByDirection::default() },
            window: Nanos::SECOND,
            grace: Nanos::from_secs(2),
        };
        let asked = PlannedBounds { rates: Some(rates), ..PlannedBounds::default() };
        let mut bounds = Bounds::new(&asked, |way| way == Direction::Read).unwrap();
        assert_eq!(bounds.horizon(), Nanos::MAX, "it has not begun");
        bounds.begin(Nanos(7));
        assert_eq!(bounds.horizon(), Nanos::from_secs(3) + Nanos(7));
        let reads = |bounds: &mut Bounds, count: u64, at: Nanos| {
            (0..count).for_each(|_| assert_eq!(bounds.done(&io(Direction::Read, at.0), at, 4096), None));
        };
        reads(&mut bounds, 3, Nanos(2_100_000_000));
        assert_eq!(bounds.pass(Nanos(3_000_000_000)), None, "the window goes on");
        assert_eq!(bounds.pass(Nanos(3_000_000_007)), None, "three in a second");
        reads(&mut bounds, 2, Nanos(3_500_000_000));
        let crossed = Crossing::Ops { direction: Direction::Read, least: 3, got: 2 };
        assert_eq!(bounds.pass(Nanos(4_000_000_007)), Some(crossed), "writes are not issued");
    }

    #[test]
    fn only_an_io_that_takes_longer_crosses_a_latency() {
        let latency = ByDirection { write: Some(Nanos(10)), ..ByDirection::default() };
        let mut bounds = Bounds::new(&PlannedBounds { latency, rates: None }, |_| true).unwrap();
        assert_eq!(bounds.done(&io(Direction::Write, 5), Nanos(15), 4096), None);
        assert_eq!(bounds.done(&io(Direction::Read, 5), Nanos(99), 4096), None);
        assert_eq!(bounds.done(&io(Direction::Flush, 5), Nanos(99), 0), None);
        let late = io(Direction::Write, 5);
        let crossed = Crossing::Latency { most: Nanos(10), took: Nanos(11), io: late };
        assert_eq!(bounds.done(&late, Nanos(16), 4096), Some(crossed));
        assert!(Bounds::new(&PlannedBounds::default(), |_| true).is_none());
    }
}
