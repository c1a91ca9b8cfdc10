//! Totals by priority: each I/O in flight with the priority that its queue draws for it.

use workload::{Direction, Nanos, Priority, Totals, Urgency, WorkerPlan};

use super::Worker;
use super::slots::InFlight;
use crate::batch::Batch;

/// The priorities of the I/Os in flight.
#[derive(Debug)]
pub(super) struct Priorities {
    /// `None` if all have that of their worker.
    urgency: Option<Box<Urgency>>,
    known: Vec<Priority>,
    /// By slot: 0 for the worker's own priority, otherwise one more than the index into `known`.
    of_slot: Box<[u32]>,
}

impl Priorities {
    /// Those of a worker with `slots` slots; `None` if its plan asks for no such totals.
    pub(super) fn new(plan: &WorkerPlan, slots: u32) -> Option<Box<Priorities>> {
        (plan.terms.totals == Totals::WorkerAndPriority).then(|| {
            let of_slot = vec![0; slots as usize].into_boxed_slice();
            Box::new(Priorities {
                urgency: Urgency::new(&plan.terms),
                known: plan.terms.priorities(),
                of_slot,
            })
        })
    }

    fn of(&self, slot: u32) -> u32 {
        self.of_slot.get(slot as usize).copied().unwrap_or(0)
    }
}

impl Worker {
    /// Notes the priorities of the I/Os in `batch`, which is about to be handed to a queue that draws the same ones.
    pub(crate) fn draw_priorities(&mut self, batch: &Batch) {
        let Some(Priorities { urgency, known, of_slot }) = self.priorities.as_deref_mut() else { return };
        // No queue draws for a trim or a flush.
        for io in batch.ios().iter().filter(|io| matches!(io.kind, Direction::Read | Direction::Write)) {
            let drawn = urgency.as_mut().and_then(|urgency| urgency.draw(io.kind, io.bytes));
            let place = drawn.and_then(|drawn| known.iter().position(|each| *each == drawn));
            if let Some(of_slot) = of_slot.get_mut(io.slot as usize) {
                *of_slot = place.map_or(0, |place| place as u32 + 1);
            }
        }
    }

    /// The part of the totals that `io`, which was in `slot`, belongs to.
    pub(super) fn place(&self, io: &InFlight, slot: u32) -> u32 {
        self.priorities.as_deref().map_or(io.file, |priorities| priorities.of(slot))
    }

    /// [`submitted`](Worker::submitted) for totals by priority.
    #[cold]
    pub(super) fn submitted_by_priority(&mut self, now: Nanos, batch: &Batch) {
        for io in batch.ios() {
            let picked = self.slots.hand_over(io.slot, now);
            let place = self.priorities.as_deref().map_or(0, |priorities| priorities.of(io.slot));
            self.recorder.submission_in(io.kind, place, now.since(picked));
        }
    }
}
