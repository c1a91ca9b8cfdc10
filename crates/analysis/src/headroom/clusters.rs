//! How late I/Os of a search cluster: in a queue, one is seldom late alone, and near the queue's limit they come by
//! the thousand.

use workload::LatencyBound;

use super::load::OpenLoad;

/// Least share of a full queue's rate at which queues are long because of the rate.
const NEARLY_FULL: f64 = 0.97;
/// Share to which a rate is known at best, because what arrives in some seconds is chance.
const KNOWN: f64 = 0.01;

/// What the loads of a search show of one bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clusters {
    /// Dispersion of loads that leave room: what makes them late comes at any rate.
    anywhere: f64,
    /// Dispersion of loads that leave hardly any room, as it would be with no room but [`KNOWN`].
    full: f64,
    /// I/Os per second with a full queue; infinite if that is not known, as if every load left room.
    full_queue: f64,
}

impl Clusters {
    /// Returns what `loads` show of `bound`, which comes with its index.
    pub(super) fn seen(
        loads: &[OpenLoad],
        bound: (usize, &LatencyBound),
        full_queue: Option<f64>,
    ) -> Clusters {
        let full_queue = full_queue.filter(|rate| *rate > 0.0).unwrap_or(f64::INFINITY);
        let shown = |load: &OpenLoad| Some((load.rate, load.clusters(bound.0, *bound.1)?));
        let (near, far): (Vec<_>, Vec<_>) =
            loads.iter().filter_map(shown).partition(|(rate, _)| *rate >= NEARLY_FULL * full_queue);
        let relieved = |(rate, (events, how)): &(f64, (f64, f64))| (*events, how / relief(*rate, full_queue));
        Clusters {
            anywhere: weighed(far.iter().map(|(_, shown)| *shown)),
            full: weighed(near.iter().map(relieved)),
            full_queue,
        }
    }

    /// Returns how many times the variance of late I/Os at `rate` is that of independent ones, as far as other loads
    /// show. The less room there is, the longer a queue remembers, by the square of it (Abate, Whitt: Operations
    /// Research Letters 6, 1987): what a load near the limit shows of its clusters is too much for one that leaves
    /// room.
    pub(super) fn at(&self, rate: f64) -> f64 {
        self.anywhere.max(self.full * relief(rate, self.full_queue))
    }
}

/// Returns the ratio of clusters at `rate` to those with hardly any room.
fn relief(rate: f64, full_queue: f64) -> f64 {
    (KNOWN / (1.0 - rate / full_queue).max(KNOWN)).powi(2)
}

/// Returns the mean of dispersions, weighted by their events; 1 if nothing was late.
fn weighed(shown: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (events, sum) = shown.fold((0.0, 0.0), |sum, (events, how)| (sum.0 + events, sum.1 + events * how));
    if events > 0.0 { sum / events } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_queue_near_its_end_shows_of_clusters_says_less_the_more_room_a_load_leaves() {
        let seen = Clusters { anywhere: 3.0, full: 2_000.0, full_queue: 5_000.0 };
        let told = [5_100.0, 4_990.0, 4_900.0, 4_500.0, 2_500.0].map(|rate| seen.at(rate));
        let meant = [2_000.0, 2_000.0, 500.0, 20.0, 3.0];
        for (told, meant) in told.into_iter().zip(meant) {
            assert!((told - meant).abs() < 1e-6 * meant, "{told} for {meant}");
        }
        let unknown = Clusters { anywhere: 40.0, full: 1.0, full_queue: f64::INFINITY };
        assert!((unknown.at(4_500.0) - 40.0).abs() < 1e-9, "stalls come at any rate");
    }
}
