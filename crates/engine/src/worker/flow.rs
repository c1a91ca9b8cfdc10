//! A proportion that workers keep among each other: each counts its I/Os, and a worker ahead of its share waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use workload::{Flow, Nanos, WorkerPlan};

/// Number of I/Os, times its weight, by which a worker may be ahead: at zero it would wait at every single I/O.
const AHEAD: u64 = 4;

/// The shortest wait of a worker that is ahead. Polling without a pause would take the CPU from the other workers.
const REST_LEAST: Nanos = Nanos::from_micros(20);

/// State that the workers of one flow share.
#[derive(Debug, Default)]
pub(crate) struct SharedFlow {
    /// Sum of the weights of the workers at work.
    weight: AtomicU64,
    /// Number of I/Os that these workers have issued.
    issued: AtomicU64,
}

/// The share of one worker in a flow.
#[derive(Debug)]
pub(super) struct FlowShare {
    flow: Flow,
    shared: Arc<SharedFlow>,
    issued: u64,
    joined: bool,
}

/// Returns, for each worker, the state that it shares with the others of its flow.
pub(crate) fn flows(workers: &[WorkerPlan]) -> Vec<Option<Arc<SharedFlow>>> {
    let mut known: Vec<(u32, Arc<SharedFlow>)> = Vec::new();
    let mut of_worker = |worker: &WorkerPlan| {
        let id = worker.terms.flow?.id;
        if let Some((_, shared)) = known.iter().find(|(other, _)| *other == id) {
            return Some(Arc::clone(shared));
        }
        let shared = Arc::<SharedFlow>::default();
        known.push((id, Arc::clone(&shared)));
        Some(shared)
    };
    workers.iter().map(&mut of_worker).collect()
}

impl FlowShare {
    /// The share of a worker that is alone until [`share`](FlowShare::share).
    pub(super) fn new(flow: Flow) -> FlowShare {
        assert!(flow.weight > 0, "a worker without weight is in no flow");
        FlowShare { flow, shared: Arc::default(), issued: 0, joined: false }
    }

    /// Joins the state that other workers share.
    pub(super) fn share(&mut self, shared: &Arc<SharedFlow>) {
        assert!(!self.joined, "a worker changes its flow while it is at work");
        self.shared = Arc::clone(shared);
    }

    /// Adds the weight of the worker, which is now at work.
    pub(super) fn join(&mut self) {
        assert!(!self.joined, "a worker joins its flow twice");
        self.joined = true;
        self.shared.weight.fetch_add(u64::from(self.flow.weight), Relaxed);
    }

    /// Removes the worker, which issues nothing more: the others keep their proportion without it.
    pub(super) fn leave(&mut self) {
        if std::mem::take(&mut self.joined) {
            self.shared.weight.fetch_sub(u64::from(self.flow.weight), Relaxed);
            self.shared.issued.fetch_sub(self.issued, Relaxed);
        }
    }

    /// Number of I/Os that the worker may issue now.
    pub(super) fn room(&self) -> usize {
        // fio's sum has 32 bits, which decides what weights below 0 do.
        let all = u64::from(self.shared.weight.load(Relaxed) as u32).max(1);
        let issued = self.shared.issued.load(Relaxed);
        let weight = u64::from(self.flow.weight);
        let share = (u128::from(issued) * u128::from(weight) / u128::from(all)) as u64;
        (share + AHEAD * weight).saturating_sub(self.issued) as usize
    }

    /// Counts I/Os that were issued.
    pub(super) fn issued(&mut self, count: usize) {
        self.issued += count as u64;
        self.shared.issued.fetch_add(count as u64, Relaxed);
    }

    /// When to check again if there is no room now.
    pub(super) fn again(&self, now: Nanos) -> Nanos {
        now + self.flow.rest.max(REST_LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_ahead_waits_until_the_others_have_caught_up_or_gone() {
        let shared = Arc::<SharedFlow>::default();
        let member = |weight| {
            let mut share = FlowShare::new(Flow { id: 0, weight, rest: Nanos::ZERO });
            share.share(&shared);
            share.join();
            share
        };
        let (mut two, mut one) = (member(2), member(1));
        let mut both = [0, 0];
        for _ in 0..100 {
            for (share, done) in [&mut two, &mut one].into_iter().zip(&mut both) {
                let room = share.room();
                share.issued(room);
                *done += room;
            }
        }
        assert!(both[0] + both[1] > 1_000 && both[0].abs_diff(2 * both[1]) <= 20, "{both:?}");
        while two.room() > 0 {
            two.issued(two.room());
        }
        one.issued(1);
        assert!((1..=3).contains(&two.room()), "its share of what the other does");
        two.issued(two.room());
        one.leave();
        assert!(two.room() > 0, "alone it waits for nobody");
    }
}
