//! Clustering of late I/Os in a search: in a queue, an I/O is seldom late alone, and thousands are late near its limit.

use workload::LatencyBound;

use super::load::OpenLoad;

/// Least share of a full queue's rate at which queues are long because of the rate.
const NEARLY_FULL: f64 = 0.97;
/// Greatest dispersion of late I/Os, in multiples of the square of one over the spare share, that a queue explains: for
/// M/D/1 and M/M/1 it is one to four, and stalls exceed it (chosen by us).
const QUEUE: f64 = 8.0;
/// Best precision of a rate, as a share, because the arrivals of some seconds are random.
const KNOWN: f64 = 0.01;

/// Clustering of late I/Os in the loads of a search, for one bound.
#[derive(Clone, Debug)]
pub(super) struct Clusters {
    /// Rates of loads with spare capacity, with the number of their late I/Os and their dispersion.
    far: Vec<(f64, (f64, f64))>,
    /// Dispersion of loads with hardly any spare capacity, scaled to a capacity of [`KNOWN`].
    full: f64,
    /// I/Os per second with a full queue; infinite if not known, as if every load had spare capacity.
    full_queue: f64,
}

impl Clusters {
    /// Returns the clustering in `loads` for `bound`, which comes with its index.
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
        Clusters { full: weighed(near.iter().map(relieved)), far, full_queue }
    }

    /// Returns the ratio of the variance of late I/Os at `rate` to that of independent ones, as far as other loads
    /// show. The less spare capacity, the longer a queue remembers, by the square of it (Abate, Whitt: Operations
    /// Research Letters 6, 1987): the clustering of a load near the limit is too much for one with spare capacity. That of
    /// stalls, which no queue explains, is the same at any rate.
    pub(super) fn at(&self, rate: f64) -> f64 {
        let own = relief(rate, self.full_queue);
        let of_load = |(rate, (events, how)): &(f64, (f64, f64))| {
            let is_queue = *how <= QUEUE * spare(*rate, self.full_queue).powi(-2);
            let eased = if is_queue { (own / relief(*rate, self.full_queue)).min(1.0) } else { 1.0 };
            (*events, how * eased)
        };
        weighed(self.far.iter().map(of_load)).max(self.full * own)
    }
}

/// Returns the ratio of clustering at `rate` to that with hardly any spare capacity.
fn relief(rate: f64, full_queue: f64) -> f64 {
    (KNOWN / spare(rate, full_queue)).powi(2)
}

/// Returns the share of the full queue's rate that `rate` leaves.
fn spare(rate: f64, full_queue: f64) -> f64 {
    (1.0 - rate / full_queue).max(KNOWN)
}

/// Returns the mean of dispersions, weighted by their events; 1 if no I/O was late.
fn weighed(shown: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (events, sum) = shown.fold((0.0, 0.0), |sum, (events, how)| (sum.0 + events, sum.1 + events * how));
    if events > 0.0 { sum / events } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_queue_near_its_end_shows_of_clusters_says_less_the_more_room_a_load_leaves() {
        // Stalls: at half of what a queue bears, none explains clusters of forty.
        let seen = Clusters { far: vec![(2_500.0, (50.0, 40.0))], full: 2_000.0, full_queue: 5_000.0 };
        let told = [5_100.0, 4_990.0, 4_900.0, 4_500.0, 2_500.0].map(|rate| seen.at(rate));
        let meant = [2_000.0, 2_000.0, 500.0, 40.0, 40.0];
        for (told, meant) in told.into_iter().zip(meant) {
            assert!((told - meant).abs() < 1e-6 * meant, "{told} for {meant}");
        }
        let unknown = Clusters { full: 1.0, full_queue: f64::INFINITY, ..seen };
        assert!((unknown.at(4_500.0) - 40.0).abs() < 1e-9, "stalls come at any rate");
    }

    #[test]
    fn clusters_that_a_queue_explains_shrink_with_the_load_and_do_not_grow_beyond_what_was_seen() {
        // Of M/D/1 at nine tenths of 3,000, a hundred late ones in clusters of 200.
        let seen = Clusters { far: vec![(2_700.0, (100.0, 200.0))], full: 1.0, full_queue: 3_000.0 };
        for (rate, meant) in [(2_800.0, 200.0), (2_700.0, 200.0), (2_400.0, 50.0), (1_500.0, 8.0)] {
            assert!((seen.at(rate) - meant).abs() < 1e-6 * meant, "{} at {rate}", seen.at(rate));
        }
    }
}
