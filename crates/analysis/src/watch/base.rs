//! The latency of an I/O that need not wait, from the calm intervals of a device.

use workload::Nanos;

use super::ticks::{Tick, Way};

/// Latency of an I/O on a device when hardly anything waits, seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Base {
    pub read: Option<f64>,
    pub write: Option<f64>,
    pub both: Option<f64>,
}

impl Base {
    /// Returns the latency of one way.
    pub fn of(&self, way: Way) -> Option<f64> {
        match way {
            Way::Read => self.read,
            Way::Write => self.write,
            Way::Both => self.both,
        }
    }

    /// Whether no base latency is known.
    pub fn is_unknown(&self) -> bool {
        Way::ALL.iter().all(|&way| self.of(way).is_none())
    }
}

/// Queue, while there is work, below which no I/O waits for long (method 12.1).
const UNQUEUED: f64 = 1.5;
/// Share of intervals that are faster than the chosen one (method 12.1).
const FASTEST: f64 = 0.05;
/// Fewest I/Os of an interval that counts: the kernel keeps times in milliseconds (method 12.1).
const ENOUGH: f64 = 10.0;

/// Returns the 5th percentile of the mean latencies of the intervals with hardly a queue (method 12.1).
///
/// The queue is that of the time with work: in the interval in which a deep queue drains, its mean over the interval is
/// small, although the I/Os completed in it have waited. For the same reason the intervals at the ends of plimsoll's
/// own load (`edges`, ascending) do not count.
pub(crate) fn base(ticks: &[Tick], edges: &[Nanos]) -> Base {
    let at_an_edge = |tick: &Tick| {
        let next = edges.partition_point(|edge| *edge < tick.from);
        edges.get(next).is_some_and(|edge| *edge <= tick.to)
    };
    let calm = |tick: &&Tick| tick.queue < UNQUEUED * tick.busy.min(1.0) && !at_an_edge(tick);
    let quiet = || ticks.iter().filter(calm);
    let of = |way: Way| {
        let (ops, wait) = (|tick: &Tick| way.of(tick.ops), |tick: &Tick| way.of(tick.wait));
        let enough = quiet().filter(|tick| ops(tick) >= ENOUGH).map(|tick| wait(tick) / ops(tick));
        let mut each: Vec<f64> = enough.filter(|value| value.is_finite() && *value > 0.0).collect();
        if each.is_empty() {
            let sums = quiet().fold((0.0, 0.0), |sum, tick| (sum.0 + ops(tick), sum.1 + wait(tick)));
            return (sums.0 >= ENOUGH && sums.1 > 0.0).then(|| sums.1 / sums.0);
        }
        let place = ((each.len() - 1) as f64 * FASTEST) as usize;
        Some(*each.select_nth_unstable_by(place, f64::total_cmp).1)
    };
    Base { read: of(Way::Read), write: of(Way::Write), both: of(Way::Both) }
}
