//! A queue that runs down to a mark before it is filled again.

use workload::WorkerPlan;

/// Whether a queue that was full is still running down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refill {
    /// Number of I/Os in flight at which the queue is filled again.
    mark: usize,
    runs_down: bool,
}

impl Refill {
    /// `None` if the queue is filled as soon as an I/O has completed.
    pub(super) fn new(plan: &WorkerPlan) -> Option<Refill> {
        let mark = plan.terms.batching.refill_at.filter(|&mark| mark < plan.depth)?;
        Some(Refill { mark: mark as usize, runs_down: false })
    }

    /// Notes that `free` slots are left after issuing.
    pub(super) fn issued(&mut self, free: usize) {
        self.runs_down |= free == 0;
    }

    /// Whether nothing may be issued while `in_flight` I/Os are in flight.
    pub(super) fn holds(&mut self, in_flight: usize) -> bool {
        self.runs_down &= in_flight > self.mark;
        self.runs_down
    }

    /// Whether the queue is running down.
    pub(super) fn runs_down(self) -> bool {
        self.runs_down
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_runs_down_to_the_mark_and_only_then_is_filled() {
        let mut refill = Refill { mark: 2, runs_down: false };
        refill.issued(3);
        assert!(!refill.holds(1), "it was not full yet");
        refill.issued(0);
        assert_eq!([4, 3, 2, 3].map(|in_flight| refill.holds(in_flight)), [true, true, false, false]);
    }
}
