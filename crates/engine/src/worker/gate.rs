//! Reasons for a worker not to fill its queue although slots are free: a mark to which the queue must run down first, a
//! search for the depth, a proportion to other workers, a trace that has no room.

use std::sync::Arc;

use workload::{Nanos, Overlap, WorkerPlan};

use super::flow::{FlowShare, SharedFlow};
use super::refill::Refill;
use super::steering::Steering;
use super::{Wake, Worker};
use crate::batch::Batch;

/// Time after which a worker whose trace has no room looks again: a small part of the time between two collections.
const ROOM_AGAIN: Nanos = Nanos::from_micros(100);

/// The gate of a worker. I/Os held back for others on the same bytes are kept by the worker itself, but checked here.
#[derive(Debug)]
pub(super) struct Gate {
    refill: Option<Refill>,
    pub(super) steering: Option<Steering>,
    pub(super) flow: Option<FlowShare>,
}

impl Gate {
    /// Returns a gate for `plan`; `None` if the plan contains no reason for one.
    pub(super) fn new(plan: &WorkerPlan) -> Option<Box<Gate>> {
        let gate = Gate {
            refill: Refill::new(plan),
            steering: plan.terms.steering.map(|asked| Steering::new(asked, plan.depth)),
            flow: plan.terms.flow.map(FlowShare::new),
        };
        let any = gate.refill.is_some() || gate.steering.is_some() || gate.flow.is_some();
        let any = any || plan.terms.overlap == Overlap::HeldBack;
        let any = any || plan.terms.trace || plan.terms.tells_issues;
        any.then(|| Box::new(gate))
    }

    /// Number of I/Os that may be issued while `in_flight` are in flight.
    fn opens(&mut self, in_flight: usize) -> usize {
        if self.refill.as_mut().is_some_and(|refill| refill.holds(in_flight)) {
            return 0;
        }
        self.room(in_flight)
    }

    /// Number of I/Os that may be issued, apart from a queue that must run down.
    fn room(&self, in_flight: usize) -> usize {
        let depth = self.steering.map_or(usize::MAX, |steering| steering.depth().saturating_sub(in_flight));
        self.flow.as_ref().map_or(depth, |flow| flow.room().min(depth))
    }

    /// Notes that `count` I/Os were issued and `free` slots are left.
    fn issued(&mut self, count: usize, free: usize) {
        if let Some(refill) = &mut self.refill {
            refill.issued(free);
        }
        if let Some(flow) = &mut self.flow {
            flow.issued(count);
        }
    }

    /// Whether an I/O may be issued while `in_flight` are in flight. Out of line, so that the wake of a worker without a gate
    /// stays short enough to be inlined.
    #[cold]
    pub(super) fn is_open(&self, in_flight: usize) -> bool {
        !self.refill.is_some_and(Refill::runs_down) && self.room(in_flight) > 0
    }

    /// When the gate must be checked again although nothing has completed; `None` if it need not be.
    pub(super) fn asks_again(&self, in_flight: usize, now: Nanos) -> Option<Nanos> {
        let steered = self.steering.is_none_or(|steering| steering.depth() > in_flight);
        self.flow.as_ref().filter(|flow| steered && flow.room() == 0).map(|flow| flow.again(now))
    }

    /// When the gate next changes by the clock alone.
    pub(super) fn horizon(&self) -> Nanos {
        self.steering.as_ref().map_or(Nanos::MAX, Steering::horizon)
    }
}

impl Worker {
    /// Keeps a proportion with other workers; to be called before [`begin`](Worker::begin).
    pub(crate) fn flow_with(&mut self, shared: Option<&Arc<SharedFlow>>) {
        if let (Some(flow), Some(shared)) = (self.gate.as_mut().and_then(|gate| gate.flow.as_mut()), shared) {
            flow.share(shared);
        }
    }

    /// Fills the batch as far as the gate allows. Each I/O in flight has its place in the trace: a trace that lacks I/Os is
    /// not the one that was asked for, so the worker waits until the collector has taken some.
    pub(super) fn fill_at_gate(&mut self, now: Nanos, out: &mut Batch) {
        out.narrow(self.trace_room());
        if self.reading_back.is_some() {
            self.read_back(now, out);
        }
        if !self.passes_gate(out) {
            return;
        }
        if self.open {
            self.fill_singly(now, out);
        }
        self.passed_gate(out);
    }

    /// Number of I/Os that can be issued and still be traced.
    fn trace_room(&self) -> usize {
        self.recorder.trace_room().saturating_sub(self.slots.in_flight())
    }

    /// Narrows `out` to the I/Os that may be issued; false if there are none.
    fn passes_gate(&mut self, out: &mut Batch) -> bool {
        let in_flight = self.slots.in_flight();
        let room = self.gate.as_mut().map_or(usize::MAX, |gate| gate.opens(in_flight));
        out.narrow(room);
        room > 0
    }

    /// Notes that the I/Os in `out` are issued.
    fn passed_gate(&mut self, out: &Batch) {
        let free = self.slots.free_count();
        if let Some(gate) = &mut self.gate {
            gate.issued(out.count(), free);
        }
    }

    /// Whether a slot may be filled now.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        self.slots.free_count() > 0 && (self.gate.is_none() || self.gate_is_open())
    }

    /// Whether the worker would issue but has no room in the queue.
    #[inline]
    pub(crate) fn waits_for_room(&self) -> bool {
        self.open && !self.has_room()
    }

    /// Whether I/O is due whenever a slot is free, and a slot is free.
    #[inline]
    pub(crate) fn could_issue(&self) -> bool {
        self.open && self.has_room() && self.pace.fills_the_queue()
    }

    /// Whether an I/O may be issued now.
    #[cold]
    fn gate_is_open(&self) -> bool {
        let open = self.gate.as_ref().is_none_or(|gate| gate.is_open(self.slots.in_flight()));
        open && !self.overlap.is_holding() && self.trace_room() > 0
    }

    /// When a worker without room wants its next turn.
    #[cold]
    pub(super) fn wake_at_gate(&self, now: Nanos) -> Wake {
        let again = match self.trace_room() {
            0 => Some(now + ROOM_AGAIN),
            _ => self.gate.as_ref().and_then(|gate| gate.asks_again(self.slots.in_flight(), now)),
        };
        again.map_or(Wake::OnCompletion, |at| Wake::At(at.min(self.horizon).max(now)))
    }

    /// Opens the gate at `now`.
    pub(super) fn open_gate(&mut self, now: Nanos) {
        let Some(gate) = &mut self.gate else { return };
        if let Some(steering) = &mut gate.steering {
            steering.begin(now);
        }
        if let Some(flow) = &mut gate.flow {
            flow.join();
        }
    }

    /// Leaves the worker's flow, because it issues nothing more.
    pub(super) fn close_gate(&mut self) {
        if let Some(flow) = self.gate.as_mut().and_then(|gate| gate.flow.as_mut()) {
            flow.leave();
        }
    }
}
