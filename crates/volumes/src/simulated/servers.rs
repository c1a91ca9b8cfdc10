//! A volume that no meter limits: several servers behind one queue, as in a disk or a storage node at its limit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use statistics::{LogNormal, Stream};
use workload::{Bytes, Nanos};

/// Service time of one I/O, excluding the time for its bytes.
#[derive(Clone, Copy, Debug)]
enum Service {
    Constant(f64),
    /// A coefficient of variation of one: with Poisson arrivals and one server, M/M/1.
    Exponential(f64),
    Spread(LogNormal),
}

/// The parameters of the servers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ServerPlan {
    pub(super) servers: u32,
    /// Mean service time of one I/O.
    pub(super) service: Nanos,
    /// Coefficient of variation of the service time: 0 constant, 1 exponential, otherwise log-normal.
    pub(super) variation: f64,
    /// Bytes a second that one server moves, in addition to the service time.
    pub(super) bandwidth: Option<f64>,
}

/// The servers at work, first come, first served.
#[derive(Clone, Debug)]
pub(super) struct Servers {
    plan: ServerPlan,
    service: Service,
    /// When each server is free.
    free: BinaryHeap<Reverse<Nanos>>,
    random: Stream,
}

impl ServerPlan {
    /// Returns the mean time of a server for an I/O of this size, in nanoseconds.
    fn mean_ns(&self, bytes: Bytes) -> f64 {
        self.service.0 as f64 + self.bandwidth.map_or(0.0, |rate| bytes.0 as f64 / rate * 1e9)
    }

    /// Returns the I/Os of this size per second when every server is busy.
    pub(super) fn rate(&self, bytes: Bytes) -> f64 {
        f64::from(self.servers) * 1e9 / self.mean_ns(bytes)
    }
}

impl Servers {
    pub(super) fn new(plan: ServerPlan, random: Stream) -> Servers {
        let mean = plan.service.0 as f64;
        let service = match plan.variation {
            0.0 => Service::Constant(mean),
            1.0 => Service::Exponential(mean),
            variation => Service::Spread(LogNormal::new(mean, variation)),
        };
        let free = (0..plan.servers).map(|_| Reverse(Nanos::ZERO)).collect();
        Servers { plan, service, free, random }
    }

    pub(super) fn plan(&self) -> &ServerPlan {
        &self.plan
    }

    /// Returns when an I/O that arrives at `now` completes, at `pace` times the nominal speed.
    #[inline]
    pub(super) fn serve(&mut self, now: Nanos, bytes: Bytes, pace: f64) -> Nanos {
        let drawn = match self.service {
            Service::Constant(mean) => mean,
            Service::Exponential(mean) => self.random.exponential(mean),
            Service::Spread(spread) => spread.sample(&mut self.random),
        };
        let transfer = self.plan.mean_ns(bytes) - self.plan.service.0 as f64;
        let taken = Nanos(((drawn + transfer) / pace) as u64);
        let begun = self.free.peek().map_or(now, |&Reverse(free)| free.max(now));
        let done = begun + taken;
        self.free.pop();
        self.free.push(Reverse(done));
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(servers: u32, variation: f64, bandwidth: Option<f64>) -> Servers {
        let plan = ServerPlan { servers, service: Nanos::from_millis(1), variation, bandwidth };
        Servers::new(plan, Stream::new(1, 1))
    }

    #[test]
    fn busy_servers_serve_their_rate() {
        for (count, variation, bandwidth, bytes) in
            [(1, 0.0, None, 4096), (8, 1.0, None, 4096), (8, 0.5, Some(1e9), 1 << 20)]
        {
            let mut servers = servers(count, variation, bandwidth);
            let rate = servers.plan.rate(Bytes(bytes));
            let last = (0..100_000).map(|_| servers.serve(Nanos::ZERO, Bytes(bytes), 1.0)).max().unwrap();
            let served = 100_000.0 / last.as_secs_f64();
            assert!((served / rate - 1.0).abs() < 0.02, "{count} {variation}: {served} of {rate}");
        }
    }

    /// The mean wait of M/M/1 at 80 % load is four service times; of M/D/1, two.
    #[test]
    fn waiting_times_are_those_of_queueing_theory() {
        for (variation, waits) in [(1.0, 4.0), (0.0, 2.0)] {
            let mut servers = servers(1, variation, None);
            let mut arrivals = Stream::new(2, 2);
            let (mut now, mut total, mut random) = (0.0, 0.0, 0.0);
            for _ in 0..400_000 {
                now += arrivals.exponential(1.25e6);
                let arrived = Nanos(now as u64);
                total += servers.serve(arrived, Bytes(4096), 1.0).since(arrived).0 as f64;
                random += 1e6;
            }
            let wait = (total - random) / 400_000.0 / 1e6;
            assert!((wait / waits - 1.0).abs() < 0.08, "{variation}: {wait}");
        }
    }
}
